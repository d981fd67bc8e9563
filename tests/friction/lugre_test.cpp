// Reference: hand-evaluated Stribeck curve, the closed form of the bristle at constant speed (Dahl), the energy identity of the law.
// Parameters: F_c = 210 N, F_s = 830 N, v_s = 12.5 mm/s, n = 2, sigma0 = 5.77e6 N/m, sigma1 = 2.28e4 N s/m, sigma2 = 330 N s/m.
// SPDX-License-Identifier: BSD-3-Clause
#include "friction/lugre.h"

#include <gtest/gtest.h>

#include <cmath>

#include "friction/friction_curve.h"
#include "laws.h"

namespace trunnion {
namespace {

using test::seal;
using test::seal_law;

LuGre law_of(const FrictionDescription& d) { return std::get<LuGre>(make_friction(d)); }
LuGre seal_lugre() { return law_of(seal(FrictionKind::lugre)); }

TEST(LuGre, SlidesSteadilyOnTheStribeckCurve) {
  const FrictionLaw law = seal_law(FrictionKind::lugre);
  const double points[][2] = {{0.005, 739.97914915905103},   // 210 + 620 exp(-0.16) + 1.65
                              {0.0125, 442.21025352629424},  // 210 + 620 / e + 4.125
                              {0.03, 221.85368919103555},
                              {0.05, 226.50006977180833}};
  for (const auto& [v, force] : points) {
    EXPECT_NEAR(friction_steady_force(law, v), force, 1e-11);
    EXPECT_NEAR(friction_steady_force(law, -v), -force, 1e-11);
  }
  EXPECT_EQ(friction_steady_force(law, 0), 0);
  EXPECT_NEAR(friction_steady_force(law, 10), 210 + 3300, 1e-10);  // sigma1 times the rounding of 10 m/s
}

TEST(LuGre, EquationsHoldTermByTerm) {
  const LuGre law = seal_lugre();
  const double v = -0.005, q = 2e-5;
  std::array<double, 1> rate;
  const double force = law.evaluate(v, {q}, rate);
  const double q_dot = -0.005 - 5.77e6 * 0.005 / 738.32914915905103 * 2e-5;
  EXPECT_NEAR(rate[0], q_dot, 1e-17);
  EXPECT_NEAR(force, 5.77e6 * q + 2.28e4 * q_dot + 330 * v, 1e-11);
}

TEST(LuGre, BristleFollowsTheClosedFormAtConstantSpeed) {
  const LuGre law = seal_lugre();
  const double v = 0.002, g = law.slip_force(v), length = g / law.stiffness;  // q = length (1 - exp(-slip / length))
  const auto curve = friction_curve(
      law, [&](double) { return v; }, 1e-5, 20000);
  for (const FrictionPoint& p : curve) {
    ASSERT_NEAR(p.states[0], length * (1 - std::exp(-p.displacement / length)), 1e-8 * length) << p.time;  // rule: (h rate)^2 / 12 = 2e-9
  }
  EXPECT_NEAR(curve.back().displacement, 4e-4, 1e-15);
}

TEST(LuGre, IsASpringBeforeItSlips) {
  LuGre law = seal_lugre();
  law.damping = law.viscous = 0;
  const auto curve = friction_curve(
      law, [](double) { return 1e-6; }, 1e-3, 100);
  const FrictionPoint& end = curve.back();  // 0.1 micrometre, 0.07 % of the break-away deflection
  EXPECT_NEAR(end.force / end.displacement, law.stiffness, 1e-3 * law.stiffness);
  std::array<Dual<1>, 1> q{Dual<1>::variable(0, 0)}, rate;
  EXPECT_EQ(law.evaluate(Dual<1>(0), q, rate).d[0], law.stiffness);
}

TEST(LuGre, BreaksAwayAtTheStaticForce) {
  LuGre law = seal_lugre();
  law.damping = law.viscous = 0;
  double greatest = 0;
  for (const FrictionPoint& p : friction_curve(
           law, [](double t) { return 1e-4 * t; }, 1e-3, 60000))
    greatest = std::max(greatest, p.force);
  EXPECT_LT(greatest, 830);
  EXPECT_GT(greatest, 0.99 * 830);
}

TEST(LuGre, DeflectionStaysWithinStaticForceOverStiffness) {
  const LuGre law = seal_lugre();
  for (double v : {-0.5, -0.01, 0.004, 0.3}) {
    std::array<double, 1> rate;
    law.evaluate(v, {830 / law.stiffness}, rate);
    EXPECT_LE(rate[0], 0);
    law.evaluate(v, {-830 / law.stiffness}, rate);
    EXPECT_GE(rate[0], 0);
  }
}

TEST(LuGre, DampingFallsWithSpeedWhenAsked) {
  FrictionDescription d = seal(FrictionKind::lugre);
  d.bristle_damping_velocity = 0.02;
  const LuGre law = law_of(d);
  EXPECT_EQ(law.damping_at(0.0), 2.28e4);
  EXPECT_NEAR(law.damping_at(-0.02), 2.28e4 * 0.36787944117144233, 1e-10);
  std::array<double, 1> rate;
  EXPECT_NEAR(law.evaluate(0.02, {0.0}, rate), 2.28e4 * 0.36787944117144233 * 0.02 + 6.6, 1e-11);
  EXPECT_EQ(seal_lugre().damping_at(0.02), 2.28e4);
}

TEST(LuGre, ExponentShapesTheStribeckCurve) {
  FrictionDescription d = seal(FrictionKind::lugre);
  d.exponent = 1;
  EXPECT_NEAR(law_of(d).slip_force(0.005), 210 + 620 * 0.67032004603563933, 1e-11);  // exp(-0.4)
  d.exponent = 0.5;
  EXPECT_NEAR(law_of(d).slip_force(0.0125 / 4), 210 + 620 * 0.60653065971263342, 1e-11);  // exp(-0.5)
}

TEST(LuGre, PowerSplitsIntoStoredAndDissipated) {
  const LuGre law = seal_lugre();
  for (double v : {-0.03, 0.0, 0.004, 0.2}) {
    for (double q : {-1e-4, 0.0, 3e-5}) {
      std::array<double, 1> rate;
      law.evaluate(v, {q}, rate);
      const double g = law.slip_force(v);
      const double dissipated = 5.77e6 * 5.77e6 * std::abs(v) * q * q / g + 2.28e4 * v * rate[0] + 330 * v * v;
      EXPECT_NEAR(friction_dissipated_power(law, v, &q), dissipated, 1e-9 * (1 + std::abs(dissipated)));
      EXPECT_EQ(friction_stored_energy(law, &q), 0.5 * 5.77e6 * q * q);
    }
  }
}

TEST(LuGre, DissipatesAtEveryDeflectionBelowTheSpeedLimit) {
  const LuGre law = seal_lugre();
  for (int i = -500; i <= 500; ++i) {
    const double v = 1e-4 * i;
    const bool within = std::abs(v) <= 4 * law.slip_force(v) * (law.damping + law.viscous) / (law.damping * law.damping);
    for (double q = -5e-4; q <= 5e-4; q += 1e-5) {
      const double power = friction_dissipated_power(law, v, &q);
      EXPECT_TRUE(!within || power >= -1e-12) << v << " " << q << " " << power;
    }
  }
}

TEST(LuGre, DissipatesAtEverySpeedWithEnoughViscousFriction) {
  LuGre law = seal_lugre();
  law.viscous = law.damping * (830.0 / 210 - 1);
  for (double v : {-3.0, -0.1, -0.01, 0.001, 0.05, 1.0}) {
    for (double s = -1; s <= 1; s += 1.0 / 64) {
      const double q = s * 830 / law.stiffness;
      EXPECT_GE(friction_dissipated_power(law, v, &q), -1e-9) << v << " " << q;
    }
  }
}

TEST(LuGre, TakesEnergyOverEveryClosedCycle) {
  for (double frequency : {0.2, 2.0, 20.0}) {
    for (double amplitude : {1e-4, 0.01, 0.1}) {
      const auto curve = friction_curve(seal_law(FrictionKind::lugre), {amplitude, frequency, 3, 2000});
      double work = 0;  // of the last cycle
      for (std::size_t i = 4001; i < curve.size(); ++i) {
        work += 0.5 * (curve[i].force + curve[i - 1].force) * (curve[i].displacement - curve[i - 1].displacement);
      }
      EXPECT_GT(work, 0) << frequency << " " << amplitude;
    }
  }
}

}  // namespace
}  // namespace trunnion
