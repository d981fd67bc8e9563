// Polynomials through communication points: exact for polynomials of their order, at any spacing.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/extrapolation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace trunnion {
namespace {

constexpr std::array<double, 4> kTimes{2.0, 1.7, 1.65, 0.9};  // newest first, of any spacing

/// sum_k (k + 1) t^k up to an order, and its derivative.
double power_sum(int order, double t) {
  double x = 0;
  for (int k = 0; k <= order; ++k) x += (k + 1) * std::pow(t, k);
  return x;
}
double slope_of_sum(int order, double t) {
  double x = 0;
  for (int k = 1; k <= order; ++k) x += k * (k + 1) * std::pow(t, k - 1);
  return x;
}
std::array<double, 4> values(int order) {
  std::array<double, 4> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = power_sum(order, kTimes[i]);
  return x;
}

TEST(Lagrange, IsExactOnPolynomialsOfItsOrder) {
  for (int order = 0; order <= 3; ++order) {
    const TimePolynomial course = lagrange(kTimes.data(), values(order).data(), order + 1);
    EXPECT_EQ(course.begin, 2.0);
    for (double t : {0.5, 1.0, 1.68, 2.0, 2.4}) {
      EXPECT_NEAR(course.value(t), power_sum(order, t), 1e-11) << order << " at " << t;
      EXPECT_NEAR(course.at(t).rate, slope_of_sum(order, t), 1e-10) << order << " at " << t;
    }
  }
}

TEST(Lagrange, GoesThroughItsPoints) {
  const std::array<double, 4> x{3, -1, 4, 1};
  const TimePolynomial course = lagrange(kTimes.data(), x.data(), 4);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(course.value(kTimes[i]), x[i], 1e-10);
}

TEST(Hermite, HasTheDerivativeAtTheNewestPointAndOneOrderMore) {
  for (int order = 0; order <= 3; ++order) {
    const TimePolynomial course = hermite(kTimes.data(), values(order + 1).data(), order + 1, slope_of_sum(order + 1, kTimes[0]));
    for (double t : {0.5, 1.0, 1.68, 2.0, 2.4}) EXPECT_NEAR(course.value(t), power_sum(order + 1, t), 1e-10) << order << " at " << t;
  }
  const std::array<double, 2> x{5, 1};
  EXPECT_DOUBLE_EQ(hermite(kTimes.data(), x.data(), 2, -7).at(2.0).rate, -7);
}

TEST(Integral, HasItsRateAsDerivative) {
  const TimePolynomial rate = hermite(kTimes.data(), values(4).data(), 4, slope_of_sum(4, kTimes[0]));
  const TimePolynomial length = integral(0.25, rate);
  EXPECT_DOUBLE_EQ(length.value(2.0), 0.25);
  for (double t : {1.5, 2.0, 2.3}) EXPECT_NEAR(length.at(t).rate, rate.value(t), 1e-11);
}

}  // namespace
}  // namespace trunnion
