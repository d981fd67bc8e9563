// An implicit step of the whole machine: a rule, a treatment of the constraints and Newton's method, put together.
// A treatment keeps a reference to the step in progress and has
//   restart(state)               accelerations, rates and multipliers at the right limit of the signals
//   repeat(state, attempt)       runs attempt(), again with another partition of the coordinates where it has one
//   begin(report)                the machine at the predictor of a stage; false: unreachable
//   increment(i, report)         i-th linear solve; adds the increments; the largest over its tolerance, empty: singular
//   arrive(last, capped, report) the machine at the new unknowns (base/newton.h)
//   finish(report)               the end of a converged step: projections, partition, checks
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "base/newton.h"
#include "solve/machine_step.h"

namespace trunnion {

template <int D, template <int> class Treatment>
class ImplicitStepper final : public Stepper {
 public:
  /// `settings`: further arguments of the treatment.
  template <class... Settings>
  explicit ImplicitStepper(std::shared_ptr<const CompiledModel> model, Settings... settings)
      : step_(std::move(model)), treatment_(step_, settings...) {}

  StepOutcome step(StateVector& state, double h) override {
    return step_.commit(treatment_.repeat(state, [&] { return attempt(state, h); }), state);
  }
  bool restart(StateVector& state) override { return treatment_.restart(state); }
  void accept(StateVector& state) override { state = step_.next; }
  StepOutcome step_oil(StateVector& state, double h, const std::function<void(const StepOutcome&)>& part) override {
    return step_.step_oil(state, h, part);
  }
  std::string unknown_name(int unknown) const override { return name_of_unknown(*step_.model, unknown); }

 private:
  StepOutcome attempt(const StateVector& state, double h) {
    StepOutcome report;
    step_.begin(state, h);
    for (int stage = 1; stage < step_.stages(); ++stage) {
      if (!solve_stage(stage, report)) return report;
      step_.keep_stage(stage);
    }
    if (solve_stage(step_.stages(), report)) treatment_.finish(report);
    return report;
  }

  bool solve_stage(int stage, StepOutcome& report) {
    const SolverDescription& solver = step_.model->description.solver;
    step_.begin_stage(stage);
    if (!treatment_.begin(report)) return false;
    step_.last_iteration = report.iterations + solver.max_iterations;
    const NewtonVerdict verdict = newton(
        step_.last_iteration, report.iterations, [&](int i) { return treatment_.increment(i, report); },
        [&](bool last, bool capped) { return treatment_.arrive(last, capped, report); });
    if (verdict != NewtonVerdict::interrupted && verdict != NewtonVerdict::converged)
      report.status = status_of(verdict, solver.accept_capped);
    return report.ok();
  }

  MachineStep<D> step_;
  Treatment<D> treatment_;
};

}  // namespace trunnion
