// All laws: derivatives compared with differences, finite values, local elimination compared with the monolithic equations, no heap use.
// Reference: the equations evaluated independently. Tolerances: central differences have the error third derivative times step^2 / 6.
// SPDX-License-Identifier: BSD-3-Clause
#include "friction/friction.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "laws.h"
#include "support/allocation_counter.h"
#include "support/linear_algebra.h"

namespace trunnion {
namespace {

using test::central_difference;
using test::kAllLaws;
using test::seal;
using test::seal_law;

/// Speeds [m/s] away from kinks (0, v_s, v_b).
constexpr double kSmoothSpeeds[] = {-0.4, -0.04, -0.02, -0.008, -0.003, 0.001, 0.006, 0.011, 0.016, 0.027, 0.05, 1.3};
/// Bristle [m] and film [-], below and above every steady film; of elements the deflections [m] of the first and the second.
constexpr FrictionStateValues kStates[] = {{0, 0}, {4e-5, 0.1}, {-1e-4, 0.3}, {1.4e-4, 0.7}};

/// Force (component 0) or rate of state i (component 1 + i).
double component(const FrictionLaw& law, int which, double v, const FrictionStateValues& x) {
  FrictionStateValues rate{};
  const double force = force_and_rates(law, v, x.data(), rate.data());
  return which == 0 ? force : rate[which - 1];
}

/// Whether a contact is near the kink at which it begins to slip.
bool contact_begins_to_slip(const FrictionLaw& law, double v, const FrictionStateValues& x) {
  const auto* const slip = std::get_if<MaxwellSlip>(&law);
  if (slip == nullptr) return false;
  const double g = slip->bristle.slip_force(v);
  for (int i = 0; i < slip->elements; ++i) {
    const double trial = slip->stiffness(i) * x[i] + slip->damping(i) * v;
    if (std::abs(std::abs(trial) / (slip->shares[i] * g) - 1) < 1e-3) return true;
  }
  return false;
}

TEST(Friction, StatesHaveNamesAndUnits) {
  const int expected[] = {0, 0, 0, 0, 1, 2, 1, 1, 3};
  for (int i = 0; i < 9; ++i) {
    const FrictionLaw law = seal_law(kAllLaws[i]);
    EXPECT_EQ(friction_states(law), expected[i]);
    ASSERT_EQ(int(friction_state_info(law).size()), expected[i]);
  }
  const FrictionLaw law = seal_law(FrictionKind::modified_lugre);
  EXPECT_EQ(friction_state_info(law)[0].name, "bristle");
  EXPECT_EQ(friction_state_info(law)[0].unit, "m");
  EXPECT_EQ(friction_state_info(law)[1].name, "film");
  EXPECT_EQ(friction_state_info(law)[1].unit, "-");
  const FrictionLaw elements = seal_law(FrictionKind::maxwell_slip);
  EXPECT_EQ(friction_state_info(elements)[2].name, "bristle_3");
  EXPECT_EQ(friction_state_info(elements)[2].unit, "m");
  EXPECT_EQ(friction_state_info(seal_law(FrictionKind::set_valued))[0].name, "bristle");
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
        respond(law, v, x.data(), r);
        FrictionStateValues rate{};
        EXPECT_NEAR(r.force, force_and_rates(law, v, x.data(), rate.data()), 1e-14 * std::abs(r.force) + 1e-12);
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
          respond(law, v, x.data(), r);
          if (contact_begins_to_slip(law, v, x)) continue;
          for (int which = 0; which <= friction_states(law); ++which) {
            const double by_v = which == 0 ? r.force_v : r.rate_v[which - 1];
            const double v_difference = central_difference([&](double s) { return component(law, which, s, x); }, v, 1e-6 * std::abs(v));
            const double rounding = 1e-15 * std::abs(component(law, which, v, x)) / (1e-6 * std::abs(v));
            EXPECT_NEAR(by_v, v_difference, 1e-6 * (std::abs(by_v) + (which == 0 ? 330 : 1)) + rounding) << v << " law " << int(kind);
            for (int j = 0; j < friction_states(law); ++j) {
              const double by_x = which == 0 ? r.force_x[j] : r.rate_x[which - 1][j];
              const auto along = [&](double s) {
                FrictionStateValues y = x;
                y[j] = s;
                return component(law, which, v, y);
              };
              const double x_difference = central_difference(along, x[j], j == 1 ? 1e-7 : 1e-9);
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
        FrictionStateValues mirrored{};
        std::array<double, kMaxFrictionStates> side{};  // -1: an odd state
        for (int i = 0; i < friction_states(law); ++i) side[i] = friction_state_info(law)[i].unit == "m" ? -1 : 1;
        for (int i = 0; i < friction_states(law); ++i) mirrored[i] = side[i] * x[i];
        FrictionResponse a, b;
        respond(law, v, x.data(), a);
        respond(law, -v, mirrored.data(), b);
        EXPECT_DOUBLE_EQ(a.force, -b.force);
        EXPECT_DOUBLE_EQ(a.force_v, b.force_v);
        for (int i = 0; i < friction_states(law); ++i) EXPECT_DOUBLE_EQ(a.rate[i], side[i] * b.rate[i]);
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
          const FrictionStateValues x{q, h};
          FrictionResponse r;
          const auto expect_finite = [&](double y) { EXPECT_TRUE(std::isfinite(y)) << int(kind) << ": " << v << " " << q << " " << h; };
          const auto expect_finite_response = [&] {
            for (double y : {r.force, r.force_v}) expect_finite(y);
            for (int i = 0; i < friction_states(law); ++i)
              for (double y : {r.rate[i], r.rate_v[i]}) expect_finite(y);
          };
          respond(law, v, x.data(), r);
          expect_finite_response();
          for (int i = 0; i < friction_states(law); ++i) {
            expect_finite(r.force_x[i]);
            for (int j = 0; j < friction_states(law); ++j) expect_finite(r.rate_x[i][j]);
          }
          FrictionStateValues end;
          const FrictionStateValues rate{v, 0};
          respond_local(law, v, 0.5e-3, x.data(), rate.data(), end.data(), r);
          expect_finite_response();
        }
      }
    }
  }
}

/// The trapezoidal equations x - x_n - h/2 (rate_n + rate(v, x)) = 0 by Newton's method on all states together.
FrictionStateValues solve_together(const FrictionLaw& law, double v, double h, const FrictionStateValues& x_n,
                                   const FrictionStateValues& rate_n) {
  const int n = friction_states(law);
  Eigen::VectorXd x(n);
  for (int i = 0; i < n; ++i) x[i] = x_n[i];
  for (int iteration = 0; iteration < 50; ++iteration) {
    FrictionResponse r;
    respond(law, v, x.data(), r);
    Eigen::VectorXd f(n);
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Identity(n, n);
    for (int i = 0; i < n; ++i) {
      f[i] = x[i] - x_n[i] - h / 2 * (rate_n[i] + r.rate[i]);
      for (int j = 0; j < n; ++j) jacobian(i, j) -= h / 2 * r.rate_x[i][j];
    }
    x -= test::solve(jacobian, f);
  }
  FrictionStateValues end{};
  std::copy_n(x.data(), n, end.begin());
  return end;
}

TEST(FrictionLocal, SolvesTheTrapezoidalEquations) {
  for (FrictionKind kind : test::kLawsWithStates) {
    const FrictionLaw law = seal_law(kind);
    for (double h : {1e-5, 1e-3, 0.02}) {
      for (double v : {-0.3, -0.02, -1e-10, 0.0, 1e-6, 0.004, 0.0125, 0.05}) {
        for (const auto& x_n : kStates) {
          FrictionStateValues rate_n{}, x{}, rate{};
          force_and_rates(law, v + 0.002, x_n.data(), rate_n.data());
          FrictionResponse r;
          respond_local(law, v, h / 2, x_n.data(), rate_n.data(), x.data(), r);
          const FrictionStateValues together = solve_together(law, v, h, x_n, rate_n);
          for (int i = 0; i < friction_states(law); ++i)
            EXPECT_NEAR(x[i], together[i], 1e-14 * (std::abs(x[i]) + (i == 1 ? 0.1 : 1e-4))) << v << " " << h << " " << int(kind);
          EXPECT_NEAR(r.force, force_and_rates(law, v, together.data(), rate.data()), 1e-9) << v << " " << h;
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
          const FrictionStateValues rate_n{0.3 * v, 0.1};
          const auto solve = [&](double speed, FrictionResponse& r) {
            FrictionStateValues x{};
            respond_local(law, speed, h / 2, x_n.data(), rate_n.data(), x.data(), r);
            return x;
          };
          FrictionResponse r, part;
          const FrictionStateValues x = solve(v, r);
          const auto force_at = [&](double speed) {
            FrictionResponse s;
            solve(speed, s);
            return s.force;
          };
          EXPECT_NEAR(r.force_v, central_difference(force_at, v, 1e-6 * std::abs(v)), 2e-6 * (std::abs(r.force_v) + 330));
          // Elimination: (1 - h/2 rate_x) dx/dv = h/2 rate_v; dF/dv = F_v + F_x dx/dv.
          respond(law, v, x.data(), part);
          Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n);
          Eigen::VectorXd by_v(n), F_x(n);
          for (int i = 0; i < n; ++i) {
            by_v[i] = h / 2 * part.rate_v[i];
            F_x[i] = part.force_x[i];
            for (int j = 0; j < n; ++j) A(i, j) -= h / 2 * part.rate_x[i][j];
          }
          const double condensed = part.force_v + (n > 0 ? F_x.dot(test::solve(A, by_v).col(0)) : 0);
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
    const FrictionStateValues rate_n{};
    FrictionStateValues x{}, rate{};
    FrictionResponse r;
    const long before = test::allocations();
    for (double v : kSmoothSpeeds) {
      respond(law, v, x.data(), r);
      force_and_rates(law, v, x.data(), rate.data());
      respond_local(law, v, 0.5e-3, x.data(), rate_n.data(), x.data(), r);
    }
    EXPECT_EQ(test::allocations(), before);
  }
}

}  // namespace
}  // namespace trunnion
