// Reference: known properties of the laws: Stribeck curve, pre-slip displacement, larger force during acceleration than deceleration.
// SPDX-License-Identifier: BSD-3-Clause
#include "friction/friction_curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/diagnostic.h"
#include "laws.h"

namespace trunnion {
namespace {

using test::seal_law;

/// Force on the rising and on the falling side of the first positive half of cycle `cycle`, at `fraction` of a quarter.
std::pair<double, double> rise_and_fall(const std::vector<FrictionPoint>& curve, int steps_per_cycle, int cycle, double fraction) {
  const int start = cycle * steps_per_cycle, quarter = int(std::lround(fraction * steps_per_cycle / 4));
  return {curve[std::size_t(start + quarter)].force, curve[std::size_t(start + steps_per_cycle / 2 - quarter)].force};
}

TEST(FrictionCurve, HasTheTimesSpeedsAndSlipOfItsCycle) {
  const FrictionCycle cycle{0.05, 2, 1.5, 1000};
  const auto curve = friction_curve(seal_law(FrictionKind::brown_mcphee), cycle);
  ASSERT_EQ(curve.size(), 1501u);
  EXPECT_EQ(curve[0].time, 0);
  EXPECT_NEAR(curve.back().time, 0.75, 1e-15);
  const double omega = 4 * std::numbers::pi;
  for (const FrictionPoint& p : curve) {
    ASSERT_NEAR(p.velocity, 0.05 * std::sin(omega * p.time), 1e-16);
    ASSERT_NEAR(p.displacement, 0.05 / omega * (1 - std::cos(omega * p.time)), 3e-8);  // rule: (omega h)^2 / 12 of 8 mm
    ASSERT_NEAR(p.force, test::static_force(seal_law(FrictionKind::brown_mcphee), p.velocity), 1e-12);
  }
}

TEST(FrictionCurve, SlowCycleFollowsTheStribeckCurve) {
  for (FrictionKind kind : test::kBristleLaws) {
    const FrictionLaw law = seal_law(kind);
    const auto curve = friction_curve(law, {0.05, 1e-4, 0.5, 20000});  // a quarter lasts 2500 s
    for (const FrictionPoint& p : curve) {
      if (p.velocity < 0.002) continue;  // the bristle still moves there; beyond, film and bristle lag by 0.2 N
      ASSERT_NEAR(p.force, friction_steady_force(law, p.velocity), 0.3) << p.velocity;
    }
  }
}

TEST(FrictionCurve, ForceIsHigherInAccelerationThanInDeceleration) {
  for (FrictionKind kind : test::kBristleLaws) {
    const auto curve = friction_curve(seal_law(kind), {0.05, 0.1, 3, 20000});
    for (double fraction : {0.1, 0.13, 0.16}) {  // 8 to 12 mm/s
      const auto [rise, fall] = rise_and_fall(curve, 20000, 2, fraction);
      EXPECT_GT(rise, fall + 2) << int(kind) << " " << fraction;
    }
  }
  const auto curve = friction_curve(seal_law(FrictionKind::brown_mcphee), {0.05, 0.1, 3, 20000});
  const auto [rise, fall] = rise_and_fall(curve, 20000, 2, 0.2);
  EXPECT_NEAR(rise, fall, 1e-8);  // no memory, no lag
}

TEST(FrictionCurve, FilmWidensTheLag) {
  const auto plain = rise_and_fall(friction_curve(seal_law(FrictionKind::lugre), {0.05, 0.1, 3, 20000}), 20000, 2, 0.15);
  const auto film = rise_and_fall(friction_curve(seal_law(FrictionKind::modified_lugre), {0.05, 0.1, 3, 20000}), 20000, 2, 0.15);
  EXPECT_GT(film.first - film.second, 5 * (plain.first - plain.second));
}

TEST(FrictionCurve, BristleDampingTurnsTheLagWhereItExceedsSlipForceOverSpeed) {
  // Near steady sliding F = g - (g / |v| - sigma1) q_dot + sigma2 v with q_dot = g' v_dot / sigma0 < 0 in acceleration.
  const auto curve = friction_curve(seal_law(FrictionKind::lugre), {0.05, 0.1, 3, 20000});
  for (double fraction : {0.15, 0.26}) {
    const double v = 0.05 * std::sin(fraction * std::numbers::pi / 2), v_dot = std::sqrt(0.05 * 0.05 - v * v) * 0.2 * std::numbers::pi;
    const LuGre law = std::get<LuGre>(seal_law(FrictionKind::lugre));
    const Dual<1> g = law.slip_force(Dual<1>::variable(v, 0));
    const double expected = -2 * (g.value / v - 2.28e4) * g.d[0] * v_dot / 5.77e6;
    const auto [rise, fall] = rise_and_fall(curve, 20000, 2, fraction);
    EXPECT_EQ(expected > 0, fraction < 0.2);
    EXPECT_NEAR(rise - fall, expected, 0.1 * std::abs(expected)) << v;
  }
}

TEST(FrictionCurve, SmallCyclesAreElasticWithTheBristleStiffness) {
  // Slip of 2 micrometres, a seventieth of the break-away deflection F_s / sigma0 = 144 micrometres.
  const double frequency = 0.01, amplitude = 1e-6 * 2 * std::numbers::pi * frequency;
  for (FrictionKind kind : test::kBristleLaws) {
    for (const FrictionPoint& p : friction_curve(seal_law(kind), {amplitude, frequency, 1, 1000})) {
      ASSERT_NEAR(p.force, 5.77e6 * p.displacement, 0.02 * 5.77e6 * 2e-6) << p.time;
    }
  }
}

TEST(FrictionCurve, TrapezoidalRuleHasItsOrder) {
  for (FrictionKind kind : test::kBristleLaws) {
    const auto bristle = [&](int steps) { return friction_curve(seal_law(kind), {0.01, 1, 0.25, steps}).back().states[0]; };
    const double exact = bristle(128000);
    const double ratio = (bristle(2000) - exact) / (bristle(4000) - exact);
    // The film starts like |v|^(2/3), which gives order 5/3 (ratio 3.2) where a run passes rest.
    const double expected = kind == FrictionKind::lugre ? 4 : std::pow(2, 5.0 / 3);
    EXPECT_NEAR(ratio, expected, 0.1) << int(kind);
  }
}

TEST(FrictionCurve, DahlsForceIsAFunctionOfThePath) {
  FrictionDescription d = test::seal(FrictionKind::dahl);
  d.viscous = 0;
  d.static_force = 0;  // not used
  const FrictionLaw law = make_friction(d);
  const double F_c = d.coulomb, length = F_c / d.bristle_stiffness;  // 36 micrometres
  for (const double frequency : {0.1, 10.0}) {                       // the same path, a hundred times faster
    const double amplitude = 1e-4 * std::numbers::pi * frequency;    // of the speed: a way of 0.1 mm and back
    double reversal = 0, force = 0, last = 0;                        // position and force at the last reversal
    bool forward = true;
    for (const FrictionPoint& p : friction_curve(law, {amplitude, frequency, 2, 40000})) {
      if (p.velocity != 0 && (p.velocity > 0) != forward) {
        const double sign = forward ? 1 : -1;
        force = sign * F_c + (force - sign * F_c) * std::exp(-std::abs(last - reversal) / length);
        reversal = last;
        forward = !forward;
      }
      const double sign = forward ? 1 : -1;
      const double exact = sign * F_c + (force - sign * F_c) * std::exp(-std::abs(p.displacement - reversal) / length);
      ASSERT_NEAR(p.force, exact, 1e-5 * F_c) << p.time;
      last = p.displacement;
    }
  }
}

TEST(FrictionCurve, SteadyCurveSpansItsSpeeds) {
  const auto curve = steady_friction_curve(seal_law(FrictionKind::modified_lugre), -0.05, 0.05, 101);
  ASSERT_EQ(curve.size(), 101u);
  EXPECT_EQ(curve.front().velocity, -0.05);
  EXPECT_EQ(curve.back().velocity, 0.05);
  EXPECT_NEAR(curve.back().force, 226.5, 1e-11);
  EXPECT_NEAR(curve.front().force, -226.5, 1e-11);
  EXPECT_NEAR(curve.back().states[1], 1 - 210.0 / 830, 1e-15);
  EXPECT_NEAR(curve[50].force, 0, 1e-9);
}

TEST(FrictionCurve, RefusesWhatIsNoCycle) {
  const FrictionLaw law = NoFriction{};
  EXPECT_THROW(friction_curve(law, {0.05, 0, 1, 100}), Error);
  EXPECT_THROW(friction_curve(law, {0.05, 1, 1, 0}), Error);
  EXPECT_THROW(friction_curve(law, {0.05, 1, -1, 100}), Error);
  EXPECT_THROW(friction_curve(law, {0.05, 1, 1e9, 100}), Error);
  EXPECT_THROW(friction_curve(
                   law, [](double) { return 0.0; }, 0, 1),
               Error);
  EXPECT_THROW(steady_friction_curve(law, 0, 1, 1), Error);
}

}  // namespace
}  // namespace trunnion
