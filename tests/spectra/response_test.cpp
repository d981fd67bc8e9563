// Responses of linear models compared with closed-form solutions.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/response.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trunnion {
namespace {

/// x'' + 2 zeta w x' + w^2 x = f0 + u, positions in units of `unit`, so that its states may differ by powers of ten.
LinearModel oscillator(double w, double zeta, double unit = 1, double f0 = 0) {
  LinearModel linear;
  linear.states = {{"mass.position", "m", "", 0}, {"mass.speed", "m/s", "", 0}};
  linear.inputs = {{"push.signal", "", "", 0}};
  linear.outputs = {{"mass.position", "m", "", 0.25}, {"spring.force", "N", "", 3}};
  linear.A.resize(2, 2);
  linear.A << 0, 1 / unit, -w * w * unit, -2 * zeta * w;
  linear.B.resize(2, 1);
  linear.B << 0, 1;
  linear.C.resize(2, 2);
  linear.C << unit, 0, -w * w * unit, 0;
  linear.D.resize(2, 1);
  linear.D << 0, 0.5;
  linear.drift.resize(2);
  linear.drift << 0, f0;
  return linear;
}

Eigen::VectorXd number(double x) { return Eigen::VectorXd::Constant(1, x); }

TEST(LinearResponse, IsTheDampedOscillationOfItsStart) {
  const double w = 20, zeta = 0.1, damped = w * std::sqrt(1 - zeta * zeta), h = 0.01;
  for (const double unit : {1.0, 1e-8}) {
    LinearResponse response(oscillator(w, zeta, unit));
    response.start(Eigen::Vector2d(0.3 / unit, 0));
    for (int k = 1; k <= 300; ++k) {
      response.step(h, number(0), number(0));
      const double t = k * h;
      const double x = 0.3 * std::exp(-zeta * w * t) * (std::cos(damped * t) + zeta * w / damped * std::sin(damped * t));
      ASSERT_NEAR(unit * response.x()[0], x, 1e-13) << t;
      ASSERT_NEAR(response.outputs(number(0))[0], 0.25 + x, 1e-13);
      ASSERT_NEAR(response.outputs(number(2))[1], 3 - w * w * x + 1, 1e-10);
    }
  }
}

TEST(LinearResponse, IsExactForInputsThatRunStraightBetweenSteps) {
  // a ramp: x = r (t - 2 zeta / w) / w^2 is a solution of x'' + 2 zeta w x' + w^2 x = r t; so is any step length
  const double w = 7, zeta = 0.6, r = 5;
  LinearResponse response(oscillator(w, zeta, 1e-6));
  response.start(Eigen::Vector2d(-1e6 * r * 2 * zeta / (w * w * w), r / (w * w)));
  double t = 0;
  for (const double h : {0.5, 0.01, 2.0, 0.5, 1e-5}) {
    response.step(h, number(r * t), number(r * (t + h)));
    t += h;
    EXPECT_NEAR(1e-6 * response.x()[0], r * (t - 2 * zeta / w) / (w * w), 1e-13);
    EXPECT_NEAR(response.x()[1], r / (w * w), 1e-12);
  }
}

TEST(LinearResponse, ReferencesThatDoNotRestDriftAway) {
  LinearResponse response(oscillator(0, 0, 1, -9.81));  // free fall
  response.start(Eigen::Vector2d(0, 2));
  for (int k = 0; k < 10; ++k) response.step(0.1, number(0), number(0));
  EXPECT_NEAR(response.x()[0], 2 - 9.81 / 2, 1e-14);
  EXPECT_NEAR(response.x()[1], 2 - 9.81, 1e-14);
}

TEST(LinearResponse, OfAModelWithoutInputs) {
  LinearModel linear = oscillator(3, 0);
  linear.inputs.clear();
  linear.B.resize(2, 0);
  linear.D.resize(2, 0);
  LinearResponse response(linear);
  response.start(Eigen::Vector2d(1, 0));
  response.step(0.4, Eigen::VectorXd(0), Eigen::VectorXd(0));
  EXPECT_NEAR(response.x()[0], std::cos(1.2), 1e-15);
  EXPECT_NEAR(response.outputs(Eigen::VectorXd(0))[0], 0.25 + std::cos(1.2), 1e-15);
}

}  // namespace
}  // namespace trunnion
