// Everything that threads share, for the thread sanitizer: one model by many simulations, its names made when first needed, batches, a
// co-simulation on threads, the errors of the C interface. Ends with 0 if all results are those of one thread.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "trunnion/batch.h"
#include "trunnion/simulation.h"
#include "trunnion/trunnion_c.h"

namespace {

using namespace trunnion;

/// A boom on a cylinder, its valve driven by an input, in the compact form of models; `solver` continues the solver's settings.
std::string crane(const std::string& solver = "") {
  return R"({"trunnion": 1, "gravity": [0, -9.81, 0],
"bodies": {"boom": {"rod": {"length": 3, "mass": 200}}},
"joints": {"boom": {"revolute": {"parent": "ground", "axis": [0, 0, 1]}, "angle": 0.35}},
"fluid": {"bulk_modulus": 1.5e9, "density": 850},
"volumes": {"a": {"volume": 5e-4}, "b": {"volume": 5e-4, "pressure": 1e6}},
"sources": {"pump": {"pressure": 12e6}, "tank": {"pressure": 1e5}},
"inputs": {"lever": {"min": -10, "max": 10}},
"valves": {"spool": {"directional_4_3": {"P": "pump", "T": "tank", "A": "a", "B": "b", "flow": 3.3e-4, "at_pressure_drop": 3.5e6,
  "at_signal": 10, "time_constant": 0.02}, "signal": "lever"}},
"cylinders": {"lift": {"base": {"body": "ground", "at": [0.5, -0.6, 0]}, "rod_end": {"body": "boom", "at": [1, 0, 0]}, "bore": 0.06,
  "rod": 0.03, "A": "a", "B": "b", "chamber_length_A": 0.4, "chamber_length_B": 0.4}},
"solver": {"step": 0.001, "duration": 1)" +
         solver + "}}";
}

int failures = 0;
void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

/// The angle after 60 steps with the lever at `level`.
double angle_after(const std::shared_ptr<const Model>& model, double level, double mass) {
  Simulation sim(model);
  sim.set_parameter(model->parameter("bodies.boom.rod.mass"), mass);
  sim.restart();
  sim.set(model->input("lever"), level);
  for (int i = 0; i < 60; ++i) sim.step();
  return sim.value(model->channel("boom.angle")) + 1e-9 * sim.value(model->channel("lift.force"));
}

void one_model_on_threads() {
  const auto model = Model::from_compact(crane());
  constexpr int kThreads = 4;
  std::vector<double> together(kThreads), alone(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { together[static_cast<std::size_t>(i)] = angle_after(model, i - 1.5, 180 + 10 * i); });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kThreads; ++i) alone[static_cast<std::size_t>(i)] = angle_after(model, i - 1.5, 180 + 10 * i);
  expect(together == alone, "simulations on one model");
}

void batches() {
  const auto model = Model::from_compact(crane());
  std::vector<std::vector<double>> results;
  for (const int threads : {1, 4}) {
    BatchOptions options;
    options.threads = threads;
    options.inputs = {model->input("lever")};
    options.outputs = {model->channel("boom.angle"), model->channel("lift.force")};
    options.parameters = {model->parameter("bodies.boom.rod.mass")};
    for (int i = 0; i < 9; ++i) options.values.push_back(150 + 10 * i);
    Batch fleet(model, 9, options);
    std::vector<double> u(9), y(18);
    for (int k = 0; k < 6; ++k) {
      for (int i = 0; i < 9; ++i) u[static_cast<std::size_t>(i)] = i - 4 + k;
      fleet.set_inputs(u.data());
      (void)fleet.step(10);
      if (k == 2) {
        std::vector<unsigned char> mask(9, 0);
        mask[3] = mask[7] = 1;
        fleet.reset(mask.data());
      }
    }
    fleet.read(y.data());
    results.push_back(y);
  }
  expect(results[0] == results[1], "batches on one and on four threads");
}

void cosimulations() {
  std::vector<double> results;
  for (const char* threads : {"1", "3"}) {
    const auto model =
        Model::from_compact(crane(std::string(R"(, "coupling": "cosimulation"}, "coupling": {"scheme": "jacobi", "threads": )") + threads));
    Simulation sim(model);
    sim.set(model->input("lever"), 2);
    for (int i = 0; i < 60; ++i) sim.step();
    results.push_back(sim.value(model->channel("boom.angle")));
  }
  expect(results[0] == results[1], "a co-simulation on one and on three threads");
}

void errors_of_threads() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([i] {
      trunnion_model* model = nullptr;
      const std::string wrong = "{\"trunnion\": 1, \"wrong" + std::to_string(i) + "\": 1}";
      for (int k = 0; k < 20; ++k) {
        const bool refused = trunnion_model_from_compact(wrong.c_str(), &model) == TRUNNION_INVALID;
        const bool own = std::string(trunnion_last_error()).find("wrong" + std::to_string(i)) != std::string::npos;
        if (!refused || !own) std::abort();
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main() {
  one_model_on_threads();
  batches();
  cosimulations();
  errors_of_threads();
  if (failures == 0) std::printf("4 passed, 0 failed\n");
  return failures;
}
