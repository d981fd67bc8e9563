// Connection of an actuator to the mechanism: along the line between two points, or at an angle of a joint.
//   line    s = |r_Q - r_P|                                             line.h
//   angle   s = q_k,  sdot = c . (w_B - w_A),  s_k = 1,  s_kl = 0       c the axis, fixed in both bodies of the joint's part
// Oil reads s and sdot and applies a force or torque F with the power F sdot.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mechanics/line.h"

namespace trunnion {

/// A line, or an angle between its two nodes.
template <int D>
struct Port : Line<D> {
  int q = -1;  // the angle's coordinate, the only velocity on the path; -1: along the line
  bool is_rotary() const { return q >= 0; }
};

/// Position stage: s and its gradients.
template <int D, class S>
TR_INLINE void update_port(const Port<D>& port, const PathDof* path, const TreeState<D, S>& tree, const S* q, LineState<D, S>& s,
                           LineDof<D, S>* dofs) {
  if (!port.is_rotary()) return update_line(port, path, tree, s, dofs);
  s.r_P = s.r_Q = s.u = Vec<D, S>::Zero();
  s.length = q[port.q];
  dofs[0] = {Vec<D, S>::Zero(), Vec<D, S>::Zero(), S(1), S(1), S(0)};
}

/// The axis of an angle.
template <int D, class S>
TR_INLINE const Angular<D, S>& port_axis(const Port<D>& port, const PathDof* path, const TreeState<D, S>& tree) {
  return tree.dofs[path[port.path.begin].dof].b.angular;
}

/// Velocity stage: sdot.
template <int D, class S>
TR_INLINE void update_port_rate(const Port<D>& port, const PathDof* path, const TreeState<D, S>& tree, LineState<D, S>& s) {
  if (!port.is_rotary()) return update_line_rate(port, tree, s);
  s.d_dot = Vec<D, S>::Zero();
  s.rate = dot(port_axis(port, path, tree), Angular<D, S>(tree.nodes[port.node_B].V.angular - tree.nodes[port.node_A].V.angular));
}

/// Velocity stage: change of sdot per position increment; that of an angle is zero.
template <int D>
TR_INLINE void update_port_rate_gradient(const Port<D>& port, const PathDof* path, const TreeState<D>& tree, const LineState<D>& s,
                                         LineDof<D>* dofs) {
  if (!port.is_rotary()) update_line_rate_gradient(port, path, tree, s, dofs);
}

/// sddot for the accelerations in the tree state.
template <int D>
TR_INLINE double port_acceleration(const Port<D>& port, const PathDof* path, const TreeState<D>& tree, const LineState<D>& s) {
  if (!port.is_rotary()) return line_acceleration(port, tree, s);
  return dot(port_axis(port, path, tree), Angular<D>(tree.nodes[port.node_B].A.angular - tree.nodes[port.node_A].A.angular));
}

}  // namespace trunnion
