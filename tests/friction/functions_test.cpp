// Reference: the same functions in extended precision (std::tanh, std::cbrt of long double).
// SPDX-License-Identifier: BSD-3-Clause
#include "friction/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "laws.h"

namespace trunnion {
namespace {

TEST(FastTanh, AgreesWithTanhToRounding) {
  for (int i = 1; i <= 200000; ++i) {
    const double x = i * 1.25e-4;  // to 25, past saturation
    const double exact = static_cast<double>(std::tanh(static_cast<long double>(x)));
    ASSERT_NEAR(fast_tanh(x) / exact, 1, 5e-16) << x;  // three roundings each in the rational part and the exponential
    ASSERT_EQ(fast_tanh(-x), -fast_tanh(x));
  }
  EXPECT_EQ(fast_tanh(0.0), 0);
  EXPECT_EQ(fast_tanh(1e-300), 1e-300);
  EXPECT_EQ(fast_tanh(1e300), 1);
  EXPECT_EQ(fast_tanh(-std::numeric_limits<double>::infinity()), -1);
  EXPECT_TRUE(std::isnan(fast_tanh(std::numeric_limits<double>::quiet_NaN())));
}

TEST(FastTanh, SlopeIsOneLessSquare) {
  const auto y = fast_tanh(Dual<2>::variable(0.8, 1));
  EXPECT_EQ(y.d[0], 0);
  EXPECT_NEAR(y.d[1], 0.55905516773224409, 1e-15);  // 1 / cosh^2(0.8)
}

TEST(TwoThirdsPower, AgreesWithCubeRootToRounding) {
  for (int i = 0; i <= 200000; ++i) {
    const double u = std::exp(-80 + 1e-3 * i);  // 1e-35 to 1e52
    const double root = static_cast<double>(std::cbrt(static_cast<long double>(u) * u));
    ASSERT_NEAR(two_thirds_power(u) / root, 1, 5e-16) << u;
  }
  EXPECT_EQ(two_thirds_power(0.0), 0);
  EXPECT_EQ(two_thirds_power(1.0), 1);
  EXPECT_LT(two_thirds_power(1e-310), 1e-200);
}

TEST(TwoThirdsPower, SlopeIsExactAwayFromZeroAndBoundedThere) {
  EXPECT_NEAR(two_thirds_power(Dual<1>::variable(0.125, 0)).d[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(two_thirds_power(Dual<1>::variable(kSlopeFloor, 0)).d[0], 2.0 / 3 * std::pow(kSlopeFloor, -1.0 / 3), 1e-12);
  for (double u : {0.0, 1e-310, 1e-12, 1e-5}) {
    EXPECT_NEAR(two_thirds_power(Dual<1>::variable(u, 0)).d[0], 2.0 / 3 * std::pow(kSlopeFloor, -1.0 / 3), 1e-12) << u;
  }
}

TEST(RisingPower, HasValueAndFiniteSlopeForEveryExponent) {
  for (double n : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    for (double u : {0.01, 0.7, 1.0, 4.0}) {
      const auto p = rising_power(Dual<1>::variable(u, 0), n);
      EXPECT_NEAR(p.value, std::pow(u, n), 1e-15 * std::pow(u, n));
      EXPECT_NEAR(p.d[0], n * std::pow(u, n - 1), 1e-14 * n * std::pow(u, n - 1)) << u << " " << n;
    }
    const auto rest = rising_power(Dual<1>::variable(0.0, 0), n);
    EXPECT_EQ(rest.value, 0);
    EXPECT_TRUE(std::isfinite(rest.d[0]));
  }
}

TEST(Decay, VanishesFarOutWithFiniteSlope) {
  EXPECT_NEAR(decay(1.5, 2), 0.10539922456186433, 1e-16);  // exp(-2.25)
  for (double u : {30.0, 1e8, 1e150, 1e200}) {
    const auto e = decay(Dual<1>::variable(u, 0), 2);
    EXPECT_LT(e.value, 1e-300);
    EXPECT_NEAR(e.d[0], 0, 1e-300);
  }
}

}  // namespace
}  // namespace trunnion
