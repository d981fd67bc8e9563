// Comparison of a run with a linear model: range of validity of the linear model. From a time T on, the linear model starts at the
// deviation of the nonlinear state from its reference, x(T) = x_nonlinear(T) - x_0, with the same inputs; it is advanced exactly over the
// steps of the run (spectra/response.h).
// Source: Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6 (linearisation), (93), (94).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linearise/linear_model.h"
#include "results/error_estimate.h"
#include "results/run_case.h"

namespace trunnion {

/// A channel of both models.
struct LinearRunChannel {
  LinearVariable variable;        // an output of the linear model
  std::vector<double> nonlinear;  // per record
  std::vector<double> linear;     // per record; NaN before T
  double largest_difference = 0;  // |linear - nonlinear| from T on, of the records
  double difference_time = 0;     // [s]
  double low = 0, high = 0;       // range of the nonlinear values from T on
};

struct LinearRun {
  double from = 0;            // [s] T
  std::vector<double> times;  // [s] of the records: grid points (record.every) and T
  std::vector<LinearRunChannel> channels;
  std::optional<AccumulatedErrors> errors;  // of the nonlinear run, by its step
  std::vector<std::string> warnings;        // of these errors
  std::optional<SimulationError> failure;   // of the nonlinear run; results until then are kept
};

/// Runs `model` from `start` to solver.duration together with the linear model about `reference` from time `from` on. All outputs must be
/// channels of the model's observer.
LinearRun run_beside(const std::shared_ptr<const CompiledModel>& model, const StateVector& start, const LinearModel& linear,
                     const StateVector& reference, double from, const Progress& progress = {});

/// simulate.csv: `time`, then per channel `crank.angle` and `crank.angle.linear`; the latter is empty before T.
std::string linear_run_csv(const LinearRun& run);
/// The largest difference per channel, and the discretisation error of the nonlinear run: lines for a terminal.
std::string linear_run_text(const LinearRun& run);

}  // namespace trunnion
