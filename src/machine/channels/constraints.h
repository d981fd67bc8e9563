// Channels of constraints, and of the contacts of wheels and blades.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/channels/values.h"

namespace trunnion {

struct ConstraintChannels {
  ConstraintChannels(const CompiledModel& model, ChannelList& list);
  struct Contact {
    int group;  // of constraints
    int slip;
    std::array<int, 3> force{-1, -1, -1}, place{-1, -1, -1};  // per row, per axis; -1 where not applicable
  };
  std::vector<Contact> contacts;
};
/// After update_positions and update_rates.
template <int D, class S>
void read_constraints(const ConstraintChannels& channels, MachineValues<D, S>& x);

}  // namespace trunnion
