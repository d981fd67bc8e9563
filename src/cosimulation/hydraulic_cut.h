// Some circuits of a machine's netlist as a netlist of their own. Everything follows from which volumes and cylinders stay:
//   flow elements and flow sources   that touch a volume that stays
//   spools                           of the valves that stay
//   nodes                            that any of those touches; a volume of another circuit is there as a place without pressure, whose
//                                    flows count nowhere (a valve between two circuits serves both)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/circuit.h"

namespace trunnion {

/// The part and where its things stand in the whole. The signals are those of the whole.
struct HydraulicCut {
  Hydraulics hydraulics;
  std::vector<int> volumes, ports, states, unknowns;  // indices in the whole: Hydraulics::volumes, actuators, y, unknown_state
};

/// The circuits `circuits` (indices in Hydraulics::circuits) of `whole`, in ascending order.
HydraulicCut cut_circuits(const Hydraulics& whole, std::vector<int> circuits);

}  // namespace trunnion
