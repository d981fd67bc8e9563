// The virtual element. Truth: formulas by hand, limits, the linear recursion that a step makes.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

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

TEST(VirtualElement, LimitOfTheExplicitRuleIsSharp) {
  const VirtualElement e{5e7, 2.5e6};
  for (const double share : {0.98, 1.02}) {
    const double h = share * e.explicit_step_limit();
    double deflection = 1;
    for (int k = 0; k < 2000; ++k) deflection += h * (-e.stiffness * deflection / e.damping);  // (70) without a valve in the way
    EXPECT_EQ(std::abs(deflection) < 1, share < 1);
  }
}

TEST(VirtualElement, LimitOfTheLateForceIsSharp) {
  for (const VirtualElement e : {VirtualElement{5e7, 2.5e6}, VirtualElement{5e7, 0}, VirtualElement{1e3, 2.5e6}}) {
    const double mass = 2e4;
    for (const double share : {0.98, 1.02}) {
      const double h = share * e.late_step_limit(1 / mass);
      double l = 1e-3, l_old = 1e-3, v = 1e-2, greatest = 0;
      for (int k = 0; k < 400; ++k) {  // the actuator holds at p = 0: f pushes the mechanism with the lengths of the step before
        const double f = -e.stiffness * l - e.damping * ((l - l_old) / h);
        v += h * f / mass;
        l_old = l;
        l += h * v;
        if (k > 200) greatest = std::max(greatest, std::abs(l));
      }
      EXPECT_EQ(greatest < 0.1, share < 1) << e.stiffness << " " << e.damping << " " << greatest;
    }
  }
}

}  // namespace
}  // namespace trunnion
