// Channels that a model records, by the names and patterns of `record.channels`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "run/channel_reader.h"

namespace trunnion {

/// The numbers of the channels of `reader` that `record.channels` of its model names, and of the time; all if it is empty. Throws
/// InputError with every name that is not found.
std::vector<std::size_t> recorded_channels(const std::shared_ptr<const CompiledModel>& model, const ChannelReader& reader);

/// Throws InputError if the model records a channel that it does not have.
void check_recorded_channels(const std::shared_ptr<const CompiledModel>& model);

}  // namespace trunnion
