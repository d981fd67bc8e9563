// A sweep of 10,000 runs of examples/lever.yaml (5 s each, 5000 steps) with random bore, load and friction on 2 threads, one key figure kept: the time
// on the clock and of the processor, beside the steps alone of as many runs, which are the limit of what a sweep can save.
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

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 10000;
  SweepRequest request;
  request.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";
  request.vary = {"cylinders.lift.bore=40:80 mm", "bodies.lever.rod.mass=80:120 kg", "cylinders.lift.friction.coulomb=50:200 N"};
  request.sample = "lhs:" + std::to_string(runs) + ",1";
  request.kpis = {"p=max(piston_side.pressure)"};
  const std::string folder = (std::filesystem::temp_directory_path() / ("trunnion_sweep_benchmark_" + std::to_string(getpid()))).string();
  const double steps = steps_of_a_run(SweepPlan(request).reference());
  const double cpu = cpu_seconds(), clock = clock_seconds();
  const SweepOutcome outcome = sweep_to_folder(request, folder, kThreads, false);
  const double whole = clock_seconds() - clock, used = cpu_seconds() - cpu;
  std::filesystem::remove_all(folder);
  std::printf("%d runs of lever.yaml on %d threads, %zu completed: %.2f s, %.2f ms of processor time per run\n", runs, kThreads,
              outcome.completed, whole, 1e3 * used / runs);
  std::printf("steps alone: %.2f ms per run; a sweep takes %.2f of that\n", 1e3 * steps, used / runs / steps);
  return outcome.completed > 0 ? 0 : 1;
}
