// The start of a run: start pressures, consistent accelerations, rates and multipliers.
//
// A pressure marked `equilibrium` is the reaction of the oil trapped in its group of volumes (machine/hydrostatic_groups.h) when the
// machine is released from rest in its assembled configuration, without friction: no group's volume accelerates,
//   sum_i A_ig s_i_ddot = 0,   s_i_ddot = s_i,k a_k,   a = a_0 + sum_g a_g p_g  on the constraints
// a small symmetric system in the p_g. If the machine can be at rest, a = 0 and this is the static balance. Loads that no oil holds (a
// swinging load) may be unbalanced; their initial dynamic force is part of the pressures. `trunnion equilibrium` (machine/equilibrium.h)
// searches for complete equilibrium.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/evaluate.h"

namespace trunnion {

/// y of the start: start pressures solved, friction states zero, spools at their signals. Free if no pressure is marked, otherwise one
/// solve for accelerations per unknown and a few more. Throws InputError naming pressures that are undetermined or below vacuum,
/// SimulationError if the mass matrix is singular.
std::vector<double> start_states(const CompiledModel& model);

/// Start of a search for steady operation: the start's q, velocities zero, start pressures with signals at `time` as near to rest as
/// possible, whether or not oil flows; volumes without effect have 1 MPa. Rates and multipliers are not set.
StateVector start_near_rest(const CompiledModel& model, double time);

/// The complete start state of a model.
StateVector start_state(const CompiledModel& model);

/// Accelerations, rates and multipliers for the q, v and y of a state at its time, without history. Throws SimulationError if the mass
/// matrix is singular.
void make_consistent(const CompiledModel& model, StateVector& state);

}  // namespace trunnion
