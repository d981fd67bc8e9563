// Computation of `trunnion study formulations`: work and precision of a machine over
//   treatment of the constraints x coordinates x integrator x step
// with fixed steps, against the variable-step reference. Combinations that do not exist are rows of the table with the reason.
//   precision  largest error of a joint coordinate, and of a pressure, over the common record times, in percent of its range in the
//              reference
//   work       processor time in steps per simulated second, and linear solves per step
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "description/description.h"
#include "studies/plot.h"

namespace trunnion {

struct FormulationRequest {
  Description machine;  // as read; its other solver settings apply
  // empty: all
  std::vector<ConstraintKind> treatments;
  std::vector<CoordinateKind> coordinates;
  std::vector<IntegratorKind> integrators;  // of fixed steps
  std::vector<double> steps;                // [s], each the longest one divided by a whole number; empty: 4, 2, 1, 0.5, 0.25 ms
  int repeats = 3;                          // of every run, for the least time
  int threads = 1;
};

struct FormulationRun {
  ConstraintKind constraints = ConstraintKind::penalty;
  CoordinateKind coordinates = CoordinateKind::relative;
  IntegratorKind integrator = IntegratorKind::trapezoidal;
  double step = 0;  // [s]
  enum class Status { completed, impossible, failed } status = Status::completed;
  std::string reason;                      // unless completed
  double coordinate_error = std::nan("");  // [%] of its range
  double pressure_error = std::nan("");    // [%] of its range
  double cpu_per_second = std::nan("");    // [s] in steps per simulated second
  double iterations_per_step = std::nan("");
};

struct FormulationStudy {
  FormulationRequest request;  // with all defaults set
  std::vector<FormulationRun> runs;
};

/// Called occasionally from any thread, never concurrently: completed and total runs.
using FormulationProgress = std::function<void(int done, int all)>;

/// Performs the study. Throws InputError if the machine cannot be read so, Error for steps that have no common record times,
/// SimulationError if the reference fails; a combination that fails is a result. Independent of the number of threads, except times.
FormulationStudy formulation_study(FormulationRequest request, const FormulationProgress& progress = {});

/// All columns but times: equal input gives equal bytes.
std::string formulations_csv(const FormulationStudy& study);
/// Times in the same rows.
std::string formulation_times_csv(const FormulationStudy& study);
/// Errors over treatment, coordinates and integrator by step, for a terminal; impossible pairs are marked.
std::string formulations_text(const FormulationStudy& study);
/// Error of the coordinates over work: a panel per treatment and coordinates, with common axes, and a curve per integrator; impossible
/// pairs are named in its title.
Plot formulations_plot(const FormulationStudy& study);

}  // namespace trunnion
