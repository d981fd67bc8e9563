// Levers and the virtual element. Truth: formulas by hand, limits, the linear recursion that a step makes.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/diagnostic.h"
#include "hydraulics/quasistatic/lever.h"
#include "hydraulics/quasistatic/single_actuator.h"
#include "hydraulics/quasistatic/virtual_element.h"
#include "support/metering_circuits.h"

namespace trunnion {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) { return error.what(); }
  return "no error";
}

// ---------------------------------------------------------------- levers

using Points = std::vector<LeverMap::Point>;

TEST(LeverMap, IsThePapersByDefault) {
  const LeverMap map;
  for (double u_c : {-1.5, -1.0, -0.3, 0.0, 0.25, 1.0, 2.0}) {
    const double u = std::max(-1.0, std::min(1.0, u_c));
    const MeteringOpenings o = map.at(u_c);
    EXPECT_DOUBLE_EQ(o.ph, std::max(u, 0.0));
    EXPECT_DOUBLE_EQ(o.tr, std::max(u, 0.0));
    EXPECT_DOUBLE_EQ(o.pr, std::max(-u, 0.0));
    EXPECT_DOUBLE_EQ(o.th, std::max(-u, 0.0));
    EXPECT_EQ(o.a, 0);
    EXPECT_TRUE(admissible(o));
  }
  EXPECT_FALSE(admissible(map.at(std::nan(""))));
}

TEST(LeverMap, FollowsItsPoints) {
  // lap of 0.1, regeneration up to half lever, float at the other end
  const LeverMap map(
      {{-1, {0, 1, 0, 1, 0}}, {-0.9, {0, 0, 0, 0.9, 0}}, {-0.1, {}}, {0.1, {}}, {0.5, {0.6, 0.2, 0, 0, 1}}, {1, {1, 1, 0, 0, 0}}});
  EXPECT_EQ(map.at(0).ph, 0);
  EXPECT_DOUBLE_EQ(map.at(0.3).ph, 0.3);
  EXPECT_DOUBLE_EQ(map.at(0.3).tr, 0.1);
  EXPECT_DOUBLE_EQ(map.at(0.3).a, 0.5);
  EXPECT_DOUBLE_EQ(map.at(0.5).a, 1);
  EXPECT_DOUBLE_EQ(map.at(0.75).tr, 0.6);
  EXPECT_NEAR(map.at(-0.95).tr, 0.5, 1e-14);
  EXPECT_DOUBLE_EQ(map.at(-5).th, 1);
  for (double lever = -1.2; lever < 1.2; lever += 0.01) EXPECT_TRUE(admissible(map.at(lever))) << lever;
}

TEST(LeverMap, NamesWhatIsWrong) {
  EXPECT_EQ(message_of([] { LeverMap(Points{}); }), "a table over a lever needs a point");
  EXPECT_EQ(message_of([] { LeverMap(Points{{0, {}}, {0, {}}}); }), "lever = 0 after 0: points must rise");
  EXPECT_EQ(message_of([] { LeverMap(Points{{kInfinity, {}}}); }), "lever = inf is not a position");
  EXPECT_EQ(message_of([] { LeverMap(Points{{-1, {}}, {1, {2, 0, 0, 0, 0}}}); }), "at lever = 1: ph = 2 must be between 0 and 1");
  EXPECT_EQ(message_of([] {
              LeverMap({{-1, {0, 0, 1, 0, 0}}, {1, {1, 0, 0, 0, 0}}});
            }),
            "between lever = -1 and 1: valves ph and pr are open together; put a point between them with one of them shut");
}

TEST(BleedMap, FollowsItsPoints) {
  const BleedMap open_centre({{-1, 0}, {0, 1}, {1, 0}});
  EXPECT_DOUBLE_EQ(open_centre.at(0.25), 0.75);
  EXPECT_DOUBLE_EQ(open_centre.at(-0.5), 0.5);
  EXPECT_EQ(open_centre.at(3), 0);
  EXPECT_EQ(BleedMap(0.2).at(-7), 0.2);
  EXPECT_EQ(BleedMap().at(0), 0);
  EXPECT_EQ(message_of([] { BleedMap(1.2); }), "at lever = 0: opening of the bleed valve is 1.2, must be between 0 and 1");
  EXPECT_EQ(message_of([] { BleedMap({{1, 0}, {0, 0}}); }), "lever = 0 after 1: points must rise");
}

// ---------------------------------------------------------------- virtual element

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
  EXPECT_DOUBLE_EQ(oil_stiffness(1.5e9, 0.02, 0.01, 0.01, 0.004), 1.5e9 * (4e-4 / 0.01 + 1e-4 / 0.004));
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
