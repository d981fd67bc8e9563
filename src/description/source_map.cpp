// Positions of values in the model file: an open-addressing hash table.
// SPDX-License-Identifier: BSD-3-Clause
#include "description/source_map.h"

#include <algorithm>
#include <functional>

namespace trunnion {

std::size_t SourceMap::slot_of(std::string_view path) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(path)&mask;
  while (slots_[slot] != 0 && path_of(places_[slots_[slot] - 1]) != path) slot = (slot + 1) & mask;
  return slot;
}

void SourceMap::grow() {
  constexpr std::size_t kFirst = 64;
  slots_.assign(std::max(kFirst, 2 * slots_.size()), 0);
  for (std::size_t i = 0; i < places_.size(); ++i) slots_[slot_of(path_of(places_[i]))] = static_cast<std::uint32_t>(i + 1);
}

std::uint32_t SourceMap::file_number(const std::string& file) {
  if (last_file_ < files_.size() && files_[last_file_] == file) return last_file_;
  const auto known = std::find(files_.begin(), files_.end(), file);
  last_file_ = static_cast<std::uint32_t>(known - files_.begin());
  if (known == files_.end()) files_.push_back(file);
  return last_file_;
}

void SourceMap::set(std::string_view path, const std::string& file, int line, int column) {
  if (2 * (places_.size() + 1) > slots_.size()) grow();
  const std::uint32_t number = file_number(file);
  std::uint32_t& slot = slots_[slot_of(path)];
  if (slot == 0) {
    places_.push_back({paths_.size(), static_cast<std::uint32_t>(path.size()), number, line, column});
    paths_ += path;
    slot = static_cast<std::uint32_t>(places_.size());
  } else {
    Place& place = places_[slot - 1];
    place.file = number, place.line = line, place.column = column;
  }
}

std::optional<SourceSpan> SourceMap::find(std::string_view path) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t slot = slots_[slot_of(path)];
  if (slot == 0) return std::nullopt;
  const Place& place = places_[slot - 1];
  return SourceSpan{files_[place.file], place.line, place.column};
}

}  // namespace trunnion
