// Steps of a machine in time: the grid of a run, jumps of signals and inputs, steps that are subdivided, and failures.
// Statistics, recording and files are added by its users (run/run.h, the public interface).
// The grid counts from time 0 and is found from the state's own time, so that a restored state continues bit for bit.
//   a jump of a signal on a grid point (within 1e-9 h): the step before sees the left limit, the step after the right one;
//   a jump inside a step splits it, unless solver.split_jumps is false;
//   where a force jumps, accelerations, rates and multipliers are recomputed at the right limit before the next step; where the rate of a
//   motion jumps, the velocities, too (run/motion_impulses.h);
//   where the mode of a control block changes inside a step, the step is repeated and ends there (run/switch_search.h), like one at a jump.
//   After several such ends within a grid step, the modes change at the end of its rest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "run/make_stepper.h"
#include "run/motion_impulses.h"
#include "run/sampler.h"
#include "run/switch_search.h"

namespace trunnion {

/// The times at which steps end.
class StepSchedule {
 public:
  explicit StepSchedule(const CompiledModel& model);
  /// Index of the last grid point at or before t.
  long grid_index(double t) const;
  bool on_grid(double t) const;
  /// The grid point after t; a jump or the end of the run on it (within 1e-9 h) defines its exact time.
  double grid_point_after(double t) const;
  /// The same, not beyond `end`; one equal to it up to rounding is the grid point.
  double grid_point_before(double t, double end) const {
    const double point = grid_point_after(t);
    return point > end + near(t) ? end : point;
  }
  /// The first instant after t that is not a regular point of the grid: a jump, or the end of the run; none: the largest number.
  double next_special(double t) const;
  /// The first jump that splits the step from t to `target`, or equals it up to rounding; otherwise `target`.
  double first_jump(double t, double target) const { return split_ && !jumps_.empty() ? jump_before(t, target) : target; }
  /// End of the step that starts at t, not beyond `end`.
  double next(double t, double end) const;
  /// Whether a run to `end` stops at t.
  bool reached(double t, double end) const { return t >= end - near(t); }
  /// Step length h such that t + h equals `target` to the last bit.
  double length(double t, double target) const;
  bool is_jump(double t) const { return std::binary_search(jumps_.begin(), jumps_.end(), t); }
  bool is_force_jump(double t) const { return std::binary_search(force_jumps_.begin(), force_jumps_.end(), t); }
  double step() const { return h_; }
  bool splits() const { return split_; }
  /// Whether rounding is all that a step of this length leaves of accelerations, which it divides by h^2.
  bool is_short(double length) const { return length < kShort * h_; }
  /// Closer times are equal.
  double near(double t) const { return std::max(near_, kTimeRounding * std::abs(t)); }

 private:
  static constexpr double kShort = 1e-4;
  static constexpr double kTimeRounding = 1e-15;  // relative rounding error of k h after very many steps

  double jump_before(double t, double target) const;

  double h_, per_step_, near_, duration_;
  bool split_;
  std::vector<double> jumps_, force_jumps_;
};

/// Receives the states inside a subdivided step, before its end.
class PartSink {
 public:
  virtual ~PartSink() = default;
  virtual void part(const StateVector& state, const StepOutcome& report) = 0;
  /// Number of parts received; drops those after the first `count`, which belong to an abandoned attempt.
  virtual std::size_t count() const = 0;
  virtual void drop_after(std::size_t count) = 0;
};

/// Sets input `number` of a state from now on: to `value`, or `value` + `slope` (t - now); limited to its range. With a largest rate the
/// input moves to `value` at that rate. No allocation.
void set_input(const CompiledModel& model, StateVector& state, int number, double value, double slope);

/// Whether a state has inputs that forces or pressure rates follow at once, and that were set since its last restart.
bool inputs_jumped(const StateVector& state);

class StepLoop {
 public:
  /// From a state with consistent rates.
  StepLoop(std::shared_ptr<const CompiledModel> model, StateVector start);

  const CompiledModel& model() const { return *model_; }
  const std::shared_ptr<const CompiledModel>& shared_model() const { return model_; }
  const StateVector& state() const { return state_; }
  /// The state before the last step, at its right limit, and that step's report; empty: there was none since the state was set.
  const StateVector& before() const { return last_; }
  const std::optional<StepOutcome>& last_step() const { return last_step_; }
  const StepSchedule& schedule() const { return schedule_; }
  Stepper& stepper() { return *stepper_; }
  const Stepper& stepper() const { return *stepper_; }

  /// Continues from another state of the same model. Throws Error for another layout.
  void restore(const StateVector& state);
  void set_input(int number, double value, double slope) { trunnion::set_input(*model_, state_, number, value, slope); }
  /// Value of an input now.
  double input(int number) const;

  /// Whether rates have to be recomputed before the next step: a force jumps here, or an input that forces or pressure rates follow
  /// at once.
  bool restart_due() const;
  /// The end of the step that starts at `time` if it is an ordinary one, that of any machine at this time whose inputs have not jumped:
  /// from a grid point to the next one, without a restart before it and a stop on its way.
  std::optional<double> ordinary_end(double time) const;
  /// Right limit at a jump. False: the mass matrix is singular on the constraints.
  bool restart();
  /// The point of the time grid after the present time, not beyond `end` (StepSchedule::grid_point_before).
  double grid_point_before(double end) const {
    return is_regular() && regular_.next <= end ? regular_.next : schedule_.grid_point_before(state_.time, end);
  }
  /// Advances to the end of the next step, not beyond `end`; includes no restart. If the report is not ok, or the state is not finite
  /// (not_finite()), state() is the last valid one. `parts` may be null. The report is valid until the next step or restore(). Throws CommandError.
  const StepOutcome& step(double end, PartSink* parts) { return step_within(grid_point_before(end), parts); }
  /// The same, where `end` is at most the next point of the time grid.
  const StepOutcome& step_within(double end, PartSink* parts);
  /// After a step: the quantity that was not finite; empty: all were.
  const std::string& not_finite() const { return not_finite_; }
  /// Why the last step or restart failed, with remedies.
  SimulationError failure() const;

 private:
  /// The present point of the grid and the next one. Steps before `limit`, at which a signal jumps or the run ends, are regular: from a
  /// point to the next, of the length of the grid.
  struct RegularSteps {
    double time, next, limit, index;
  };

  bool is_regular() const { return state_.time == regular_.time && regular_.next < regular_.limit; }
  void find_regular_steps();
  double next_stop(double target) const;
  void move_to_sample();
  StepOutcome step_to(double target, double length, int divisions, PartSink* parts);
  void settle(StepOutcome& report);
  void repeat_in_parts(double target, int divisions, PartSink* parts, StepOutcome& report);
  StepOutcome resolve(double target, PartSink* parts);
  StepOutcome step_to_switch(double target, PartSink* parts);
  std::string find_not_finite() const;
  const ControlBlock* find_wrong_block() const;
  std::string motions_here() const;
  /// Of the element or unknown `where`; `smaller`: words for a smaller step.
  SimulationError failure_of_step(const std::string& where, const std::string& smaller) const;

  std::shared_ptr<const CompiledModel> model_;
  StepSchedule schedule_;
  std::unique_ptr<Stepper> stepper_;
  std::unique_ptr<Sampler> sampler_;          // null: no sampled blocks or modes
  std::unique_ptr<MotionImpulses> impulses_;  // null: no motion's rate jumps
  std::unique_ptr<SwitchSearch> search_;      // null: no modes that change within steps
  StateVector begin_;                         // of a step that is repeated
  StateVector state_, last_, part_start_;     // last_: the last valid one; part_start_: of a subdivided step
  RegularSteps regular_{0, 0, -1, 0};
  StepOutcome failure_;
  double failed_length_ = 0;  // [s] of the step that failed: less than the schedule's before a jump and at the end of a run
  std::optional<StepOutcome> last_step_;
  std::string not_finite_;
  int divisions_ = 0;
  bool resolves_ = false;
  bool settles_ = false;      // accelerations begin anew after steps so short that rounding is all they have
  int switches_ = 0;          // steps of this grid step that ended where a mode changes
  bool from_switch_ = false;  // the next step begins there
  bool restart_failed_ = false;
  int failed_block_ = -1;  // the sampled block because of which
};

}  // namespace trunnion
