// The partition of the coordinates over the steps of any integrator: read from the initial state of a step, kept while it fits, selected
// again at the end of a step otherwise, and, if a step fails in a loop, at its start for a second attempt.
// A singular configuration between two steps shows as a change of sign of a dependent block's determinant.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "solve/closed_loops.h"
#include "solve/stepper.h"

namespace trunnion {

template <int D>
class PartitionKeeper {
 public:
  PartitionKeeper(const CompiledModel& model, ClosedLoops<D>& loops)
      : model_(model), m_(std::get<Mechanism<D>>(model.mechanism)), loops_(loops), start_(m_.rows) {}

  /// Loads the partition of `state`, or selects one. `known`, if given: whether the state had one. False at a singular configuration.
  bool take(const StateVector& state, MechanismState<D>& scratch, bool* known = nullptr);
  /// Runs attempt(), which returns a StepOutcome, with the partition of `state`; repeats with another one if it fails in a loop that
  /// another one may pass.
  template <class Attempt>
  StepOutcome step(const StateVector& state, MechanismState<D>& scratch, Attempt&& attempt);
  /// At the end of a step, after constraint_rates(), `fit` the largest entry of R: writes the partition for the next step.
  /// False at a singular configuration.
  bool keep(double fit, const MechanismState<D>& end, double* partition, StepOutcome& report);
  /// Records a failure of the loops in the report.
  void fail(StepStatus status, StepOutcome& report) const;
  void fail(LoopStatus status, StepOutcome& report) const {
    fail(status == LoopStatus::open ? StepStatus::open_loop : StepStatus::singular_configuration, report);
  }

 private:
  bool choose_at(const StateVector& state, MechanismState<D>& scratch);
  auto rank_of(const double* partition) const { return m_.rows - std::count(partition, partition + m_.rows, 0.0); }

  const CompiledModel& model_;
  const Mechanism<D>& m_;
  ClosedLoops<D>& loops_;
  std::vector<double> start_;  // of the state a step starts from
};

template <int D>
template <class Attempt>
StepOutcome PartitionKeeper<D>::step(const StateVector& state, MechanismState<D>& scratch, Attempt&& attempt) {
  StepOutcome report;
  bool known = false;
  if (!take(state, scratch, &known)) {
    fail(StepStatus::singular_configuration, report);
    return report;
  }
  report = attempt();
  // a partition that fitted at the start of the previous step may no longer fit; another number of rows belongs to another machine
  if (known && (report.status == StepStatus::open_loop || report.status == StepStatus::singular_configuration))
    if (choose_at(state, scratch) && rank_of(start_.data()) == rank_of(state.partition()) &&
        !std::equal(start_.begin(), start_.end(), state.partition()))
      report = attempt();
  return report;
}

}  // namespace trunnion
