// Sensitivities of eigenvalues to a parameter of the machine, whatever it affects: geometry, masses, oil, the reference itself.
//   dlambda/dp = w^H (dA/dp) v,   w^H v = 1;   relative: (p / lambda) dlambda/dp
// dA/dp is the total derivative of the linear model's matrix, including the motion of its reference. A(p) is available as numbers only,
// to rounding, so it is differentiated by central differences of decreasing step, extrapolated to step zero:
//   D(h) = (A(p + h) - A(p - h)) / (2 h) = dA/dp + c_2 h^2 + c_4 h^4 + ...
// in a table whose k-th column is free of the first k terms; per eigenvalue, the entry with the smallest error is used. Its error
// estimate is three times its difference from the next best entries, plus the effect of roundings of A on D(h) and, through v and w, on
// the derivative. v and w are first refined in extended precision. Central differences are blind to kinks that are even about p, so the
// difference of the one-sided slopes,
//   K(h) = (A(p + h) + A(p - h) - 2 A(p)) / (2 h) = c_1 h + c_3 h^3 + ...
// is extrapolated too, and must vanish. All A(p) have the same states.
// Sources: P. Lancaster, Numerische Mathematik 6 (1964), 377-387 (derivatives of eigenvalues); C. J. F. Ridders, Advances in Engineering
// Software 4 (1982), 75-76 (extrapolation).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spectra/spectrum.h"

namespace trunnion {

struct EigenvalueSensitivity {
  std::complex<double> derivative;  // dlambda/dp [1/s per unit of p]
  double error = 0;                 // estimated error of the derivative, usually above the true one
  std::complex<double> relative;    // (p / lambda) dlambda/dp: relative change of |lambda|, change of its angle [rad]; 0 where lambda = 0
  std::string refusal;              // why there is no derivative; otherwise empty
};

struct Sensitivity {
  double value = 0;                       // p
  double step = 0;                        // the largest one, in units of p
  std::vector<EigenvalueSensitivity> of;  // per eigenvalue of the spectrum; empty if refused as a whole
  std::string refusal;                    // why there are no derivatives; otherwise empty
};

/// The linear model at a value of the parameter. Throws Error if none exists.
using LinearModelAt = std::function<LinearModel(double p)>;

/// Derivatives of the eigenvalues of `linear`, with spectrum `spectrum`, with respect to a parameter of value p. Evaluates about sixteen
/// linear models. Unavailable derivatives are rejected in the result: parameters at a bound, multiple eigenvalues, kinks.
Sensitivity eigenvalue_sensitivity(const LinearModel& linear, const Spectrum& spectrum, double p, const LinearModelAt& at);

}  // namespace trunnion
