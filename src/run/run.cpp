// Runs: statistics, blocks of steps between readings of the clock, watchers.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <optional>

#include "hydraulics/quasistatic/command_error.h"
#include "machine/start.h"

namespace trunnion {

namespace {

constexpr std::size_t kBlock = 64;  // steps between two readings of the clock

double seconds_since(std::chrono::steady_clock::time_point start) {
  return 1e-9 * static_cast<double>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
}

/// Processor time [s] of this thread.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

// ---------------------------------------------------------------- statistics

StepCounter::StepCounter(const StepLoop& loop)
    : loop_(loop), watch_(loop.model()), dependent_(static_cast<std::size_t>(loop.model().layout.nv)) {
  const CompiledModel& model = loop_.model();
  statistics.histogram.assign(static_cast<std::size_t>(model.description.solver.max_iterations) + 1, 0);
  statistics.cavitation.resize(model.hydraulics.volumes.size());
  statistics.alternation.resize(model.hydraulics.volumes.size());
  statistics.incidents = watch_.nothing();
  statistics.local_errors = LocalErrors(model);
  for (auto* list : {&statistics.independent, &independent_}) list->reserve(dependent_.size());
  begin();
}

void StepCounter::begin() {
  statistics.local_errors.begin(loop_.state());
  watch_.begin(loop_.state());
}

void StepCounter::add_errors(const StateVector& from, const StateVector& to, bool in_parts) {
  statistics.local_errors.step(from, to, in_parts);
}

void StepCounter::count(const StateVector& state, const StepOutcome& r) {
  const CompiledModel& model = loop_.model();
  const StepSchedule& schedule = loop_.schedule();
  RunStatistics& s = statistics;
  const double t = state.time;
  ++s.steps;
  s.iterations += r.iterations;
  s.position_iterations += r.position_iterations;
  s.max_iterations = std::max(s.max_iterations, r.iterations);
  if (static_cast<std::size_t>(r.iterations) >= s.histogram.size()) s.histogram.resize(static_cast<std::size_t>(r.iterations) + 1, 0);
  ++s.histogram[static_cast<std::size_t>(r.iterations)];
  if (r.status == StepStatus::capped) ++s.capped_steps;
  if (!schedule.on_grid(t) && schedule.is_jump(t)) ++s.split_steps;
  if (r.parts > 1) ++s.divided_steps;
  if (r.compiled) ++s.compiled_steps;
  if (r.resolved) ++s.resolved_steps;
  if (r.late_block >= 0 && s.late_switches++ == 0) {
    s.late_time = t;
    s.late_block = r.late_block;
  }
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
  count_partition(state);
  count_alternation(state);
  watch_.step(state, s.incidents);
  for (std::size_t i = 0; i < s.cavitation.size(); ++i) {
    const double p = state.y()[model.hydraulics.nodes[model.hydraulics.volumes[i].node].state];
    CavitationRecord& c = s.cavitation[i];
    c.lowest_pressure = std::min(c.lowest_pressure, p);
    if (!model.hydraulics.fluid.cavitates(p)) continue;
    if (c.steps++ == 0) c.first_time = t;
  }
}

/// Pressure changes of alternating sign, larger than a thousandth of the pressure and of 1 bar.
void StepCounter::count_alternation(const StateVector& state) {
  constexpr double kShare = 1e-3, kLeast = 100;  // [Pa]
  for (std::size_t i = 0; i < statistics.alternation.size(); ++i) {
    AlternationRecord& a = statistics.alternation[i];
    const double p = state.y()[loop_.model().hydraulics.nodes[loop_.model().hydraulics.volumes[i].node].state],
                 change = a.last > 0 ? p - a.last : 0;
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
void StepCounter::count_partition(const StateVector& state) {
  const StateLayout& layout = loop_.model().layout;
  const double *begin = state.partition(), *end = begin + layout.rows;
  if (std::all_of(begin, end, [](double entry) { return entry == 0; })) return;
  RunStatistics& s = statistics;
  dependent_.assign(dependent_.size(), false);
  for (const double* entry = begin; entry != end; ++entry)
    if (*entry != 0) dependent_[static_cast<std::size_t>(std::abs(*entry)) - 1] = true;
  independent_.clear();
  for (int v = 0; v < layout.nv; ++v)
    if (!dependent_[static_cast<std::size_t>(v)]) independent_.push_back(v);
  if (!s.independent.empty() && s.independent != independent_ && s.repartitions++ == 0) s.repartition_time = state.time;
  s.independent = independent_;
}

// ---------------------------------------------------------------- run

Interrupted::Interrupted(double time, int signal)
    : SimulationError(time, "",
                      fmt::format("the run was interrupted ({})", signal == SIGINT    ? "SIGINT"
                                                                  : signal == SIGTERM ? "SIGTERM"
                                                                                      : "a signal"),
                      ""),
      signal_(signal) {}

Runner::Runner(const std::shared_ptr<const CompiledModel>& model) : Runner(model, start_state(*model)) {}

Runner::Runner(std::shared_ptr<const CompiledModel> model, StateVector start)
    : loop_(std::move(model), std::move(start)),
      counter_(loop_),
      block_(2 * kBlock, Kept{StateVector(loop_.model().layout), {}, Side::left, false}) {}

Runner::~Runner() = default;

void Runner::restore(const StateVector& state) {
  loop_.restore(state);
  counter_.begin();
}

void Runner::keep(const StepOutcome& report, Side side, bool part) {
  if (used_ == block_.size()) block_.resize(2 * used_, block_.front());
  Kept& kept = block_[used_++];
  kept.state = loop_.state();
  kept.report = report;
  kept.side = side;
  kept.part = part;
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
  } clock{counter_.statistics};
  Parts parts(*this);
  const StateVector& state = loop_.state();
  for (std::size_t i = 0; i < kBlock && !loop_.schedule().reached(state.time, end) && !stopped(); ++i) {
    if (loop_.restart_due()) {
      if (!loop_.restart()) {
        failed_ = true;
        break;
      }
      keep({}, Side::right);
    }
    const double begin = state.time;
    const StepOutcome& report = loop_.step(end, &parts);
    if (!report.ok() || !loop_.not_finite().empty()) {
      failed_ = true;
      break;
    }
    keep(report, Side::left);
    if (const StepErrors* errors = loop_.stepper().errors()) counter_.add_errors(begin, state, *errors);
  }
}

/// The clock was read before and after the block: its time is distributed evenly over the steps.
void Runner::publish_block(double end, double seconds_before, RunWatcher* watcher) {
  const StepSchedule& schedule = loop_.schedule();
  const auto is_step = [](const Kept& kept) { return kept.side == Side::left && !kept.part; };
  const auto steps = std::count_if(block_.begin(), block_.begin() + static_cast<std::ptrdiff_t>(used_), is_step);
  const double share = steps > 0 ? (counter_.statistics.step_seconds - seconds_before) / static_cast<double>(steps) : 0;
  long done = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    const Kept& kept = block_[i];
    if (is_step(kept)) ++done;
    const double t = kept.state.time;
    try {
      if (watcher != nullptr)
        watcher->at({kept.state, kept.side, kept.report, !kept.part && (schedule.on_grid(t) || schedule.reached(t, end)), kept.part,
                     schedule.grid_index(t), seconds_before + static_cast<double>(done) * share});
    } catch (const SimulationError&) {
      loop_.restore(i > 0 ? block_[i - 1].state : block_start_);
      throw;
    }
    if (kept.side == Side::left && loop_.stepper().errors() == nullptr)
      counter_.add_errors(i > 0 ? block_[i - 1].state : block_start_, kept.state, kept.part || kept.report.resolved);
    if (is_step(kept)) counter_.count(kept.state, kept.report);
  }
}

void Runner::advance(double end, RunWatcher* watcher) {
  if (!std::isfinite(end)) throw Error("the end of a run must be a finite time");
  while (!loop_.schedule().reached(state().time, end)) {
    used_ = 0;
    failed_ = false;
    block_start_ = state();
    const double seconds_before = counter_.statistics.step_seconds;
    std::optional<CommandError> refused;
    try {
      run_block(end);
    } catch (const CommandError& error) { refused = error; }
    publish_block(end, seconds_before, watcher);
    if (refused) throw refused->at(state().time);
    if (failed_) throw loop_.failure();
    if (stopped()) throw Interrupted(state().time, *stop_);
  }
}

void Runner::step(RunWatcher* watcher) { advance(loop_.schedule().grid_point_after(state().time), watcher); }

std::string limited_penalty_warning(const SolverDescription& solver, const RunStatistics& statistics) {
  const bool accelerations = solver.constraints == ConstraintKind::ali1;
  return fmt::format(
      "{0}: {1:g} is outside the limits for this machine and step and was limited; the largest used was {2:.3g}. {0}: auto "
      "is suitable for all machines",
      accelerations ? "solver.ali1.alpha" : "solver.penalty", *(accelerations ? solver.ali1.alpha : solver.penalty).value,
      statistics.penalty);
}

std::string late_switch_warning(const CompiledModel& model, const RunStatistics& statistics) {
  return fmt::format(
      "control.{}: modes of control blocks change too often for instants of their own; in {} step{} they changed at the end, first at {:g} "
      "s. A `relay` with more distance between `on` and `off`, a filter of the condition, or a `period` makes them change less often",
      model.hydraulics.control[static_cast<std::size_t>(statistics.late_block)].name, statistics.late_switches,
      statistics.late_switches == 1 ? "" : "s", statistics.late_time);
}

}  // namespace trunnion
