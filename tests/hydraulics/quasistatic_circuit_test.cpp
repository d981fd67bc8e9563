// Actuators on one pump, with regeneration. Reference: the original relations of the circuit, the balance of power, the paper's
// equations solved by bisection, symmetry, monotonicity, and differences.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/metering_circuit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/diagnostic.h"
#include "support/allocation_counter.h"
#include "support/metering_circuits.h"

namespace trunnion {
namespace {

using test::distance_from_relations;
using test::MeteringCase;
using test::Random;
using test::random_case;
using test::speed_scale;
using test::uniform;

struct Recovered {
  std::vector<MeteringFlows> actuators;
  PumpFlows pump;
};
Recovered recover(const MeteringCase& c, const MeteringCircuit& circuit, MeteringSolution& solution) {
  Recovered r;
  r.actuators.resize(c.actuators.size());
  circuit.recover(c.command(), c.beta, c.fbar, solution, r.actuators, r.pump);
  return r;
}
Recovered recover_at(const MeteringCase& c, const MeteringCircuit& circuit, const std::vector<double>& v, MeteringSolution& scratch) {
  Recovered r;
  r.actuators.resize(c.actuators.size());
  circuit.recover_at(c.command(), v, scratch, r.actuators, r.pump);
  return r;
}

// ---------------------------------------------------------------- all forms at random

class QuasistaticForms : public testing::TestWithParam<std::pair<int, bool>> {
 protected:
  const int n = GetParam().first;
  const bool regeneration = GetParam().second;
  Random random{static_cast<std::uint64_t>(20 + 2 * n + regeneration)};
  MeteringSolution solution{n};
};
INSTANTIATE_TEST_SUITE_P(All, QuasistaticForms,
                         testing::Values(std::pair(1, false), std::pair(1, true), std::pair(2, false), std::pair(2, true),
                                         std::pair(3, false), std::pair(3, true), std::pair(5, true)),
                         [](const auto& form) { return std::to_string(form.param.first) + (form.param.second ? "Regenerating" : ""); });

TEST_P(QuasistaticForms, FulfilsTheRelationsOfTheCircuitOnItsLoadLines) {
  for (int i = 0; i < test::random_cases(); ++i) {
    const MeteringCase c = random_case(random, {n, regeneration});
    const MeteringCircuit circuit = c.circuit();
    const Recovered r = recover(c, circuit, solution);
    ASSERT_LT(distance_from_relations(c, r.actuators, r.pump), 2e-12) << c.text();
    circuit.solve(c.command(), c.beta, c.fbar, solution);
    for (int j = 0; j < n; ++j) {
      const MeteringFlows& q = r.actuators[j];
      const double force = c.force_scale(j) + std::abs(c.fbar[j]), speed = speed_scale(c, j) + std::abs(c.fbar[j]) / c.beta[j];
      ASSERT_NEAR(q.f, c.beta[j] * q.v + c.fbar[j], 2e-15 * force) << c.text();
      ASSERT_NEAR(solution.v[j], q.v, 1e-12 * speed) << c.text();
      ASSERT_NEAR(solution.f[j], c.beta[j] * solution.v[j] + c.fbar[j], 2e-15 * force);
      // the pump's power is lost or does work; no gains
      const MeteringPowers p = powers(q);
      const double losses[] = {p.ph, p.pr, p.th, p.tr, p.a, p.head_relief, p.rod_relief};
      double sum = p.work, size = r.pump.P * r.pump.Q + std::abs(p.work);
      for (double loss : losses) sum += loss, size += loss;
      for (double loss : losses) ASSERT_GE(loss, -1e-12 * size) << c.text();
      ASSERT_NEAR(q.Q_p * r.pump.P, sum, 1e-13 * size) << c.text();
    }
  }
}

TEST_P(QuasistaticForms, FulfilsTheRelationsOfTheCircuitAtGivenVelocities) {
  for (int i = 0; i < 3000; ++i) {
    MeteringCase c = random_case(random, {n, regeneration});
    const MeteringCircuit circuit = c.circuit();
    std::vector<double> v(n);
    for (int j = 0; j < n; ++j)
      v[j] = uniform(random, 0, 1) < 0.1 ? 0 : uniform(random, -0.3, 1) * speed_scale(c, j) * std::pow(uniform(random, 0, 1), 3);
    const Recovered r = recover_at(c, circuit, v, solution);
    ASSERT_LT(distance_from_relations(c, r.actuators, r.pump), 2e-12) << c.text();
    std::vector<Interval> f(n);
    circuit.forces(c.command(), v, f, solution);
    for (int j = 0; j < n; ++j) {
      ASSERT_NEAR(r.actuators[j].v, v[j], 1e-15 * speed_scale(c, j));
      ASSERT_TRUE(f[j].contains(r.actuators[j].f, 1e-13 * c.force_scale(j)))
          << f[j].lower << " " << r.actuators[j].f << " " << f[j].upper << c.text();
    }
  }
}

/// Lambda(Gamma): the load line through a point of the map intersects it only there.
TEST_P(QuasistaticForms, InvertsItsMap) {
  std::vector<double> v(n), fbar(n);
  for (int i = 0; i < test::random_cases(); ++i) {
    const MeteringCase c = random_case(random, {n, regeneration});
    const MeteringCircuit circuit = c.circuit();
    for (int j = 0; j < n; ++j)
      v[j] = uniform(random, 0, 1) < 0.1 ? 0 : uniform(random, -0.3, 1) * speed_scale(c, j) * std::pow(uniform(random, 0, 1), 3);
    const Recovered r = recover_at(c, circuit, v, solution);
    for (int j = 0; j < n; ++j) fbar[j] = r.actuators[j].f - c.beta[j] * v[j];
    circuit.solve(c.command(), c.beta, fbar, solution);
    for (int j = 0; j < n; ++j) {
      const double force = c.force_scale(j) + std::abs(fbar[j]);
      ASSERT_NEAR(solution.v[j], v[j], 2e-14 * (force / c.beta[j] + speed_scale(c, j))) << j << " " << c.text();
      ASSERT_NEAR(solution.f[j], r.actuators[j].f, 2e-14 * (force + c.beta[j] * speed_scale(c, j))) << j << " " << c.text();
    }
  }
}

TEST_P(QuasistaticForms, LiesOnTheMapOfItsVelocities) {
  for (int i = 0; i < 3000; ++i) {
    const MeteringCase c = random_case(random, {n, regeneration});
    const MeteringCircuit circuit = c.circuit();
    circuit.solve(c.command(), c.beta, c.fbar, solution);
    const std::vector<double> v = solution.v, f = solution.f;
    // the map may be vertical: more and less drawn from the pump by rounding
    for (const double side : {1.0, -1.0}) {
      std::vector<double> aside = v;
      for (int j = 0; j < n; ++j) aside[j] += side * (c.openings[j].pr > 0 || c.openings[j].th > 0 ? -1 : 1) * 2e-14 * speed_scale(c, j);
      std::vector<Interval> limit(n);
      circuit.forces(c.command(), aside, limit, solution);
      for (int j = 0; j < n; ++j) {
        const double rounding = 1e-12 * (c.force_scale(j) + std::abs(c.fbar[j]));
        if (aside[j] > v[j])
          ASSERT_GE(f[j], limit[j].lower - rounding) << j << c.text();
        else
          ASSERT_LE(f[j], limit[j].upper + rounding) << j << c.text();
      }
    }
  }
}

TEST_P(QuasistaticForms, IsMonotone) {
  for (int i = 0; i < 2000; ++i) {
    const MeteringCase c = random_case(random, {n, regeneration});
    MeteringCase other = c;
    for (int j = 0; j < n; ++j) other.fbar[j] += uniform(random, -1, 1) * c.force_scale(j) * std::pow(uniform(random, 0, 1), 4);
    const MeteringCircuit circuit = c.circuit();
    MeteringSolution second(n);
    circuit.solve(c.command(), c.beta, c.fbar, solution);
    circuit.solve(other.command(), other.beta, other.fbar, second);
    double product = 0, size = 0;
    for (int j = 0; j < n; ++j) {
      product += (second.v[j] - solution.v[j]) * (second.f[j] - solution.f[j]);
      size += (std::abs(second.v[j]) + std::abs(solution.v[j])) * c.force_scale(j);
    }
    ASSERT_LE(product, 1e-14 * size) << c.text();
  }
}

TEST_P(QuasistaticForms, HasTheDerivativesOfItsDifferences) {
  int smooth = 0;
  const int cases = 600;
  for (int i = 0; i < cases; ++i) {
    const MeteringCase c = random_case(random, {n, regeneration, false});
    const MeteringCircuit circuit = c.circuit();
    MeteringSolution before(n), after(n);
    circuit.solve(c.command(), c.beta, c.fbar, solution);
    for (int k = 0; k < n; ++k) {
      const double h = 1e-6 * c.force_scale(k);
      MeteringCase moved = c;
      moved.fbar[k] = c.fbar[k] + h;
      circuit.solve(moved.command(), moved.beta, moved.fbar, after);
      moved.fbar[k] = c.fbar[k] - h;
      circuit.solve(moved.command(), moved.beta, moved.fbar, before);
      for (int j = 0; j < n; ++j) {
        const double right = (after.v[j] - solution.v[j]) / h, left = (solution.v[j] - before.v[j]) / h, d = solution.v_fbar[j * n + k];
        const double size = 1 / std::sqrt(c.beta[j] * c.beta[k]);  // its maximum
        ASSERT_LE(std::abs(d), size * (1 + 1e-12));
        ASSERT_NEAR(d, solution.v_fbar[k * n + j], 1e-11 * size) << c.text();
        if (j == k) ASSERT_LE(d, 0);
        if (std::abs(right - left) > 1e-5 * size) continue;  // a kink, or too strong a curvature for differences
        ++smooth;
        ASSERT_NEAR((left + right) / 2, d, 1e-5 * size) << j << " " << k << "\n" << c.text();
      }
    }
  }
  EXPECT_GT(smooth, 0.95 * cases * n * n);
}

TEST_P(QuasistaticForms, GivesTheSameBitsFromAnyScratch) {
  MeteringSolution fresh(n);
  for (int i = 0; i < 300; ++i) {
    const MeteringCase c = random_case(random, {n, regeneration});
    const MeteringCircuit circuit = c.circuit();
    circuit.solve(c.command(), c.beta, c.fbar, solution);  // after other cases
    fresh = MeteringSolution(n);
    circuit.solve(c.command(), c.beta, c.fbar, fresh);
    EXPECT_EQ(solution.v, fresh.v);
    EXPECT_EQ(solution.f, fresh.f);
    EXPECT_EQ(solution.v_fbar, fresh.v_fbar);
  }
}

TEST_P(QuasistaticForms, AllocatesNothing) {
  if (!test::allocations_are_counted()) GTEST_SKIP();
  Recovered r;
  r.actuators.resize(n);
  std::vector<Interval> f(n);
  for (int i = 0; i < 200; ++i) {
    const MeteringCase c = random_case(random, {n, regeneration});
    const MeteringCircuit circuit = c.circuit();
    const long before = test::allocations();
    circuit.solve(c.command(), c.beta, c.fbar, solution);
    circuit.recover(c.command(), c.beta, c.fbar, solution, r.actuators, r.pump);
    circuit.forces(c.command(), solution.v, f, solution);
    circuit.recover_at(c.command(), c.beta, solution, r.actuators, r.pump);
    EXPECT_EQ(test::allocations(), before);
  }
}

TEST_P(QuasistaticForms, AnswersNotANumberWithNotANumber) {
  MeteringCase c = random_case(random, {n, regeneration, false});
  c.fbar[0] = std::nan("");
  c.circuit().solve(c.command(), c.beta, c.fbar, solution);
  EXPECT_TRUE(std::isnan(solution.f[0]));
}

// ---------------------------------------------------------------- one pump for several

TEST(QuasistaticGroup, EqualActuatorsShareThePumpEqually) {
  Random random(30);
  for (int i = 0; i < 2000; ++i) {
    const MeteringCase one = random_case(random, {1});
    const int n = 2 + i % 3;
    MeteringCase all = one;
    all.flow *= n;
    all.pump.c_bleed *= n;
    for (int j = 1; j < n; ++j) {
      all.actuators.push_back(one.actuators[0]);
      all.openings.push_back(one.openings[0]);
      all.beta.push_back(one.beta[0]);
      all.fbar.push_back(one.fbar[0]);
    }
    MeteringSolution single(1), group(n);
    one.circuit().solve(one.command(), one.beta, one.fbar, single);
    all.circuit().solve(all.command(), all.beta, all.fbar, group);
    for (int j = 0; j < n; ++j) ASSERT_NEAR(group.v[j], single.v[0], 1e-12 * (speed_scale(one, 0) + std::abs(single.v[0]))) << one.text();
  }
}

TEST(QuasistaticGroup, ActuatorsWithShutValvesDoNotMatter) {
  Random random(31);
  for (int i = 0; i < 1000; ++i) {
    const MeteringCase one = random_case(random, {1});
    MeteringCase two = random_case(random, {2});
    two.pump = one.pump;
    two.flow = one.flow;
    two.bleed = one.bleed;
    two.actuators[0] = one.actuators[0];
    two.openings = {one.openings[0], {}};
    two.beta[0] = one.beta[0];
    two.fbar[0] = one.fbar[0];
    MeteringSolution single(1), group(2);
    one.circuit().solve(one.command(), one.beta, one.fbar, single);
    two.circuit().solve(two.command(), two.beta, two.fbar, group);
    ASSERT_NEAR(group.v[0], single.v[0], 1e-12 * (speed_scale(one, 0) + std::abs(single.v[0]))) << one.text();
    ASSERT_EQ(group.v_fbar[1], 0);
  }
}

TEST(QuasistaticGroup, AFasterActuatorLeavesLessForTheOther) {
  // figure 12 of the source: pressure, force and relief flow at v_1 fall with v_2, in both directions
  for (const double u_c : {0.5, -0.5}) {
    MeteringCase c = test::printed_case(u_c, 0.2);
    c.actuators.push_back(c.actuators[0]);
    c.openings.push_back(c.openings[0]);
    c.beta.push_back(1);
    c.fbar.push_back(0);
    const MeteringCircuit circuit = c.circuit();
    MeteringSolution scratch(2);
    const double sign = u_c > 0 ? 1 : -1;
    double P = kInfinity, f = kInfinity, relief = kInfinity;
    for (double v_2 : {0.0, 0.05, 0.1, 0.2, 0.3, 0.5}) {
      const Recovered r = recover_at(c, circuit, {sign * 0.1, sign * v_2}, scratch);
      EXPECT_LE(r.pump.P, P);
      EXPECT_LE(sign * r.actuators[0].f, f);
      EXPECT_LE(r.pump.Q_relief, relief);
      P = r.pump.P;
      f = sign * r.actuators[0].f;
      relief = r.pump.Q_relief;
    }
    EXPECT_LT(P, 36e6);
    EXPECT_EQ(relief, 0);
  }
}

TEST(QuasistaticGroup, ForcesAreSetsWhereTheVelocitiesTakeAllTheFlow) {
  MeteringCase c = test::printed_case(0.5, 0);
  c.actuators.push_back(c.actuators[0]);
  c.openings.push_back(c.openings[0]);
  c.beta.push_back(1e6);
  c.fbar.push_back(0);
  const MeteringCircuit circuit = c.circuit();
  MeteringSolution scratch(2);
  std::vector<Interval> f(2), below(2), above(2);
  const double v_1 = 0.1, v_2 = c.flow / 0.024 - v_1;
  circuit.forces(c.command(), std::vector{v_1, v_2}, f, scratch);
  circuit.forces(c.command(), std::vector{v_1, v_2 * (1 - 1e-9)}, above, scratch);
  circuit.forces(c.command(), std::vector{v_1, v_2 * (1 + 1e-9)}, below, scratch);
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(f[j].upper, above[j].lower, 1e-6 * c.force_scale(j));
    EXPECT_NEAR(f[j].lower, below[j].upper, 1e-6 * c.force_scale(j));
    EXPECT_GT(f[j].upper - f[j].lower, 0.1 * c.force_scale(j));
  }
}

// ---------------------------------------------------------------- regeneration

/// Gamma_reg by the paper's (94), (95), (98), (101) with bisection: U_+, A_h >= A_r, tr open.
double regenerated_force(const MeteringCase& c, double v) {
  const MeteringConstants constants(c.actuators[0]);
  const RegularisedOpenings u = constants.regularise(c.openings[0]);
  const PumpSupply supply{c.flow, c.pump.c_bleed * c.bleed, c.pump.relief};
  const double k = c.actuators[0].area_r / c.actuators[0].area_h;
  const auto head = [&](double x) { return chamber_forces(constants, u, supply, x).h.upper; };
  const auto rod = [&](double y) { return y > 0 ? chamber_forces(constants, u, supply, y).r.upper : 0; };
  const auto Xi = [&](double v_a) { return signed_square(v_a) - u.a * u.a * (rod(v - v_a) - k * head(v - k * v_a)); };
  double lower = 0, upper = v;
  if (v <= 0 || Xi(0) >= 0) return chamber_forces(constants, u, supply, v).f().upper;
  for (int i = 0; i < 200; ++i) {
    const double middle = (lower + upper) / 2;
    (Xi(middle) < 0 ? lower : upper) = middle;
  }
  return head(v - k * lower) - rod(v - lower);
}

TEST(QuasistaticRegeneration, SolvesThePapersEquations) {
  Random random(40);
  int open = 0;
  for (int i = 0; i < 3000; ++i) {
    MeteringCase c = random_case(random, {1, true, false});
    if (c.openings[0].a == 0) continue;
    c.actuators[0].area_r = std::min(c.actuators[0].area_r, 0.97 * c.actuators[0].area_h);
    const double v = speed_scale(c, 0) * std::pow(uniform(random, 0, 1), 2);
    MeteringSolution scratch(1);
    Interval f;
    c.circuit().forces(c.command(), std::span(&v, 1), std::span(&f, 1), scratch);
    EXPECT_NEAR(f.lower, f.upper, 0) << c.text();
    EXPECT_NEAR(f.lower, regenerated_force(c, v), 1e-9 * c.force_scale(0)) << c.text();
    open += recover_at(c, c.circuit(), {v}, scratch).actuators[0].Q_a > 0;
  }
  EXPECT_GT(open, 800);
}

TEST(QuasistaticRegeneration, IsThePlainMapWhileItsValveIsShut) {
  Random random(41);
  for (int i = 0; i < 2000; ++i) {
    MeteringCase c = random_case(random, {1, true});
    MeteringSolution closed_form(1), by_curve(1);
    c.openings[0].a = 0;
    c.circuit().solve(c.command(), c.beta, c.fbar, closed_form);
    if (c.openings[0].pr == 0 && c.openings[0].th == 0) c.openings[0].a = 1e-12;  // too small to be detected
    c.circuit().solve(c.command(), c.beta, c.fbar, by_curve);
    const double speed = speed_scale(c, 0) + std::abs(c.fbar[0]) / c.beta[0];
    EXPECT_NEAR(by_curve.v[0], closed_form.v[0], 1e-10 * speed) << c.text();
  }
}

TEST(QuasistaticRegeneration, ExtendsFasterTheFurtherItsValveOpens) {
  // figure 8: mainly under pulling forces; the flow through the valve grows with its opening
  MeteringCase c = test::printed_case(0.5, 0.2);
  for (const double f : {-3e5, -1e5, 0.0}) {
    double v = 0, Q_a = -1;
    for (double u_a : {0.0, 0.25, 0.5, 1.0}) {
      c.openings[0].a = u_a;
      c.beta[0] = 1;  // almost a given force
      c.fbar[0] = f;
      MeteringSolution solution(1);
      const Recovered r = recover(c, c.circuit(), solution);
      if (f < 0) EXPECT_GT(r.actuators[0].v, v) << f << " " << u_a;
      EXPECT_GE(r.actuators[0].v, v);
      EXPECT_GE(r.actuators[0].Q_a, Q_a);
      v = r.actuators[0].v;
      Q_a = r.actuators[0].Q_a;
    }
  }
}

TEST(QuasistaticRegeneration, LetsAnActuatorWithEqualAreasCirculate) {
  // all main valves closed: oil circulates around the piston, f = -A P_drop
  MeteringCase c = test::printed_case(0, 0.2);
  c.actuators[0].area_r = c.actuators[0].area_h;
  c.openings[0].a = 1;
  const double v = 0.05, drop = std::pow(c.actuators[0].area_r * v / c.actuators[0].c_a, 2);
  MeteringSolution scratch(1);
  const Recovered r = recover_at(c, c.circuit(), {v}, scratch);
  EXPECT_NEAR(r.actuators[0].f, -c.actuators[0].area_h * drop, 1e-12 * c.force_scale(0));
  EXPECT_NEAR(r.actuators[0].Q_a, c.actuators[0].area_r * v, 1e-18);
  EXPECT_EQ(r.actuators[0].P_h, 0);  // the lowest pressures of a closed loop
  EXPECT_EQ(r.actuators[0].Q_ho, 0);
}

// ---------------------------------------------------------------- invalid input

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) { return error.what(); }
  return "no error";
}

TEST(QuasistaticInput, NamesWhatIsWrong) {
  const MeteringCase good = test::printed_case(0.5, 0.2);
  MeteringCase c = good;
  c.actuators[0].relief_r = -1;
  EXPECT_EQ(message_of([&] { c.circuit(); }), "actuator 1: relief_r = -1 must be positive");
  c = good;
  c.actuators[0].c_th = std::nan("");
  EXPECT_EQ(message_of([&] { c.circuit(); }), "actuator 1: c_th = nan must be zero or positive");
  c = good;
  c.pump.relief = 0;
  EXPECT_EQ(message_of([&] { c.circuit(); }), "pump: relief = 0 must be positive");
  c.actuators.clear();
  EXPECT_EQ(message_of([&] { c.circuit(); }), "a metering circuit needs an actuator");

  MeteringSolution solution(1);
  const auto solve = [&] { c.circuit().solve(c.command(), c.beta, c.fbar, solution); };
  c = good;
  c.flow = -1e-3;
  EXPECT_EQ(message_of(solve), "flow of the pump is -0.001 m3/s, must be zero or positive");
  c = good;
  c.bleed = 1.5;
  EXPECT_EQ(message_of(solve), "opening of the bleed valve is 1.5, must be between 0 and 1");
  c = good;
  c.openings[0].th = 0.1;
  EXPECT_EQ(message_of(solve), "openings of actuator 1: valves P_A and A_T are open together");
  c.openings[0] = {0, 0.2, 0.1, 0, 0};
  EXPECT_EQ(message_of(solve), "openings of actuator 1: valves P_B and B_T are open together");
  c.openings[0] = {0.1, 0, 0.1, 0, 0};
  EXPECT_EQ(message_of(solve), "openings of actuator 1: valves P_A and P_B are open together");
  c.openings[0] = {0, 0, 0, 0.1, 0.1};
  EXPECT_EQ(message_of(solve), "openings of actuator 1: valves B_A and A_T are open together");
  c.openings[0] = {0, 1.2, 0, 0, 0};
  EXPECT_EQ(message_of(solve), "openings of actuator 1: B_T = 1.2 must be between 0 and 1");
  for (const double u : {-0.1, 1.1, std::nan("")}) EXPECT_FALSE(admissible(MeteringOpenings{0, u, 0, 0, 0}));
}

}  // namespace
}  // namespace trunnion
