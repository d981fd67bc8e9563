// Set-valued and nonsmooth functions of the quasistatic hydraulics: closed intervals, the normal cone, the projection, and the scalar
// equations of the pieces of its maps. Equation numbers are those of the source, throughout this folder.
// Source: Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics), section 2.
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
  /// All differences of an element of a and one of b.
  friend Interval operator-(const Interval& a, const Interval& b) { return {a.lower - b.upper, a.upper - b.lower}; }
};

/// Normal cone of a closed interval at x: (-inf, 0] at its lower end, [0, inf) at its upper end, {0} between, empty outside; (5).
inline Interval normal_cone(const Interval& set, double x) {
  if (!set.contains(x)) return Interval::empty();
  return {x == set.lower ? -kInfinity : 0, x == set.upper ? kInfinity : 0};
}

/// a where x < 0, b where x > 0, everything between them at 0; (9). For A < B: y in normal_cone([A, B], x) iff x in gsgn(A, y, B), (11).
inline Interval gsgn(double a, double x, double b) { return x > 0 ? Interval(b) : x < 0 ? Interval(a) : Interval(min(a, b), max(a, b)); }

/// Projection onto [A, B], (12): the x with a - x in normal_cone([A, B], x), (13).
TR_INLINE double project(double A, double B, double a) { return max(A, min(B, a)); }

/// sgn(x) x^2, (15).
TR_INLINE double signed_square(double x) { return x * abs(x); }

/// sgn(x) sqrt|x|, (16): the inverse of signed_square.
TR_INLINE double signed_root(double x) { return std::copysign(sqrt(abs(x)), x); }

/// psi: square of the opening of two openings in series, (19).
TR_INLINE double series_square(double u1, double u2) {
  const double a = u1 * u1, b = u2 * u2;
  return a == 0 || b == 0 ? 0 : a * b / (a + b);
}

/// The x >= 0 with a x^2 + b x = c; a, b, c >= 0. Infinite for a = b = 0 < c, 0 for c = 0.
TR_INLINE double positive_root(double a, double b, double c) { return c > 0 ? 2 * c / (b + sqrt(b * b + 4 * a * c)) : 0; }

/// Phi_A: the x with signed_square(x) / a + b x + c = 0 for b > 0, in the limit from above for a = 0 (x = 0); (20), (30). The source's
/// form loses all digits where a b^2 >> |c|; this one does not.
TR_INLINE double phi_a(double b, double c, double a) {
  const double ab = a * b, root = sqrt(ab * ab + 4 * a * abs(c));
  return root > 0 ? -2 * a * c / (ab + root) : 0;
}

/// Phi_B: the x with signed_square(x) / a0 + signed_square(x - x1) / a1 + b x + c = 0 for b > 0; (29), (31). For a0 = 0: x = 0, also if
/// a1 = 0; for a1 = 0: x = x1. (29) has four branches by the signs of x and x - x1; here the signs are in one formula.
inline double phi_b(double b, double c, double a0, double a1, double x1) {
  if (a0 == 0) return 0;
  if (a1 == 0) return x1;
  // the left side times a1 at x = 0 and times a0 at x = x1
  const bool positive = a1 * c < signed_square(x1), beyond = signed_square(x1) + a0 * (b * x1 + c) < 0;
  const double s0 = positive ? 1 : -1, s1 = beyond ? 1 : -1;
  // times a0 a1: A x^2 + B x + C = 0, the root where the left side increases; terms in x1^2 that cancel in B^2 - 4 A C are omitted
  const double A = s0 * a1 + s1 * a0, B = a0 * (a1 * b - 2 * s1 * x1), C = a0 * (a1 * c + s1 * x1 * x1);
  const double ab = a0 * a1 * b;
  const double root = sqrt(max(0, ab * ab - 4 * a0 * a1 * (s0 * a1 * c + s1 * a0 * (c + b * x1) + s0 * s1 * x1 * x1)));
  return B >= 0 ? -2 * C / (B + root) : (root - B) / (2 * A);
}

}  // namespace trunnion
