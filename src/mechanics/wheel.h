// The contact of a thin rolling disc with a plane: its point and directions, and their changes with the motion of disc and plane.
//   disc: centre C, unit axis e, radius R;   plane: point P, unit normal n;   c = n . e,  s = |n - c e| = sqrt(1 - c^2)
//   w   = (n - c e)/s              in the disc's plane, directed away from the plane
//   r_c = r_C - R w                the lowest point of the rim: the contact, wherever the disc has rolled
//   Phi = n . (r_C - r_P) - R s    its height
//   t_1 = e x n / s                rolling direction: forward for a positive rotation about e
//   t_2 = n x t_1                  lateral, to the side of e
// r_c minimises n . r on the rim, so that dPhi/dt = n . u exactly, with u the velocity there of the disc's material minus the
// plane's. Rolling without slip: t_1 . u = t_2 . u = 0. A disc that lies flat (s = 0) has no contact point.
// Source: J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the balance and steer of a
// bicycle, Proc. R. Soc. A 463 (2007), appendix B (knife-edge wheels), written for any plane.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "spatial/spatial.h"

namespace trunnion {

template <class S>
struct WheelContact {
  Vec<3, S> point;                // r_c [m]
  std::array<Vec<3, S>, 3> axes;  // n, t_1, t_2
  S sine;                         // s
};

/// Contact of a disc, all in one frame.
template <class S>
TR_INLINE WheelContact<S> wheel_contact(const Vec<3, S>& center, const Vec<3, S>& axis, const Vec<3, S>& normal, double radius) {
  const S c = normal.dot(axis), s = sqrt(1.0 - c * c);
  const Vec<3, S> t_1 = axis.cross(normal) / s;
  return {center - (normal - axis * c) * (radius / s), {normal, t_1, normal.cross(t_1)}, s};
}

/// Its first-order change for changes of centre, axis and normal; `sine` is that of s.
template <class S>
TR_INLINE WheelContact<S> wheel_contact_change(const WheelContact<S>& at, const Vec<3, S>& axis, double radius, const Vec<3, S>& d_center,
                                               const Vec<3, S>& d_axis, const Vec<3, S>& d_normal) {
  const Vec<3, S>&n = at.axes[0], &t_1 = at.axes[1];
  const S c = n.dot(axis), dc = d_normal.dot(axis) + n.dot(d_axis), ds = -c * dc / at.sine;
  const Vec<3, S> w = (n - axis * c) / at.sine, dw = (d_normal - d_axis * c - axis * dc - w * ds) / at.sine;
  const Vec<3, S> dt_1 = (d_axis.cross(n) + axis.cross(d_normal) - t_1 * ds) / at.sine;
  return {d_center - dw * S(radius), {d_normal, dt_1, d_normal.cross(t_1) + n.cross(dt_1)}, ds};
}

}  // namespace trunnion
