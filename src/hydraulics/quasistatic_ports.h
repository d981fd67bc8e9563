// Quasistatic circuits (hydraulics/quasistatic) as parts of a netlist: what they add to port forces, to the blocks of a step and to rates.
// `work`: of the circuit. Inputs are the signals and spools in the state. Throw CommandError for commands that are not admissible.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/circuit.h"

namespace trunnion {

/// read_command() by the signals and spools in `values`. Throws CommandError if no state of the circuit allows it.
template <class S>
void read_checked_command(const Hydraulics& netlist, const QuasistaticCircuit& q, const OilValues<S>& values, QuasistaticWork& work);
/// In a step: forces of its ports, p and its derivatives.
void add_quasistatic(const QuasistaticCircuit& q, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                     const Hydraulics& netlist, QuasistaticWork& work, HydraulicState& state);
/// Forces of its ports as an ordinary differential equation; discrete: those of the last step. For double and Dual<1>.
template <class S>
void add_quasistatic_forces(const Hydraulics& netlist, const QuasistaticCircuit& q, const S* s, const S* s_dot, const S* y,
                            QuasistaticWork& work, OilValues<S>& values);
/// Its rates and forces.
void add_quasistatic_rates(const Hydraulics& netlist, const QuasistaticCircuit& q, const double* s, const double* s_dot, const double* y,
                           double* ydot, QuasistaticWork& work, HydraulicState& state);
/// Its block of derivatives at constant rates, without the direct ones of the forces: those are full matrices.
void add_quasistatic_slopes(const QuasistaticCircuit& q, const double* s, const double* s_dot, const double* y, const Hydraulics& netlist,
                            QuasistaticWork& work, HydraulicState& state);

}  // namespace trunnion
