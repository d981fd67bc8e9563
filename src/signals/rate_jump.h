// Where the rate of a signal jumps: a motion that follows it needs an impulse there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "signals/signal.h"

namespace trunnion {

/// At time t, beyond rounding: more than a billionth of the rates, or of what the jump of the acceleration adds in a step [s].
inline bool rate_jumps(const SignalSet& signals, SignalIndex signal, double t, double step) {
  constexpr double kSameRate = 1e-9;
  const SignalValue left = signals.evaluate(signal, t, Side::left, nullptr), right = signals.evaluate(signal, t, Side::right, nullptr);
  const double rates = std::abs(left.rate) + std::abs(right.rate), added = step * std::abs(right.acceleration - left.acceleration);
  return std::abs(right.rate - left.rate) > kSameRate * (rates + added);
}

}  // namespace trunnion
