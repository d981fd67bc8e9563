// Steady operation behind valves that close, and of accumulators: a search that steps over the closing finds a volume that holds what it
// can never have got; and of oil that is locked all along: it keeps its content.
// Reference: closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "linearise/steady.h"
#include "run/run.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::model_from;

double steady_value(const std::string& oil, const std::string& name) {
  const auto model = model_from("trunnion: 1\n" + oil + "solver: {step: 1 ms, duration: 2 s}\n");
  const StateVector state = solve_steady(model).state;
  for (std::size_t i = 0; i < model->state_names.size(); ++i)
    if (model->state_names[i] == name) return state.y()[i];
  ADD_FAILURE() << name;
  return 0;
}
double steady_pressure(const std::string& oil, const std::string& volume) { return steady_value(oil, volume + ".pressure"); }

TEST(SteadyValves, ACheckValveFillsUpToItsSource) {
  for (const double volume : {1e-6, 1e-3, 1.0})
    for (const double diameter : {0.2, 2.0, 20.0})
      EXPECT_NEAR(
          steady_pressure(fmt::format("sources: {{s: {{pressure: 100 bar}}}}\nvolumes: {{v: {{volume: {} m^3, pressure: 10 bar}}}}\n"
                                      "valves: {{c: {{check: {{A: s, B: v, diameter: {} mm}}}}}}\n",
                                      volume, diameter),
                          "v"),
          100e5, 1e3)
          << volume << " m3, " << diameter << " mm";
}

TEST(SteadyValves, BehindAPumpWithAReliefValve) {
  const char* const circuit = R"(
volumes: {line: {volume: 0.5 L, pressure: 10 bar}, v: {volume: 1 L, pressure: 10 bar}}
sources: {pump: {flow: 60 L/min, to: line}, tank: {pressure: 1 bar}}
valves:
  relief: {relief: {A: line, B: tank, cracking_pressure: 100 bar, flow: 100 L/min, override: 10 bar}}
  c: {check: {A: line, B: v, diameter: 2 mm}}
)";
  const double line = steady_pressure(circuit, "line");
  EXPECT_NEAR(line, 1e5 + 100e5 + 6e5, 1e5);  // of the pump's flow
  EXPECT_NEAR(steady_pressure(circuit, "v"), line, 1e3);
}

TEST(SteadyValves, AReducingValveKeepsItsPressure) {
  const char* const circuit = R"(
sources: {tank: {pressure: 1 bar}}
volumes: {v: {volume: 7 L, pressure: 10 bar}, line: {volume: 0.1 L, pressure: 10 bar}}
pumps: {pump: {S: tank, P: line, displacement: 5 cm^3/rad, speed: 100 rad/s}}
valves:
  relief: {relief: {A: line, B: tank, cracking_pressure: 100 bar, flow: 30 L/min, override: 10 bar}}
  r: {reducing: {A: line, B: v, T: tank, setting: 30 bar, range: 5 bar, diameter: 4 mm}}
)";
  EXPECT_NEAR(steady_pressure(circuit, "v"), 36e5, 1e4);
}

TEST(SteadyValves, AccumulatorsHoldBetweenNothingAndTheirVolume) {
  for (const double size : {1e-3, 1.0, 1e3})
    for (const double neck : {2.0, 9.0, 40.0})
      for (const bool gas : {false, true})
        for (const auto& [source, share] : {std::pair{200.0, 1.0}, {59.0, 0.5}, {1.0, 0.0}}) {
          const double volume = 2e-4 * size;
          const double oil = steady_value(
              fmt::format("sources: {{s: {{pressure: {} bar}}}}\nvolumes: {{v: {{volume: {} m^3, pressure: 50 bar}}}}\n"
                          "accumulators: {{ac: {{P: v, neck: {{diameter: {} mm}}, {}}}}}\n"
                          "valves: {{o: {{orifice: {{A: s, B: v, diameter: {} mm}}}}}}\n",
                          source, 2.5 * volume, neck * std::cbrt(size),
                          gas ? fmt::format("gas: {{volume: {} m^3, precharge: 28 bar}}", volume)
                              : fmt::format("spring: {{volume: {} m^3, pressure_empty: 28 bar, pressure_full: 90 bar}}", volume),
                          5 * std::cbrt(size)),
              "ac.oil");
          const double expected = gas ? std::max(1 - std::pow(28 / source, 1 / 1.4), 0.0) : share;
          EXPECT_NEAR(oil / volume, expected, 1e-4) << size << " " << neck << " " << gas << " " << source;
        }
}

/// A plunger on locked oil, whose load changes from that of p_0 to that of p_1: with a constant modulus B, V_1 = V_0 exp(-(p_1 - p_0)/B).
TEST(SteadyValves, LockedOilKeepsItsContent) {
  for (const double size : {0.01, 1.0, 100.0})
    for (const double modulus : {2e8, 1.3e9})
      for (const auto& [p_0, p_1] : {std::pair{1e5, 3e7}, {1e7, 1e5}, {4e6, 5e6}}) {
        const double bore = 0.05 * size, area = std::numbers::pi / 4 * bore * bore, chamber = 0.4 * size, hose = 1e-4 * size * size * size;
        const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
fluid: {{density: 870, bulk_modulus: {}, saturation_pressure: 0}}
bodies: {{m: {{box: {{mass: {}, size: [{}, 1e-3, 1e-3]}}}}}}
joints: {{m: {{prismatic: {{parent: ground, at: [{}, 0, 0], axis: x}}}}}}
volumes: {{a: {{volume: {}, pressure: {}}}}}
cylinders:
  c: {{base: {{body: ground, at: [0, 0, 0]}}, rod_end: {{body: m, at: [0, 0, 0]}}, A: a, plunger: {}, chamber_length_A: {},
      viscous: {}}}
forces: {{l: {{joint: m, load: {}}}}}
solver: {{step: 1 ms, duration: 5 s}}
)",
                                                  modulus, 300 * size * size * size, 0.2 * size, size, hose, p_0, bore, chamber,
                                                  2e4 * size * size, -p_1 * area));
        const StateVector state = solve_steady(model).state;
        const double V_0 = hose + area * chamber, expected = V_0 * std::expm1(-(p_1 - p_0) / modulus) / area;
        EXPECT_NEAR(state.q()[0], expected, (2e-4 + std::pow((p_1 - p_0) / modulus, 2) / 2) * std::abs(expected))
            << size << " " << modulus << " " << p_0 << " " << p_1;
        EXPECT_NEAR(state.y()[0], p_1, 1) << size << " " << modulus << " " << p_0 << " " << p_1;
      }
}

/// A plunger on two volumes and an accumulator behind a check valve that stays shut. Reference: the machine in time, with its own rule.
TEST(SteadyValves, LockedOilIsSharedWithAnAccumulator) {
  for (const char* const charge :
       {"gas: {volume: 5e-4 m^3, precharge: 20 bar}", "spring: {volume: 2e-4 m^3, pressure_empty: 28 bar, pressure_full: 90 bar}"})
    for (const double load : {-15700.0, -5900.0, -11000.0}) {
      const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
fluid: {{density: 870, bulk_modulus: 1.3e9}}
bodies: {{m: {{box: {{mass: 300, size: [0.2, 0.1, 0.1]}}}}}}
joints: {{m: {{prismatic: {{parent: ground, at: [1, 0, 0], axis: x}}}}}}
sources: {{s: {{pressure: 100 bar}}}}
volumes: {{a: {{volume: 1e-4, pressure: 50 bar}}, b: {{volume: 2e-4, pressure: 50 bar}}}}
accumulators: {{ac: {{P: b, neck: {{diameter: 8 mm}}, {}}}}}
valves: {{o: {{orifice: {{A: a, B: b, diameter: 3 mm}}}}, k: {{check: {{A: b, B: s, diameter: 3 mm}}}}}}
cylinders:
  c: {{base: {{body: ground, at: [0, 0, 0]}}, rod_end: {{body: m, at: [0, 0, 0]}}, A: a, plunger: 0.05, chamber_length_A: 0.4, viscous: 2e4}}
forces: {{l: {{joint: m, load: {}}}}}
solver: {{step: 1 ms, duration: 20 s}}
)",
                                                charge, load));
      Runner run(model);
      run.advance(20);
      EXPECT_LT(std::abs(run.state().v()[0]), 1e-9);
      EXPECT_NEAR(solve_steady(model).state.q()[0], run.state().q()[0], 2e-4 * std::abs(run.state().q()[0])) << charge << " " << load;
    }
}

}  // namespace
}  // namespace trunnion
