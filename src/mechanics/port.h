// Connection of an actuator to the mechanism: along the line between two points, or on a joint coordinate.
//   line          s = |r_Q - r_P|                              line.h
//   coordinate    s = q_k,  s_k = 1,  s_kl = 0                 of a tree joint; sdot = c . (w_B - w_A), or a . (v_B - v_A)
//   displacement  s = a . (r_Q - r_P) + s_0,  a fixed in A     of a cut joint, of a marker; e_k as of the line, both branches at r_Q:
//                 s_k = a . e_k,  s_kl = a . (b_l x e_k) or a . (b_k x e_l), the outer one moved by the inner; negative from branch A
//   angle         joint_angle.h                                of a cut joint
//   load          s_k = b_k . W, sdot = V . W, W the wrench of a load of factor 1 (load.h); s = 0: no function of position. u and r_P of
//                 its state are force and, in space, torque
//   soil          as a load whose W, the resistance of soil.h at factor 1, follows from the velocity: zero before the velocity stage
// Oil and friction read s and sdot and apply a force or torque F with the power F sdot; a control block applies the factor F of a load.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mechanics/joint_angle.h"
#include "mechanics/line.h"
#include "mechanics/load.h"
#include "mechanics/soil.h"

namespace trunnion {

enum class PortKind : unsigned char { line, coordinate, displacement, angle, load, soil };

/// A line, a joint coordinate between its two nodes, or a load on node B.
template <int D>
struct Port : Line<D> {
  PortKind kind = PortKind::line;
  int q = -1;                    // coordinate: its index in q; the only velocity on the path
  bool slides = false;           // coordinate: a displacement, not an angle
  Vec<D> axis = Vec<D>::Zero();  // displacement: a, node frame of A
  double turn = 1, start = 0;    // angle, plane: t [-], s_0 [rad]; displacement: s_0 [m], of what lies across the plane
  JointAngle angle{};            // angle, space
  double near = 0;               // [rad] angle: s is within half a turn of it, in the plane at the start of the model
  AppliedWrench<D> load{};       // load, on node B
  SoilLaw<D> soil{};             // soil, on node B

  /// Whether its force acts within a joint of the tree: not as a wrench on two bodies.
  bool is_coordinate() const { return kind == PortKind::coordinate; }
  /// Whether it is a load on node B whose factor is F.
  bool is_load() const { return kind == PortKind::load || kind == PortKind::soil; }
};

/// s_k of a load with wrench W.
template <int D, class S>
[[gnu::noinline]] void set_load_gradients(const Port<D>& port, const PathDof* path, const TreeState<D, S>& tree, const Force<D, S>& W,
                                          LineDof<D, S>* dofs) {
  const Vec<D, S> none = Vec<D, S>::Zero();
  for (int i = 0; i < port.path.size(); ++i) {
    const DofState<D, S>& axis = tree.dofs[path[port.path.begin + i].dof];
    dofs[i] = {none, none, dot(axis.b, W), dot(axis.b_q, W), S(0)};
  }
}

/// Position stage of a load.
template <int D, class S>
void update_load_port(const Port<D>& port, const PathDof* path, const TreeState<D, S>& tree, LineState<D, S>& s, LineDof<D, S>* dofs) {
  s.length = S(0);
  if (port.kind == PortKind::soil) return set_load_gradients(port, path, tree, Force<D, S>::zero(), dofs);
  const PlacedLoad<D, S> at = placed_load(port.load, S(1.0), tree.nodes[port.node_B]);
  s.r_Q = at.r_P;
  s.u = at.force;
  if constexpr (D == 3) s.r_P = at.torque;
  set_load_gradients(port, path, tree, at.wrench(), dofs);
}

/// The load of a port at its present place.
template <int D, class S>
PlacedLoad<D, S> load_of(const Port<D>& port, const LineState<D, S>& s, const S& factor) {
  PlacedLoad<D, S> at{s.r_Q, Vec<D, S>(s.u * factor), {}};
  if constexpr (D == 2)
    at.torque = factor * port.load.torque;
  else
    at.torque = s.r_P * factor;
  return at;
}

/// Position stage of a joint coordinate. Functions of joint coordinates are not inlined where lines are evaluated.
template <int D, class S>
[[gnu::noinline]] void update_joint_port(const Port<D>& port, const PathDof* path, const TreeState<D, S>& tree, const S* q,
                                         LineState<D, S>& s, LineDof<D, S>* dofs) {
  const Vec<D, S> none = Vec<D, S>::Zero();
  s.r_P = s.r_Q = s.u = none;
  if (port.is_load()) return update_load_port(port, path, tree, s, dofs);
  if (port.is_coordinate()) {
    s.length = q[port.q];
    dofs[0] = {none, none, S(1), S(1), S(0)};
    return;
  }
  const NodeState<D, S>&A = tree.nodes[port.node_A], &B = tree.nodes[port.node_B];
  if (port.kind == PortKind::displacement) {
    s.r_P = s.r_Q = B.r + B.R * port.r_BQ.template cast<S>();
    s.u = A.R * Vec<D, S>(port.axis.template cast<S>());
    s.length = s.u.dot(s.r_Q - A.r - A.R * port.r_AP.template cast<S>()) + port.start;
    for (int i = 0; i < port.path.size(); ++i) {
      const PathDof& k = path[port.path.begin + i];
      const DofState<D, S>& axis = tree.dofs[k.dof];
      const Vec<D, S> e = axis.b.at(s.r_Q) * S(k.sign), e_q = axis.b_q.at(s.r_Q) * S(k.sign);
      dofs[i] = {e, e_q, s.u.dot(e), s.u.dot(e_q), S(0)};
    }
    return;
  }
  if constexpr (D == 2) {
    s.length = S(port.start);
    for (int i = 0; i < port.path.size(); ++i) {
      const PathDof& k = path[port.path.begin + i];
      const S gradient = tree.dofs[k.dof].b.angular * S(k.sign * port.turn);
      s.length += gradient * q[k.dof];  // in the plane every coordinate has one velocity: the same indices
      dofs[i] = {none, none, gradient, gradient, S(0)};
    }
  } else {
    const auto at = JointAngleState<S>::at(port.angle, A.R, B.R);
    s.length = unwrapped<S>(atan2(at.y, at.x), port.near);
    s.u = at.gradient();
    for (int i = 0; i < port.path.size(); ++i) {
      const PathDof& k = path[port.path.begin + i];
      const DofState<3, S>& axis = tree.dofs[k.dof];
      dofs[i] = {none, none, s.u.dot(axis.b.angular) * S(k.sign), s.u.dot(axis.b_q.angular) * S(k.sign), S(0)};
    }
  }
}

/// Position stage: s and its gradients.
template <int D, class S>
TR_INLINE void update_port(const Port<D>& port, const PathDof* path, const TreeState<D, S>& tree, const S* q, LineState<D, S>& s,
                           LineDof<D, S>* dofs) {
  if (port.kind == PortKind::line) return update_line(port, path, tree, s, dofs);
  update_joint_port(port, path, tree, q, s, dofs);
}

/// Change of an angle or of a coordinate per motion of its nodes relative to each other.
template <int D, class S>
TR_INLINE S along_joint(const Port<D>& port, const PathDof* path, const TreeState<D, S>& tree, const LineState<D, S>& s,
                        const Motion<D, S>& relative) {
  if (port.is_coordinate()) {
    const Motion<D, S>& b = tree.dofs[path[port.path.begin].dof].b;
    return port.slides ? b.linear.dot(relative.linear) : dot(b.angular, relative.angular);
  }
  if constexpr (D == 2)
    return relative.angular * S(port.turn);
  else
    return s.u.dot(relative.angular);
}

/// Velocity stage of a joint coordinate.
template <int D, class S>
[[gnu::noinline]] void update_joint_port_rate(const Port<D>& port, const PathDof* path, const TreeState<D, S>& tree, LineState<D, S>& s,
                                              LineDof<D, S>* dofs) {
  const Motion<D, S> relative = tree.nodes[port.node_B].V - tree.nodes[port.node_A].V;
  if (port.kind == PortKind::displacement) {
    s.d_dot = relative.at(s.r_Q);
    s.rate = s.u.dot(s.d_dot);
    return;
  }
  s.d_dot = Vec<D, S>::Zero();
  if (port.kind == PortKind::soil) {
    const SoilState<D, S> at = soil_state(port.soil, S(1.0), tree.nodes[port.node_B]);
    s.r_Q = at.r_P;
    s.u = at.force;
    set_load_gradients(port, path, tree, soil_wrench(at), dofs);
  }
  if (port.is_load())
    s.rate = dot(tree.nodes[port.node_B].V, load_of(port, s, S(1)).wrench());
  else
    s.rate = along_joint(port, path, tree, s, relative);
}

/// Velocity stage: sdot, and s_k of soil.
template <int D, class S>
TR_INLINE void update_port_rate(const Port<D>& port, const PathDof* path, const TreeState<D, S>& tree, LineState<D, S>& s,
                                LineDof<D, S>* dofs) {
  if (port.kind == PortKind::line) return update_line_rate(port, tree, s);
  update_joint_port_rate(port, path, tree, s, dofs);
}

/// Velocity stage: change of sdot per position increment of a cut joint's displacement or angle at constant v.
template <int D>
[[gnu::noinline]] void update_joint_rate_gradient(const Port<D>& port, const PathDof* path, const TreeState<D>& tree, const LineState<D>& s,
                                                  LineDof<D>* dofs) {
  const NodeState<D>&A = tree.nodes[port.node_A], &B = tree.nodes[port.node_B];
  for (int i = 0; i < port.path.size(); ++i) {
    const PathDof& l = path[port.path.begin + i];
    const Angular<D>& turn = tree.dofs[l.dof].b_q.angular;
    const Motion<D>&tip = l.sign > 0 ? B.V : A.V, &V_l = tree.nodes[l.node].V;
    if (port.kind == PortKind::displacement) {
      // beyond l everything turns with it; r_Q moves with branch B, the axis with branch A
      const Vec<D> beyond = cross(turn, (tip - V_l).at(s.r_Q));
      const Vec<D>& e = dofs[i].e_q;
      if (l.sign > 0)
        dofs[i].rate_gradient = s.u.dot(beyond + cross(Angular<D>(V_l.angular - A.V.angular), e));
      else
        dofs[i].rate_gradient = cross(turn, s.u).dot(s.d_dot) - s.u.dot(beyond + cross(Angular<D>(tip.angular - V_l.angular), e));
    } else if constexpr (D == 3) {
      const auto at = JointAngleState<>::at(port.angle, A.R, B.R);
      const Vec<3> none = Vec<3>::Zero(), change = l.sign > 0 ? at.gradient_change(none, turn) : at.gradient_change(turn, none);
      dofs[i].rate_gradient =
          change.dot(B.V.angular - A.V.angular) + s.u.dot(turn.cross(tip.angular - V_l.angular)) * static_cast<double>(l.sign);
    }
  }
}

/// Velocity stage: change of sdot per position increment; that of a coordinate is zero, and no force depends on that of a load.
template <int D>
TR_INLINE void update_port_rate_gradient(const Port<D>& port, const PathDof* path, const TreeState<D>& tree, const LineState<D>& s,
                                         LineDof<D>* dofs) {
  if (port.kind == PortKind::line) return update_line_rate_gradient(port, path, tree, s, dofs);
  if (!port.is_coordinate() && !port.is_load()) update_joint_rate_gradient(port, path, tree, s, dofs);
}

/// T(k, l) += factor s_kl of a cut joint's displacement or angle, or of a load; of soil with its changes by velocities, after the tangent
/// stage of the tree.
template <int D, class Entries>
[[gnu::noinline]] void add_joint_curvature(const Port<D>& port, const PathDof* path, const TreeState<D>& tree, const LineState<D>& s,
                                           const LineDof<D>* dofs, double factor, Entries& T) {
  if (D == 2 && port.kind == PortKind::angle) return;
  if (port.kind == PortKind::soil) add_soil_slopes(port.soil, -factor, path + port.path.begin, port.path.size(), tree, T);
  if (port.is_load())
    return add_load_slopes(load_of(port, s, double{1}), port.kind == PortKind::soil || port.load.in_body, path + port.path.begin,
                           port.path.size(), tree, factor, T);
  const int n = port.path.size();
  for (int i = 0; i < n; ++i) {
    const PathDof& k = path[port.path.begin + i];
    const DofState<D>& axis_k = tree.dofs[k.dof];
    for (int j = 0; j < n; ++j) {
      const PathDof& l = path[port.path.begin + j];
      const DofState<D>& axis_l = tree.dofs[l.dof];
      const bool l_carries_k = carries(l, j, k, i);
      double s_kl = 0;
      if (port.kind == PortKind::displacement) {
        // u . (w x e) = w . (e x u)
        const double inner_l = dot(axis_l.b_q.angular, moment(dofs[i].e, s.u)), inner_k = dot(axis_k.b.angular, moment(dofs[j].e_q, s.u));
        if (k.sign > 0)
          s_kl = l.sign < 0 ? -inner_l : l_carries_k ? inner_l : inner_k;
        else
          s_kl = l.sign < 0 && !l_carries_k ? -inner_l : -inner_k;
      } else if constexpr (D == 3) {
        const auto at = JointAngleState<>::at(port.angle, tree.nodes[port.node_A].R, tree.nodes[port.node_B].R);
        const Vec<3>&turn = axis_l.b_q.angular, none = Vec<3>::Zero();
        const Vec<3> change = l.sign > 0 ? at.gradient_change(none, turn) : at.gradient_change(turn, none);
        s_kl = change.dot(axis_k.b.angular);
        if (l_carries_k) s_kl += s.u.dot(turn.cross(axis_k.b.angular));
        s_kl *= k.sign;
      }
      T(k.dof, l.dof) += factor * s_kl;
    }
  }
}

/// sddot for the accelerations in the tree state.
template <int D>
double port_acceleration(const Port<D>& port, const PathDof* path, const TreeState<D>& tree, const LineState<D>& s) {
  if (port.kind == PortKind::line) return line_acceleration(port, tree, s);
  if (port.is_load()) return 0;
  const NodeState<D>&A = tree.nodes[port.node_A], &B = tree.nodes[port.node_B];
  const Motion<D> relative = B.A - A.A;
  if (port.kind == PortKind::displacement) {  // as seen from A: less the acceleration of transport, 2 w_A x d_dot
    const Vec<D> transport = cross(B.V.angular, B.V.at(s.r_Q)) - cross(A.V.angular, Vec<D>(A.V.at(s.r_Q) + 2.0 * s.d_dot));
    return s.u.dot(relative.at(s.r_Q) + transport);
  }
  double acceleration = along_joint(port, path, tree, s, relative);
  if constexpr (D == 3)
    if (!port.is_coordinate()) {
      const auto at = JointAngleState<>::at(port.angle, A.R, B.R);
      acceleration += at.gradient_change(A.V.angular, B.V.angular).dot(B.V.angular - A.V.angular);
    }
  return acceleration;
}

}  // namespace trunnion
