// Coordinates of a joint between bodies A and B, computed from their motion where they are not coordinates of the tree:
//   displacement   x = a . (r_Q - r_P)                         a fixed in A; rate and acceleration as those of a point row (constraint.h)
//   angle, plane   phi = t (theta_B - theta_A)                 absolute angles, t = +1 or -1: not wrapped
//   angle, space   tan phi = c . (a x b) / (a . b)             c the joint's axis, a fixed in A, b in B, both across c
//                  phi' = c . (w_B - w_A)                      c fixed in A or in B
//   pointing       tan phi = y / x                             plane, B a point mass: x, y its position in A's frame turned to phi = 0
//   spherical      e = e_AJ* e_A* e_B                          unit quaternions; w = R_AJ^T R_A^T (w_B - w_A)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "mechanics/constraint.h"
#include "mechanics/tree.h"

namespace trunnion {

enum class JointReadingKind : unsigned char { displacement, angle, pointing, spherical };

template <int D>
struct JointReading {
  JointReadingKind kind = JointReadingKind::angle;
  ConstraintGroup<D> place;  // bodies A and B; displacement: one row, along the axis; pointing: two rows, x and y
  // angle in the plane: coordinates of the bodies' angles (-1: the ground's), and t; pointing: t
  int q_A = -1, q_B = -1, v_A = -1, v_B = -1;
  double turn = 1;
  // angle in space: a in A, b in B, c in one of them
  Vec<D> from = Vec<D>::Zero(), to = Vec<D>::Zero(), axis = Vec<D>::Zero();
  bool axis_in_B = false;
  // spherical: e_AJ and the indices of the bodies' quaternions (q_A, q_B)
  std::array<double, 4> e_AJ{1, 0, 0, 0};
  Rotation<D> R_AJ;
  double start = 0;  // [rad] angle in space, pointing: value at the start, from which rotations are counted
};

/// Result of a reading: one position, rate and acceleration; of a spherical joint four and three.
template <class S = double>
struct JointValue {
  std::array<S, 4> position{};      // [m, rad, -] angle in space and pointing: within half a turn of `near`
  std::array<S, 3> rate{};          // [m/s, rad/s]
  std::array<S, 3> acceleration{};  // [m/s2, rad/s2]
};

/// After update_positions and update_rates of the tree. `near`: the last angle, so that it continues beyond half a turn.
template <int D, class S>
JointValue<S> read_joint(const JointReading<D>& reading, const TreeState<D, S>& tree, const S* q, const S* v, const S* a, double near);

}  // namespace trunnion
