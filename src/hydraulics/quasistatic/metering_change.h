// First-order change of every quantity of actuators on one pump, at a solution with all its pressures and flows: the original relations,
// differentiated. A valve with flow Q over dp at opening u has
//   dQ = Q/u du + Q/(2 dp) d(dp)                                                                  of (39h)-(39l), (91)
// a chamber at its relief valve's pressure or in suction keeps its pressure, and so does a relieving pump; check valves and closed valves
// carry no change. Per actuator, with the load line f = beta v + fbar,
//   beta dv = A_h dP_h - A_r dP_r - dfbar,   A_h dv = sum dQ into the head side,   -A_r dv = sum dQ into the rod side
// which leaves one equation in dP of the pump, of (114), (123). One-sided where a valve is about to open or close.
// Source of the relations: Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics), sections 3.1, 5.1, 6.1.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "hydraulics/quasistatic/metering_circuit.h"

namespace trunnion {

/// Changes of all numbers in `flows` and `pump` (of recover() with the same command and beta) for changes of the command and of fbar [N];
/// flags and segments are unchanged. No allocation.
void change_flows(const MeteringCircuit& circuit, const MeteringCommand& command, const MeteringCommand& command_change,
                  std::span<const double> beta, std::span<const double> fbar_change, std::span<const MeteringFlows> flows,
                  const PumpFlows& pump, std::span<MeteringFlows> flow_changes, PumpFlows& pump_change);

}  // namespace trunnion
