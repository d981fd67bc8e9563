// All laws: derivatives compared with differences, finite values, local elimination compared with the monolithic equations, no heap use.
// Reference: the equations evaluated independently. Tolerances: central differences have the error third derivative times step^2 / 6.
// SPDX-License-Identifier: BSD-3-Clause
#include "friction/friction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "laws.h"
#include "support/allocation_counter.h"

namespace trunnion {
namespace {

using test::central_difference;
using test::kAllLaws;
using test::kBristleLaws;
using test::seal;
using test::seal_law;

/// Speeds [m/s] away from kinks (0, v_s, v_b).
constexpr double kSmoothSpeeds[] = {-0.4, -0.04, -0.02, -0.008, -0.003, 0.001, 0.006, 0.011, 0.016, 0.027, 0.05, 1.3};
/// Bristle [m] and film [-], below and above every steady film.
constexpr double kStates[][2] = {{0, 0}, {4e-5, 0.1}, {-1e-4, 0.3}, {1.4e-4, 0.7}};

/// Force (component 0) or rate of state i (component 1 + i).
double component(const FrictionLaw& law, int which, double v, const double* x) {
  double rate[2] = {};
  const double force = force_and_rates(law, v, x, rate);
  return which == 0 ? force : rate[which - 1];
}

TEST(Friction, StatesHaveNamesAndUnits) {
  const int expected[] = {0, 0, 0, 0, 1, 2, 1};
  for (int i = 0; i < 7; ++i) {
    const FrictionLaw law = seal_law(kAllLaws[i]);
    EXPECT_EQ(friction_states(law), expected[i]);
    ASSERT_EQ(int(friction_state_info(law).size()), expected[i]);
  }
  const FrictionLaw law = seal_law(FrictionKind::modified_lugre);
  EXPECT_EQ(friction_state_info(law)[0].name, "bristle");
  EXPECT_EQ(friction_state_info(law)[0].unit, "m");
  EXPECT_EQ(friction_state_info(law)[1].name, "film");
  EXPECT_EQ(friction_state_info(law)[1].unit, "-");
}

TEST(Friction, DescriptionReachesTheLaw) {
  EXPECT_TRUE(std::holds_alternative<NoFriction>(make_friction(FrictionDescription{})));
  const auto law = std::get<ModifiedLuGre>(seal_law(FrictionKind::modified_lugre));
  EXPECT_EQ(law.bristle.coulomb, 210);
  EXPECT_EQ(law.bristle.static_force, 830);
  EXPECT_EQ(law.bristle.stribeck_velocity, 0.0125);
  EXPECT_EQ(law.bristle.exponent, 2);
  EXPECT_EQ(law.bristle.viscous, 330);
  EXPECT_EQ(law.bristle.stiffness, 5.77e6);
  EXPECT_EQ(law.bristle.damping, 2.28e4);
  EXPECT_EQ(law.film_velocity, 0.032);
  EXPECT_EQ(law.time_up, 0.05);
  EXPECT_EQ(law.time_down, 0.2);
  EXPECT_EQ(law.time_dwell, 20);
}

TEST(Friction, ParametersOutOfRangeAreRefusedByName) {
  const auto refusal = [](FrictionKind kind, double FrictionDescription::*key, double value) -> std::string {
    FrictionDescription d = seal(kind);
    d.*key = value;
    try {
      make_friction(d);
    } catch (const Error& e) { return e.what(); }
    return "";
  };
  using D = FrictionDescription;
  EXPECT_NE(refusal(FrictionKind::brown_mcphee, &D::stribeck_velocity, 0).find("stribeck_velocity"), std::string::npos);
  EXPECT_NE(refusal(FrictionKind::coulomb_viscous, &D::coulomb, -1).find("coulomb"), std::string::npos);
  EXPECT_NE(refusal(FrictionKind::bengisu_akay, &D::static_force, 200).find("static"), std::string::npos);
  EXPECT_NE(refusal(FrictionKind::bengisu_akay, &D::decay, -80).find("decay"), std::string::npos);
  EXPECT_NE(refusal(FrictionKind::lugre, &D::coulomb, 0).find("coulomb"), std::string::npos);
  EXPECT_NE(refusal(FrictionKind::lugre, &D::bristle_stiffness, std::nan("")).find("bristle_stiffness"), std::string::npos);
  EXPECT_NE(refusal(FrictionKind::modified_lugre, &D::film_time_dwell, 0).find("film_time_dwell"), std::string::npos);
  EXPECT_NE(refusal(FrictionKind::modified_lugre, &D::film_velocity, 0).find("film_velocity"), std::string::npos);
  EXPECT_EQ(refusal(FrictionKind::brown_mcphee, &D::film_velocity, 0), "");  // unused
  EXPECT_EQ(refusal(FrictionKind::none, &D::coulomb, -1), "");
}

TEST(Friction, ResponseHasTheValuesOfThePlainEvaluation) {
  for (FrictionKind kind : kAllLaws) {
    const FrictionLaw law = seal_law(kind);
    for (double v : kSmoothSpeeds) {
      for (const auto& x : kStates) {
        FrictionResponse r;
        respond(law, v, x, r);
        double rate[2] = {};
        EXPECT_NEAR(r.force, force_and_rates(law, v, x, rate), 1e-14 * std::abs(r.force) + 1e-12);
        for (int i = 0; i < friction_states(law); ++i) EXPECT_NEAR(r.rate[i], rate[i], 1e-14 * std::abs(rate[i]) + 1e-15);
      }
    }
  }
}

TEST(Friction, DerivativesEqualCentralDifferences) {
  for (FrictionKind kind : kAllLaws) {
    FrictionDescription d = seal(kind);
    for (int variant = 0; variant < 3; ++variant) {
      if (variant == 1) d.bristle_damping_velocity = 0.02;
      if (variant == 2) d.exponent = 1.3;
      const FrictionLaw law = make_friction(d);
      for (double v : kSmoothSpeeds) {
        for (const auto& x : kStates) {
          FrictionResponse r;
          respond(law, v, x, r);
          for (int which = 0; which <= friction_states(law); ++which) {
            const double by_v = which == 0 ? r.force_v : r.rate_v[which - 1];
            const double v_difference = central_difference([&](double s) { return component(law, which, s, x); }, v, 1e-6 * std::abs(v));
            EXPECT_NEAR(by_v, v_difference, 1e-6 * (std::abs(by_v) + (which == 0 ? 330 : 1))) << v << " law " << int(kind);
            for (int j = 0; j < friction_states(law); ++j) {
              const double by_x = which == 0 ? r.force_x[j] : r.rate_x[which - 1][j];
              const auto along = [&](double s) {
                double y[2] = {x[0], x[1]};
                y[j] = s;
                return component(law, which, v, y);
              };
              const double x_difference = central_difference(along, x[j], j == 0 ? 1e-9 : 1e-7);
              EXPECT_NEAR(by_x, x_difference, 1e-6 * (std::abs(by_x) + (which == 0 ? 830 : 1))) << v << " law " << int(kind);
            }
          }
        }
      }
    }
  }
}

TEST(Friction, IsOddInSpeedAndDeflection) {
  for (FrictionKind kind : kAllLaws) {
    const FrictionLaw law = seal_law(kind);
    for (double v : kSmoothSpeeds) {
      for (const auto& x : kStates) {
        const double mirrored[2] = {-x[0], x[1]};
        FrictionResponse a, b;
        respond(law, v, x, a);
        respond(law, -v, mirrored, b);
        EXPECT_DOUBLE_EQ(a.force, -b.force);
        EXPECT_DOUBLE_EQ(a.force_v, b.force_v);
        EXPECT_DOUBLE_EQ(a.rate[0], -b.rate[0]);
        EXPECT_DOUBLE_EQ(a.rate[1], b.rate[1]);
      }
    }
  }
}

TEST(Friction, IsFiniteWithFiniteSlopeAtZeroAndExtremeInput) {
  for (FrictionKind kind : kAllLaws) {
    const FrictionLaw law = seal_law(kind);
    for (double v : {0.0, -0.0, 1e-320, 1e-300, -1e-20, 1e-9, 0.0125, 0.032, 1e3, -1e8, 1e20}) {
      for (double q : {0.0, 1e-4, -1.0, 1e6}) {
        for (double h : {0.0, -1.0, 0.7, 1e6}) {
          const double x[2] = {q, h};
          FrictionResponse r;
          const auto expect_finite = [&] {
            for (double y : {r.force, r.force_v, r.force_x[0], r.force_x[1], r.rate[0], r.rate[1], r.rate_v[0], r.rate_v[1], r.rate_x[0][0],
                             r.rate_x[0][1], r.rate_x[1][0], r.rate_x[1][1]}) {
              EXPECT_TRUE(std::isfinite(y)) << int(kind) << ": " << v << " " << q << " " << h;
            }
          };
          respond(law, v, x, r);
          expect_finite();
          double end[2];
          const double rate[2] = {v, 0};
          respond_local(law, v, 0.5e-3, x, rate, end, r);
          expect_finite();
        }
      }
    }
  }
}

/// The trapezoidal equations x - x_n - h/2 (rate_n + rate(v, x)) = 0 by Newton's method on both states together.
void solve_together(const FrictionLaw& law, double v, double h, const double* x_n, const double* rate_n, double* x) {
  const int n = friction_states(law);
  for (int i = 0; i < n; ++i) x[i] = x_n[i];
  for (int iteration = 0; iteration < 50; ++iteration) {
    FrictionResponse r;
    respond(law, v, x, r);
    double f[2] = {}, jacobian[2][2] = {{1, 0}, {0, 1}};
    for (int i = 0; i < n; ++i) {
      f[i] = x[i] - x_n[i] - h / 2 * (rate_n[i] + r.rate[i]);
      for (int j = 0; j < n; ++j) jacobian[i][j] -= h / 2 * r.rate_x[i][j];
    }
    const double det = jacobian[0][0] * jacobian[1][1] - jacobian[0][1] * jacobian[1][0];
    x[0] -= (jacobian[1][1] * f[0] - jacobian[0][1] * f[1]) / det;
    if (n == 2) x[1] -= (jacobian[0][0] * f[1] - jacobian[1][0] * f[0]) / det;
  }
}

TEST(FrictionLocal, SolvesTheTrapezoidalEquations) {
  for (FrictionKind kind : kBristleLaws) {
    const FrictionLaw law = seal_law(kind);
    for (double h : {1e-5, 1e-3, 0.02}) {
      for (double v : {-0.3, -0.02, -1e-10, 0.0, 1e-6, 0.004, 0.0125, 0.05}) {
        for (const auto& x_n : kStates) {
          double rate_n[2] = {}, x[2] = {}, together[2] = {};
          force_and_rates(law, v + 0.002, x_n, rate_n);
          FrictionResponse r;
          respond_local(law, v, h / 2, x_n, rate_n, x, r);
          solve_together(law, v, h, x_n, rate_n, together);
          EXPECT_NEAR(x[0], together[0], 1e-14 * (std::abs(x[0]) + 1e-4)) << v << " " << h;
          EXPECT_NEAR(x[1], together[1], 2e-15) << v << " " << h;
          double rate[2] = {};
          EXPECT_NEAR(r.force, force_and_rates(law, v, together, rate), 1e-9) << v << " " << h;
          for (int i = 0; i < friction_states(law); ++i) EXPECT_NEAR(r.rate[i], rate[i], 1e-12) << v << " " << h;
        }
      }
    }
  }
}

TEST(FrictionLocal, SlopeIsTheCondensedTangentAndEqualsDifferences) {
  for (FrictionKind kind : kAllLaws) {
    const FrictionLaw law = seal_law(kind);
    const int n = friction_states(law);
    for (double h : {1e-4, 1e-3, 0.02}) {
      for (double v : kSmoothSpeeds) {
        for (const auto& x_n : kStates) {
          const double rate_n[2] = {0.3 * v, 0.1};
          const auto solve = [&](double speed, FrictionResponse& r, double* x) { respond_local(law, speed, h / 2, x_n, rate_n, x, r); };
          FrictionResponse r, part;
          double x[2] = {};
          solve(v, r, x);
          const auto force_at = [&](double speed) {
            FrictionResponse s;
            double y[2];
            solve(speed, s, y);
            return s.force;
          };
          EXPECT_NEAR(r.force_v, central_difference(force_at, v, 1e-6 * std::abs(v)), 2e-6 * (std::abs(r.force_v) + 330));
          // Elimination by hand: (1 - h/2 rate_x) dx/dv = h/2 rate_v; dF/dv = F_v + F_x dx/dv. The film does not depend on the bristle.
          respond(law, v, x, part);
          double dx[2] = {};
          if (n == 2) dx[1] = h / 2 * part.rate_v[1] / (1 - h / 2 * part.rate_x[1][1]);
          if (n >= 1) dx[0] = h / 2 * (part.rate_v[0] + part.rate_x[0][1] * dx[1]) / (1 - h / 2 * part.rate_x[0][0]);
          const double condensed = part.force_v + part.force_x[0] * dx[0] + part.force_x[1] * dx[1];
          EXPECT_NEAR(r.force_v, condensed, 1e-9 * (std::abs(condensed) + std::abs(part.force_v))) << v << " " << h << " " << int(kind);
        }
      }
    }
  }
}

TEST(FrictionLocal, WithoutStatesIsThePlainResponse) {
  for (FrictionKind kind : test::kStaticLaws) {
    FrictionResponse a, b;
    respond(seal_law(kind), 0.007, nullptr, a);
    respond_local(seal_law(kind), 0.007, 0.5e-3, nullptr, nullptr, nullptr, b);
    EXPECT_EQ(a.force, b.force);
    EXPECT_EQ(a.force_v, b.force_v);
  }
}

TEST(FrictionLocal, EndStatesMayOverwriteTheStart) {
  const FrictionLaw law = seal_law(FrictionKind::modified_lugre);
  double x_n[2] = {2e-5, 0.2}, x[2];
  const double rate_n[2] = {1e-3, 0.5};
  FrictionResponse a, b;
  respond_local(law, 0.006, 0.5e-3, x_n, rate_n, x, a);
  respond_local(law, 0.006, 0.5e-3, x_n, rate_n, x_n, b);
  EXPECT_EQ(a.force, b.force);
  EXPECT_EQ(x[0], x_n[0]);
  EXPECT_EQ(x[1], x_n[1]);
}

TEST(Friction, ResponseDoesNotAllocate) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  for (FrictionKind kind : kAllLaws) {
    const FrictionLaw law = seal_law(kind);
    const double rate_n[2] = {};
    double x[2] = {}, rate[2] = {};
    FrictionResponse r;
    const long before = test::allocations();
    for (double v : kSmoothSpeeds) {
      respond(law, v, x, r);
      force_and_rates(law, v, x, rate);
      respond_local(law, v, 0.5e-3, x, rate_n, x, r);
    }
    EXPECT_EQ(test::allocations(), before);
  }
}

}  // namespace
}  // namespace trunnion
