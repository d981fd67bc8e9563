// Static solution: the configuration and the pressures in which the whole machine rests.
//   r(q, v = 0, a = 0) - sum_i F_i(p) ds_i/dq + Phi_q^T lambda = 0   in all coordinates,   Phi(q) = 0
// without friction, signals at one time. Unknown are the coordinates that are not held, the pressures marked `equilibrium`, lambda.
//
// What moves: held coordinates and stated pressures stay. Marked pressures are as many unknowns as the held coordinates leave
// equations; where there are more of them, the oil of the surplus combinations is locked in, its volume stays that of the start, and
// its pressure is the reaction. So a cylinder with a marked pressure keeps its length unless a held coordinate decides otherwise, and
// positions move only by pressures that are all stated.
//
// How: given the pressures that held coordinates decide, all forces but follower loads have a potential, and a stable rest is its
// minimum on the constraints {Phi = 0, locked volumes}. Newton steps in the null space Z of the constraints, with the exact stiffness
//   K = d/dq (r - F s_k + Phi_q^T lambda),   d = -sum_i v_i (v_i . g) / |kappa_i|,   (Z^T K Z) v_i = kappa_i v_i,  g = Z^T r
// go downhill along every v_i, also where the stiffness is negative; steps are shortened until the forces' work along them is
// positive, and put back on the constraints. Newton on the whole system then finds the pressures that held coordinates decide.
// A start that is balanced stays, stable or not. Redundant equations do no harm: multipliers are the smallest ones.
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
  stable,   // every push is met by a restoring force
  neutral,  // some pushes meet none
  unstable  // some pushes grow
};

/// A direction of free motion on the loops, normal to the others: K_z v = stiffness M_z v.
struct RestMode {
  double stiffness = 0;         // [1/s2] against inertia: square of the circular frequency that it has without friction
  std::vector<int> velocities;  // coordinates with the largest share, largest first
};

struct Equilibrium {
  State state;                   // q, y, multipliers of rest; v = 0, a = 0, ydot = 0
  std::vector<double> movement;  // per velocity: increment from the model's start [rad, m]
  int iterations = 0;            // Newton steps in all

  /// Coordinates released, valves as they are: oil without an open way to a source is compressed, sources keep their pressure.
  Stability stability = Stability::fixed;
  std::vector<RestMode> modes;  // softest first

  double residual = 0;   // [N, N m] largest load that is left over
  int residual_at = -1;  // its velocity
  double load = 0;       // [N, N m] size of the loads that balance there or elsewhere: what the residual is to be compared with
  double violation = 0;  // largest |Phi|
};

/// Solves for rest with signals at `time` (right limit). Dense, for machines of up to some hundred coordinates. Rest does not depend on
/// coordinates: a machine in cartesian ones is solved in relative ones, and everything here is in those of Model::relative.
/// Throws InputError: pressures that rest leaves open or below vacuum, oil that flows, held coordinates that are not balanced, loops that
/// do not close; SimulationError: no rest is found, or a piston would have to leave its cylinder.
Equilibrium solve_equilibrium(const Model& model, double time = 0);

/// The state of a run that starts at rest: solve_equilibrium at time 0 with consistent rates (prescribed motions may move); in the model's
/// own coordinates.
State equilibrium_state(const Model& model);

/// What a velocity coordinate changes, as its channel is called: `crank.angle`; `load.rate_x` for the components of a ball.
std::string coordinate_name(const Model& model, int velocity);

}  // namespace trunnion
