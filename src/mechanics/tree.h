// The tree of joints in relative coordinates: kinematics, inverse dynamics by recursion, its exact tangent, mass matrix.
//
// Node j is connected to its parent p by a joint with axes b_k (motion vectors about the reference point, ground axes):
//   V_j = V_p + sum b_k v_k                                       Jaiswal, Sopanen, Mikkola 2021 (friction), (1)
//   A_j = A_p + sum b_k a_k + (V_p x b_k) v_k                     (2);  ground: A = -gravity
//   f_j = I_j A_j + V_j x* I_j V_j,   F_j = sum of f over the subtree of j,   r_k = b_k . F_j          (5)-(8)
// so r = M(q) a - Q(q, v): the accumulated equations (8) without forming M.
//
// Tangent (derivation in docs/theory.md): with I, B, F accumulated over the subtree, B the Coriolis map of spatial.h,
// u_k = V_j x b_k and w_k = V_p x b_k, the change of F by coordinate k is
//   dF/dq_k = I (A_j x b_k - u_k x V_j) + B u_k + b_k x* F,   dF/dv_k = I (w_k + V_j x b_k) + B b_k,   dF/da_k = I b_k
// and r of a descendant i changes by (I_i b_i) . x_k + b_i . (B_i y_k) with the same x_k, y_k: O(bodies x depth) in all.
// Joints with three rotations keep their axes fixed in the parent; `b_q` then holds the axes along which the step's
// rotation increment turns the body (equal to b for one-axis joints).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/system_matrix.h"
#include "spatial/rotation3.h"
#include "spatial/spatial.h"

namespace trunnion {

enum class NodeJoint : unsigned char { revolute, prismatic, spherical, fixed };

/// One node of the tree: a joint and the rigid body behind it (possibly massless). Node 0 is the ground.
template <int D>
struct TreeNode {
  int parent = 0;
  NodeJoint joint = NodeJoint::revolute;
  int q = 0;                             // first coordinate in q (4 for spherical: unit quaternion w, x, y, z)
  int v = 0;                             // first velocity in v; increments use the same index
  int dofs = 1;                          // velocities: 1, 3 for spherical (angular velocity in the joint's zero frame), 0 for fixed
  Rotation<D> R_PJ;                      // joint frame at coordinate zero, in the parent's frame; identity in the plane
  bool aligned = D == 2;                 // R_PJ is the identity
  Vec<D> r_PJ = Vec<D>::Zero();          // [m] joint position, parent frame
  Angular<D> turn = zero<Angular<D>>();  // revolute: unit axis, joint frame
  Vec<D> slide = Vec<D>::Zero();         // prismatic: unit axis, joint frame
  Vec<D> r_BJ = Vec<D>::Zero();          // [m] joint position, body frame
  double mass = 0;                       // [kg]
  Vec<D> r_BC = Vec<D>::Zero();          // [m] centre of mass, body frame
  Tensor<D> J_C = zero<Tensor<D>>();     // [kg m2] about the centre of mass, body frame
};

template <int D>
struct Tree {
  std::vector<TreeNode<D>> nodes;  // parents before children; [0] is the ground
  std::vector<int> dof_node;       // node of each velocity
  int nq = 0, nv = 0;
  Vec<D> gravity = Vec<D>::Zero();  // [m/s2]

  /// The node itself, or the nearest before it that is not fixed to its parent; 0: the ground.
  int carrier(int node) const {
    while (node > 0 && nodes[static_cast<std::size_t>(node)].joint == NodeJoint::fixed) node = nodes[static_cast<std::size_t>(node)].parent;
    return node;
  }
  /// Then positions (quaternions) and velocities differ in kind.
  bool has_spherical_joints() const { return nq > nv; }
};

/// Results of the recursions for a node. Position stage: R, r. Velocity stage: V, A. Force stage: the rest.
template <int D, class S = double>
struct NodeState {
  Rotation<D, S> R;  // body axes -> ground axes
  Vec<D, S> r;       // [m] body origin from the reference point
  Motion<D, S> V;    // velocity
  Motion<D, S> A;    // spatial acceleration minus gravity
  Force<D, S> F;     // inertial minus body-fixed applied force; of the whole subtree after accumulation
  Inertia<D, S> I;   // of the whole subtree after accumulation
  Coriolis<D, S> B;  // likewise
};

/// Results of the recursions for a velocity coordinate.
template <int D, class S = double>
struct DofState {
  Motion<D, S> b;     // axis (position stage)
  Motion<D, S> b_q;   // axis of position increments (position stage)
  Motion<D, S> w;     // V_parent x b (velocity stage)
  Motion<D, S> x, y;  // tangent stage
};

template <int D, class S = double>
struct TreeState {
  std::vector<NodeState<D, S>> nodes;
  std::vector<DofState<D, S>> dofs;
  explicit TreeState(const Tree<D>& tree);
};

/// q_out = q (+) increment: the configuration after tangent-space increment (sizes nq, nv).
template <int D, class S>
void advance_configuration(const Tree<D>& tree, const double* q, const S* increment, S* q_out);

/// The increment that leads from configuration `from` to `to`, rotations at most pi: to = from (+) increment.
template <int D>
void configuration_difference(const Tree<D>& tree, const double* from, const double* to, double* increment);

/// Position stage. `increment` (may be null: zero) is the step increment along which b_q is taken.
template <int D, class S>
void update_positions(const Tree<D>& tree, const S* q, const S* increment, TreeState<D, S>& state);

/// Velocity stage: V and A of every node, w of every coordinate.
template <int D, class S>
void update_rates(const Tree<D>& tree, const S* v, const S* a, TreeState<D, S>& state);

/// The velocity stage again, if only `a` has changed.
template <int D, class S>
void update_accelerations(const Tree<D>& tree, const S* v, const S* a, TreeState<D, S>& state);

/// Force stage: own inertia and inertial force of every node, and its Coriolis map if a tangent will follow.
template <int D, class S>
void update_inertial_forces(const Tree<D>& tree, bool with_inertia, TreeState<D, S>& state);

/// Sums F (and I, B when `with_inertia`) over subtrees and adds b . F to r (size nv).
template <int D, class S>
void accumulate(const Tree<D>& tree, TreeState<D, S>& state, bool with_inertia, S* r);

/// After accumulate(with_inertia): T += dr/dq + velocity_factor dr/dv + acceleration_factor dr/da, nv x nv; column k along
/// increment k. `Entries`: base/system_matrix.h.
template <int D, class Entries>
void inverse_dynamics_tangent(const Tree<D>& tree, TreeState<D>& state, double velocity_factor, double acceleration_factor, Entries& T);

/// After accumulate(with_inertia): T += M(q), nv x nv.
template <int D, class Entries>
void mass_matrix(const Tree<D>& tree, const TreeState<D>& state, Entries& T);

/// M_kk: the inertia of coordinate k with all others locked.
template <int D>
TR_INLINE double own_inertia(const Tree<D>& tree, const TreeState<D>& state, int k) {
  return dot(state.dofs[k].b, state.nodes[tree.dof_node[k]].I * state.dofs[k].b);
}

/// Kinetic energy [J] after the force stage, before accumulation.
template <int D>
double kinetic_energy(const Tree<D>& tree, const TreeState<D>& state);
/// Potential energy of gravity [J], zero at the reference point; after the position stage.
template <int D>
double potential_energy(const Tree<D>& tree, const TreeState<D>& state);

}  // namespace trunnion
