// Valves that share or keep flows: pressure compensators, flow dividers, priority valves. Reference: static characteristics in closed form.
// What holds for every law: valve_components_test.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "support/valves.h"

namespace trunnion {
namespace {

using test::at;
using test::compensator;
using test::flow;
using test::flow_divider;
using test::kBar;
using test::kFlowUnit;
using test::kOil;
using test::priority_valve;
using test::root;
using test::turbulent;

// ---------------------------------------------------------------- pressure compensators

/// Pressure between a compensator and a metering edge of C in series, and the flow, from `supply` to `load`.
struct Section {
  double between, flow;
};
Section pre_compensated(const CompensatorDescription& valve, double C, double supply, double load) {
  const auto metered = [&](double p) { return orifice_flow(C, p - load, LaminarZone(1e4)); };
  const double p = root([&](double at) { return flow(valve, {supply, at, load}) - metered(at); }, 0, 400 * kBar);
  return {p, metered(p)};
}
Section post_compensated(const CompensatorDescription& valve, double C, double supply, double load, double highest) {
  const auto metered = [&](double p) { return orifice_flow(C, supply - p, LaminarZone(1e4)); };
  const double p = root([&](double at) { return metered(at) - flow(valve, {at, load, highest}); }, 0, 400 * kBar);
  return {p, metered(p)};
}

TEST(PressureCompensator, BeforeAMeteringEdgeItKeepsTheFlowWhateverTheLoad) {
  const auto valve = compensator(CompensatorDescription::Kind::pre);
  const double C = nominal_coefficient(50 * kFlowUnit, 10 * kBar);
  for (const double load : {5.0, 50.0, 120.0, 180.0}) {
    const Section at = pre_compensated(valve, C, 200 * kBar, load * kBar);
    const double drop = at.between - load * kBar;
    EXPECT_GE(drop, 10 * kBar) << load;
    EXPECT_LE(drop, 11 * kBar) << load;
    EXPECT_GE(at.flow, 50 * kFlowUnit) << load;
    EXPECT_LE(at.flow, 50 * kFlowUnit * std::sqrt(1.1)) << load;
  }
  // steady spool position: 1 - s = Q / (C_c sqrt(p_A - p_B))
  const Section at = pre_compensated(valve, C, 200 * kBar, 100 * kBar);
  const double open = at.flow / turbulent(120 * kFlowUnit, 5 * kBar, 200 * kBar - at.between);
  EXPECT_NEAR(at.between - 100 * kBar, 10 * kBar + 1 * kBar * (1 - open), 1);
}

TEST(PressureCompensator, BeforeAMeteringEdgeItIsOpenWhereTheSupplyFallsShort) {
  auto valve = compensator(CompensatorDescription::Kind::pre);
  EXPECT_NEAR(flow(valve, {105 * kBar, 100 * kBar, 95 * kBar}), 120 * kFlowUnit, 1e-15);
  EXPECT_EQ(flow(valve, {95 * kBar, 100 * kBar, 95 * kBar}), 0);  // its load check closes
  valve.load_check = false;
  EXPECT_NEAR(flow(valve, {95 * kBar, 100 * kBar, 95 * kBar}), -120 * kFlowUnit, 1e-15);
}

TEST(PressureCompensator, BehindMeteringEdgesFlowsShareWhatThereIs) {
  const auto valve = compensator(CompensatorDescription::Kind::post);
  const double C_1 = nominal_coefficient(60 * kFlowUnit, 10 * kBar), C_2 = nominal_coefficient(30 * kFlowUnit, 10 * kBar);
  const double heavy = 150 * kBar, light = 40 * kBar;
  for (const double supply : {165.0, 170.0, 180.0}) {  // 15 to 30 bar above the heavier load: less and more than both require
    const Section one = post_compensated(valve, C_1, supply * kBar, heavy, heavy);
    const Section two = post_compensated(valve, C_2, supply * kBar, light, heavy);
    const double drop_1 = supply * kBar - one.between, drop_2 = supply * kBar - two.between;
    EXPECT_NEAR(drop_1, supply * kBar - heavy - 10 * kBar, 1 * kBar);
    EXPECT_LE(std::abs(drop_1 - drop_2), 1 * kBar);  // both within the range of the spring
    EXPECT_NEAR(one.flow / two.flow, 2, 2 * 1 * kBar / (2 * drop_2)) << supply;
  }
}

TEST(PressureCompensator, BehindAMeteringEdgeItIsShutAtRest) {
  const auto valve = compensator(CompensatorDescription::Kind::post);
  EXPECT_EQ(flow(valve, {109 * kBar, 50 * kBar, 100 * kBar}), 0);
  EXPECT_GT(flow(valve, {110.1 * kBar, 50 * kBar, 100 * kBar}), 0);
  EXPECT_NEAR(flow(valve, {112 * kBar, 107 * kBar, 100 * kBar}), 120 * kFlowUnit, 1e-15);
}

// ---------------------------------------------------------------- flow divider

struct Division {
  double A, B, spool;
};
Division divide(const FlowDividerDescription& valve, double p_P, double p_A, double p_B) {
  const auto law = plan_component(valve, kOil).law;
  const std::vector<double> p{p_P, p_A, p_B};
  std::vector<double> x(1);
  law->start(p.data(), nullptr, x.data());
  const ComponentPoint v = at(*law, p, x);
  return {v.Q[0], v.Q[1], x[0]};
}

TEST(FlowDivider, DividesInItsRatioWhateverTheLoads) {
  const auto valve = flow_divider();
  for (const auto& [p_A, p_B] : {std::pair{100.0, 100.0}, {100.0, 60.0}, {20.0, 100.0}, {0.0, 110.0}}) {
    const Division d = divide(valve, 120 * kBar, p_A * kBar, p_B * kBar);
    const double error = std::abs(d.A / (d.A + d.B) - 0.3);
    // metering drops differ by 2 range |1/2 - s| at most; they are those of the flow through the metering edges
    const double C = std::numbers::sqrt2 * nominal_coefficient(60 * kFlowUnit, 16 * kBar);
    const double drop_A = std::pow(d.A / (0.3 * C), 2), drop_B = std::pow(d.B / (0.7 * C), 2);
    EXPECT_NEAR(drop_B - drop_A, 2 * 0.5 * kBar * (d.spool - 0.5), 1) << p_A << " " << p_B;
    EXPECT_LT(error, 0.01) << p_A << " " << p_B;
    EXPECT_GT(d.A, 0);
  }
}

TEST(FlowDivider, PassesItsNominalFlowAtEqualLoads) {
  const Division d = divide(flow_divider(), 116 * kBar, 100 * kBar, 100 * kBar);
  EXPECT_NEAR(d.A, 18 * kFlowUnit, 1e-12);
  EXPECT_NEAR(d.B, 42 * kFlowUnit, 1e-12);
  EXPECT_NEAR(d.spool, 0.5, 1e-12);
}

TEST(FlowDivider, CollectsInItsRatio) {
  const Division d = divide(flow_divider(), 0, 30 * kBar, 80 * kBar);
  EXPECT_LT(d.A, 0);
  EXPECT_NEAR(d.A / (d.A + d.B), 0.3, 0.005);
}

TEST(FlowDivider, SpoolFollowsWithItsTimeConstant) {
  const ComponentPoint v = at(flow_divider(), {120 * kBar, 100 * kBar, 100 * kBar}, {1});
  EXPECT_NEAR(v.rate[0], -1 / 4e-3, 1e-9);  // A far too open: to the opposite stop
}

// ---------------------------------------------------------------- priority valve

struct Priority {
  double p_P, p_CF, CF, EF;
};
/// A pump of a given flow, a steering orifice of C from CF to a load, and EF on a separate load.
Priority serve(double pump, double C, double steering_load, double ef_load) {
  const auto valve = priority_valve();
  Priority served{};
  const auto solve_cf = [&](double p_P) {
    served.p_P = p_P;
    served.p_CF = root(
        [&](double p) {
          return at(valve, {p_P, p, ef_load, steering_load}).Q[0] - orifice_flow(C, p - steering_load, LaminarZone(1e4));
        },
        0, 500 * kBar);
    const ComponentPoint v = at(valve, {p_P, served.p_CF, ef_load, steering_load});
    served.CF = v.Q[0];
    served.EF = v.Q[1];
  };
  root([&](double p_P) { return solve_cf(p_P), pump - served.CF - served.EF; }, 0, 500 * kBar);
  return served;
}

TEST(PriorityValve, ServesTheSteeringFirstAndLeavesTheRest) {
  const double C = nominal_coefficient(20 * kFlowUnit, 7 * kBar);
  for (const double steering_load : {20.0, 120.0})
    for (const double ef_load : {10.0, 100.0}) {
      const Priority at = serve(60 * kFlowUnit, C, steering_load * kBar, ef_load * kBar);
      EXPECT_GE(at.p_CF - steering_load * kBar, 7 * kBar);
      EXPECT_LE(at.p_CF - steering_load * kBar, 9 * kBar);
      EXPECT_NEAR(at.CF, C * std::sqrt(at.p_CF - steering_load * kBar), 1e-9);
      EXPECT_NEAR(at.CF + at.EF, 60 * kFlowUnit, 1e-9);
    }
}

TEST(PriorityValve, LeavesNothingWhereThePumpFallsShort) {
  const double C = nominal_coefficient(50 * kFlowUnit, 7 * kBar);
  const Priority at = serve(40 * kFlowUnit, C, 50 * kBar, 10 * kBar);
  EXPECT_NEAR(at.CF, 40 * kFlowUnit, 1e-9);
  EXPECT_EQ(at.EF, 0);
}

TEST(PriorityValve, AtStandstillAllGoesToTheRest) {
  const Priority at = serve(60 * kFlowUnit, 0, 5 * kBar, 80 * kBar);
  EXPECT_NEAR(at.p_CF, (5 + 7 + 2) * kBar, 1);
  EXPECT_NEAR(at.EF, 60 * kFlowUnit, 1e-9);
}

}  // namespace
}  // namespace trunnion
