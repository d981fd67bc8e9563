// Cost of co-simulation: the master alone, with empty subsystems, per communication step; then every scheme on the cranes per simulated
// second, compared with the monolithic step of 1 ms.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cosimulation/cosimulation.h"
#include "file/model_file.h"
#include "run/run.h"

namespace {

using namespace trunnion;

class NoMechanism final : public MechanismSubsystem {
 public:
  explicit NoMechanism(int ports) : ports_(ports) {}
  void restore(const StateVector&) override {}
  void save(StateVector&) const override {}
  void set_inputs(const TimePolynomial*) override {}
  StepOutcome do_step(double) override { return {}; }
  void get_outputs(double* values) const override { std::fill_n(values, 3 * ports_, 1.0); }
  bool restart() override { return true; }
  bool interface_model(double* W, double* b) override {
    std::fill_n(W, ports_ * ports_, 1.0);
    std::fill_n(b, ports_, 1.0);
    return true;
  }
  void port_forces(double* F) override { std::fill_n(F, ports_, 1.0); }
  void set_linear_oil(const LinearOil*) override {}

 private:
  const int ports_;
};

class NoOil final : public HydraulicSubsystem {
 public:
  NoOil(std::vector<int> ports, int outputs) : ports_(std::move(ports)), outputs_(outputs), zero_(ports_.size()) {}
  const std::vector<int>& ports() const override { return ports_; }
  void restore(const StateVector&) override {}
  void save(StateVector&) const override {}
  void set_inputs(const TimePolynomial*) override {}
  void set_interface_model(const InterfaceModel*) override {}
  StepOutcome do_step(double) override { return {}; }
  void get_outputs(double* values) const override { std::fill_n(values, outputs_ * static_cast<int>(ports_.size()), 1.0); }
  bool restart() override { return true; }
  const double* impulse() const override { return zero_.data(); }
  const double* impulse_moment() const override { return zero_.data(); }
  const double* displacement() const override { return zero_.data(); }
  const double* rate() const override { return zero_.data(); }
  void linearise(double, LinearOil&) override {}

 private:
  const std::vector<int> ports_;
  const int outputs_;
  const std::vector<double> zero_;
};

struct Scheme {
  const char* name;
  std::vector<std::string> settings;
};
const std::vector<Scheme> kSchemes{
    {"jacobi, order 1", {}},
    {"jacobi, order 3", {"coupling.extrapolation=3"}},
    {"gauss_seidel", {"coupling.scheme=gauss_seidel"}},
    {"interface model", {"coupling.prediction=interface_model"}},
    {"sequential", {"coupling.scheme=sequential"}},
    {"parallel", {"coupling.scheme=parallel"}},
};

std::shared_ptr<const CompiledModel> crane(const std::string& name, std::vector<std::string> settings) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  return compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/" + name + ".yaml", overrides));
}

double seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

/// [ns] of the master per communication step, best of several runs.
double overhead(const CosimulationDescription& settings, int ports) {
  CouplingPlan plan;
  plan.settings = settings;
  for (int i = 0; i < ports; ++i) plan.ports.push_back({"port", 1e-3, 1e-3});
  const int efforts = exchanges_pressures(settings) ? 2 : 1;
  std::vector<std::unique_ptr<HydraulicSubsystem>> oil;
  const bool together = settings.scheme >= CouplingScheme::sequential || settings.prediction == CouplingPrediction::interface_model;
  if (together) {
    std::vector<int> all;
    for (int i = 0; i < ports; ++i) all.push_back(i);
    oil.push_back(std::make_unique<NoOil>(all, efforts));
  } else {
    for (int i = 0; i < ports; ++i) oil.push_back(std::make_unique<NoOil>(std::vector{i}, efforts));
  }
  Cosimulation master(plan, std::make_unique<NoMechanism>(ports), std::move(oil));
  StateLayout layout;
  layout.coupling = CouplingMemory(ports, efforts == 2).size();
  StateVector state(layout);
  constexpr int kSteps = 20000;
  double best = 1e300;
  for (int repetition = 0; repetition < 10; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kSteps; ++i) master.step(state, 1e-3);
    best = std::min(best, 1e9 * seconds(start) / kSteps);
  }
  return best;
}

/// [us] per simulated second, best of several runs.
double cost(const std::shared_ptr<const CompiledModel>& model) {
  double best = 1e300;
  for (int repetition = 0; repetition < 3; ++repetition) {
    Runner run(model);
    run.advance(3);
    best = std::min(best, 1e6 * run.statistics().step_seconds / 3);
  }
  return best;
}

}  // namespace

int main() {
  fmt::print("master alone, ns per communication step:  one, two, three cylinders\n");
  for (const Scheme& scheme : kSchemes) {
    const CosimulationDescription settings = crane("crane_single", scheme.settings)->description.coupling;
    fmt::print("  {:<18} {:6.0f} {:6.0f} {:6.0f}\n", scheme.name, overhead(settings, 1), overhead(settings, 2), overhead(settings, 3));
  }
  for (const char* name : {"crane_single", "crane_double"}) {
    fmt::print("{}, us per simulated second:  monolithic at 1 ms {:.0f}\n", name, cost(crane(name, {})));
    for (const char* step : {"1 ms", "10 ms"})
      for (const Scheme& scheme : kSchemes) {
        if (std::string(step) == "10 ms" && scheme.settings != std::vector<std::string>{"coupling.scheme=sequential"} &&
            scheme.settings != std::vector<std::string>{"coupling.scheme=parallel"})
          continue;  // the others are unstable at this step
        std::vector<std::string> settings = scheme.settings;
        settings.insert(settings.end(), {"solver.coupling=cosimulation", std::string("coupling.step=") + step});
        fmt::print("  {:<18} at {:<6} {:8.0f}\n", scheme.name, step, cost(crane(name, settings)));
      }
  }
}
