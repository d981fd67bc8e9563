// Set-valued and nonsmooth functions of the quasistatic hydraulics: closed intervals, normal cone, projection, and the two scalar
// equations that its segments lead to.
// Source: paper "nonsmooth quasistatic hydraulics", section 2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "base/scalar.h"

namespace trunnion {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Closed interval; a single value if lower == upper, empty if lower > upper.
struct Interval {
  double lower = 0, upper = 0;
  Interval() = default;
  Interval(double value) : lower(value), upper(value) {}  // NOLINT(google-explicit-constructor): a value is a set of one
  Interval(double lower_end, double upper_end) : lower(lower_end), upper(upper_end) {}

  static Interval empty() { return {kInfinity, -kInfinity}; }
  bool is_empty() const { return !(lower <= upper); }
  bool contains(double x, double tolerance = 0) const { return lower - tolerance <= x && x <= upper + tolerance; }
  friend Interval operator-(const Interval& a, const Interval& b) { return {a.lower - b.upper, a.upper - b.lower}; }
};

/// Normal cone of [A, B] at x, (5).
inline Interval normal_cone(const Interval& set, double x) {
  if (!set.contains(x)) return Interval::empty();
  return {x == set.lower ? -kInfinity : 0, x == set.upper ? kInfinity : 0};
}

/// a where x < 0, b where x > 0, all between them at 0, (9). y in N_[A,B](x) iff x in gsgn(A, y, B), (11).
inline Interval gsgn(double a, double x, double b) { return x > 0 ? Interval(b) : x < 0 ? Interval(a) : Interval(min(a, b), max(a, b)); }

/// Projection onto [A, B], (12).
TR_INLINE double project(double A, double B, double x) { return max(A, min(B, x)); }

}  // namespace trunnion
