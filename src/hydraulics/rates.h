// The netlist as an ordinary differential equation, without derivatives: what explicit integrators evaluate.
//   p_i_dot = (sum Q_in - sum A_j (s_j_dot + u_j)) / C_i(p, s)     (13), (14)
//   x_dot   = rate(s_dot, x)                                       friction
//   U_dot   = (U_ref - U) / tau                                    spools; those without a time constant are set
// u is a rate that only the oil sees.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 2.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/circuit.h"

namespace trunnion {

/// ydot and the port forces at (s, sdot) and y; signals and the pressures of sources are set. `extra_rate` u [m/s] per port; null: none.
/// Fills capacities, too. No allocation.
void evaluate_rates_and_forces(const Hydraulics& hydraulics, const double* s, const double* s_dot, const double* extra_rate, double* y,
                               double* ydot, HydraulicState& state);

/// The first cylinder whose piston is not inside it at lengths s [m] (or at lengths that are no numbers); -1: none.
int piston_outside(const Hydraulics& hydraulics, const double* s);

/// The first circuit unknown that is not one of a machine: pressures within (0, 1e12) Pa, friction states below 1e12; -1: none. A step
/// that is unstable shows here first.
int unknown_out_of_range(const Hydraulics& hydraulics, const double* y);

}  // namespace trunnion
