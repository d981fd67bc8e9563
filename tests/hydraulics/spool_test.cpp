// Spools that follow their signals: closed forms of first and second order, the rule itself, rates at their limit.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/spool.h"
#include "hydraulics/oil_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace trunnion {
namespace {

Spool lag(double time_constant, double rate_limit = Spool().rate_limit) {
  Spool spool;
  spool.time_constant = time_constant;
  spool.rate_limit = rate_limit;
  return spool;
}
Spool second_order(double frequency, double damping, double rate_limit = Spool().rate_limit) {
  Spool spool;
  spool.frequency = 2 * std::numbers::pi * frequency;
  spool.damping = damping;
  spool.rate_limit = rate_limit;
  return spool;
}
/// A step of h with rates without history.
void step(const Spool& spool, const OilRule& rule, double u_begin, double u_end, double h, double* y) {
  double rate[2], offset[2];
  spool_rates(spool, u_begin, y, rate);
  for (int k = 0; k < spool.states(); ++k) offset[k] = rule.offset(rate[k], 0);
  advance_spool(spool, rule.factor(h), offset, u_end, y);
}
/// Position `end` after a unit jump of the signal.
double after_jump(const Spool& spool, double h, double end) {
  double y[2] = {0, 0};
  const long steps = std::lround(end / h);
  for (long i = 0; i < steps; ++i) step(spool, OilRule::alpha(1), 1, 1, h, y);
  return y[0];
}

TEST(Spool, StepResponseIsTheExponentialToSecondOrder) {
  constexpr double kTau = 5e-3, kEnd = 8e-3;
  const double exact = 1 - std::exp(-kEnd / kTau);
  const double coarse = after_jump(lag(kTau), 4e-4, kEnd) - exact, fine = after_jump(lag(kTau), 2e-4, kEnd) - exact;
  EXPECT_LT(std::abs(fine), 1e-4);
  EXPECT_NEAR(coarse / fine, 4, 0.01);  // the next term is of relative size (h / tau)^2
}

TEST(Spool, StepResponseOfTheSecondOrderIsTheDampedOscillation) {
  constexpr double kZeta = 0.4, kEnd = 0.03, kFrequency = 20;
  const double w = 2 * std::numbers::pi * kFrequency, damped = w * std::sqrt(1 - kZeta * kZeta);
  const double exact =
      1 - std::exp(-kZeta * w * kEnd) * (std::cos(damped * kEnd) + kZeta / std::sqrt(1 - kZeta * kZeta) * std::sin(damped * kEnd));
  const Spool spool = second_order(kFrequency, kZeta);
  const double coarse = after_jump(spool, 2e-4, kEnd) - exact, fine = after_jump(spool, 1e-4, kEnd) - exact;
  EXPECT_LT(std::abs(fine), 1e-4);
  EXPECT_NEAR(coarse / fine, 4, 0.02);
}

TEST(Spool, OneStepIsThatOfTheRule) {
  constexpr double kBegin = 2, kEnd = 5, kStep = 1e-3;
  for (const Spool& spool :
       {lag(4e-3), lag(4e-3, 300), lag(4e-3, 1e5), second_order(30, 0.7), second_order(30, 0.7, 60), second_order(30, 0.7, 1e5)}) {
    for (const OilRule& rule : {OilRule::alpha(1), OilRule::alpha(0.5), OilRule::alpha(0), OilRule::euler()}) {
      const double before[2] = {0.3, 50};
      double y[2] = {before[0], before[1]}, begin[2], end[2];
      step(spool, rule, kBegin, kEnd, kStep, y);
      spool_rates(spool, kBegin, before, begin);
      spool_rates(spool, kEnd, y, end);
      for (int k = 0; k < spool.states(); ++k)
        EXPECT_NEAR(rule.factor(kStep) * (y[k] - before[k]) - rule.offset(begin[k], 0), end[k], 1e-9 * (1 + std::abs(end[k])))
            << spool.rate_limit << " " << k << " " << rule.rho;
    }
  }
}

TEST(Spool, MovesAtItsRateLimitUntilItArrives) {
  for (const Spool& spool : {lag(1e-3, 10), second_order(200, 1, 10)}) {
    EXPECT_NEAR(after_jump(spool, 1e-4, 0.05), 0.5, 0.011);  // 10 times 50 ms, minus the initial lag
    EXPECT_NEAR(after_jump(spool, 1e-4, 0.2), 1, 1e-6);
  }
}

TEST(Spool, FollowsItsSignalWithoutTimeConstant) {
  double U = 0.3;
  step(lag(0), OilRule::alpha(1), 2, 5, 1e-3, &U);
  EXPECT_EQ(U, 5);
}

}  // namespace
}  // namespace trunnion
