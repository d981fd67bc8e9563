// Directional derivatives of a motion and of its forces.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/directional_derivative.h"

#include "mechanics/mechanism.inl.h"
#include "mechanics/wrench.h"

namespace trunnion {

namespace {

using Varied = Dual<1>;  // a value and its change

TR_INLINE Varied varied(double value, double change) {
  Varied x(value);
  x.d[0] = change;
  return x;
}
template <int D>
TR_INLINE Eigen::Matrix<Varied, D, 1> varied(const Eigen::Matrix<double, D, 1>& value, const Eigen::Matrix<double, D, 1>& change) {
  Eigen::Matrix<Varied, D, 1> x;
  for (int i = 0; i < D; ++i) x[i] = varied(value[i], change[i]);
  return x;
}
template <int D>
TR_INLINE Motion<D, Varied> varied(const Motion<D>& value, const Motion<D>& change) {
  return {varied(value.angular, change.angular), varied(value.linear, change.linear)};
}

/// Point and axes of a rolling contact or blade as moved by its two bodies.
template <int D>
void differentiate_contact(const ConstraintGroup<D>& g, const ConstraintState<D>& s, const Motion<D>& X_A, const Motion<D>& X_B,
                           ConstraintState<D, Varied>& out) {
  const RowFrameChange<D, double> d = row_frame_change<D, double>(g, s, X_A, X_B);
  out.line.r_Q = varied<D>(s.line.r_Q, d.point);
  for (int i = 0; i < g.rows.size(); ++i) out.axes[i] = varied<D>(s.axes[i], d.axes[i]);
  if (g.type == ConstraintType::blade) return;
  out.line.u = varied<D>(s.line.u, cross(X_B.angular, s.line.u));
  const Varied c = out.axes[0].dot(out.line.u);
  out.line.length = sqrt(1.0 - c * c);
}

/// Points and axes of any group.
template <int D>
TR_INLINE void differentiate_rows(const ConstraintGroup<D>& g, const ConstraintState<D>& s, const Motion<D>& X_A, const Motion<D>& X_B,
                                  ConstraintState<D, Varied>& out) {
  if (g.type == ConstraintType::direction) {
    out.axes[0] = varied<D>(s.axes[0], cross(X_A.angular, s.axes[0]));
    out.axes[1] = varied<D>(s.axes[1], cross(X_B.angular, s.axes[1]));
    return;
  }
  if (g.type == ConstraintType::wheel || g.type == ConstraintType::blade) return differentiate_contact(g, s, X_A, X_B, out);
  out.line.r_Q = varied<D>(s.line.r_Q, X_B.at(s.line.r_Q));
  if (g.type == ConstraintType::point) {
    for (int i = 0; i < g.rows.size(); ++i) out.axes[i] = varied<D>(s.axes[i], cross(X_A.angular, s.axes[i]));
    return;
  }
  out.line.r_P = varied<D>(s.line.r_P, X_A.at(s.line.r_P));
  const Vec<D, Varied> d = out.line.r_Q - out.line.r_P;
  out.line.length = sqrt(d.squaredNorm() + g.line.depth * g.line.depth);
  out.line.u = d / out.line.length;
}

/// One of the directions of a motion.
template <int D, class S>
TR_INLINE decltype(auto) lane_of(int direction, const Motion<D, S>& x) {
  if constexpr (std::is_same_v<S, double>) {
    return static_cast<const Motion<D>&>(x);
  } else {
    Motion<D> y = Motion<D>::zero();
    for (int k = 0; k < D; ++k) y.linear[k] = lane(x.linear[k], direction);
    if constexpr (D == 2)
      y.angular = lane(x.angular, direction);
    else
      for (int k = 0; k < D; ++k) y.angular[k] = lane(x.angular[k], direction);
    return y;
  }
}

template <int D>
TR_INLINE Motion<D, Varied> varied_velocity(const NodeState<D>& n, const Motion<D>& X, const Motion<D>& Y) {
  return varied<D>(n.V, cross(X, n.V) + Y);
}
template <int D>
TR_INLINE Motion<D, Varied> varied_acceleration(const NodeState<D>& n, const Motion<D>& X, const Motion<D>& Y, const Motion<D>& Z) {
  return varied<D>(n.A, cross(X, n.A) + cross(Y, n.V) + Z);
}

/// Change of rows that are coordinates: v or a of the path's first, minus ratio times that of its second.
template <int D, class S>
TR_INLINE bool differentiate_coordinate_row(const Mechanism<D>& m, const ConstraintGroup<D>& g, const S* rate, int direction, double& out) {
  if (!g.of_coordinates()) return false;
  out = rate == nullptr ? 0 : lane(rate[m.paths[g.path.begin].dof], direction);
  if (rate != nullptr && g.type != ConstraintType::coordinate) out -= g.ratio * lane(rate[m.paths[g.path.begin + 1].dof], direction);
  return true;
}

/// Frame of a rolling contact or blade as moved by its two bodies, per direction.
template <int D, class S>
RowFrameChange<D, S> differentiate_frame(const ConstraintGroup<D>& g, const ConstraintState<D>& s, const Motion<D, S>& X_A,
                                         const Motion<D, S>& X_B) {
  if constexpr (std::is_same_v<S, double>) {
    return row_frame_change<D, double>(g, s, X_A, X_B);
  } else {
    RowFrameChange<D, S> change;
    for (int i = 0; i < kLanes<S>; ++i) {
      const RowFrameChange<D, double> d = row_frame_change<D, double>(g, s, lane_of(i, X_A), lane_of(i, X_B));
      for (int k = 0; k < D; ++k) {
        set_lane(change.point[k], i, d.point[k]);
        for (int row = 0; row < g.rows.size(); ++row) set_lane(change.axes[row][k], i, d.axes[row][k]);
      }
    }
    return change;
  }
}

/// Change of a force at r_Q, a point of B, whose direction is fixed in A: as B sees it, and the opposite as A does.
template <int D, class S>
TR_INLINE void differentiate_force_of_A(const Vec<D>& r_Q, const Vec<D>& force, NodeVariation<D, S>& A, NodeVariation<D, S>& B) {
  const Vec<D, S>&f = spread<S>(force), &point = spread<S>(r_Q);
  const Force<D, S> dF = at_point<D, S>(point, cross(Angular<D, S>(A.X.angular - B.X.angular), f));
  B.F += dF;
  A.F -= dF + cross(B.X - A.X, at_point<D, S>(point, f));
}

/// Displacement or angle of a cut joint: its changes, and those of the forces of its push.
template <int D, class S>
LineDerivative<S> differentiate_cut_joint(const Port<D>& port, const LineState<D>& s, double push, const MechanismState<D>& state,
                                          std::vector<NodeVariation<D, S>>& nodes) {
  NodeVariation<D, S>&A = nodes[port.node_A], &B = nodes[port.node_B];
  const Motion<D>&V_A = state.tree.nodes[port.node_A].V, &V_B = state.tree.nodes[port.node_B].V;
  const Motion<D, S> X = B.X - A.X;
  LineDerivative<S> out;
  if (port.kind == PortKind::displacement) {
    const Vec<D, S>&r_Q = spread<S>(s.r_Q), &u = spread<S>(s.u);
    const Vec<D> v_Q = V_B.at(s.r_Q), v_A = V_A.at(s.r_Q);
    out.s = u.dot(X.at(r_Q));
    // r_Q moves with B
    const Vec<D, S> dv_Q = cross(B.X.angular, spread<S>(v_Q)) + B.Y.at(r_Q),
                    dv_A = cross(A.X.angular, spread<S>(v_A)) + A.Y.at(r_Q) + cross(spread<S>(V_A.angular), Vec<D, S>(X.at(r_Q)));
    out.s_dot = cross(A.X.angular, u).dot(spread<S>(s.d_dot)) + u.dot(dv_Q - dv_A);
    differentiate_force_of_A<D, S>(s.r_Q, s.u * -push, A, B);
    return out;
  }
  if constexpr (D == 2) {
    out.s = X.angular * S(port.turn);
    out.s_dot = (B.Y.angular - A.Y.angular) * S(port.turn);
  } else {
    const NodeState<3>&at_A = state.tree.nodes[port.node_A], &at_B = state.tree.nodes[port.node_B];
    const JointAngleState<S> at = JointAngleState<>::at(port.angle, at_A.R, at_B.R).template cast<S>();
    const Vec<3, S>&g = spread<S>(s.u), &w_A = spread<S>(V_A.angular), &w_B = spread<S>(V_B.angular);
    const Vec<3, S> dg = at.gradient_change(A.X.angular, B.X.angular);
    out.s = g.dot(X.angular);
    out.s_dot = dg.dot(w_B - w_A) + g.dot(B.X.angular.cross(w_B) + B.Y.angular - A.X.angular.cross(w_A) - A.Y.angular);
    const S F(push);
    B.F.moment -= (dg - B.X.angular.cross(g)) * F;
    A.F.moment += (dg - A.X.angular.cross(g)) * F;
  }
  return out;
}

/// Change of the wrenches of rows: a point's force rotates with A and moves with r_Q; that of a contact moves with the contact; a
/// direction's torque follows both axes.
template <int D, class S>
TR_INLINE void differentiate_row_forces(const ConstraintGroup<D>& g, const ConstraintState<D>& s, const double* multipliers,
                                        const MechanismState<D>& state, std::vector<NodeVariation<D, S>>& nodes) {
  NodeVariation<D, S>&A = nodes[g.line.node_A], &B = nodes[g.line.node_B];
  switch (g.type) {
    case ConstraintType::point: {
      differentiate_force_of_A<D, S>(s.line.r_Q, point_force(g, s, multipliers), A, B);
      break;
    }
    case ConstraintType::direction: {
      const Angular<D, S> turn = B.X.angular - A.X.angular;
      const Vec<D, S>&a = spread<S>(s.axes[0]), &b = spread<S>(s.axes[1]);
      B.F.moment -= moment(b, cross(turn, a)) * S(multipliers[0]);
      A.F.moment -= moment(cross(turn, b), a) * S(multipliers[0]);
      break;
    }
    case ConstraintType::distance: {
      Vec<D, S> du;
      differentiate_line(g.line, s.line, state.tree, nodes, du);
      differentiate_tension(g.line, s.line, multipliers[0], S(0), du, nodes);
      break;
    }
    case ConstraintType::wheel:
    case ConstraintType::blade: {
      const Vec<D> force = point_force(g, s, multipliers);
      const Vec<D, S>&f = spread<S>(force), &r_Q = spread<S>(s.line.r_Q);
      const RowFrameChange<D, S> d = differentiate_frame<D, S>(g, s, A.X, B.X);
      Vec<D, S> df = d.axes[0] * S(multipliers[0]);
      for (int i = 1; i < g.rows.size(); ++i) df += d.axes[i] * S(multipliers[i]);
      const Force<D, S> W = at_point<D, S>(r_Q, f);
      Force<D, S> dW = at_point<D, S>(r_Q, df);
      dW.moment += moment(d.point, f);
      B.F += dW - cross(B.X, W);
      A.F -= dW - cross(A.X, W);
      break;
    }
    case ConstraintType::coordinate:
    case ConstraintType::coupling:
    case ConstraintType::velocity_coupling:
      break;
  }
}

}  // namespace

template <int D, class S>
TR_FLATTEN void differentiate_places(const Mechanism<D>& m, const S* theta, const MechanismState<D>& state,
                                     DirectionalDerivative<D, S>& change) {
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    const NodeState<D>& s = state.tree.nodes[j];
    const NodeVariation<D, S>& p = change.nodes[n.parent];
    NodeVariation<D, S>& out = change.nodes[j];
    out.x = out.y = out.z = Motion<D, S>::zero();
    for (int i = n.v; i < n.v + n.dofs; ++i) {
      const DofState<D>& c = state.tree.dofs[i];
      const Motion<D> u = n.dofs == 1 ? c.w : cross(s.V, c.b_q), w = cross(s.A, c.b_q) - cross(u, s.V);
      out.x += spread<S>(c.b_q) * theta[i];
      out.y += spread<S>(u) * theta[i];
      out.z += spread<S>(w) * theta[i];
    }
    out.X = p.X + out.x;
    out.Y = p.Y + out.y;
    out.Z = p.Z + out.z;
  }
}

template <int D, class S>
TR_FLATTEN void differentiate_velocities(const Mechanism<D>& m, const S* v, const MechanismState<D>& state,
                                         DirectionalDerivative<D, S>& change) {
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    const NodeVariation<D, S>& p = change.nodes[n.parent];
    NodeVariation<D, S>& out = change.nodes[j];
    for (int i = n.v; i < n.v + n.dofs; ++i) {
      const DofState<D>& c = state.tree.dofs[i];
      const Motion<D> w = n.dofs == 1 ? c.w * 2.0 : c.w + cross(state.tree.nodes[j].V, c.b);
      out.y += spread<S>(c.b) * v[i];
      out.z += spread<S>(w) * v[i];
    }
    out.Y = p.Y + out.y;
    out.Z = p.Z + out.z;
  }
}

template <int D, class S>
TR_FLATTEN void differentiate_accelerations(const Mechanism<D>& m, const S* a, const MechanismState<D>& state,
                                            DirectionalDerivative<D, S>& change) {
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    NodeVariation<D, S>& out = change.nodes[j];
    for (int i = n.v; i < n.v + n.dofs; ++i) out.z += spread<S>(state.tree.dofs[i].b) * a[i];
    out.Z = change.nodes[n.parent].Z + out.z;
  }
}

template <int D, class S>
TR_FLATTEN void differentiate_row_rates(const Mechanism<D>& m, std::span<const int> groups, const S* v, const MechanismState<D>& state,
                                        DirectionalDerivative<D, S>& change, int direction) {
  ConstraintState<D, Varied> rows;
  Varied Phi_dot[3];
  for (int i : groups) {
    const ConstraintGroup<D>& g = m.constraints[i];
    if (differentiate_coordinate_row(m, g, v, direction, change.Phi_dot[g.rows.begin])) continue;
    const NodeState<D>&A = state.tree.nodes[g.line.node_A], &B = state.tree.nodes[g.line.node_B];
    const NodeVariation<D, S>&dA = change.nodes[g.line.node_A], &dB = change.nodes[g.line.node_B];
    const Motion<D>&X_A = lane_of(direction, dA.X), &X_B = lane_of(direction, dB.X);
    differentiate_rows(g, state.constraints[i], X_A, X_B, rows);
    row_rates<D, Varied>(g, varied_velocity(A, X_A, lane_of(direction, dA.Y)), varied_velocity(B, X_B, lane_of(direction, dB.Y)), rows,
                         Phi_dot);
    for (int k = 0; k < g.rows.size(); ++k) change.Phi_dot[g.rows.begin + k] = Phi_dot[k].d[0];
  }
}

template <int D, class S>
TR_FLATTEN void differentiate_row_accelerations(const Mechanism<D>& m, std::span<const int> groups, const S* a,
                                                const MechanismState<D>& state, DirectionalDerivative<D, S>& change, int direction) {
  ConstraintState<D, Varied> rows;
  Varied Phi_ddot[3];
  for (int i : groups) {
    const ConstraintGroup<D>& g = m.constraints[i];
    if (differentiate_coordinate_row(m, g, a, direction, change.Phi_ddot[g.rows.begin])) continue;
    const NodeState<D>&A = state.tree.nodes[g.line.node_A], &B = state.tree.nodes[g.line.node_B];
    const NodeVariation<D, S>&dA = change.nodes[g.line.node_A], &dB = change.nodes[g.line.node_B];
    const Motion<D>&X_A = lane_of(direction, dA.X), &Y_A = lane_of(direction, dA.Y), &Z_A = lane_of(direction, dA.Z);
    const Motion<D>&X_B = lane_of(direction, dB.X), &Y_B = lane_of(direction, dB.Y), &Z_B = lane_of(direction, dB.Z);
    differentiate_rows(g, state.constraints[i], X_A, X_B, rows);
    row_accelerations<D, Varied>(g, varied_velocity(A, X_A, Y_A), varied_acceleration(A, X_A, Y_A, Z_A), varied_velocity(B, X_B, Y_B),
                                 varied_acceleration(B, X_B, Y_B, Z_B), rows, Phi_ddot);
    for (int k = 0; k < g.rows.size(); ++k) change.Phi_ddot[g.rows.begin + k] = Phi_ddot[k].d[0];
  }
}

template <int D, class S>
TR_FLATTEN void sum_forces(const Mechanism<D>& m, const double* push, const double* multipliers, const MechanismState<D>& state,
                           DirectionalDerivative<D, S>& change) {
  std::vector<Force<D>>& W = change.W;
  std::fill(W.begin(), W.end(), Force<D>::zero());
  // a push on a coordinate of the tree acts within its joint: the joint's own load, which no motion changes
  for (std::size_t i = 0; i < m.ports.size(); ++i) subtract_push<D, double>(m.ports[i], state.ports[i], push[i], W.data());
  for_each_applied(m, state, [&](const auto& element, const auto& at) {
    if constexpr (!kOnCoordinate<decltype(element)>)
      if (!moves_with_body(element)) for_each_wrench(element, at, state.tree, [&](int node, const Force<D>& w) { W[node] -= w; });
  });
  for (std::size_t i = 0; i < m.constraints.size(); ++i)
    add_row_wrenches(m.constraints[i], state.constraints[i], multipliers + m.constraints[i].rows.begin, W.data());
  for (std::size_t j = W.size() - 1; j > 0; --j) {
    W[m.tree.nodes[j].parent] += W[j];
    W[j] += state.tree.nodes[j].F;  // of the whole subtree already
  }
}

template <int D, class S>
TR_FLATTEN void differentiate_residual(const Mechanism<D>& m, const S* theta, const S* v, const double* push, const double* multipliers,
                                       const MechanismState<D>& state, DirectionalDerivative<D, S>& change, S* dr) {
  std::vector<NodeVariation<D, S>>& nodes = change.nodes;
  for (auto& n : nodes) n.F = Force<D, S>::zero();
  Vec<D, S> du;
  for (std::size_t i = 0; i < m.ports.size(); ++i) {
    const Port<D>& port = m.ports[i];
    if (port.is_coordinate()) {
      const int k = m.paths[port.path.begin].dof;
      change.s[i] = theta[k];
      change.s_dot[i] = v[k];
      continue;
    }
    if (port.is_load()) {
      change.s[i] = change.s_dot[i] = S(0);  // no force depends on them
      if (port.kind == PortKind::soil)
        differentiate_soil(port.soil, push[i], state.tree, nodes);
      else if (!port.load.in_body)
        differentiate_ground_load(load_of(port, state.ports[i], push[i]), nodes[port.node_B]);
      continue;
    }
    if (port.kind != PortKind::line) {
      const LineDerivative<S> joint = differentiate_cut_joint(port, state.ports[i], push[i], state, nodes);
      change.s[i] = joint.s;
      change.s_dot[i] = joint.s_dot;
      continue;
    }
    const LineDerivative<S> line = differentiate_line(port, state.ports[i], state.tree, nodes, du);
    change.s[i] = line.s;
    change.s_dot[i] = line.s_dot;
    differentiate_tension(port, state.ports[i], -push[i], S(0), du, nodes);
  }
  for_each_applied(m, state, [&](const auto& element, const auto& at) {
    if constexpr (!kOnCoordinate<decltype(element)>) differentiate(element, at, state.tree, nodes);
  });
  for (std::size_t i = 0; i < m.constraints.size(); ++i)
    differentiate_row_forces(m.constraints[i], state.constraints[i], multipliers + m.constraints[i].rows.begin, state, nodes);
  // I and B of a node are those of its subtree: its own and earlier coordinates act on all of it, the effect of later ones
  // is propagated as F
  for (std::size_t j = nodes.size() - 1; j > 0; --j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    const NodeVariation<D, S>& c = nodes[j];
    const Inertia<D, S>& I = spread<S>(state.tree.nodes[j].I);
    const Coriolis<D, S>& B = spread<S>(state.tree.nodes[j].B);
    const Force<D, S> carried = n.parent == 0 && n.dofs == 1 ? c.F : c.F + cross(c.x, spread<S>(change.W[j]));  // b . (b x* W) = 0
    const Force<D, S> f = I * c.Z + B * c.Y + carried;
    for (int i = n.v; i < n.v + n.dofs; ++i) dr[i] = dot(spread<S>(state.tree.dofs[i].b), f);
    if (n.parent != 0) nodes[n.parent].F += carried + I * c.z + B * c.y;
  }
  for_each_applied(m, state, [&](const auto& element, const auto&) {
    if constexpr (kOnCoordinate<decltype(element)>) dr[element.v] -= coordinate_load_change(element, theta, v);
  });
}

#define TR_INSTANTIATE(D, S)                                                                                                              \
  template void differentiate_places<D, S>(const Mechanism<D>&, const S*, const MechanismState<D>&, DirectionalDerivative<D, S>&);        \
  template void differentiate_velocities<D, S>(const Mechanism<D>&, const S*, const MechanismState<D>&, DirectionalDerivative<D, S>&);    \
  template void differentiate_accelerations<D, S>(const Mechanism<D>&, const S*, const MechanismState<D>&, DirectionalDerivative<D, S>&); \
  template void differentiate_row_rates<D, S>(const Mechanism<D>&, std::span<const int>, const S*, const MechanismState<D>&,              \
                                              DirectionalDerivative<D, S>&, int);                                                         \
  template void differentiate_row_accelerations<D, S>(const Mechanism<D>&, std::span<const int>, const S*, const MechanismState<D>&,      \
                                                      DirectionalDerivative<D, S>&, int);                                                 \
  template void sum_forces<D, S>(const Mechanism<D>&, const double*, const double*, const MechanismState<D>&,                             \
                                 DirectionalDerivative<D, S>&);                                                                           \
  template void differentiate_residual<D, S>(const Mechanism<D>&, const S*, const S*, const double*, const double*,                       \
                                             const MechanismState<D>&, DirectionalDerivative<D, S>&, S*);
TR_INSTANTIATE(2, double)
TR_INSTANTIATE(3, double)
TR_INSTANTIATE(2, Pack<4>)
TR_INSTANTIATE(3, Pack<4>)

}  // namespace trunnion
