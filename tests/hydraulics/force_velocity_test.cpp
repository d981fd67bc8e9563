// Points of force-velocity curves. Reference: closed forms of the breakpoints, the map at single velocities, the original relations by
// nested bracketing (problems/quasistatic_reference.h).
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/force_velocity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "problems/quasistatic_reference.h"
#include "support/metering_circuits.h"

namespace trunnion {
namespace {

using test::MeteringCase;

// Kikuuwe et al., section 3.4
constexpr double kAreaH = 0.024, kAreaR = 0.012, kReliefH = 42e6, kReliefR = 40e6, kPumpRelief = 36e6, kFlow = 0.5 / 60;
const double kValve = 0.6 * 1e-4 * std::sqrt(2 / 850.0);

MeteringCase paper_case(double command, double bleed, double regeneration = 0) {
  MeteringCase c;
  c.actuators = {{kAreaH, kAreaR, kReliefH, kReliefR, kValve, kValve, kValve, kValve, kValve}};
  c.pump = {kPumpRelief, kValve};
  c.flow = kFlow;
  c.bleed = bleed;
  const double out = std::max(command, 0.0), in = std::max(-command, 0.0);
  c.openings = {{out, out, in, in, regeneration}};
  return c;
}

std::vector<ForceVelocityPoint> curve(const MeteringCase& c, double lower, double upper, int intervals, std::vector<double> v = {0},
                                      int actuator = 0) {
  const MeteringCircuit circuit = c.circuit();
  return ForceVelocityCurve(circuit, c.command(), std::move(v), actuator).points(lower, upper, intervals);
}

std::vector<double> breakpoints(const std::vector<ForceVelocityPoint>& points) {
  std::vector<double> v;
  for (const ForceVelocityPoint& p : points)
    if (p.breakpoint && (v.empty() || v.back() != p.at.v)) v.push_back(p.at.v);
  return v;
}

void expect_all_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size()) << testing::PrintToString(found);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-14 * std::abs(expected[i])) << i;
}

/// Regularised openings; speed at which the bleed valve takes all excess flow at the pump's relief pressure; speed at which the inlet's
/// chamber of area A begins to suck.
double hat(double u, double A) { return kValve * u / std::pow(A, 1.5); }
double relieved(double bleed, double A) { return (kFlow - kValve * bleed * std::sqrt(kPumpRelief)) / A; }
double starved(double bleed, double A, double drop) {  // K (Q/A - v) = v sqrt(drop)
  const double K = std::pow(A, 1.5) / (kValve * bleed);
  return kFlow / A * K / (K + std::sqrt(drop));
}

TEST(ForceVelocityCurve, BreakpointsAreThoseOfTheClosedForms) {
  // (64): the pump's relief valve closes, the head side begins to suck, the relief valve of the rod side opens
  expect_all_near(
      breakpoints(curve(paper_case(0.5, 0.2), -0.2, 1, 50)),
      {0, relieved(0.2, kAreaH), starved(0.2, kAreaH, std::pow(hat(0.5, kAreaH), -2)), hat(0.5, kAreaR) * std::sqrt(kAreaR * kReliefR)});
  expect_all_near(
      breakpoints(curve(paper_case(-0.5, 0.2), -1, 0.2, 50)),
      {-starved(0.2, kAreaR, std::pow(hat(0.5, kAreaR), -2)), -relieved(0.2, kAreaR), -hat(0.5, kAreaH) * std::sqrt(kAreaH * kReliefH), 0});
  expect_all_near(breakpoints(curve(paper_case(0, 0.2), -1, 1, 2)), {0});
}

TEST(ForceVelocityCurve, TheRegenerationValveOpensAtABreakpoint) {
  // k F_h = F_r while the pump's relief valve is closed; (93f)
  const double k = kAreaR / kAreaH, opens = starved(0.2, kAreaH, std::pow(hat(0.5, kAreaH), -2) + std::pow(hat(0.5, kAreaR), -2) / k);
  const auto points = curve(paper_case(0.5, 0.2, 0.5), -0.2, 1.5, 60);
  const auto at =
      std::find_if(points.begin(), points.end(), [&](const auto& p) { return std::abs(p.at.v - opens) < 1e-6; });  // detected by its flow
  ASSERT_NE(at, points.end());
  EXPECT_TRUE(at->breakpoint);
  for (const ForceVelocityPoint& p : points)
    if (std::abs(p.at.v - opens) > 1e-6) EXPECT_EQ(p.at.Q_a > 1e-12, p.at.v > opens) << p.at.v;
}

TEST(ForceVelocityCurve, RestIsAVerticalLineWithBothSidesStates) {
  const auto points = curve(paper_case(0.5, 0.2), -0.2, 1, 50);
  const auto upper = std::find_if(points.begin(), points.end(), [](const auto& p) { return p.at.v == 0; });
  const auto lower = upper + 1;
  ASSERT_EQ(lower->at.v, 0);
  EXPECT_EQ(upper->at.f, kAreaH * kReliefH);
  EXPECT_EQ(lower->at.f, kAreaH * kPumpRelief);
  EXPECT_EQ(upper->at.P_h, kReliefH);
  EXPECT_EQ(lower->at.P_h, kPumpRelief);
  for (const auto& p : {*upper, *lower}) {
    EXPECT_EQ(p.force.lower, lower->at.f);
    EXPECT_EQ(p.force.upper, upper->at.f);
    EXPECT_EQ(p.at.segment, MeteringSegment::hold);
    EXPECT_EQ(p.at.P_r, 0);
    for (double Q : {p.at.Q_ph, p.at.Q_tr, p.at.Q_ho, p.at.Q_ro, p.at.Q_h, p.at.Q_r}) EXPECT_EQ(Q, 0);
    EXPECT_NEAR(p.pump.Q_relief, kFlow - kValve * 0.2 * std::sqrt(kPumpRelief), 1e-15);
  }
  EXPECT_LT((lower + 1)->at.v, 0.03);
  EXPECT_EQ((lower + 1)->at.segment, MeteringSegment::p2a);
}

TEST(ForceVelocityCurve, AFloatingActuatorHasNoVerticalLine) {
  MeteringCase c = paper_case(0, 0.2);
  c.openings[0] = {0, 0.5, 0, 0.5, 0};
  const auto points = curve(c, -0.1, 0.1, 4);
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(points[2].at.v, 0);
  EXPECT_EQ(points[2].at.f, 0);
  EXPECT_EQ(points[2].force.lower, points[2].force.upper);
}

TEST(ForceVelocityCurve, AShutBleedValveMakesAVerticalLine) {
  for (const bool extends : {true, false}) {
    const double u = 0.7, A = extends ? kAreaH : kAreaR, other = extends ? kAreaR : kAreaH, speed = kFlow / A;
    const double in = std::pow(hat(u, A), -2), out = std::pow(hat(u, other), -2);
    const double limit = extends ? kAreaR * kReliefR : kAreaH * kReliefH, outlet = std::min(out * speed * speed, limit);
    const double far = -outlet, near = A * kPumpRelief - in * speed * speed - outlet;  // of the pushing side
    const auto points = curve(paper_case(extends ? u : -u, 0), -1, 1, 200);
    std::vector<ForceVelocityPoint> line;
    for (const ForceVelocityPoint& p : points)
      if (p.force.lower < p.force.upper && p.at.v != 0) line.push_back(p);
    ASSERT_EQ(line.size(), 2U);
    const double sign = extends ? 1 : -1;
    for (const ForceVelocityPoint& p : line) {
      EXPECT_NEAR(p.at.v, sign * speed, 1e-14);
      EXPECT_NEAR(p.force.lower, std::min(sign * far, sign * near), 1e-5);
      EXPECT_NEAR(p.force.upper, std::max(sign * far, sign * near), 1e-5);
      EXPECT_STREQ(name_of(p.at.segment), extends ? "+1a" : out * speed * speed < limit ? "-1a" : "-1b");
    }
    EXPECT_EQ(line[0].at.f, line[0].force.upper);
    EXPECT_EQ(line[1].at.f, line[1].force.lower);
    EXPECT_NEAR((extends ? line[0] : line[1]).pump.P, kPumpRelief, 1e-3 * kPumpRelief);
  }
}

TEST(ForceVelocityCurve, SaturationAndTheVelocityWithoutForce) {
  const MeteringCase extends = paper_case(0.5, 0.2), retracts = paper_case(-0.5, 0.2), shut = paper_case(0, 0.2);
  const auto check = [](const MeteringCase& c, double lower, double upper) {
    const MeteringCircuit circuit = c.circuit();
    ForceVelocityCurve map(circuit, c.command(), {0}, 0);
    const Interval saturation = map.saturation();
    EXPECT_NEAR(saturation.lower, lower, 1e-14);
    EXPECT_NEAR(saturation.upper, upper, 1e-14);
    const double free = map.free_velocity();
    MeteringSolution scratch(1);
    Interval before, after;
    circuit.forces(c.command(), std::vector{free - 1e-9}, {&before, 1}, scratch);
    circuit.forces(c.command(), std::vector{free + 1e-9}, {&after, 1}, scratch);
    EXPECT_GT(before.upper, 0);
    EXPECT_LT(after.lower, 0);
  };
  check(extends, 0, hat(0.5, kAreaR) * std::sqrt(kAreaR * kReliefR));
  check(retracts, -starved(0.2, kAreaR, std::pow(hat(0.5, kAreaR), -2)), 0);
  check(shut, 0, 0);
}

TEST(ForceVelocityCurve, ImpossibleCommandsAreRefused) {
  MeteringCase c = paper_case(0.5, 0.2);
  c.openings[0].th = 0.1;
  EXPECT_THROW((void)curve(c, -1, 1, 10), std::runtime_error);
}

// ---------------------------------------------------------------- any circuit

/// A curve over all states of the valves, the others moving or at rest.
struct RandomCurve {
  MeteringCase c;
  int actuator;
  std::vector<double> v;
  double reach;

  RandomCurve(test::Random& random, const test::MeteringKinds& kinds) : c(test::random_case(random, kinds)) {
    actuator = static_cast<int>(random() % c.actuators.size());
    for (std::size_t j = 0; j < c.actuators.size(); ++j)
      v.push_back(test::uniform(random, 0, 1) < 0.3 ? 0 : test::uniform(random, -0.3, 0.3) * test::speed_scale(c, j));
    reach = test::speed_scale(c, static_cast<std::size_t>(actuator));
  }
};

TEST(ForceVelocityCurve, EveryPointIsOnTheMapAndNoPieceIsMissed) {
  constexpr double kTolerance = 1e-9;  // of F_hM + F_rM
  test::Random random(20240229);
  for (int i = 0; i < 300; ++i) {
    const RandomCurve r(random, {1 + i % 3, i % 2 == 0, true});
    const double scale = r.c.force_scale(static_cast<std::size_t>(r.actuator));
    const MeteringCircuit circuit = r.c.circuit();
    MeteringSolution scratch(circuit.size());
    std::vector<double> v = r.v;
    std::vector<Interval> f(v.size());
    std::vector<MeteringFlows> flows(v.size());
    PumpFlows pump;
    const auto forces = [&](double at) {
      v[static_cast<std::size_t>(r.actuator)] = at;
      circuit.forces(r.c.command(), v, f, scratch);
      return f[static_cast<std::size_t>(r.actuator)];
    };
    const auto points = curve(r.c, -r.reach, r.reach, 30, r.v, r.actuator);
    ASSERT_GE(points.size(), 31U);
    EXPECT_NEAR(points.front().at.v, -r.reach, 1e-9 * r.reach);
    EXPECT_NEAR(points.back().at.v, r.reach, 1e-9 * r.reach);
    for (std::size_t k = 0; k < points.size(); ++k) {
      const ForceVelocityPoint& p = points[k];
      const std::string where = "case " + std::to_string(i) + ", v = " + std::to_string(p.at.v) + " " + r.c.text();
      const Interval exact = forces(p.at.v);
      EXPECT_TRUE(p.force.contains(p.at.f)) << where;
      const bool line = p.force.lower < p.force.upper;
      if (!line) {
        EXPECT_TRUE(exact.contains(p.at.f, kTolerance * scale)) << where << ": " << p.at.f << " in " << exact.lower << " " << exact.upper;
      }
      if (p.at.v == 0) {
        EXPECT_NEAR(p.force.lower, exact.lower, kTolerance * scale) << where;
        EXPECT_NEAR(p.force.upper, exact.upper, kTolerance * scale) << where;
      }
      if (k == 0) continue;
      const ForceVelocityPoint& before = points[k - 1];
      EXPECT_TRUE(before.at.v < p.at.v || (line && before.at.v == p.at.v && before.at.f > p.at.f)) << where;
      EXPECT_LE(p.at.f, before.at.f + kTolerance * scale) << where;
      if (before.at.segment != p.at.segment) { EXPECT_TRUE(before.breakpoint || p.breakpoint) << where; }
      // no further changes between the points
      if (before.at.v == p.at.v) continue;
      v[static_cast<std::size_t>(r.actuator)] = before.at.v + 0.37 * (p.at.v - before.at.v);
      circuit.recover_at(r.c.command(), v, scratch, flows, pump);
      const MeteringFlows& between = flows[static_cast<std::size_t>(r.actuator)];
      // a breakpoint may have the name of the piece on its other side
      EXPECT_TRUE(between.segment == before.at.segment || between.segment == p.at.segment || (before.breakpoint && p.breakpoint))
          << where << ": " << name_of(before.at.segment) << " " << name_of(between.segment) << " " << name_of(p.at.segment);
      EXPECT_LE(between.f, before.at.f + kTolerance * scale) << where;
      EXPECT_GE(between.f, p.at.f - kTolerance * scale) << where;
    }
  }
}

TEST(ForceVelocityCurve, AgreesWithTheRawRelations) {
  constexpr double kTolerance = 1e-7;  // velocities of breakpoints are found to some 1e-8, and pieces are steep
  test::Random random(7);
  for (int i = 0; i < 60; ++i) {
    const RandomCurve r(random, {1 + i % 3, true, true});
    const auto own = static_cast<std::size_t>(r.actuator);
    std::vector<problems::ActuatorReference> actuators;
    for (std::size_t j = 0; j < r.v.size(); ++j) {
      const MeteringActuator& a = r.c.actuators[j];
      const MeteringOpenings& u = r.c.openings[j];
      actuators.push_back(
          {a.area_h, a.area_r, a.relief_h, a.relief_r, a.c_ph * u.ph, a.c_tr * u.tr, a.c_pr * u.pr, a.c_th * u.th, a.c_a * u.a});
    }
    if (actuators[own].th > 0 && actuators[own].tr > 0) continue;  // float: not in the reference
    if (std::any_of(actuators.begin(), actuators.end(), [](const auto& a) {
          return (a.th > 0 && a.tr > 0) || (a.a > 0 && a.ph == 0 && a.tr == 0);  // and regeneration with both closed
        }))
      continue;
    const problems::PumpReference pump{r.c.flow, r.c.pump.relief, r.c.pump.c_bleed * r.c.bleed};
    for (const ForceVelocityPoint& p : curve(r.c, -r.reach, r.reach, 6, r.v, r.actuator)) {
      std::vector<double> v = r.v;
      v[own] = p.at.v;
      const problems::Interval P = problems::reference_pressure(actuators, pump, v, 1e-10);
      const double upper = std::max(problems::reference_gamma_at_pressure(actuators[own], P.lower, p.at.v, 1e-10).upper,
                                    problems::reference_gamma_at_pressure(actuators[own], P.upper, p.at.v, 1e-10).upper);
      const double lower = std::min(problems::reference_gamma_at_pressure(actuators[own], P.lower, p.at.v, 1e-10).lower,
                                    problems::reference_gamma_at_pressure(actuators[own], P.upper, p.at.v, 1e-10).lower);
      const double tolerance = kTolerance * actuators[own].force_scale();
      EXPECT_GE(p.force.lower, lower - tolerance) << "case " << i << ", v = " << p.at.v << r.c.text();
      EXPECT_LE(p.force.upper, upper + tolerance) << "case " << i << ", v = " << p.at.v << r.c.text();
      if (!(p.force.lower < p.force.upper) && p.at.v != 0) {
        EXPECT_GE(p.pump.P, P.lower - 1e-9 * pump.P_M);
        EXPECT_LE(p.pump.P, P.upper + 1e-9 * pump.P_M);
      }
    }
  }
}

}  // namespace
}  // namespace trunnion
