// Channels of quasistatic circuits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/channels/values.h"

namespace trunnion {

struct QuasistaticChannels {
  QuasistaticChannels(const CompiledModel& model, ChannelList& list);
  struct Port {
    int rate, pressure_A, pressure_B, P_A, P_B, A_T, B_T, relief_A, relief_B, B_A, segment, loss, element;
  };
  struct Circuit {
    std::vector<Port> ports;
    int pressure, flow, bleed, relief, power, loss;
  };
  std::vector<Circuit> circuits;
};
/// After evaluate_forces.
template <int D, class S>
void read_quasistatic(const QuasistaticChannels& channels, MachineValues<D, S>& x);

}  // namespace trunnion
