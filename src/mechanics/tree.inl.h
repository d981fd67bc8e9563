// Definitions of tree.h, included where they are instantiated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mechanics/tree.h"

namespace trunnion {

template <int D, class S>
void advance_configuration(const Tree<D>& tree, const double* q, const S* increment, S* q_out) {
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<D>& n = tree.nodes[j];
    if (n.joint == NodeJoint::fixed) continue;
    if constexpr (D == 3) {
      if (n.joint == NodeJoint::spherical) {
        const S e[4] = {S(q[n.q]), S(q[n.q + 1]), S(q[n.q + 2]), S(q[n.q + 3])};
        quaternion_rotate(e, Vec<3, S>(increment[n.v], increment[n.v + 1], increment[n.v + 2]), q_out + n.q);
        continue;
      }
    }
    q_out[n.q] = q[n.q] + increment[n.v];
  }
}

template <int D>
void configuration_difference(const Tree<D>& tree, const double* from, const double* to, double* increment) {
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<D>& n = tree.nodes[j];
    if (n.joint == NodeJoint::fixed) continue;
    if constexpr (D == 3) {
      if (n.joint == NodeJoint::spherical) {
        const Vec<3> theta = rotation_vector(quaternion_matrix(to + n.q) * quaternion_matrix(from + n.q).transpose());
        for (int i = 0; i < 3; ++i) increment[n.v + i] = theta[i];
        continue;
      }
    }
    increment[n.v] = to[n.q] - from[n.q];
  }
}

template <int D, class S>
TR_INLINE void place_revolute(const TreeNode<D>& n, const Rotation<D, S>& R_J, const Vec<D, S>& r_J, const S& angle, NodeState<D, S>& s,
                              DofState<D, S>& k) {
  Angular<D, S> axis;
  if constexpr (D == 2) {
    axis = S(n.turn);
    s.R = R_J * Rotation<2, S>::about(angle * n.turn);
  } else {
    axis = R_J * n.turn.template cast<S>();
    s.R = R_J * Rotation<3, S>{axis_angle<S>(n.turn, angle)};
  }
  k.b = {axis, -cross(axis, r_J)};
}

template <int D, class S>
TR_INLINE void place_spherical(const TreeNode<D>& n, const Rotation<D, S>& R_J, const Vec<D, S>& r_J, const S* q, const S* increment,
                               NodeState<D, S>& s, DofState<D, S>* k) {
  if constexpr (D == 3) {
    s.R = R_J * Rotation<3, S>{quaternion_matrix(q + n.q)};
    for (int i = 0; i < 3; ++i) {
      const Vec<3, S> axis = R_J.m.col(i);
      k[i].b = {axis, -axis.cross(r_J)};
      k[i].b_q = k[i].b;
    }
    if (increment == nullptr) return;
    const Vec<3> theta(value_of(increment[n.v]), value_of(increment[n.v + 1]), value_of(increment[n.v + 2]));
    const Mat<3> tangent = exponential_tangent(theta);
    for (int i = 0; i < 3; ++i) {
      const Vec<3, S> axis = R_J.m * tangent.col(i).template cast<S>();
      k[i].b_q = {axis, -axis.cross(r_J)};
    }
  }
}

/// A node behind its parent p; k: its coordinates.
template <int D, class S>
TR_INLINE void place_node(const TreeNode<D>& n, const NodeState<D, S>& p, const S* q, const S* increment, NodeState<D, S>& s,
                          DofState<D, S>* k) {
  Rotation<D, S> R_J = p.R;
  if constexpr (D == 3)
    if (!n.aligned) R_J = R_J * n.R_PJ.template cast<S>();
  const Vec<D, S> r_J = p.r + p.R * n.r_PJ.template cast<S>();
  Vec<D, S> r = r_J;
  switch (n.joint) {
    case NodeJoint::revolute:
      place_revolute(n, R_J, r_J, q[n.q], s, *k);
      k->b_q = k->b;
      break;
    case NodeJoint::prismatic: {
      const Vec<D, S> axis = R_J * n.slide.template cast<S>();
      s.R = R_J;
      r += axis * q[n.q];
      k->b = {zero<Angular<D, S>>(), axis};
      k->b_q = k->b;
      break;
    }
    case NodeJoint::spherical:
      place_spherical(n, R_J, r_J, q, increment, s, k);
      break;
    case NodeJoint::fixed:
      s.R = R_J;
      break;
  }
  s.r = r - s.R * n.r_BJ.template cast<S>();
}

template <int D, class S>
TR_FLATTEN void update_positions(const Tree<D>& tree, const S* q, const S* increment, TreeState<D, S>& state) {
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<D>& n = tree.nodes[j];
    place_node(n, state.nodes[n.parent], q, increment, state.nodes[j], state.dofs.data() + n.v);
  }
}

/// Inertia of the node's own body about the reference point.
template <int D, class S>
TR_INLINE Inertia<D, S> body_inertia(const TreeNode<D>& n, const NodeState<D, S>& s) {
  const Vec<D, S> r_C = s.r + s.R * n.r_BC.template cast<S>();
  if constexpr (D == 2)
    return Inertia<D, S>::of(S(n.mass), r_C, S(n.J_C));
  else
    return Inertia<D, S>::of(S(n.mass), r_C, s.R.m * n.J_C.template cast<S>() * s.R.m.transpose());
}

template <int D, class S>
TR_FLATTEN void update_rates(const Tree<D>& tree, const S* v, const S* a, TreeState<D, S>& state) {
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<D>& n = tree.nodes[j];
    const NodeState<D, S>& p = state.nodes[n.parent];
    NodeState<D, S>& s = state.nodes[j];
    // V = V_p + b v,  A = A_p + b a + (V_p x b) v
    s.V = p.V;
    s.A = p.A;
    for (int i = n.v; i < n.v + n.dofs; ++i) {
      DofState<D, S>& k = state.dofs[i];
      k.w = cross(p.V, k.b);
      s.V += k.b * v[i];
      s.A += k.b * a[i] + k.w * v[i];
    }
  }
}

template <int D, class S>
TR_FLATTEN void update_accelerations(const Tree<D>& tree, const S* v, const S* a, TreeState<D, S>& state) {
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<D>& n = tree.nodes[j];
    NodeState<D, S>& s = state.nodes[j];
    s.A = state.nodes[n.parent].A;
    for (int i = n.v; i < n.v + n.dofs; ++i) s.A += state.dofs[i].b * a[i] + state.dofs[i].w * v[i];
  }
}

template <int D, class S>
TR_FLATTEN void update_inertial_forces(const Tree<D>& tree, bool with_inertia, TreeState<D, S>& state) {
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<D>& n = tree.nodes[j];
    NodeState<D, S>& s = state.nodes[j];
    // f = I A + V x* I V
    s.I = body_inertia(n, s);
    const Force<D, S> h = s.I * s.V;
    s.F = s.I * s.A + cross(s.V, h);
    if (with_inertia) s.B = Coriolis<D, S>::of(s.I, s.V, h);
  }
}

template <int D, class S>
TR_FLATTEN void accumulate(const Tree<D>& tree, TreeState<D, S>& state, bool with_inertia, S* r) {
  for (std::size_t j = tree.nodes.size() - 1; j > 0; --j) {
    const TreeNode<D>& n = tree.nodes[j];
    NodeState<D, S>& s = state.nodes[j];
    for (int i = n.v; i < n.v + n.dofs; ++i) r[i] += dot(state.dofs[i].b, s.F);
    if (n.parent == 0) continue;
    NodeState<D, S>& p = state.nodes[n.parent];
    p.F += s.F;
    if (with_inertia) {
      p.I += s.I;
      p.B += s.B;
    }
  }
}

template <int D, class Entries>
TR_FLATTEN void inverse_dynamics_tangent(const Tree<D>& tree, TreeState<D>& state, double velocity_factor, double acceleration_factor,
                                         Entries& T) {
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<D>& n = tree.nodes[j];
    const NodeState<D>& s = state.nodes[j];
    for (int k = n.v; k < n.v + n.dofs; ++k) {
      DofState<D>& c = state.dofs[k];
      const Motion<D> u = n.dofs == 1 ? c.w : cross(s.V, c.b_q), Vb = n.dofs == 1 ? c.w : cross(s.V, c.b);
      c.y = u + c.b * velocity_factor;
      c.x = cross(s.A, c.b_q) - cross(u, s.V) + (c.w + Vb) * velocity_factor + c.b * acceleration_factor;
      const Force<D> X = s.I * c.x + s.B * c.y + cross(c.b_q, s.F);
      for (int i = n.v; i < n.v + n.dofs; ++i) T(i, k) += dot(state.dofs[i].b, X);
      const Force<D> Ib = s.I * c.b;
      const Angular<D> Bb = s.B.transpose_times(c.b);
      for (int m = n.parent; m > 0; m = tree.nodes[m].parent) {
        for (int i = tree.nodes[m].v; i < tree.nodes[m].v + tree.nodes[m].dofs; ++i) {
          const DofState<D>& e = state.dofs[i];
          T(i, k) += dot(e.b, X);
          T(k, i) += dot(e.x, Ib) + dot(e.y.angular, Bb);
        }
      }
    }
  }
}

template <int D, class Entries>
TR_FLATTEN void mass_matrix(const Tree<D>& tree, const TreeState<D>& state, Entries& T) {
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<D>& n = tree.nodes[j];
    for (int k = n.v; k < n.v + n.dofs; ++k) {
      const Force<D> Ib = state.nodes[j].I * state.dofs[k].b;
      for (int i = n.v; i < n.v + n.dofs; ++i) T(i, k) += dot(state.dofs[i].b, Ib);
      for (int m = n.parent; m > 0; m = tree.nodes[m].parent)
        for (int i = tree.nodes[m].v; i < tree.nodes[m].v + tree.nodes[m].dofs; ++i) {
          const double inertia = dot(state.dofs[i].b, Ib);
          T(i, k) += inertia;
          T(k, i) += inertia;
        }
    }
  }
}

template <int D>
double kinetic_energy(const Tree<D>& tree, const TreeState<D>& state) {
  double twice = 0;
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) twice += dot(state.nodes[j].V, state.nodes[j].I * state.nodes[j].V);
  return 0.5 * twice;
}

template <int D>
double potential_energy(const Tree<D>& tree, const TreeState<D>& state) {
  double energy = 0;
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<D>& n = tree.nodes[j];
    energy -= n.mass * tree.gravity.dot(state.nodes[j].r + state.nodes[j].R * n.r_BC);
  }
  return energy;
}

}  // namespace trunnion
