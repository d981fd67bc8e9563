// Steps of a machine in time: schedule, jumps, subdivided steps, error messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/step_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/finite.h"
#include "base/plain_number.h"
#include "base/scalar.h"
#include "cosimulation/cosimulation.h"
#include "description/integrators.h"
#include "solve/right_limit.h"

namespace trunnion {

namespace {

constexpr double kSame = 1e-9;                                   // relative to a step: closer times are equal
constexpr double kFarAway = std::numeric_limits<double>::max();  // states are finite
constexpr double kApart = 1e-2;                                  // relative to the length of a step: those whose margins give a rate
constexpr int kMostSwitches = 16;                                // of modes within a grid step, at instants of their own

/// Converts to what a function returns, constructed where it is needed.
template <class Function>
struct InPlace {
  Function make;
  operator std::invoke_result_t<Function>() const { return make(); }  // NOLINT(google-explicit-constructor): its purpose
};
template <class Function>
InPlace(Function) -> InPlace<Function>;

}  // namespace

// ---------------------------------------------------------------- schedule

StepSchedule::StepSchedule(const CompiledModel& model)
    : h_(grid_step(model.description)),
      per_step_(1 / h_),
      near_(kSame * h_),
      duration_(model.description.solver.duration),
      split_(model.description.solver.split_jumps),
      jumps_(model.jumps),
      force_jumps_(model.force_jumps) {}

long StepSchedule::grid_index(double t) const { return static_cast<long>(std::floor((t + near(t)) * per_step_)); }

bool StepSchedule::on_grid(double t) const { return std::abs(t - std::round(t / h_) * h_) <= near(t); }

double StepSchedule::grid_point_after(double t) const {
  const double point = static_cast<double>(grid_index(t) + 1) * h_;
  if (!jumps_.empty()) {
    const auto jump = std::lower_bound(jumps_.begin(), jumps_.end(), point - near(t));
    if (jump != jumps_.end() && *jump <= point + near(t)) return *jump;
  }
  return std::abs(point - duration_) <= near(t) ? duration_ : point;
}

double StepSchedule::jump_before(double t, double target) const {
  const auto jump = std::upper_bound(jumps_.begin(), jumps_.end(), t + near(t));
  return jump != jumps_.end() && *jump <= target + near(t) ? *jump : target;
}

double StepSchedule::next_special(double t) const {
  const double after = t + near(t);
  const auto jump = std::upper_bound(jumps_.begin(), jumps_.end(), after);
  const double end = duration_ > after ? duration_ : kFarAway;
  return jump != jumps_.end() ? std::min(end, *jump) : end;
}

double StepSchedule::next(double t, double end) const {
  const double target = first_jump(t, grid_point_after(t));
  return target > end + near(t) ? end : target;
}

double StepSchedule::length(double t, double target) const {
  const double k = std::floor(target * per_step_ + 0.5);
  if (!kTangents && target == k * h_ && std::abs(t - (k - 1) * h_) <= near(t) && !is_jump(target)) return h_;
  // the step must not look across a jump by a rounding error
  double h = target - t;
  while (t + h > target) h = std::nextafter(h, 0.0);
  while (t + h < target) h = std::nextafter(h, 2 * h);
  return h;
}

// ---------------------------------------------------------------- steps

void set_input(const CompiledModel& model, StateVector& state, int number, double value, double slope) {
  const InputRange& range = model.signals.input(number);
  double* const numbers = state.inputs() + static_cast<std::ptrdiff_t>(number) * InputCourse::kSize;
  const bool direct = model.direct_inputs[static_cast<std::size_t>(number)], limited = std::isfinite(range.rate);
  double now = 0;  // its value, if that matters
  if (direct || limited) now = signals_at(model, state).value(model.signals.first_input() + number, state.time, Side::right);
  InputCourse course{InputCourse::kSet, state.time, std::clamp(value, range.min, range.max), slope, slope > 0 ? kFarAway : -kFarAway};
  if (limited) {
    course.target = course.value;
    course.value = now;
    course.slope = course.target > now ? range.rate : course.target < now ? -range.rate : 0;
  }
  if (*numbers == InputCourse::kJumped || (direct && course.value != now)) course.set = InputCourse::kJumped;
  course.write(numbers);
}

StepLoop::StepLoop(std::shared_ptr<const CompiledModel> model, StateVector start)
    : model_(std::move(model)),
      schedule_(*model_),
      stepper_(make_stepper(model_)),
      sampler_(make_sampler(model_)),
      impulses_(make_motion_impulses(model_)),
      state_(std::move(start)),
      last_(state_),
      part_start_(state_) {
  const SolverDescription& solver = model_->description.solver;
  if (solver.coupling == CouplingKind::monolithic && !solver.accept_capped) divisions_ = solver.divisions;
  settles_ = solver.coupling == CouplingKind::monolithic && integrator_of(solver).has_fixed_step();
  resolves_ = solver.coupling == CouplingKind::monolithic && integrator_of(solver).is_implicit() &&
              solver.oil_rule == OilRuleKind::automatic && !solver.accept_capped && !model_->hydraulics.volumes.empty();
  if (sampler_ && sampler_->has_modes() && schedule_.splits()) {
    search_ = std::make_unique<SwitchSearch>(model_->hydraulics.control.size());
    begin_ = state_;
  }
}

void StepLoop::restore(const StateVector& state) {
  if (!(state.layout() == model_->layout)) throw Error("the saved state belongs to another model");
  state_ = state;
  last_step_.reset();
  switches_ = 0;
  from_switch_ = restart_failed_ = false;
  failed_block_ = -1;
  not_finite_.clear();
}

double StepLoop::input(int number) const {
  return signals_at(*model_, state_).value(model_->signals.first_input() + number, state_.time, Side::right);
}

bool inputs_jumped(const StateVector& state) {
  const double* const end = state.inputs() + state.layout().inputs;
  for (const double* set = state.inputs(); set != end; set += InputCourse::kSize)
    if (*set == InputCourse::kJumped) return true;
  return false;
}

bool StepLoop::restart_due() const {
  return inputs_jumped(state_) || (state_.time > 0 && schedule_.is_force_jump(state_.time)) ||
         (sampler_ && sampler_->due(schedule_.near(state_.time), state_));
}

std::optional<double> StepLoop::ordinary_end(double time) const {
  if (sampler_ || (time > 0 && schedule_.is_force_jump(time))) return std::nullopt;
  const double end = schedule_.grid_point_after(time);
  if (schedule_.first_jump(time, end) != end || schedule_.length(time, end) != schedule_.step()) return std::nullopt;
  return end;
}

/// The first time up to `target` at which a step ends: a jump or a sample.
double StepLoop::next_stop(double target) const {
  target = schedule_.first_jump(state_.time, target);
  if (!sampler_ || !schedule_.splits()) return target;
  const double sample = next_sample(model_->hydraulics, state_.y());
  // with derivatives, a sample on a point of the grid moves that end of the step, but not a jump (move_to_sample)
  const double near = schedule_.near(target);
  return sample < (kTangents && !schedule_.is_jump(target) ? target + near : target - near) ? sample : target;
}

/// At a jump, before a sample at the same time, whose time has other derivatives: moves the state along by the difference.
void StepLoop::move_to_sample() {
  const double sample = next_sample(model_->hydraulics, state_.y()), time = plain_number(state_.time) + (sample - plain_number(sample)),
               ahead = time - state_.time;
  if (ahead == 0 || !stepper_->restart(state_)) return;
  std::vector<double> moved(static_cast<std::size_t>(model_->layout.nv)), q(state_.q(), state_.q() + model_->layout.nq);
  for (int v = 0; v < model_->layout.nv; ++v) {
    moved[static_cast<std::size_t>(v)] = ahead * state_.v()[v];
    state_.v()[v] += ahead * state_.a()[v];
  }
  for (int i = 0; i < model_->layout.ny; ++i) state_.y()[i] += ahead * state_.ydot()[i];
  std::visit([&](const auto& m) { advance_configuration(m.tree, q.data(), moved.data(), state_.q()); }, model_->mechanism);
  state_.time = time;
}

/// The start state already is a right limit.
bool StepLoop::restart() {
  set_signal_spools(*model_, state_);
  if (kTangents && sampler_ && schedule_.is_jump(state_.time) &&
      sample_due(model_->hydraulics, state_.y(), state_.time, schedule_.near(state_.time)))
    move_to_sample();
  if (sampler_ && sampler_->due(schedule_.near(state_.time), state_)) failed_block_ = sampler_->sample(schedule_.near(state_.time), state_);
  restart_failed_ = failed_block_ >= 0;
  if (restart_failed_) return false;
  double* const end = state_.inputs() + state_.layout().inputs;
  for (double* set = state_.inputs(); set != end; set += InputCourse::kSize)
    if (*set == InputCourse::kJumped) *set = InputCourse::kSet;
  restart_failed_ = (impulses_ && !impulses_->pass(state_)) || !stepper_->restart(state_);
  return !restart_failed_;
}

const StepOutcome& StepLoop::step_within(double end, PartSink* parts) {
  last_ = state_;
  const bool regular = is_regular() && end == regular_.next;
  const double target = regular && !sampler_ ? end : next_stop(end);
  const double length = regular && target == end ? schedule_.step() : schedule_.length(state_.time, target);
  not_finite_.clear();
  last_step_.reset();
  const StepOutcome& report =
      last_step_.emplace(InPlace{[&] { return search_ ? step_to_switch(target, parts) : step_to(target, length, divisions_, parts); }});
  if (search_ && schedule_.reached(state_.time, end)) switches_ = 0;  // a run continued from here has none, either
  if (report.ok() && all_finite(state_.values())) {
    if (regular && state_.time == regular_.next)
      regular_ = {regular_.next, (regular_.index + 2) * schedule_.step(), regular_.limit, regular_.index + 1};
    else
      find_regular_steps();
    return report;
  }
  failure_ = report;
  failed_length_ = length;
  last_step_.reset();
  if (failure_.ok()) {
    not_finite_ = find_not_finite();
    state_ = last_;
  }
  return failure_;
}

/// At a point of the grid, of the steps that follow.
void StepLoop::find_regular_steps() {
  const double h = schedule_.step(), t = state_.time, index = std::round(t / h);
  if (kTangents || t != index * h) return;
  const double special = schedule_.next_special(t);
  regular_ = {t, (index + 1) * h, special - 2 * schedule_.near(special), index};
}

/// A step to `target`; if that fails, in parts.
StepOutcome StepLoop::step_to(double target, double length, int divisions, PartSink* parts) {
  StepOutcome report = stepper_->step(state_, length);
  if (!report.ok()) {
    repeat_in_parts(target, divisions, parts, report);
    return report;
  }
  state_.time = target;
  if (settles_ && schedule_.is_short(length)) settle(report);
  return report;
}

/// After a step so short that rounding is all that it leaves of accelerations and multipliers. Where a force jumps they are recorded, and begin
/// anew in any case: there they stay.
void StepLoop::settle(StepOutcome& report) {
  if (!schedule_.is_force_jump(state_.time)) {
    if (!stepper_->restart(state_)) report.status = StepStatus::singular;
    return;
  }
  std::copy_n(last_.a(), model_->layout.nv, state_.a());
  std::copy_n(last_.multipliers(), model_->layout.rows, state_.multipliers());
}

/// After a step to `target` with this report, from the same state: subdivided (resolve) where pressures jump or Newton's method does not
/// converge; if that fails, in two halves, recursively.
void StepLoop::repeat_in_parts(double target, int divisions, PartSink* parts, StepOutcome& report) {
  const auto failed_to_converge = [](const StepOutcome& r) { return r.status == StepStatus::stalled || r.status == StepStatus::diverged; };
  if (resolves_ && (report.status == StepStatus::unresolved || (failed_to_converge(report) && divisions_ > 0))) {
    part_start_ = state_;
    const std::size_t kept = parts != nullptr ? parts->count() : 0;
    report = resolve(target, parts);
    if (report.ok()) return;
    state_ = part_start_;
    if (parts != nullptr) parts->drop_after(kept);
  }
  if (divisions == 0 || !failed_to_converge(report)) return;
  const auto step_in_part = [&](double end) { return step_to(end, schedule_.length(state_.time, end), divisions - 1, parts); };
  const StepOutcome first = step_in_part(state_.time + (target - state_.time) / 2);
  if (!first.ok()) {
    report = first;
    return;
  }
  if (parts != nullptr) parts->part(state_, first);
  last_ = state_;
  report = step_in_part(target);
  report.parts += first.parts;
  report.add(first);
}

/// A step to `target`, or to the first instant before it at which a mode changes.
StepOutcome StepLoop::step_to_switch(double target, PartSink* parts) {
  SwitchSearch& search = *search_;
  begin_ = state_;
  const std::size_t kept = parts != nullptr ? parts->count() : 0;
  const bool from_switch = std::exchange(from_switch_, false);
  const auto step_until = [&](double end) { return step_to(end, schedule_.length(state_.time, end), divisions_, parts); };
  StepOutcome report = step_until(target);
  report.switched = from_switch;
  report.late_block = -1;
  if (!report.ok() || !sampler_->find_margins(state_, Side::left, search.high_margins())) return report;
  sampler_->find_margins(begin_, Side::right, search.low_margins());
  const double grid = schedule_.step(), near = schedule_.near(target), whole = plain_number(target) - plain_number(begin_.time);
  const double close = std::max(SwitchSearch::kClose * grid, SwitchSearch::kClose / kSame * near);
  const bool starts = search.begin(whole, close, std::max(SwitchSearch::kShortest * grid, 2 * near));
  if (!starts || switches_ >= kMostSwitches) {
    const double* const margin = search.high_margins();
    while (margin[++report.late_block] > 0) continue;
    return report;
  }
  int iterations = 0;  // of all attempts but the last
  double length = whole;
  const auto repeat = [&](double next) {
    iterations += report.iterations + report.part_iterations;
    length = next;
    state_ = begin_;
    last_ = begin_;
    if (parts != nullptr) parts->drop_after(kept);
    report = step_until(next == whole ? target : begin_.time + next);
    report.switched = from_switch;
    report.late_block = -1;
    return report.ok();
  };
  std::optional<double> next;
  while ((next = search.next()) && repeat(*next)) {
    sampler_->find_margins(state_, Side::left, search.tried_margins());
    search.tried(*next);
  }
  if (!report.ok()) {  // the whole step did not fail
    repeat(whole);
    report.late_block = search.block();
  } else {
    double found = search.found();
    if (kTangents && search.crossed() && found < whole) {
      // the crossing moves with what the margin depends on, by the margin's rate: Newton's step, which has no length but derivatives
      const double apart = kApart * found;
      double margin[3];
      for (int k = 2; k >= 0; --k) {
        repeat(found - k * apart);
        sampler_->find_margins(state_, Side::left, search.tried_margins());
        margin[k] = search.tried_margins()[search.block()];
      }
      const double rate = plain_number((3 * margin[0] - 4 * margin[1] + margin[2]) / (2 * apart));
      if (report.ok() && rate < 0) found -= (margin[0] - plain_number(margin[0])) / rate;
    }
    if (kTangents || length != found) repeat(found);
    report.switched = from_switch_ = true;
    ++switches_;
  }
  report.part_iterations += iterations;
  return report;
}

/// A subdivided step to `target`: first the oil alone for a short time, then the whole machine in growing steps. If one of these is too
/// long for the oil, it is shortened; if the shortest fails, the oil alone again.
StepOutcome StepLoop::resolve(double target, PartSink* parts) {
  constexpr int kShortest = 64, kMostParts = 1000;
  const double whole = target - state_.time, shortest = model_->layout.nv == 0 ? whole : whole / kShortest;
  double length = shortest;
  bool oil_alone = true;
  StepOutcome sum, report;
  const auto part = [&](const StepOutcome& of) {
    if (parts != nullptr) parts->part(state_, of);
    last_ = state_;
  };
  for (int i = 0;; ++i) {
    const double left = target - state_.time;
    const bool last = (oil_alone ? shortest : length) > left - shortest / 2;
    const double end = last ? target : state_.time + (oil_alone ? shortest : length), h = schedule_.length(state_.time, end);
    if (oil_alone) {
      report = stepper_->step_oil(state_, h, part);
    } else {
      report = stepper_->step(state_, h);
      if (report.status == StepStatus::unresolved && i > kMostParts) {
        stepper_->accept(state_);
        report.status = StepStatus::converged;
      }
    }
    sum.add(report);
    if (report.ok()) {
      state_.time = end;
      length = oil_alone ? shortest : 2 * h;
      oil_alone = false;
      if (last) break;
      part(report);
    } else if (oil_alone || i > kMostParts ||
               (report.status != StepStatus::unresolved && report.status != StepStatus::stalled && report.status != StepStatus::diverged)) {
      return report;
    } else if (h > 1.01 * shortest) {
      length = std::max(shortest, h / 4);
    } else {
      oil_alone = true;
    }
  }
  const StepStatus status = report.status;
  const int iterations = report.iterations;
  report.add(sum);
  report.part_iterations = sum.part_iterations + sum.iterations - iterations;
  report.iterations = iterations;
  report.position_iterations = sum.position_iterations;
  report.status = status;
  report.resolved = true;
  return report;
}

/// The first non-finite value of the state.
std::string StepLoop::find_not_finite() const {
  const StateLayout& layout = model_->layout;
  const auto wrong = [](double value) { return !std::isfinite(value); };
  const auto name = [&](const double* values, const std::vector<std::string>& names) -> std::string {
    const double* at = std::find_if(values, values + names.size(), wrong);
    return at == values + names.size() ? "" : names[static_cast<std::size_t>(at - values)];
  };
  if (std::string found = name(state_.y(), model_->state_names); !found.empty()) return found;
  if (std::string found = name(state_.v(), model_->velocity_names); !found.empty()) return found;
  if (std::string found = name(state_.a(), model_->velocity_names); !found.empty()) return "the acceleration of " + found;
  if (std::string found = name(state_.ydot(), model_->state_names); !found.empty()) return "the rate of " + found;
  for (const ConstraintInfo& info : model_->constraints)
    if (std::any_of(state_.multipliers() + info.rows.begin, state_.multipliers() + info.rows.end, wrong))
      return "the multipliers of " + info.path;
  return std::any_of(state_.q(), state_.q() + layout.nq, wrong) ? "the positions" : "the coupling";
}

/// A control block whose value or rates are not finite at the state; where the failure has no cause of its own, at the end of a step from
/// there; null: none.
[[gnu::cold]] const ControlBlock* StepLoop::find_wrong_block() const {
  const auto& blocks = model_->hydraulics.control;
  if (blocks.empty()) return nullptr;
  const auto sampler = make_any_sampler(model_);
  const StepStatus status = failure_.status;
  const bool unexplained = !not_finite_.empty() || status == StepStatus::diverged || status == StepStatus::singular ||
                           status == StepStatus::unstable || status == StepStatus::gave_up;
  int found = -1;
  try {
    found = sampler->not_finite(state_, 0);
    if (found < 0 && unexplained) found = sampler->not_finite(state_, schedule_.step());
  } catch (const Error&) {}  // what ended the step is told
  return found < 0 ? nullptr : &blocks[static_cast<std::size_t>(found)];
}

/// Prescribed motions that may be out of reach: only if the mechanism has other constraints.
std::string StepLoop::motions_here() const {
  std::string text;
  std::visit(
      [&](const auto& m) {
        if (m.constraints.size() <= m.motions.size()) return;
        for (const PrescribedMotion& motion : m.motions)
          text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", motion.name,
                              signals_at(*model_, state_).value(motion.signal, state_.time, Side::left));
      },
      model_->mechanism);
  return text.empty() ? "" : "motions within reach of the mechanism (here " + text + "), ";
}

[[gnu::cold]] SimulationError StepLoop::failure() const {
  const SolverDescription& solver = model_->description.solver;
  const bool apart = solver.coupling == CouplingKind::cosimulation;
  const CosimulationDescription& coupling = model_->description.coupling;
  const std::string smaller = !apart ? fmt::format("a smaller step (now {:g} s)", failed_length_)
                                     : fmt::format("a smaller coupling.step (now {:g} s)", failed_length_) +
                                           (coupling.scheme == CouplingScheme::sequential ? "" : ", coupling.scheme: sequential");
  if (failed_block_ >= 0)
    return SimulationError(state_.time, "control." + model_->hydraulics.control[failed_block_].name,
                           "its states at the sample have no solution by backward differences",
                           "a shorter `period`, or another controller: an unstable state grows without limit within a period");
  if (restart_failed_)
    return SimulationError(state_.time, "accelerations after a jump", "the mass matrix is singular on the constraints",
                           "give every rotating body an inertia about its axis");
  if (const ControlBlock* block = find_wrong_block()) return not_finite_block(*model_, *block, state_.time, "in the step that follows");
  if (!not_finite_.empty())
    return SimulationError(state_.time, not_finite_, "the next step leads to a value that is not finite",
                           smaller + ", or check the model for very large or very small numbers");
  const std::string where = stepper_->unknown_name(failure_.worst);
  if (where.starts_with(kCouplingVariable))
    return SimulationError(state_.time, where, fmt::format("the subsystems do not agree after {} passes", failure_.iterations),
                           smaller +
                               ", more passes (coupling.max_iterations), a larger coupling.tolerance, or solver.accept_capped: true to "
                               "continue and count such steps");
  if (failure_.status == StepStatus::below_vacuum)
    return SimulationError(
        state_.time, where, "an explicit step takes the pressure below vacuum: more oil is drawn from this volume than it holds",
        (apart ? "coupling.hydraulics.integrator: trapezoidal, a smaller coupling.hydraulics.step, " : "solver.integrator: trapezoidal, ") +
            smaller + ", a suction check valve from the tank, or a larger volume");
  if (apart && failure_.longest_step > 0)
    return SimulationError(state_.time, where, "the explicit step is too long: it is unstable",
                           fmt::format("steps below {:.2g} s (coupling.hydraulics.step of the oil, coupling.step of the mechanism), or "
                                       "trapezoidal integrators, which are stable at any step",
                                       failure_.longest_step));
  if (apart && (failure_.status == StepStatus::unstable || failure_.status == StepStatus::diverged))
    return SimulationError(state_.time, where, "the values left their valid range: the coupling or an explicit step is unstable",
                           smaller + ", a smaller coupling.hydraulics.step, or implicit integrators (trapezoidal) for the subsystems");
  return failure_of_step(where, smaller);
}

[[gnu::cold]] SimulationError StepLoop::failure_of_step(const std::string& where, const std::string& smaller) const {
  const SolverDescription& solver = model_->description.solver;
  const std::string reach = motions_here();
  switch (failure_.status) {
    case StepStatus::stalled:
      if (solver.constraints == ConstraintKind::ali1)
        return SimulationError(state_.time, where, fmt::format("the multipliers did not converge in {} iterations", solver.max_iterations),
                               (solver.ali1.alpha.value ? std::string("solver.ali1.alpha: auto, ") : "") +
                                   "more iterations (solver.max_iterations), or solver.accept_capped: true to continue and count such "
                                   "steps");
      return SimulationError(state_.time, where, fmt::format("no convergence in {} iterations", failure_.iterations),
                             (failure_.penalty_limited ? std::string("solver.penalty: auto, ") : "") + reach + smaller +
                                 ", more iterations (solver.max_iterations), or solver.accept_capped: true to continue and count such "
                                 "steps");
    case StepStatus::end_of_stroke:
      return SimulationError(state_.time, where, "the piston leaves its cylinder",
                             "an end damper (end_damper), longer chambers (chamber_length_A, chamber_length_B; of a motor chamber_angle_A, "
                             "chamber_angle_B), commands that stop earlier, or, if this stroke is not expected, " +
                                 smaller);
    case StepStatus::wheel_singular:
      return SimulationError(state_.time, where, "the wheel falls flat on its plane, where a thin disc has no contact point",
                             "a start with more speed, or a shorter duration");
    case StepStatus::open_loop:
      return SimulationError(state_.time, where, "the loop cannot be closed: dependent positions not found",
                             smaller + ", or solver.constraints: penalty with solver.integrator: trapezoidal, which passes dead points");
    case StepStatus::singular_configuration:
      return SimulationError(
          state_.time, where,
          "the constraint is at or near a singular configuration (dead point): it does not determine its dependent coordinates",
          "solver.constraints: penalty with solver.integrator: trapezoidal, which passes dead points, or a motion that "
          "avoids it");
    case StepStatus::unstable:
      return SimulationError(state_.time, where, "the explicit step is too long: it is unstable",
                             smaller + (failure_.longest_step > 0 ? fmt::format(", below {:.2g} s", failure_.longest_step) : "") +
                                 ", or solver.integrator: trapezoidal, which is stable at any step; stiff oil and friction need it");
    case StepStatus::gave_up:
      return SimulationError(state_.time, where, "the variable-step integrator failed",
                             fmt::format("a larger solver.reference_tolerance (now {:g}), or check the model with solver.integrator: "
                                         "trapezoidal",
                                         solver.reference_tolerance));
    case StepStatus::diverged:
      return SimulationError(state_.time, where, "the iteration diverged",
                             reach + smaller + ", or check start pressures, stiffnesses and the units of the model");
    default:
      return SimulationError(state_.time, where, "the equations of the step have no unique solution",
                             smaller + ", or check for bodies without inertia, volumes of zero size, and a mechanism at a dead point");
  }
}

}  // namespace trunnion
