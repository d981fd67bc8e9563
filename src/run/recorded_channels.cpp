// Selection of recorded channels.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/recorded_channels.h"

#include "model/model.h"

namespace trunnion {

std::vector<std::size_t> recorded_channels(const std::shared_ptr<const CompiledModel>& model, const ChannelReader& reader) {
  std::vector<Diagnostic> findings;
  const Description& description = model->description;
  const std::vector<std::string>& wanted = description.record.channels;
  const std::vector<Channel>& all = reader.channels();
  std::vector<bool> chosen(all.size(), wanted.empty());
  chosen[0] = true;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (names_channel(wanted[k], all[i].name)) chosen[i] = found = true;
    if (found) continue;
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const Channel& c : all) names.push_back(c.name);
    for (const Channel& c : channels_on_request(model)) names.push_back(c.name);
    const std::string near = nearest_name(wanted[k], names), path = "record.channels." + std::to_string(k);
    findings.push_back({span_of(description, path), path, "there is no channel '" + wanted[k] + "'",
                        "the name of a channel such as " + all[1 % all.size()].name, near.empty() ? "" : "did you mean '" + near + "'?"});
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen[i]) selected.push_back(i);
  return selected;
}

void check_recorded_channels(const std::shared_ptr<const CompiledModel>& model) {
  if (!model->description.record.channels.empty()) (void)recorded_channels(model, ChannelReader(model));
}

}  // namespace trunnion
