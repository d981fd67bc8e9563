// The steps of a run, recorded: every step of the model's run whose way is not recorded yet is followed by the machine of recording
// numbers, which starts from the same state, so that the recording knows every way that the run takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/state.h"
#include "recording/recorder.h"

namespace trunnion {

struct RecordedSteps {
  recording::Recorder step;     // from a state to that after a step
  recording::Recorder restart;  // to its right limit after a jump
  std::array<std::unique_ptr<recording::Recorder>, 2>
      signals;  // that are inputs of both, at their right limits at the start, and left limits at the end of a step
  std::array<std::vector<recording::Input>, 2> inputs;  // these signals
  StateVector start;
  // of the runs
  long steps = 0;
  long others = 0;      // steps without a recording: subdivided, or not converged; they belong to the general step
  std::string failure;  // why one ended early; empty: none did
  /// The way of a step: its time at the start [s] and its last block, or one of these.
  enum : int { kNotRecorded = -1, kGeneral = -2 };
  struct Way {
    double time = 0;
    int end = kNotRecorded;
  };
  std::vector<Way> ways;  // of all steps, in their order
};
/// Called before each step of a run, with its time [s].
using RecordingProgress = std::function<void(double time, const RecordedSteps& run)>;

/// Numbers of the model file (schema/parameters.h) that are inputs of the recording.
struct RecordedParameters {
  std::vector<std::string> paths;
  /// Values of which the runs are recorded, too: a row has one for each path, in SI units.
  std::vector<std::vector<double>> rows;
};

/// How much of a run is recorded.
struct RecordedPart {
  long most_steps = std::numeric_limits<long>::max();  // from the start
  /// Of all ways that are recorded, each counted whole: beyond, steps on other ways remain without one.
  double most_operations = std::numeric_limits<double>::infinity();
  bool other_ways = true;  // also ways near those of the run: where rounding errors decide, and where other steps branched otherwise
};

/// Whether control blocks take samples or change modes, which StepLoop does between two steps.
bool changes_between_steps(const CompiledModel& model);

/// The model with `solver.compiled: off`.
std::shared_ptr<const CompiledModel> by_general_steps(const std::shared_ptr<const CompiledModel>& model);

/// Runs `given` from its start for its duration and records its steps; then, with other values of its parameters, again. Throws Error, with
/// the reason, for machines whose step cannot be recorded, and parameters that decide more than its numbers.
std::unique_ptr<RecordedSteps> record_run(const std::shared_ptr<const CompiledModel>& given, const RecordedPart& part = {},
                                          const RecordedParameters& parameters = {}, const RecordingProgress& progress = {});

}  // namespace trunnion
