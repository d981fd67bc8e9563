// Discretisation error of a run, relative to the ranges of motion:
//   accumulated    sums of the local errors estimated by the steps (run/local_errors.h); for every run
//   measured       2^p/(2^p - 1) times the difference from a run with half the step, p the order of the rule, per channel
// Above 1 % of a coordinate's range either is a warning that suggests a sufficient step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/recording.h"

namespace trunnion {

/// The channel with the largest relative error.
struct WorstError {
  std::string channel;
  std::string unit;
  double error = 0;    // in that unit
  double percent = 0;  // of the channel's range
};

struct AccumulatedErrors {
  WorstError coordinate;  // summed over the run
  WorstError persistent;  // the largest persistent error, subject of the warning; empty if none
  WorstError pressure;    // the largest of a step
};
/// Empty for a model without coordinates and volumes.
std::optional<AccumulatedErrors> accumulated_errors(const CompiledModel& model, const RunStatistics& statistics);

struct MeasuredErrors {
  double step = 0;                   // [s] of the second run
  int order = 2;                     // of the rule
  std::vector<WorstError> channels;  // recorded channels that changed, in their order, without those that are errors themselves
  const WorstError* worst() const;
};
/// Of a run of the model and one with half its step, by a rule of that order; only common times count.
MeasuredErrors measured_errors(const CompiledModel& model, const Recording& run, const Recording& halved, double step, int order);

/// The step that would reduce an error of `percent` below 1 %: 1, 2 or 5 times a power of ten [s].
double step_for(double step, double percent, int order);

/// Order of the integrator of a monolithic run with steps of fixed length; otherwise 0.
int order_of(const SolverDescription& solver);

std::vector<std::string> error_warnings(const std::optional<AccumulatedErrors>& accumulated, const SolverDescription& solver);
/// For coordinates only: rates, forces and powers may have large errors for an instant after a jump.
std::vector<std::string> error_warnings(const CompiledModel& model, const MeasuredErrors& measured, double step);
/// `error_estimate` of summary.json; lines of the summary on a terminal.
nlohmann::ordered_json error_json(const std::optional<AccumulatedErrors>& accumulated, const std::optional<MeasuredErrors>& measured);
std::string error_text(const std::optional<AccumulatedErrors>& accumulated, const std::optional<MeasuredErrors>& measured);

}  // namespace trunnion
