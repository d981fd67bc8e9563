// Root of a rising function between two bounds: Newton's method, bisection where it leaves the bounds or is slow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "base/scalar.h"

namespace trunnion {

/// The x in [lower, upper] where f changes sign from negative to positive, from the start value `x` inside. `f(x, slope)` returns the value
/// and writes its derivative; it is called at most some hundred times, about four for a smooth function. Ends where |f| <= tolerance or x
/// is exact to rounding. NaN ends it too.
template <class Function>
double bracketed_root(double lower, double upper, double x, double tolerance, const Function& f) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  double before_last = upper - lower, last = before_last;  // the two latest changes of x
  for (int i = 0; i < 200; ++i) {
    double slope;
    const double value = f(x, slope);
    if (!(abs(value) > tolerance)) return x;
    (value < 0 ? lower : upper) = x;
    double next = x - value / slope;
    const bool slow = 2 * abs(next - x) > before_last;
    before_last = last;
    if (!(next > lower && next < upper) || slow) next = lower + (upper - lower) / 2;
    last = abs(next - x);
    if (last <= rounding * abs(next) || next == lower || next == upper) return next;
    x = next;
  }
  return x;
}

}  // namespace trunnion
