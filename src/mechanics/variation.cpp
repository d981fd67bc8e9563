// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/variation.h"

#include "mechanics/mechanism.inl.h"

namespace trunnion {

namespace {

using S = Dual<1>;

TR_INLINE S varied(double value, double change) {
  S x(value);
  x.d[0] = change;
  return x;
}
template <int D>
TR_INLINE Eigen::Matrix<S, D, 1> varied(const Eigen::Matrix<double, D, 1>& value, const Eigen::Matrix<double, D, 1>& change) {
  Eigen::Matrix<S, D, 1> x;
  for (int i = 0; i < D; ++i) x[i] = varied(value[i], change[i]);
  return x;
}
template <int D>
TR_INLINE Motion<D, S> varied(const Motion<D>& value, const Motion<D>& change) {
  return {varied(value.angular, change.angular), varied(value.linear, change.linear)};
}

/// Point and axes of a rolling contact or blade as its two bodies carry them along.
template <int D>
void vary_contact(const ConstraintGroup<D>& g, const ConstraintState<D>& s, const Motion<D>& X_A, const Motion<D>& X_B,
                  ConstraintState<D, S>& out) {
  const RowFrameChange<D, double> d = row_frame_change<D, double>(g, s, X_A, X_B);
  out.line.r_Q = varied<D>(s.line.r_Q, d.point);
  for (int i = 0; i < g.rows.size(); ++i) out.axes[i] = varied<D>(s.axes[i], d.axes[i]);
  if (g.type == ConstraintType::blade) return;
  out.line.u = varied<D>(s.line.u, cross(X_B.angular, s.line.u));
  const S c = out.axes[0].dot(out.line.u);
  out.line.length = sqrt(1.0 - c * c);
}

/// Points and axes of any group.
template <int D>
TR_INLINE void vary_rows(const ConstraintGroup<D>& g, const ConstraintState<D>& s, const Motion<D>& X_A, const Motion<D>& X_B,
                         ConstraintState<D, S>& out) {
  if (g.type == ConstraintType::direction) {
    out.axes[0] = varied<D>(s.axes[0], cross(X_A.angular, s.axes[0]));
    out.axes[1] = varied<D>(s.axes[1], cross(X_B.angular, s.axes[1]));
    return;
  }
  if (g.type == ConstraintType::wheel || g.type == ConstraintType::blade) return vary_contact(g, s, X_A, X_B, out);
  out.line.r_Q = varied<D>(s.line.r_Q, X_B.at(s.line.r_Q));
  if (g.type == ConstraintType::point) {
    for (int i = 0; i < g.rows.size(); ++i) out.axes[i] = varied<D>(s.axes[i], cross(X_A.angular, s.axes[i]));
    return;
  }
  out.line.r_P = varied<D>(s.line.r_P, X_A.at(s.line.r_P));
  const Vec<D, S> d = out.line.r_Q - out.line.r_P;
  out.line.length = sqrt(d.squaredNorm() + g.line.depth * g.line.depth);
  out.line.u = d / out.line.length;
}

template <int D>
TR_INLINE Motion<D, S> varied_velocity(const NodeState<D>& n, const NodeVariation<D>& c) {
  return varied<D>(n.V, cross(c.X, n.V) + c.Y);
}
template <int D>
TR_INLINE Motion<D, S> varied_acceleration(const NodeState<D>& n, const NodeVariation<D>& c) {
  return varied<D>(n.A, cross(c.X, n.A) + cross(c.Y, n.V) + c.Z);
}

/// Change of rows that are coordinates: v or a of the path's first, minus ratio times that of its second.
template <int D>
TR_INLINE bool vary_coordinate_row(const Mechanism<D>& m, const ConstraintGroup<D>& g, const double* rate, double& out) {
  if (!g.of_coordinates()) return false;
  out = rate == nullptr ? 0 : rate[m.paths[g.path.begin].dof];
  if (rate != nullptr && g.type != ConstraintType::coordinate) out -= g.ratio * rate[m.paths[g.path.begin + 1].dof];
  return true;
}

/// A force f at point r.
template <int D>
TR_INLINE Force<D> at_point(const Vec<D>& r, const Vec<D>& f) {
  return {moment(r, f), f};
}

/// What a pull `tension` along a line does to its two bodies: its forces, and the changes of length and rate.
struct LineVariation {
  double s = 0, s_dot = 0;
};
template <int D>
TR_INLINE LineVariation vary_line(const Line<D>& line, const LineState<D>& s, const MechanismState<D>& state,
                                  const std::vector<NodeVariation<D>>& nodes, Vec<D>& du) {
  const NodeVariation<D>&A = nodes[line.node_A], &B = nodes[line.node_B];
  const Vec<D> dd = B.X.at(s.r_Q) - A.X.at(s.r_P);
  LineVariation out;
  out.s = s.u.dot(dd);
  du = (dd - s.u * out.s) / s.length;
  // points move with their bodies, d(v_Q) = omega_X x v_Q + Y(r_Q)
  const Vec<D> v_Q = state.tree.nodes[line.node_B].V.at(s.r_Q), v_P = state.tree.nodes[line.node_A].V.at(s.r_P);
  out.s_dot = du.dot(s.d_dot) + s.u.dot(cross(B.X.angular, v_Q) + B.Y.at(s.r_Q) - cross(A.X.angular, v_P) - A.Y.at(s.r_P));
  return out;
}
/// d(tension u) at both ends, as their bodies see it.
template <int D>
TR_INLINE void vary_tension(const Line<D>& line, const LineState<D>& s, double tension, double d_tension, const Vec<D>& du,
                            std::vector<NodeVariation<D>>& nodes) {
  NodeVariation<D>&A = nodes[line.node_A], &B = nodes[line.node_B];
  const Vec<D> f = s.u * tension, df = du * tension + s.u * d_tension;
  B.F += at_point<D>(s.r_Q, df - cross(B.X.angular, f));
  A.F -= at_point<D>(s.r_P, df - cross(A.X.angular, f));
}
template <int D>
TR_INLINE void add_tension(const Line<D>& line, const LineState<D>& s, double tension, std::vector<NodeVariation<D>>& nodes) {
  const Vec<D> f = s.u * tension;
  nodes[line.node_B].W += at_point<D>(s.r_Q, f);
  nodes[line.node_A].W -= at_point<D>(s.r_P, f);
}

/// Where a load acts, and its forces if it is fixed in the ground.
template <int D>
TR_INLINE Vec<D> load_point(const BodyLoad<D>& load, const NodeState<D>& node) {
  return node.r + node.R * load.r_BP;
}
template <int D>
TR_INLINE Force<D> ground_wrench(const BodyLoad<D>& load, double factor, const NodeState<D>& node) {
  Force<D> wrench = at_point<D>(load_point(load, node), load.force * factor);
  wrench.moment += load.torque * factor;
  return wrench;
}

/// Sum of the rows of a point or contact: one force on B at r_Q.
template <int D>
TR_INLINE Vec<D> point_force(const ConstraintGroup<D>& g, const ConstraintState<D>& s, const double* multipliers) {
  Vec<D> f = s.axes[0] * multipliers[0];
  for (int i = 1; i < g.rows.size(); ++i) f += s.axes[i] * multipliers[i];
  return f;
}

/// A constraint's forces on its two bodies are opposite, W on B and -W on A.
template <int D>
TR_INLINE void add_row_forces(const ConstraintGroup<D>& g, const ConstraintState<D>& s, const double* multipliers,
                              std::vector<NodeVariation<D>>& nodes) {
  switch (g.type) {
    case ConstraintType::point:
    case ConstraintType::wheel:
    case ConstraintType::blade: {
      const Force<D> W = at_point<D>(s.line.r_Q, point_force(g, s, multipliers));
      nodes[g.line.node_B].W += W;
      nodes[g.line.node_A].W -= W;
      break;
    }
    case ConstraintType::direction: {  // a . (omega x b) = omega . (b x a)
      const Angular<D> torque = moment(s.axes[1], s.axes[0]) * multipliers[0];
      nodes[g.line.node_B].W.moment += torque;
      nodes[g.line.node_A].W.moment -= torque;
      break;
    }
    case ConstraintType::distance:
      add_tension(g.line, s.line, multipliers[0], nodes);
      break;
    case ConstraintType::coordinate:
    case ConstraintType::coupling:
    case ConstraintType::velocity_coupling:
      break;
  }
}

/// Their change: a point's force turns with A and moves with r_Q; that of a contact as the contact does; a direction's torque follows
/// both axes.
template <int D>
TR_INLINE void vary_row_forces(const ConstraintGroup<D>& g, const ConstraintState<D>& s, const double* multipliers,
                               const MechanismState<D>& state, std::vector<NodeVariation<D>>& nodes) {
  NodeVariation<D>&A = nodes[g.line.node_A], &B = nodes[g.line.node_B];
  switch (g.type) {
    case ConstraintType::point: {
      const Vec<D> f = point_force(g, s, multipliers);
      const Force<D> dF = at_point<D>(s.line.r_Q, cross(Angular<D>(A.X.angular - B.X.angular), f));
      B.F += dF;
      A.F -= dF + cross(B.X - A.X, at_point<D>(s.line.r_Q, f));
      break;
    }
    case ConstraintType::direction: {
      const Angular<D> turn = B.X.angular - A.X.angular;
      B.F.moment -= moment(s.axes[1], cross(turn, s.axes[0])) * multipliers[0];
      A.F.moment -= moment(cross(turn, s.axes[1]), s.axes[0]) * multipliers[0];
      break;
    }
    case ConstraintType::distance: {
      Vec<D> du;
      vary_line(g.line, s.line, state, nodes, du);
      vary_tension(g.line, s.line, multipliers[0], 0, du, nodes);
      break;
    }
    case ConstraintType::wheel:
    case ConstraintType::blade: {
      const Vec<D> f = point_force(g, s, multipliers);
      const RowFrameChange<D, double> d = row_frame_change<D, double>(g, s, A.X, B.X);
      Vec<D> df = d.axes[0] * multipliers[0];
      for (int i = 1; i < g.rows.size(); ++i) df += d.axes[i] * multipliers[i];
      const Force<D> W = at_point<D>(s.line.r_Q, f);
      Force<D> dW = at_point<D>(s.line.r_Q, df);
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

template <int D>
void vary_places(const Mechanism<D>& m, const double* theta, const MechanismState<D>& state, Variation<D>& change) {
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    const NodeState<D>& s = state.tree.nodes[j];
    const NodeVariation<D>& p = change.nodes[n.parent];
    NodeVariation<D>& out = change.nodes[j];
    out.x = out.y = out.z = Motion<D>::zero();
    for (int i = n.v; i < n.v + n.dofs; ++i) {
      const DofState<D>& c = state.tree.dofs[i];
      const Motion<D> u = n.dofs == 1 ? c.w : cross(s.V, c.b_q);
      out.x += c.b_q * theta[i];
      out.y += u * theta[i];
      out.z += (cross(s.A, c.b_q) - cross(u, s.V)) * theta[i];
    }
    out.X = p.X + out.x;
    out.Y = p.Y + out.y;
    out.Z = p.Z + out.z;
  }
}

template <int D>
void vary_velocities(const Mechanism<D>& m, const double* v, const MechanismState<D>& state, Variation<D>& change) {
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    const NodeVariation<D>& p = change.nodes[n.parent];
    NodeVariation<D>& out = change.nodes[j];
    for (int i = n.v; i < n.v + n.dofs; ++i) {
      const DofState<D>& c = state.tree.dofs[i];
      out.y += c.b * v[i];
      out.z += (n.dofs == 1 ? c.w * 2.0 : c.w + cross(state.tree.nodes[j].V, c.b)) * v[i];
    }
    out.Y = p.Y + out.y;
    out.Z = p.Z + out.z;
  }
}

template <int D>
void vary_accelerations(const Mechanism<D>& m, const double* a, const MechanismState<D>& state, Variation<D>& change) {
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    NodeVariation<D>& out = change.nodes[j];
    for (int i = n.v; i < n.v + n.dofs; ++i) out.z += state.tree.dofs[i].b * a[i];
    out.Z = change.nodes[n.parent].Z + out.z;
  }
}

template <int D>
void vary_row_rates(const Mechanism<D>& m, std::span<const int> groups, const double* v, const MechanismState<D>& state,
                    Variation<D>& change) {
  ConstraintState<D, S> rows;
  S Phi_dot[3];
  for (int i : groups) {
    const ConstraintGroup<D>& g = m.constraints[i];
    if (vary_coordinate_row(m, g, v, change.Phi_dot[g.rows.begin])) continue;
    const int A = g.line.node_A, B = g.line.node_B;
    vary_rows(g, state.constraints[i], change.nodes[A].X, change.nodes[B].X, rows);
    row_rates<D, S>(g, varied_velocity(state.tree.nodes[A], change.nodes[A]), varied_velocity(state.tree.nodes[B], change.nodes[B]), rows,
                    Phi_dot);
    for (int k = 0; k < g.rows.size(); ++k) change.Phi_dot[g.rows.begin + k] = Phi_dot[k].d[0];
  }
}

template <int D>
void vary_row_accelerations(const Mechanism<D>& m, std::span<const int> groups, const double* a, const MechanismState<D>& state,
                            Variation<D>& change) {
  ConstraintState<D, S> rows;
  S Phi_ddot[3];
  for (int i : groups) {
    const ConstraintGroup<D>& g = m.constraints[i];
    if (vary_coordinate_row(m, g, a, change.Phi_ddot[g.rows.begin])) continue;
    const NodeState<D>&A = state.tree.nodes[g.line.node_A], &B = state.tree.nodes[g.line.node_B];
    const NodeVariation<D>&dA = change.nodes[g.line.node_A], &dB = change.nodes[g.line.node_B];
    vary_rows(g, state.constraints[i], dA.X, dB.X, rows);
    row_accelerations<D, S>(g, varied_velocity(A, dA), varied_acceleration(A, dA), varied_velocity(B, dB), varied_acceleration(B, dB), rows,
                            Phi_ddot);
    for (int k = 0; k < g.rows.size(); ++k) change.Phi_ddot[g.rows.begin + k] = Phi_ddot[k].d[0];
  }
}

template <int D>
void sum_forces(const Mechanism<D>& m, const double* push, const double* multipliers, const MechanismState<D>& state,
                Variation<D>& change) {
  std::vector<NodeVariation<D>>& nodes = change.nodes;
  for (auto& n : nodes) n.W = Force<D>::zero();
  // the torque of an angle stays within its joint: nothing but that joint's own load, which no motion changes
  for (std::size_t i = 0; i < m.ports.size(); ++i)
    if (!m.ports[i].turns()) add_tension(m.ports[i], state.ports[i], -push[i], nodes);
  for (std::size_t i = 0; i < m.springs.size(); ++i)
    add_tension(m.springs[i].line, state.springs[i], -spring_push(m.springs[i], state.springs[i]), nodes);
  for (std::size_t i = 0; i < m.body_loads.size(); ++i)
    if (!m.body_loads[i].in_body)
      nodes[m.body_loads[i].node].W -= ground_wrench(m.body_loads[i], state.body_load[i], state.tree.nodes[m.body_loads[i].node]);
  for (std::size_t i = 0; i < m.constraints.size(); ++i)
    add_row_forces(m.constraints[i], state.constraints[i], multipliers + m.constraints[i].rows.begin, nodes);
  for (std::size_t j = nodes.size() - 1; j > 0; --j) {
    nodes[m.tree.nodes[j].parent].W += nodes[j].W;
    nodes[j].W += state.tree.nodes[j].F;  // of the whole subtree already
  }
}

template <int D>
void vary_residual(const Mechanism<D>& m, const double* theta, const double* v, const double* push, const double* multipliers,
                   const MechanismState<D>& state, Variation<D>& change, double* dr) {
  std::vector<NodeVariation<D>>& nodes = change.nodes;
  for (auto& n : nodes) n.F = Force<D>::zero();
  Vec<D> du;
  for (std::size_t i = 0; i < m.ports.size(); ++i) {
    if (m.ports[i].turns()) {
      const int k = m.paths[m.ports[i].path.begin].dof;
      change.s[i] = theta[k];
      change.s_dot[i] = v[k];
      continue;
    }
    const LineVariation line = vary_line(m.ports[i], state.ports[i], state, nodes, du);
    change.s[i] = line.s;
    change.s_dot[i] = line.s_dot;
    vary_tension(m.ports[i], state.ports[i], -push[i], 0, du, nodes);
  }
  for (std::size_t i = 0; i < m.springs.size(); ++i) {
    const PointSpring<D>& spring = m.springs[i];
    const LineVariation line = vary_line(spring.line, state.springs[i], state, nodes, du);
    vary_tension(spring.line, state.springs[i], -spring_push(spring, state.springs[i]),
                 spring.stiffness * line.s + spring.damping * line.s_dot, du, nodes);
  }
  for (std::size_t i = 0; i < m.body_loads.size(); ++i) {
    const BodyLoad<D>& load = m.body_loads[i];
    if (load.in_body) continue;  // carried along
    NodeVariation<D>& n = nodes[load.node];
    const Force<D> W = ground_wrench(load, state.body_load[i], state.tree.nodes[load.node]);
    n.F += at_point<D>(load_point(load, state.tree.nodes[load.node]), cross(n.X.angular, W.linear));
    n.F.moment += angular_cross(n.X.angular, Angular<D>(load.torque * state.body_load[i]));
  }
  for (std::size_t i = 0; i < m.constraints.size(); ++i)
    vary_row_forces(m.constraints[i], state.constraints[i], multipliers + m.constraints[i].rows.begin, state, nodes);
  // I and B of a node are those of its subtree: what its own and earlier coordinates do acts on all of it, what later ones do
  // comes up as F
  for (std::size_t j = nodes.size() - 1; j > 0; --j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    const NodeState<D>& s = state.tree.nodes[j];
    const NodeVariation<D>& c = nodes[j];
    const Force<D> carried = n.parent == 0 && n.dofs == 1 ? c.F : c.F + cross(c.x, c.W);  // b . (b x* W) = 0
    const Force<D> f = s.I * c.Z + s.B * c.Y + carried;
    for (int i = n.v; i < n.v + n.dofs; ++i) dr[i] = dot(state.tree.dofs[i].b, f);
    if (n.parent != 0) nodes[n.parent].F += carried + s.I * c.z + s.B * c.y;
  }
  for (const JointSpring& spring : m.joint_springs) dr[spring.v] += spring.stiffness * theta[spring.v] + spring.damping * v[spring.v];
}

#define TR_INSTANTIATE(D)                                                                                                             \
  template void vary_places<D>(const Mechanism<D>&, const double*, const MechanismState<D>&, Variation<D>&);                          \
  template void vary_velocities<D>(const Mechanism<D>&, const double*, const MechanismState<D>&, Variation<D>&);                      \
  template void vary_accelerations<D>(const Mechanism<D>&, const double*, const MechanismState<D>&, Variation<D>&);                   \
  template void vary_row_rates<D>(const Mechanism<D>&, std::span<const int>, const double*, const MechanismState<D>&, Variation<D>&); \
  template void vary_row_accelerations<D>(const Mechanism<D>&, std::span<const int>, const double*, const MechanismState<D>&,         \
                                          Variation<D>&);                                                                             \
  template void sum_forces<D>(const Mechanism<D>&, const double*, const double*, const MechanismState<D>&, Variation<D>&);            \
  template void vary_residual<D>(const Mechanism<D>&, const double*, const double*, const double*, const double*,                     \
                                 const MechanismState<D>&, Variation<D>&, double*);
TR_INSTANTIATE(2)
TR_INSTANTIATE(3)

}  // namespace trunnion
