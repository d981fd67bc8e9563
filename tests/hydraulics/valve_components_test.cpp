// Valves with several ports or their own spool. Reference: static characteristics and small motions in closed form; for every law
// differences, balance of power, and heat that is never negative.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <random>

#include "hydraulics/orifice.h"
#include "model/component_plan.h"
#include "support/component_law.h"
#include "support/linear_algebra.h"
#include "support/valves.h"

namespace trunnion {
namespace {

using test::at;
using test::compensator;
using test::counterbalance_valve;
using test::flow;
using test::flow_divider;
using test::kBar;
using test::kFlowUnit;
using test::kOil;
using test::lagged_relief;
using test::pilot_check_valve;
using test::priority_valve;
using test::reducing_valve;
using test::relief_valve;
using test::resistance;
using test::root;
using test::shuttle_valve;
using test::turbulent;

struct NamedLaw {
  std::string name;
  std::shared_ptr<const ComponentLaw> law;
};
/// All laws, those of spring-loaded spools with and without inertia.
std::vector<NamedLaw> all_laws() {
  std::vector<NamedLaw> laws;
  const auto add = [&](const std::string& name, const auto& valve) { laws.push_back({name, plan_component(valve, kOil).law}); };
  const auto add_both = [&](const std::string& name, auto valve) {
    add(name, valve);
    valve.frequency = 80;
    add(name + ", with inertia", valve);
  };
  auto vented = counterbalance_valve();
  vented.drain = "tank";
  auto relieving = reducing_valve();
  relieving.relieving = true;
  relieving.overlap = 1 * kBar;
  add("relief", relief_valve());
  add("relief with a lag", lagged_relief());
  add_both("pilot check", pilot_check_valve());
  add_both("counterbalance", counterbalance_valve());
  add_both("counterbalance, vented", vented);
  add_both("reducing", reducing_valve());
  add_both("reducing, relieving", relieving);
  add_both("compensator, pre", compensator(CompensatorDescription::Kind::pre));
  add_both("compensator, post", compensator(CompensatorDescription::Kind::post));
  auto unchecked = compensator(CompensatorDescription::Kind::pre);
  unchecked.load_check = false;
  add_both("compensator, pre, without load check", unchecked);
  add_both("priority", priority_valve());
  add("shuttle", shuttle_valve());
  add("flow divider", flow_divider());
  add("resistance", resistance());
  return laws;
}

/// Realistic and unrealistic pressures and states. Pressures are on a grid of 100 Pa, each node's offset by 25 Pa from the previous one,
/// so that no sum of them is within 10 Pa of a kink at a whole kilopascal.
DrawPoint draw_for(const ComponentLaw& law) {
  return [&law](std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(0, 1);
    ComponentPoint point;
    const double base = 400 * kBar * uniform(random);
    for (std::size_t i = 0; i < law.info().nodes.size(); ++i) {
      const double away = std::pow(10, 3 + 4.5 * uniform(random));  // 1 kPa to 300 bar
      const double p = std::max(base + (uniform(random) < 0.5 ? -away : away), 1e3 * uniform(random));
      point.p.push_back(100 * std::floor(p / 100) + 25.0 * static_cast<double>(i));
    }
    for (const ComponentState& state : law.info().states) point.x.push_back(state.scale * (1.4 * uniform(random) - 0.2));
    return point;
  };
}

// ---------------------------------------------------------------- common to all laws

TEST(ValveComponents, DerivativesAreThoseOfDifferencesForEveryLaw) {
  for (const auto& [name, law] : all_laws()) expect_slopes(name, *law, draw_for(*law));
}

TEST(ValveComponents, TurnWhatTheyLoseIntoHeatAndNeverBack) {
  for (const auto& [name, law] : all_laws()) {
    expect_balance(name, *law, draw_for(*law));
    std::mt19937 random(3);
    double largest = 0;
    for (int i = 0; i < 2000; ++i) {
      ComponentPoint point = draw_for(*law)(random);
      evaluate(*law, point);
      for (std::size_t k = 0; k < point.Q.size(); ++k) {  // no flow path on which oil gains energy at the cost of another
        const ComponentFlow& way = law->info().flows[k];
        EXPECT_GE(point.Q[k] * (point.p[way.from] - point.p[way.to]), 0) << name;
      }
      largest = std::max(largest, power(*law, point, PowerKind::heat));
    }
    EXPECT_GT(largest, 1e3) << name;
  }
}

TEST(ValveComponents, StartWhereTheirSpoolsAreAtRest) {
  for (const auto& [name, law] : all_laws()) {
    std::mt19937 random(5);
    for (int i = 0; i < 1000 && !law->info().states.empty(); ++i) {
      ComponentPoint point = draw_for(*law)(random);
      law->start(point.p.data(), nullptr, point.x.data());
      evaluate(*law, point);
      for (double rate : point.rate) EXPECT_NEAR(rate, 0, 1e-8) << name;
      EXPECT_GE(point.x[0], 0) << name;
    }
  }
}

// ---------------------------------------------------------------- spring-loaded spools

TEST(SpringSpool, StepResponseIsThatOfADampedOscillator) {
  const double w = 2 * std::numbers::pi * 50, zeta = 0.2, h = 1e-5;
  auto valve = relief_valve(50, zeta);
  const auto law = plan_component(valve, kOil).law;
  const std::vector<double> p{210 * kBar, 0};  // half of its travel
  Eigen::Vector2d x(0, 0);
  const auto rate = [&](const Eigen::Vector2d& state) {
    const ComponentPoint v = at(*law, p, {state[0], state[1]});
    return Eigen::Vector2d(v.rate[0], v.rate[1]);
  };
  for (int step = 1; step <= 4000; ++step) {
    const Eigen::Vector2d a = rate(x), b = rate(x + h / 2 * a), c = rate(x + h / 2 * b), d = rate(x + h * c);
    x += h / 6 * (a + 2 * b + 2 * c + d);
    const double t = step * h, damped = w * std::sqrt(1 - zeta * zeta);
    const double exact = 0.5 * (1 - std::exp(-zeta * w * t) * (std::cos(damped * t) + zeta * w / damped * std::sin(damped * t)));
    ASSERT_NEAR(x[0], exact, 1e-8) << t;
  }
}

TEST(SpringSpool, WithAndWithoutInertiaRestsAtTheSamePlace) {
  std::vector<double> p{260 * kBar, 20 * kBar, 5 * kBar, 1 * kBar}, x(2);
  auto valve = counterbalance_valve();
  const double at_once = flow(valve, p);
  valve.frequency = 30;
  const auto law = plan_component(valve, kOil).law;
  law->start(p.data(), nullptr, x.data());
  EXPECT_GT(at_once, 0);
  EXPECT_DOUBLE_EQ(at(*law, p, x).Q[0], at_once);
}

// ---------------------------------------------------------------- relief valve with a poppet

TEST(ReliefPoppet, PassesItsNominalFlowAtTheOverride) {
  const auto law = plan_component(relief_valve(), kOil).law;
  const auto steady = [&](double p_A, double p_B) {
    const std::vector<double> p{p_A, p_B};
    std::vector<double> x(2);
    law->start(p.data(), nullptr, x.data());
    return at(*law, p, x).Q[0];
  };
  EXPECT_EQ(steady(200 * kBar, 0), 0);
  EXPECT_EQ(steady(204 * kBar, 5 * kBar), 0);
  EXPECT_NEAR(steady(220 * kBar, 0), 60 * kFlowUnit, 1e-15);
  EXPECT_NEAR(steady(225 * kBar, 5 * kBar), 60 * kFlowUnit, 1e-15);
  EXPECT_NEAR(steady(210 * kBar, 0), 30 * kFlowUnit * std::sqrt(210.0 / 220), 1e-15);
  EXPECT_NEAR(steady(300 * kBar, 0), 60 * kFlowUnit * std::sqrt(300.0 / 220), 1e-15);  // fully open
}

TEST(ReliefPoppet, ChattersWhereHurwitzSaysSo) {
  // a volume upstream, capacity V/B; its flow half of the nominal one
  int growing = 0, fading = 0;
  for (const double capacity : {1e-13, 1e-12, 1e-11})
    for (const double damping : {0.001, 0.05, 0.2, 0.5, 1.0, 3.0, 10.0})
      for (const double frequency : {30.0, 100.0, 300.0}) {
        const auto law = plan_component(relief_valve(frequency, damping), kOil).law;
        const std::vector<double> p{210 * kBar, 0};
        std::vector<double> x(2), Q(1), rate(2), slopes(12);
        law->start(p.data(), nullptr, x.data());
        law->differentiate({p.data(), x.data(), nullptr}, Q.data(), rate.data(), slopes.data());
        Eigen::Matrix3d A;  // pressure, travel, rate
        A.row(0) << -slopes[0] / capacity, -slopes[2] / capacity, 0;
        A.row(1) << slopes[4], slopes[6], slopes[7];
        A.row(2) << slopes[8], slopes[10], slopes[11];
        const double worst = test::eigenvalues(A).real().maxCoeff();
        // from the valve's data alone
        const double w = 2 * std::numbers::pi * frequency, C = 60 * kFlowUnit / std::sqrt(220 * kBar), dp = 210 * kBar;
        const double a = C * 0.5 / (2 * std::sqrt(dp)) / capacity, b = C * std::sqrt(dp) / (20 * kBar) / capacity;
        const double margin = (2 * damping * w + a) * (w * w + 2 * damping * w * a) - w * w * (a + b);
        EXPECT_EQ(worst<0, margin> 0) << capacity << " " << damping << " " << frequency;
        (worst < 0 ? fading : growing) += 1;
      }
  EXPECT_GT(growing, 10);
  EXPECT_GT(fading, 10);
}

TEST(LaggedRelief, OpensAndClosesWithItsTimeConstant) {
  const auto law = plan_component(lagged_relief(), kOil).law;
  EXPECT_NEAR(at(*law, {220 * kBar, 0}, {1}).Q[0], 60 * kFlowUnit, 1e-15);
  EXPECT_NEAR(at(*law, {210 * kBar, 0}, {0.2}).rate[0], (0.5 - 0.2) / 5e-3, 1e-10);
  EXPECT_NEAR(at(*law, {300 * kBar, 0}, {0.2}).rate[0], (1 - 0.2) / 5e-3, 1e-10);
  EXPECT_NEAR(at(*law, {100 * kBar, 0}, {0.2}).rate[0], -0.2 / 5e-3, 1e-10);
  EXPECT_GT(at(*law, {100 * kBar, 0}, {0.2}).Q[0], 0);  // still open
  EXPECT_EQ(at(*law, {300 * kBar, 0}, {0}).Q[0], 0);    // not yet
}

TEST(Laminar, BoreAndGapHaveTheFlowOfPoiseuille) {
  LaminarRestrictionDescription bore;
  bore.diameter = 1e-3;
  bore.length = 0.05;
  const double mu = kOil.viscosity, dp = 30 * kBar;
  EXPECT_NEAR(flow(bore, {dp, 0}), std::numbers::pi * 1e-12 * dp / (128 * mu * 0.05), 1e-18);
  EXPECT_NEAR(flow(bore, {0, dp}), -flow(bore, {dp, 0}), 1e-20);
  LaminarRestrictionDescription gap;
  gap.width = 0.02;
  gap.height = 30e-6;
  gap.length = 0.01;
  EXPECT_NEAR(flow(gap, {dp, 0}), 0.02 * 2.7e-14 * dp / (12 * mu * 0.01), 1e-18);
}

// ---------------------------------------------------------------- pilot-operated check valve

TEST(PilotCheckValve, LetsOilPassFreelyOneWay) {
  const auto valve = pilot_check_valve();
  EXPECT_NEAR(flow(valve, {25 * kBar, 20 * kBar, 0}), 40 * kFlowUnit, 1e-15);
  EXPECT_EQ(flow(valve, {21 * kBar, 20 * kBar, 0}), 0);  // cracks beyond 1 bar
  EXPECT_GT(flow(valve, {21.1 * kBar, 20 * kBar, 0}), 0);
  EXPECT_EQ(flow(valve, {0, 300 * kBar, 0}), 0);  // holds
}

TEST(PilotCheckValve, OpensBackwardsAtThePilotPressureOfItsRatio) {
  const auto valve = pilot_check_valve();
  const double load = 200 * kBar, tank = 2 * kBar;
  const double opens = tank + (load - tank + 1 * kBar) / 4;  // R (p_X - p_A) = p_B - p_A + p_c
  EXPECT_EQ(flow(valve, {tank, load, opens - 0.01 * kBar}), 0);
  EXPECT_LT(flow(valve, {tank, load, opens + 0.01 * kBar}), 0);
  EXPECT_NEAR(flow(valve, {tank, load, opens + 2 * kBar / 4}), -turbulent(40 * kFlowUnit, 5 * kBar, load - tank), 1e-15);
}

// ---------------------------------------------------------------- counterbalance valve

TEST(CounterbalanceValve, OpensAtItsSettingAndAlongTheLineOfItsPilot) {
  const auto valve = counterbalance_valve();
  for (const double p_X : {0.0, 10 * kBar, 40 * kBar, 80 * kBar}) {
    const double opens = 250 * kBar - 3 * p_X;  // p_A + R p_X = setting, at a tank without pressure
    EXPECT_EQ(flow(valve, {opens - 100, 0, p_X, 0}), 0) << p_X;
    EXPECT_GT(flow(valve, {opens + 100, 0, p_X, 0}), 0) << p_X;
    EXPECT_NEAR(flow(valve, {opens + 15 * kBar, 0, p_X, 0}), 0.5 * turbulent(60 * kFlowUnit, 20 * kBar, opens + 15 * kBar), 1e-12) << p_X;
    EXPECT_NEAR(flow(valve, {opens + 60 * kBar, 0, p_X, 0}), turbulent(60 * kFlowUnit, 20 * kBar, opens + 60 * kBar), 1e-12) << p_X;
  }
}

TEST(CounterbalanceValve, BackPressureCountsOnePlusTheRatioUnlessItIsVented) {
  auto valve = counterbalance_valve();
  const double back = 10 * kBar, p_X = 30 * kBar;
  EXPECT_EQ(plan_component(valve, kOil).nodes, (std::vector<std::string>{"", "", "", ""}));
  valve.B = "b";
  EXPECT_EQ(plan_component(valve, kOil).nodes[3], "b");
  valve.drain = "tank";
  EXPECT_EQ(plan_component(valve, kOil).nodes[3], "tank");
  const double opens = 250 * kBar - 3 * p_X, raised = opens + (1 + 3) * back;
  EXPECT_EQ(flow(valve, {raised - 100, back, p_X, back}), 0);
  EXPECT_GT(flow(valve, {raised + 100, back, p_X, back}), 0);
  EXPECT_EQ(flow(valve, {opens - 100, back, p_X, 0}), 0);
  EXPECT_GT(flow(valve, {opens + 100, back, p_X, 0}), 0);
}

TEST(CounterbalanceValve, LetsOilPassFreelyToTheLoad) {
  const auto valve = counterbalance_valve();
  EXPECT_EQ(flow(valve, {50 * kBar, 51 * kBar, 0, 51 * kBar}), 0);
  EXPECT_NEAR(flow(valve, {50 * kBar, 72 * kBar, 0, 72 * kBar}), -60 * kFlowUnit, 1e-15);  // 20 bar beyond the 2 bar of its check valve
}

// ---------------------------------------------------------------- shuttle valve

TEST(ShuttleValve, ADeadEndHasTheHigherPressure) {
  const auto valve = shuttle_valve();
  const auto dead_end = [&](double p_X, double p_Y) {
    return root(
        [&](double p_Z) {
          const ComponentPoint v = at(valve, {p_X, p_Y, p_Z});
          return v.Q[0] + v.Q[1];
        },
        0, 500 * kBar);
  };
  for (const auto& [p_X, p_Y] : {std::pair{100.0, 20.0}, {20.0, 100.0}, {300.0, 0.0}, {50.2, 50.0}, {50.0, 50.0}})
    EXPECT_NEAR(dead_end(p_X * kBar, p_Y * kBar), std::max(p_X, p_Y) * kBar, 1e-3) << p_X << " " << p_Y;
}

TEST(ShuttleValve, LetsItsNodeFallWithTheHigherPressureAlone) {
  const auto valve = shuttle_valve();
  const ComponentPoint following = at(valve, {100 * kBar, 20 * kBar, 105 * kBar});  // X falls, Z is still 5 bar above it
  EXPECT_NEAR(following.Q[0], -5 * kFlowUnit, 1e-15);
  EXPECT_EQ(at(valve, {100 * kBar, 20 * kBar, 100 * kBar}).Q[1], 0);  // no flow to Y after the fall
  EXPECT_NEAR(at(valve, {100 * kBar, 20 * kBar, 100.01 * kBar}).Q[1], -0.02 * turbulent(5 * kFlowUnit, 5 * kBar, 80.01 * kBar), 1e-15);
}

TEST(ShuttleValve, JoinsItsNodeWithTheHigherPressureAlone) {
  const ComponentPoint v = at(shuttle_valve(), {100 * kBar, 20 * kBar, 95 * kBar});
  EXPECT_NEAR(v.Q[0], 5 * kFlowUnit, 1e-15);
  EXPECT_EQ(v.Q[1], 0);
}

// ---------------------------------------------------------------- pressure-reducing valve

TEST(ReducingValve, KeepsThePressureBehindItDownWhateverTheSupply) {
  const auto valve = reducing_valve();
  const double tank = 3 * kBar;
  for (const double supply : {60 * kBar, 150 * kBar, 350 * kBar})
    for (const double drawn : {0.0, 5 * kFlowUnit, 20 * kFlowUnit}) {
      const double p_B = root([&](double p) { return flow(valve, {supply, p, tank}) - drawn; }, 0, supply);
      // C (1 - s) sqrt(p_A - p_B) = Q with s = (p_B - p_T - p_set) / range
      const double expected = tank + 30 * kBar + 4 * kBar * (1 - drawn / turbulent(30 * kFlowUnit, 10 * kBar, supply - p_B));
      EXPECT_NEAR(p_B, expected, 1) << supply << " " << drawn;
    }
}

TEST(ReducingValve, RelievesBeyondItsOverlapOnlyWhereItIsBuiltTo) {
  auto valve = reducing_valve();
  EXPECT_EQ(at(valve, {100 * kBar, 60 * kBar, 0}).Q, (std::vector<double>{0, 0}));
  valve.relieving = true;
  valve.overlap = 2 * kBar;
  EXPECT_EQ(at(valve, {100 * kBar, 35.9 * kBar, 0}).Q, (std::vector<double>{0, 0}));
  EXPECT_GT(at(valve, {100 * kBar, 36.1 * kBar, 0}).Q[1], 0);
  EXPECT_NEAR(at(valve, {100 * kBar, 38 * kBar, 0}).Q[1], 0.5 * turbulent(30 * kFlowUnit, 10 * kBar, 38 * kBar), 1e-15);
  EXPECT_NEAR(at(valve, {100 * kBar, 60 * kBar, 0}).Q[1], turbulent(30 * kFlowUnit, 10 * kBar, 60 * kBar), 1e-15);
}

TEST(ReducingValve, IsFullyOpenBelowItsSetting) {
  EXPECT_NEAR(flow(reducing_valve(), {25 * kBar, 15 * kBar, 0}), 30 * kFlowUnit, 1e-15);
  EXPECT_NEAR(flow(reducing_valve(), {15 * kBar, 25 * kBar, 0}), -30 * kFlowUnit, 1e-15);
}

// ---------------------------------------------------------------- resistance

TEST(Resistance, PressureDropIsTheSumOfALinearAndAQuadraticPart) {
  const auto valve = resistance();
  for (const double q : {-3.0, -1.0, -0.01, 1e-6, 0.2, 1.0, 5.0}) {  // of the nominal flow
    const double dp = 4 * kBar * (0.25 * q + 0.75 * q * std::abs(q));
    EXPECT_NEAR(flow(valve, {100 * kBar + dp, 100 * kBar}) / (60 * kFlowUnit), q, 1e-9 * std::abs(q) + 1e-11) << q;
  }
}

// ---------------------------------------------------------------- metering edges of a directional valve

TEST(SpoolValve, EdgesHaveTablesOfTheirOwn) {
  SpoolValveDescription valve;
  valve.ports = {{"P", {"pump"}}, {"A", {"a"}}, {"T", {"tank"}}};
  SpoolEdgeDescription by_size, by_area;
  by_size.flow = 100 * kFlowUnit;
  by_size.at_pressure_drop = 8 * kBar;
  by_size.opening = {{0.1, 0}, {1, 1}};
  by_area.areas = {{-1, 50e-6}, {-0.2, 0}};
  by_area.discharge = 0.7;
  valve.edges = {{"P_A", by_size}, {"A_T", by_area}};
  const std::vector<EdgePlan> edges = plan_edges(valve, kOil);
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0].A, "pump");
  EXPECT_EQ(edges[0].B, "a");
  EXPECT_DOUBLE_EQ(orifice_flow(edges[0].coefficient * OpeningCurve{edges[0].opening}(0.55), 8 * kBar, LaminarZone(edges[0].laminar_limit)),
                   50 * kFlowUnit);
  EXPECT_EQ(edges[1].A, "a");
  EXPECT_EQ(edges[1].B, "tank");
  const double area = 25e-6;  // half way between the points
  EXPECT_NEAR(edges[1].coefficient * OpeningCurve{edges[1].opening}(-0.6), 0.7 * area * std::sqrt(2 / kOil.density), 1e-15);
  valve.edges = {{"P_B", by_size}};
  EXPECT_ANY_THROW(plan_edges(valve, kOil));
}

}  // namespace
}  // namespace trunnion
