// The oil's rule on single equations: order, damping, and transported volumes.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/oil_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "hydraulics/substeps.h"

namespace trunnion {
namespace {

/// N' = f(t) - k N from N = 1 with consistent rate, steps h (1 + 0.5, 1 - 0.5, ...), to time 1; all N.
struct TimePolynomial {
  std::vector<double> N;
  double error = 0;
};
template <class Exact, class Force>
TimePolynomial integrate(const OilRule& rule, double k, int steps, double uneven, Force&& f, Exact&& exact) {
  double t = 0, N = exact(0), Q = f(0) - k * N, lag = 0, last = 1;
  TimePolynomial course;
  for (int i = 0; i < steps; ++i) {
    const double h = (1 + (i % 2 == 0 ? uneven : -uneven)) / steps;
    lag *= OilRule::carried(h, last);
    last = h;
    const double factor = rule.factor(h), offset = rule.offset(Q, lag);
    t += h;
    const double next = (factor * N + offset + f(t)) / (factor + k), rate = f(t) - k * next;
    lag = rule.lag(h, next - N, Q + lag, rate);
    N = next;
    Q = rate;
    course.N.push_back(N);
    course.error = std::max(course.error, std::abs(N - exact(t)));
  }
  return course;
}

TEST(OilRule, IsOfSecondOrderAlsoInUnevenSteps) {
  const auto exact = [](double t) { return std::cos(3 * t); };
  for (double k : {0.0, 2.0, 50.0})
    for (double rho : {0.0, 0.5, 1.0})
      for (double uneven : {0.0, 0.15}) {
        const auto f = [&](double t) { return -3 * std::sin(3 * t) + k * exact(t); };
        const auto error = [&](int steps) { return integrate(OilRule::alpha(rho), k, steps, uneven, f, exact).error; };
        EXPECT_NEAR(error(1000) / error(2000), 4, 0.3) << rho << " " << k << " " << uneven;
      }
}

TEST(OilRule, RhoOneIsTheTrapezoidalRuleAndZeroBdf2) {
  const auto f = [](double t) { return std::sin(t); };
  const auto exact = [](double t) { return t == 0 ? 1.0 : std::nan(""); };
  const std::vector<double> one = integrate(OilRule::alpha(1), 2, 10, 0, f, exact).N,
                            zero = integrate(OilRule::alpha(0), 2, 10, 0, f, exact).N;
  const double h = 0.1;
  double N = 1;
  for (int i = 0; i < 10; ++i) {
    N = (N * (1 - h) + h / 2 * (f(i * h) + f((i + 1) * h))) / (1 + h);
    EXPECT_NEAR(one[i], N, 1e-14);
  }
  for (int i = 2; i < 10; ++i)  // 3/2 N_2 - 2 N_1 + 1/2 N_0 = h N_2'
    EXPECT_NEAR(1.5 * zero[i] - 2 * zero[i - 1] + 0.5 * zero[i - 2], h * (f((i + 1) * h) - 2 * zero[i]), 1e-14);
}

TEST(OilRule, WhatIsStiffFadesBelowRhoOne) {
  const auto none = [](double) { return 0.0; };
  const auto exact = [](double t) { return t == 0 ? 1.0 : 0.0; };
  const auto after = [&](const OilRule& rule, int steps) { return std::abs(integrate(rule, 1e12, steps, 0, none, exact).N.back()); };
  for (int n : {4, 8, 16}) {  // -rho is an eigenvalue twice
    EXPECT_LT(after(OilRule::alpha(0.5), n), 2 * n * std::pow(0.5, n));
    EXPECT_LT(after(OilRule::alpha(0), n), 1e-9);
    EXPECT_NEAR(after(OilRule::alpha(1), n), 1, 1e-6);
  }
  EXPECT_LT(after(OilRule::euler(), 1), 1e-11);
}

TEST(OilRule, WhatFlowsPassIsWhatContentsGain) {
  // two flows into one volume, steps of several rules and lengths
  const auto first = [](double t) { return std::exp(-t) * std::sin(20 * t); };
  const auto second = [](double t) { return t < 0.4 ? 1.0 : 3 - t; };
  double t = 0, lag = 0, last = 1, Q = first(0) + second(0), mean_1 = first(0), mean_2 = second(0);
  const OilRule rules[] = {OilRule::alpha(0.5), OilRule::alpha(0.5), OilRule::euler(),
                           OilRule::alpha(0.5), OilRule::alpha(1),   OilRule::alpha(0)};
  for (int i = 0; i < 60; ++i) {
    const OilRule& rule = rules[i % 6];
    const double h = 0.01 * (1 + i % 4), carried = OilRule::carried(h, last);
    last = h;
    lag *= carried;
    const double end = t + h, rate = first(end) + second(end), dN = (rate + rule.offset(Q, lag)) / rule.factor(h);
    const auto passed = [&](auto&& flow, double& mean) {
      const double before = flow(t) + carried * (mean - flow(t));
      mean = rule.mean(flow(t), flow(end), before);
      return h * (rule.share_end() * mean + rule.share_begin() * before);
    };
    const double together = passed(first, mean_1) + passed(second, mean_2);
    EXPECT_NEAR(together, dN, 1e-15 + 1e-14 * std::abs(dN)) << i;
    lag = rule.lag(h, dN, Q + lag, rate);
    Q = rate;
    t = end;
  }
}

TEST(OilRule, PartsResolveADecayAndFillTheStep) {
  // p' = -k p, k h = 1e6: substeps as in a circuit
  constexpr double k = 1e9, h = 1e-3;
  double p = 1, Q = -k, lag = 0, curvature = 0, sum = 0, worst = 0;
  int parts = 0;
  EXPECT_TRUE(go_in_parts(h, 2 * kOilPartError / k, [&](const OilRule& rule, double dt, bool) {
    const double factor = rule.factor(dt), next = (factor * p + rule.offset(Q, lag)) / (factor + k), rate = -k * next;
    const double error =
        (rule.implicit_euler ? dt / 2 * std::abs(rate - Q) : 0.21 * std::abs(next - p - dt * (Q + dt / 2 * curvature))) / kOilPartError;
    if (error > 1) return error;
    lag = rule.lag(dt, next - p, Q + lag, rate);
    curvature = (rate - Q) / dt;
    p = next;
    Q = rate;
    sum += dt;
    ++parts;
    worst = std::max(worst, std::abs(p - std::exp(-k * sum)));
    return error;
  }));
  EXPECT_NEAR(sum, h, 1e-9 * h);
  EXPECT_LT(worst, 0.01);
  EXPECT_LT(parts, 60);
  EXPECT_FALSE(go_in_parts(h, h, [](const OilRule&, double, bool) { return HUGE_VAL; }));
}

}  // namespace
}  // namespace trunnion
