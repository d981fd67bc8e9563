// First-order change of a motion along a direction (theta, v', a') of all coordinates, in one sweep over the tree:
//   places        a body moves by X = sum b_q theta
//   velocities    dV = X x V + Y,              Y = sum u theta + b v',   u = V x b_q
//   accelerations dA = X x A + Y x V + Z,      Z = sum (A x b_q - u x V) theta + (w + V x b) v' + b a'
// The sums go over the coordinates between the ground and the body; the cross products with X, Y are what is carried along.
// With it: change of the constraints' rates and second derivatives, and the share of (v', a') in the change of the inverse
// dynamics. This is what a treatment needs whose dependent rates follow from the constraints (solve/closed_loops.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mechanics/mechanism.h"

namespace trunnion {

/// The sweep's results, per node; sized once.
template <int D>
struct Variation {
  explicit Variation(const Mechanism<D>& m)
      : X(m.tree.nodes.size(), Motion<D>::zero()),
        Y(X.size(), Motion<D>::zero()),
        Z(X.size(), Motion<D>::zero()),
        F(X.size(), Force<D>::zero()),
        Phi_dot(m.rows),
        Phi_ddot(m.rows) {}
  std::vector<Motion<D>> X, Y, Z;
  std::vector<Force<D>> F;                // scratch of add_rate_tangent
  std::vector<double> Phi_dot, Phi_ddot;  // per row: change
};

/// X and Y along (theta, v'), after the velocity stage; then the change of dPhi/dt.
template <int D>
void vary_rates(const Mechanism<D>& m, const double* theta, const double* v, const MechanismState<D>& state, Variation<D>& change);

/// X, Y and Z along (theta, v', a'), after the velocity stage; then the change of d2Phi/dt2.
template <int D>
void vary_accelerations(const Mechanism<D>& m, const double* theta, const double* v, const double* a, const MechanismState<D>& state,
                        Variation<D>& change);

/// dr += dr/dv v' + dr/da a' of inverse_dynamics(with_inertia); overwrites Y, Z, F.
template <int D>
void add_rate_tangent(const Mechanism<D>& m, const double* v, const double* a, const MechanismState<D>& state, Variation<D>& work,
                      double* dr);

}  // namespace trunnion
