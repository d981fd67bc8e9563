// The contact of a disc with a plane: by its definition, and its derivatives compared with dual numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/wheel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/random_mechanism.h"

namespace trunnion {
namespace {

Vec<3> random_vector(std::mt19937& random) {
  const std::vector<double> x = test::random_numbers(random, 3, 1);
  return {x[0], x[1], x[2]};
}

TEST(Wheel, ContactIsTheLowestPointOfTheRim) {
  std::mt19937 random(1);
  constexpr double kRadius = 0.7;
  for (int trial = 0; trial < 20; ++trial) {
    const Vec<3> C = random_vector(random), e = random_vector(random).normalized(), n = random_vector(random).normalized();
    const WheelContact<double> contact = wheel_contact<double>(C, e, n, kRadius);
    EXPECT_NEAR((contact.point - C).norm(), kRadius, 1e-14);
    EXPECT_NEAR((contact.point - C).dot(e), 0, 1e-14);
    const Vec<3> a = e.unitOrthogonal(), b = e.cross(a);
    for (int k = 0; k < 100; ++k) {
      const double angle = 2 * std::numbers::pi * k / 100;
      EXPECT_GE(n.dot(C + kRadius * (std::cos(angle) * a + std::sin(angle) * b)), n.dot(contact.point) - 1e-14);
    }
    EXPECT_NEAR(n.dot(contact.point), n.dot(C) - kRadius * contact.sine, 1e-14);
    // a rotation about the axis moves the material at the contact backwards, the centre forwards
    EXPECT_LT(e.cross(contact.point - C).dot(contact.axes[1]), 0);
    EXPECT_NEAR(contact.axes[1].norm(), 1, 1e-14);
    EXPECT_NEAR(contact.axes[1].dot(n), 0, 1e-14);
    EXPECT_NEAR(contact.axes[1].dot(e), 0, 1e-14);
    EXPECT_GT(contact.axes[2].dot(e), 0);
  }
}

TEST(Wheel, ChangeIsItsDerivative) {
  using S = Dual<1>;
  std::mt19937 random(2);
  const auto along = [](const Vec<3>& x, const Vec<3>& dx) {
    Vec<3, S> out;
    for (int i = 0; i < 3; ++i) {
      out[i] = S(x[i]);
      out[i].d[0] = dx[i];
    }
    return out;
  };
  for (int trial = 0; trial < 20; ++trial) {
    const Vec<3> C = random_vector(random), e = random_vector(random).normalized(), n = random_vector(random).normalized();
    const Vec<3> dC = random_vector(random), de = random_vector(random).cross(e), dn = random_vector(random).cross(n);
    const WheelContact<double> at = wheel_contact<double>(C, e, n, 0.4), change = wheel_contact_change<double>(at, e, 0.4, dC, de, dn);
    const WheelContact<S> expected = wheel_contact<S>(along(C, dC), along(e, de), along(n, dn), 0.4);
    const double tolerance = 1e-13 / std::pow(at.sine, 3);
    EXPECT_NEAR(change.sine, expected.sine.d[0], tolerance);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(change.point[i], expected.point[i].d[0], tolerance);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(change.axes[k][i], expected.axes[k][i].d[0], tolerance);
    }
  }
}

}  // namespace
}  // namespace trunnion
