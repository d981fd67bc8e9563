// Time stepping of a run: grid, jumps, subdivided steps, statistics and error messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <optional>

#include "base/finite.h"
#include "cosimulation/cosimulation.h"
#include "hydraulics/quasistatic/command_error.h"
#include "machine/start.h"

namespace trunnion {

namespace {

constexpr double kSame = 1e-9;           // relative to a step: closer times are equal
constexpr double kTimeRounding = 1e-15;  // relative rounding error of k h after very many steps
constexpr std::size_t kBlock = 64;       // steps between two readings of the clock

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Processor time [s] of this thread.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

// ---------------------------------------------------------------- schedule

StepSchedule::StepSchedule(const Model& model)
    : h_(grid_step(model.description)),
      duration_(model.description.solver.duration),
      split_(model.description.solver.split_jumps),
      jumps_(model.jumps),
      force_jumps_(model.force_jumps) {}

double StepSchedule::near(double t) const { return std::max(kSame * h_, kTimeRounding * std::abs(t)); }

long StepSchedule::grid_index(double t) const { return static_cast<long>(std::floor((t + near(t)) / h_)); }

bool StepSchedule::on_grid(double t) const { return std::abs(t - std::round(t / h_) * h_) <= near(t); }

double StepSchedule::grid_point_after(double t) const {
  const double point = static_cast<double>(grid_index(t) + 1) * h_;
  const auto jump = std::lower_bound(jumps_.begin(), jumps_.end(), point - near(t));
  if (jump != jumps_.end() && *jump <= point + near(t)) return *jump;
  return std::abs(point - duration_) <= near(t) ? duration_ : point;
}

bool StepSchedule::reached(double t, double end) const { return t >= end - near(t); }

double StepSchedule::next(double t, double end) const {
  double target = grid_point_after(t);
  if (split_) {
    const auto jump = std::upper_bound(jumps_.begin(), jumps_.end(), t + near(t));
    if (jump != jumps_.end()) target = std::min(target, *jump);
  }
  return target > end + near(t) ? end : target;
}

double StepSchedule::length(double t, double target) const {
  if (on_grid(t) && target == static_cast<double>(grid_index(t) + 1) * h_ && !is_jump(target)) return h_;
  // the step must not look across a jump by a rounding error
  double h = target - t;
  while (t + h > target) h = std::nextafter(h, 0.0);
  while (t + h < target) h = std::nextafter(h, 2 * h);
  return h;
}

bool StepSchedule::is_jump(double t) const { return std::binary_search(jumps_.begin(), jumps_.end(), t); }

bool StepSchedule::is_force_jump(double t) const { return std::binary_search(force_jumps_.begin(), force_jumps_.end(), t); }

// ---------------------------------------------------------------- run

Interrupted::Interrupted(double time, int signal)
    : SimulationError(time, "",
                      fmt::format("the run was interrupted ({})", signal == SIGINT    ? "SIGINT"
                                                                  : signal == SIGTERM ? "SIGTERM"
                                                                                      : "a signal"),
                      ""),
      signal_(signal) {}

Runner::Runner(const std::shared_ptr<const Model>& model) : Runner(model, start_state(*model)) {}

Runner::Runner(std::shared_ptr<const Model> model, State start)
    : model_(std::move(model)),
      schedule_(*model_),
      stepper_(make_stepper(model_)),
      state_(std::move(start)),
      watch_(*model_),
      block_(2 * kBlock, Kept{State(model_->layout), {}, Side::left, false}),
      dependent_(static_cast<std::size_t>(model_->layout.nv)) {
  const SolverDescription& solver = model_->description.solver;
  if (solver.coupling == CouplingKind::monolithic && !solver.accept_capped) divisions_ = solver.divisions;
  resolves_ = solver.coupling == CouplingKind::monolithic && solver.integrator == IntegratorKind::trapezoidal &&
              solver.oil_rule == OilRuleKind::automatic && !solver.accept_capped && !model_->hydraulics.volumes.empty();
  statistics_.histogram.assign(static_cast<std::size_t>(model_->description.solver.max_iterations) + 1, 0);
  statistics_.cavitation.resize(model_->hydraulics.volumes.size());
  statistics_.alternation.resize(model_->hydraulics.volumes.size());
  statistics_.incidents = watch_.nothing();
  statistics_.local_errors = LocalErrors(*model_);
  statistics_.local_errors.begin(state_);
  watch_.begin(state_);
  for (auto* list : {&statistics_.independent, &independent_}) list->reserve(static_cast<std::size_t>(model_->layout.nv));
}

void Runner::restore(const State& state) {
  if (!(state.layout() == model_->layout)) throw Error("the saved state belongs to another model");
  state_ = state;
  statistics_.local_errors.begin(state_);
  watch_.begin(state_);
}

/// Right limit at a force jump; the start state already is one.
bool Runner::restart() {
  for (const Spool& spool : model_->hydraulics.spools)
    if (spool.follows()) state_.y()[spool.state] = model_->signals.value(spool.signal, state_.time, Side::right);
  return stepper_->restart(state_);
}

/// A step to `target`; subdivided (resolve) where pressures jump or Newton's method does not converge; if that fails, in two halves,
/// recursively.
StepReport Runner::step_to(double target, int divisions) {
  const auto failed_to_converge = [](const StepReport& r) { return r.status == StepStatus::stalled || r.status == StepStatus::diverged; };
  StepReport report = stepper_->step(state_, schedule_.length(state_.time, target));
  if (resolves_ && (report.status == StepStatus::unresolved || (failed_to_converge(report) && divisions_ > 0))) {
    part_start_ = state_;
    const std::size_t used = used_;
    const StepReport resolved = resolve(target);
    if (resolved.ok()) return resolved;
    state_ = part_start_;
    used_ = used;
    report = resolved;
  }
  if (report.ok()) state_.time = target;
  if (report.ok() || divisions == 0 || !failed_to_converge(report)) return report;
  const StepReport first = step_to(state_.time + (target - state_.time) / 2, divisions - 1);
  if (!first.ok()) return first;
  keep(first, Side::left, true);
  report = step_to(target, divisions - 1);
  report.parts += first.parts;
  report.add(first);
  return report;
}

/// A subdivided step to `target`: first the oil alone for a short time, then the whole machine in growing steps. If one of these is too
/// long for the oil, it is shortened; if the shortest fails, the oil alone again.
StepReport Runner::resolve(double target) {
  constexpr int kShortest = 64, kMostParts = 1000;
  const double whole = target - state_.time, shortest = model_->layout.nv == 0 ? whole : whole / kShortest;
  double length = shortest;
  bool oil_alone = true;
  StepReport sum, report;
  const auto part = [&](const StepReport& of) { keep(of, Side::left, true); };
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

void Runner::keep(const StepReport& report, Side side, bool part) {
  if (used_ == block_.size()) block_.resize(2 * used_, block_.front());
  Kept& kept = block_[used_++];
  kept.state = state_;
  kept.report = report;
  kept.side = side;
  kept.part = part;
}

/// The first non-finite value of the state; empty: all are finite.
std::string Runner::not_finite() const {
  if (all_finite(state_.values())) return "";
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

/// Steps until the block is full, `end` is reached or a step fails. Contains stepping only.
void Runner::run_block(double end) {
  struct Clock {
    RunStatistics& statistics;
    double cpu_start = thread_seconds();
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Clock() {
      statistics.step_seconds += seconds_since(start);
      statistics.step_cpu_seconds += thread_seconds() - cpu_start;
    }
  } clock{statistics_};
  for (std::size_t i = 0; i < kBlock && !schedule_.reached(state_.time, end) && !stopped(); ++i) {
    if (state_.time > 0 && schedule_.is_force_jump(state_.time)) {
      if (!restart()) {
        failed_ = restart_failed_ = true;
        break;
      }
      keep({}, Side::right);
    }
    const double target = schedule_.next(state_.time, end);
    const double begin = state_.time;
    const StepReport report = step_to(target, divisions_);
    if (!report.ok()) {
      failure_ = report;
      failed_ = true;
      break;
    }
    if (not_finite_ = not_finite(); !not_finite_.empty()) {
      state_ = used_ > 0 ? block_[used_ - 1].state : block_start_;
      failed_ = true;
      break;
    }
    keep(report, Side::left);
    if (const StepErrors* errors = stepper_->errors()) statistics_.local_errors.step(begin, state_, *errors);
  }
}

void Runner::count(const Kept& kept) {
  RunStatistics& s = statistics_;
  const StepReport& r = kept.report;
  const double t = kept.state.time;
  ++s.steps;
  s.iterations += r.iterations;
  s.position_iterations += r.position_iterations;
  s.max_iterations = std::max(s.max_iterations, r.iterations);
  if (static_cast<std::size_t>(r.iterations) >= s.histogram.size()) s.histogram.resize(static_cast<std::size_t>(r.iterations) + 1, 0);
  ++s.histogram[static_cast<std::size_t>(r.iterations)];
  if (r.status == StepStatus::capped) ++s.capped_steps;
  if (!schedule_.on_grid(t) && schedule_.is_jump(t)) ++s.split_steps;
  if (r.parts > 1) ++s.divided_steps;
  if (r.resolved) ++s.resolved_steps;
  s.part_iterations += r.part_iterations;
  if (r.violation > s.max_violation) {
    s.max_violation = r.violation;
    s.max_violation_time = t;
  }
  if (r.velocity_violation > s.max_velocity_violation) {
    s.max_velocity_violation = r.velocity_violation;
    s.max_velocity_violation_time = t;
  }
  s.penalty = std::max(s.penalty, r.penalty);
  s.penalty_limited = s.penalty_limited || r.penalty_limited;
  count_partition(kept.state);
  count_alternation(kept.state);
  watch_.step(kept.state, s.incidents);
  for (std::size_t i = 0; i < s.cavitation.size(); ++i) {
    const double p = kept.state.y()[model_->hydraulics.nodes[model_->hydraulics.volumes[i].node].state];
    CavitationRecord& c = s.cavitation[i];
    c.lowest_pressure = std::min(c.lowest_pressure, p);
    if (!model_->hydraulics.fluid.cavitates(p)) continue;
    if (c.steps++ == 0) c.first_time = t;
  }
}

/// Pressure changes of alternating sign, larger than a thousandth of the pressure and of 1 bar.
void Runner::count_alternation(const State& state) {
  constexpr double kShare = 1e-3, kLeast = 100;  // [Pa]
  for (std::size_t i = 0; i < statistics_.alternation.size(); ++i) {
    AlternationRecord& a = statistics_.alternation[i];
    const double p = state.y()[model_->hydraulics.nodes[model_->hydraulics.volumes[i].node].state], change = a.last > 0 ? p - a.last : 0;
    const bool turned = change * a.change < 0 && std::min(std::abs(change), std::abs(a.change)) > std::max(kLeast, kShare * p);
    a.row = turned ? a.row + 1 : 0;
    a.last = p;
    a.change = change;
    if (a.row < kAlternationRow) continue;
    if (a.steps == 0) a.first_time = state.time;
    a.steps += a.row == kAlternationRow ? kAlternationRow : 1;
    a.largest = std::max(a.largest, std::abs(change));
  }
}

/// Counts changes of the set of independent coordinates.
void Runner::count_partition(const State& state) {
  const StateLayout& layout = model_->layout;
  const double *begin = state.partition(), *end = begin + layout.rows;
  if (std::all_of(begin, end, [](double entry) { return entry == 0; })) return;
  RunStatistics& s = statistics_;
  dependent_.assign(dependent_.size(), false);
  for (const double* entry = begin; entry != end; ++entry)
    if (*entry != 0) dependent_[static_cast<std::size_t>(std::abs(*entry)) - 1] = true;
  independent_.clear();
  for (int v = 0; v < layout.nv; ++v)
    if (!dependent_[static_cast<std::size_t>(v)]) independent_.push_back(v);
  if (!s.independent.empty() && s.independent != independent_ && s.repartitions++ == 0) s.repartition_time = state.time;
  s.independent = independent_;
}

/// The clock was read before and after the block: its time is distributed evenly over the steps.
void Runner::publish_block(double end, double seconds_before, RunWatcher* watcher) {
  const auto is_step = [](const Kept& kept) { return kept.side == Side::left && !kept.part; };
  const auto steps = std::count_if(block_.begin(), block_.begin() + static_cast<std::ptrdiff_t>(used_), is_step);
  const double share = steps > 0 ? (statistics_.step_seconds - seconds_before) / static_cast<double>(steps) : 0;
  long done = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    const Kept& kept = block_[i];
    if (is_step(kept)) ++done;
    const double t = kept.state.time;
    try {
      if (watcher != nullptr)
        watcher->at({kept.state, kept.side, kept.report, !kept.part && (schedule_.on_grid(t) || schedule_.reached(t, end)), kept.part,
                     schedule_.grid_index(t), seconds_before + static_cast<double>(done) * share});
    } catch (const SimulationError&) {
      state_ = i > 0 ? block_[i - 1].state : block_start_;
      throw;
    }
    if (kept.side == Side::left && stepper_->errors() == nullptr)
      statistics_.local_errors.step(i > 0 ? block_[i - 1].state : block_start_, kept.state, kept.part || kept.report.resolved);
    if (is_step(kept)) count(kept);
  }
}

void Runner::advance(double end, RunWatcher* watcher) {
  if (!std::isfinite(end)) throw Error("the end of a run must be a finite time");
  while (!schedule_.reached(state_.time, end)) {
    used_ = 0;
    failed_ = restart_failed_ = false;
    not_finite_.clear();
    block_start_ = state_;
    const double seconds_before = statistics_.step_seconds;
    std::optional<CommandError> refused;
    try {
      run_block(end);
    } catch (const CommandError& error) { refused = error; }
    publish_block(end, seconds_before, watcher);
    if (refused) throw refused->at(state_.time);
    if (failed_) fail();
    if (stopped()) throw Interrupted(state_.time, *stop_);
  }
}

void Runner::step(RunWatcher* watcher) { advance(schedule_.grid_point_after(state_.time), watcher); }

/// Prescribed motions that may be out of reach: only if the mechanism has other constraints.
std::string Runner::motions_here() const {
  std::string text;
  std::visit(
      [&](const auto& m) {
        if (m.constraints.size() <= m.motions.size()) return;
        for (const PrescribedMotion& motion : m.motions)
          text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", motion.name,
                              model_->signals.value(motion.signal, state_.time, Side::left));
      },
      model_->mechanism);
  return text.empty() ? "" : "motions within reach of the mechanism (here " + text + "), ";
}

void Runner::fail() const {
  const SolverDescription& solver = model_->description.solver;
  const bool apart = solver.coupling == CouplingKind::cosimulation;
  const CosimulationDescription& coupling = model_->description.coupling;
  const std::string smaller = !apart ? fmt::format("a smaller step (now {:g} s)", solver.step)
                                     : fmt::format("a smaller coupling.step (now {:g} s)", schedule_.step()) +
                                           (coupling.scheme == CouplingScheme::sequential ? "" : ", coupling.scheme: sequential");
  const std::string reach = motions_here();
  if (restart_failed_)
    throw SimulationError(state_.time, "accelerations after a jump", "the mass matrix is singular on the constraints",
                          "give every rotating body an inertia about its axis");
  if (!not_finite_.empty())
    throw SimulationError(state_.time, not_finite_, "the next step leads to a value that is not finite",
                          smaller + ", or check the model for very large or very small numbers");
  const std::string where = stepper_->unknown_name(failure_.worst);
  if (where.starts_with(kCouplingVariable))
    throw SimulationError(state_.time, where, fmt::format("the subsystems do not agree after {} passes", failure_.iterations),
                          smaller +
                              ", more passes (coupling.max_iterations), a larger coupling.tolerance, or solver.accept_capped: true to "
                              "continue and count such steps");
  if (failure_.status == StepStatus::below_vacuum)
    throw SimulationError(
        state_.time, where, "an explicit step takes the pressure below vacuum: more oil is drawn from this volume than it holds",
        (apart ? "coupling.hydraulics.integrator: trapezoidal, a smaller coupling.hydraulics.step, " : "solver.integrator: trapezoidal, ") +
            smaller + ", a suction check valve from the tank, or a larger volume");
  if (apart && failure_.longest_step > 0)
    throw SimulationError(state_.time, where, "the explicit step is too long: it is unstable",
                          fmt::format("steps below {:.2g} s (coupling.hydraulics.step of the oil, coupling.step of the mechanism), or "
                                      "trapezoidal integrators, which are stable at any step",
                                      failure_.longest_step));
  if (apart && (failure_.status == StepStatus::unstable || failure_.status == StepStatus::diverged))
    throw SimulationError(state_.time, where, "the values left their valid range: the coupling or an explicit step is unstable",
                          smaller + ", a smaller coupling.hydraulics.step, or implicit integrators (trapezoidal) for the subsystems");
  switch (failure_.status) {
    case StepStatus::stalled:
      if (solver.constraints == ConstraintKind::ali1)
        throw SimulationError(state_.time, where, fmt::format("the multipliers did not converge in {} iterations", solver.max_iterations),
                              (solver.ali1.alpha.value ? std::string("solver.ali1.alpha: auto, ") : "") +
                                  "more iterations (solver.max_iterations), or solver.accept_capped: true to continue and count such "
                                  "steps");
      throw SimulationError(state_.time, where, fmt::format("no convergence in {} iterations", failure_.iterations),
                            (failure_.penalty_limited ? std::string("solver.penalty: auto, ") : "") + reach + smaller +
                                ", more iterations (solver.max_iterations), or solver.accept_capped: true to continue and count such "
                                "steps");
    case StepStatus::end_of_stroke:
      throw SimulationError(state_.time, where, "the piston leaves its cylinder",
                            "an end damper (end_damper), longer chambers (chamber_length_A, chamber_length_B; of a motor chamber_angle_A, "
                            "chamber_angle_B), commands that stop earlier, or, if this stroke is not expected, " +
                                smaller);
    case StepStatus::wheel_singular:
      throw SimulationError(state_.time, where, "the wheel falls flat on its plane, where a thin disc has no contact point",
                            "a start with more speed, or a shorter duration");
    case StepStatus::open_loop:
      throw SimulationError(state_.time, where, "the loop cannot be closed: dependent positions not found",
                            smaller + ", or solver.constraints: penalty with solver.integrator: trapezoidal, which passes dead points");
    case StepStatus::singular_configuration:
      throw SimulationError(
          state_.time, where,
          "the constraint is at or near a singular configuration (dead point): it does not determine its dependent coordinates",
          "solver.constraints: penalty with solver.integrator: trapezoidal, which passes dead points, or a motion that "
          "avoids it");
    case StepStatus::unstable:
      throw SimulationError(state_.time, where, "the explicit step is too long: it is unstable",
                            smaller + (failure_.longest_step > 0 ? fmt::format(", below {:.2g} s", failure_.longest_step) : "") +
                                ", or solver.integrator: trapezoidal, which is stable at any step; stiff oil and friction need it");
    case StepStatus::gave_up:
      throw SimulationError(state_.time, where, "the variable-step integrator failed",
                            fmt::format("a larger solver.reference_tolerance (now {:g}), or check the model with solver.integrator: "
                                        "trapezoidal",
                                        solver.reference_tolerance));
    case StepStatus::diverged:
      throw SimulationError(state_.time, where, "the iteration diverged",
                            reach + smaller + ", or check start pressures, stiffnesses and the units of the model");
    default:
      throw SimulationError(state_.time, where, "the equations of the step have no unique solution",
                            smaller + ", or check for bodies without inertia, volumes of zero size, and a mechanism at a dead point");
  }
}

}  // namespace trunnion
