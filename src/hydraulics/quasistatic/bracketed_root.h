// Root of an increasing function between two bounds: Newton's method, bisection where it leaves the bounds or is slow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "base/scalar.h"

namespace trunnion {

/// The x in [lower, upper] where f changes from negative to positive, with initial guess `x`. `f(x, slope)` returns the value and
/// writes its derivative. Ends where |f| <= tolerance, or where x is exact to rounding, or immediately with NaN.
template <class Function>
double bracketed_root(double lower, double upper, double x, double tolerance, const Function& f) {
  constexpr double rounding = 2 * std::numeric_limits<double>::epsilon();
  constexpr int most = 200;                                // two bisections in three steps: below the spacing of floating-point numbers
  double before_last = upper - lower, last = before_last;  // the two latest changes of x
  for (int i = 0; i < most; ++i) {
    double slope;
    const double value = f(x, slope);
    if (!(abs(value) > tolerance)) break;
    (value < 0 ? lower : upper) = x;
    double change = -value / slope;
    if (abs(change) <= rounding * abs(x)) break;
    const bool slow = 2 * abs(change) > before_last;
    if (slow || !(x + change > lower && x + change < upper)) change = lower + (upper - lower) / 2 - x;
    if (abs(change) <= rounding * abs(x)) break;
    before_last = last;
    last = abs(change);
    x += change;
  }
  if (kTangents) {
    double slope;
    const double value = f(x, slope);
    if (slope > 0) x -= value / slope;
  }
  return x;
}

}  // namespace trunnion
