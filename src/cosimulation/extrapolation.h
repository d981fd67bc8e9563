// Courses through what was seen at communication points, to be followed beyond them (extrapolation) or between them (interpolation):
//   Lagrange   of order m through the values at m + 1 points, whatever their spacing
//   Hermite    through the same and the derivative at the newest: one order more
// written as powers of the time from the newest point. Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation),
// section 2.3; divided differences by Newton.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "signals/time_polynomial.h"

namespace trunnion {

constexpr int kMostPoints = 4;  // of a polynomial of order 3

/// The polynomial through x[i] at t[i], 1 to kMostPoints of them, newest first, all different.
TimePolynomial lagrange(const double* t, const double* x, int points);

/// The same that has the derivative `rate` at t[0], too.
TimePolynomial hermite(const double* t, const double* x, int points, double rate);

/// The integral that is `value` at the beginning of `rate`, whose order is at most 4.
TimePolynomial integral(double value, const TimePolynomial& rate);

}  // namespace trunnion
