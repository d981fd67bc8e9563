// First-order change of a motion and of its forces along a direction (theta, v', a') of all coordinates:
//   positions     a body moves by X = sum b_q theta
//   velocities    dV = X x V + Y,              Y = sum u theta + b v',   u = V x b_q
//   accelerations dA = X x A + Y x V + Z,      Z = sum (A x b_q - u x V) theta + (w + V x b) v' + b a'
//   forces        dW = X x* W + I Z + B Y + D  of everything behind a joint, D: forces that do not move with their body,
//                                              and the own contributions of outer coordinates
//   residual      dr_k = b_k . (dW - X_parent x* W)
// The sums are over the coordinates between the ground and the body; the cross products with X, Y are the convective terms.
// One sweep out and one back, for any number of coordinates: the product of the whole tangent (mechanics/mechanism.h) with one
// vector. Used by treatments whose dependent rates follow from the constraints (solve/closed_loops.h).
// S: one direction (double), or several that are swept together (Pack).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "mechanics/mechanism.h"

namespace trunnion {

/// The sweep's results; sized once.
template <int D, class S = double>
struct DirectionalDerivative {
  explicit DirectionalDerivative(const Mechanism<D>& m)
      : nodes(m.tree.nodes.size()), W(m.tree.nodes.size()), Phi_dot(m.rows), Phi_ddot(m.rows), s(m.ports.size()), s_dot(m.ports.size()) {
    const Motion<D, S> none = Motion<D, S>::zero();
    for (auto& n : nodes) n = {none, none, none, none, none, none, Force<D, S>::zero()};
  }
  std::vector<NodeVariation<D, S>> nodes;
  std::vector<Force<D>> W;                // per node: inertial minus all other forces, of the whole subtree
  std::vector<double> Phi_dot, Phi_ddot;  // per row: change along the direction last asked for
  std::vector<S> s, s_dot;                // per port: change
};

/// The sweep out, after the velocity stage, in this order: theta changes positions (and with them velocities and accelerations),
/// v' changes velocities (and accelerations), a' changes accelerations.
template <int D, class S>
void differentiate_places(const Mechanism<D>& m, const S* theta, const MechanismState<D>& state, DirectionalDerivative<D, S>& change);
template <int D, class S>
void differentiate_velocities(const Mechanism<D>& m, const S* v, const MechanismState<D>& state, DirectionalDerivative<D, S>& change);
template <int D, class S>
void differentiate_accelerations(const Mechanism<D>& m, const S* a, const MechanismState<D>& state, DirectionalDerivative<D, S>& change);

/// Change of dPhi/dt, of d2Phi/dt2, of the given groups of rows by the motion swept so far along one of the directions; v', a' as swept,
/// null where not yet.
template <int D, class S>
void differentiate_row_rates(const Mechanism<D>& m, std::span<const int> groups, const S* v, const MechanismState<D>& state,
                             DirectionalDerivative<D, S>& change, int direction = 0);
template <int D, class S>
void differentiate_row_accelerations(const Mechanism<D>& m, std::span<const int> groups, const S* a, const MechanismState<D>& state,
                                     DirectionalDerivative<D, S>& change, int direction = 0);

/// W of every node, after inverse_dynamics(with_inertia), for pushes of the ports and multipliers of the constraints.
template <int D, class S>
void sum_forces(const Mechanism<D>& m, const double* push, const double* multipliers, const MechanismState<D>& state,
                DirectionalDerivative<D, S>& change);

/// dr (overwritten) of r = M a - Q - push s_k + Phi_q^T multipliers for the motion swept, at constant pushes and multipliers as in
/// sum_forces; theta and v' of all coordinates. Also the change of the ports' s and sdot.
template <int D, class S>
void differentiate_residual(const Mechanism<D>& m, const S* theta, const S* v, const double* push, const double* multipliers,
                            const MechanismState<D>& state, DirectionalDerivative<D, S>& change, S* dr);

}  // namespace trunnion
