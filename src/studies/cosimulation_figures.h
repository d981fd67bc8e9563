// The figures of a co-simulation study as plots with their data, like figures 8 to 17 of Rahikainen, Gonzalez, Naya, Sopanen, Mikkola
// 2020 (co-simulation).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "studies/cosimulation_study.h"
#include "studies/plot.h"

namespace trunnion {

struct StudyFigure {
  std::string name;   // of its files, `residual_velocity_force_rk4`
  std::string shows;  // one line
  std::string paper;  // the paper's figure of the same content, `9a`, for machines with one or two cylinders; otherwise empty
  Plot plot;
};

std::vector<StudyFigure> study_figures(const CosimulationStudy& study);

/// Index of the files: `file,shows,paper`.
std::string figures_csv(const std::vector<StudyFigure>& figures);

/// Writes NAME.svg and its data NAME.csv of every figure, and figures.csv, into `folder`. Returns an empty text, or why pictures are
/// missing; their scripts then exist. Throws Error if files cannot be written.
std::string write_figures(const std::vector<StudyFigure>& figures, const std::string& folder, int threads);

}  // namespace trunnion
