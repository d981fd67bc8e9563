// Reference: hand-evaluated film thickness and friction, closed-form exponentials of the film at constant speed.
// Parameters: as LuGre, with v_b = 32 mm/s, tau_hp = 0.05 s, tau_hn = 0.2 s, tau_h0 = 20 s.
// SPDX-License-Identifier: BSD-3-Clause
#include "friction/modified_lugre.h"

#include <gtest/gtest.h>

#include <cmath>

#include "friction/friction_curve.h"
#include "laws.h"

namespace trunnion {
namespace {

using test::seal;
using test::seal_law;

ModifiedLuGre seal_modified() { return std::get<ModifiedLuGre>(seal_law(FrictionKind::modified_lugre)); }
constexpr double kFullFilm = 0.74698795180722892;  // 1 - 210 / 830

TEST(ModifiedLuGre, SteadyFilmGrowsWithTheTwoThirdsPowerUpToFilmVelocity) {
  const ModifiedLuGre law = seal_modified();
  EXPECT_EQ(law.steady_film(0.0), 0);
  EXPECT_NEAR(law.steady_film(0.005), 0.21670068349698215, 2e-16);
  EXPECT_NEAR(law.steady_film(-0.0125), 0.39916607188989162, 2e-16);
  EXPECT_NEAR(law.steady_film(0.03), 0.71552989169277549, 4e-16);
  for (double v : {0.032, 0.05, 1e3}) EXPECT_NEAR(law.steady_film(v), kFullFilm, 2e-16);
}

TEST(ModifiedLuGre, SlidesSteadilyWithTheSteadyFilm) {
  const FrictionLaw law = seal_law(FrictionKind::modified_lugre);
  const double points[][2] = {{0.005, 586.71123170850156}, {0.0125, 320.32891061328817}, {0.03, 219.98227612221571}, {0.05, 226.5}};
  for (const auto& [v, force] : points) {
    EXPECT_NEAR(friction_steady_force(law, v), force, 1e-11);
    EXPECT_NEAR(friction_steady_force(law, -v), -force, 1e-11);
  }
}

TEST(ModifiedLuGre, EquationsHoldTermByTerm) {
  const ModifiedLuGre law = seal_modified();
  const double v = -0.005, q = -2e-5, h = 0.3;
  std::array<double, 2> rate;
  const double force = law.evaluate(v, {q, h}, rate);
  const double g = 210 + (0.7 * 830 - 210) * 0.85214378896621131;  // exp(-0.16)
  const double q_dot = v - 5.77e6 * 0.005 / g * q;
  EXPECT_NEAR(rate[0], q_dot, 1e-17);
  EXPECT_NEAR(rate[1], (0.21670068349698215 - 0.3) / 0.2, 1e-15);
  EXPECT_NEAR(force, 5.77e6 * q + 2.28e4 * q_dot + 330 * v, 1e-11);
}

TEST(ModifiedLuGre, WithoutFilmIsLuGre) {
  const ModifiedLuGre law = seal_modified();
  for (double v : {-0.02, 0.0, 0.003}) {
    std::array<double, 2> rate;
    std::array<double, 1> plain;
    EXPECT_DOUBLE_EQ(law.evaluate(v, {1e-5, 0.0}, rate), law.bristle.evaluate(v, {1e-5}, plain));
    EXPECT_DOUBLE_EQ(rate[0], plain[0]);
  }
}

TEST(ModifiedLuGre, FilmHasOwnTimesForBuildUpDrainAndDwell) {
  const ModifiedLuGre law = seal_modified();
  std::array<double, 2> rate;
  law.evaluate(0.05, {0.0, 0.1}, rate);
  EXPECT_NEAR(rate[1], (kFullFilm - 0.1) / 0.05, 1e-13);
  law.evaluate(0.005, {0.0, 0.5}, rate);
  EXPECT_NEAR(rate[1], (0.21670068349698215 - 0.5) / 0.2, 1e-14);
  for (double v : {0.0, 0.5e-9, -0.5e-9}) {  // at rest
    law.evaluate(v, {0.0, 0.5}, rate);
    EXPECT_NEAR(rate[1], -0.5 / 20, 1e-6);
  }
  law.evaluate(2e-9, {0.0, 0.5}, rate);  // moving
  EXPECT_NEAR(rate[1], -0.5 / 0.2, 1e-4);
}

TEST(ModifiedLuGre, FilmFollowsItsExponentials) {
  const FrictionLaw law = seal_law(FrictionKind::modified_lugre);
  const auto velocity = [](double t) { return t < 0.25 ? 0.05 : t < 0.75 ? 0.005 : 0; };
  const double step = 1e-4;
  const auto curve = friction_curve(law, velocity, step, 10000);
  EXPECT_NEAR(curve[2000].states[1], kFullFilm * (1 - std::exp(-0.2 / 0.05)), 1e-6);
  // The jumps at 0.25 and 0.75 s are spread over one step: the state there is accurate to half a step's rate.
  const double low = 0.21670068349698215;
  const double h_1 = kFullFilm * (1 - std::exp(-0.25 / 0.05));
  const double h_2 = low + (h_1 - low) * std::exp(-0.5 / 0.2);
  EXPECT_NEAR(curve[7499].states[1], h_2, 3e-4);
  EXPECT_NEAR(curve[10000].states[1] / curve[7500].states[1], std::exp(-0.25 / 20), 1e-9);
}

TEST(ModifiedLuGre, TangentIsBoundedAtRestAndValueExact) {
  const ModifiedLuGre law = seal_modified();
  const double bound = kFullFilm / 0.032 * 2.0 / 3 * std::pow(kSlopeFloor, -1.0 / 3) / 0.05;  // of dh_dot/dv [1/m]
  for (double v : {0.0, 1e-15, 1e-9, 1e-7, 1e-5, -1e-8}) {
    const double x[2] = {1e-5, 0};
    FrictionResponse r;
    respond(law, v, x, r);
    EXPECT_LE(std::abs(r.rate_v[1]), bound * (1 + 1e-12)) << v;
    EXPECT_NEAR(law.steady_film(v), kFullFilm * std::cbrt(v / 0.032 * (v / 0.032)), 1e-15 * law.steady_film(v)) << v;
  }
}

TEST(ModifiedLuGre, SlipForceStaysPositiveForFilmsOutOfRange) {
  const ModifiedLuGre law = seal_modified();
  for (double h : {-10.0, 0.9, 1.5, 1e9}) EXPECT_GE(law.slip_force(h, 1.0), 105);
  for (double h : {0.0, 0.3, kFullFilm}) EXPECT_NEAR(law.slip_force(h, 0.5), 210 + ((1 - h) * 830 - 210) * 0.5, 1e-12);
}

TEST(ModifiedLuGre, HandDerivativesEqualTheGenericOnes) {
  const ModifiedLuGre law = seal_modified();
  for (double v : {-0.04, -0.01, -1e-10, 0.0, 1e-4, 0.02, 0.032, 1.0}) {
    for (double h : {0.0, 0.2, kFullFilm, 5.0}) {
      const double x[2] = {4e-5, h};
      FrictionResponse hand, generic;
      respond(law, v, x, hand);
      respond<ModifiedLuGre>(law, v, x, generic);
      const auto near = [&](double a, double b) { EXPECT_NEAR(a, b, 1e-14 * (1e-3 + std::abs(b))) << v << " " << h; };
      near(hand.force, generic.force);
      near(hand.force_v, generic.force_v);
      for (int i = 0; i < 2; ++i) {
        near(hand.force_x[i], generic.force_x[i]);
        near(hand.rate[i], generic.rate[i]);
        near(hand.rate_v[i], generic.rate_v[i]);
        for (int j = 0; j < 2; ++j) near(hand.rate_x[i][j], generic.rate_x[i][j]);
      }
    }
  }
}

}  // namespace
}  // namespace trunnion
