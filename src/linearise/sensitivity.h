// How eigenvalues move with a parameter of the machine, in whatever way the parameter enters: geometry, masses, oil, the reference itself.
//   dlambda/dp = w^H (dA/dp) v,   w^H v = 1;   relative: (p / lambda) dlambda/dp
// dA/dp is the total derivative of the linear model's matrix, with the motion of its reference. A(p) is had for numbers only, to
// rounding, so it is differentiated by central differences of falling step, extrapolated to step zero:
//   D(h) = (A(p + h) - A(p - h)) / (2 h) = dA/dp + c_2 h^2 + c_4 h^4 + ...
// in a table whose k-th column is free of the first k terms; per eigenvalue, the entry of least error is taken. Its error is what it
// differs from the next best entries by, three times, with what roundings of A make of D(h) and, by way of v and w, of the derivative. v
// and w are refined in wider numbers first. Central differences are blind to kinks that are even about p, so the difference of the slopes
// to both sides,
//   K(h) = (A(p + h) + A(p - h) - 2 A(p)) / (2 h) = c_1 h + c_3 h^3 + ...
// is extrapolated too, and has to vanish. All A(p) are on the same states.
// Sources: P. Lancaster, Numerische Mathematik 6 (1964), 377-387 (derivatives of eigenvalues); C. J. F. Ridders, Advances in Engineering
// Software 4 (1982), 75-76 (extrapolation).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "linearise/spectrum.h"

namespace trunnion {

struct EigenvalueSensitivity {
  std::complex<double> derivative;  // dlambda/dp [1/s per unit of p]
  double error = 0;                 // estimated, of the derivative: larger than the true one as a rule
  std::complex<double> relative;    // (p / lambda) dlambda/dp: relative change of |lambda|, change of its angle [rad]; 0 where lambda = 0
  std::string refusal;              // why there is none; empty
};

struct Sensitivity {
  double value = 0;                       // p
  double step = 0;                        // the largest, in units of p
  std::vector<EigenvalueSensitivity> of;  // per eigenvalue of the spectrum; empty if refused as a whole
  std::string refusal;                    // why there is none; empty
};

/// The linear model at a value of the parameter. Throws Error where there is none.
using LinearModelAt = std::function<LinearModel(double p)>;

/// Derivatives of the eigenvalues of `linear`, whose spectrum is `spectrum`, with respect to a parameter that has the value p there. Some
/// sixteen linear models are made. What cannot be had is refused in the result: parameters at a bound, eigenvalues that are multiple,
/// kinks.
Sensitivity eigenvalue_sensitivity(const LinearModel& linear, const Spectrum& spectrum, double p, const LinearModelAt& at);

}  // namespace trunnion
