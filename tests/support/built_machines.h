// Machines built in code, as a user does with the public headers alone; each equals a model file bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numbers>

#include "trunnion/description.h"

namespace trunnion::test {

/// examples/lever.yaml, the lever of the README.
inline Description lever() {
  constexpr double kDegree = std::numbers::pi / 180;
  Description d{.title = "Lever lifted and lowered by a cylinder", .gravity = {0, -9.81, 0}};
  d.bodies.add("lever", {.shapes = {RodShape{.length = 2, .mass = 100}}});
  d.joints.add("lever", {.kind = JointKind::revolute, .parent = "ground", .coordinate = 20 * kDegree, .hold = true});
  d.fluid = {.density = 850, .bulk_modulus = 1500e6};
  d.volumes.add("piston_side", {.volume = 1e-4, .bulk_modulus = 150e6});
  d.volumes.add("rod_side", {.volume = 1e-4, .bulk_modulus = 150e6, .pressure = {.equilibrium = false, .value = 2e6}});
  d.sources.add("pump", PressureSourceDescription{.pressure = 10e6});
  d.sources.add("tank", PressureSourceDescription{.pressure = 1e5});
  d.valves.add("valve", DirectionalValveDescription{.P = "pump",
                                                    .T = "tank",
                                                    .A = "piston_side",
                                                    .B = "rod_side",
                                                    .flow = 10e-3 / 60,
                                                    .dynamics = {.time_constant = 5e-3},
                                                    .signal = "command"});
  d.cylinders.add("lift", {.base = {.body = "ground", .at = {0.2, -0.8, 0}},
                           .rod_end = {.body = "lever", .at = {0.8, 0, 0}},
                           .A = "piston_side",
                           .B = "rod_side",
                           .bore = 0.05,
                           .rod = 0.03,
                           .chamber_length_A = 0.1,
                           .chamber_length_B = 0.4,
                           .bulk_modulus = 31500e6,
                           .friction = {.model = FrictionKind::brown_mcphee, .coulomb = 100, .static_force = 300, .viscous = 500}});
  d.signals.add("command", RampsSignal{{{0.5, 0}, {0.7, 10}, {1.5, 10}, {1.7, 0}, {2.5, 0}, {2.7, -6}, {3.8, -6}, {4, 0}}});
  d.solver.step = 1e-3;
  d.solver.duration = 5;
  return d;
}

/// tests/data/pump_crane.yaml: a crane with a pump, a relief valve, a directional valve and a counterbalance valve.
inline Description pump_crane() {
  Description d{.title = "Crane on a pump", .gravity = {0, -9.81, 0}};
  d.bodies.add("boom", {.shapes = {RodShape{.length = 3, .mass = 200}, PointMassShape{.mass = 300, .at = {3, 0, 0}}}});
  d.joints.add("boom", {.kind = JointKind::revolute, .parent = "ground", .coordinate = 0.25, .hold = true});
  d.inputs.add("lever", {.min = -10, .max = 10});
  d.volumes.add("supply", {.volume = 1e-3, .pressure = {.equilibrium = false, .value = 6e6}});
  d.volumes.add("line", {.volume = 2e-4, .pressure = {.equilibrium = false, .value = 2e6}});
  d.volumes.add("piston_side", {.volume = 2e-4});
  d.volumes.add("rod_side", {.volume = 2e-4, .pressure = {.equilibrium = false, .value = 2e6}});
  d.sources.add("tank", PressureSourceDescription{.pressure = 1e5});
  d.valves.add("relief", ReliefValveDescription{.A = "supply", .B = "tank", .cracking_pressure = 20e6, .gradient = 1e-9});
  d.valves.add(
      "main",
      DirectionalValveDescription{
          .P = "supply", .T = "tank", .A = "line", .B = "rod_side", .flow = 5e-4, .dynamics = {.frequency = 20}, .signal = "lever"});
  d.valves.add("hold", CounterbalanceValveDescription{
                           .A = "piston_side", .B = "line", .X = "rod_side", .setting = 25e6, .diameter = 0.006, .cracking_pressure = 1e5});
  d.valves.add("bleed", OrificeDescription{.A = "supply", .B = "tank", .area = 2e-6});
  d.pumps.add("pump", {.S = "tank",
                       .P = "supply",
                       .displacement = 4e-6,
                       .speed = 150.0,
                       .losses = PumpEfficiencies{.volumetric = 0.95, .mechanical = 0.92, .at_speed = 150, .at_pressure = 20e6}});
  d.cylinders.add("lift", {.base = {.body = "ground", .at = {0.3, -0.9, 0}},
                           .rod_end = {.body = "boom", .at = {1, 0, 0}},
                           .A = "piston_side",
                           .B = "rod_side",
                           .area_A = 5e-3,
                           .area_B = 3e-3,
                           .chamber_length_A = 0.3,
                           .chamber_length_B = 0.4,
                           .friction = {.model = FrictionKind::lugre,
                                        .coulomb = 200,
                                        .static_force = 300,
                                        .viscous = 1000,
                                        .bristle_stiffness = 1e6,
                                        .bristle_damping = 2e3}});
  d.solver.duration = 2;
  return d;
}

}  // namespace trunnion::test
