// Static solution: the configuration and the pressures in which the whole machine is in equilibrium.
//   r(q, v = 0, a = 0) - sum_i F_i(p) ds_i/dq + Phi_q^T lambda = 0   in all coordinates,   Phi(q) = 0
// without friction, signals at one time. Unknown are the coordinates that are not locked, the pressures marked `equilibrium`, lambda.
//
// Locked coordinates and given pressures are fixed. Each locked coordinate leaves one equation for a marked pressure; if more pressures
// are marked, the oil of the surplus combinations is trapped, keeps its volume of the start, and its pressure is the reaction. A cylinder
// with a marked pressure thus keeps its length unless a locked coordinate determines it, and positions change only under pressures that
// are all given. Control blocks are held: they read the positions and rates of the start.
//
// Method: at given pressures, all forces except follower loads have a potential, and a stable equilibrium is its minimum on the
// constraints {Phi = 0, trapped volumes}. Newton steps in the null space Z of the constraints, with the exact stiffness
//   K = d/dq (r - F s_k + Phi_q^T lambda),   d = -sum_i v_i (v_i . g) / |kappa_i|,   (Z^T K Z) v_i = kappa_i v_i,  g = Z^T r
// go downhill along every v_i, also where the stiffness is negative; steps are shortened until the forces' work along them is positive,
// and projected onto the constraints. Newton's method on the whole system then finds the pressures that locked coordinates determine. A
// start that is balanced is kept, stable or not. Redundant equations are allowed: multipliers have minimum norm.
// Derivation: docs/theory.md, Static solution.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

enum class Stability {
  fixed,    // no degree of freedom
  stable,   // every displacement causes a restoring force
  neutral,  // some displacements cause none
  unstable  // some displacements grow
};

/// A direction of free motion on the loops, orthogonal to the others: K_z v = stiffness M_z v.
struct RestMode {
  double stiffness = 0;         // [1/s2] relative to inertia: square of the undamped circular frequency
  std::vector<int> velocities;  // coordinates with the largest share, largest first
};

struct Equilibrium {
  StateVector state;             // q, y, multipliers at equilibrium; v = 0, a = 0, ydot = 0
  std::vector<double> movement;  // per velocity: increment from the model's start [rad, m]
  int iterations = 0;            // Newton steps in all

  /// Coordinates released, valves unchanged: oil without an open path to a source is compressed, sources keep their pressure.
  Stability stability = Stability::fixed;
  std::vector<RestMode> modes;  // softest first

  double residual = 0;   // [N, N m] largest unbalanced load
  int residual_at = -1;  // its velocity
  double load = 0;       // [N, N m] size of the balanced loads: reference for the residual
  double violation = 0;  // largest |Phi|
};

/// Solves for equilibrium with signals at `time` (right limit). Dense, for machines of up to some hundred coordinates. Equilibrium does
/// not depend on the coordinates: a machine in cartesian ones is solved in relative ones, and all results are in those of
/// CompiledModel::relative. Throws InputError: pressures that are undetermined or below vacuum, oil that flows, locked coordinates that are
/// unbalanced, loops that do not close; SimulationError: no equilibrium is found, or a piston would leave its cylinder.
Equilibrium solve_equilibrium(const CompiledModel& model, double time = 0);

/// The state of a run that starts in equilibrium: solve_equilibrium at time 0 with consistent rates (prescribed motions may move); in the
/// model's own coordinates.
StateVector equilibrium_state(const CompiledModel& model);

/// Name of the channel that a velocity coordinate changes: `crank.angle`; `load.rate_x` for the components of a spherical joint.
std::string coordinate_name(const CompiledModel& model, int velocity);

}  // namespace trunnion
