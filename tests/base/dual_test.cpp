// Reference: derivatives by the complex step, which has no truncation or cancellation error, and closed forms at kinks.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/dual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

namespace trunnion {
namespace {

using Complex = std::complex<double>;

/// All smooth functions, each operation with duals and constants on either side.
template <class S>
S mixture(const S& x, const S& y) {
  using std::cos, std::exp, std::pow, std::sin, std::sqrt, std::tanh;
  S r = sin(x) * exp(y) / (1.0 + x * x) + sqrt(x * y) - pow(x, 1.7) * tanh(y);
  r += cos(x - y) / y + 2.0 - x / 3.0 + 3.0 / y;
  r -= (5.0 - x) * (y - 0.5) * 0.25;
  r *= -x + 4.0 * y;
  r /= y + 7.0;
  return r;
}

TEST(Dual, EveryOperationAgreesWithTheComplexStep) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> positive(0.1, 3);
  constexpr double kStep = 1e-40;
  for (int i = 0; i < 200; ++i) {
    const double x = positive(random), y = positive(random);
    const Dual<2> f = mixture(Dual<2>::variable(x, 0), Dual<2>::variable(y, 1));
    const double f_x = mixture(Complex(x, kStep), Complex(y)).imag() / kStep, f_y = mixture(Complex(x), Complex(y, kStep)).imag() / kStep;
    const double scale = 100;  // relative to the terms before cancellation
    EXPECT_NEAR(f.value, mixture(x, y), 1e-15 * scale);
    EXPECT_NEAR(f.d[0], f_x, 1e-14 * scale);
    EXPECT_NEAR(f.d[1], f_y, 1e-14 * scale);
  }
}

TEST(Dual, ConstantsHaveNoDerivatives) {
  const Dual<3> c = 2.5;
  EXPECT_EQ(c.value, 2.5);
  for (double d : c.d) EXPECT_EQ(d, 0);
}

TEST(Dual, TheDirectionOfAVectorTurnsWithIt) {
  for (double angle : {-2.5, -0.3, 0.0, 1.4, 2.9}) {
    const Dual<2> direction = atan2(3 * sin(Dual<2>::variable(angle, 0)) * exp(Dual<2>::variable(0, 1)),
                                    3 * cos(Dual<2>::variable(angle, 0)) * exp(Dual<2>::variable(0, 1)));
    EXPECT_NEAR(direction.value, angle, 1e-15);
    EXPECT_NEAR(direction.d[0], 1, 1e-15);
    EXPECT_NEAR(direction.d[1], 0, 1e-15);  // independent of its length
  }
}

TEST(Dual, AnExpressionMayNameItsTargetTwice) {
  Dual<1> x = Dual<1>::variable(3, 0);
  x *= x;
  EXPECT_EQ(x.value, 9);
  EXPECT_EQ(x.d[0], 6);
  x -= x;
  EXPECT_EQ(x.d[0], 0);
}

TEST(Dual, SlopesAtKinksAreThoseOfTheBranchTaken) {
  using D = Dual<1>;
  EXPECT_EQ(abs(D::variable(-2, 0)).d[0], -1);
  EXPECT_EQ(abs(D::variable(2, 0)).d[0], 1);
  EXPECT_EQ(abs(D::variable(0, 0)).d[0], 1);
  const D x = D::variable(2, 0);
  EXPECT_EQ(max(x, 1.0).d[0], 1);
  EXPECT_EQ(max(x, 3.0).d[0], 0);
  EXPECT_EQ(max(x, 3.0).value, 3);
  EXPECT_EQ(min(x, 1.0).d[0], 0);
  EXPECT_EQ(min(x, 3.0).d[0], 1);
  EXPECT_EQ(max(x, x * x).d[0], 4);
  EXPECT_EQ(min(x, x * x).d[0], 1);
  EXPECT_EQ(select(true, x, x * x).d[0], 1);
  EXPECT_EQ(select(false, x, x * x).d[0], 4);
  EXPECT_EQ(select(true, 1.0, x).d[0], 0);
  EXPECT_EQ(select(true, x, 1.0).d[0], 1);
  EXPECT_EQ(sign(D::variable(-3, 0)), -1);
  EXPECT_EQ(sign(D::variable(0, 0)), 0);
}

TEST(Dual, PowersHaveFiniteSlopesAtZero) {
  using D = Dual<1>;
  EXPECT_EQ(pow(D::variable(0, 0), 1.0).d[0], 1);
  EXPECT_EQ(pow(D::variable(0, 0), 2.0).d[0], 0);
  EXPECT_EQ(pow(D::variable(0, 0), 0.5).d[0], 0);  // the true slope is infinite
  EXPECT_NEAR(pow(D::variable(1e-150, 0), 2.0).d[0], 2e-150, 1e-164);
}

TEST(Dual, ComparisonsLookAtValuesOnly) {
  const Dual<1> a = Dual<1>::variable(1, 0), b = 1;
  EXPECT_TRUE(a == b);
  EXPECT_TRUE(a <= b);
  EXPECT_TRUE(a >= b);
  EXPECT_FALSE(a < b);
  EXPECT_FALSE(a != b);
  EXPECT_TRUE(a < 2.0);
  EXPECT_EQ(value_of(a), 1);
}

}  // namespace
}  // namespace trunnion
