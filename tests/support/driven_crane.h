// A boom on a cylinder whose valve follows the input `lever`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace trunnion::test {

inline constexpr const char* kDrivenCrane = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {boom: {rod: {length: 3 m, mass: 200 kg}}}
joints: {boom: {revolute: {parent: ground, axis: z}, angle: 20 deg}}
fluid: {bulk_modulus: 1.5 GPa, density: 850 kg/m^3}
volumes: {a: {volume: 0.5 L}, b: {volume: 0.5 L, pressure: 1 MPa}}
sources: {pump: {pressure: 12 MPa}, tank: {pressure: 0.1 MPa}}
inputs: {lever: {min: -10, max: 10}}
valves: {spool: {directional_4_3: {P: pump, T: tank, A: a, B: b, flow: 20 L/min, at_pressure_drop: 3.5 MPa, at_signal: 10, time_constant: 20 ms}, signal: lever}}
cylinders:
  lift: {base: {body: ground, at: [0.5 m, -0.6 m, 0]}, rod_end: {body: boom, at: [1 m, 0, 0]}, bore: 60 mm, rod: 30 mm, A: a, B: b,
         chamber_length_A: 0.4 m, chamber_length_B: 0.4 m}
solver: {step: 1 ms, duration: 1 s}
)";

}  // namespace trunnion::test
