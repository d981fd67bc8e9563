// Machines used by several tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "machine/observe.h"
#include "model/model.h"

namespace trunnion::test {

/// An example with `--set` overrides.
std::shared_ptr<const CompiledModel> load_example(const std::string& name, const std::vector<std::string>& set = {});
/// The model of a text.
std::shared_ptr<const CompiledModel> model_from(const std::string& text, const std::vector<std::string>& set = {});

/// The value of a channel at a state; without such a channel the test fails.
double channel_at(const std::shared_ptr<const CompiledModel>& model, const StateVector& state, const std::string& name);

/// A rigid line of 100 ml behind a pump that stops: the papers' rule keeps a wrong pressure and closes its own balance to rounding.
inline const char* const kStoppedPump = R"(
trunnion: 1
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
sources: {pump: {flow: delivery, to: line}, tank: {pressure: 1 bar}, load: {pressure: 100 bar}}
volumes: {line: {volume: 100 mL, pressure: 100 bar}}
valves: {check: {check: {A: line, B: load, cracking_pressure: 0.5 bar, flow: 50 L/min, at_pressure_drop: 3 bar}}}
signals: {delivery: {steps: [[0, 60 L/min], [0.1 s, 0]]}}
solver: {step: 1 ms, duration: 0.3}
)";

/// A free body, 3 rad per step of 1 ms about its middle axis.
inline const char* const kSpinningBody = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {a: {inertia: [1, 2, 3], mass: 1}}
joints: {a: {spherical: {parent: ground}, angular_velocity: [100, 3000, 100]}}
solver: {step: 1 ms, duration: 0.3}
)";
inline const char* const kPendulum = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1, mass: 1}}}
joints: {a: {revolute: {parent: ground}, angle: 0}}
solver: {step: 1 ms, duration: 1}
)";

/// All elements that transfer energy: springs and dampers on a joint and between points, loads on a joint and on bodies in both
/// frames, a prescribed motion, a flow source, leakage, active end dampers, every kind of valve, a motor, a chamber on a source.
/// `spatial`: the arm carries a spherical joint; otherwise all motion is planar.
inline std::string busy_machine(bool spatial) {
  return std::string(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  base:   {box: {size: [1 m, 0.5 m, 0.5 m], mass: 200 kg}}
  arm:    {mass: 50 kg, center_of_mass: [0.8 m, 0.1 m, 0], inertia: {xx: 3, yy: 12, zz: 14, xy: 0.5}}
  weight: {mass: 20 kg, center_of_mass: [0.3 m, -0.2 m, 0.1 m], inertia: [1, 2, 1.5]}
joints:
  base:   {prismatic: {parent: ground, at: [0.2 m, 0, 0.3 m], axis: x}, position: 0.1 m, speed: 0.06 m/s}
  arm:    {revolute: {parent: base, at: [0.1 m, 0.3 m, 0], axis: z}, angle: 25 deg, rate: 0.4}
)") +
         (spatial ? "  weight: {spherical: {parent: arm, at: [1.6 m, 0, 0]}, rotation: [10 deg, 20 deg, -30 deg], angular_velocity: [0.3, "
                    "-0.2, 0.5]}\n"
                  : "  weight: {revolute: {parent: arm, at: [1.6 m, 0, 0], axis: z}, angle: -30 deg, rate: 0.5}\n") +
         R"(
springs:
  hinge:  {joint: arm, stiffness: 300 N m/rad, damping: 20 N m s/rad, preload: 15 N m, rest: 10 deg}
  strut:  {between: [ground, arm], at: [[0, 2 m, 0.2 m], [1.2 m, 0.1 m, 0.1 m]], stiffness: 900 N/m, damping: 60 N s/m, rest: 1.5 m, preload: 30 N}
forces:
  wind:   {body: arm, at: [1 m, 0.2 m, 0], force: [30 N, 12 N, 5 N], torque: [1 N m, 2 N m, 3 N m], signal: gust}
  jet:    {body: weight, at: [0.1 m, 0, 0.2 m], force: [-8 N, 20 N, 3 N], torque: [0.5 N m, -1 N m, 4 N m], frame: body}
  motor:  {joint: arm, load: 40 N m, signal: gust}
  edge:   {body: weight, at: [0.1 m, -0.3 m, 0.1 m], soil: {force: 60 N, depth: 6 m, speed: 0.5 m/s, at: [0, 2 m, 0], normal: [0.2, 1, 0]}, signal: gust}
motions:
  drive:  {joint: base, signal: path}
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
volumes:
  v1: {hose: {volume: 0.05 L, bulk_modulus: 150 MPa}, pressure: 3 MPa}
  v2: {hose: {volume: 0.08 L, bulk_modulus: 150 MPa}, pressure: 5 MPa}
  v3: {hose: {volume: 0.06 L}, pressure: 4 MPa}
sources:
  pump:   {pressure: 12 MPa}
  tank:   {pressure: 0.1 MPa}
  gear:   {flow: 3 L/min, from: tank, to: v1}
valves:
  valve:    {directional_4_3: {P: pump, T: tank, A: v1, B: v2, flow: 20 L/min, at_pressure_drop: 35 bar, at_signal: 10, time_constant: 20 ms}, signal: gust}
  throttle: {orifice: {A: v2, B: v3, opening: [[0, 0], [2, 1]], diameter: 11.313708498984761 mm}, signal: gust}
  feed:     {check: {A: pump, B: v3, cracking_pressure: 5 bar, diameter: 1 mm}}
  limit:    {relief: {A: v2, B: tank, cracking_pressure: 10 bar, gradient: 0.5 L/min/MPa}}
motors:
  swing: {joint: arm, A: v2, B: v3, displacement: 20 cm^3/rad, volume: 10 mL, leakage: 1e-12 m^3/(s Pa), viscous: 2 N m s/rad,
    friction: {model: lugre, coulomb: 3 N m, static: 5 N m, stribeck_velocity: 0.05 rad/s, viscous: 1 N m s/rad, bristle_stiffness: 4000, bristle_damping: 20}}
cylinders:
  lift:
    base: {body: base, at: [0.4 m, -0.2 m, 0]}
    rod_end: {body: arm, at: [0.9 m, 0, 0.05 m]}
    A: v1
    B: v2
    bore: 60 mm
    rod: 30 mm
    chamber_length_A: 0.3 m
    chamber_length_B: 0.05 m
    bulk_modulus: 30000 MPa
    viscous: 200 N s/m
    leakage: 1e-12 m^3/(s Pa)
    end_damper: {stiffness: 20000 N/m, damping: 3000 N s/m, length: 0.1 m}
    friction: {model: lugre, coulomb: 210 N, static: 830 N, stribeck_velocity: 12.5 mm/s, viscous: 330 N s/m, bristle_stiffness: 5.77e6 N/m, bristle_damping: 2.28e4 N s/m, pressure_A: 0.05 1/MPa, pressure_B: 0.08 1/MPa}
  ram:
    base: {body: ground, at: [-1 m, 0.4 m, 0.3 m]}
    rod_end: {body: base, at: [-0.5 m, 0, 0]}
    A: v3
    B: tank
    bore: 50 mm
    rod: 30 mm
    chamber_length_A: 0.3 m
    chamber_length_B: 0.4 m
    friction: {model: coulomb_viscous, coulomb: 100 N, stribeck_velocity: 10 mm/s, viscous: 50 N s/m, pressure_A: 0.03 1/MPa}
signals:
  gust: {sine: {amplitude: 0.5, frequency: 2 Hz, offset: 0.8}}
  path: {sine: {amplitude: 0.02 m, frequency: 0.5 Hz, offset: 0.1 m}}
solver: {step: 0.5 ms, duration: 0.1 s}
)";
}

/// A hydrostatic drive: an engine with governor turns two pumps, a motor of variable displacement with case drain turns a wheel. All laws are
/// smooth at the pressures and speeds of its run.
inline const char* const kShaftDrive = R"(
trunnion: 1
bodies: {engine: {mass: 10, inertia: [1, 1, 0.6]}, wheel: {mass: 10, inertia: [0.2, 0.2, 0.3]}}
joints:
  engine: {revolute: {parent: ground, axis: z}, rate: 165}
  wheel: {revolute: {parent: ground, at: [1, 0, 0], axis: z}, rate: 129}
springs:
  governor: {joint: engine, stiffness: 0, damping: 5}
  windage: {joint: wheel, stiffness: 0, damping: 0.5}
forces: {throttle: {joint: engine, load: 900}}
fluid: {density: 870 kg/m^3, bulk_modulus: 1500 MPa}
sources: {tank: {pressure: 1 bar}}
volumes:
  a: {volume: 0.5 L, pressure: 108 bar}
  b: {volume: 0.5 L, pressure: 20 bar}
  charge: {volume: 0.5 L, pressure: 20 bar}
  case: {volume: 0.5 L, pressure: 1.1 bar}
pumps:
  main: {joint: engine, S: b, P: a, displacement: 71 cm^3/rev, fraction: swash, time_constant: 40 ms, losses: {leakage: 2e-12, viscous: 0.05, coulomb: 0.02}}
  feed: {joint: engine, S: tank, P: charge, displacement: 14 cm^3/rev, losses: {volumetric: 0.92, mechanical: 0.9, at_speed: 2000 rpm, at_pressure: 20 bar}}
motors:
  drive: {joint: wheel, A: a, B: b, displacement: 71 cm^3/rev, fraction: share, volume: 0.1 L, viscous: 0.05, coulomb: 0.03, leakage: 1e-12, case_drain: {node: case, leakage: 3e-12}}
valves:
  limit: {resistance: {A: charge, B: tank, flow: 25 L/min, at_pressure_drop: 20 bar, laminar_share: 1}}
  fill_a: {resistance: {A: charge, B: a, flow: 2 L/min, at_pressure_drop: 20 bar, laminar_share: 1}}
  fill_b: {resistance: {A: charge, B: b, flow: 20 L/min, at_pressure_drop: 2 bar, laminar_share: 1}}
  drain: {laminar: {A: case, B: tank, diameter: 8 mm, length: 1 m}}
signals:
  swash: {sine: {amplitude: 0.05, frequency: 1 Hz, offset: 0.6}}
  share: {sine: {amplitude: -0.08, frequency: 1.5 Hz, offset: 0.75}}
solver: {step: 1 ms, duration: 0.5 s}
)";

/// A mass of 500 kg runs into the cushion of its cylinder, and a plunger of a second mass on the same line.
inline const char* const kCushionedCylinder = R"(
trunnion: 1
bodies: {mass: {point_mass: {mass: 500}}, load: {point_mass: {mass: 100}}}
joints:
  mass: {prismatic: {parent: ground, axis: x}, position: 1 m, speed: -0.35 m/s}
  load: {prismatic: {parent: ground, axis: x}, position: 1 m}
springs: {weight: {joint: load, stiffness: 30 kN/m, damping: 500 N s/m, preload: 10 kN}}
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
sources: {pump: {pressure: 60 bar}, tank: {pressure: 1 bar}}
volumes:
  head: {volume: 20 mL, pressure: 30 bar}
  line: {volume: 0.3 L, pressure: 30 bar}
  rod: {volume: 0.1 L, pressure: 50 bar}
  lift: {volume: 20 mL, pressure: 35 bar}
cylinders:
  ram:
    base: {body: ground}
    rod_end: {body: mass}
    A: head
    B: rod
    bore: 50 mm
    rod: 30 mm
    chamber_length_A: 80 mm
    chamber_length_B: 300 mm
    viscous: 200 N s/m
    cushion_A: {node: line, length: 60 mm, port: {diameter: 8 mm}, throttle: {diameter: 1.5 mm}}
  plunger: {base: {body: ground}, rod_end: {body: load}, A: lift, plunger: 60 mm, chamber_length_A: 200 mm}
valves:
  out: {orifice: {A: line, B: tank, diameter: 4 mm}}
  in: {orifice: {A: pump, B: rod, diameter: 4 mm}}
  up: {orifice: {A: line, B: lift, diameter: 2 mm}}
solver: {step: 0.5 ms, duration: 0.2 s}
)";

/// A slider of 1000 kg on a cylinder between a pump of fixed flow and a tank: four metering edges on one lever, open centre, reliefs of
/// pump and chambers, suction checks; the lumped counterpart of the circuit of Kikuuwe et al. (quasistatic), figure 1, with its sizes.
/// `rest`: further elements, including signal `lever`.
inline std::string metering_machine(const std::string& rest) {
  return R"(
trunnion: 1
bodies: {mass: {point_mass: {mass: 1000 kg}}}
joints: {mass: {prismatic: {parent: ground, axis: x}, position: 2 m}}
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
volumes:
  line:   {volume: 2 L, pressure: 5.1 MPa}
  supply: {volume: 1 L, pressure: 5 MPa}
  head:   {volume: 1 L, pressure: 2 MPa}
  rod:    {volume: 1 L, pressure: 4 MPa}
sources:
  tank: {pressure: 1 bar}
  pump: {flow: 500 L/min, from: tank, to: line}
valves:
  bleed: {orifice: {A: line, B: tank, area: 1 cm^2, discharge: 0.6, opening: [[-1, 0], [0, 1], [1, 0]]}, signal: lever}
  ph:    {orifice: {A: supply, B: head, area: 1 cm^2, discharge: 0.6}, signal: lever}
  tr:    {orifice: {A: rod, B: tank, area: 1 cm^2, discharge: 0.6}, signal: lever}
  pr:    {orifice: {A: supply, B: rod, area: 1 cm^2, discharge: 0.6, opening: [[-1, 1], [0, 0]]}, signal: lever}
  th:    {orifice: {A: head, B: tank, area: 1 cm^2, discharge: 0.6, opening: [[-1, 1], [0, 0]]}, signal: lever}
  pump_check:   {check: {A: line, B: supply, flow: 500 L/min, at_pressure_drop: 2 bar}}
  pump_relief:  {relief: {A: line, B: tank, cracking_pressure: 36 MPa, flow: 500 L/min, override: 1 MPa}}
  head_relief:  {relief: {A: head, B: tank, cracking_pressure: 42 MPa, flow: 500 L/min, override: 1 MPa}}
  rod_relief:   {relief: {A: rod, B: tank, cracking_pressure: 40 MPa, flow: 500 L/min, override: 1 MPa}}
  head_suction: {check: {A: tank, B: head, flow: 500 L/min, at_pressure_drop: 0.3 bar}}
  rod_suction:  {check: {A: tank, B: rod, flow: 500 L/min, at_pressure_drop: 0.3 bar}}
cylinders:
  lift: {base: {body: ground}, rod_end: {body: mass}, A: head, B: rod, area_A: 0.024 m^2, area_B: 0.012 m^2, chamber_length_A: 1 m, chamber_length_B: 1.5 m}
)" + rest;
}

}  // namespace trunnion::test
