// How far a run may be off its equations, in shares of what moved:
//   accumulated    the sums of local errors that the steps themselves tell (run/local_errors.h); of every monolithic run
//   measured       2^p/(2^p - 1) of the difference from a second run with half the step, p the order of the rule, channel by channel
// Above 1 % of a coordinate's range either is a warning that says with which step it would be below.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/recording.h"

namespace trunnion {

/// The channel that is worst off.
struct WorstError {
  std::string channel;
  std::string unit;
  double error = 0;    // in that unit
  double percent = 0;  // of the channel's range
};

struct AccumulatedErrors {
  WorstError coordinate;  // summed over the run
  WorstError persistent;  // the worst of those whose error is also persistent: what is warned of; none: empty
  WorstError pressure;    // the largest of a step
};
/// None of a co-simulation.
std::optional<AccumulatedErrors> accumulated_errors(const Model& model, const RunStatistics& statistics);

struct MeasuredErrors {
  double step = 0;                   // [s] of the second run
  int order = 2;                     // of the rule
  std::vector<WorstError> channels;  // that moved and were recorded, in their order
  const WorstError* worst() const;
};
/// Of a run and one with half its step, by a rule of that order; times that only one of them has do not count.
MeasuredErrors measured_errors(const Recording& run, const Recording& halved, double step, int order);

/// The step that would bring an error of `percent` below 1 %: 1, 2 or 5 times a power of ten [s].
double step_for(double step, double percent, int order);

/// Of the integrator where steps have a fixed length; otherwise 0.
int order_of(const SolverDescription& solver);

std::vector<std::string> error_warnings(const std::optional<AccumulatedErrors>& accumulated, const SolverDescription& solver);
/// Of coordinates alone: rates, forces and powers may be far off for an instant, after a jump.
std::vector<std::string> error_warnings(const Model& model, const MeasuredErrors& measured, double step);
/// `error_estimate` of summary.json; lines of the summary on a terminal.
nlohmann::ordered_json error_json(const std::optional<AccumulatedErrors>& accumulated, const std::optional<MeasuredErrors>& measured);
std::string error_text(const std::optional<AccumulatedErrors>& accumulated, const std::optional<MeasuredErrors>& measured);

}  // namespace trunnion
