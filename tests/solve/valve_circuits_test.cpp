// Valves in circuits, run with the step: the models of tests/data/components compared with their steady states and small motions in closed
// form. Reference: the closed forms, written out here from the valves' data; balances of energy and oil.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "model/model.h"
#include "run/run.h"
#include "trunnion/trunnion.h"

namespace trunnion {
namespace {

constexpr double kBarUnit = 1e5, kLitre = 1e-3 / 60, kReturn = 1e5, kOilDensity = 850, kOilModulus = 1.5e9, kGravity = 9.81;  // SI
constexpr double kBore = std::numbers::pi / 4 * 0.08 * 0.08, kRing = kBore - std::numbers::pi / 4 * 0.056 * 0.056;            // [m2]

Simulation circuit(const std::string& name, const std::vector<std::string>& set = {}) {
  return Simulation(std::string(TRUNNION_SOURCE_DIR) + "/tests/data/components/" + name + ".yaml", set);
}
double reading(Simulation& run, double t, const std::string& channel) {
  run.run_until(t);
  return run.value(channel);
}
/// Zero of an increasing function.
double zero_of(const std::function<double(double)>& f, double low, double high) {
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}
/// C of a nominal flow [L/min] at a pressure drop [bar].
double coefficient_of(double flow, double drop) { return flow * kLitre / std::sqrt(drop * kBarUnit); }
/// The orifice's root of a pressure drop, linear below 2 bar; no reverse flow.
double rooted(double dp) { return dp < 2 * kBarUnit ? std::max(dp, 0.0) / std::sqrt(2 * kBarUnit) : std::sqrt(dp); }
/// Head pressure that carries a mass, the rod side at a pressure; `drag` [N] helps to carry it.
double carried(double mass, double rod_side, double drag = 0) { return (mass * kGravity - drag + kRing * rod_side) / kBore; }

void expect_balanced(const Simulation& run, double share = 1e-6) {
  double work = 0;
  for (const char* name : {"energy.supply", "energy.throttling", "energy.oil", "energy.potential"})
    work = std::max(work, std::abs(run.value(name)));
  EXPECT_LT(std::abs(run.value("energy.residual")), share * work) << run.value("energy.residual") << " J of " << work << " J";
}

TEST(ValveCircuit, CounterbalanceValveHoldsItsLoadAndLowersItAsFarAsItIsFed) {
  Simulation run = circuit("counterbalance");
  EXPECT_NEAR(reading(run, 0.4, "load.speed"), 0, 1e-12);
  EXPECT_NEAR(run.value("head.pressure"), carried(5000, 5 * kBarUnit), 1);  // 100 bar, 40 bar below the setting
  EXPECT_EQ(run.value("hold.flow"), 0);
  // lowered: v = Q / A_B; p_A and p_B carry the load, and C s sqrt(p_A - p_T) = A_A v with s from p_A + R p_B
  const double v = 12 * kLitre / kRing, C = coefficient_of(60, 50);
  const auto flow = [&](double rod) {
    const double head = carried(5000, rod, 40000 * v), s = ((head - kReturn) + 1 * (rod - kReturn) - 140 * kBarUnit) / (40 * kBarUnit);
    return C * std::clamp(s, 0.0, 1.0) * std::sqrt(head - kReturn);
  };
  const double rod = zero_of([&](double p) { return flow(p) - kBore * v; }, 0, 200 * kBarUnit);
  EXPECT_NEAR(reading(run, 3.9, "load.speed"), -v, 3e-4);
  EXPECT_NEAR(run.value("rod.pressure"), rod, 0.3 * kBarUnit);
  EXPECT_NEAR(run.value("head.pressure"), carried(5000, rod, 40000 * v), 0.3 * kBarUnit);
  EXPECT_NEAR(reading(run, 5, "load.speed"), 0, 1e-3);  // held again
  EXPECT_EQ(run.value("hold.flow"), 0);
  expect_balanced(run);
}

TEST(ValveCircuit, CounterbalanceValveHuntsWithALargePilotRatio) {
  Simulation run = circuit("counterbalance", {"valves.hold.counterbalance.pilot_ratio=4"});
  double slowest = -1, fastest = 0;
  for (double t = 2; t < 4; t += 0.01) {
    const double v = reading(run, t, "load.speed");
    slowest = std::max(slowest, v);
    fastest = std::min(fastest, v);
  }
  EXPECT_LT(fastest, -0.15);
  EXPECT_GT(slowest, -0.03);
  expect_balanced(run);
}

TEST(ValveCircuit, PreCompensatedSectionsKeepTheirFlowsWhateverTheOtherDoes) {
  Simulation run = circuit("pre_compensated");
  // drop x over the metering edge: C_c (1 - s) sqrt(p_P - p_L - x) = C_m u sqrt x, s = (x - 10 bar) / 2 bar
  const auto speed = [](double mass, double opening) {
    const double C_c = coefficient_of(80, 5), C_m = coefficient_of(30, 10) * opening;
    const auto excess = [&](double x) {
      const double load = carried(mass, kReturn, -20000 * C_m * std::sqrt(x) / kBore);
      return C_m * std::sqrt(x) - C_c * (1 - (x - 10 * kBarUnit) / (2 * kBarUnit)) * std::sqrt(180 * kBarUnit - load - x);
    };
    return C_m * std::sqrt(zero_of(excess, 10 * kBarUnit, 12 * kBarUnit)) / kBore;
  };
  for (const double t : {2.4, 3.0}) {  // while the other section moves, and after it has closed
    EXPECT_NEAR(reading(run, t, "heavy_meter.flow"), speed(4000, 1) * kBore, 1e-4 * speed(4000, 1) * kBore) << t;
    EXPECT_NEAR(run.value("light.speed"), t < 2.5 ? speed(800, 0.5) : 0, 1e-4) << t;
  }
  expect_balanced(run);
}

TEST(ValveCircuit, PostCompensatorsShareWhatThereIsInProportion) {
  Simulation run = circuit("flow_sharing");
  // both edges demand more than the supply: their drops shrink equally except for the range of the springs
  const double C_1 = coefficient_of(60, 10), C_2 = coefficient_of(30, 10), C_c = coefficient_of(80, 5);
  const auto loads = [](double Q_1, double Q_2) {
    return std::pair{carried(4000, kReturn, -20000 * Q_1 / kBore), carried(800, kReturn, -20000 * Q_2 / kBore)};
  };
  const auto metered = [&](double line, double C, double load, double highest) {  // flow of one section, and its pressure between
    const double edge = zero_of(
        [&](double p) {
          const double s = std::clamp((p - highest - 3 * kBarUnit) / kBarUnit, 0.0, 1.0);
          return C_c * s * rooted(p - load) - C * rooted(line - p);
        },
        highest, line);
    return C * rooted(line - edge);
  };
  double Q_1 = 26 * kLitre, Q_2 = 14 * kLitre;
  for (int i = 0; i < 50; ++i) {  // drag of the cylinders depends on the flows
    const auto [heavy, light] = loads(Q_1, Q_2);
    const double line = zero_of([&, h = heavy, l = light](double p) { return metered(p, C_1, h, h) + metered(p, C_2, l, h) - 40 * kLitre; },
                                heavy + 3 * kBarUnit, heavy + 30 * kBarUnit);
    Q_1 = metered(line, C_1, heavy, heavy);
    Q_2 = metered(line, C_2, light, heavy);
  }
  EXPECT_NEAR(Q_1 + Q_2, 40 * kLitre, 1e-12);
  EXPECT_NEAR(reading(run, 2.9, "heavy_meter.flow"), Q_1, 1e-3 * Q_1);
  EXPECT_NEAR(run.value("light_meter.flow"), Q_2, 1e-3 * Q_2);
  EXPECT_NEAR(Q_1 / Q_2, 2, 0.25);  // the heavy section has 50 bar less over its compensator
  EXPECT_NEAR(run.value("sensed.pressure"), run.value("heavy_head.pressure"), 1e3);
  expect_balanced(run);
}

TEST(ValveCircuit, PriorityValveServesSteeringFirst) {
  Simulation run = circuit("priority");
  // standstill: CF stays 9 bar above LS, all lifts
  EXPECT_NEAR(reading(run, 0.9, "steering.pressure"), kReturn + 9 * kBarUnit, 100);
  EXPECT_NEAR(run.value("priority.flow_EF"), 60 * kLitre, 1e-9);
  EXPECT_NEAR(run.value("rest.pressure"), kReturn + 82 * kBarUnit, 100);
  EXPECT_NEAR(run.value("priority.spool"), 1, 1e-6);
  // steering: the drop over its orifice is 7 bar + 2 bar s, and EF has s C sqrt(p_P - p_EF), CF (1 - s) C sqrt(p_P - p_CF)
  const double C = coefficient_of(60, 6), steer = coefficient_of(20, 7);
  reading(run, 1.9, "priority.spool");
  const double s = run.value("priority.spool"), drop = run.value("steering.pressure") - run.value("load.pressure");
  EXPECT_NEAR(drop, (7 + 2 * s) * kBarUnit, 10);
  EXPECT_NEAR(run.value("priority.flow_CF"), steer * std::sqrt(drop), 1e-9);
  EXPECT_NEAR(run.value("priority.flow_CF"), C * (1 - s) * std::sqrt(run.value("line.pressure") - run.value("steering.pressure")), 1e-9);
  EXPECT_NEAR(run.value("priority.flow_CF") + run.value("priority.flow_EF"), 60 * kLitre, 1e-9);
  // standstill again: LS is drained
  EXPECT_NEAR(reading(run, 2.49, "priority.flow_EF"), 60 * kLitre, 1e-8);
  // the pump saturates: all flow to the steering
  EXPECT_NEAR(reading(run, 3.4, "priority.flow_CF"), 12 * kLitre, 1e-9);
  EXPECT_NEAR(run.value("priority.flow_EF"), 0, 1e-12);
  expect_balanced(run);
}

TEST(ValveCircuit, ReliefPoppetSwingsAndGrowsAsItsCubicSays) {
  // (l^2 + 2 zeta w l + w^2)(l + a) + w^2 b = 0 about the steady state of 30 L/min
  const double C = coefficient_of(60, 220), w = 2 * std::numbers::pi * 100, range = 20 * kBarUnit, capacity = 0.5e-3 / kOilModulus;
  const double dp =
      zero_of([&](double p) { return C * (p - 200 * kBarUnit) / range * std::sqrt(p) - 30 * kLitre; }, 200 * kBarUnit, 220 * kBarUnit);
  const double s = (dp - 200 * kBarUnit) / range, a = C * s / (2 * std::sqrt(dp)) / capacity, b = C * std::sqrt(dp) / range / capacity;
  const auto margin = [&](double zeta) { return (2 * zeta * w + a) * (w * w + 2 * zeta * w * a) - w * w * (a + b); };
  const double limit = zero_of(margin, 0, 100);
  for (const double zeta : {0.9 * limit, 1.1 * limit}) {
    std::complex<double> root(0, w);  // of the swinging pair
    for (int i = 0; i < 100; ++i) {
      const std::complex<double> q = root * root + 2 * zeta * w * root + w * w, value = q * (root + a) + w * w * b;
      root -= value / ((2.0 * root + 2 * zeta * w) * (root + a) + q);
    }
    Simulation run = circuit("relief_chatter", {"valves.limit.relief.damping=" + std::to_string(zeta), "solver.step=0.05 ms",
                                                "volumes.line.pressure=" + std::to_string(dp + kReturn + 1e4)});
    // deviations at three times a quarter of the period apart satisfy x(t + 2 T) = 2 e^(re T) cos(im T) x(t + T) - e^(2 re T) x(t),
    // after decay of the fast third mode
    const double step = 0.05e-3;
    const int apart = static_cast<int>(std::lround(std::numbers::pi / 2 / root.imag() / step));
    const double T = apart * step;
    run.run_until(0.02);
    std::vector<double> x;
    for (int i = 0; i <= 40 * apart; ++i) {
      x.push_back(run.value("line.pressure") - kReturn - dp);
      run.step();
    }
    double swing = 0, wrong = 0;
    for (int i = 0; i + 2 * apart <= 40 * apart; ++i) {
      const double next = 2 * std::exp(root.real() * T) * std::cos(root.imag() * T) * x[static_cast<std::size_t>(i + apart)] -
                          std::exp(2 * root.real() * T) * x[static_cast<std::size_t>(i)];
      wrong = std::max(wrong, std::abs(x[static_cast<std::size_t>(i + 2 * apart)] - next));
      swing = std::max(swing, std::abs(next));
    }
    EXPECT_LT(wrong, 0.02 * swing) << zeta;
    EXPECT_EQ(root.real() > 0, zeta < limit);
    EXPECT_GT(swing, 1e3);
  }
}

/// V/B p' = Q - C s sqrt(dp), tau s' = (dp - p_c) / override - s, by Runge-Kutta's rule at a hundredth of the step; and its eigenvalues.
TEST(ValveCircuit, LaggedReliefValveFollowsItsTwoEquations) {
  const double C = coefficient_of(60, 220), range = 20 * kBarUnit, cracking = 200 * kBarUnit, capacity = 0.5e-3 / kOilModulus,
               feed = 30 * kLitre;
  constexpr double kTau = 5e-3, kStep = 0.05e-3, kAbove = 1e5;
  const double dp = zero_of([&](double p) { return C * (p - cracking) / range * std::sqrt(p) - feed; }, cracking, cracking + range);
  Simulation run =
      circuit("relief_chatter",
              {"valves.limit.relief={A: line, B: tank, cracking_pressure: 200 bar, flow: 60 L/min, override: 20 bar, time_constant: 5 ms}",
               "solver.step=0.05 ms", "volumes.line.pressure=" + std::to_string(dp + kReturn + kAbove)});
  using Pair = std::array<double, 2>;  // pressure drop, opening
  const auto rates = [&](const Pair& x) {
    return Pair{(feed - C * x[1] * std::sqrt(x[0])) / capacity, (std::clamp((x[0] - cracking) / range, 0.0, 1.0) - x[1]) / kTau};
  };
  Pair x{dp + kAbove, (dp + kAbove - cracking) / range};  // the valve starts at rest
  double wrong = 0, swing = 0;
  for (int i = 0; i < 1000; ++i) {
    constexpr int kParts = 100;
    const auto moved = [](const Pair& from, const Pair& rate, double h) { return Pair{from[0] + h * rate[0], from[1] + h * rate[1]}; };
    for (int k = 0; k < kParts; ++k) {
      const double h = kStep / kParts;
      const Pair a = rates(x), b = rates(moved(x, a, h / 2)), c = rates(moved(x, b, h / 2)), d = rates(moved(x, c, h));
      for (std::size_t j = 0; j < 2; ++j) x[j] += h / 6 * (a[j] + 2 * b[j] + 2 * c[j] + d[j]);
    }
    run.step();
    wrong = std::max(wrong, std::abs(run.value("line.pressure") - kReturn - x[0]));
    swing = std::max(swing, dp - x[0]);
    EXPECT_NEAR(run.value("limit.spool"), x[1], 1e-3);
  }
  EXPECT_GT(swing, 0.1 * kAbove);
  EXPECT_LT(wrong, 2e-3 * kAbove);
  // (l + a)(l + 1/tau) + b/tau = 0 about the steady state
  const double s = (dp - cracking) / range, a = C * s / (2 * std::sqrt(dp)) / capacity, b = C * std::sqrt(dp) / range / capacity;
  const std::complex<double> root = (-(a + 1 / kTau) + std::sqrt(std::complex<double>(std::pow(a - 1 / kTau, 2) - 4 * b / kTau))) / 2.0;
  run.run_until(1);
  const LinearSystem linear = run.linearize();
  ASSERT_EQ(linear.eigenvalues.size(), 2U);
  EXPECT_NEAR(linear.eigenvalues[0].re, root.real(), 1e-4 * std::abs(root));
  EXPECT_NEAR(linear.eigenvalues[0].im, root.imag(), 1e-4 * std::abs(root));
}

TEST(ValveCircuit, ReliefValveThatIsHardlyDampedBeatsOnItsSeat) {
  Simulation run = circuit("relief_chatter");
  double lowest = 1, highest = 0, deepest = 1e9, peak = 0;
  for (int i = 0; i < 5000; ++i) {
    run.step();
    if (run.time() < 0.8) continue;
    lowest = std::min(lowest, run.value("limit.spool"));
    highest = std::max(highest, run.value("limit.spool"));
    deepest = std::min(deepest, run.value("line.pressure"));
    peak = std::max(peak, run.value("line.pressure"));
  }
  EXPECT_LE(lowest, 0);
  EXPECT_GT(highest, 0.5);
  EXPECT_LT(deepest, 195 * kBarUnit);
  EXPECT_GT(peak, 205 * kBarUnit);
  expect_balanced(run);
}

TEST(ValveCircuit, ReducingValveHoldsItsPressureDrawnFromShutAndFedFromBehind) {
  Simulation run = circuit("reducing");
  const double C = coefficient_of(30, 10), draw = coefficient_of(10, 30);
  const double drawn = zero_of(
      [&](double p) {
        return draw * std::sqrt(p - kReturn) - C * (1 - (p - kReturn - 30 * kBarUnit) / (4 * kBarUnit)) * std::sqrt(200 * kBarUnit - p);
      },
      31 * kBarUnit, 35 * kBarUnit);
  EXPECT_NEAR(reading(run, 0.9, "pilot.pressure"), drawn, 10);
  EXPECT_NEAR(reading(run, 1.9, "pilot.pressure"), kReturn + 34 * kBarUnit, 500);  // closed
  EXPECT_EQ(run.value("reduce.flow"), 0);
  const double fed =
      zero_of([&](double p) { return C * (p - kReturn - 35 * kBarUnit) / (4 * kBarUnit) * std::sqrt(p - kReturn) - 6 * kLitre; },
              36 * kBarUnit, 40 * kBarUnit);
  EXPECT_NEAR(reading(run, 2.9, "pilot.pressure"), fed, 10);
  EXPECT_NEAR(run.value("reduce.flow_T"), 6 * kLitre, 1e-9);
  expect_balanced(run);
}

TEST(ValveCircuit, FlowDividerRaisesAndLowersUnequalLoadsAlike) {
  Simulation run = circuit("flow_divider");
  const double metering = std::numbers::sqrt2 * coefficient_of(40, 16) / 2;
  for (const double t : {1.95, 3.45}) {
    const double total = reading(run, t, "divider.flow_A") + run.value("divider.flow_B");
    EXPECT_NEAR(run.value("divider.flow_A") / total, 0.5, 0.01) << t;
    const double drop_A = std::pow(run.value("divider.flow_A") / metering, 2), drop_B = std::pow(run.value("divider.flow_B") / metering, 2);
    EXPECT_NEAR(drop_B - drop_A, (2 * run.value("divider.spool") - 1) * 0.5 * kBarUnit, 500) << t;
    EXPECT_GT(std::abs(run.value("heavy_head.pressure") - run.value("light_head.pressure")), 70 * kBarUnit);
  }
  EXPECT_NEAR(run.value("light.speed"), -20 * kLitre / kBore, 1e-3);
  expect_balanced(run);
}

TEST(ValveCircuit, PilotCheckValveHoldsItsLoadUntilItsPilotLiftsIt) {
  Simulation run = circuit("pilot_check");
  EXPECT_EQ(reading(run, 0.4, "load.speed"), 0);
  // open at 4 (p_X - p_A) = p_B - p_A, p_A the tank: at 20.4 bar of pilot
  EXPECT_EQ(reading(run, 0.51, "hold.flow"), 0);
  // lowered through valve and throttle in series
  const double C_c = coefficient_of(60, 5), C_t = coefficient_of(20, 60), C = 1 / std::sqrt(1 / (C_c * C_c) + 1 / (C_t * C_t));
  const double v = zero_of([&](double u) { return kBore * u - C * std::sqrt(carried(4000, kReturn, 20000 * u) - kReturn); }, 0, 1);
  EXPECT_NEAR(reading(run, 1.49, "load.speed"), -v, 1e-3);
  EXPECT_NEAR(run.value("hold.spool"), 1, 1e-9);
  const double length = reading(run, 1.8, "load.position");
  EXPECT_NEAR(run.value("hold.flow"), 0, 1e-15);
  EXPECT_NEAR(reading(run, 2.5, "load.position"), length, 1e-3);  // oscillates on its oil
  expect_balanced(run);
}

TEST(ValveCircuit, ReturnLineHasTheDropsOfCoolerAndFilterAndOpensItsBypass) {
  Simulation run = circuit("return_line");
  const auto drop = [](double q, double nominal, double share) { return nominal * (share * q + (1 - share) * q * q); };
  EXPECT_NEAR(reading(run, 0.9, "between.pressure"), kReturn + drop(1, 2 * kBarUnit, 0.6), 1);
  EXPECT_NEAR(run.value("back.pressure") - run.value("between.pressure"), drop(0.6, 2 * kBarUnit, 0.2), 1);
  EXPECT_EQ(run.value("bypass.flow"), 0);
  // above: the excess over the filter flow at this pressure is bypassed
  const double bypass = coefficient_of(100, 1);
  const double q = zero_of(
      [&](double share) {
        const double beyond = std::max(drop(share, 2 * kBarUnit, 0.6) - 3 * kBarUnit, 0.0);
        const double by = beyond < 0.5 * kBarUnit ? beyond / std::sqrt(0.5 * kBarUnit) : std::sqrt(beyond);
        return 60 * kLitre * share + bypass * by - 120 * kLitre;
      },
      0, 2);
  EXPECT_NEAR(reading(run, 1.9, "filter.flow"), 60 * kLitre * q, 1e-9);
  EXPECT_NEAR(run.value("bypass.flow"), 120 * kLitre - 60 * kLitre * q, 1e-9);
  EXPECT_NEAR(run.value("back.pressure") - run.value("between.pressure"), drop(1.2, 2 * kBarUnit, 0.2), 1);
  expect_balanced(run);
}

TEST(ValveCircuit, OpenCentreLetsThePumpsFlowRoundUntilTheLeverTakesIt) {
  Simulation run = circuit("open_centre");
  EXPECT_NEAR(reading(run, 0.4, "line.pressure"), kReturn + 7 * kBarUnit, 1);  // nominal flow through the centre
  EXPECT_NEAR(run.value("load.speed"), 0, 1e-12);
  // full lever: the centre is closed, all flow goes to the head, and the ring's to the tank through 40 mm2
  const double v = 50 * kLitre / kBore;
  EXPECT_NEAR(reading(run, 2.45, "load.speed"), v, 1e-3);
  const double rod = kReturn + std::pow(kRing * v / (0.8 * 40e-6 * std::sqrt(2 / kOilDensity)), 2);
  const double head = carried(3000, rod, -20000 * v), inlet = head + 10 * kBarUnit * std::pow(50.0 / 60, 2);
  EXPECT_NEAR(run.value("head.pressure"), head, 0.3 * kBarUnit);
  EXPECT_NEAR(run.value("inlet.pressure") - run.value("head.pressure"), inlet - head, 0.02 * kBarUnit);
  // back: through 6 mm2, the pump against its relief valve
  EXPECT_LT(reading(run, 3.9, "load.speed"), -0.1);
  EXPECT_GT(run.value("line.pressure"), kReturn + 160 * kBarUnit);
  EXPECT_NEAR(-run.value("load.speed") * kBore, 0.8 * 6e-6 * std::sqrt(2 / kOilDensity) * std::sqrt(run.value("head.pressure") - kReturn),
              2e-6);
  expect_balanced(run);
}

TEST(ValveCircuit, LoadSensingSectionsHaveTheFlowsOfTheirLevers) {
  Simulation run = circuit("load_sensing");
  EXPECT_NEAR(reading(run, 0.29, "line.pressure"), kReturn + 20 * kBarUnit, 0.1 * kBarUnit);  // standby at its margin
  const double C = coefficient_of(40, 10);
  reading(run, 1.95, "time");
  for (const auto& [name, lever] : {std::pair{std::string("heavy"), 0.6}, {std::string("light"), 0.8}}) {
    const double drop = run.value(name + "_edge.pressure") - run.value(name + "_head.pressure");
    EXPECT_GT(drop, 10 * kBarUnit) << name;
    EXPECT_LT(drop, 12 * kBarUnit) << name;
    EXPECT_NEAR(run.value(name + "_compensator.flow"), C * (lever - 0.1) / 0.9 * std::sqrt(drop), 1e-6) << name;
    EXPECT_NEAR(run.value(name + ".speed") * kBore, run.value(name + "_compensator.flow"), 0.02 * run.value(name + "_compensator.flow"));
    EXPECT_NEAR(run.value(name + "_load.pressure"), run.value(name + "_head.pressure"), 2e3) << name;
  }
  EXPECT_NEAR(run.value("sensed.pressure"), run.value("heavy_load.pressure"), 2e3);
  EXPECT_GT(run.value("line.pressure"), run.value("sensed.pressure") + 16 * kBarUnit);  // the margin, minus the band of the control
  EXPECT_NEAR(reading(run, 3.5, "sensed.pressure"), kReturn, 1e3);                      // levers in the middle: drained
  expect_balanced(run);
}

TEST(ValveCircuit, NewtonsMethodFindsItsWayOverTheEdgesOfSpools) {
  // little oil between compensator and edge: valves, not the oil, determine its pressure
  for (const char* name : {"pre_compensated", "flow_sharing", "load_sensing"}) {
    std::vector<Override> small;
    for (const char* section : {"heavy", "light"})
      small.push_back(parse_override(std::string("volumes.") + section + "_edge.volume=0.01 L"));
    Runner run(compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/tests/data/components/" + name + ".yaml", small)));
    run.advance(3);
    EXPECT_EQ(run.statistics().divided_steps, 0) << name;
    EXPECT_EQ(run.statistics().capped_steps, 0) << name;
    EXPECT_LE(run.statistics().max_iterations, 15) << name;
  }
}

}  // namespace
}  // namespace trunnion
