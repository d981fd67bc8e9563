// SPDX-License-Identifier: BSD-3-Clause
#include "machine/channels/channel_list.h"

#include <algorithm>

namespace trunnion {

bool names_channel(const std::string& pattern, const std::string& name, std::size_t spelled) {
  if (pattern.empty() || pattern.back() != '*') return pattern == name;
  const std::size_t letters = pattern.size() - 1;
  return letters >= spelled && name.compare(0, letters, pattern, 0, letters) == 0;
}

void ChannelList::add(const std::string& section, const std::string& name, const char* unit, const std::string& meaning, ValuePlace place,
                      bool error) {
  const std::string own = names_.contains(name) ? section + "." + name : name;
  names_.insert(own);
  channels.push_back({own, unit, meaning, error});
  places.push_back(place);
}

int ChannelList::add(const std::string& section, const std::string& name, const char* unit, const std::string& meaning, bool error) {
  add(section, name, unit, meaning, ValuePlace{ValuePlace::Array::cell, cells}, error);
  return cells++;
}

bool ChannelList::is_offered(const std::string& section, const std::string& name, const std::string& spelled, const char* unit,
                             const std::string& meaning) {
  const bool taken = names_.contains(name);
  const std::string own = taken ? section + "." + name : name;
  const std::size_t letters = spelled.size() + (taken ? section.size() + 1 : 0);
  if (offered_ != nullptr) offered_->push_back({own, unit, meaning});
  if (std::any_of(requested_.begin(), requested_.end(), [&](const std::string& w) { return names_channel(w, own, letters); })) return true;
  names_.insert(own);
  return false;
}

int ChannelList::offer(const std::string& section, const std::string& name, const std::string& spelled, const char* unit,
                       const std::string& meaning) {
  return is_offered(section, name, spelled, unit, meaning) ? add(section, name, unit, meaning) : -1;
}

void ChannelList::offer(const std::string& section, const std::string& name, const char* unit, const std::string& meaning,
                        ValuePlace place) {
  if (is_offered(section, name, name, unit, meaning)) add(section, name, unit, meaning, place);
}

bool ChannelList::offer_vector(const std::string& section, const std::string& stem, const std::string& spelled, const char* unit,
                               const std::string& meaning, std::array<int, 3>& cells_of_axes) {
  for (std::size_t i = 0; i < 3; ++i) cells_of_axes[i] = offer(section, stem + "_" + kAxis[i], spelled, unit, meaning + ", " + kAxis[i]);
  return std::any_of(cells_of_axes.begin(), cells_of_axes.end(), [](int cell) { return cell >= 0; });
}

}  // namespace trunnion
