// Invalid oil, pumps, accumulators and lines: line, path and message of each error. Valid values are read back as written.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "file/model_file.h"

namespace trunnion {
namespace {

const std::string kCircuit = R"(trunnion: 1
fluid: {stiffening: 10, viscosity: 46 cSt, second_viscosity: {temperature: 100 degC, viscosity: 6.8 cSt}, temperature: 60 degC, modulus_change: -8 MPa/K}
volumes: {line: {volume: 1 L, pressure: 20 bar}, ls: {volume: 1 L, pressure: 20 bar}}
sources: {tank: {pressure: 1 bar}}
pumps:
  main:
    S: tank
    P: line
    displacement: 110 cm^3/rev
    speed: throttle
    fraction: 0.9
    losses: {volumetric: 0.95, mechanical: 0.93, at_speed: 1800 rpm, at_pressure: 250 bar}
    control: {pressure: 320 bar, load_sensing: {LS: ls, margin: 20 bar}, torque: 350 N m, up_time: 120 ms}
    prime_mover: {inertia: 1.5 kg m^2, torque: 420 N m, droop: 100 rpm, torque_limit: [[800 rpm, 300 N m], [2000 rpm, 420 N m]]}
accumulators:
  gas: {P: line, gas: {volume: 1 L, precharge: 60 bar}, neck: {diameter: 6 mm}}
  spring: {P: ls, spring: {volume: 1 L, pressure_empty: 5 bar, pressure_full: 40 bar}, neck: {flow: 60 L/min, at_pressure_drop: 2 bar}}
lines: {pipe: {A: line, B: ls, length: 4 m, diameter: 25 mm, segments: 5, bulk_modulus: 1 GPa}}
signals: {throttle: 1800 rpm}
)";

struct Expected {
  int line;
  const char* path;
  std::vector<const char*> words;
};

/// The findings of the model with one edit, in order.
void expect_findings(const std::string& from, const std::string& to, const std::vector<Expected>& expected) {
  SCOPED_TRACE(from + " -> " + to);
  std::string text = kCircuit;
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(text.find(from, at + 1), std::string::npos) << "stands twice";
  text.replace(at, from.size(), to);
  std::vector<Diagnostic> all;
  try {
    parse_model(text, "model.yaml");
  } catch (const InputError& error) { all = error.diagnostics(); }
  ASSERT_EQ(all.size(), expected.size()) << (all.empty() ? "" : InputError(all).what());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].span.line, expected[i].line) << all[i].text();
    EXPECT_EQ(all[i].path, expected[i].path) << all[i].text();
    for (const char* words : expected[i].words) EXPECT_NE(all[i].text().find(words), std::string::npos) << words << "\n" << all[i].text();
  }
}

TEST(PowerInput, TheModelItselfIsGoodAndReadsBackAsWritten) {
  const std::string written = write_model(parse_model(kCircuit, "model.yaml"));
  EXPECT_EQ(write_model(parse_model(written, "written.yaml")), written);
  for (const char* kept : {"stiffening: 10", "pressure_full: 4e+06", "margin: 2e+06", "segments: 5", "temperature: 373.15"})
    EXPECT_NE(written.find(kept), std::string::npos) << kept;
}

TEST(PowerInput, WrongOilIsReported) {
  expect_findings("-8 MPa/K", "-80 MPa/K", {{2, "fluid.modulus_change", {"bulk modulus", "greater than 0"}}});
  expect_findings("temperature: 60 degC", "temperature: 60 deg", {{2, "fluid.temperature", {"a temperature", "40 degC"}}});
  expect_findings("-8 MPa/K", "-8 MPa/degC", {{2, "fluid.modulus_change", {"temperature scale", "temperature differences are in K"}}});
  expect_findings("temperature: 100 degC", "temperature: 40 degC",
                  {{2, "fluid.second_viscosity.temperature", {"same temperature", "another temperature than `reference_temperature`"}}});
  expect_findings("viscosity: 6.8 cSt", "viscosity: 0.2 cSt", {{2, "fluid.second_viscosity.viscosity", {"more than 0.3 mm^2/s"}}});
}

TEST(PowerInput, WrongPumpsAreReported) {
  expect_findings("P: line\n    disp", "P: tank\n    disp", {{8, "pumps.main.P", {"has `tank` at S already", "two different nodes"}}});
  expect_findings("speed: throttle", "speed: throtle", {{10, "pumps.main.speed", {"did you mean `throttle`?"}}});
  expect_findings("throttle: 1800 rpm", "throttle: 30 Hz",
                  {{10, "pumps.main.speed", {"`throttle` have a different dimension", "an angular rate"}}});
  expect_findings("fraction: 0.9", "fraction: 1.2", {{11, "pumps.main.fraction", {"found 1.2", "a number from -1 to 1"}}});
  expect_findings("volumetric: 0.95", "volumetric: 1.05", {{12, "pumps.main.losses.volumetric", {"from 0 to 1"}}});
  expect_findings("volumetric: 0.95, ", "", {{12, "pumps.main.losses", {"missing key", "one of `volumetric` or `leakage`"}}});
  expect_findings("volumetric: 0.95", "volumetric: 0.95, leakage: 0",
                  {{12, "pumps.main.losses", {"`volumetric` and `leakage` are mutually exclusive"}}});
  expect_findings("pressure: 320 bar, load_sensing: {LS: ls, margin: 20 bar}, torque: 350 N m, ", "",
                  {{13, "pumps.main.control", {"the control has no function", "`pressure`, `load_sensing` or `torque`"}}});
  expect_findings("LS: ls, ", "", {{13, "pumps.main.control.load_sensing.LS", {"`LS` is missing"}}});
  expect_findings("LS: ls", "LS: line", {{13, "pumps.main.control.load_sensing.LS", {"has `line` at P already"}}});
  expect_findings("droop: 100 rpm", "droop: 0 rpm", {{14, "pumps.main.prime_mover.droop", {"greater than 0"}}});
  expect_findings("[2000 rpm, 420 N m]", "[700 rpm, 420 N m]", {{14, "pumps.main.prime_mover.torque_limit.1", {"greater"}}});
  expect_findings("[2000 rpm, 420 N m]", "[2000 bar, 420 N m]",
                  {{14, "pumps.main.prime_mover.torque_limit.1.0", {"the unit does not match a speed", "an angular rate"}}});
}

TEST(PowerInput, WrongAccumulatorsAndLinesAreReported) {
  expect_findings("pressure_full: 40 bar", "pressure_full: 4 bar",
                  {{17, "accumulators.spring.spring.pressure_full", {"above that of the empty accumulator, 5e+05 Pa"}}});
  expect_findings("neck: {diameter: 6 mm}", "neck: {}", {{16, "accumulators.gas.neck", {"`diameter`, `area` or `flow`"}}});
  expect_findings(", neck: {diameter: 6 mm}", "", {{16, "accumulators.gas.neck", {"`neck` is missing"}}});
  expect_findings("gas: {volume: 1 L, precharge: 60 bar}, ", "", {{16, "accumulators.gas", {"missing key", "one of `gas` or `spring`"}}});
  expect_findings("B: ls, length", "B: line, length", {{18, "lines.pipe.B", {"the line has `line` at A already"}}});
  expect_findings("segments: 5", "segments: 1000000", {{18, "lines.pipe.segments", {"at most 200"}}});
  expect_findings("segments: 5", "segments: 0", {{18, "lines.pipe.segments", {"greater than 0"}}});
}

TEST(PowerInput, APumpsLeastDisplacementIsBelowItsLimit) {
  const auto finding = [](const std::string& fraction) {
    std::string text = kCircuit;
    text.replace(text.find("torque: 350 N m,"), 16, "torque: 350 N m, min_fraction: " + fraction + ",");
    try {
      (void)parse_model(text, "model.yaml", {});
      return std::string();
    } catch (const InputError& error) { return error.diagnostics().front().path; }
  };
  EXPECT_EQ(finding("0.9"), "");
  EXPECT_EQ(finding("0.91"), "pumps.main.control.min_fraction");
}

TEST(PowerInput, AFlowSourceNeedsTwoNodes) {
  try {
    (void)parse_model(
        "trunnion: 1\nsources: {q: {flow: 1 L/min, to: v, from: v}}\nvolumes: {v: {volume: 1 L, pressure: 1 bar}}\n"
        "solver: {step: 1 ms, duration: 1 s}\n",
        "model.yaml", {});
    FAIL() << "it was taken";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1U);
    EXPECT_EQ(error.diagnostics()[0].path, "sources.q.from");
  }
}

}  // namespace
}  // namespace trunnion
