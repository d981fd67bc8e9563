// The time rule of the oil, the same for everything that has a rate: the content N of a volume, a friction state, the state of a
// component, a spool. An end-point alpha rule of one parameter rho: with Q the rate, r its running mean,
//   dN = N_1 - N_0
//   (3 - rho)(1 + rho)/(2 h) dN - (1 - rho^2)/2 r_0 - rho Q_0 = Q_1          the step
//   r_1 = (1 + rho) dN/h - rho r_0                                           the mean that the next one begins with
// rho = 1: trapezoidal rule; rho = 0: BDF2; in between second order and A-stable, and what is infinitely stiff is multiplied by -rho in
// a step. A step needs no more of the past than r and Q; r = Q where there is none. r - Q lags behind by a share of the step, so that it
// is carried over in proportion to the lengths of steps, as far as that is stable.
//   implicit Euler   dN/h = Q_1, r_1 = Q_1: the first step after a jump, where Q_0 has nothing to say
// A flow that has part in Q passes, in the same step, the volume h (q_1 + rho q_0)/(1 + rho) with
//   q_1 = (2 (Q_1 + rho Q_0) + (1 - 3 rho) q_0)/(3 - rho)                    q like r for that flow alone
// so that what leaves a volume arrives in another, to rounding.
// Derivation: docs/theory.md, section 9, "The oil's rule". Family: generalised-alpha for first-order systems (Jansen, Whiting, Hulbert
// 2000), with the equation at the end of the step. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace trunnion {

struct OilRule {
  double rho = 1;
  bool implicit_euler = false;

  static constexpr OilRule alpha(double rho) { return {rho, false}; }
  static constexpr OilRule euler() { return {0, true}; }

  /// d(rate at the end)/d(N at the end) [1/s] in a step of h [s].
  constexpr double factor(double h) const { return implicit_euler ? 1 / h : (3 - rho) * (1 + rho) / (2 * h); }
  /// Share of the lag after a step of h_before [s] that a step of h begins with.
  static constexpr double carried(double h, double h_before) {
    constexpr double kMost = 1.5;  // times rho: below 1
    return h < kMost * h_before ? h / h_before : kMost;
  }
  /// What is taken from factor dN to give the rate at the end: of a rate Q_0 with lag r_0 - Q_0.
  constexpr double offset(double rate, double lag) const { return implicit_euler ? 0 : (1 - rho * rho) / 2 * (rate + lag) + rho * rate; }
  /// The lag r_1 - Q_1 at the end of a step of h with change dN from the mean r_0 to the rate Q_1.
  constexpr double lag(double h, double dN, double mean_begin, double rate_end) const {
    return implicit_euler ? 0 : (1 + rho) * dN / h - rho * mean_begin - rate_end;
  }
  /// Mean q_1 of a flow at the end of a step, from its values Q_0, Q_1 and its mean q_0 at the start.
  constexpr double mean(double flow_begin, double flow_end, double mean_begin) const {
    return implicit_euler ? flow_end : (2 * (flow_end + rho * flow_begin) + (1 - 3 * rho) * mean_begin) / (3 - rho);
  }
  /// Share of h times the mean at the end, and at the start, in what passes: h (end q_1 + begin q_0).
  constexpr double share_end() const { return implicit_euler ? 1 : 1 / (1 + rho); }
  constexpr double share_begin() const { return implicit_euler ? 0 : rho / (1 + rho); }
};

/// rho of `oil_rule: auto`.
inline constexpr double kOilRho = 0.5;

}  // namespace trunnion
