// Reference: Eigen's rotations, central differences, closed forms in extended precision.
// SPDX-License-Identifier: BSD-3-Clause
#include "spatial/rotation3.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace trunnion {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kEntryTolerance = 1e-15;  // of an entry of a rotation matrix, a few operations

Vec<3> direction(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> entry(-1, 1);
  const double x = entry(random), y = entry(random), z = entry(random);
  return Vec<3>(x, y, z).normalized();
}
Mat<3> exponential(const Vec<3>& theta) {
  const double angle = theta.norm();
  return angle > 0 ? axis_angle(Vec<3>(theta / angle), angle) : Mat<3>(Mat<3>::Identity());
}
double largest(const Mat<3>& m) { return m.cwiseAbs().maxCoeff(); }

TEST(Rotation3, AxisAndAngleAgreeWithEigen) {
  for (unsigned i = 0; i < 20; ++i) {
    const Vec<3> u = direction(i);
    const double angle = -7 + 0.7 * i;
    EXPECT_LT(largest(axis_angle(u, angle) - Eigen::AngleAxisd(angle, u).toRotationMatrix()), 2 * kEntryTolerance);
  }
}

TEST(Rotation3, ExponentialTangentIsTheDerivativeOfTheExponential) {
  constexpr double kStep = 1e-5;
  for (double size : {0.0, 1e-6, 9e-4, 1.1e-3, 0.1, 1.0, 3.0, 6.0})
    for (unsigned i = 0; i < 5; ++i) {
      const Vec<3> theta = size * direction(i), d = direction(100 + i);
      const Vec<3> turn = rotation_vector(exponential(theta + kStep * d) * exponential(theta - kStep * d).transpose()) / (2 * kStep);
      // differences: kStep^2 by truncation, 1e-16 / kStep by rounding
      EXPECT_LT((exponential_tangent(theta) * d - turn).norm(), 2e-10) << size;
    }
}

/// The tangent in the outer frame is the rotation times that in the inner frame, its transpose.
TEST(Rotation3, ExponentialTangentIsTurnedIntoItsTransposeByTheRotation) {
  for (double size : {0.0, 1e-8, 1e-5, 0.99e-3, 1.01e-3, 0.1, 1.0, 3.0, 6.0, 12.0}) {
    const Vec<3> theta = size * direction(3);
    const Mat<3> T = exponential_tangent(theta);
    // at the limit of the series, 1e-3, (1 - cos t) / t^2 has lost six digits, and it is multiplied by t
    EXPECT_LT(largest(exponential(theta) * T.transpose() - T), 1e-12) << size;
    EXPECT_LT((T * theta - theta).norm(), kEntryTolerance * (1 + size)) << size;
  }
}

TEST(Rotation3, RotatingAQuaternionComposesRotations) {
  for (unsigned i = 0; i < 20; ++i) {
    const Vec<3> theta = (0.01 + 0.35 * i) * direction(i);  // past full turns
    const Mat<3> R = axis_angle(direction(50 + i), 0.4 * i);
    const auto e = matrix_quaternion(R);
    double out[4];
    quaternion_rotate(e.data(), theta, out);
    EXPECT_LT(largest(quaternion_matrix(out) - exponential(theta) * R), 4 * kEntryTolerance) << i;
    EXPECT_NEAR(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3], 1, kEntryTolerance);
    double again[4] = {e[0], e[1], e[2], e[3]};
    quaternion_rotate(again, theta, again);  // in place
    for (int k = 0; k < 4; ++k) EXPECT_EQ(again[k], out[k]);
  }
}

TEST(Rotation3, SmallRotationsOfAQuaternionAreExact) {
  const double unit[4] = {1, 0, 0, 0};
  for (double size : {0.0, 1e-300, 1e-12, 1e-5, 0.999e-4, 1.001e-4, 1e-3}) {  // the series ends at 1e-4
    const Vec<3> u = direction(9);
    double out[4];
    quaternion_rotate(unit, Vec<3>(size * u), out);
    const auto half_sine = static_cast<double>(std::sin(static_cast<long double>(size) / 2));
    EXPECT_NEAR(out[0], std::cos(size / 2), 2e-16);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(out[1 + k], half_sine * u[k], 3e-16 * half_sine) << size;
  }
}

TEST(Rotation3, RotatingAQuaternionIsDifferentiableAtZero) {
  using S = Dual<3>;
  const Mat<3> R = axis_angle(direction(4), 1.2);
  const auto e = matrix_quaternion(R);
  for (double size : {0.0, 5e-5, 2e-4, 0.7}) {
    const Vec<3> theta = size * direction(5);
    const S e_dual[4] = {e[0], e[1], e[2], e[3]};
    S out[4];
    quaternion_rotate(e_dual, Vec<3, S>(S::variable(theta[0], 0), S::variable(theta[1], 1), S::variable(theta[2], 2)), out);
    const Mat<3, S> turned = quaternion_matrix(out);
    const Mat<3> T = exponential_tangent(theta), now = exponential(theta) * R;
    for (int k = 0; k < 3; ++k) {
      const Mat<3> expected = Coriolis<3>::skew(T.col(k)) * now;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(turned(i, j).d[k], expected(i, j), 1e-11) << size;  // 1e-16 / 2e-4 of sin(t/2)/t's slope
    }
  }
}

TEST(Rotation3, RollPitchYawTurnAboutFixedAxesInThisOrder) {
  EXPECT_LT(largest(roll_pitch_yaw({0.3, 0, 0}) - Eigen::AngleAxisd(0.3, Vec<3>::UnitX()).toRotationMatrix()), kEntryTolerance);
  EXPECT_LT(largest(roll_pitch_yaw({0, 0.3, 0}) - Eigen::AngleAxisd(0.3, Vec<3>::UnitY()).toRotationMatrix()), kEntryTolerance);
  EXPECT_LT(largest(roll_pitch_yaw({0, 0, 0.3}) - Eigen::AngleAxisd(0.3, Vec<3>::UnitZ()).toRotationMatrix()), kEntryTolerance);
  // a quarter turn about x maps y to z; then one about z leaves it: y -> z
  EXPECT_LT((roll_pitch_yaw({kPi / 2, 0, kPi / 2}) * Vec<3>::UnitY() - Vec<3>::UnitZ()).norm(), kEntryTolerance);
  // x is unchanged by the first rotation and mapped to y by the second
  EXPECT_LT((roll_pitch_yaw({kPi / 2, 0, kPi / 2}) * Vec<3>::UnitX() - Vec<3>::UnitY()).norm(), kEntryTolerance);
}

TEST(Rotation3, RollPitchYawAreFoundAgain) {
  for (unsigned i = 0; i < 40; ++i)
    for (double angle : {0.0, 1e-9, 0.2, 2.0, kPi, 4.0}) {
      const Mat<3> R = axis_angle(direction(i), angle);
      EXPECT_LT(largest(roll_pitch_yaw(roll_pitch_yaw_of(R)) - R), 8 * kEntryTolerance) << i << " " << angle;
    }
  for (double pitch : {-kPi / 2, kPi / 2})  // roll and yaw are about one axis there
    for (double roll : {-2.0, 0.3}) {
      const Mat<3> R = roll_pitch_yaw({roll, pitch, 0.7});
      EXPECT_LT(largest(roll_pitch_yaw(roll_pitch_yaw_of(R)) - R), 8 * kEntryTolerance) << pitch << " " << roll;
    }
}

TEST(Rotation3, RotationVectorInvertsTheExponential) {
  for (double size : {0.0, 1e-12, 1e-6, 0.1, 1.0, 3.0, kPi - 1e-6})
    for (unsigned i = 0; i < 10; ++i) {
      const Vec<3> theta = size * direction(i);
      EXPECT_LT((rotation_vector(exponential(theta)) - theta).norm(), 1e-15 * (1 + size)) << size;
    }
}

TEST(Rotation3, RotationVectorTakesTheShortWay) {
  const Vec<3> u = direction(2);
  EXPECT_LT((rotation_vector(axis_angle(u, 5.0)) - (5.0 - 2 * kPi) * u).norm(), 1e-14);
  const Vec<3> half = rotation_vector(axis_angle(u, kPi));  // either sign is right
  EXPECT_NEAR(half.norm(), kPi, 1e-15);
  EXPECT_NEAR(std::abs(half.dot(u)), kPi, 1e-14);
}

TEST(Rotation3, QuaternionOfAMatrixIsUnitWithScalarPartNotNegative) {
  for (unsigned i = 0; i < 40; ++i)
    for (double angle : {0.0, 0.2, 2.0, kPi, 4.0, 6.0}) {
      const Mat<3> R = axis_angle(direction(i), angle);
      const auto e = matrix_quaternion(R);
      EXPECT_GE(e[0], 0);
      EXPECT_NEAR(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3], 1, kEntryTolerance);
      EXPECT_LT(largest(quaternion_matrix(e.data()) - R), 4 * kEntryTolerance);
    }
}

}  // namespace
}  // namespace trunnion
