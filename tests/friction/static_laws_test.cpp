// Reference: hand-evaluated laws (30-digit arithmetic) for F_c = 210 N, F_s = 830 N, v_s = 12.5 mm/s, sigma2 = 330 N s/m, xi = 80 s/m.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "laws.h"

namespace trunnion {
namespace {

using test::seal;
using test::seal_law;
using test::static_force;

constexpr double kStribeck = 0.0125;
constexpr double kForceTolerance = 1e-11;  // [N] a few roundings of 1e3 N

struct FrictionSample {
  double v, force;
};

void expect_points(const FrictionLaw& law, std::initializer_list<FrictionSample> points) {
  for (const FrictionSample& p : points) {
    EXPECT_NEAR(static_force(law, p.v), p.force, kForceTolerance) << p.v;
    EXPECT_NEAR(static_force(law, -p.v), -p.force, kForceTolerance) << -p.v;
  }
}

TEST(NoFriction, HasNoForceAndNoSlope) {
  FrictionResponse r;
  respond(FrictionLaw(NoFriction{}), 0.3, nullptr, r);
  EXPECT_EQ(r.force, 0);
  EXPECT_EQ(r.force_v, 0);
}

TEST(CoulombViscous, HasTheHandEvaluatedForces) {
  expect_points(
      seal_law(FrictionKind::coulomb_viscous),
      {{0, 0}, {0.005, 195.20039642535897}, {kStribeck, 213.98415294520408}, {0.03, 219.89999807338368}, {0.05, 226.49999999999468}});
}

TEST(CoulombViscous, SlopeAtRestIsTheRegularisation) {
  FrictionResponse r;
  respond(seal_law(FrictionKind::coulomb_viscous), 0, nullptr, r);
  EXPECT_NEAR(r.force_v, 4 * 210 / kStribeck + 330, 1e-9);
}

TEST(BengisuAkay, HasTheHandEvaluatedForces) {
  expect_points(seal_law(FrictionKind::bengisu_akay), {{0, 0},
                                                       {0.005, 532.85},               // 830 * 0.4 * 1.6 + 1.65
                                                       {kStribeck, 830 + 4.125},      // F_s + sigma2 v_s
                                                       {0.03, 372.79011764379602},    // 210 + 620 exp(-1.4) + 9.9
                                                       {0.05, 257.36798238807564}});  // 210 + 620 exp(-3) + 16.5
}

TEST(BengisuAkay, IsContinuousAtTheStribeckVelocity) {
  const FrictionLaw law = seal_law(FrictionKind::bengisu_akay);
  const double below = static_force(law, std::nextafter(kStribeck, 0)), above = static_force(law, kStribeck);
  EXPECT_NEAR(below, above, kForceTolerance);
}

TEST(BengisuAkay, PrintedFormJumpsByViscousForceAtTheStribeckVelocity) {
  FrictionDescription d = seal(FrictionKind::bengisu_akay);
  d.viscous_below_stribeck = false;
  const FrictionLaw law = make_friction(d);
  EXPECT_NEAR(static_force(law, kStribeck) - static_force(law, std::nextafter(kStribeck, 0)), 330 * kStribeck, kForceTolerance);
  EXPECT_NEAR(static_force(law, 0.005), 531.2, kForceTolerance);                // no viscous term below
  EXPECT_NEAR(static_force(law, -0.03), -372.79011764379602, kForceTolerance);  // as by default above
}

TEST(BengisuAkay, SlopesAreOneSidedAtTheKink) {
  const FrictionLaw law = seal_law(FrictionKind::bengisu_akay);
  FrictionResponse r;
  respond(law, 0, nullptr, r);
  EXPECT_NEAR(r.force_v, 2 * 830 / kStribeck + 330, 1e-8);
  respond(law, std::nextafter(kStribeck, 0), nullptr, r);
  EXPECT_NEAR(r.force_v, 330, 1e-6);
  respond(law, kStribeck * (1 + 1e-12), nullptr, r);
  EXPECT_NEAR(r.force_v, 330 - 80 * 620, 1e-6);
}

TEST(BrownMcPhee, HasTheHandEvaluatedForces) {
  expect_points(seal_law(FrictionKind::brown_mcphee), {{0, 0},
                                                       {0.005, 592.57150576095551},
                                                       {kStribeck, 833.98138630662773},  // 210 tanh 4 + 620 + 4.125 tanh 4
                                                       {0.03, 530.14543795565},
                                                       {0.05, 336.4058309526145}});
}

TEST(BrownMcPhee, ViscousFactorOneGivesThePlainViscousTerm) {
  FrictionDescription d = seal(FrictionKind::brown_mcphee);
  const double scaled = static_force(make_friction(d), 0.5);
  d.viscous_factor = 1;
  EXPECT_NEAR(static_force(make_friction(d), 0.5) - scaled, 330 * 0.5 * (1 - std::tanh(4)), kForceTolerance);
}

TEST(BrownMcPhee, SlopeAtRestIsFinite) {
  FrictionResponse r;
  respond(seal_law(FrictionKind::brown_mcphee), 0, nullptr, r);
  EXPECT_NEAR(r.force_v, (4 * 210 + 620 * 16.0 / 9) / kStribeck + 330 * std::tanh(4), 1e-8);
}

TEST(BrownMcPhee, StictionIsGreatestAtTheStribeckVelocity) {
  FrictionDescription d = seal(FrictionKind::brown_mcphee);
  d.coulomb = 0;
  d.viscous = 0;
  FrictionResponse r;
  respond(make_friction(d), kStribeck, nullptr, r);
  EXPECT_NEAR(r.force, 830, kForceTolerance);
  EXPECT_NEAR(r.force_v, 0, 1e-8);
}

TEST(StaticLaws, TendToCoulombAndViscousForceAtHighSpeed) {
  for (FrictionKind kind : {FrictionKind::coulomb_viscous, FrictionKind::bengisu_akay, FrictionKind::brown_mcphee}) {
    const double factor = kind == FrictionKind::brown_mcphee ? std::tanh(4) : 1;
    EXPECT_NEAR(static_force(seal_law(kind), 100), 210 + factor * 33000, 1e-5);  // stiction of (24): 16 * 620 (v_s / v)^3 = 2e-8 N
  }
}

TEST(StaticLaws, AreOddAndPassive) {
  for (FrictionKind kind : test::kStaticLaws) {
    const FrictionLaw law = seal_law(kind);
    for (int i = -400; i <= 400; ++i) {
      const double v = 0.15 * std::pow(i / 400.0, 3);
      EXPECT_GE(static_force(law, v) * v, 0);
      EXPECT_EQ(static_force(law, -v), -static_force(law, v));
    }
  }
}

}  // namespace
}  // namespace trunnion
