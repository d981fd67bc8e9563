// The angle between two bodies about an axis, as a function of their orientations: of cut joints, whose angle is not a coordinate.
//   plane   s = s_0 + t (theta_B - theta_A),  t = +1 or -1: not wrapped
//   space   tan s = y / x,  x = a . b,  y = (c x a) . b,  z = c . b       c the axis and a fixed in A, b in B, a across c
//           s_k = g . b_k,  g = c - z (x a + y c x a)/(x^2 + y^2)         c where the joint holds, z = 0; exact where it does not
// Source: derivative of atan2 for a turn w of B, db = w x b.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <numbers>

#include "mechanics/tree.h"

namespace trunnion {

/// The angle [rad] closest to `near` that differs from `angle` by whole turns.
template <class S>
S unwrapped(const S& angle, double near) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle + kTurn * std::round((near - value_of(angle)) / kTurn);
}

/// An angle in space: directions fixed in its bodies.
struct JointAngle {
  Vec<3> axis = Vec<3>::UnitZ(), from = Vec<3>::UnitX();  // c and a, node frame of A
  Vec<3> to = Vec<3>::UnitX();                            // b, node frame of B
};

/// At the orientations of its bodies, ground axes.
template <class S = double>
struct JointAngleState {
  Vec<3, S> c, a, e, b;  // e = c x a
  S x, y, z;

  static JointAngleState at(const JointAngle& angle, const Rotation<3, S>& R_A, const Rotation<3, S>& R_B) {
    const Vec<3, S> c = R_A * Vec<3, S>(angle.axis.cast<S>()), a = R_A * Vec<3, S>(angle.from.cast<S>()), e = c.cross(a),
                    b = R_B * Vec<3, S>(angle.to.cast<S>());
    return {c, a, e, b, a.dot(b), e.dot(b), c.dot(b)};
  }
  template <class T>
  JointAngleState<T> cast() const {
    return {c.template cast<T>(), a.template cast<T>(), e.template cast<T>(), b.template cast<T>(), T(x), T(y), T(z)};
  }

  /// g: change of the angle per turn of B relative to A.
  Vec<3, S> gradient() const { return c - (a * x + e * y) * (z / (x * x + y * y)); }
  /// Change of g by a turn w of B.
  Vec<3, S> gradient_change(const Vec<3, S>& w) const {
    const Vec<3, S> db = w.cross(b), h = a * x + e * y;
    const S dx = a.dot(db), dy = e.dot(db), dz = c.dot(db), square = x * x + y * y;
    return (h * ((z * S(2) * (x * dx + y * dy)) / square - dz) - (a * dx + e * dy) * z) / square;
  }
  /// ... by turns of both: turned together, g turns with them.
  Vec<3, S> gradient_change(const Vec<3, S>& w_A, const Vec<3, S>& w_B) const {
    return w_A.cross(gradient()) + gradient_change(Vec<3, S>(w_B - w_A));
  }
};

}  // namespace trunnion
