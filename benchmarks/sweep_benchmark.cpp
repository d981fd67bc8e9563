// A sweep of 10,000 runs of examples/lever.yaml (5 s each, 5000 steps) with random bore, load and friction on 2 threads, one key figure kept: the time
// on the clock and of the processor, beside the steps alone of as many runs, which are the limit of what a sweep can save; then by compiled steps,
// beside the time to make these.
//   sweep_benchmark [RUNS]
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

#include "run/step_loop.h"
#include "studies/sweep.h"

namespace {

using namespace trunnion;

constexpr int kThreads = 2, kTrials = 5;

double clock_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
/// Of the processors, all threads together.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Processor time [s] of the steps of one run, the least of some.
double steps_of_a_run(const std::shared_ptr<const CompiledModel>& model) {
  const double duration = model->description.solver.duration;
  double least = 1e300;
  for (int trial = 0; trial < kTrials; ++trial) {
    StepLoop loop(model, start_of(model, StartKind::given));
    const double begin = cpu_seconds();
    while (!loop.schedule().reached(loop.state().time, duration)) {
      if (loop.restart_due()) loop.restart();
      if (!loop.step(duration, nullptr).ok()) std::abort();
    }
    least = std::min(least, cpu_seconds() - begin);
  }
  return least;
}

struct Sweep {
  double clock, cpu;
  std::size_t completed;
};

Sweep sweep(const SweepRequest& request, const std::string& folder) {
  const double cpu = cpu_seconds(), clock = clock_seconds();
  const SweepOutcome outcome = sweep_to_folder(request, folder, kThreads, true);
  return {clock_seconds() - clock, cpu_seconds() - cpu, outcome.completed};
}

void print(const char* what, int runs, const Sweep& s) {
  std::printf("%d runs of lever.yaml on %d threads, %s, %zu completed: %.2f s, %.2f ms of processor time per run\n", runs, kThreads, what,
              s.completed, s.clock, 1e3 * s.cpu / runs);
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 10000;
  SweepRequest request;
  request.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";
  request.vary = {"cylinders.lift.bore=40:80 mm", "bodies.lever.rod.mass=80:120 kg", "cylinders.lift.friction.coulomb=50:200 N"};
  request.sample = "lhs:" + std::to_string(runs) + ",1";
  request.kpis = {"p=max(piston_side.pressure)"};
  const std::string folder = (std::filesystem::temp_directory_path() / ("trunnion_sweep_benchmark_" + std::to_string(getpid()))).string();
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);  // of the compiled steps
  const double steps = steps_of_a_run(SweepPlan(request).reference());
  const Sweep general = sweep(request, folder);
  print("general steps", runs, general);
  std::printf("steps alone: %.2f ms per run; a sweep takes %.2f of that\n", 1e3 * steps, general.cpu / runs / steps);
  request.overrides = {{"solver.compiled", "on"}};
  const double before = clock_seconds();
  steps_of_a_run(SweepPlan(request).reference());
  const double made = clock_seconds() - before;
  const Sweep compiled = sweep(request, folder);
  print("compiled steps", runs, compiled);
  std::printf("made in %.2f s; general / compiled %.2f\n", made, general.clock / compiled.clock);
  std::filesystem::remove_all(folder);
  return general.completed > 0 && compiled.completed == general.completed ? 0 : 1;
}
