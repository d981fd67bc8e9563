// Set-valued functions and scalar equations of the quasistatic hydraulics. Reference: definitions, the equations themselves, hand values.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/set_valued.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "hydraulics/quasistatic/bracketed_root.h"

namespace trunnion {
namespace {

TEST(NormalCone, PointsOutwardsAtTheEndsOnly) {
  const Interval set{-1, 3};
  EXPECT_EQ(normal_cone(set, 0).lower, 0);
  EXPECT_EQ(normal_cone(set, 0).upper, 0);
  EXPECT_EQ(normal_cone(set, 3).lower, 0);
  EXPECT_EQ(normal_cone(set, 3).upper, kInfinity);
  EXPECT_EQ(normal_cone(set, -1).lower, -kInfinity);
  EXPECT_EQ(normal_cone(set, -1).upper, 0);
  EXPECT_TRUE(normal_cone(set, 3.1).is_empty());
  EXPECT_TRUE(normal_cone(set, -1.1).is_empty());
  EXPECT_TRUE(normal_cone({0, kInfinity}, 1e300).contains(0));
}

TEST(NormalCone, IsTheInverseOfTheSetValuedSign) {
  const double A = -1, B = 3;
  for (double x : {-2.0, -1.0, -0.5, 0.0, 2.0, 3.0, 4.0})
    for (double y : {-2.0, -1e-9, 0.0, 1e-9, 5.0})
      EXPECT_EQ(normal_cone({A, B}, x).contains(y), gsgn(A, y, B).contains(x)) << x << " " << y;
}

TEST(NormalCone, ProjectionIsWhereTheRestPointsOutwards) {
  const Interval set{-1, 3};
  for (double a : {-7.0, -1.0, 0.25, 3.0, 11.0})
    for (double x : {-1.0, 0.25, 1.0, 3.0}) EXPECT_EQ(normal_cone(set, x).contains(a - x), x == project(-1, 3, a)) << a << " " << x;
}

TEST(SetValuedSign, TakesAllBetweenAtZeroInAnyOrder) {
  for (const auto& [a, b] : {std::pair{-1.0, 2.0}, std::pair{2.0, -1.0}}) {
    EXPECT_EQ(gsgn(a, 0, b).lower, -1);
    EXPECT_EQ(gsgn(a, 0, b).upper, 2);
    EXPECT_EQ(gsgn(a, 1e-300, b).lower, b);
    EXPECT_EQ(gsgn(a, 1e-300, b).upper, b);
    EXPECT_EQ(gsgn(a, -1e-300, b).lower, a);
    EXPECT_EQ(gsgn(a, -1e-300, b).upper, a);
  }
}

TEST(Interval, DifferenceHoldsAllDifferences) {
  const Interval d = Interval(1, 2) - Interval(-3, 5);
  EXPECT_EQ(d.lower, -4);
  EXPECT_EQ(d.upper, 5);
}

TEST(SignedSquare, AndSignedRootAreInverse) {
  EXPECT_EQ(signed_square(-3), -9);
  EXPECT_EQ(signed_square(3), 9);
  EXPECT_EQ(signed_root(-9), -3);
  for (double x : {-2.5, -1.0, 0.0, 0.5, 4.0}) EXPECT_DOUBLE_EQ(signed_root(signed_square(x)), x);
}

TEST(SeriesSquare, AddsReciprocalSquares) {
  EXPECT_DOUBLE_EQ(series_square(3, 4), 1 / (1.0 / 9 + 1.0 / 16));
  EXPECT_EQ(series_square(0, 4), 0);
  EXPECT_EQ(series_square(3, 0), 0);
  EXPECT_EQ(series_square(0, 0), 0);
}

TEST(PositiveRoot, SolvesItsQuadraticAndItsLimits) {
  EXPECT_DOUBLE_EQ(positive_root(2, 3, 5), 1);
  EXPECT_DOUBLE_EQ(positive_root(0, 4, 2), 0.5);
  EXPECT_DOUBLE_EQ(positive_root(4, 0, 9), 1.5);
  EXPECT_EQ(positive_root(0, 0, 1), kInfinity);
  EXPECT_EQ(positive_root(0, 0, 0), 0);
  EXPECT_EQ(positive_root(1e-30, 1, 1), 1);  // -b + sqrt(b^2 + 4 a c) would be 0
}

double log_uniform(std::mt19937_64& random, double lower, double upper) {
  return std::exp(std::uniform_real_distribution<double>(std::log(lower), std::log(upper))(random));
}

TEST(PhiA, SolvesItsEquation) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 5000; ++i) {
    const double a = log_uniform(random, 1e-12, 1e3), b = log_uniform(random, 1e-3, 1e9), size = log_uniform(random, 1e-3, 1e9);
    const double c = i % 2 ? size : -size, x = phi_a(b, c, a);
    EXPECT_NEAR(signed_square(x) / a + b * x + c, 0, 1e-14 * size) << a << " " << b << " " << c;
  }
}

TEST(PhiA, KeepsItsDigitsWhereThePrintedFormLosesThem) {
  // a b^2 >> |c|: x = -c / b (1 - |c| / (a b^2) + ...)
  const double a = 1, b = 1e9, c = 3;
  EXPECT_NEAR(phi_a(b, c, a), -3e-9, 1e-24);
  EXPECT_GT(std::abs(-(std::sqrt(a * a * b * b + 4 * a * c) - a * b) / 2 + 3e-9), 1e-9);
}

TEST(PhiA, IsZeroForAShutValve) {
  for (double c : {-4.0, 0.0, 4.0}) EXPECT_EQ(phi_a(10, c, 0), 0);
  EXPECT_EQ(phi_a(10, 0, 1), 0);
}

TEST(PhiB, SolvesItsEquationInAllItsBranches) {
  std::mt19937_64 random(2);
  int branch[2][2] = {};
  for (int i = 0; i < 20000; ++i) {
    const double a0 = log_uniform(random, 1e-10, 1e-2), a1 = i % 7 ? log_uniform(random, 1e-10, 1e-2) : a0,
                 b = log_uniform(random, 1e2, 1e9);
    const double x1 = (i & 1 ? 1 : -1) * log_uniform(random, 1e-3, 1e2), c = (i & 2 ? 1 : -1) * log_uniform(random, 1e2, 1e9);
    const double x = phi_b(b, c, a0, a1, x1);
    // the left side changes sign within rounding of x
    const auto left = [&](double at) { return signed_square(at) / a0 + signed_square(at - x1) / a1 + b * at + c; };
    const double rounding = 2e-15 * (std::abs(x) + std::abs(x1) + std::abs(c) / b * 1e-2);
    EXPECT_LE(left(x - rounding), 0) << a0 << " " << a1 << " " << b << " " << c << " " << x1;
    EXPECT_GE(left(x + rounding), 0) << a0 << " " << a1 << " " << b << " " << c << " " << x1;
    ++branch[x > 0][x > x1];
  }
  for (const auto& row : branch)
    for (int count : row) EXPECT_GT(count, 500);
}

TEST(PhiB, HasItsLimitsForShutValves) {
  EXPECT_EQ(phi_b(10, 3, 0, 1e-3, 0.5), 0);
  EXPECT_EQ(phi_b(10, 3, 1e-3, 0, 0.5), 0.5);
  EXPECT_EQ(phi_b(10, 3, 0, 0, 0.5), 0);
  EXPECT_NEAR(phi_b(10, 3, 1e-3, 1e-30, 0.5), 0.5, 1e-12);
  EXPECT_NEAR(phi_b(10, 3, 1e-30, 1e-3, 0.5), 0, 1e-12);
}

TEST(BracketedRoot, FindsRootsWhereNewtonsMethodAloneFails) {
  const auto cubic_root = [](double x, double& slope) {
    slope = x == 0 ? kInfinity : 1 / (3 * std::cbrt(x * x));
    return std::cbrt(x);
  };
  EXPECT_NEAR(bracketed_root(-1, 3, 2.5, 0, cubic_root), 0, 1e-15);
  const auto arc_tangent = [](double x, double& slope) {
    slope = 1 / (1 + (x - 1) * (x - 1));
    return std::atan(x - 1);
  };
  EXPECT_DOUBLE_EQ(bracketed_root(-1e6, 1e6, 1e5, 0, arc_tangent), 1);
  const auto flat = [](double x, double& slope) {
    slope = 3 * x * x;
    return x * x * x;
  };
  EXPECT_NEAR(bracketed_root(-1, 2, 1.7, 1e-30, flat), 0, 1e-10);
}

TEST(BracketedRoot, EndsWithNotANumber) {
  int calls = 0;
  const auto none = [&](double, double& slope) {
    ++calls;
    slope = 1;
    return std::nan("");
  };
  bracketed_root(0, 1, 0.5, 0, none);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace trunnion
