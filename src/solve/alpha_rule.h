// The alpha rule of the oil (hydraulics/oil_rule.h) for the motion: q' = v and v' = a, each by the same rule of first order with parameter
// rho,
//   v = f theta - offset(v_n),   a = f (v - v_n) - offset(a_n),   f = (3 - rho)(1 + rho)/(2 h)
//   trapezoidal  rho = 1   v = 2/h theta - v_n,  a = 4/h^2 theta - 4/h v_n - a_n;  no damping, no memory
//   bdf2         rho = 0   v = (3 q - 4 q_n + q_n-1)/(2 h),  a = (3 v - 4 v_n + v_n-1)/(2 h);  L-stable; the first step after a jump has
//                          a = (3 (v - v_n)/h - a_n)/2, and v with h a_n for v_n - v_n-1
// Memory: two lags per velocity, mean minus end of v and of a; unknown after a much shorter step.
// Sources: Jaiswal, Sopanen, Mikkola 2021 (friction), appendix A (trapezoidal); Hairer, Wanner 1996, Solving Ordinary Differential
// Equations II, V.1 (BDF2).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/oil_rule.h"
#include "solve/motion_rule.h"

namespace trunnion {

class AlphaRule final : public MotionRule {
 public:
  explicit AlphaRule(double rho) : rule_(OilRule::alpha(rho)) {}

  void begin(int /*stage*/, const StateVector& from, double h, MotionRelation& relation) override {
    const int nv = from.layout().nv;
    const double f = rule_.factor(h), product = (3 - rule_.rho) * (1 + rule_.rho);
    relation.factors = {f, product * product / (4 * (h * h))};
    const double *v = from.v(), *a = from.a();
    for (int i = 0; i < nv; ++i) {
      const auto [lag_v, lag_a] = lags(from, h, i);
      relation.theta[i] = h * (v[i] + h / 2 * a[i]);
      relation.v_offset[i] = -rule_.offset(v[i], lag_v);
      relation.a_offset[i] = f * (relation.v_offset[i] - v[i]) - rule_.offset(a[i], lag_a);
    }
  }
  void finish(const StateVector& from, double h, const double* theta, StateVector& end) const override {
    if (is_trapezoidal()) return;
    const int nv = from.layout().nv;
    double* lag = end.motion_lags();
    for (int i = 0; i < nv; ++i) {
      const auto [lag_v, lag_a] = lags(from, h, i);
      lag[i] = rule_.lag(h, theta[i], from.v()[i] + lag_v, end.v()[i]);
      lag[nv + i] = rule_.lag(h, end.v()[i] - from.v()[i], from.a()[i] + lag_a, end.a()[i]);
    }
    *end.motion_memory() = h;
  }
  bool is_trapezoidal() const override { return rule_.rho == 1; }
  std::optional<ImpulseRule> impulse_rule() const override {
    return ImpulseRule{rule_.mean(0, 1, 0), rule_.mean(1, 0, 0), rule_.mean(0, 0, 1), rule_.share_end(), rule_.share_begin(), kGrowth};
  }

 private:
  struct Lags {
    double v, a;
  };
  static constexpr double kGrowth = 1.5;  // of a step, beyond which its predecessor's lags count as unknown
  /// Lags of coordinate i at the start of a step; where they are unknown that of v follows from a, exact for constant a.
  Lags lags(const StateVector& from, double h, int i) const {
    if (is_trapezoidal()) return {0, 0};
    const double carried = from.carried_motion(h);
    if (carried == 0 || h > kGrowth * *from.motion_memory()) return {-(1 - rule_.rho) / (2 * (1 + rule_.rho)) * h * from.a()[i], 0};
    return {carried * from.motion_lags()[i], carried * from.motion_lags()[from.layout().nv + i]};
  }

  OilRule rule_;
};

}  // namespace trunnion
