// Recording of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/record_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/diagnostic.h"
#include "description/integrators.h"
#include "machine/friction_load.h"
#include "machine/start.h"
#include "recording/c_source.h"
#include "recording/evaluation.h"
#include "recording/recorded_machine.h"
#include "run/step_loop.h"
#include "schema/compact.h"
#include "schema/parameters.h"
#include "schema/table.h"

namespace trunnion {

namespace {

// of the ways that the run did not take
constexpr std::size_t kMostOthers = 20'000, kGrowth = 1;  // beyond those of the run, and in proportion to them
constexpr std::size_t kMostOfAll = 1'000'000;             // of a recording; beyond, no other ways are followed
constexpr int kRounds = 3;
constexpr double kRestarts = 20;  // of a run, besides those at its jumps

[[noreturn]] void refuse(const std::string& what, const std::string& instead) {
  throw Error(fmt::format("{} has no recorded step: {}", what, instead));
}

void check(const CompiledModel& model) {
  const SolverDescription& solver = model.description.solver;
  if (solver.coupling != CouplingKind::monolithic) refuse("solver.coupling: a co-simulation", "use `monolithic`");
  if (!integrator_of(solver).is_implicit())
    refuse(fmt::format("solver.integrator: {}", integrator_of(solver).word), "use an implicit fixed-step integrator, such as trapezoidal");
  const bool has_rows = std::visit([](const auto& m) { return m.rows > 0; }, model.mechanism);
  if (has_rows && solver.constraints != ConstraintKind::penalty)
    refuse(
        fmt::format("solver.constraints: {} of a machine with loops, motions or other constraints, which chooses its dependent coordinates "
                    "by their numbers,",
                    constraint_words()[static_cast<std::size_t>(solver.constraints)]),
        "use `penalty`");
  refuse_friction_loads(model, "friction that follows the load of its joint has no recorded step", "runs make general steps");
}

/// Times that show every part of these signals.
std::vector<double> times_of_parts(const CompiledModel& model, const std::vector<recording::Input>& inputs) {
  std::vector<double> corners{0, model.description.solver.duration};
  for (const recording::Input& input : inputs) {
    const std::vector<double> more = model.signals.corners(input.index, true);
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

/// The signals that are inputs of steps, as the code evaluates them.
class RecordedSignals {
 public:
  RecordedSignals(const RecordedSteps& run, const std::vector<double>& parameters) : inputs_(run.inputs) {
    for (const std::size_t side : {0, 1})
      if (run.signals[side] != nullptr) evaluations_[side].emplace(*run.signals[side], parameters);
  }
  /// At the start of a step of h [s] from a state, and at its end.
  void evaluate(const CompiledModel& model, const StateVector& state, double h) {
    for (const std::size_t side : {0, 1}) {
      const double time = side == 0 ? state.time : state.time + h;
      known_[side] = evaluations_[side] && evaluations_[side]->follow([&](const recording::Input& input) {
        return input.kind == recording::InputKind::outside ? model.signals.input(input.index).initial : time;
      }) >= 0;
    }
  }
  std::optional<double> find(const recording::Input& input) const {
    const std::size_t side = input.at_end ? 1 : 0;
    const auto at = std::find(inputs_[side].begin(), inputs_[side].end(), input);
    if (!known_[side] || at == inputs_[side].end()) return std::nullopt;
    return evaluations_[side]->result(static_cast<std::size_t>(at - inputs_[side].begin()));
  }

 private:
  const std::array<std::vector<recording::Input>, 2>& inputs_;
  std::array<std::optional<recording::Evaluation>, 2> evaluations_;
  std::array<bool, 2> known_{};
};

/// What the inputs of a recording are in a step of h [s] from a state.
class InputsOfStep {
 public:
  InputsOfStep(const CompiledModel& model, const StateVector& state, double h, RecordedSignals& signals)
      : model_(model), state_(state), h_(h), signals_(signals) {
    signals.evaluate(model, state, h);
  }
  double operator()(const recording::Input& input) const {
    switch (input.kind) {
      case recording::InputKind::time:
        return state_.time;
      case recording::InputKind::step:
        return h_;
      case recording::InputKind::signal:
        return signal(input);
      default:
        return state_.values()[static_cast<std::size_t>(input.index)];
    }
  }

 private:
  double signal(const recording::Input& input) const {
    if (const std::optional<double> known = signals_.find(input)) return *known;
    const SignalValue value = input.at_end ? signals_at(model_, state_).evaluate(input.index, state_.time + h_, Side::left)
                                           : signals_at(model_, state_).evaluate(input.index, state_.time, Side::right);
    return input.derivative == 0 ? value.value : input.derivative == 1 ? value.rate : value.acceleration;
  }
  const CompiledModel& model_;
  const StateVector& state_;
  double h_;
  const RecordedSignals& signals_;
};

/// Follows runs of a machine. What is recorded already is evaluated; what is not is recorded.
class RunFollower {
 public:
  RunFollower(RecordedSteps& run, const RecordedPart& part, const std::vector<std::string>& parameters, const RecordingProgress& progress)
      : run_(run), part_(part), parameters_(parameters), progress_(progress) {}

  /// Records the steps of a run with these values of the parameters. The run goes on by the recording's steps, so that it is that of the
  /// code, bit for bit; that of a machine with sampled control blocks or modes goes on by the general steps. Throws std::runtime_error.
  void follow(const std::shared_ptr<const CompiledModel>& model, const std::vector<double>& values, long most_steps) {
    const std::string compact = compact_text(model->description);
    recording::RecordedMachine& machine =
        *machines_.emplace_back(std::make_unique<recording::RecordedMachine>(compact, run_.step, parameters_));
    recording::RecordedMachine restarted(compact, run_.restart, parameters_);
    recording::Evaluation step(run_.step, values), restart(run_.restart, values);
    RecordedSignals signals(run_, values);
    const double duration = model->description.solver.duration;
    StepLoop loop(model, start_state(*model));
    model_ = model;
    goes_on_ = !changes_between_steps(*model);
    if (run_.start.values().empty()) run_.start = loop.state();
    const double planned = std::min(std::ceil(duration / grid_step(model->description)), static_cast<double>(most_steps));
    const long between_restarts = std::max(1L, std::lround(planned / kRestarts));
    long steps = 0;
    while (!loop.schedule().reached(loop.state().time, duration) && steps < most_steps) {
      time_ = loop.state().time;
      if (progress_) progress_(time_, run_);
      if (part_.other_ways && steps % between_restarts == 0) follow_restart(restarted, loop.state());
      if (loop.restart_due()) {
        const StateVector before = loop.state();
        restarted.follow_restart(before.values().data(), time_);
        if (!loop.restart()) break;
        go_on(loop, restart, restart.follow(InputsOfStep(*model, before, 0, signals)), run_.restart);
      }
      const StepOutcome outcome = loop.step(duration, nullptr);
      if (!outcome.ok()) break;
      ++steps;
      const bool whole = outcome.parts == 1 && !outcome.resolved && outcome.status == StepStatus::converged;
      const int end = whole ? follow_step({&machine, loop.before(), length(loop)}, step, signals) : RecordedSteps::kGeneral;
      if (end >= 0 && !loop.schedule().is_short(length(loop))) go_on(loop, step, end, run_.step);  // after a short one the code begins anew
      run_.ways.push_back({time_, end});
      if (end == RecordedSteps::kGeneral) ++run_.others;
    }
    run_.steps += steps;
    if (steps < most_steps && !loop.schedule().reached(loop.state().time, duration)) run_.failure = loop.failure().what();
  }

  /// At which the last step began [s].
  double time() const { return time_; }

  /// Records ways that the runs did not take: at branches of which other steps took the other side, in the order of their visits.
  void follow_other_ways() {
    if (!follows_others()) return;
    const std::size_t most = kMostOthers + kGrowth * run_.step.operations().size();
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

  /// And the ways that rounding errors may take instead. The last block of its way (RecordedSteps::Way).
  int follow_step(const Sample& sample, recording::Evaluation& step, RecordedSignals& signals) {
    const InputsOfStep inputs(*model_, sample.state, sample.h, signals);
    int end = step.follow(inputs);
    if (end >= 0) {
      run_.step.count_visit(step.way());
    } else if (recorded_ < part_.most_operations) {
      sample.follow();
      recorded_ += operations_of_way(run_.step);
      samples_.push_back(sample);
      end = step.follow(inputs);
    }
    if (end < 0) return RecordedSteps::kNotRecorded;
    origin_.resize(run_.step.blocks().size(), {samples_.size() - 1, {}});
    const std::vector<recording::Recorder::Turn> close = step.close_turns();
    for (const recording::Recorder::Turn& turn : close) {
      if (!follows_others() || !close_.insert({turn.block, turn.side}).second) continue;
      samples_.push_back(sample);
      follow_turn({samples_.size() - 1, {turn}});
    }
    const bool converged = run_.step.blocks()[static_cast<std::size_t>(end)].status == recording::RecordedMachine::converged();
    return converged ? end : RecordedSteps::kGeneral;
  }

  /// Inputs and parameters may be set at any time.
  static void follow_restart(recording::RecordedMachine& machine, const StateVector& state) {
    try {
      machine.follow_restart(state.values().data(), state.time);
    } catch (const std::exception&) {
      // no way for these numbers
    }
  }

  /// Of the step that was made [s], as the code computes it.
  double length(const StepLoop& loop) const { return loop.schedule().length(time_, loop.state().time); }

  /// The run goes on by the results of a recording, if its way ended there with some.
  void go_on(StepLoop& loop, const recording::Evaluation& evaluation, int end, const recording::Recorder& recording) {
    if (!goes_on_ || end < 0 || recording.blocks()[static_cast<std::size_t>(end)].status != recording::RecordedMachine::converged()) return;
    next_ = loop.state();
    for (std::size_t i = 0; i < next_.values().size(); ++i) next_.values()[i] = evaluation.result(i);
    loop.restore(next_);
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
  const RecordingProgress& progress_;
  std::vector<std::unique_ptr<recording::RecordedMachine>> machines_;
  std::shared_ptr<const CompiledModel> model_;  // of the run
  StateVector next_;
  bool goes_on_ = true;
  double recorded_ = 0;                   // operations of all ways of the runs
  std::set<std::pair<int, bool>> close_;  // turns that were followed, as rounding errors may take them
  std::vector<Sample> samples_;           // one per way
  std::vector<Origin> origin_;            // per block
  double time_ = 0;
};

/// The signals that are inputs of steps and restarts. Returns whether they have become more.
bool find_signals(RecordedSteps& run) {
  bool more = false;
  for (const bool at_end : {false, true}) {
    std::vector<recording::Input>& inputs = run.inputs[at_end ? 1 : 0];
    const std::size_t known = inputs.size();
    for (const recording::Recorder* recording : {&run.step, &run.restart})
      for (const recording::Input& input : recording::signal_inputs(*recording, at_end))
        if (std::find(inputs.begin(), inputs.end(), input) == inputs.end()) inputs.push_back(input);
    more = more || inputs.size() > known;
  }
  return more;
}

void record_signals(const CompiledModel& model, const std::vector<std::string>& parameters, RecordedSteps& run) {
  for (const bool at_end : {false, true}) {
    const std::vector<recording::Input>& inputs = run.inputs[at_end ? 1 : 0];
    std::unique_ptr<recording::Recorder>& recorder = run.signals[at_end ? 1 : 0];
    recorder = std::make_unique<recording::Recorder>();
    recording::RecordedMachine machine(compact_text(model.description), *recorder, parameters);
    for (const double t : times_of_parts(model, inputs)) machine.follow_signals(inputs, at_end, t);
  }
}

}  // namespace

bool changes_between_steps(const CompiledModel& model) {
  const std::vector<ControlBlock>& blocks = model.hydraulics.control;
  return std::any_of(blocks.begin(), blocks.end(), [](const ControlBlock& b) { return b.changes_between_steps(); });
}

std::shared_ptr<const CompiledModel> by_general_steps(const std::shared_ptr<const CompiledModel>& model) {
  if (model->description.solver.compiled == CompiledKind::off) return model;
  Description description = model->description;
  description.solver.compiled = CompiledKind::off;
  return compile(std::move(description));
}

std::unique_ptr<RecordedSteps> record_run(const std::shared_ptr<const CompiledModel>& given, const RecordedPart& part,
                                          const RecordedParameters& parameters, const RecordingProgress& progress) {
  check(*given);
  const std::shared_ptr<const CompiledModel> model = by_general_steps(given);
  for (const std::string& path : parameters.paths) check(compact_text(model->description), path);
  auto run = std::make_unique<RecordedSteps>();
  RunFollower follower(*run, part, parameters.paths, progress);
  try {
    const std::vector<double> values = parameters.paths.empty() ? std::vector<double>() : values_of(model->description, parameters.paths);
    const auto follow_runs = [&](long most_steps) {
      run->steps = run->others = 0;
      run->ways.clear();
      run->failure.clear();
      follower.follow(model, values, most_steps);
      for (const std::vector<double>& row : parameters.rows) follower.follow(with_values(*model, parameters, row), row, most_steps);
    };
    follow_runs(1);  // for the signals that a step reads
    find_signals(*run);
    do {
      record_signals(*model, parameters.paths, *run);
      follow_runs(part.most_steps);
    } while (find_signals(*run));
    if (part.other_ways) follower.follow_other_ways();
    if (find_signals(*run)) record_signals(*model, parameters.paths, *run);
  } catch (const std::runtime_error& e) { refuse(fmt::format("the step at t = {:g} s", follower.time()), e.what()); }
  return run;
}

}  // namespace trunnion
