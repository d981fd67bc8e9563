// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/variation.h"

#include "mechanics/constraint.inl.h"

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

/// Points and axes of a group as its two bodies carry them along.
template <int D>
TR_INLINE void vary_rows(const ConstraintGroup<D>& g, const ConstraintState<D>& s, const Motion<D>& X_A, const Motion<D>& X_B,
                         ConstraintState<D, S>& out) {
  if (g.type == ConstraintType::direction) {
    out.axes[0] = varied<D>(s.axes[0], cross(X_A.angular, s.axes[0]));
    out.axes[1] = varied<D>(s.axes[1], cross(X_B.angular, s.axes[1]));
    return;
  }
  out.line.r_P = varied<D>(s.line.r_P, X_A.at(s.line.r_P));
  out.line.r_Q = varied<D>(s.line.r_Q, X_B.at(s.line.r_Q));
  if (g.type == ConstraintType::point) {
    for (int i = 0; i < g.rows.size(); ++i) out.axes[i] = varied<D>(s.axes[i], cross(X_A.angular, s.axes[i]));
    return;
  }
  const Vec<D, S> d = out.line.r_Q - out.line.r_P;
  out.line.length = sqrt(d.squaredNorm() + g.line.depth * g.line.depth);
  out.line.u = d / out.line.length;
}

template <int D>
TR_INLINE Motion<D, S> varied_velocity(const NodeState<D>& n, const Motion<D>& X, const Motion<D>& Y) {
  return varied<D>(n.V, cross(X, n.V) + Y);
}
template <int D>
TR_INLINE Motion<D, S> varied_acceleration(const NodeState<D>& n, const Motion<D>& X, const Motion<D>& Y, const Motion<D>& Z) {
  return varied<D>(n.A, cross(X, n.A) + cross(Y, n.V) + Z);
}

}  // namespace

template <int D>
void vary_rates(const Mechanism<D>& m, const double* theta, const double* v, const MechanismState<D>& state, Variation<D>& change) {
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    Motion<D> X = change.X[n.parent], Y = change.Y[n.parent];
    for (int i = n.v; i < n.v + n.dofs; ++i) {
      const DofState<D>& c = state.tree.dofs[i];
      X += c.b_q * theta[i];
      Y += cross(state.tree.nodes[j].V, c.b_q) * theta[i] + c.b * v[i];
    }
    change.X[j] = X;
    change.Y[j] = Y;
  }
  ConstraintState<D, S> rows;
  S Phi_dot[3];
  for (std::size_t i = 0; i < m.constraints.size(); ++i) {
    const ConstraintGroup<D>& g = m.constraints[i];
    if (g.type == ConstraintType::coordinate) {
      change.Phi_dot[g.rows.begin] = v[m.paths[g.path.begin].dof];
      continue;
    }
    if (g.type == ConstraintType::coupling) {
      change.Phi_dot[g.rows.begin] = v[m.paths[g.path.begin].dof] - g.ratio * v[m.paths[g.path.begin + 1].dof];
      continue;
    }
    const int A = g.line.node_A, B = g.line.node_B;
    vary_rows(g, state.constraints[i], change.X[A], change.X[B], rows);
    row_rates<D, S>(g, varied_velocity(state.tree.nodes[A], change.X[A], change.Y[A]),
                    varied_velocity(state.tree.nodes[B], change.X[B], change.Y[B]), rows, Phi_dot);
    for (int k = 0; k < g.rows.size(); ++k) change.Phi_dot[g.rows.begin + k] = Phi_dot[k].d[0];
  }
}

template <int D>
void vary_accelerations(const Mechanism<D>& m, const double* theta, const double* v, const double* a, const MechanismState<D>& state,
                        Variation<D>& change) {
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    const NodeState<D>& s = state.tree.nodes[j];
    Motion<D> X = change.X[n.parent], Y = change.Y[n.parent], Z = change.Z[n.parent];
    for (int i = n.v; i < n.v + n.dofs; ++i) {
      const DofState<D>& c = state.tree.dofs[i];
      const Motion<D> u = cross(s.V, c.b_q), Vb = cross(s.V, c.b);
      X += c.b_q * theta[i];
      Y += u * theta[i] + c.b * v[i];
      Z += (cross(s.A, c.b_q) - cross(u, s.V)) * theta[i] + (c.w + Vb) * v[i] + c.b * a[i];
    }
    change.X[j] = X;
    change.Y[j] = Y;
    change.Z[j] = Z;
  }
  ConstraintState<D, S> rows;
  S Phi_ddot[3];
  for (std::size_t i = 0; i < m.constraints.size(); ++i) {
    const ConstraintGroup<D>& g = m.constraints[i];
    if (g.type == ConstraintType::coordinate) {
      change.Phi_ddot[g.rows.begin] = a[m.paths[g.path.begin].dof];
      continue;
    }
    if (g.type == ConstraintType::coupling) {
      change.Phi_ddot[g.rows.begin] = a[m.paths[g.path.begin].dof] - g.ratio * a[m.paths[g.path.begin + 1].dof];
      continue;
    }
    const int A = g.line.node_A, B = g.line.node_B;
    const NodeState<D>&node_A = state.tree.nodes[A], &node_B = state.tree.nodes[B];
    vary_rows(g, state.constraints[i], change.X[A], change.X[B], rows);
    row_accelerations<D, S>(g, varied_velocity(node_A, change.X[A], change.Y[A]),
                            varied_acceleration(node_A, change.X[A], change.Y[A], change.Z[A]),
                            varied_velocity(node_B, change.X[B], change.Y[B]),
                            varied_acceleration(node_B, change.X[B], change.Y[B], change.Z[B]), rows, Phi_ddot);
    for (int k = 0; k < g.rows.size(); ++k) change.Phi_ddot[g.rows.begin + k] = Phi_ddot[k].d[0];
  }
}

template <int D>
void add_rate_tangent(const Mechanism<D>& m, const double* v, const double* a, const MechanismState<D>& state, Variation<D>& work,
                      double* dr) {
  const auto own = [&](std::size_t j, Motion<D>& y, Motion<D>& z) {
    const TreeNode<D>& n = m.tree.nodes[j];
    for (int i = n.v; i < n.v + n.dofs; ++i) {
      const DofState<D>& c = state.tree.dofs[i];
      y += c.b * v[i];
      z += (c.w + cross(state.tree.nodes[j].V, c.b)) * v[i] + c.b * a[i];
    }
  };
  const std::size_t nodes = m.tree.nodes.size();
  for (std::size_t j = 1; j < nodes; ++j) {
    work.Y[j] = work.Y[m.tree.nodes[j].parent];
    work.Z[j] = work.Z[m.tree.nodes[j].parent];
    own(j, work.Y[j], work.Z[j]);
    work.F[j] = Force<D>::zero();
  }
  // I and B of a node are those of its subtree: what its own and earlier coordinates do acts on all of it, what later ones do
  // comes up as F
  for (std::size_t j = nodes - 1; j > 0; --j) {
    const TreeNode<D>& n = m.tree.nodes[j];
    const NodeState<D>& s = state.tree.nodes[j];
    const Force<D> f = s.I * work.Z[j] + s.B * work.Y[j] + work.F[j];
    for (int i = n.v; i < n.v + n.dofs; ++i) dr[i] += dot(state.tree.dofs[i].b, f);
    if (n.parent == 0) continue;
    Motion<D> y = Motion<D>::zero(), z = Motion<D>::zero();
    own(j, y, z);
    work.F[n.parent] += work.F[j] + s.I * z + s.B * y;
  }
  for (const JointSpring& spring : m.joint_springs) dr[spring.v] += spring.damping * v[spring.v];
  for (const PointSpring<D>& spring : m.springs) {
    const Range& path = spring.line.path;
    double rate = 0;
    for (int k = path.begin; k < path.end; ++k) rate += state.dofs[k].gradient * v[m.paths[k].dof];
    for (int k = path.begin; k < path.end; ++k) dr[m.paths[k].dof] += spring.damping * rate * state.dofs[k].gradient;
  }
}

#define TR_INSTANTIATE(D)                                                                                                         \
  template void vary_rates<D>(const Mechanism<D>&, const double*, const double*, const MechanismState<D>&, Variation<D>&);        \
  template void vary_accelerations<D>(const Mechanism<D>&, const double*, const double*, const double*, const MechanismState<D>&, \
                                      Variation<D>&);                                                                             \
  template void add_rate_tangent<D>(const Mechanism<D>&, const double*, const double*, const MechanismState<D>&, Variation<D>&, double*);
TR_INSTANTIATE(2)
TR_INSTANTIATE(3)

}  // namespace trunnion
