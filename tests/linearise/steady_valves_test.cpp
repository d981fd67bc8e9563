// Steady operation behind valves that close: a search that steps over the closing finds a volume that holds what it can never have got.
// Reference: closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "linearise/steady.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::model_from;

double steady_pressure(const std::string& oil, const std::string& volume) {
  const auto model = model_from("trunnion: 1\n" + oil + "solver: {step: 1 ms, duration: 2 s}\n");
  const StateVector state = solve_steady(model).state;
  for (std::size_t i = 0; i < model->state_names.size(); ++i)
    if (model->state_names[i] == volume + ".pressure") return state.y()[i];
  ADD_FAILURE() << volume;
  return 0;
}

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

}  // namespace
}  // namespace trunnion
