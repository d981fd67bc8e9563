// Channels of volumes, sources, flow elements and hydraulic components, with the power of each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/channels/values.h"

namespace trunnion {

struct OilChannels {
  OilChannels(const CompiledModel& model, ChannelList& list);
  struct Opening {
    int cell;
    const Orifice* orifice;
  };
  struct Flow {
    int cell;
    int node;  // flow into this node, times sign
    double sign;
  };
  struct Loss {
    int cell;
    std::size_t flows_end;  // the flows of this element end here
  };
  struct ComponentCells {
    std::vector<int> flows, powers;
  };
  std::vector<Opening> openings;
  std::vector<Flow> flows;
  std::vector<Loss> losses;  // per flow element
  std::vector<ComponentCells> components;
  std::vector<int> source_powers;  // per flow source
};
/// After read_actuators.
template <int D, class S>
void read_oil(const OilChannels& channels, MachineValues<D, S>& x);

}  // namespace trunnion
