// Statistics of every step of a run: constraint violation, iterations, computing time. Used to compare formulations, like figures 11 to
// 14 of Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run/run.h"

namespace trunnion {

/// A row for each step, including split ones. Contains wall-clock times, which differ from run to run, unlike recorded channels.
class History final : public RunWatcher {
 public:
  /// `label` names the run in files; `step` [s] is the length of its steps.
  History(std::string label, double step) : label_(std::move(label)), step_(step) {}

  void at(const StepRecord& step) override;

  struct Row {
    double time;                           // [s] at the end of the step
    double violation, velocity_violation;  // [m, -] largest |Phi|, largest |dPhi/dt|
    int iterations, position_iterations;
    double step_seconds;  // [s] wall-clock time in steps since the start of the run; evenly shared between two readings of the clock
  };
  const std::vector<Row>& rows() const { return rows_; }
  const std::string& label() const { return label_; }
  double step() const { return step_; }

 private:
  std::string label_;
  double step_;
  std::vector<Row> rows_;
};

/// `time,penalty.violation,penalty.velocity_violation,penalty.iterations,penalty.position_iterations,...`: one row for each time at which
/// a step of any run ends; cells of runs without a step there are empty. Equal input gives equal bytes.
std::string history_csv(const std::vector<History>& runs);

/// `time,penalty.step_seconds,...` in the same rows: wall-clock times, which differ from run to run.
std::string history_times_csv(const std::vector<History>& runs);

}  // namespace trunnion
