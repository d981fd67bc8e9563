// Recording of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/record_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <utility>

#include "base/diagnostic.h"
#include "description/integrators.h"
#include "machine/friction_load.h"
#include "machine/start.h"
#include "recording/c_source.h"
#include "recording/recorded_machine.h"
#include "run/step_loop.h"
#include "schema/compact.h"
#include "schema/parameters.h"

namespace trunnion {

namespace {

// of the ways that the run did not take
constexpr std::size_t kMostOperations = 20'000, kGrowth = 1;  // beyond those of the run, and in proportion to them
constexpr std::size_t kMostOfAll = 1'000'000;                 // of a recording; beyond, no other ways are followed
constexpr int kRounds = 3;
constexpr long kFirstSteps = 50;  // followed always
constexpr double kRestarts = 20;  // of a run, besides those at its jumps

[[noreturn]] void refuse(const std::string& what, const std::string& instead) {
  throw Error(fmt::format("{} has no recorded step: {}", what, instead));
}

void check(const CompiledModel& model) {
  const SolverDescription& solver = model.description.solver;
  if (solver.coupling != CouplingKind::monolithic) refuse("solver.coupling: a co-simulation", "use `monolithic`");
  if (!integrator_of(solver).is_implicit())
    refuse(fmt::format("solver.integrator: {}", integrator_of(solver).word), "use an implicit fixed-step integrator, such as trapezoidal");
  refuse_friction_loads(model, "friction that follows the load of its joint has no recorded step", "runs make general steps");
  if (!model.description.control.empty()) refuse("control: a machine with control blocks", "drive it through `inputs`");
}

/// Times that show every part of these signals.
std::vector<double> times_of_parts(const CompiledModel& model, const std::vector<recording::Input>& inputs) {
  std::vector<double> corners{0, model.description.solver.duration};
  for (const recording::Input& input : inputs) {
    const std::vector<double> more = model.signals.corners(input.index);
    corners.insert(corners.end(), more.begin(), more.end());
  }
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  std::vector<double> times = corners;
  for (std::size_t i = 1; i < corners.size(); ++i) times.push_back((corners[i - 1] + corners[i]) / 2);
  times.push_back(corners.back() + 1);
  times.push_back(corners.front() - 1);
  return times;
}

/// The model with other values of parameters.
std::shared_ptr<const CompiledModel> with_values(const CompiledModel& model, const RecordedParameters& parameters,
                                                 const std::vector<double>& row) {
  Description description = model.description;
  set_values(description, parameters.paths, row);
  return compile(std::move(description));
}

/// Throws Error for a parameter that cannot be an input of a step.
void check(const std::string& compact, const std::string& parameter) {
  for (const char* section : {"signals.", "inputs."})
    if (parameter.starts_with(section))
      refuse(fmt::format("`{}` as a parameter", parameter), "signals are functions of time in the code; use `inputs`");
  try {
    recording::Recorder alone;
    const recording::RecordedMachine machine(compact, alone, {parameter});
  } catch (const std::exception& e) { refuse(fmt::format("`{}` as a parameter", parameter), fmt::format("{}; leave it out", e.what())); }
}

/// Of the last evaluation.
double operations_of_way(const recording::Recorder& recording) {
  std::size_t count = 0;
  for (const int block : recording.way()) count += recording.blocks()[static_cast<std::size_t>(block)].nodes.size();
  return static_cast<double>(count);
}

/// Follows runs of a machine.
class RunFollower {
 public:
  RunFollower(RecordedSteps& run, const RecordedPart& part, const std::vector<std::string>& parameters)
      : run_(run), part_(part), parameters_(parameters) {}

  /// Records the steps of a run. Throws std::runtime_error.
  void follow(const std::shared_ptr<const CompiledModel>& model) {
    const std::string compact = compact_text(model->description);
    recording::RecordedMachine& machine =
        *machines_.emplace_back(std::make_unique<recording::RecordedMachine>(compact, run_.step, parameters_));
    recording::RecordedMachine restarted(compact, run_.restart, parameters_);
    const double duration = model->description.solver.duration;
    StepLoop loop(model, start_state(*model));
    if (run_.start.values().empty()) run_.start = loop.state();
    const double planned = std::min(std::ceil(duration / grid_step(model->description)), static_cast<double>(part_.most_steps));
    long steps = 0, stride = 1;
    while (!loop.schedule().reached(loop.state().time, duration) && steps < part_.most_steps) {
      time_ = loop.state().time;
      if (part_.other_ways && steps % std::max(1L, std::lround(planned / kRestarts)) == 0) follow_restart(restarted, loop.state());
      if (loop.restart_due()) {
        restarted.follow_restart(loop.state().values().data(), time_);
        if (!loop.restart()) break;
      }
      const StepOutcome outcome = loop.step(duration, nullptr);
      if (!outcome.ok()) break;
      ++steps;
      const bool whole = outcome.parts == 1 && !outcome.resolved && outcome.status == StepStatus::converged;
      if (!whole) {
        ++run_.others;
        continue;
      }
      const bool is_new = counts_.insert({outcome.iterations, outcome.position_iterations}).second;
      if (steps > kFirstSteps && steps % stride != 0 && !is_new) continue;
      follow_step({&machine, loop.before(), loop.state().time - time_});
      if (steps <= kFirstSteps) stride = std::max(stride, std::lround(planned * operations_of_way(run_.step) / part_.most_operations));
    }
    run_.steps += steps;
    if (steps < part_.most_steps && !loop.schedule().reached(loop.state().time, duration)) run_.failure = loop.failure().what();
  }

  /// At which the last step began [s].
  double time() const { return time_; }

  /// Records ways that the runs did not take: at branches of which other steps took the other side, in the order of their visits.
  void follow_other_ways() {
    if (!follows_others()) return;
    const std::size_t most = kMostOperations + kGrowth * run_.step.operations().size();
    for (int round = 0; round < kRounds; ++round)
      for (const recording::Recorder::Turn& turn : run_.step.open_turns()) {
        if (run_.step.operations().size() > most) return;
        Origin from = origin_[static_cast<std::size_t>(turn.block)];
        from.turns.push_back(turn);
        follow_turn(from);
      }
  }

 private:
  /// A step of a run and the turns by which its evaluation reaches a block.
  struct Origin {
    std::size_t sample = 0;
    std::vector<recording::Recorder::Turn> turns;
  };
  struct Sample {
    recording::RecordedMachine* machine;
    StateVector state;
    double h;

    int follow(std::vector<recording::Recorder::Turn> turns = {}) const {
      return machine->follow(state.values().data(), state.time, h, std::move(turns));
    }
  };

  bool follows_others() const { return part_.other_ways && run_.step.operations().size() <= kMostOfAll; }

  /// And the ways that rounding errors may take instead.
  void follow_step(const Sample& sample) {
    if (sample.follow() != recording::RecordedMachine::converged()) ++run_.others;
    const std::vector<recording::Recorder::Turn> close = run_.step.close_turns();
    if (origin_.size() < run_.step.blocks().size() || !close.empty()) samples_.push_back(sample);
    origin_.resize(run_.step.blocks().size(), {samples_.size() - 1, {}});
    if (!follows_others()) return;
    for (const recording::Recorder::Turn& turn : close)
      if (run_.step.blocks()[static_cast<std::size_t>(turn.block)].next[turn.side ? 1 : 0] < 0) follow_turn({samples_.size() - 1, {turn}});
  }

  /// Inputs and parameters may be set at any time.
  static void follow_restart(recording::RecordedMachine& machine, const StateVector& state) {
    try {
      machine.follow_restart(state.values().data(), state.time);
    } catch (const std::exception&) {
      // no way for these numbers
    }
  }

  void follow_turn(const Origin& from) {
    try {
      samples_[from.sample].follow(from.turns);
    } catch (const std::exception&) {
      // no way for these numbers
    }
    origin_.resize(run_.step.blocks().size(), from);
  }

  RecordedSteps& run_;
  const RecordedPart& part_;
  const std::vector<std::string>& parameters_;
  std::vector<std::unique_ptr<recording::RecordedMachine>> machines_;
  std::set<std::pair<int, int>> counts_;  // of iterations, that occurred
  std::vector<Sample> samples_;           // one per way
  std::vector<Origin> origin_;            // per block
  double time_ = 0;
};

void record_signals(const CompiledModel& model, const std::vector<std::string>& parameters, RecordedSteps& run) {
  for (const bool at_end : {false, true}) {
    std::vector<recording::Input>& inputs = run.inputs[at_end ? 1 : 0];
    inputs = recording::signal_inputs(run.step, at_end);
    // those of a restart follow
    for (const recording::Input& input : recording::signal_inputs(run.restart, at_end))
      if (std::find(inputs.begin(), inputs.end(), input) == inputs.end()) inputs.push_back(input);
    recording::RecordedMachine machine(compact_text(model.description), run.signals[at_end ? 1 : 0], parameters);
    for (const double t : times_of_parts(model, inputs)) machine.follow_signals(inputs, at_end, t);
  }
}

}  // namespace

std::shared_ptr<const CompiledModel> by_general_steps(const std::shared_ptr<const CompiledModel>& model) {
  if (model->description.solver.compiled == CompiledKind::off) return model;
  Description description = model->description;
  description.solver.compiled = CompiledKind::off;
  return compile(std::move(description));
}

std::unique_ptr<RecordedSteps> record_run(const std::shared_ptr<const CompiledModel>& given, const RecordedPart& part,
                                          const RecordedParameters& parameters) {
  check(*given);
  const std::shared_ptr<const CompiledModel> model = by_general_steps(given);
  for (const std::string& path : parameters.paths) check(compact_text(model->description), path);
  auto run = std::make_unique<RecordedSteps>();
  RunFollower follower(*run, part, parameters.paths);
  try {
    follower.follow(model);
    for (const std::vector<double>& row : parameters.rows) follower.follow(with_values(*model, parameters, row));
    if (part.other_ways) follower.follow_other_ways();
    record_signals(*model, parameters.paths, *run);
  } catch (const std::runtime_error& e) { refuse(fmt::format("the step at t = {:g} s", follower.time()), e.what()); }
  return run;
}

}  // namespace trunnion
