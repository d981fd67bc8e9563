// The virtual element. Reference: formulas by hand, limits, the linear recursion that a step makes.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "hydraulics/quasistatic/single_actuator.h"
#include "hydraulics/quasistatic/virtual_element.h"
#include "support/metering_circuits.h"

namespace trunnion {
namespace {

TEST(VirtualElement, LoadLineIsItsForce) {
  const VirtualElement e{5e7, 2.5e6};
  const double p = 1.01, l = 1.0, l_dot = 0.2, v = 0.15;
  const LoadLine line = e.load_line(p, l, l_dot);
  EXPECT_DOUBLE_EQ(line.beta * v + line.fbar, e.stiffness * (p - l) + e.damping * (v - l_dot));
}

TEST(VirtualElement, ImplicitLoadLineIsItsForceAtTheEndOfTheStep) {
  const VirtualElement e{5e7, 2.5e6};
  const double p_old = 1.01, l_old = 1.0, l = 1.0002, h = 1e-3, v = 0.15, p = p_old + h * v;
  const LoadLine line = e.implicit_load_line(p_old, l_old, l, h);
  EXPECT_NEAR(line.beta * v + line.fbar, e.stiffness * (p - l) + e.damping * (v - (l - l_old) / h), 1e-8);
}

TEST(VirtualElement, BothFormsApproachEachOther) {
  // an actuator that moves against its outlet valve, length following a sine: error of the implicit form proportional to h
  const test::MeteringCase c = test::printed_case(-0.5, 0.3);
  const MeteringConstants constants(c.actuators[0]);
  const RegularisedOpenings u = constants.regularise(c.openings[0]);
  const PumpSupply supply{c.flow, c.pump.c_bleed * c.bleed, c.pump.relief};
  const VirtualElement e{5e7, 2.5e6};
  const auto length = [](double t) { return 1 - 0.1 * t + 0.002 * std::sin(20 * t); };
  const auto rate = [](double t) { return -0.1 + 0.04 * std::cos(20 * t); };
  const auto end_of = [&](int steps, bool implicit) {
    double p = 1;
    const double h = 0.3 / steps;
    for (int k = 0; k < steps; ++k) {
      const double t = k * h;
      const auto v = [&](const LoadLine& line) { return point_on_load_line(constants, u, supply, line.beta, line.fbar).v; };
      if (implicit) {
        p += h * v(e.implicit_load_line(p, length(t), length(t + h), h));
      } else {  // midpoint rule
        const double middle = p + h / 2 * v(e.load_line(p, length(t), rate(t)));
        p += h * v(e.load_line(middle, length(t + h / 2), rate(t + h / 2)));
      }
    }
    return p;
  };
  const double exact = end_of(20000, false);
  const double coarse = std::abs(end_of(300, true) - exact), fine = std::abs(end_of(600, true) - exact);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_NEAR(coarse / fine, 2, 0.1);
}

TEST(VirtualElement, SettlesInItsSettlingTime) {
  const double K = 5e7, B = settling_damping(K, 0.2);
  EXPECT_DOUBLE_EQ(std::exp(-0.2 * K / B), 0.02);
  EXPECT_DOUBLE_EQ((VirtualElement{K, B}.relaxation_time()), B / K);
}

TEST(VirtualElement, OilStiffnessIsThatOfTwoColumns) {
  // F = A dp and dp = B A ds / V on either side
  EXPECT_DOUBLE_EQ(oil_stiffness(0.02, 0.01 / 1.5e9, 0.01, 0.004 / 1.5e9), 1.5e9 * (4e-4 / 0.01 + 1e-4 / 0.004));
}

enum class Swing { dies, grows, neither };

/// Mass and element, the actuator holding (p = 0) or yielding freely (f = 0), by the rules themselves: evolution of l or p - l.
class HeldMass {
 public:
  HeldMass(const VirtualElement& element, double mass, bool holds) : e_(element), mass_(mass), holds_(holds) {}

  /// Whether it reaches 1e-6 or 1e6 of its start value. 500000 steps suffice for any growth or decay of more than 2.8e-5 per step.
  Swing fate(IntegratorKind integrator, bool discrete, double h) {
    constexpr int kWindow = 100, kWindows = 5000;
    constexpr double kFactor = 1e6;
    const double begin = std::abs(deflection());
    force_ = discrete ? 0 : force(x_);
    for (int window = 0; window < kWindows; ++window) {
      double greatest = 0;
      for (int k = 0; k < kWindow; ++k) {
        discrete ? discrete_step(integrator, h) : step(integrator, h);
        if (!(std::abs(deflection()) < begin * kFactor)) return Swing::grows;  // including overflow
        greatest = std::max(greatest, std::abs(deflection()));
      }
      if (greatest < begin / kFactor) return Swing::dies;
    }
    return Swing::neither;
  }

 private:
  using X = std::array<double, 3>;  // p, l, l_dot
  double deflection() const { return holds_ ? x_[1] : x_[0] - x_[1]; }
  double force(const X& x) const { return holds_ ? e_.stiffness * (x[0] - x[1]) - e_.damping * x[2] : 0; }
  X slope(const X& x) const {
    return {holds_ ? 0 : -(e_.stiffness * (x[0] - x[1]) - e_.damping * x[2]) / e_.damping, x[2], force(x) / mass_};
  }
  static X plus(const X& x, double h, const X& y) { return {x[0] + h * y[0], x[1] + h * y[1], x[2] + h * y[2]}; }

  void step(IntegratorKind integrator, double h) {
    const X a = slope(x_);
    if (integrator == IntegratorKind::euler) {
      x_ = plus(x_, h, a);
    } else if (integrator == IntegratorKind::semi_implicit_euler) {
      x_[2] += h * a[2];
      x_[1] += h * x_[2];
      if (!holds_) x_[0] -= h * (e_.stiffness * (x_[0] - x_[1]) - e_.damping * x_[2]) / (e_.damping + h * e_.stiffness);
    } else {
      const X b = slope(plus(x_, h / 2, a)), c = slope(plus(x_, h / 2, b)), d = slope(plus(x_, h, c));
      for (int i = 0; i < 3; ++i) x_[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    }
  }
  void discrete_step(IntegratorKind integrator, double h) {  // the force of the previous step acts
    const double l_old = x_[1], v_old = x_[2], a = force_ / mass_;
    x_[2] += h * a;
    x_[1] += integrator == IntegratorKind::euler ? h * v_old : integrator == IntegratorKind::rk4 ? h * v_old + h * h / 2 * a : h * x_[2];
    const LoadLine line = e_.implicit_load_line(x_[0], l_old, x_[1], h);
    force_ = holds_ ? line.fbar : 0;
    if (!holds_) x_[0] -= h * line.fbar / line.beta;
  }

  VirtualElement e_;
  double mass_;
  bool holds_;
  X x_{0, 1e-3, 0};
  double force_ = 0;
};

TEST(VirtualElement, LimitsOfStepsAreSharp) {
  const double mass = 2e4;
  for (const IntegratorKind integrator : {IntegratorKind::euler, IntegratorKind::semi_implicit_euler, IntegratorKind::rk4})
    for (const bool discrete : {false, true})
      for (const double damping : {1e5, 5e5, 1e6, 2.5e6, 1e7}) {
        const VirtualElement e{5e7, damping};
        const double limit = e.longest_stable_step(integrator, discrete, 1 / mass);
        const auto fate = [&](bool holds, double h) { return HeldMass(e, mass, holds).fate(integrator, discrete, h); };
        // 2 % off, the slowest decay is that of euler: 1 - h (b - h k) squared, 1e-4 per step at b = 5 / s, k = 2500 / s^2, h = 2 ms
        const std::string what = std::to_string(int(integrator)) + " " + std::to_string(discrete) + " " + std::to_string(damping);
        EXPECT_EQ(fate(true, 0.98 * limit), Swing::dies) << what;
        EXPECT_EQ(fate(false, 0.98 * limit), Swing::dies) << what;
        EXPECT_TRUE(fate(true, 1.02 * limit) == Swing::grows || fate(false, 1.02 * limit) == Swing::grows) << what;
      }
}

TEST(VirtualElement, LimitsOfAGivenMotionAreThoseOfTheActuatorAlone) {
  const VirtualElement e{5e7, 2.5e6};
  const auto limit = [&](IntegratorKind integrator, bool discrete) { return e.longest_stable_step(integrator, discrete, 0); };
  EXPECT_DOUBLE_EQ(limit(IntegratorKind::euler, false), 0.1);
  EXPECT_NEAR(limit(IntegratorKind::rk4, false), 0.05 * 2.785, 1e-4);
  for (const bool discrete : {false, true}) {
    EXPECT_EQ(limit(IntegratorKind::semi_implicit_euler, discrete), INFINITY);
    EXPECT_EQ(limit(IntegratorKind::trapezoidal, discrete), INFINITY);
  }
}

}  // namespace
}  // namespace trunnion
