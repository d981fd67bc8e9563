// The reference of the quasistatic actuators compared with solutions in forty digits, with the original relations, with
// set-valued points found by hand, and its eliminations with each other.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/quasistatic_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "problems/reference_table.h"

namespace trunnion::problems {
namespace {

constexpr unsigned kQuasistaticCases = 400;

double signed_root(double x) { return x < 0 ? -std::sqrt(-x) : std::sqrt(x); }

/// Flows of (39h)-(39k), (91) at given pressures. One feeding valve at most is open, so that P_c = max(P, pressure behind it).
struct RawFlows {
  double ph, th, pr, tr, a;
  RawFlows(const ActuatorReference& k, double P, double P_h, double P_r)
      : ph(k.ph * signed_root(std::max(P, P_h) - P_h)),
        th(k.th * signed_root(P_h)),
        pr(k.pr * signed_root(std::max(P, P_r) - P_r)),
        tr(k.tr * signed_root(P_r)),
        a(k.a * std::max(signed_root(P_r - P_h), 0.0)) {}
};

/// Whether x solves g(x) in N_[lo, hi](x), g decreasing, for x and g uncertain by dx and dg.
template <class G>
bool is_complementary(const G& g, double x, double lo, double hi, double dx, double dg) {
  if (x < lo - dx || x > hi + dx) return false;
  const bool not_lower = x >= hi - dx || g(x + dx) <= dg, not_higher = x <= lo + dx || g(std::max(x - dx, 0.0)) >= -dg;
  return not_lower && not_higher;
}

/// The chambers' balances (39a)-(39d), (39n)-(39q), (92) and the force (39r), pressures uncertain by 1e-13 of the largest, v by dv.
testing::AssertionResult solves_chambers(const ActuatorReference& k, const QuasistaticState& s, double dv = 0) {
  const double dP = 1e-13 * std::max({k.P_hM, k.P_rM, s.P}), dQ = (k.A_h + k.A_r) * (1e-14 * std::abs(s.v) + dv);
  const auto head = [&](double P_h) {
    const RawFlows q(k, s.P, P_h, s.P_r);
    return q.ph + q.a - q.th - k.A_h * s.v;
  };
  const auto rod = [&](double P_r) {
    const RawFlows q(k, s.P, s.P_h, P_r);
    return q.pr - q.a - q.tr + k.A_r * s.v;
  };
  if (!is_complementary(head, s.P_h, 0, k.P_hM, dP, dQ)) return testing::AssertionFailure() << "head side: " << head(s.P_h);
  if (!is_complementary(rod, s.P_r, 0, k.P_rM, dP, dQ)) return testing::AssertionFailure() << "rod side: " << rod(s.P_r);
  const double f = k.A_h * s.P_h - k.A_r * s.P_r;
  if (!(std::abs(f - s.f) <= 1e-15 * k.force_scale())) return testing::AssertionFailure() << "force: " << f << " and " << s.f;
  return testing::AssertionSuccess();
}

/// The pump's node (39e)-(39g), (39l), (114) for the flows of all its actuators' states.
testing::AssertionResult solves_pump(const PumpReference& pump, const std::vector<QuasistaticState>& states) {
  const double P = states[0].P, dP = 1e-13 * pump.P_M;
  double drawn = 0;
  for (const QuasistaticState& s : states) drawn += s.Q_p;
  const auto surplus = [&](double x) { return pump.Q - pump.bleed * signed_root(x) - drawn; };
  if (!is_complementary(surplus, P, 0, pump.P_M, dP, 1e-13 * pump.Q)) return testing::AssertionFailure() << "pump: " << surplus(P);
  return testing::AssertionSuccess();
}

/// The flow from the pump, in the pressure: P - P_supplied = (Q_p/c)^2 if Q_p > 0, otherwise P_supplied >= P.
testing::AssertionResult solves_supply(const ActuatorReference& k, const QuasistaticState& s) {
  const double inlet = std::max(k.ph, k.pr), P_s = k.pr > 0 ? s.P_r : s.P_h, dP = 1e-13 * std::max({k.P_hM, k.P_rM, s.P});
  if (inlet == 0) return s.Q_p == 0 ? testing::AssertionSuccess() : testing::AssertionFailure() << "flow through a closed valve";
  const double drop = s.Q_p / inlet * (s.Q_p / inlet), wanted = std::max(s.P - P_s, 0.0);
  if (s.Q_p < 0 || std::abs(drop - wanted) > dP) return testing::AssertionFailure() << "drop " << drop << " instead of " << wanted;
  return testing::AssertionSuccess();
}

/// Rounding of v = (f - fbar)/beta in extended precision.
double relaxed_rounding(const ActuatorReference& k, const QuasistaticCase& c, std::size_t i) {
  return 1e-18 * (k.force_scale() + std::abs(c.fbar[i])) / c.beta[i];
}

QuasistaticState middle(const QuasistaticState& a, const QuasistaticState& b) {
  const auto m = [](double x, double y) { return 0.5 * (x + y); };
  return {m(a.v, b.v), m(a.f, b.f), m(a.P, b.P), m(a.P_h, b.P_h), m(a.P_r, b.P_r), m(a.Q_p, b.Q_p), m(a.Q_a, b.Q_a)};
}

TEST(QuasistaticReference, GammaIsThatOfFortyDigits) {
  const ReferenceTable table = read_reference_table("quasistatic_gamma");
  ASSERT_EQ(table.rows.size(), 38u + 1u);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const ActuatorReference actuator = paper_actuator(table.at(i, "u_c"));
    const double v = table.at(i, "v"), P = table.at(i, "P"), accuracy = 1e-14 * actuator.force_scale();
    const GammaReference own = reference_gamma(actuator, paper_pump(table.at(i, "u_b")), v);
    EXPECT_NEAR(own.lower, table.at(i, "f_lower"), accuracy) << "v = " << v;
    EXPECT_NEAR(own.upper, table.at(i, "f_upper"), accuracy) << "v = " << v;
    if (P > 0) EXPECT_NEAR(own.at_lower.P, P, 1e-13 * P) << "v = " << v;
  }
}

TEST(QuasistaticReference, StatesSolveTheRawRelations) {
  for (unsigned seed = 0; seed < kQuasistaticCases; ++seed) {
    const QuasistaticCase c = random_case(seed);
    for (std::size_t i = 0; i < c.actuators.size(); ++i) {
      const ActuatorReference& k = c.actuators[i];
      const QuasistaticState relaxed = reference_lambda(k, c.pump, c.beta[i], c.fbar[i]);
      EXPECT_NEAR(relaxed.f, c.beta[i] * relaxed.v + c.fbar[i], 1e-14 * (k.force_scale() + std::abs(c.fbar[i])));
      const GammaReference given = reference_gamma(k, c.pump, c.v[i]);
      EXPECT_TRUE(solves_chambers(k, relaxed, relaxed_rounding(k, c, i))) << "case " << seed << ", v = " << relaxed.v;
      EXPECT_TRUE(solves_chambers(k, given.at_lower)) << "case " << seed << ", v = " << c.v[i];
      EXPECT_TRUE(solves_chambers(k, given.at_upper)) << "case " << seed << ", v = " << c.v[i];
      for (const QuasistaticState& s : {given.at_lower, given.at_upper, relaxed}) {
        EXPECT_TRUE(solves_supply(k, s)) << "case " << seed << ", v = " << s.v;
        EXPECT_TRUE(solves_pump(c.pump, {s})) << "case " << seed << ", v = " << s.v;
      }
    }
  }
}

TEST(QuasistaticReference, AllBetweenTheEndsOfAnIntervalSolvesTheRawRelations) {
  int jumps = 0;
  for (unsigned seed = 0; seed < kQuasistaticCases; ++seed) {
    const QuasistaticCase c = random_case(seed);
    const ActuatorReference& k = c.actuators[0];
    const GammaReference at_rest = reference_gamma(k, c.pump, 0);
    if (at_rest.upper - at_rest.lower < 1e-3 * k.force_scale()) continue;
    ++jumps;
    const QuasistaticState s = middle(at_rest.at_lower, at_rest.at_upper);
    EXPECT_TRUE(solves_chambers(k, s)) << "case " << seed;
    EXPECT_TRUE(solves_supply(k, s)) << "case " << seed;
    EXPECT_TRUE(solves_pump(c.pump, {s})) << "case " << seed;
  }
  EXPECT_GT(jumps, int(kQuasistaticCases) / 2);
}

TEST(QuasistaticReference, GammaDecreasesWithinTheReliefForces) {
  for (unsigned seed = 0; seed < kQuasistaticCases; ++seed) {
    const QuasistaticCase c = random_case(seed);
    const ActuatorReference& k = c.actuators[0];
    const double full = c.pump.Q / k.A_h, scale = k.force_scale();
    double before = k.A_h * k.P_hM;
    for (double x : {-50.0, -3.0, -1.0, -0.4, -0.01, -1e-9, 0.0, 1e-9, 0.01, 0.4, 1.0, 3.0, 50.0}) {
      const GammaReference g = reference_gamma(k, c.pump, x * full);
      EXPECT_LE(g.upper, before + 1e-14 * scale) << "case " << seed << ", v = " << x * full;
      EXPECT_LE(g.lower, g.upper + 1e-14 * scale) << "case " << seed << ", v = " << x * full;
      before = g.lower;
    }
    EXPECT_GE(before, -k.A_r * k.P_rM * (1 + 1e-14));
  }
}

// Flow A_h v = Q with a closed bleed: P is anything from the pressure of the orifice flow to P_M.
TEST(QuasistaticReference, ClosedBleedMakesGammaVerticalAtFullFlow) {
  const ActuatorReference k = paper_actuator(0.5);
  const PumpReference pump = paper_pump(0);
  const double v = pump.Q / k.A_h, head = std::pow(pump.Q / k.ph, 2), rod = std::pow(k.A_r * v / k.tr, 2);
  ASSERT_LT(head, pump.P_M);
  const GammaReference g = reference_gamma(k, pump, v);
  EXPECT_NEAR(g.upper, k.A_h * (pump.P_M - head) - k.A_r * rod, 1e-13 * k.force_scale());
  EXPECT_NEAR(g.lower, -k.A_r * rod, 1e-13 * k.force_scale());
  EXPECT_NEAR(g.at_lower.P, head, 1e-13 * pump.P_M);
  EXPECT_TRUE(solves_chambers(k, middle(g.at_lower, g.at_upper)));
  EXPECT_TRUE(solves_pump(pump, {middle(g.at_lower, g.at_upper)}));

  const Interval P = reference_pressure({k}, pump, {v});
  EXPECT_NEAR(P.lower, head, 1e-13 * pump.P_M);
  EXPECT_NEAR(P.upper, pump.P_M, 1e-13 * pump.P_M);
}

TEST(QuasistaticReference, ClosedReturnHoldsTheRodsOilAtItsRelief) {
  ActuatorReference k = paper_actuator(0.5);
  k.tr = 0;
  const PumpReference pump = paper_pump(0.2);
  const GammaReference rest = reference_gamma(k, pump, 0), out = reference_gamma(k, pump, 1e-6), in = reference_gamma(k, pump, -1e-6);
  EXPECT_NEAR(rest.lower, k.A_h * pump.P_M - k.A_r * k.P_rM, 1e-13 * k.force_scale());
  EXPECT_NEAR(rest.upper, k.A_h * k.P_hM, 1e-13 * k.force_scale());
  EXPECT_NEAR(out.lower, rest.lower, 1e-8 * k.force_scale());
  EXPECT_NEAR(in.upper, rest.upper, 1e-13 * k.force_scale());
}

// Without a return the rod's oil flows through the regeneration valve. With A_r > A_h there is too much of it: it opens the lower of
// the two reliefs, at both chambers' pressure, for any pump. With A_r < A_h it replaces oil of the pump, at its pressure.
TEST(QuasistaticReference, RegenerationWithoutReturnHoldsThePressuresTogether) {
  ActuatorReference k = paper_actuator(0.5, 0.3);
  k.tr = 0;
  const PumpReference pump = paper_pump(0.2);
  const GammaReference regular = reference_gamma(k, pump, 0);
  EXPECT_NEAR(regular.lower, (k.A_h - k.A_r) * pump.P_M, 1e-13 * k.force_scale());
  EXPECT_NEAR(regular.upper, k.A_h * k.P_hM, 1e-13 * k.force_scale());

  k.A_r = 0.03;
  ASSERT_LT(k.P_rM, k.P_hM);
  const GammaReference rod_relief = reference_gamma(k, pump, 0);
  EXPECT_NEAR(rod_relief.lower, (k.A_h - k.A_r) * k.P_rM, 1e-13 * k.force_scale());
  EXPECT_NEAR(rod_relief.upper, k.A_h * k.P_hM, 1e-13 * k.force_scale());

  k.P_rM = 45e6;
  EXPECT_NEAR(reference_gamma(k, pump, 0).lower, (k.A_h - k.A_r) * k.P_hM, 1e-13 * k.force_scale());
  // Slow extension: the regeneration valve carries A_r v, the head's relief the excess.
  const double v = 0.01, drop = std::pow(k.A_r * v / k.a, 2);
  EXPECT_NEAR(reference_gamma(k, pump, v).lower, k.A_h * k.P_hM - k.A_r * (k.P_hM + drop), 1e-13 * k.force_scale());
}

TEST(QuasistaticReference, EqualAreasWithoutReturnMoveInsideAnyPressure) {
  ActuatorReference k = paper_actuator(0.5, 0.3);
  k.tr = 0, k.A_r = k.A_h;
  const double v = 0.01, drop = std::pow(k.A_r * v / k.a, 2);
  const GammaReference g = reference_gamma(k, paper_pump(0.2), v);
  EXPECT_NEAR(g.lower, -k.A_h * drop, 1e-13 * k.force_scale());
  EXPECT_NEAR(g.upper, -k.A_h * drop, 1e-13 * k.force_scale());
}

TEST(QuasistaticReference, LambdaIsTheInverseOfTheRelaxedGamma) {
  for (unsigned seed = 0; seed < kQuasistaticCases; ++seed) {
    const QuasistaticCase c = random_case(seed);
    const ActuatorReference& k = c.actuators[0];
    const QuasistaticState s = reference_lambda(k, c.pump, c.beta[0], c.fbar[0]);
    const double accuracy = 1e-14 * (k.force_scale() + std::abs(c.fbar[0]));
    // beta v + fbar = f in Gamma(v) for some v within the last digits of the result
    const double dv = accuracy / c.beta[0];
    EXPECT_LE(reference_gamma(k, c.pump, s.v + dv).lower, s.f + accuracy) << "case " << seed;
    EXPECT_GE(reference_gamma(k, c.pump, s.v - dv).upper, s.f - accuracy) << "case " << seed;
  }
}

TEST(QuasistaticReference, GroupSharesOnePressure) {
  for (unsigned seed = 0; seed < kQuasistaticCases; ++seed) {
    const QuasistaticCase c = random_case(seed);
    const std::vector<QuasistaticState> states = reference_lambda(c.actuators, c.pump, c.beta, c.fbar);
    EXPECT_TRUE(solves_pump(c.pump, states)) << "case " << seed;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const ActuatorReference& k = c.actuators[i];
      EXPECT_TRUE(solves_chambers(k, states[i], relaxed_rounding(k, c, i))) << "case " << seed;
      EXPECT_TRUE(solves_supply(k, states[i])) << "case " << seed;
      EXPECT_NEAR(states[i].f, c.beta[i] * states[i].v + c.fbar[i], 1e-14 * (k.force_scale() + std::abs(c.fbar[i])));
    }
    if (states.size() == 1) {
      const QuasistaticState alone = reference_lambda(c.actuators[0], c.pump, c.beta[0], c.fbar[0]);
      EXPECT_NEAR(states[0].v, alone.v, 1e-14 * (c.actuators[0].force_scale() + std::abs(c.fbar[0])) / c.beta[0]) << "case " << seed;
    }
  }
}

TEST(QuasistaticReference, PressureForGivenVelocitiesSolvesThePumpsNode) {
  for (unsigned seed = 0; seed < kQuasistaticCases; ++seed) {
    const QuasistaticCase c = random_case(seed);
    const auto surplus = [&](double P) {  // (114b)
      double rest = c.pump.Q - c.pump.bleed * signed_root(P);
      for (std::size_t i = 0; i < c.actuators.size(); ++i) rest -= reference_gamma_at_pressure(c.actuators[i], P, c.v[i]).at_lower.Q_p;
      return rest;
    };
    const Interval P = reference_pressure(c.actuators, c.pump, c.v);
    EXPECT_LE(P.lower, P.upper);
    for (double p : {P.lower, P.upper}) {
      EXPECT_TRUE(is_complementary(surplus, p, 0, c.pump.P_M, 1e-13 * c.pump.P_M, 1e-13 * c.pump.Q)) << "case " << seed;
      for (std::size_t i = 0; i < c.actuators.size(); ++i) {
        const GammaReference g = reference_gamma_at_pressure(c.actuators[i], p, c.v[i]);
        EXPECT_TRUE(solves_chambers(c.actuators[i], g.at_lower)) << "case " << seed;
        EXPECT_TRUE(solves_chambers(c.actuators[i], g.at_upper)) << "case " << seed;
      }
    }
    if (c.actuators.size() > 1) continue;
    const GammaReference alone = reference_gamma(c.actuators[0], c.pump, c.v[0]);
    EXPECT_LE(P.lower, alone.at_upper.P * (1 + 1e-12)) << "case " << seed;
    EXPECT_GE(P.upper, alone.at_lower.P * (1 - 1e-12)) << "case " << seed;
  }
}

TEST(QuasistaticReference, RandomCasesIncludeTheDegenerateOnes) {
  std::map<std::string, int> found;
  for (unsigned seed = 0; seed < kQuasistaticCases; ++seed) {
    const QuasistaticCase c = random_case(seed);
    const ActuatorReference& k = c.actuators[0];
    const bool out = k.ph > 0 || k.tr > 0, in = k.pr > 0 || k.th > 0;
    found["all valves closed"] += !out && !in;
    found["ph closed"] += out && k.ph == 0;
    found["tr closed"] += out && k.tr == 0;
    found["pr closed"] += in && k.pr == 0;
    found["th closed"] += in && k.th == 0;
    found["tr closed, regeneration"] += k.a > 0 && k.tr == 0;
    found["tr closed, regeneration, A_r > A_h"] += k.a > 0 && k.tr == 0 && k.A_r > k.A_h;
    found["regeneration, A_r = A_h"] += k.a > 0 && k.A_r == k.A_h;
    found["bleed closed"] += c.pump.bleed == 0;
    found["pump relief above a chamber's"] += c.pump.P_M > std::min(k.P_hM, k.P_rM);
    found["pump relief below the chambers'"] += c.pump.P_M < std::min(k.P_hM, k.P_rM);
    found["at rest"] += c.v[0] == 0;
    const GammaReference g = reference_gamma(k, c.pump, c.v[0]);
    found["jump in motion"] += c.v[0] != 0 && g.upper - g.lower > 1e-3 * k.force_scale();
    found["several actuators"] += c.actuators.size() > 1;
  }
  for (const auto& [what, times] : found) EXPECT_GE(times, 3) << what;
}

TEST(QuasistaticReference, ValvesForBothDirectionsAreRefused) {
  ActuatorReference k = paper_actuator(0.5);
  k.th = k.tr;
  EXPECT_THROW(reference_gamma(k, paper_pump(0.2), 0.1), std::invalid_argument);
  k = paper_actuator(-0.5, 0.1);
  EXPECT_THROW(reference_gamma(k, paper_pump(0.2), 0.1), std::invalid_argument);
}

}  // namespace
}  // namespace trunnion::problems
