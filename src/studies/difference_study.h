// Eigenvalues by the counterpart's central differences against the exact ones, over the increment of the differences.
// Source: Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6 (linearisation), section 4.5, figure 14.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "studies/linear_case.h"
#include "studies/plot.h"

namespace trunnion {

/// Of one increment.
struct DifferencePoint {
  double increment = 0;                     // h of (100)
  std::vector<std::complex<double>> found;  // [1/s] per exact eigenvalue, the nearest one; none if the differences failed
  std::string status = "completed";         // or why they failed
};

struct DifferenceStudy {
  std::vector<std::complex<double>> exact;  // [1/s] of the reduced model, by decreasing real part
  std::vector<DifferencePoint> points;      // by ascending increment
  std::vector<std::string> notes;           // reasons of differences that do not vanish with the increment
};

/// About the reference of `c`, for increments above zero. Throws what linearise throws for the reduced model.
DifferenceStudy difference_study(const LinearCase& c, std::vector<double> increments);

/// differences.csv: one row per increment and exact eigenvalue: `increment`, `number`, `exact_re`, `exact_im`, `re`, `im`, the distance
/// `error` [1/s], `relative_error` (empty for a zero eigenvalue), `status`.
std::string difference_csv(const DifferenceStudy& study);
/// The relative error of every nonzero eigenvalue over the increment.
Plot difference_plot(const DifferenceStudy& study);
/// A line per increment: lines for a terminal.
std::string difference_text(const DifferenceStudy& study);

}  // namespace trunnion
