// Polynomials through values at communication points, for extrapolation beyond them or interpolation between them:
//   Lagrange   of order m through the values at m + 1 points, at any spacing
//   Hermite    also matches the derivative at the newest point: order m + 1
// written as powers of the time from the newest point. Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation),
// section 2.3; divided differences by Newton.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "signals/time_polynomial.h"

namespace trunnion {

constexpr int kMostPoints = 4;  // of a polynomial of order 3

/// The polynomial through x[i] at t[i], 1 to kMostPoints distinct points, newest first.
TimePolynomial lagrange(const double* t, const double* x, int points);

/// As above, with derivative `rate` at t[0].
TimePolynomial hermite(const double* t, const double* x, int points, double rate);

/// The integral of `rate` (order at most 4) with the value `value` at its beginning.
TimePolynomial integral(double value, const TimePolynomial& rate);

}  // namespace trunnion
