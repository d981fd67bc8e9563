// Rules of implicit integrators on an oscillator of their own, q'' = -omega^2 q: order, damping at infinity, start, changed steps.
// References: the exact solution, the published spectral radii, the difference formula of BDF2, and the order conditions.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/motion_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/runge_kutta.h"
#include "description/integrators.h"

namespace trunnion {
namespace {

struct Choice {
  IntegratorKind integrator;
  double rho;  // of generalized_alpha and hht
  double at_infinity;
  int order;
};
void PrintTo(const Choice& choice, std::ostream* out) { *out << integrator_of(choice.integrator).word << " " << choice.rho; }

class Oscillator {
 public:
  Oscillator(const Choice& choice, double omega, double q, double v) : omega_(omega) {
    SolverDescription solver;
    solver.integrator = choice.integrator;
    solver.generalized_alpha.rho = choice.rho;
    StateLayout layout;
    layout.nq = layout.nv = 1;
    layout.motion_memory = motion_memory_size(solver, 1);
    rule_ = make_motion_rule(solver, 1);
    state_ = StateVector(layout);
    *state_.q() = q;
    *state_.v() = v;
    *state_.a() = -omega * omega * q;
  }
  void step(double h) {
    StateVector next = state_;
    double theta = 0, v_offset = 0, a_offset = 0;
    MotionRelation relation{{}, &theta, &v_offset, &a_offset};
    for (int stage = 1; stage <= rule_->stages(); ++stage) {
      rule_->begin(stage, state_, h, relation);
      // f_a theta + a_offset = -omega^2 (q + theta)
      theta = -(a_offset + omega_ * omega_ * *state_.q()) / (relation.factors.acceleration + omega_ * omega_);
      *next.q() = *state_.q() + theta;
      *next.v() = relation.factors.velocity * theta + v_offset;
      *next.a() = relation.factors.acceleration * theta + a_offset;
      if (stage < rule_->stages()) rule_->keep(stage, next);
    }
    rule_->finish(state_, h, &theta, next);
    state_ = next;
  }
  double q() const { return *state_.q(); }
  double v() const { return *state_.v(); }
  double a() const { return *state_.a(); }
  /// Amplitude.
  double size() const { return std::hypot(q(), v() / omega_); }

 private:
  double omega_;
  std::unique_ptr<MotionRule> rule_;
  StateVector state_;
};

class MotionRuleOf : public ::testing::TestWithParam<Choice> {};
INSTANTIATE_TEST_SUITE_P(ImplicitRules, MotionRuleOf,
                         ::testing::Values(Choice{IntegratorKind::trapezoidal, 0, 1, 2}, Choice{IntegratorKind::bdf2, 0, 0, 2},
                                           Choice{IntegratorKind::generalized_alpha, 0, 0, 2},
                                           Choice{IntegratorKind::generalized_alpha, 0.5, 0.5, 2},
                                           Choice{IntegratorKind::generalized_alpha, 0.8, 0.8, 2},
                                           Choice{IntegratorKind::generalized_alpha, 1, 1, 2}, Choice{IntegratorKind::hht, 0.5, 0.5, 2},
                                           Choice{IntegratorKind::hht, 0.8, 0.8, 2}, Choice{IntegratorKind::esdirk3, 0, 0, 3}));

/// Error of position and velocity at t = 2 after steps of h, alternately of 0.8 h and 1.2 h if `uneven`.
double error_of(const Choice& choice, double h, bool uneven) {
  Oscillator x(choice, 1.5, 1, 0.7);
  const int steps = static_cast<int>(std::lround(2 / h));
  for (int i = 0; i < steps; ++i) x.step(uneven ? h * (i % 2 == 0 ? 0.8 : 1.2) : h);
  const double q = std::cos(3) + 0.7 / 1.5 * std::sin(3), v = -1.5 * std::sin(3) + 0.7 * std::cos(3);
  return std::hypot(x.q() - q, x.v() - v);
}

TEST_P(MotionRuleOf, HasItsOrder) {
  EXPECT_NEAR(std::log2(error_of(GetParam(), 0.02, false) / error_of(GetParam(), 0.01, false)), GetParam().order, 0.15);
}

TEST_P(MotionRuleOf, HasItsOrderWithChangingSteps) {
  EXPECT_NEAR(std::log2(error_of(GetParam(), 0.01, true) / error_of(GetParam(), 0.005, true)), GetParam().order, 0.25);
}

TEST_P(MotionRuleOf, MovesFastPartsByItsSpectralRadius) {
  constexpr double kOmega = 1e7;
  Oscillator x(GetParam(), kOmega, 1, 0);
  for (int i = 0; i < 100; ++i) x.step(1);
  const double half = std::abs(x.q());
  for (int i = 0; i < 100; ++i) x.step(1);
  if (GetParam().at_infinity == 0)
    EXPECT_LT(std::abs(x.q()), 1e-6);
  else
    EXPECT_NEAR(std::pow(std::abs(x.q()) / half, 0.01), GetParam().at_infinity, 0.02 * GetParam().at_infinity);  // double roots: k rho^k
}

TEST_P(MotionRuleOf, DoesNotGrowAtAnyStep) {
  for (const double step : {0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 1e3}) {
    Oscillator x(GetParam(), 1, 1, 0.3);
    for (int i = 0; i < 50; ++i) x.step(step);
    const double early = x.size();
    for (int i = 0; i < 1000; ++i) x.step(step);
    EXPECT_LT(x.size(), 1.02 * early) << step;
  }
}

TEST_P(MotionRuleOf, KeepsAConstantVelocity) {
  Oscillator x(GetParam(), 0, 0, 0);  // omega = 0: a = 0
  Oscillator y(GetParam(), 0, 0, 2);
  for (int i = 0; i < 3; ++i) {
    x.step(0.1);
    y.step(0.1);
  }
  EXPECT_EQ(x.q(), 0);
  EXPECT_NEAR(y.q(), 0.6, 1e-14);
  EXPECT_NEAR(y.v(), 2, 1e-13);
}

TEST(Bdf2, IsTheDifferenceFormula) {
  const Choice choice{IntegratorKind::bdf2, 0, 0, 2};
  Oscillator x(choice, 2, 1, 0.4);
  constexpr double h = 0.05;
  std::vector<double> q{x.q()}, v{x.v()};
  for (int i = 0; i < 6; ++i) {
    x.step(h);
    q.push_back(x.q());
    v.push_back(x.v());
    if (i == 0) continue;
    const std::size_t n = q.size() - 1;
    EXPECT_NEAR(x.v(), (3 * q[n] - 4 * q[n - 1] + q[n - 2]) / (2 * h), 1e-12);
    EXPECT_NEAR(x.a(), (3 * v[n] - 4 * v[n - 1] + v[n - 2]) / (2 * h), 1e-11);
  }
}

TEST(GeneralizedAlpha, WithoutDampingIsTheTrapezoidalRule) {
  for (const IntegratorKind integrator : {IntegratorKind::generalized_alpha, IntegratorKind::hht}) {
    Oscillator a(Choice{integrator, 1, 1, 2}, 3, 1, 0), b(Choice{IntegratorKind::trapezoidal, 0, 1, 2}, 3, 1, 0);
    for (int i = 0; i < 100; ++i) {
      a.step(0.1);
      b.step(0.1);
    }
    EXPECT_NEAR(a.q(), b.q(), 1e-11);
    EXPECT_NEAR(a.v(), b.v(), 1e-11);
  }
}

TEST(Esdirk3, SatisfiesTheOrderConditions) {
  double c[4] = {}, sum_b = 0, b_c = 0, b_cc = 0, b_Ac = 0;
  const auto a = [](int i, int j) { return i == j ? Esdirk3::kGamma : Esdirk3::weight(i, j) * Esdirk3::kGamma; };
  for (int i = 1; i < 4; ++i) {
    for (int j = 0; j <= i; ++j) c[i] += a(i, j);
    EXPECT_NEAR(c[i], Esdirk3::time(i), 1e-14);
  }
  for (int j = 0; j < 4; ++j) {
    double Ac = 0;
    for (int k = 0; j > 0 && k <= j; ++k) Ac += a(j, k) * c[k];
    if (j > 0) {
      EXPECT_NEAR(Ac, c[j] * c[j] / 2, 1e-14);  // stage order 2
    }
    sum_b += a(3, j);
    b_c += a(3, j) * c[j];
    b_cc += a(3, j) * c[j] * c[j];
    b_Ac += a(3, j) * Ac;
  }
  EXPECT_NEAR(sum_b, 1, 1e-14);
  EXPECT_NEAR(b_c, 1.0 / 2, 1e-14);
  EXPECT_NEAR(b_cc, 1.0 / 3, 1e-14);
  EXPECT_NEAR(b_Ac, 1.0 / 6, 1e-14);
}

}  // namespace
}  // namespace trunnion
