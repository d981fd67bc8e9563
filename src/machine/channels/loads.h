// Channels and powers of springs, loads, soil and prescribed motions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/channels/values.h"

namespace trunnion {

struct LoadChannels {
  LoadChannels(const CompiledModel& model, ChannelList& list);
  struct Soil {
    int depth, resistance;
  };
  std::vector<int> spring_forces;  // springs along lines, then those of joints
  std::vector<Soil> soils;
};
/// After update_rates and update_inputs. Powers of applied loads: numbers only.
template <int D, class S>
void read_loads(const LoadChannels& channels, MachineValues<D, S>& x);

}  // namespace trunnion
