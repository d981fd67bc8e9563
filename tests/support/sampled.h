// Channels at evenly spaced times, for tests of derivatives of runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run/channel_samples.h"

namespace trunnion::test {

/// `count` + 1 times from 0 to `end` [s].
inline std::vector<SampledChannel> sampled(const std::vector<std::string>& names, double end, int count) {
  std::vector<SampledChannel> channels;
  for (const std::string& name : names) {
    channels.push_back({name, {}});
    for (int i = 0; i <= count; ++i) channels.back().times.push_back(end * i / count);
  }
  return channels;
}

}  // namespace trunnion::test
