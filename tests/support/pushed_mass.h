// A machine whose two signals, a command of a force and the lever of a valve, are given by the test.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace trunnion::test {

/// A mass on a spring under a force of 1 N times `command`, and a valve with dynamics and one without between two sources and a cylinder.
inline std::string pushed_mass(const std::string& values) {
  return R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {mass: {point_mass: {mass: 200 kg}}}
joints: {mass: {prismatic: {parent: ground, axis: x}, position: 0.5 m}}
springs: {spring: {joint: mass, stiffness: 200 N/m, damping: 5 N s/m, rest: 0.5 m}}
forces: {push: {joint: mass, load: 100 N, signal: command}}
fluid: {bulk_modulus: 1.5 GPa, density: 850 kg/m^3}
volumes: {a: {volume: 0.2 L, pressure: 2 MPa}, b: {volume: 0.2 L, pressure: 2 MPa}}
sources: {pump: {pressure: 8 MPa}, tank: {pressure: 0.1 MPa}}
valves: {spool: {directional_4_3: {P: pump, T: tank, A: a, B: b, flow: 20 L/min, at_pressure_drop: 3.5 MPa, at_signal: 10TIMES}, signal: lever}}
cylinders:
  ram: {base: {body: ground, at: [-0.5 m, 0, 0]}, rod_end: {body: mass}, bore: 40 mm, rod: 20 mm, A: a, B: b,
        chamber_length_A: 0.5 m, chamber_length_B: 0.5 m}
)" + values +
         "solver: {step: 1 ms, duration: 1 s}\n";
}

/// The text with settings of the valve, such as its time constant.
inline std::string with_valve(std::string text, const std::string& times) {
  text.replace(text.find("TIMES"), 5, times.empty() ? times : ", " + times);
  return text;
}

/// Its signals as inputs.
inline const char* const kInputs = "inputs: {command: {unit: \"\"}, lever: {default: 0, min: -10, max: 10}}\n";

}  // namespace trunnion::test
