// A machine whose equations record themselves: the core, compiled with recording::Number (prelude.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recording/recorder.h"

namespace recording {

class RecordedMachine {
 public:
  /// From the compact form of a model (schema/compact.h); `parameters`: paths of numbers that are inputs of the recording and not folded
  /// in. The construction is then its preparation. Throws std::exception for what its step cannot be recorded for. `recording` outlives the
  /// machine.
  RecordedMachine(const std::string& compact, Recorder& recording, const std::vector<std::string>& parameters = {});
  ~RecordedMachine();
  RecordedMachine(const RecordedMachine&) = delete;
  RecordedMachine& operator=(const RecordedMachine&) = delete;

  /// Numbers of a state (model/state.h), without its time.
  int size() const;
  /// What a step reports (StepOutcome): results beyond the state's size().
  enum Report { iterations, position_iterations, violation, velocity_violation, penalty, penalty_limited, oil_rho, oil_euler, report_size };
  /// Follows the step of h [s] from a state of size() numbers at `time` [s], and adds its way to the recording, with the state and the
  /// report as results; the status with which the step ended. Throws std::runtime_error if that cannot be recorded. `turns`:
  /// Recorder::begin().
  int follow(const Real* state, Real time, Real h, std::vector<Recorder::Turn> turns = {});
  /// Follows the right limit after a jump at `time`: accelerations, rates and multipliers anew. The status: converged(), or another where
  /// the constraints determine no accelerations.
  int follow_restart(const Real* state, Real time);
  /// Follows the evaluation of signals at `time` as functions of time and of the machine's inputs, at the right limit, or at the left one
  /// for those at the end of a step.
  void follow_signals(const std::vector<Input>& signals, bool at_end, Real time);
  /// The status of a step that converged.
  static int converged();

 private:
  struct Machine;
  template <class Evaluation>
  int follow_from(const Real* state, Real time, Real h, std::vector<Recorder::Turn> turns, Evaluation&& evaluation);
  Recorder& recording_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace recording
