// Root loci: the eigenvalues of linear models over varied values of the model file, or over the time of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "studies/linear_case.h"
#include "studies/plot.h"

namespace trunnion {

struct RootLocusPoint {
  std::vector<std::string> values;   // of the varied paths, as given
  std::string status = "completed";  // or why no linear model exists
  bool possible = true;              // false: the model file does not allow these values
  std::vector<std::string> states;
  Spectrum spectrum;  // without eigenvalues if no linear model exists
  ReferenceMotion motion = ReferenceMotion::rest;
  std::vector<int> branches;  // per eigenvalue, from 0: equal numbers follow one eigenvalue from point to point
};

struct RootLocus {
  std::vector<std::string> paths;      // varied; `time`: times [s] of a run
  std::vector<RootLocusPoint> points;  // all combinations, the last path fastest
  int failures() const;                // possible ones without linear model
  int impossible() const;
};

/// A point from its linear model, with the loops of sampled blocks closed. Branches are assigned by follow.
RootLocusPoint root_locus_point(std::vector<std::string> values, const LinearCase& c);

/// Numbers the branches; `sizes`: values per path.
void follow(RootLocus& locus, const std::vector<int>& sizes);

/// root_locus.csv: one row per point and eigenvalue; of a failed point one row with its status.
std::string root_locus_csv(const RootLocus& locus);
std::string root_locus_json(const RootLocus& locus);
/// The upper half of the complex plane with a curve per branch, its points shaded by their order: dark the first, light the last. The range
/// of the axes is that of the oscillations; a note says how many eigenvalues are outside.
Plot root_locus_plot(const RootLocus& locus);
/// One line per point: stability, the rightmost eigenvalue, the least damped oscillation.
std::string root_locus_text(const RootLocus& locus);

}  // namespace trunnion
