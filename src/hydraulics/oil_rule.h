// The time rule of the oil, the same for all quantities with a rate: the content N of a volume, a friction state, the state of a
// component, a spool. An end-point alpha rule with one parameter rho: with Q the rate, r its running mean,
//   dN = N_1 - N_0
//   (3 - rho)(1 + rho)/(2 h) dN - (1 - rho^2)/2 r_0 - rho Q_0 = Q_1          the step
//   r_1 = (1 + rho) dN/h - rho r_0                                           the initial mean of the next step
// rho = 1: trapezoidal rule; rho = 0: BDF2; in between second order and A-stable, with the factor -rho per step for infinitely stiff
// components. The only history is r and Q; r = Q at the start. The lag r - Q is proportional to the step, so that it is rescaled with the
// ratio of step lengths, as far as that is stable.
//   implicit Euler   dN/h = Q_1, r_1 = Q_1: the first step after a jump, where Q_0 is invalid
// A flow that contributes to Q transports, in the same step, the volume h (q_1 + rho q_0)/(1 + rho) with
//   q_1 = (2 (Q_1 + rho Q_0) + (1 - 3 rho) q_0)/(3 - rho)                    q as r, for that flow alone
// so that the volume leaving one node arrives at another, to rounding.
// Derivation: docs/theory.md, section 9, "The oil's rule". Family: generalised-alpha for first-order systems (Jansen, Whiting, Hulbert
// 2000), with the equation at the end of the step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace trunnion {

struct OilRule {
  double rho = 1;
  bool implicit_euler = false;

  static constexpr OilRule alpha(double rho) { return {rho, false}; }
  static constexpr OilRule euler() { return {0, true}; }

  /// d(rate at the end)/d(N at the end) [1/s] in a step of h [s].
  constexpr double factor(double h) const { return implicit_euler ? 1 / h : (3 - rho) * (1 + rho) / (2 * h); }
  /// Share of the lag after a step of h_before [s] at the start of a step h.
  static constexpr double carried(double h, double h_before) {
    constexpr double kMost = 1.5;  // times rho: below 1
    return h < kMost * h_before ? h / h_before : kMost;
  }
  /// Subtracted from factor dN to give the rate at the end: of a rate Q_0 with lag r_0 - Q_0.
  constexpr double offset(double rate, double lag) const { return implicit_euler ? 0 : (1 - rho * rho) / 2 * (rate + lag) + rho * rate; }
  /// The lag r_1 - Q_1 at the end of a step of h with change dN from the mean r_0 to the rate Q_1.
  constexpr double lag(double h, double dN, double mean_begin, double rate_end) const {
    return implicit_euler ? 0 : (1 + rho) * dN / h - rho * mean_begin - rate_end;
  }
  /// Mean q_1 of a flow at the end of a step, from its values Q_0, Q_1 and its mean q_0 at the start.
  constexpr double mean(double flow_begin, double flow_end, double mean_begin) const {
    return implicit_euler ? flow_end : (2 * (flow_end + rho * flow_begin) + (1 - 3 * rho) * mean_begin) / (3 - rho);
  }
  /// Weights of the mean at the end, and at the start, in the transported volume: h (end q_1 + begin q_0).
  constexpr double share_end() const { return implicit_euler ? 1 : 1 / (1 + rho); }
  constexpr double share_begin() const { return implicit_euler ? 0 : rho / (1 + rho); }
};

/// rho of `oil_rule: auto`.
inline constexpr double kOilRho = 0.5;

}  // namespace trunnion
