// The step of the four-bar (Brown-McPhee, 1 ms, 10 s) compared with the hand-written program for this mechanism, in the
// same run: ns per step over blocks of steps, and their ratio. Then steps by generated code (solver.compiled), the first time with
// their compilation, the other friction models, the cranes, both treatments of the constraints on every machine with loops, both families
// of coordinates, the excavator with a controller over the one without, and the residual of open chains of 1 to 1000 bodies with the fitted
// exponent of its cost.
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "file/model_file.h"
#include "mechanics/mechanism.h"
#include "run/run.h"

namespace {

using namespace trunnion;

std::shared_ptr<const CompiledModel> load(const std::string& example, const std::vector<std::string>& settings = {}) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  return compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/" + example, overrides));
}

struct Timing {
  double nanoseconds = 0;  // per step, the best of the repetitions
  double iterations = 0;   // mean per step
};

/// A whole run, several times; time inside steps only, measured around blocks of steps.
Timing time_run(const std::shared_ptr<const CompiledModel>& model, int repetitions) {
  Timing best{1e300, 0};
  for (int i = 0; i < repetitions; ++i) {
    Runner run(model);
    run.advance(model->description.solver.duration);
    const RunStatistics& s = run.statistics();
    best.nanoseconds = std::min(best.nanoseconds, 1e9 * s.step_seconds / static_cast<double>(s.steps));
    best.iterations = s.mean_iterations();
  }
  return best;
}

/// Runs a hand-written program; returns its ns per step, or a negative number.
double time_program(const std::string& program) {
  FILE* pipe = popen((program + " 20").c_str(), "r");
  if (pipe == nullptr) return -1;
  double ns = -1;
  if (std::fscanf(pipe, "ns_per_step %lf", &ns) != 1) ns = -1;
  pclose(pipe);
  return ns;
}

void report_ratio() {
  const auto model = load("four_bar.yaml");
  // alternating, so that drift of the computer's speed favours neither
  std::vector<double> ratios;
  double limit = 1e300, engine = 1e300;
  Timing timing;
  for (int i = 0; i < 5; ++i) {
    const double l = time_program(TRUNNION_FOUR_BAR_LIMIT);
    timing = time_run(model, 20);
    ratios.push_back(timing.nanoseconds / l);
    limit = std::min(limit, l);
    engine = std::min(engine, timing.nanoseconds);
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print(
      "four-bar, Brown-McPhee, 1 ms, 10 s:  limit {:.0f} ns/step,  engine {:.0f} ns/step ({:.3f} iterations),  ratio {:.2f} (median of 5 "
      "pairs, {:.2f} to {:.2f})\n",
      limit, engine, timing.iterations, ratios[2], ratios.front(), ratios.back());
}

void report_models() {
  for (const char* friction : {"none", "coulomb_viscous", "bengisu_akay", "brown_mcphee", "lugre", "modified_lugre"})
    for (const char* states : {"monolithic", "local"}) {
      if (std::string(states) == "local" && std::string(friction).find("lugre") == std::string::npos) continue;
      const Timing t = time_run(load("four_bar.yaml", {std::string("cylinders.lift.friction.model=") + friction,
                                                       std::string("cylinders.lift.friction.states=") + states}),
                                5);
      fmt::print("four-bar, {:<16} {:<11} {:7.0f} ns/step  {:.3f} iterations\n", friction, states, t.nanoseconds, t.iterations);
    }
  const Timing difference = time_run(load("four_bar.yaml", {"solver.tangent=forward_difference"}), 3);
  fmt::print("four-bar, brown_mcphee, forward-difference tangent {:7.0f} ns/step  {:.3f} iterations\n", difference.nanoseconds,
             difference.iterations);
  const std::pair<const char*, const char*> planar_cranes[] = {
      {"crane_single.yaml", "crane with one cylinder (2 velocities, 3 pressures)"},
      {"crane_double.yaml", "crane with two cylinders (2 velocities, 6 pressures)"},
      {"crane_triple.yaml", "crane with three cylinders (3 velocities, 9 pressures)"}};
  for (const auto& [example, text] : planar_cranes) {
    const Timing t = time_run(load(example), 20);
    fmt::print("{:<54} {:7.0f} ns/step  {:.3f} iterations\n", text, t.nanoseconds, t.iterations);
  }
  const Timing crane = time_run(load("slewing_crane.yaml"), 5);
  fmt::print("slewing crane in space (5 velocities, 6 pressures) {:7.0f} ns/step  {:.3f} iterations\n", crane.nanoseconds,
             crane.iterations);
}

/// Two solutions of one machine, alternating, so that drift of the computer's speed favours neither: the second over the first.
void report_pair(const char* example, const std::string& first, const std::string& second, int repetitions) {
  const auto a = load(example, {"solver." + first}), b = load(example, {"solver." + second});
  std::vector<double> ratios;
  Timing at, bt;
  double best_a = 1e300, best_b = 1e300;
  for (int i = 0; i < 7; ++i) {
    at = time_run(a, repetitions);
    bt = time_run(b, repetitions);
    ratios.push_back(bt.nanoseconds / at.nanoseconds);
    best_a = std::min(best_a, at.nanoseconds);
    best_b = std::min(best_b, bt.nanoseconds);
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print("{:<26} {} {:5.0f} ns/step {:.3f} iterations,  {} {:5.0f} ns/step {:.3f} iterations,  ratio {:.2f} (median of 7)\n", example,
             first.substr(first.find('=') + 1), best_a, at.iterations, second.substr(second.find('=') + 1), best_b, bt.iterations,
             ratios[3]);
}

/// Steps by generated code against general ones, and against the four-bar's hand-written program.
void report_compiled() {
  const auto model = load("four_bar.yaml", {"solver.compiled=on"});
  std::vector<double> ratios;
  for (int i = 0; i < 7; ++i) {
    const double by_hand = time_program(TRUNNION_FOUR_BAR_SPECIALISED);
    ratios.push_back(time_run(model, 20).nanoseconds / by_hand);
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print("four-bar, compiled step over the program by hand: ratio {:.2f} (median of 7, {:.2f} to {:.2f})\n", ratios[3], ratios.front(),
             ratios.back());
  for (const char* example : {"four_bar.yaml", "crane_single.yaml", "lever.yaml", "slewing_crane.yaml", "forwarder_crane.yaml",
                              "articulated_loader.yaml", "excavator.yaml"})
    report_pair(example, "compiled=off", "compiled=on", 1);
}

/// Both treatments of the constraints on the machines with loops.
void report_treatments() {
  for (const char* example : {"four_bar.yaml", "four_bar_lift.yaml", "quick_return.yaml", "spatial_slider_crank.yaml"})
    report_pair(example, "constraints=penalty", "constraints=double_step", 5);
}

/// Both families of coordinates.
void report_coordinates() {
  for (const char* example :
       {"crane_single.yaml", "crane_double.yaml", "four_bar.yaml", "quick_return.yaml", "slewing_crane.yaml", "spatial_slider_crank.yaml"})
    report_pair(example, "coordinates=relative", "coordinates=cartesian", 1);
}

/// `text` with `inserted` before its first `mark`.
std::string with(std::string text, const std::string& mark, const std::string& inserted) { return text.insert(text.find(mark), inserted); }

/// The first 3 s of two models in alternation, in short pieces of which each counts with its least time: others may use the machine, too.
std::pair<Timing, Timing> time_pair(const std::shared_ptr<const CompiledModel>& a, const std::shared_ptr<const CompiledModel>& b) {
  constexpr int kRepetitions = 30, kPieces = 150;
  constexpr double kPiece = 0.02;  // [s]
  Timing timing[2];
  std::vector<double> least[2];
  for (int i = 0; i < 2 * kRepetitions; ++i) {
    const int which = i % 2;
    std::vector<double>& times = least[which];
    times.resize(kPieces, 1e300);
    Runner run(which == 0 ? a : b);
    double before = 0;
    for (int k = 0; k < kPieces; ++k) {
      run.advance(kPiece * (k + 1));
      const double now = run.statistics().step_seconds;
      times[static_cast<std::size_t>(k)] = std::min(times[static_cast<std::size_t>(k)], now - before);
      before = now;
    }
    const RunStatistics& s = run.statistics();
    timing[which] = {1e9 * std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(s.steps), s.mean_iterations()};
  }
  return {timing[0], timing[1]};
}

/// The excavator with a controller that moves its boom as its lever does without one, over the excavator.
void report_controller() {
  const std::string path = std::string(TRUNNION_SOURCE_DIR) + "/examples/excavator.yaml";
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto without = compile(load_model(path));
  const auto& tree = std::get<Mechanism<3>>(without->mechanism).tree;
  const auto& names = without->coordinate_names;
  const int boom = tree.nodes[tree.dof_node[std::find(names.begin(), names.end(), "boom.angle") - names.begin()]].q;
  std::string course;
  Runner run(without);
  for (int k = 0; k <= 200; ++k) {
    run.advance(0.1 * k);
    course += fmt::format("{}[{:.1f} s, {:.9f} rad]", k == 0 ? "" : ", ", 0.1 * k, run.state().q()[boom]);
  }
  text = with(text, "  boom:    {ramps", "  boom_to: {table: [" + course + "], smooth: true}\n");
  text = with(text, "solver:",
              "control: {boom_pid: {pid: {setpoint: boom_to, measurement: boom.angle, feedforward: boom, gain: 8, integral_time: 1 s, "
              "min: -1, max: 1}}}\nparts: {boom_function: {lever: boom_pid}}\n");
  const auto controlled = compile(parse_model(text, path));
  const auto [a, b] = time_pair(without, controlled);
  fmt::print("excavator {:.0f} ns/step {:.3f} iterations, with a controller {:.0f} ns/step {:.3f} iterations, ratio {:.3f} (minima)\n",
             a.nanoseconds, a.iterations, b.nanoseconds, b.iterations, b.nanoseconds / a.nanoseconds);
}

/// An open chain of rods, planar or spatial: the first joint spherical, every second axis transverse.
std::shared_ptr<const CompiledModel> chain(int bodies, bool planar) {
  Description d;
  for (int i = 0; i < bodies; ++i) {
    const std::string name = fmt::format("b{}", i);
    d.bodies.push_back({name, BodyDescription{{RodShape{1, 1, 0.1}}}});
    JointDescription joint;
    joint.kind = !planar && i == 0 ? JointKind::spherical : JointKind::revolute;
    joint.parent = i == 0 ? "ground" : fmt::format("b{}", i - 1);
    joint.at = {i == 0 ? 0.0 : 1.0, 0, 0};
    joint.axis = planar || i % 2 == 0 ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0};
    joint.coordinate = 0.1;
    joint.rate = 0.2;
    d.joints.push_back({name, joint});
  }
  return compile(d);
}

template <int D>
double time_residual(const CompiledModel& model) {
  const auto& m = std::get<Mechanism<D>>(model.mechanism);
  MechanismState<D> state(m);
  std::vector<double> a(m.tree.nv, 0.3), r(m.tree.nv);
  const int repetitions = std::max(20, 200000 / m.tree.nv);
  double best = 1e300;
  for (int block = 0; block < 10; ++block) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < repetitions / 10; ++i) {
      update_positions<D, double>(m, model.q_start.data(), nullptr, state);
      update_rates<D, double>(m, model.v_start.data(), a.data(), state);
      inverse_dynamics<D, double>(m, model.q_start.data(), model.v_start.data(), false, state, r.data());
      benchmark::DoNotOptimize(r.data());
    }
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / (repetitions / 10));
  }
  return best;
}

template <int D>
void report_chain(const char* name) {
  // least-squares slope of log(time) over log(bodies) from 10 bodies on, where the fixed cost is negligible
  double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
  fmt::print("residual of an open chain, {}: ", name);
  for (int bodies : {1, 10, 100, 1000}) {
    const double ns = time_residual<D>(*chain(bodies, D == 2));
    fmt::print(" {} {:.0f} ns,", bodies, ns);
    if (bodies < 10) continue;
    const double x = std::log(bodies), y = std::log(ns);
    sx += x, sy += y, sxx += x * x, sxy += x * y, n += 1;
  }
  fmt::print("  cost ~ bodies^{:.2f}\n", (n * sxy - sx * sy) / (n * sxx - sx * sx));
}

void BM_FourBarStep(benchmark::State& state) {
  const auto model = load("four_bar.yaml");
  auto run = std::make_unique<Runner>(model);
  for (auto _ : state) {
    if (run->state().time >= model->description.solver.duration - 1e-9) {
      state.PauseTiming();
      run = std::make_unique<Runner>(model);
      state.ResumeTiming();
    }
    run->step();
  }
}
BENCHMARK(BM_FourBarStep)->Iterations(100000);

}  // namespace

int main(int argc, char** argv) {
  report_ratio();
  report_compiled();
  report_models();
  report_treatments();
  report_coordinates();
  report_controller();
  report_chain<2>("plane");
  report_chain<3>("space");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
