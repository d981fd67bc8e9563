// Generalised-alpha rules of second-order systems, with the equations of motion satisfied at the end of the step and an auxiliary
// acceleration x (Arnold, Bruels 2007):
//   theta = h v_n + h^2 ((1/2 - beta) x_n + beta x),   v = v_n + h ((1 - gamma) x_n + gamma x)
//   (1 - alpha_m) x + alpha_m x_n = (1 - alpha_f) a + alpha_f a_n
//   gamma = 1/2 - alpha_m + alpha_f,   beta = (1/2 + gamma)^2/4
//   generalized_alpha   alpha_m = (2 rho - 1)/(rho + 1),  alpha_f = rho/(rho + 1)      0 <= rho <= 1  (Chung, Hulbert 1993)
//   hht                 alpha_m = 0,  alpha_f = (1 - rho)/(1 + rho)                    1/2 <= rho <= 1  (Hilber, Hughes, Taylor 1977)
// rho: spectral radius at infinity, the factor per step of infinitely stiff parts; 1 is the trapezoidal rule in both. Order 2, A-stable.
// Memory: the lag x - a, per velocity; zero at a start, where x = a.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solve/motion_rule.h"

namespace trunnion {

class GeneralizedAlphaRule final : public MotionRule {
 public:
  static GeneralizedAlphaRule chung_hulbert(double rho) { return {(2 * rho - 1) / (rho + 1), rho / (rho + 1)}; }
  static GeneralizedAlphaRule hilber_hughes_taylor(double rho) { return {0, (1 - rho) / (1 + rho)}; }

  void begin(int /*stage*/, const StateVector& from, double h, MotionRelation& relation) override {
    const double f_v = gamma_ / (beta_ * h), f_x = 1 / (beta_ * h * h), carried = from.carried_motion(h);
    relation.factors = {f_v, f_x * (1 - m_) / (1 - f_)};
    for (int i = 0; i < from.layout().nv; ++i) {
      const double v = from.v()[i], a = from.a()[i], x = a + carried * from.motion_lags()[i];
      const double known = h * v + h * h * (0.5 - beta_) * x;  // theta at x = 0
      relation.theta[i] = h * (v + h / 2 * a);
      relation.v_offset[i] = v + h * (1 - gamma_) * x - f_v * known;
      relation.a_offset[i] = (m_ * x - f_ * a - (1 - m_) * f_x * known) / (1 - f_);
    }
  }
  void finish(const StateVector& from, double h, const double* /*theta*/, StateVector& end) const override {
    const double carried = from.carried_motion(h);
    for (int i = 0; i < from.layout().nv; ++i) {
      const double x_0 = from.a()[i] + carried * from.motion_lags()[i];
      end.motion_lags()[i] = auxiliary(from.a()[i], end.a()[i], x_0) - end.a()[i];
    }
    *end.motion_memory() = h;
  }
  std::optional<ImpulseRule> impulse_rule() const override {
    return ImpulseRule{auxiliary(0, 1, 0), auxiliary(1, 0, 0), auxiliary(0, 0, 1), gamma_, 1 - gamma_};
  }

 private:
  GeneralizedAlphaRule(double alpha_m, double alpha_f)
      : m_(alpha_m), f_(alpha_f), gamma_(0.5 - alpha_m + alpha_f), beta_((0.5 + gamma_) * (0.5 + gamma_) / 4) {}

  /// x at the end of a step.
  double auxiliary(double a_begin, double a_end, double x_begin) const {
    return ((1 - f_) * a_end + f_ * a_begin - m_ * x_begin) / (1 - m_);
  }

  double m_, f_, gamma_, beta_;
};

}  // namespace trunnion
