// Computation of `trunnion fit`: values of a model file that reproduce a recording best. Least squares over all channels and times,
//   minimise over x  sum_c sum_i r_ci^2,   r_ci = (channel c of the run at t_i - recorded value) / scale_c
// with scale_c the root mean square of the recorded values about their mean. By the Levenberg-Marquardt method in
//   x = 1 + ln(p / p_0)  for parameters that must be positive,   x = 1 + (p - p_0) / |p_0|  for others (p_0 = 0: 1 + p)
// with the exact J = dr/dx where runs have derivatives (results/response_sensitivity.h), otherwise differences; if a run fails, the step is
// rejected and shortened. Channels are interpolated linearly between steps. Standard errors assume independent noise of its own size in
// every channel, sigma_c^2 the mean square of r_c,
//   cov x = H^-1 (sum_c sigma_c^2 J_c^T J_c) H^-1,   H = J^T J
// Parts: fit_request.h, fit_misfit.h (residuals and J), fit.cpp (the search), fit_judgement.h (standard errors), fit_files.cpp.
// Sources: J. J. More, Lecture Notes in Mathematics 630 (1978), 105-116 (the method, as in MINPACK and Eigen); G. A. F. Seber, C. J. Wild,
// Nonlinear Regression (1989), section 2.1 (standard errors).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "results/run_case.h"
#include "studies/plot.h"

namespace trunnion {

/// The request, in terms of the command line.
struct FitRequest {
  std::string model_file;
  std::vector<Override> overrides;
  std::vector<std::string> parameters;  // paths of numbers in the model file
  std::string reference;                // CSV file of the recording
  std::string time;                     // its column of times, `COLUMN[:UNIT]`; empty: `time`, or the first
  std::vector<std::string> channels;    // `CHANNEL[=COLUMN[:UNIT]]`; none: every column with the name of a channel
  StartKind start = StartKind::given;
  int max_iterations = 50;
  int threads = 1;  // parallel runs; the result does not depend on it
};

struct FittedParameter {
  std::string path, unit;
  double start = 0, value = 0;                                   // SI
  double standard_error = 0;                                     // SI; NaN if the recording does not determine it
  double step_error = std::numeric_limits<double>::quiet_NaN();  // SI; due to the step of the runs; NaN: unknown
  bool positive = false;                                         // fitted by its logarithm
  /// SI; of noise and step together, sqrt(standard_error^2 + step_error^2), an unknown step error being 0; NaN if undetermined.
  double error() const { return std::hypot(standard_error, std::isnan(step_error) ? 0 : step_error); }
};

struct FittedChannel {
  std::string name, column, unit;
  std::vector<double> times, recorded, at_start, fitted;  // [s], SI
  double scale = 0;                                       // SI
  double rms_start = 0, rms = 0;                          // root mean square of run - recording before and after
};

struct Fit {
  std::vector<FittedParameter> parameters;
  std::vector<FittedChannel> channels;
  std::vector<double> correlation;  // parameters x parameters; NaN where undetermined
  int iterations = 0;
  int runs = 0, failed_runs = 0;
  bool converged = false;
  std::string status;  // reason of termination
  std::vector<std::string> warnings;
  std::shared_ptr<const CompiledModel> model;  // with the fitted values
};

/// Called after each iteration with its number and the root mean square of all r.
using FitProgress = std::function<void(int iteration, double rms)>;

/// Throws InputError with every finding about the request, and SimulationError if the run with the start values fails.
Fit fit(const FitRequest& request, const FitProgress& progress = {});

/// Values with errors, residuals and warnings: lines for a terminal.
std::string fit_text(const Fit& fit);
/// fit.json; definitions in docs/fit.md.
std::string fit_json(const Fit& fit, const std::string& model_file, const std::string& reference);
/// `channel,time,recorded,start,fitted`: a row for each point.
std::string fit_csv(const Fit& fit);
/// A panel for each channel: recorded, at the start values, fitted.
Plot fit_plot(const Fit& fit);

}  // namespace trunnion
