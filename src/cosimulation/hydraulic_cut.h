// A netlist of some circuits of a machine. It is determined by the retained volumes and cylinders:
//   flow elements and flow sources   connected to a retained volume
//   spools                           of retained valves
//   control blocks                   of these circuits, with the ports that they read or drive
//   nodes                            connected to any of these; a volume of another circuit becomes a node without pressure whose
//                                    flows are ignored (a valve between two circuits serves both)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/circuit.h"

namespace trunnion {

/// The part and the indices of its members in the whole. The signals are those of the whole.
struct HydraulicCut {
  Hydraulics hydraulics;
  std::vector<int> volumes, ports, states, unknowns;  // indices in the whole: Hydraulics::volumes, actuators, y, unknown_state
};

/// The circuits `circuits` (indices in Hydraulics::circuits) of `whole`, in ascending order.
HydraulicCut cut_circuits(const Hydraulics& whole, std::vector<int> circuits);

}  // namespace trunnion
