// The ladder of N windows (tests/support/ladder.h), N = 1 to 1000: time per step with each treatment of the constraints, the fitted
// exponent of its growth from N = 10 on, and the cost before the first step.
//   ladder_benchmark [N [penalty|double_step]]    the table, up to N windows, of both treatments or one
//   ladder_benchmark --model N                    the model file of N windows
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "machine/analyse.h"
#include "run/run.h"
#include "support/ladder.h"

namespace {

using namespace trunnion;

/// Processor time of this program [s]: other programs are excluded.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Slope of log(y) over log(x) by least squares.
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

struct Cost {
  double start, step;  // [s] before the first step; per step, the best of many blocks of steps
  double iterations;   // mean per step
};

Cost cost_of(int windows, const std::string& constraints) {
  constexpr double kUpright = 0.5;  // [s] well before the ladder lies flat, where double-step fails
  const std::string text = test::ladder_model(windows, "step: 1 ms, duration: 30 s, constraints: " + constraints);
  const double begin = now();
  const auto model = compile(parse_model(text, "ladder.yaml"));
  const Analysis analysis = analyse(*model);
  if (analysis.degrees_of_freedom != 1) throw Error("the ladder has one degree of freedom");
  Runner run(model);
  Cost cost{now() - begin, 1e300, 0};
  const StateVector start = run.state();
  const int steps = std::clamp(1000 / windows, 10, 400), blocks = std::max(20, 3000 / steps);
  for (int block = 0; block < blocks; ++block) {
    if (run.state().time + steps * model->description.solver.step > kUpright) run.restore(start);
    const double before = now();
    for (int step = 0; step < steps; ++step) run.step();
    cost.step = std::min(cost.step, (now() - before) / steps);
  }
  cost.iterations = run.statistics().mean_iterations();
  return cost;
}

void report(const std::string& constraints, int largest) {
  std::vector<double> sizes, steps;
  fmt::print("ladder, {}\n  windows   before the first step [ms]   per step [us]   per step and window [us]   iterations\n", constraints);
  for (int windows : {1, 10, 30, 100, 300, 1000}) {
    if (windows > largest) break;
    const Cost c = cost_of(windows, constraints);
    fmt::print("  {:7} {:28.1f} {:15.1f} {:26.2f} {:12.2f}\n", windows, 1e3 * c.start, 1e6 * c.step, 1e6 * c.step / windows, c.iterations);
    std::fflush(stdout);
    if (windows < 10) continue;
    sizes.push_back(windows);
    steps.push_back(c.step);
  }
  if (sizes.size() > 1) fmt::print("  time per step ~ windows^{:.2f} from 10 windows on\n", exponent(sizes, steps));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--model") {
    std::fputs(test::ladder_model(std::atoi(argv[2]), "step: 1 ms, duration: 5 s").c_str(), stdout);
    return 0;
  }
  const int largest = argc > 1 ? std::atoi(argv[1]) : 1000;
  for (const char* constraints : {"penalty", "double_step"})
    if (argc < 3 || argv[2] == std::string(constraints)) report(constraints, largest);
  return 0;
}
