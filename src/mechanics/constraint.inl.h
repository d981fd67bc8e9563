// Definitions of constraint.h, included where they are instantiated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "mechanics/constraint.h"

namespace trunnion {

/// Jacobian of rows a_i . (V_B - V_A)(r_Q), given points and axes.
template <int D, class S>
TR_INLINE void set_point_jacobian(const ConstraintGroup<D>& g, const PathDof* path, const TreeState<D, S>& tree,
                                  const ConstraintState<D, S>& s, LineDof<D, S>* work, S* jacobian, S* jacobian_q) {
  const int n = g.path.size();
  const PathDof* dofs = path + g.path.begin;
  for (int k = 0; k < n; ++k) {
    const DofState<D, S>& axis = tree.dofs[dofs[k].dof];
    work[k].e = axis.b.at(s.line.r_Q) * S(dofs[k].sign);
    work[k].e_q = work[k].e;
    for (int i = 0; i < g.rows.size(); ++i) jacobian[i * n + k] = s.axes[i].dot(work[k].e);
    if (jacobian_q == nullptr) continue;
    work[k].e_q = axis.b_q.at(s.line.r_Q) * S(dofs[k].sign);
    for (int i = 0; i < g.rows.size(); ++i) jacobian_q[i * n + k] = s.axes[i].dot(work[k].e_q);
  }
}

/// Point, axes and Phi of a rolling contact or blade. Kept out of line: only machines with contacts need it.
template <int D, class S>
[[gnu::noinline]] void place_contact(const ConstraintGroup<D>& g, const NodeState<D, S>& A, const NodeState<D, S>& B,
                                     ConstraintState<D, S>& s, S* Phi) {
  const Vec<D, S> r_Q = B.r + B.R * g.line.r_BQ.template cast<S>();
  std::fill_n(Phi, g.rows.size(), S(0));
  if constexpr (D == 3)
    if (g.type == ConstraintType::wheel) {
      const Vec<D, S> r_P = A.r + A.R * g.line.r_AP.template cast<S>(), normal = A.R * g.axes[0].template cast<S>();
      s.line.u = B.R * g.axes[1].template cast<S>();
      const WheelContact<S> contact = wheel_contact<S>(r_Q, s.line.u, normal, g.distance);
      s.line.r_Q = contact.point;
      s.line.length = contact.sine;
      s.axes = contact.axes;
      Phi[0] = normal.dot(r_Q - r_P) - g.distance * contact.sine;
      return;
    }
  s.line.r_Q = r_Q;
  s.axes[0] = B.R * g.axes[0].template cast<S>();
}

template <int D, class S>
[[gnu::noinline]] void set_contact_jacobian(const ConstraintGroup<D>& g, const PathDof* path, const TreeState<D, S>& tree,
                                            const ConstraintState<D, S>& s, LineDof<D, S>* work, S* jacobian, S* jacobian_q) {
  set_point_jacobian(g, path, tree, s, work, jacobian, jacobian_q);
}

/// What is left of the Jacobian of rows that the tree's joints imply is rounding, which their multipliers would take for a direction.
template <int D, class S>
[[gnu::noinline]] void clear_idle_rows(const ConstraintGroup<D>& g, S* jacobian, S* jacobian_q) {
  const int n = g.path.size();
  for (int i = 0; i < g.rows.size(); ++i) {
    if (!g.idle[static_cast<std::size_t>(i)]) continue;
    std::fill_n(jacobian + i * n, n, S(0.0));
    if (jacobian_q != nullptr) std::fill_n(jacobian_q + i * n, n, S(0.0));
  }
}

template <int D, class S>
void update_constraint(const ConstraintGroup<D>& g, const PathDof* path, const TreeState<D, S>& tree, const S* q,
                       const MotionValue<S>* motions, ConstraintState<D, S>& s, LineDof<D, S>* work, S* Phi, S* jacobian, S* jacobian_q) {
  const NodeState<D, S>&A = tree.nodes[g.line.node_A], &B = tree.nodes[g.line.node_B];
  const int n = g.path.size();
  const PathDof* dofs = path + g.path.begin;
  switch (g.type) {
    case ConstraintType::point: {
      s.line.r_P = A.r + A.R * g.line.r_AP.template cast<S>();
      s.line.r_Q = B.r + B.R * g.line.r_BQ.template cast<S>();
      const Vec<D, S> d = s.line.r_Q - s.line.r_P;
      for (int i = 0; i < g.rows.size(); ++i) {
        s.axes[i] = A.R * g.axes[i].template cast<S>();
        Phi[i] = s.axes[i].dot(d);
      }
      set_point_jacobian(g, path, tree, s, work, jacobian, jacobian_q);
      break;
    }
    case ConstraintType::direction:
      s.axes[0] = A.R * g.axes[0].template cast<S>();
      s.axes[1] = B.R * g.axes[1].template cast<S>();
      Phi[0] = s.axes[0].dot(s.axes[1]);
      for (int k = 0; k < n; ++k) {
        const DofState<D, S>& axis = tree.dofs[dofs[k].dof];
        jacobian[k] = S(dofs[k].sign) * s.axes[0].dot(cross(axis.b.angular, s.axes[1]));
        if (jacobian_q != nullptr) jacobian_q[k] = S(dofs[k].sign) * s.axes[0].dot(cross(axis.b_q.angular, s.axes[1]));
      }
      break;
    case ConstraintType::distance:
      update_line(g.line, path, tree, s.line, work);
      Phi[0] = s.line.length - g.distance;
      for (int k = 0; k < n; ++k) {
        jacobian[k] = work[k].gradient;
        if (jacobian_q != nullptr) jacobian_q[k] = work[k].gradient_q;
      }
      break;
    case ConstraintType::coordinate:
      Phi[0] = q[g.q] - motions[g.motion].value;
      jacobian[0] = S(1);
      if (jacobian_q != nullptr) jacobian_q[0] = S(1);
      break;
    case ConstraintType::coupling:
    case ConstraintType::velocity_coupling:
      Phi[0] = g.holonomic == 0 ? S(0) : q[g.q] - g.ratio * q[g.q_driver] - g.distance;
      jacobian[0] = S(1);
      jacobian[1] = S(-g.ratio);
      if (jacobian_q != nullptr) std::copy_n(jacobian, 2, jacobian_q);
      break;
    case ConstraintType::wheel:
    case ConstraintType::blade:
      place_contact(g, A, B, s, Phi);
      set_contact_jacobian(g, path, tree, s, work, jacobian, jacobian_q);
      break;
  }
  if (g.has_idle) clear_idle_rows(g, jacobian, jacobian_q);
}

/// Change of the point and the axes of rows a_i . (V_B - V_A)(r_Q) when the two bodies move by X_A and X_B.
template <int D, class S>
struct RowFrameChange {
  Vec<D, S> point;
  std::array<Vec<D, S>, 3> axes;
};
template <int D, class S>
RowFrameChange<D, S> row_frame_change(const ConstraintGroup<D>& g, const ConstraintState<D, S>& s, const Motion<D, S>& X_A,
                                      const Motion<D, S>& X_B) {
  RowFrameChange<D, S> d;
  if constexpr (D == 3)
    if (g.type == ConstraintType::wheel) {
      const WheelContact<S> at{s.line.r_Q, s.axes, s.line.length};
      const Vec<D, S> w = (s.axes[0] - s.line.u * s.axes[0].dot(s.line.u)) / s.line.length, r_C = s.line.r_Q + w * S(g.distance);
      const WheelContact<S> change =
          wheel_contact_change<S>(at, s.line.u, g.distance, X_B.at(r_C), cross(X_B.angular, s.line.u), cross(X_A.angular, s.axes[0]));
      return {change.point, change.axes};
    }
  d.point = X_B.at(s.line.r_Q);
  const Angular<D, S>& turn = g.type == ConstraintType::blade ? X_B.angular : X_A.angular;
  for (int i = 0; i < g.rows.size(); ++i) d.axes[i] = cross(turn, s.axes[i]);
  return d;
}
/// Its change when path coordinate l moves one of the two bodies.
template <int D>
RowFrameChange<D, double> row_frame_change(const ConstraintGroup<D>& g, const ConstraintState<D>& s, const PathDof& l,
                                           const TreeState<D>& tree) {
  const Motion<D>&moves = tree.dofs[l.dof].b_q, stays = Motion<D>::zero();
  return row_frame_change<D, double>(g, s, l.sign > 0 ? stays : moves, l.sign > 0 ? moves : stays);
}

/// Point rows: the axes rotate with A, the wrench point r_Q moves with B, the joint axes with their bodies.
template <int D, class Entries>
TR_INLINE void add_point_curvature(const ConstraintGroup<D>& g, const PathDof* path, const TreeState<D>& tree, const ConstraintState<D>& s,
                                   const LineDof<D>* work, const double* multipliers, Entries& T) {
  Vec<D> f = Vec<D>::Zero();  // all rows together: one force fixed in A
  for (int i = 0; i < g.rows.size(); ++i) f += s.axes[i] * multipliers[i];
  const PathDof* dofs = path + g.path.begin;
  const int n = g.path.size();
  for (int j = 0; j < n; ++j) {
    const PathDof& l = dofs[j];
    const DofState<D>& axis_l = tree.dofs[l.dof];
    const Angular<D> turn_l = axis_l.b_q.angular, moment_l = moment(work[j].e_q, f);
    for (int i = 0; i < n; ++i) {
      const PathDof& k = dofs[i];
      const DofState<D>& axis_k = tree.dofs[k.dof];
      const bool l_carries_k = carries(l, j, k, i);
      double h;
      if (l.sign > 0) {  // f . (w x e) = w . (e x f)
        h = l_carries_k ? dot(turn_l, moment(work[i].e, f)) : k.sign * dot(axis_k.b.angular, moment_l);
      } else {
        h = cross(turn_l, f).dot(work[i].e);
        if (l_carries_k) h -= f.dot(cross(axis_l.b_q, axis_k.b).at(s.line.r_Q));
      }
      T(k.dof, l.dof) += h;
    }
  }
}

/// Rolling contacts and blades: force and point move with the contact, the joint axes with their bodies.
template <int D, class Entries>
[[gnu::noinline]] void add_contact_curvature(const ConstraintGroup<D>& g, const PathDof* path, const TreeState<D>& tree,
                                             const ConstraintState<D>& s, const LineDof<D>* work, const double* multipliers, Entries& T) {
  const PathDof* dofs = path + g.path.begin;
  const int n = g.path.size();
  Vec<D> f = Vec<D>::Zero();
  for (int i = 0; i < g.rows.size(); ++i) f += s.axes[i] * multipliers[i];
  for (int j = 0; j < n; ++j) {
    const RowFrameChange<D, double> d = row_frame_change(g, s, dofs[j], tree);
    Vec<D> df = Vec<D>::Zero();
    for (int i = 0; i < g.rows.size(); ++i) df += d.axes[i] * multipliers[i];
    for (int i = 0; i < n; ++i) {
      const DofState<D>& axis_k = tree.dofs[dofs[i].dof];
      double h = df.dot(work[i].e) + dofs[i].sign * f.dot(cross(axis_k.b.angular, d.point));
      if (carries(dofs[j], j, dofs[i], i)) h += dofs[i].sign * f.dot(cross(tree.dofs[dofs[j].dof].b_q, axis_k.b).at(s.line.r_Q));
      T(dofs[i].dof, dofs[j].dof) += h;
    }
  }
}

template <int D, class Entries>
TR_INLINE void add_direction_curvature(const ConstraintGroup<D>& g, const PathDof* path, const TreeState<D>& tree,
                                       const ConstraintState<D>& s, double multiplier, Entries& T) {
  const Vec<D>&a = s.axes[0], &b = s.axes[1];
  const PathDof* dofs = path + g.path.begin;
  for (int j = 0; j < g.path.size(); ++j) {
    const PathDof& l = dofs[j];
    const Angular<D> turn_l = tree.dofs[l.dof].b_q.angular;
    for (int i = 0; i < g.path.size(); ++i) {
      const PathDof& k = dofs[i];
      const Angular<D> turn_k = tree.dofs[k.dof].b.angular;
      double h = l.sign > 0 ? a.dot(cross(turn_k, cross(turn_l, b))) : cross(turn_l, a).dot(cross(turn_k, b));
      if (carries(l, j, k, i)) h += a.dot(cross(angular_cross(turn_l, turn_k), b));
      T(k.dof, l.dof) += multiplier * k.sign * h;
    }
  }
}

template <int D, class Entries>
void add_constraint_curvature(const ConstraintGroup<D>& g, const PathDof* path, const TreeState<D>& tree, const ConstraintState<D>& s,
                              const LineDof<D>* work, const double* multipliers, Entries& T) {
  switch (g.type) {
    case ConstraintType::point:
      add_point_curvature(g, path, tree, s, work, multipliers, T);
      break;
    case ConstraintType::direction:
      add_direction_curvature(g, path, tree, s, multipliers[0], T);
      break;
    case ConstraintType::distance:
      add_line_curvature(g.line, path, tree, s.line, work, multipliers[0], T);
      break;
    case ConstraintType::wheel:
    case ConstraintType::blade:
      add_contact_curvature(g, path, tree, s, work, multipliers, T);
      break;
    case ConstraintType::coordinate:
    case ConstraintType::coupling:
    case ConstraintType::velocity_coupling:
      break;
  }
}

template <int D>
void set_rate_gradients(const ConstraintGroup<D>& g, const PathDof* path, const TreeState<D>& tree, const ConstraintState<D>& s,
                        double* rate_gradient) {
  const int n = g.path.size();
  if (g.of_coordinates()) {
    std::fill(rate_gradient + g.holonomic * n, rate_gradient + g.rows.size() * n, 0.0);
    return;
  }
  const PathDof* dofs = path + g.path.begin;
  const Motion<D>&V_A = tree.nodes[g.line.node_A].V, &V_B = tree.nodes[g.line.node_B].V;
  const Vec<D> u = (V_B - V_A).at(s.line.r_Q);
  for (int k = 0; k < n; ++k) {
    const PathDof& l = dofs[k];
    const RowFrameChange<D, double> d = row_frame_change(g, s, l, tree);
    // the part beyond joint l rotates with it, dV = b x (V - V_l); and the contact moves
    const Motion<D> beyond = cross(tree.dofs[l.dof].b_q, (l.sign > 0 ? V_B : V_A) - tree.nodes[l.node].V);
    const Vec<D> du = beyond.at(s.line.r_Q) * double(l.sign) + cross(Angular<D>(V_B.angular - V_A.angular), d.point);
    for (int i = g.holonomic; i < g.rows.size(); ++i) rate_gradient[i * n + k] = d.axes[i].dot(u) + s.axes[i].dot(du);
  }
}

/// Second time derivative of an axis fixed in a body: alpha x a + w x (w x a).
template <int D, class S>
TR_INLINE Vec<D, S> axis_acceleration(const Motion<D, S>& V, const Motion<D, S>& A, const Vec<D, S>& a) {
  return cross(A.angular, a) + cross(V.angular, cross(V.angular, a));
}

template <int D, class S>
TR_INLINE void row_rates(const ConstraintGroup<D>& g, const Motion<D, S>& V_A, const Motion<D, S>& V_B, ConstraintState<D, S>& s,
                         S* Phi_dot) {
  switch (g.type) {
    case ConstraintType::point:  // the axes rotate with A: Q relative to A
    case ConstraintType::wheel:
    case ConstraintType::blade: {
      const Vec<D, S> u = (V_B - V_A).at(s.line.r_Q);
      for (int i = 0; i < g.rows.size(); ++i) Phi_dot[i] = s.axes[i].dot(u);
      break;
    }
    case ConstraintType::direction:
      Phi_dot[0] = cross(V_A.angular, s.axes[0]).dot(s.axes[1]) + s.axes[0].dot(cross(V_B.angular, s.axes[1]));
      break;
    case ConstraintType::distance:
      Phi_dot[0] = s.line.u.dot(Vec<D, S>(V_B.at(s.line.r_Q) - V_A.at(s.line.r_P)));
      break;
    case ConstraintType::coordinate:
    case ConstraintType::coupling:
    case ConstraintType::velocity_coupling:
      break;
  }
}

template <int D, class S>
[[gnu::noinline]] void contact_accelerations(const ConstraintGroup<D>& g, const Motion<D, S>& V_A, const Motion<D, S>& A_A,
                                             const Motion<D, S>& V_B, const Motion<D, S>& A_B, const ConstraintState<D, S>& s,
                                             S* Phi_ddot) {
  const Motion<D, S> V = V_B - V_A;
  const RowFrameChange<D, S> rate = row_frame_change<D, S>(g, s, V_A, V_B);
  const Vec<D, S> u = V.at(s.line.r_Q), u_dot = (A_B - A_A).at(s.line.r_Q) + cross(V.angular, rate.point);
  for (int i = 0; i < g.rows.size(); ++i) Phi_ddot[i] = s.axes[i].dot(u_dot) + rate.axes[i].dot(u);
}

template <int D, class S>
TR_INLINE void row_accelerations(const ConstraintGroup<D>& g, const Motion<D, S>& V_A, const Motion<D, S>& A_A, const Motion<D, S>& V_B,
                                 const Motion<D, S>& A_B, ConstraintState<D, S>& s, S* Phi_ddot) {
  switch (g.type) {
    case ConstraintType::point: {
      const Motion<D, S> V = V_B - V_A;
      const Vec<D, S> u = V.at(s.line.r_Q),
                      u_dot = (A_B - A_A).at(s.line.r_Q) + cross(V.angular, V_B.at(s.line.r_Q)) - cross(V_A.angular, u);
      for (int i = 0; i < g.rows.size(); ++i) Phi_ddot[i] = s.axes[i].dot(u_dot);
      break;
    }
    case ConstraintType::direction:
      Phi_ddot[0] = axis_acceleration<D, S>(V_A, A_A, s.axes[0]).dot(s.axes[1]) +
                    S(2) * cross(V_A.angular, s.axes[0]).dot(cross(V_B.angular, s.axes[1])) +
                    s.axes[0].dot(axis_acceleration<D, S>(V_B, A_B, s.axes[1]));
      break;
    case ConstraintType::distance:
      s.line.d_dot = V_B.at(s.line.r_Q) - V_A.at(s.line.r_P);
      s.line.rate = s.line.u.dot(s.line.d_dot);
      Phi_ddot[0] = line_acceleration(V_A, A_A, V_B, A_B, s.line);
      break;
    case ConstraintType::wheel:
    case ConstraintType::blade:
      contact_accelerations(g, V_A, A_A, V_B, A_B, s, Phi_ddot);
      break;
    case ConstraintType::coordinate:
    case ConstraintType::coupling:
    case ConstraintType::velocity_coupling:
      break;
  }
}

template <int D>
void constraint_acceleration(const ConstraintGroup<D>& g, const TreeState<D>& tree, const double* a, const PathDof* path,
                             const MotionValue<>* motions, ConstraintState<D>& s, double* Phi_ddot) {
  if (g.type == ConstraintType::coordinate) {
    Phi_ddot[0] = a[path[g.path.begin].dof] - motions[g.motion].acceleration;
    return;
  }
  if (g.of_coordinates()) {
    Phi_ddot[0] = a[path[g.path.begin].dof] - g.ratio * a[path[g.path.begin + 1].dof];
    return;
  }
  const NodeState<D>&A = tree.nodes[g.line.node_A], &B = tree.nodes[g.line.node_B];
  row_accelerations<D, double>(g, A.V, A.A, B.V, B.A, s, Phi_ddot);
}

}  // namespace trunnion
