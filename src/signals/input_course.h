// Value of an input over time, as set from outside during a run, stored as numbers of a StateVector:
//   u(t) = u_0 + u_1 (t - t_0), limited to the input's range; with a largest rate it stops at its target.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>

#include "signals/signal_value.h"

namespace trunnion {

/// Default of an input and the range of its values.
struct InputRange {
  double initial = 0;
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  double rate = std::numeric_limits<double>::infinity();  // [1/s] largest rate of change
};

/// One input's course in a StateVector.
struct InputCourse {
  static constexpr int kSize = 5;  // numbers in a StateVector

  double set = 0;  // 0: never set, the default holds; kJumped: set to another value, and rates do not follow yet
  static constexpr double kSet = 1, kJumped = 2;
  double begin = 0;   // [s] t_0, when it was last set
  double value = 0;   // u_0 at `begin`
  double slope = 0;   // [1/s] u_1
  double target = 0;  // value at which a slope ends

  static InputCourse of(const double* numbers) { return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]}; }
  void write(double* numbers) const { numbers[0] = set, numbers[1] = begin, numbers[2] = value, numbers[3] = slope, numbers[4] = target; }

  SignalValue at(double t, const InputRange& limits) const {
    if (set == 0) return {limits.initial, 0, 0};
    if (slope == 0) return {value, 0, 0};
    const double end = slope > 0 ? std::min(target, limits.max) : std::max(target, limits.min), moved = value + slope * (t - begin);
    const bool ended = slope > 0 ? moved >= end : moved <= end;
    return ended ? SignalValue{end, 0, 0} : SignalValue{moved, slope, 0};
  }
};

}  // namespace trunnion
