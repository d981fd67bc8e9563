// Channels of joints and of the bodies' positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/channels/values.h"

namespace trunnion {

/// Joint coordinates, and cartesian coordinates of bodies: numbers of the state or readings of joints.
void declare_joints(const CompiledModel& model, ChannelList& list);
/// Readings of joints, after update_positions and update_rates.
template <int D, class S>
void read_joints(MachineValues<D, S>& x);

/// Centres of mass.
struct CenterChannels {
  CenterChannels(const CompiledModel& model, ChannelList& list);
  struct Center {
    const BodyInfo* body;
    std::array<int, 3> cells;
  };
  std::vector<Center> centers;
};
/// With kinetic and potential energy.
template <int D, class S>
void read_centers(const CenterChannels& channels, MachineValues<D, S>& x);

}  // namespace trunnion
