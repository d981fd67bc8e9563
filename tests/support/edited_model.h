// A small model, edited in one place, and the one finding that reading it must give: its line, path and message.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "file/model_file.h"

namespace trunnion::test {

/// The model that cases edit.
inline const std::string kEditedModel = R"(trunnion: 1
title: Four-bar
gravity: [0, -9.81, 0]
bodies:
  crank: {rod: {length: 2 m, mass: 16 kg}}
  coupler: {rod: {length: 8 m, mass: 64 kg}}
  rocker: {mass: 40 kg, center_of_mass: [2.5 m, 0, 0], inertia: [1, 90, 90]}
joints:
  crank: {revolute: {parent: ground, at: [0, 0, 0], axis: z}, angle: 60 deg, hold: true}
  coupler: {revolute: {parent: crank, at: [2 m, 0, 0], axis: z}, angle: -37.90 deg}
  rocker: {revolute: {parent: coupler, at: [8 m, 0, 0], axis: z}, angle: -93.58 deg}
loops:
  E: {revolute: {between: [rocker, ground], at: [[5 m, 0, 0], [10 m, 0, 0]], axis: z}}
springs:
  return: {joint: crank, stiffness: 40 N m/rad, damping: 3 N m s/rad}
volumes:
  v1: {hose: {volume: 3.14e-5 m^3, bulk_modulus: 150 MPa}, pressure: equilibrium}
  v2: {volume: 4.71e-5 m^3, pressure: 3.5 MPa}
sources: {pump: {pressure: 7.6 MPa}, tank: {pressure: 0.1 MPa}, feed: {flow: 1 L/min, to: v1}}
valves:
  valve: {directional_4_3: {P: pump, T: tank, A: v1, B: v2, flow: 24 L/min, at_signal: 10 V}, signal: command}
  bypass: {orifice: {A: v1, B: v2, diameter: 6 mm}}
cylinders:
  lift:
    base: {body: ground, at: [-1 m, 0, 0]}
    rod_end: {body: crank, at: [1 m, 0, 0]}
    A: v1
    B: v2
    bore: 80 mm
    rod: 35 mm
    chamber_length_A: 0.73 m
    chamber_length_B: 0.27 m
    friction: {model: brown_mcphee, coulomb: 210 N, static: 830 N, viscous: 330 N s/m}
signals:
  command: {steps: [[1 s, 10 V], [2.5 s, 0], [5 s, -10 V]]}
  wave: {sine: {amplitude: 10, frequency: 2 Hz}}
  both: {sum: [command, wave]}
solver: {step: 1 ms, duration: 10 s}
)";

/// An edit of the model, and what is said about it.
struct InputCase {
  const char* from;  // replaced in the model
  const char* to;
  int line;
  const char* path;
  std::vector<const char*> words;
};

/// The model with `to` instead of `from`, which occurs in it once.
inline std::string edited_model(const std::string& from, const std::string& to) {
  std::string text = kEditedModel;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << "stands twice: " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// What reading a text finds.
inline std::vector<Diagnostic> input_findings(const std::string& text) {
  try {
    parse_model(text, "model.yaml");
  } catch (const InputError& error) { return error.diagnostics(); }
  return {};
}

/// Expects the one finding of a case.
inline void expect_finding(const InputCase& c) {
  SCOPED_TRACE(std::string(c.from) + " -> " + c.to);
  const std::vector<Diagnostic> all = input_findings(edited_model(c.from, c.to));
  ASSERT_EQ(all.size(), 1u) << (all.empty() ? "" : InputError(all).what());
  EXPECT_EQ(all[0].span.file, "model.yaml");
  EXPECT_EQ(all[0].span.line, c.line) << all[0].text();
  EXPECT_EQ(all[0].path, c.path) << all[0].text();
  for (const char* words : c.words) EXPECT_NE(all[0].text().find(words), std::string::npos) << words << "\n" << all[0].text();
}

}  // namespace trunnion::test
