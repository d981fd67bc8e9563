// What the public interface adds to the engine, as ratios within one run, minima of alternating repetitions:
//   a step with 20 inputs set and 20 outputs read, and a step alone / the bare step of the stepper on the same states;
//   a batch of 1000 four-bars, 20 steps a call, per machine-step and thread / the bare step;
//   the same batch by compiled steps, without lanes and by lanes, machines alike and with masses of their own;
//   1024 excavators by lanes / the single general step, and how far their results are apart;
//   one parameter set and the machine started again, and the construction of a simulation on a shared model.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "file/model_file.h"
#include "front/content.h"
#include "machine/start.h"
#include "run/make_stepper.h"
#include "trunnion/trunnion.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string example(const std::string& name) { return std::string(TRUNNION_SOURCE_DIR) + "/examples/" + name + ".yaml"; }

/// The text of an example with 20 inputs that nothing depends on: setting them costs what it costs, and the motion stays the same.
std::string with_inputs(const std::string& name) {
  std::string text = trunnion::write_model(trunnion::load_model(example(name)));
  text += "inputs: {";
  for (int i = 0; i < 20; ++i) text += (i > 0 ? ", u" : "u") + std::to_string(i) + ": 0";
  return text + "}\n";
}

struct Ratio {
  double bare = 1e300, other = 1e300, alone = 1e300;  // [s] per step; alone: without inputs and outputs
};

/// Time of a step over an interval, of whose short pieces each counts with its least time: others may use the machine, too.
class LeastTime {
 public:
  template <class Step>
  void measure(Step&& step) {
    for (int piece = 0; piece < kPieces; ++piece) {
      const auto work = [&] {
        for (int i = 0; i < kPerPiece; ++i) step(piece * kPerPiece + i);
      };
      least_[piece] = std::min(least_[piece], seconds(work));
    }
  }
  double mean() const { return std::accumulate(least_.begin(), least_.end(), 0.0) / (kPieces * kPerPiece); }

 private:
  static constexpr int kPieces = 20, kPerPiece = 20;
  std::vector<double> least_ = std::vector<double>(kPieces, 1e300);
};

/// The first 20 channels that a step keeps no record of: numbers of the state, or all, which an observer evaluates; again from the first
/// where there are fewer.
std::vector<trunnion::ChannelIndex> outputs_of(const trunnion::Model& model, bool numbers_of_the_state) {
  using Kind = trunnion::ChannelPlace::Kind;
  constexpr std::size_t kOutputs = 20;
  std::vector<trunnion::ChannelIndex> outputs;
  const auto& places = model.content().channels().places;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].kind == Kind::state || (places[i].kind == Kind::observed && !numbers_of_the_state))
      outputs.push_back({static_cast<int>(i)});
  for (std::size_t i = 0; outputs.size() < kOutputs; ++i) outputs.push_back(outputs[i]);
  outputs.resize(kOutputs);
  return outputs;
}

/// Bare steps and steps through the interface, in alternation, over the same interval: after the first kLead steps, where the excavator
/// subdivides some, as a bare step does not.
Ratio step_ratio(const std::string& name, bool numbers_of_the_state) {
  constexpr int kLead = 600, kRepetitions = 30;
  const auto model = trunnion::Model::from_text(with_inputs(name));
  const auto compiled = trunnion::compile(trunnion::parse_model(with_inputs(name), "model"));
  const auto stepper = trunnion::make_stepper(compiled);
  const std::vector<trunnion::ChannelIndex> outputs = outputs_of(*model, numbers_of_the_state);
  std::vector<double> y(outputs.size());
  const double h = compiled->description.solver.step;
  trunnion::Simulation sim(model);
  sim.run_until(kLead * h);
  const trunnion::State start = sim.state();
  int failed = 0;
  LeastTime bare, alone, other;
  for (int r = 0; r < kRepetitions; ++r) {
    trunnion::StateVector state = start.content()->state;
    bare.measure([&](int i) {
      failed += stepper->step(state, h).ok() ? 0 : 1;
      state.time = (kLead + i + 1) * h;
    });
    sim.set_state(start);
    alone.measure([&](int) { failed += sim.try_step().ok() ? 0 : 1; });
    sim.set_state(start);
    other.measure([&](int i) {
      for (int k = 0; k < 20; ++k) sim.set(trunnion::InputIndex{k}, 1e-3 * i);
      failed += sim.try_step().ok() ? 0 : 1;
      sim.read(outputs, y.data());
    });
  }
  if (failed > 0) fmt::print("{}: {} steps failed\n", name, failed);
  return {bare.mean(), other.mean(), alone.mean()};
}

void batch_rate() {
  const auto model = trunnion::Model::load(example("four_bar"));
  const auto compiled = trunnion::compile(trunnion::load_model(example("four_bar")));
  constexpr int kMachines = 1000, kCalls = 10, kStepsPerCall = 20, kRepetitions = 5;
  for (const int threads : {1, 2}) {
    trunnion::BatchOptions options;
    options.threads = threads;
    Ratio best;
    for (int r = 0; r < kRepetitions; ++r) {
      const int cores = std::min<int>(threads, static_cast<int>(std::thread::hardware_concurrency()));
      const trunnion::StateVector start = trunnion::start_state(*compiled);
      // as many steppers at once as the batch has: cores may share memory, and their clock may depend on how many are busy
      const auto bare_steps = [&] {
        const auto stepper = trunnion::make_stepper(compiled);
        for (int m = 0; m < kMachines / cores; ++m) {
          trunnion::StateVector state = start;
          for (int i = 0; i < kCalls * kStepsPerCall; ++i)
            if (stepper->step(state, 1e-3).ok()) state.time = (i + 1) * 1e-3;
        }
      };
      best.bare = std::min(best.bare, seconds([&] {
                                        std::vector<std::jthread> others;
                                        for (int k = 1; k < cores; ++k) others.emplace_back(bare_steps);
                                        bare_steps();
                                      }) / (double(kMachines / cores) * kCalls * kStepsPerCall));
      trunnion::Batch fleet(model, kMachines, options);
      best.other = std::min(best.other, cores * seconds([&] {
                                          for (int i = 0; i < kCalls; ++i) (void)fleet.step(kStepsPerCall);
                                        }) / (double(kMachines) * kCalls * kStepsPerCall));
    }
    fmt::print("batch of {} four-bars, {} steps a call, {} threads: {:.0f} ns per machine-step and core, bare {:.0f} ns, rate {:.1f} %\n",
               kMachines, kStepsPerCall, threads, 1e9 * best.other, 1e9 * best.bare, 100 * best.bare / best.other);
  }
}

/// Values of a parameter, for each machine another one, within 10 % of the model's.
std::vector<double> values_apart(double value, int machines) {
  std::vector<double> values;
  for (int i = 0; i < machines; ++i) values.push_back(value * (0.9 + 0.2 * i / machines));
  return values;
}

/// [ns] per machine-step, one thread; `compiled`: solver.compiled.
double batch_of(const std::string& name, const char* parameter, const std::string& compiled, trunnion::Lanes lanes, std::string& remark) {
  constexpr int kMachines = 64, kStepsPerCall = 20, kCalls = 250, kRepetitions = 5;
  const auto model = trunnion::Model::load(example(name), {"solver.compiled=" + compiled});
  trunnion::BatchOptions options;
  options.lanes = lanes;
  if (parameter != nullptr) {
    options.parameters = {model->parameter(parameter)};
    options.values = values_apart(model->parameters()[static_cast<std::size_t>(options.parameters[0].number)].value, kMachines);
  }
  trunnion::Batch fleet(model, kMachines, options);
  remark = fleet.remark();
  double best = 1e300;
  for (int r = 0; r < kRepetitions; ++r) {
    fleet.reset();
    best = std::min(best, seconds([&] {
                            for (int i = 0; i < kCalls; ++i) (void)fleet.step(kStepsPerCall);
                          }) / (double(kMachines) * kCalls * kStepsPerCall));
  }
  return 1e9 * best;
}

void lanes() {
  for (const char* compiled : {"on", "off"})
    for (const auto& [name, mass] : {std::pair{"four_bar", "bodies.crank.rod.mass"},
                                     {"lever", "bodies.lever.rod.mass"},
                                     {"crane_single", "bodies.jib.point_mass.mass"}})
      for (const char* parameter : {static_cast<const char*>(nullptr), mass}) {
        std::string remark;
        const double single = batch_of(name, parameter, compiled, trunnion::Lanes::off, remark);
        const double by_lanes = batch_of(name, parameter, compiled, trunnion::Lanes::automatic, remark);
        fmt::print("batch of 64, {}{}, solver.compiled {}: {:.0f} ns per machine-step, by lanes {:.0f} ns, ratio {:.3f} ({})\n", name,
                   parameter != nullptr ? ", masses apart" : "", compiled, single, by_lanes, by_lanes / single, remark);
      }
}

/// Time [ns] per machine-step of excavators over the first second of their run, and the angle of the boom [rad] of the first one at its end.
std::pair<double, double> excavators(int machines, trunnion::Lanes lanes, bool apart, std::string& remark) {
  constexpr int kStepsPerCall = 20, kCalls = 50, kRepetitions = 3;
  const char* const compiled = lanes == trunnion::Lanes::off ? "solver.compiled=off" : "solver.compiled=on";
  const auto model = trunnion::Model::load(example("excavator"), {compiled});
  trunnion::BatchOptions options;
  options.lanes = lanes;
  options.outputs = {model->channel("boom.angle")};
  if (apart) {
    options.parameters = {model->parameter("bodies.bucket.mass")};
    options.values = values_apart(model->parameters()[static_cast<std::size_t>(options.parameters[0].number)].value, machines);
  }
  trunnion::Batch fleet(model, machines, options);
  remark = fleet.remark();
  double best = 1e300;
  for (int r = 0; r < kRepetitions; ++r) {
    fleet.reset();
    best = std::min(best, seconds([&] {
                            for (int i = 0; i < kCalls; ++i) (void)fleet.step(kStepsPerCall);
                          }) / (double(machines) * kCalls * kStepsPerCall));
  }
  std::vector<double> angle(static_cast<std::size_t>(machines));
  fleet.read(angle.data());
  return {1e9 * best, angle.front()};
}

void lockstep() {
  constexpr int kMachines = 1024;
  for (const bool apart : {false, true}) {
    std::string remark;
    const auto [single, angle] = excavators(1, trunnion::Lanes::off, apart, remark);
    const auto [by_lanes, other] = excavators(kMachines, trunnion::Lanes::automatic, apart, remark);
    fmt::print(
        "batch of {} excavators{} by lanes: {:.0f} ns per machine-step, single general step {:.0f} ns, ratio {:.3f} ({}); {:.1e} rad\n",
        kMachines, apart ? ", masses apart," : "", by_lanes, single, by_lanes / single, remark, std::abs(other - angle));
  }
}

void construction() {
  for (const auto& [name, path] : {std::pair{"excavator", "bodies.boom"}, {"four_bar", "cylinders.lift.bore"}}) {
    const auto model = trunnion::Model::load(example(name));
    trunnion::Simulation sim(model);
    trunnion::ParameterIndex parameter{0};
    for (int i = 0; i < static_cast<int>(model->parameters().size()); ++i)
      if (model->parameters()[static_cast<std::size_t>(i)].name.starts_with(path)) parameter.number = i;
    const double value = sim.value(parameter);
    double set = 1e300, made = 1e300;
    for (int r = 0; r < 50; ++r) {
      set = std::min(set, seconds([&] {
                       sim.set_parameter(parameter, value * (1 + 1e-6 * r));
                       sim.restart();
                     }));
      made = std::min(made, seconds([&] { trunnion::Simulation another(model); }));
    }
    fmt::print("{}: one parameter ({}) set and started again {:.0f} us; a simulation on a shared model {:.0f} us\n", name,
               model->parameters()[static_cast<std::size_t>(parameter.number)].name, 1e6 * set, 1e6 * made);
  }
}

}  // namespace

int main() {
  for (const char* name : {"four_bar", "crane_single", "excavator"})
    for (const bool plain : {true, false}) {
      const Ratio r = step_ratio(name, plain);
      fmt::print("{}: a step with 20 inputs set and 20 {} read {:.0f} ns, alone {:.0f} ns, bare {:.0f} ns, ratios {:.3f}, {:.3f}\n", name,
                 plain ? "numbers of the state" : "channels", 1e9 * r.other, 1e9 * r.alone, 1e9 * r.bare, r.other / r.bare,
                 r.alone / r.bare);
    }
  batch_rate();
  lanes();
  lockstep();
  construction();
}
