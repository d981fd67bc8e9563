// Rotations in space: axis and angle, unit quaternions, exponential map and its tangent, roll-pitch-yaw.
// Storage of spherical joints is a unit quaternion (w, x, y, z); increments are rotation vectors in the parent's frame.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>
#include <array>

#include "spatial/spatial.h"

namespace trunnion {

/// Rotation matrix about unit `axis` by `angle` [rad] (Rodrigues).
template <class S>
Mat<3, S> axis_angle(const Vec<3>& axis, const S& angle) {
  const S c = cos(angle), s = sin(angle), k = S(1) - c;
  Mat<3, S> R;
  const double x = axis.x(), y = axis.y(), z = axis.z();
  R << c + k * (x * x), k * (x * y) - s * z, k * (x * z) + s * y,  //
      k * (x * y) + s * z, c + k * (y * y), k * (y * z) - s * x,   //
      k * (x * z) - s * y, k * (y * z) + s * x, c + k * (z * z);
  return R;
}

/// Rotation matrix of a unit quaternion (w, x, y, z).
template <class S>
Mat<3, S> quaternion_matrix(const S* e) {
  const S &w = e[0], &x = e[1], &y = e[2], &z = e[3];
  Mat<3, S> R;
  R << S(1) - S(2) * (y * y + z * z), S(2) * (x * y - w * z), S(2) * (x * z + w * y),  //
      S(2) * (x * y + w * z), S(1) - S(2) * (x * x + z * z), S(2) * (y * z - w * x),   //
      S(2) * (x * z - w * y), S(2) * (y * z + w * x), S(1) - S(2) * (x * x + y * y);
  return R;
}

/// out = exp(theta) * e: rotation e followed by rotation vector theta in the outer (parent) frame, normalised.
template <class S>
void quaternion_rotate(const S* e, const Vec<3, S>& theta, S* out) {
  const S t2 = theta.squaredNorm();
  // sin(t/2)/t and cos(t/2), by series near zero so that they stay smooth
  S k, c;
  if (value_of(t2) < 1e-8) {
    k = S(0.5) - t2 / S(48);
    c = S(1) - t2 / S(8);
  } else {
    const S t = sqrt(t2);
    k = sin(t * S(0.5)) / t;
    c = cos(t * S(0.5));
  }
  const S x = k * theta.x(), y = k * theta.y(), z = k * theta.z();
  const S w0 = c * e[0] - x * e[1] - y * e[2] - z * e[3];
  const S x0 = c * e[1] + x * e[0] + y * e[3] - z * e[2];
  const S y0 = c * e[2] + y * e[0] + z * e[1] - x * e[3];
  const S z0 = c * e[3] + z * e[0] + x * e[2] - y * e[1];
  const S n = S(1) / sqrt(w0 * w0 + x0 * x0 + y0 * y0 + z0 * z0);
  out[0] = w0 * n;
  out[1] = x0 * n;
  out[2] = y0 * n;
  out[3] = z0 * n;
}

/// Tangent of the exponential map in the outer frame: d(exp(theta)) exp(-theta) = tangent(theta) d theta.
Mat<3> exponential_tangent(const Vec<3>& theta);
/// Rotation vector of a rotation matrix, of length at most pi.
Vec<3> rotation_vector(const Mat<3>& R);
/// Rz(yaw) Ry(pitch) Rx(roll).
Mat<3> roll_pitch_yaw(const std::array<double, 3>& angles);
/// Roll, pitch, yaw of a rotation matrix, the inverse of roll_pitch_yaw; |pitch| <= pi/2.
std::array<double, 3> roll_pitch_yaw_of(const Mat<3>& R);
/// The unit quaternion (w, x, y, z), w >= 0, of a rotation matrix.
std::array<double, 4> matrix_quaternion(const Mat<3>& R);

}  // namespace trunnion
