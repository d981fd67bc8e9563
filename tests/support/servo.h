// A cylinder under position control, for tests of control blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <string>

namespace trunnion::test {

/// A slide of 500 kg on a cylinder under position control, with pressure feedback through a filter.
inline std::string servo(const std::string& control, double scale = 1) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{slide: {{point_mass: {{mass: {:.17g} kg}}}}}}
joints: {{slide: {{prismatic: {{parent: ground, axis: x}}, position: 0.5 m, hold: true}}}}
fluid: {{density: 870 kg/m^3, bulk_modulus: 1500 MPa}}
volumes:
  side_A: {{volume: {:.17g} L, pressure: 5 MPa}}
  side_B: {{volume: {:.17g} L, pressure: 8 MPa}}
sources: {{pump: {{pressure: 16 MPa}}, tank: {{pressure: 1 bar}}}}
valves:
  valve: {{directional_4_3: {{P: pump, T: tank, A: side_A, B: side_B, flow: {:.17g} L/min, at_pressure_drop: 3.5 MPa, at_signal: 1,
           frequency: 80 Hz, damping: 0.8}}, signal: command}}
cylinders:
  ram: {{base: {{body: ground, at: [-0.5 m, 0, 0]}}, rod_end: {{body: slide}}, A: side_A, B: side_B, area_A: {:.17g} cm^2, area_B: {:.17g} cm^2,
         chamber_length_A: 0.3 m, chamber_length_B: 0.3 m, leakage: {:.17g} m^3/(s Pa), viscous: {:.17g} N s/m}}
{}
solver: {{step: 1 ms, duration: 1 s, tolerance_pressure: 1e-5, tolerance_other: 1e-12, tolerance_position: 1e-13}}
)",
                     500 * scale, 0.2 * scale, 0.2 * scale, 40 * scale, 19.6 * scale, 11.6 * scale, 2e-12 * scale, 4000 * scale, control);
}
/// A controller of its position.
inline const char* const kServoControl = R"(
signals: {target: {sine: {amplitude: 40 mm, frequency: 1 Hz, offset: 1 m, phase: -30 deg}}}
control:
  position: {pid: {setpoint: target, measurement: ram.length, gain: 12, integral_time: 0.4 s, derivative_time: 15 ms, filter: 5}}
  filtered: {low_pass: {input: side_A.pressure, time_constant: 30 ms}}
  command: {sum: {inputs: [position, filtered, side_A.pressure], gains: [1, 5e-9, -5e-9]}})";

}  // namespace trunnion::test
