// Orifice, one-way valves, directional valve, spool and oil by their formulas. Reference: hand-calculated values, symmetry, closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "hydraulics/circuit.h"

namespace trunnion {
namespace {

using S = Dual<1>;

double flow(double C, double dp, const LaminarZone& zone = {}) { return orifice_flow(C, dp, zone); }
S flow_slope(double C, double dp, const LaminarZone& zone = {}) { return orifice_flow(S(C), S::variable(dp, 0), zone); }

// ---------------------------------------------------------------- orifice

TEST(Orifice, FlowIsOddInPressureDrop) {
  for (double dp : {1.0, 1e3, 1.9e5, 2e5, 2.1e5, 3e7}) EXPECT_EQ(flow(1e-7, -dp), -flow(1e-7, dp)) << dp;
  EXPECT_EQ(flow(1e-7, 0), 0);
}

TEST(Orifice, FlowOfASharpEdgedHoleIsTorricellis) {
  // 6 mm, C_d = 0.8, 850 kg/m3, 35 bar: v = sqrt(2 dp / rho) = 90.7485 m/s, A = 28.2743 mm2, Q = C_d A v
  const double area = circle_area(6e-3);
  EXPECT_NEAR(area, 28.274333882308139e-6, 1e-20);
  const double C = orifice_coefficient(0.8, area, 850);
  EXPECT_NEAR(flow(C, 35e5), 0.8 * 28.274333882308139e-6 * std::sqrt(7e6 / 850), 1e-17);
  EXPECT_NEAR(flow(C, 35e5) * 6e4, 123.16, 0.01);  // [L/min]
}

TEST(Orifice, FlowIsContinuousAtTheLaminarLimit) {
  for (double limit : {1.0, 2e5, 1e6}) {
    const LaminarZone zone(limit);
    const double below = flow(1, std::nextafter(limit, 0.0), zone), at = flow(1, limit, zone);
    EXPECT_NEAR(below, at, 1e-15 * at);
    EXPECT_DOUBLE_EQ(at, std::sqrt(limit));
    EXPECT_DOUBLE_EQ(flow(1, limit / 2, zone), std::sqrt(limit) / 2);  // linear below
    EXPECT_DOUBLE_EQ(flow(1, 4 * limit, zone), 2 * std::sqrt(limit));  // square root above
  }
  EXPECT_DOUBLE_EQ(flow(1, 1e5), flow(1, 1e5, LaminarZone(2e5)));  // the default limit is 2 bar
}

TEST(Orifice, SlopeIsFiniteAtZeroAndExactEverywhere) {
  const double C = 1e-7;
  EXPECT_DOUBLE_EQ(flow_slope(C, 0).d[0], C / std::sqrt(2e5));
  EXPECT_DOUBLE_EQ(flow_slope(C, -1e5).d[0], C / std::sqrt(2e5));
  for (double dp : {3e5, -3e5, 2e7, -2e7}) EXPECT_DOUBLE_EQ(flow_slope(C, dp).d[0], C / (2 * std::sqrt(std::abs(dp)))) << dp;
}

TEST(Orifice, NominalFlowIsMetAtItsPressureDrop) { EXPECT_DOUBLE_EQ(flow(nominal_coefficient(4e-4, 35e5), 35e5), 4e-4); }

TEST(Orifice, OpeningFollowsItsCurveAndIsHeldOutside) {
  const OpeningCurve whole;
  for (const auto& [u, opening] : {std::pair{-3.0, 0.0}, {0.0, 0.0}, {0.25, 0.25}, {1.0, 1.0}, {7.0, 1.0}}) EXPECT_EQ(whole(u), opening);
  const OpeningCurve centre{{{-1, 0}, {-0.1, 0.8}, {0.1, 0.8}, {1, 0}}};  // an open centre with a flat part
  for (double u : {-2.0, -1.0, -0.6, -0.1, 0.0, 0.07, 0.1, 0.4, 1.0, 3.0})
    EXPECT_NEAR(centre(u), std::min(0.8, std::max(0.0, 0.8 * (1 - std::abs(u)) / 0.9)), 1e-15) << u;
  EXPECT_EQ(centre(0.05), 0.8);
  const OpeningCurve fixed{{{0.5, 0.3}}};
  EXPECT_EQ(fixed(-1.0), 0.3);
  EXPECT_EQ(fixed(1.0), 0.3);
}

TEST(Orifice, OpeningHasTheSlopeTowardsGreaterCommandsAtItsPoints) {
  const auto slope = [](const OpeningCurve& curve, double u) { return curve(S::variable(u, 0)).d[0]; };
  const OpeningCurve whole;
  EXPECT_EQ(slope(whole, -1e-9), 0);
  EXPECT_EQ(slope(whole, 0), 1);
  EXPECT_EQ(slope(whole, 1 - 1e-9), 1);
  EXPECT_EQ(slope(whole, 1), 0);
  EXPECT_DOUBLE_EQ(slope({{{-2, 1}, {2, 0}}}, 0.3), -0.25);
}

// ---------------------------------------------------------------- check and relief valves

TEST(OneWayValve, IsShutBelowItsCrackingPressureAndBackwards) {
  OneWayLaw law;
  law.cracking = 5e5;
  law.gradient = 1e-9;
  law.coefficient = 1e-7;
  for (double dp : {-1e7, -1.0, 0.0, 4.9e5, 5e5}) {
    EXPECT_EQ(one_way_flow(law, dp), 0) << dp;
    EXPECT_EQ(one_way_flow(law, S::variable(dp, 0)).d[0], 0) << dp;
  }
}

TEST(OneWayValve, ReliefFlowGrowsInProportionAboveItsCrackingPressure) {
  OneWayLaw law;
  law.cracking = 2e7;
  law.gradient = 5e-3 / 1e6;  // 300 L/min at 10 bar
  EXPECT_NEAR(one_way_flow(law, 2.1e7), 5e-3, 1e-17);
  EXPECT_NEAR(one_way_flow(law, 2.025e7), 1.25e-3, 1e-17);
  EXPECT_EQ(one_way_flow(law, S::variable(2e7 + 1, 0)).d[0], law.gradient);
}

TEST(OneWayValve, CheckIsAnOrificeBehindItsSpring) {
  OneWayLaw law;
  law.cracking = 5e4;
  law.coefficient = 2e-6;
  law.zone = LaminarZone(1e5);
  for (double x : {1.0, 5e4, 1e5, 2e5, 3e6}) {
    EXPECT_DOUBLE_EQ(one_way_flow(law, 5e4 + x), flow(2e-6, (5e4 + x) - 5e4, law.zone)) << x;
    EXPECT_DOUBLE_EQ(one_way_flow(law, S::variable(5e4 + x, 0)).d[0], flow_slope(2e-6, (5e4 + x) - 5e4, law.zone).d[0]) << x;
  }
  EXPECT_LT(one_way_flow(law, std::nextafter(5e4, 1e6)), 1e-18);  // continuous
}

// ---------------------------------------------------------------- directional valve

/// Edges of a valve between pressures P = 10, T = 1, A = 6, B = 4 MPa; nominal 24 L/min at 35 bar and 10 V.
std::vector<FlowEdge> edges_at(double U, double dead_band = 0) {
  const double pressure[] = {10e6, 1e6, 6e6, 4e6};
  DirectionalValve valve;
  valve.P = 0;
  valve.T = 1;
  valve.A = 2;
  valve.B = 3;
  valve.coefficient = nominal_coefficient(4e-4, 35e5) / 10;
  valve.dead_band = dead_band;
  std::vector<FlowEdge> edges;
  for_each_flow(valve, {pressure, nullptr, &U}, [&](const FlowEdge& e) { edges.push_back(e); });
  return edges;
}

/// Flow from node `from` to node `to` over all edges.
double flow_between(const std::vector<FlowEdge>& edges, int from, int to) {
  double total = 0;
  for (const FlowEdge& e : edges) total += e.A == from && e.B == to ? e.flow : e.A == to && e.B == from ? -e.flow : 0;
  return total;
}
enum { P, T, A, B };

TEST(DirectionalValve, PositiveSignalsJoinSupplyWithAAndBWithTank) {
  const auto edges = edges_at(10);
  EXPECT_NEAR(flow_between(edges, P, A), 4e-4 * std::sqrt(4e6 / 35e5), 1e-18);
  EXPECT_NEAR(flow_between(edges, B, T), 4e-4 * std::sqrt(3e6 / 35e5), 1e-18);
  EXPECT_EQ(flow_between(edges, P, B), 0);
  EXPECT_EQ(flow_between(edges, A, T), 0);
}

TEST(DirectionalValve, NegativeSignalsJoinSupplyWithBAndAWithTank) {
  const auto edges = edges_at(-10);
  EXPECT_NEAR(flow_between(edges, P, B), 4e-4 * std::sqrt(6e6 / 35e5), 1e-18);
  EXPECT_NEAR(flow_between(edges, A, T), 4e-4 * std::sqrt(5e6 / 35e5), 1e-18);
  EXPECT_EQ(flow_between(edges, P, A), 0);
  EXPECT_EQ(flow_between(edges, B, T), 0);
}

TEST(DirectionalValve, IsClosedAtZero) {
  for (double U : {0.0, -0.0})
    for (const FlowEdge& e : edges_at(U)) {
      EXPECT_EQ(e.flow, 0);
      EXPECT_EQ(e.slope, 0);
    }
}

TEST(DirectionalValve, FlowIsProportionalToTheOpening) {
  for (double U : {1.0, 4.0, -4.0, -12.0})
    for (const FlowEdge& e : edges_at(U)) {
      const auto full = edges_at(U > 0 ? 10 : -10);
      EXPECT_NEAR(e.flow, std::abs(U) / 10 * flow_between(full, e.A, e.B), 1e-18) << U;
    }
}

TEST(DirectionalValve, DeadBandClosesTheMiddleAndKeepsTheNominalFlow) {
  for (double U : {2.0, -2.0, 1.3, -0.1})
    for (const FlowEdge& e : edges_at(U, 2)) EXPECT_EQ(e.flow, 0) << U;
  for (double U : {10.0, -10.0})
    for (const FlowEdge& e : edges_at(U, 2)) EXPECT_NEAR(e.flow, flow_between(edges_at(U), e.A, e.B), 1e-18) << U;
  for (double U : {6.0, -6.0})  // halfway between 2 and 10
    for (const FlowEdge& e : edges_at(U, 2)) EXPECT_NEAR(e.flow, 0.5 * flow_between(edges_at(U > 0 ? 10 : -10), e.A, e.B), 1e-18) << U;
}

// ---------------------------------------------------------------- oil

Fluid airy() {
  Fluid f;
  f.saturation_pressure = 1e5;
  f.free_air = 0.02;
  return f;
}
/// Volume of released air per volume of oil.
double air(const Fluid& f, double p) { return f.free_air * (f.saturation_pressure / p - 2 + p / f.saturation_pressure); }
/// Liquid fraction of a volume.
double liquid(const Fluid& f, double p) { return 1 / (1 + air(f, p)); }

TEST(Fluid, CompressibilityIsTheOilsAboveSaturation) {
  const Fluid f = airy();
  for (double p : {1e5, 1.0000001e5, 1e6, 4e7}) EXPECT_EQ(f.compressibility_at(p), f.compressibility) << p;
}

TEST(Fluid, CompressibilityIsContinuousAtSaturation) {
  const Fluid f = airy();
  EXPECT_NEAR(f.compressibility_at(1e5 * (1 - 1e-9)) / f.compressibility, 1, 1e-5);
}

TEST(Fluid, CompressibilityBelowSaturationIsThatOfTheReleasedAir) {
  const Fluid f = airy();
  for (double p : {9e4, 3e4, 1e3, 10.0}) {
    const double h = 1e-4 * p;
    const double released = (liquid(f, p + h) - liquid(f, p - h)) / (2 * h);  // differences to 1e-8 relative
    EXPECT_NEAR(f.compressibility_at(p), f.compressibility + released, 1e-7 * f.compressibility_at(p)) << p;
    EXPECT_NEAR(f.liquid_fraction(p), liquid(f, p), 1e-15) << p;
    EXPECT_TRUE(f.cavitates(p));
  }
  EXPECT_FALSE(f.cavitates(1e5));
  for (double p : {1e5, 3e7}) EXPECT_EQ(f.liquid_fraction(p), 1);
}

TEST(Fluid, SlopeOfCompressibilityIsExact) {
  const Fluid f = airy();
  for (double p : {9e4, 3e4, 1e3}) {
    const double h = 1e-4 * p, slope = (f.compressibility_at(p + h) - f.compressibility_at(p - h)) / (2 * h);
    EXPECT_NEAR(f.compressibility_at(S::variable(p, 0)).d[0], slope, 1e-6 * std::abs(slope)) << p;
  }
}

TEST(Fluid, StrainIsTheIntegralOfCompressibility) {
  const Fluid f = airy();
  for (double wall : {0.0, 3e-9}) {
    EXPECT_EQ(f.strain(1e5, wall), 0);
    for (double p : {1e3, 3e4, 9.9e4, 2e5, 3e7}) {
      const double h = 1e-4 * p, slope = f.compressibility_at(p) + wall;
      EXPECT_NEAR((f.strain(p + h, wall) - f.strain(p - h, wall)) / (2 * h), slope, 1e-6 * slope)
          << p;  // differences of nearly equal strains
    }
    EXPECT_NEAR(f.strain(3e4, wall), -7e4 * (f.compressibility + wall) - (1 - liquid(f, 3e4)), 1e-15);
  }
}

TEST(Fluid, PressureIsTheInverseOfStrain) {
  for (double air : {0.005, 1e-6, 0.0}) {
    Fluid f = airy();
    f.free_air = air;
    for (double p : {1.0, 1e3, 9.9e4, 1e5, 2e5, 3e7}) EXPECT_NEAR(f.pressure_at(f.strain(p, 2e-9), 2e-9), p, 1e-7 * p) << air;
  }
}

TEST(Fluid, StepsOfPressureAcrossSaturationKeepTheStrain) {
  const Fluid f = airy();
  EXPECT_EQ(f.advance(2e6, -1e6, 1e-9), 1e6);  // liquid: unchanged
  for (const auto& [p, dp] : {std::pair{2e6, -3e6}, std::pair{1e6, -1e8}, std::pair{3e4, -1e5}, std::pair{9e4, 2e4}}) {
    const double moved = f.advance(p, dp, 1e-9);
    EXPECT_GT(moved, 0);
    EXPECT_NEAR(f.strain(moved, 1e-9) - f.strain(p, 1e-9), (f.compressibility_at(p) + 1e-9) * dp, 1e-9 * std::abs(dp) * 1e-6) << p;
  }
  // never the last of the liquid
  for (double p : {1e6, 5e4}) EXPECT_NEAR(f.liquid_fraction(f.advance(p, -1e9, 1e-9)), 0.1 * f.liquid_fraction(p), 1e-3) << p;
}

TEST(Fluid, CapacityOfSubVolumesIsVolumeOverEffectiveModulus) {
  // (14): 1/B_e = 1/B_oil + (V_hose/V)/B_hose + (V_chamber/V)/B_cylinder
  const double B_oil = 1.5e9, B_hose = 1.5e8, B_cylinder = 3.15e10, V_hose = 7.85e-5, V_chamber = 3.68e-3, V = V_hose + V_chamber;
  const double B_e = 1 / (1 / B_oil + V_hose / V / B_hose + V_chamber / V / B_cylinder);
  const double capacity = sub_volume_capacity(V_hose, 1 / B_oil, 1 / B_hose) + sub_volume_capacity(V_chamber, 1 / B_oil, 1 / B_cylinder);
  EXPECT_NEAR(capacity, V / B_e, 1e-15 * capacity);
}

// ---------------------------------------------------------------- cylinder

constexpr EndDamper kContinuous{4e5, 3e4, 0.05, DamperLaw::continuous};
constexpr EndDamper kPrinted{4e5, 3e4, 0.05, DamperLaw::rahikainen_2020};

/// Force in the direction of extension; the chambers are l_A and 1 m - l_A long.
double damper_force(const EndDamper& d, double l_A, double s_dot) { return end_dampers_force(d, l_A, 1 - l_A, s_dot); }

TEST(EndDamper, IsSilentBetweenItsZones) {
  for (const EndDamper& d : {kContinuous, kPrinted})
    for (double l : {0.0501, 0.5, 0.9499})
      for (double v : {-1.0, 0.0, 1.0}) EXPECT_EQ(damper_force(d, l, v), 0) << l;
}

TEST(EndDamper, ContinuousLawDoesNotJumpAtEntry) {
  for (double v : {-2.0, -0.1, 0.0, 0.1, 2.0}) {
    // per metre of entry: stiffness and damping over the zone's length
    EXPECT_LT(std::abs(damper_force(kContinuous, 0.05 - 1e-9, v)), 1e-9 * (4e5 + 3e4 / 0.05 * 2)) << v;
    EXPECT_LT(std::abs(damper_force(kContinuous, 0.95 + 1e-9, v)), 1e-9 * (4e5 + 3e4 / 0.05 * 2)) << v;
  }
}

TEST(EndDamper, ContinuousLawNeverPulls) {
  for (double l = 0; l < 0.05; l += 1e-3)
    for (double v = -3; v <= 3; v += 0.1) {
      EXPECT_GE(damper_force(kContinuous, l, v), 0);      // retracted: pushes out
      EXPECT_LE(damper_force(kContinuous, 1 - l, v), 0);  // extended: pushes in
    }
}

TEST(EndDamper, ContinuousLawHasStiffnessAndDampingThatGrowsWithTheDepth) {
  EXPECT_NEAR(damper_force(kContinuous, 0.03, 0), 4e5 * 0.02, 1e-9);
  EXPECT_NEAR(damper_force(kContinuous, 0.03, -0.1), 4e5 * 0.02 + 3e4 * 0.1 * 0.4, 1e-9);  // retracting: more
  EXPECT_NEAR(damper_force(kContinuous, 0.97, 0.1), -(4e5 * 0.02 + 3e4 * 0.1 * 0.4), 1e-9);
  EXPECT_EQ(damper_force(kContinuous, 0.03, 10), 0);  // exit faster than the spring follows
}

TEST(EndDamper, PrintedLawIsASpringAndADamperWithinTheZone) {
  for (double v : {-0.5, 0.0, 0.5}) {
    EXPECT_NEAR(damper_force(kPrinted, 0.03, v), 4e5 * 0.02 - 3e4 * v, 1e-9);
    EXPECT_NEAR(damper_force(kPrinted, 0.97, v), -4e5 * 0.02 - 3e4 * v, 1e-9);
  }
  EXPECT_LT(damper_force(kPrinted, 0.03, 0.5), 0);  // it pulls
}

TEST(Cylinder, HoldsItsPistonBetweenItsEnds) {
  Cylinder c;
  c.length_0 = 1.7;
  c.chamber_A0 = 0.3;
  c.chamber_B0 = 0.5;
  for (double s : {1.41, 1.7, 2.19}) EXPECT_TRUE(c.holds(s)) << s;
  for (double s : {1.39, 2.21, std::nan("")}) EXPECT_FALSE(c.holds(s)) << s;
  c.travel = 0;  // a motor
  EXPECT_TRUE(c.holds(100.0));
  EXPECT_EQ(c.chamber_A(100.0), 0.3);
  EXPECT_FALSE(c.holds(std::nan("")));
}

TEST(Cylinder, ChambersGrowAndShrinkWithTheLength) {
  Cylinder c;
  c.length_0 = 1.7;
  c.chamber_A0 = 0.3;
  c.chamber_B0 = 0.5;
  EXPECT_DOUBLE_EQ(c.chamber_A(1.8), 0.4);
  EXPECT_DOUBLE_EQ(c.chamber_B(1.8), 0.4);
  EXPECT_EQ(c.chamber_A(1.7), 0.3);
  EXPECT_EQ(c.chamber_B(1.7), 0.5);
}

}  // namespace
}  // namespace trunnion
