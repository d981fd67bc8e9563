// Recording of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/record_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>

#include "base/diagnostic.h"
#include "description/integrators.h"
#include "machine/start.h"
#include "recording/c_source.h"
#include "recording/recorded_machine.h"
#include "run/step_loop.h"
#include "schema/compact.h"

namespace trunnion {

namespace {

// of the ways that the run did not take
constexpr std::size_t kMostOperations = 20'000, kGrowth = 1;  // beyond those of the run, and in proportion to them
constexpr int kRounds = 3;
constexpr long kFirstSteps = 50;  // followed always

[[noreturn]] void refuse(const std::string& what, const std::string& instead) {
  throw Error(fmt::format("{} has no recorded step: {}", what, instead));
}

void check(const CompiledModel& model) {
  const SolverDescription& solver = model.description.solver;
  if (solver.coupling != CouplingKind::monolithic) refuse("solver.coupling: a co-simulation", "use `monolithic`");
  if (!integrator_of(solver).is_implicit())
    refuse(fmt::format("solver.integrator: {}", integrator_of(solver).word), "use an implicit fixed-step integrator, such as trapezoidal");
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

/// A step of the run and the turns by which its evaluation reaches a block.
struct Origin {
  std::size_t sample = 0;
  std::vector<recording::Recorder::Turn> turns;
};
struct Sample {
  StateVector state;
  double h = 0;
};

/// Of the last evaluation.
double operations_of_way(const recording::Recorder& recording) {
  std::size_t count = 0;
  for (const int block : recording.way()) count += recording.blocks()[static_cast<std::size_t>(block)].nodes.size();
  return static_cast<double>(count);
}

/// Records the way of a step with turns. `origin` grows by the new blocks.
void record_turn(recording::RecordedMachine& machine, const std::vector<Sample>& samples, const Origin& from, std::vector<Origin>& origin,
                 recording::Recorder& recording) {
  const Sample& sample = samples[from.sample];
  try {
    machine.follow(sample.state.values().data(), sample.state.time, sample.h, recording, from.turns);
  } catch (const std::exception&) {
    // no way for these numbers
  }
  origin.resize(recording.blocks().size(), from);
}

/// Records ways that the run did not take: at branches of which other steps took the other side, in the order of their visits.
void record_other_ways(recording::RecordedMachine& machine, const std::vector<Sample>& samples, std::vector<Origin>& origin,
                       recording::Recorder& recording) {
  const std::size_t most = kMostOperations + kGrowth * recording.operations().size();
  for (int round = 0; round < kRounds; ++round)
    for (const recording::Recorder::Turn& turn : recording.open_turns()) {
      if (recording.operations().size() > most) return;
      Origin from = origin[static_cast<std::size_t>(turn.block)];
      from.turns.push_back(turn);
      record_turn(machine, samples, from, origin, recording);
    }
}

}  // namespace

std::shared_ptr<const CompiledModel> by_general_steps(const std::shared_ptr<const CompiledModel>& model) {
  if (model->description.solver.compiled == CompiledKind::off) return model;
  Description description = model->description;
  description.solver.compiled = CompiledKind::off;
  return compile(std::move(description));
}

std::unique_ptr<RecordedRun> record_run(const std::shared_ptr<const CompiledModel>& given, const RecordedPart& part) {
  check(*given);
  const std::shared_ptr<const CompiledModel> model = by_general_steps(given);
  auto run = std::make_unique<RecordedRun>();
  recording::RecordedMachine machine(compact_text(model->description));
  const double duration = model->description.solver.duration;
  StepLoop loop(model, start_state(*model));
  run->start = loop.state();
  double time = 0;
  const double planned = std::min(std::ceil(duration / grid_step(model->description)), static_cast<double>(part.most_steps));
  long stride = 1;
  std::set<std::pair<int, int>> counts;  // of iterations, that occurred
  std::vector<Sample> samples;           // one per way
  std::vector<Origin> origin;            // per block
  try {
    while (!loop.schedule().reached(loop.state().time, duration) && run->steps < part.most_steps) {
      time = loop.state().time;
      if (loop.restart_due()) {
        machine.follow_restart(loop.state().values().data(), time, run->restart);
        if (!loop.restart()) break;
      }
      const StepOutcome outcome = loop.step(duration, nullptr);
      if (!outcome.ok()) break;
      ++run->steps;
      const StateVector& before = loop.before();
      const bool whole = outcome.parts == 1 && !outcome.resolved && outcome.status == StepStatus::converged;
      if (!whole) {
        ++run->others;
        continue;
      }
      const bool is_new = counts.insert({outcome.iterations, outcome.position_iterations}).second;
      if (run->steps > kFirstSteps && run->steps % stride != 0 && !is_new) continue;
      const double h = loop.state().time - time;
      if (machine.follow(before.values().data(), time, h, run->step) != recording::RecordedMachine::converged()) ++run->others;
      if (run->steps <= kFirstSteps) stride = std::max(stride, std::lround(planned * operations_of_way(run->step) / part.most_operations));
      const std::vector<recording::Recorder::Turn> close = run->step.close_turns();
      if (origin.size() < run->step.blocks().size() || !close.empty()) samples.push_back({before, h});
      origin.resize(run->step.blocks().size(), {samples.size() - 1, {}});
      if (!part.other_ways) continue;
      for (const recording::Recorder::Turn& turn : close)
        if (run->step.blocks()[static_cast<std::size_t>(turn.block)].next[turn.side ? 1 : 0] < 0)
          record_turn(machine, samples, {samples.size() - 1, {turn}}, origin, run->step);
    }
    if (part.other_ways) record_other_ways(machine, samples, origin, run->step);
    if (run->steps < part.most_steps && !loop.schedule().reached(loop.state().time, duration)) run->failure = loop.failure().what();
    for (const bool at_end : {false, true}) {
      std::vector<recording::Input>& inputs = run->inputs[at_end ? 1 : 0];
      inputs = recording::signal_inputs(run->step, at_end);
      // those of a restart follow
      for (const recording::Input& input : recording::signal_inputs(run->restart, at_end))
        if (std::find(inputs.begin(), inputs.end(), input) == inputs.end()) inputs.push_back(input);
      for (const double t : times_of_parts(*model, inputs)) machine.follow_signals(inputs, at_end, t, run->signals[at_end ? 1 : 0]);
    }
  } catch (const std::runtime_error& e) { refuse(fmt::format("the step at t = {:g} s", time), e.what()); }
  return run;
}

}  // namespace trunnion
