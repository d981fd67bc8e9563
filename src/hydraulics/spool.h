// The effective command of a valve, which follows its signal u:
//   x = u                                                            no dynamics
//   x_dot = clamp((u - x) / tau, -r, r)                              first order, (18)
//   x_dot = clamp(v, -r, r),  v_dot = w^2 (u - x) - 2 zeta w v       second order, natural frequency w, damping ratio zeta
// r is the rate limit. If u is a signal, nothing acts back on a spool, and it is integrated ahead of the step. If u is the value of a
// control block (control.h), the spool is driven: without dynamics it is that value, otherwise a step advances it in the same way at every
// iterate of the value, so that it is no unknown of its circuit.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 2.2.1; second order as in manufacturers' data for servo valves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "base/dual.h"
#include "signals/signal.h"

namespace trunnion {

struct Spool {
  std::string name;
  double time_constant = 0;                                     // [s] first order
  double frequency = 0;                                         // [rad/s] second order where positive
  double damping = 0;                                           // [-]
  double rate_limit = std::numeric_limits<double>::infinity();  // [signal unit/s]
  SignalIndex signal = -1;
  std::optional<double> start;  // [signal unit] start value; none: at its command
  int state = 0;                // index in y of its position; its rate is the next one. Driven without dynamics: of the block's value
  int block = -1;               // the control block that drives it; -1: none

  bool second_order() const { return frequency > 0; }
  bool driven() const { return block >= 0; }
  /// Whether it is a function of time alone.
  bool is_signal() const { return follows() && !driven(); }
  /// Whether it equals its signal.
  bool follows() const { return time_constant <= 0 && !second_order(); }
  int states() const { return second_order() ? 2 : 1; }
  template <class S>
  S limited(const S& rate) const {
    return max(S(min(rate, rate_limit)), -rate_limit);
  }
};

/// Rates of a spool's states y at the signal's value u; 0 if it equals its signal.
template <class S>
void spool_rates(const Spool& spool, const S& u, const S* y, S* rate) {
  if (spool.second_order()) {
    const double w = spool.frequency;
    rate[0] = spool.limited(y[1]);
    rate[1] = w * w * (u - y[0]) - 2 * spool.damping * w * y[1];
  } else {
    rate[0] = spool.follows() ? S(0) : spool.limited(S((u - y[0]) / spool.time_constant));
  }
}

/// Their step to the signal's value u_end, solved exactly: factor (y_1 - y) - offset = rate, per state; a rate beyond its limit is
/// limited. On double and Dual<1>.
template <class S>
void advance_spool(const Spool& spool, double factor, const double* offset, const S& u_end, S* y);

}  // namespace trunnion
