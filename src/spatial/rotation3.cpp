// Rotations in space: exponential map, rotation vectors, roll-pitch-yaw, quaternions.
// SPDX-License-Identifier: BSD-3-Clause
#include "spatial/rotation3.h"

namespace trunnion {

Mat<3> exponential_tangent(const Vec<3>& theta) {
  const double t2 = theta.squaredNorm();
  // (1 - cos t)/t^2 and (t - sin t)/t^3, by series where they cancel
  double a = 0.5 - t2 / 24, b = 1.0 / 6 - t2 / 120;
  if (t2 > 1e-6) {
    const double t = std::sqrt(t2);
    a = (1 - std::cos(t)) / t2;
    b = (t - std::sin(t)) / (t2 * t);
  }
  const Mat<3> W = Coriolis<3>::skew(theta);
  return Mat<3>::Identity() + a * W + b * W * W;
}

Vec<3> rotation_vector(const Mat<3>& R) {
  if (kTangents) {  // smooth about no rotation
    const std::array<double, 4> e = matrix_quaternion(R);
    const Vec<3> v(e[1], e[2], e[3]);
    const double s2 = v.squaredNorm(), w = e[0];
    if (s2 < 1e-8) return 2 / w * (1 - s2 / (3 * w * w)) * v;
  }
  const Eigen::AngleAxisd aa(R);
  return aa.angle() * aa.axis();
}

Mat<3> roll_pitch_yaw(const std::array<double, 3>& angles) {
  return axis_angle(Vec<3>::UnitZ(), angles[2]) * axis_angle(Vec<3>::UnitY(), angles[1]) * axis_angle(Vec<3>::UnitX(), angles[0]);
}

std::array<double, 3> roll_pitch_yaw_of(const Mat<3>& R) {
  // roll from R without yaw, so that their sum is right if both axes coincide
  const double yaw = std::atan2(R(1, 0), R(0, 0)), c = std::cos(yaw), s = std::sin(yaw);
  return {std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1)), std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))), yaw};
}

std::array<double, 4> matrix_quaternion(const Mat<3>& R) {
  Eigen::Quaterniond e(R);
  e.normalize();
  const double sign = e.w() < 0 ? -1 : 1;
  return {sign * e.w(), sign * e.x(), sign * e.y(), sign * e.z()};
}

}  // namespace trunnion
