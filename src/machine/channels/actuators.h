// Channels of cylinders and motors, and of friction and limits on joint coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/channels/values.h"

namespace trunnion {

struct ActuatorChannels {
  ActuatorChannels(const CompiledModel& model, ChannelList& list);
  struct Piston {
    int angle, power, flow_A, flow_B;  // cells; angle: of the line, in the plane; otherwise -1
  };
  struct Joint {
    int actuator = 0;
    int power = -1;  // of friction; -1: none
  };
  std::vector<Piston> pistons;
  std::vector<Joint> joints;
};
/// Clears the outflow of all nodes, and adds that of the pistons at sources. After evaluate_forces.
template <int D, class S>
void read_actuators(const ActuatorChannels& channels, MachineValues<D, S>& x);

}  // namespace trunnion
