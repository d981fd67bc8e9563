// A run: steps over the time grid (run/step_loop.h), with statistics, observed by a watcher.
// States at a jump are reported with the left limit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "run/incidents.h"
#include "run/local_errors.h"
#include "run/step_loop.h"

namespace trunnion {

/// Where and how often the pressure of a volume fell below saturation.
struct CavitationRecord {
  long steps = 0;
  double first_time = 0;                                             // [s]
  double lowest_pressure = std::numeric_limits<double>::infinity();  // [Pa] at the end of a step
};

/// A pressure whose change reverses in every step: the sign of a step too long for the rule.
struct AlternationRecord {
  long steps = 0;         // in rows of at least kAlternationRow of them
  double first_time = 0;  // [s] of the first row
  double largest = 0;     // [Pa] change in one of these steps
  double last = 0, change = 0;
  int row = 0;
};
inline constexpr int kAlternationRow = 6;

struct RunStatistics {
  long steps = 0;       // of the stepper; a split step counts as its parts
  long iterations = 0;  // summed
  int max_iterations = 0;
  long position_iterations = 0;  // solves for dependent positions, summed; counted apart
  std::vector<long> histogram;   // [i]: steps that took i iterations
  long capped_steps = 0;
  long compiled_steps = 0;                           // by code generated for the model
  long split_steps = 0;                              // grid steps that a jump split
  long divided_steps = 0;                            // in which Newton's method converged only after subdividing the step
  long resolved_steps = 0, part_iterations = 0;      // subdivided because pressures jumped; solves for these substeps, counted separately
  double max_violation = 0, max_violation_time = 0;  // [m, -], [s]
  double max_velocity_violation = 0, max_velocity_violation_time = 0;
  double penalty = 0;                          // largest penalty factor of a constraint in a step [N/m, N m/rad]; 0: the treatment has none
  bool penalty_limited = false;                // whether a given one was outside its limits
  std::vector<CavitationRecord> cavitation;    // per volume
  std::vector<AlternationRecord> alternation;  // per volume
  long late_switches = 0;                      // steps within which a mode changed that was changed at their ends
  double late_time = 0;                        // [s] end of the first
  int late_block = -1;                         // of the first
  LocalErrors local_errors;                    // of the steps, in co-simulation of communication steps
  Incidents incidents;
  /// Independent velocities at the end, if the treatment partitions the coordinates; otherwise empty.
  std::vector<int> independent;
  long repartitions = 0;        // changes of that set
  double repartition_time = 0;  // [s] of the first
  /// [s] inside steps only: the clock is read around blocks of steps; recording, the energy ledger and files are excluded.
  double step_seconds = 0;
  /// [s] as processor time of the stepping thread: other programs and threads of a co-simulation are excluded.
  double step_cpu_seconds = 0;

  double mean_position_iterations() const { return steps > 0 ? static_cast<double>(position_iterations) / static_cast<double>(steps) : 0; }
  double mean_iterations() const { return steps > 0 ? static_cast<double>(iterations) / static_cast<double>(steps) : 0; }
};

/// Warning that a given penalty factor was outside its limits (mechanics/penalty_factors.h), which `statistics` knows.
std::string limited_penalty_warning(const SolverDescription& solver, const RunStatistics& statistics);

/// Warning that modes of a control block changed later than at the crossings, which `statistics` knows.
std::string late_switch_warning(const CompiledModel& model, const RunStatistics& statistics);

/// An intermediate state.
struct StepRecord {
  const StateVector& state;
  Side side;                  // right: a jump has occurred since the previous record, at the same time
  const StepOutcome& report;  // of the step that led here (side left)
  bool on_grid;               // a grid point or the end of the run
  bool part;                  // inside a subdivided step
  long grid_index;            // of the last grid point at or before the state
  double step_seconds;        // [s] inside steps up to here; distributed evenly between two readings of the clock
};

/// Receives every state of a run in order, delayed by some steps. A SimulationError thrown by it ends the run at the state before.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  virtual void at(const StepRecord& step) = 0;
};

/// An external request ended the run: a signal of the operating system, by its number.
class Interrupted : public SimulationError {
 public:
  Interrupted(double time, int signal);
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// Counts the steps of a run.
class StepCounter {
 public:
  explicit StepCounter(const StepLoop& loop);
  /// Continues from the state of the loop.
  void begin();
  /// A step, or the rest of one after its last part, from one state to another; `in_parts`: a substep, or subdivided.
  void add_errors(const StateVector& from, const StateVector& to, bool in_parts);
  void add_errors(double begin, const StateVector& to, const StepErrors& errors) { statistics.local_errors.step(begin, to, errors); }
  /// The end of a step. No allocation.
  void count(const StateVector& state, const StepOutcome& report);

  RunStatistics statistics;

 private:
  void count_partition(const StateVector& state);
  void count_alternation(const StateVector& state);

  const StepLoop& loop_;
  IncidentWatch watch_;
  std::vector<bool> dependent_;   // scratch of count_partition, per velocity
  std::vector<int> independent_;  // the same
};

class Runner {
 public:
  /// Starts at the model's start state. Throws what start_state throws.
  explicit Runner(const std::shared_ptr<const CompiledModel>& model);
  /// Starts at a given state with consistent rates, at time 0.
  Runner(std::shared_ptr<const CompiledModel> model, StateVector start);
  Runner(const Runner&) = delete;  // its counter refers to its loop
  Runner& operator=(const Runner&) = delete;
  ~Runner();

  const std::shared_ptr<const CompiledModel>& model() const { return loop_.shared_model(); }
  const StateVector& state() const { return loop_.state(); }
  const RunStatistics& statistics() const { return counter_.statistics; }
  Stepper& stepper() { return loop_.stepper(); }

  /// Continues from a saved state: a copy of state() of any run of the same model. Statistics continue.
  void restore(const StateVector& state);
  /// From now on a run ends after the step during which `signal` becomes nonzero, with Interrupted. Null: never.
  void stop_on(const std::atomic<int>* signal) { stop_ = signal; }
  /// Advances to `end` [s], or to the grid point equal to `end` up to rounding, passing every state after the present one to `watcher`
  /// (may be null). Throws SimulationError at the first step that fails or leaves non-finite values; state() is then the last valid one.
  /// Throws Error for a non-finite end.
  void advance(double end, RunWatcher* watcher = nullptr);
  /// Advances to the next grid point.
  void step(RunWatcher* watcher = nullptr);

 private:
  struct Kept {
    StateVector state;
    StepOutcome report;
    Side side = Side::left;
    bool part = false;  // of a step
  };
  /// Keeps the parts of subdivided steps.
  class Parts final : public PartSink {
   public:
    explicit Parts(Runner& run) : run_(run) {}
    void part(const StateVector&, const StepOutcome& report) override { run_.keep(report, Side::left, true); }
    std::size_t count() const override { return run_.used_; }
    void drop_after(std::size_t count) override { run_.used_ = count; }

   private:
    Runner& run_;
  };
  void keep(const StepOutcome& report, Side side, bool part = false);
  void run_block(double end);
  void publish_block(double end, double seconds_before, RunWatcher* watcher);

  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed) != 0; }

  StepLoop loop_;
  StepCounter counter_;
  const std::atomic<int>* stop_ = nullptr;
  std::vector<Kept> block_;  // states of the steps between two readings of the clock; the first used_ are valid
  std::size_t used_ = 0;
  StateVector block_start_;  // before them
  bool failed_ = false;
};

}  // namespace trunnion
