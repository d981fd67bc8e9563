// The start: equilibrium pressures, rejections, accelerations that satisfy the equations. Reference: virtual work, the reference
// solutions' start pressures, the residual of the equations themselves, closed forms of single bodies.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/start.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machine/equilibrium.h"
#include "model/machines.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::acceleration;
using test::example;
using test::item;
using test::joint;
using test::machine;
using test::pressure;
using test::value;

// ---------------------------------------------------------------- equilibrium pressures

TEST(Start, FourBarRestsAtThePressureOfVirtualWork) {
  const auto model = compile(example("four_bar"));
  const StateVector s = start_state(*model);
  EXPECT_NEAR(pressure(*model, s, "v2"), 2753284.892633, 1e-4);  // [Pa] the reference's, from the potential's slope
  EXPECT_EQ(pressure(*model, s, "v1"), pressure(*model, s, "v2"));
  EXPECT_EQ(pressure(*model, s, "v3"), 3.5e6);
  EXPECT_EQ(value(*model, s, "valve.spool"), 0);
}

TEST(Start, CraneOfTwoCylindersRests) {
  const auto model = compile(example("slewing_crane"));
  const StateVector s = start_state(*model);
  for (const char* name : {"lift_v1", "lift_v2"}) EXPECT_NEAR(pressure(*model, s, name), 7343786.0385, 1e-3) << name;
  for (const char* name : {"slew_v1", "slew_v2"}) EXPECT_NEAR(pressure(*model, s, name), 4118400, 1e-3) << name;
}

TEST(Start, AMachineAtRestStaysAtRest) {
  for (const char* name : {"four_bar", "slewing_crane"}) {
    const auto model = compile(example(name));
    const StateVector s = start_state(*model);
    // balances hold to 1e-9 of loads of 1e4 N on inertias of 1e3 kg; pressures would change by the rounding of the lengths' rates
    for (int i = 0; i < model->layout.nv; ++i) EXPECT_NEAR(s.a()[i], 0, 1e-8) << name << " " << model->velocity_names[i];
    for (int i = 0; i < model->layout.ny; ++i) EXPECT_NEAR(s.ydot()[i], 0, 1e-6) << name << " " << model->state_names[i];
  }
}

TEST(Start, FrictionStatesBeginAtZero) {
  const auto model = compile(example("four_bar", {{"cylinders.lift.friction.model", "modified_lugre"}}));
  const StateVector s = start_state(*model);
  EXPECT_EQ(value(*model, s, "lift.bristle"), 0);
  EXPECT_EQ(value(*model, s, "lift.film"), 0);
  EXPECT_NEAR(pressure(*model, s, "v2"), 2753284.892633, 1e-4);  // friction carries no load
}

/// A spool with dynamics may start away from its command; the equilibrium is at its command.
TEST(Start, SpoolsBeginWhereTheirStartValueSays) {
  const std::string circuit = R"(
volumes: {v: {volume: 1 L, pressure: equilibrium}}
sources: {pump: {pressure: 10 MPa}, tank: {pressure: 0.1 MPa}}
valves: {valve: {orifice: {A: pump, B: v, diameter: 2 mm, time_constant: 20 ms, start: 0.4}, signal: u}, drain: {orifice: {A: v, B: tank, diameter: 1 mm}, signal: w}}
signals: {u: 0, w: 0}
)";
  const auto model = machine(circuit);
  const StateVector s = start_state(*model);
  EXPECT_EQ(value(*model, s, "valve.spool"), 0.4);
  EXPECT_EQ(pressure(*model, s, "v"), 10e6);  // open at the start
  EXPECT_NEAR(s.ydot()[model->hydraulics.spools[0].state], -0.4 / 0.02, 1e-12);
  std::string at_once = circuit;
  at_once.replace(at_once.find("time_constant: 20 ms, "), 22, "");
  try {
    machine(at_once);
    FAIL();
  } catch (const InputError& error) { EXPECT_EQ(error.diagnostics()[0].path, "valves.valve.orifice.start"); }
}

/// A weight of 1000 kg on a vertical cylinder, A below: 50 cm2, B above: 40 cm2.
std::string weight(const std::string& A, const std::string& B, const std::string& rest = "", const std::string& cylinder = "") {
  return R"(
bodies: {w: {point_mass: {mass: 1000}}}
joints: {w: {prismatic: {parent: ground, axis: z}, position: 1 m}}
volumes:
  a: {hose: {volume: 1 L}, pressure: )" +
         A + "}\n  b: {hose: {volume: 1 L}, pressure: " + B + R"(}
cylinders: {c: {base: {body: ground}, rod_end: {body: w}, A: a, B: b, area_A: 50 cm^2, area_B: 40 cm^2, chamber_length_A: 0.4, chamber_length_B: 0.6)" +
         cylinder + "}}\n" + rest;
}
constexpr double kWeight = 9810, kArea_A = 50e-4, kArea_B = 40e-4;

TEST(Start, EitherSideOfAPistonCanBeSolvedFor) {
  const auto below = machine(weight("equilibrium", "1 MPa")), above = machine(weight("4 MPa", "equilibrium"));
  EXPECT_NEAR(pressure(*below, start_state(*below), "a"), (kWeight + 1e6 * kArea_B) / kArea_A, 1e-6);
  EXPECT_NEAR(pressure(*above, start_state(*above), "b"), (4e6 * kArea_A - kWeight) / kArea_B, 1e-6);
}

TEST(Start, LeakageMakesBothSidesOne) {
  const auto model = machine(weight("equilibrium", "equilibrium", "", ", leakage: 1e-13 m^3/(s Pa)"));
  const StateVector s = start_state(*model);
  EXPECT_NEAR(pressure(*model, s, "a"), kWeight / (kArea_A - kArea_B), 1e-5);
  EXPECT_EQ(pressure(*model, s, "a"), pressure(*model, s, "b"));
}

TEST(Start, DampersBearTheirShare) {
  const auto model = machine(weight("equilibrium", "1 MPa", "", ", end_damper: {stiffness: 4e4, damping: 1e3, length: 0.5}"));
  EXPECT_NEAR(pressure(*model, start_state(*model), "a"), (kWeight + 1e6 * kArea_B - 4e4 * 0.1) / kArea_A, 1e-6);
}

TEST(Start, SpringsAndLoadsAreCarried) {
  const auto model = machine(weight(
      "equilibrium", "1 MPa",
      "springs: {s: {joint: w, stiffness: 1000, rest: 0.5}}\nforces: {f: {joint: w, load: -500 N, signal: two}}\nsignals: {two: 2}\n"));
  EXPECT_NEAR(pressure(*model, start_state(*model), "a"), (kWeight + 500 + 1000 + 1e6 * kArea_B) / kArea_A, 1e-6);
}

TEST(Start, AnOpenValveGivesItsPressure) {
  const std::string valves = R"(
sources: {pump: {pressure: supply}, tank: {pressure: 1 bar}}
valves: {v: {directional_4_3: {P: pump, T: tank, A: a, B: b, flow: 10 L/min, at_pressure_drop: 35 bar, at_signal: 1}, signal: u}}
signals: {supply: 5 MPa, u: %}
)";
  const auto with = [&](const std::string& u) {
    std::string text = valves;
    text.replace(text.find('%'), 1, u);
    const auto model = machine(weight("equilibrium", "equilibrium", text));
    const StateVector s = start_state(*model);
    return std::array<double, 2>{pressure(*model, s, "a"), pressure(*model, s, "b")};
  };
  EXPECT_EQ(with("0.3"), (std::array<double, 2>{5e6, 1e5}));
  EXPECT_EQ(with("-0.3"), (std::array<double, 2>{1e5, 5e6}));
  EXPECT_THROW(with("0"), InputError);  // trapped on both sides
}

TEST(Start, APrescribedCoordinateIsBorneByItsMotion) {
  // two weights: one is moved by a signal, the other rests on its cylinder
  const std::string text = R"(
bodies: {w: {point_mass: {mass: 1000}}, m: {point_mass: {mass: 300}}}
joints: {w: {prismatic: {parent: ground, axis: z}, position: 1 m}, m: {prismatic: {parent: ground, at: [1, 0, 0], axis: z}}}
motions: {drive: {joint: m, signal: one}}
signals: {one: 1 m}
volumes: {a: {hose: {volume: 1 L}, pressure: equilibrium}, b: {hose: {volume: 1 L}, pressure: 1 MPa}}
cylinders: {c: {base: {body: ground}, rod_end: {body: w}, A: a, B: b, area_A: 50 cm^2, area_B: 40 cm^2, chamber_length_A: 0.4, chamber_length_B: 0.6}}
)";
  const auto model = machine(text);
  const StateVector s = start_state(*model);
  EXPECT_NEAR(pressure(*model, s, "a"), (kWeight + 1e6 * kArea_B) / kArea_A, 1e-6);
  EXPECT_NEAR(s.multipliers()[0], -300 * 9.81, 1e-6);  // M a + J^T lambda = Q
}

TEST(Start, WhatSwingsPullsWhileItSetsOff) {
  // a pendulum of 200 kg under the weight, released at 40 degrees from straight down: its rope carries m g cos, vertical m g cos^2
  const double angle = 0.7;
  const auto model = machine(R"(
bodies: {w: {point_mass: {mass: 1000}}, m: {point_mass: {mass: 200, at: [0, 0, -1.5]}}}
joints: {w: {prismatic: {parent: ground, axis: z}, position: 1 m}, m: {revolute: {parent: w, axis: y}, angle: 0.7}}
volumes: {a: {hose: {volume: 1 L}, pressure: equilibrium}, b: {hose: {volume: 1 L}, pressure: 1 MPa}}
cylinders: {c: {base: {body: ground}, rod_end: {body: w}, A: a, B: b, area_A: 50 cm^2, area_B: 40 cm^2, chamber_length_A: 0.4, chamber_length_B: 0.6}}
)");
  const StateVector s = start_state(*model);
  EXPECT_NEAR(pressure(*model, s, "a"), (kWeight + 200 * 9.81 * std::cos(angle) * std::cos(angle) + 1e6 * kArea_B) / kArea_A, 1e-5);
  EXPECT_NEAR(acceleration(*model, s, "w"), 0, 1e-10);
  EXPECT_NEAR(acceleration(*model, s, "m"), -9.81 / 1.5 * std::sin(angle), 1e-10);
}

TEST(Start, OilLetsNoPistonSetOffWhereALoadSwings) {
  const auto model = compile(example("slewing_crane", {{"joints.load.rotation", "[0, 25 deg, 0]"}}));
  const StateVector s = start_state(*model);
  for (const char* name : {"column", "boom"}) EXPECT_NEAR(acceleration(*model, s, name), 0, 1e-8) << name;
  EXPECT_GT(std::abs(s.a()[joint(*model, "load").v + 1]), 0.1);
}

// ---------------------------------------------------------------- rejections

/// Paths and texts of the errors of start_state.
std::vector<Diagnostic> refused(const std::shared_ptr<const CompiledModel>& model) {
  try {
    start_state(*model);
  } catch (const InputError& error) { return error.diagnostics(); }
  return {};
}
std::vector<std::string> paths(const std::vector<Diagnostic>& findings) {
  std::vector<std::string> list;
  for (const Diagnostic& d : findings) list.push_back(d.path);
  return list;
}

TEST(Start, BothSidesOfAPistonAreIndeterminateAndNamed) {
  const auto findings = refused(machine(weight("equilibrium", "equilibrium")));
  ASSERT_EQ(paths(findings), (std::vector<std::string>{"volumes.a.pressure", "volumes.b.pressure"}));
  for (const Diagnostic& d : findings) EXPECT_NE(d.found.find("not determined by static equilibrium"), std::string::npos) << d.found;
  EXPECT_EQ(findings[0].span.line, 6);
  EXPECT_EQ(paths(refused(compile(example("four_bar", {{"volumes.v3.pressure", "equilibrium"}})))),
            (std::vector<std::string>{"volumes.v1.pressure", "volumes.v2.pressure", "volumes.v3.pressure"}));
}

TEST(Start, OnlyWhatIsIndeterminateIsNamed) {
  const auto findings = refused(compile(example("slewing_crane", {{"volumes.slew_v3.pressure", "equilibrium"}})));
  EXPECT_EQ(paths(findings),
            (std::vector<std::string>{"volumes.slew_v1.pressure", "volumes.slew_v2.pressure", "volumes.slew_v3.pressure"}));
}

TEST(Start, AVolumeWithoutPistonIsIndeterminate) {
  Description d = test::description(weight("4 MPa", "1 MPa"));
  d.volumes.emplace_back("lone", VolumeDescription{1e-3, 1e9, {true, 0}});
  EXPECT_EQ(paths(refused(compile(d))), (std::vector<std::string>{"volumes.lone.pressure"}));
}

TEST(Start, APrescribedPistonLeavesItsPressuresOpen) {
  EXPECT_EQ(paths(refused(machine(weight("equilibrium", "1 MPa", "motions: {drive: {joint: w, signal: one}}\nsignals: {one: 1 m}\n")))),
            (std::vector<std::string>{"volumes.a.pressure"}));
}

TEST(Start, PressuresBelowVacuumAreRefused) {
  const auto findings = refused(compile(example("four_bar", {{"volumes.v3.pressure", "50 kPa"}})));
  ASSERT_EQ(paths(findings), (std::vector<std::string>{"volumes.v1.pressure", "volumes.v2.pressure"}));
  EXPECT_NE(findings[0].found.find("below vacuum"), std::string::npos) << findings[0].found;
}

TEST(Start, APressureBetweenTwoStatedOnesHasNoRest) {
  const auto findings = refused(machine(weight("4 MPa", "equilibrium", R"(
sources: {pump: {pressure: 7 MPa}}
valves: {one: {orifice: {A: a, B: b, diameter: 1 mm}}, two: {orifice: {A: b, B: pump, diameter: 1 mm}}}
)")));
  ASSERT_EQ(paths(findings), (std::vector<std::string>{"volumes.b.pressure"}));
  EXPECT_NE(findings[0].found.find("oil flows"), std::string::npos) << findings[0].found;
}

TEST(Start, APumpThatRunsLeavesNoRest) {
  const auto with = [](const std::string& flow) {
    return refused(machine(weight("equilibrium", "1 MPa", "sources: {pump: {flow: q, to: a}}\nsignals: {q: " + flow + "}\n")));
  };
  EXPECT_TRUE(with("{steps: [[1 s, 10 L/min]]}").empty());  // it starts later
  const auto findings = with("10 L/min");
  ASSERT_EQ(paths(findings), (std::vector<std::string>{"volumes.a.pressure"}));
  EXPECT_NE(findings[0].found.find("pump"), std::string::npos) << findings[0].found;
}

TEST(Start, StatedPressuresNeedNoRest) {
  EXPECT_TRUE(refused(machine(weight("4 MPa", "1 MPa", "valves: {one: {orifice: {A: a, B: b, diameter: 1 mm}}}\n"))).empty());
}

// ---------------------------------------------------------------- pressures determined by valves

/// Pilot and load-sensing lines of a cylinder under a weight, none with a given pressure.
std::string lines(const std::string& more_volumes = "", const std::string& more_valves = "") {
  return R"(
bodies: {w: {point_mass: {mass: 1000}}}
joints: {w: {prismatic: {parent: ground, axis: z}, position: 1 m}}
volumes:
  a: {hose: {volume: 1 L}, pressure: equilibrium}
  b: {hose: {volume: 1 L}, pressure: 1 MPa}
  pilot: {hose: {volume: 1 L}, pressure: equilibrium}
  clamp: {hose: {volume: 1 L}, pressure: equilibrium}
  ls: {hose: {volume: 1 L}, pressure: equilibrium}
  top: {hose: {volume: 1 L}, pressure: equilibrium}
  behind: {hose: {volume: 1 L}, pressure: equilibrium}
  steering: {hose: {volume: 1 L}, pressure: equilibrium}
  load: {hose: {volume: 1 L}, pressure: equilibrium}
)" + more_volumes +
         R"(
cylinders: {c: {base: {body: ground}, rod_end: {body: w}, A: a, B: b, area_A: 50 cm^2, area_B: 40 cm^2, chamber_length_A: 0.4, chamber_length_B: 0.6}}
sources: {supply: {pressure: 20 MPa}, tank: {pressure: 1 bar}}
valves:
  second: {shuttle: {X: clamp, Y: ls, Z: top, diameter: 1 mm}}
  first: {shuttle: {X: a, Y: pilot, Z: ls, diameter: 1 mm}}
  reduce: {reducing: {A: supply, B: pilot, T: tank, setting: 3 MPa, range: 5 bar, diameter: 3 mm}}
  relieve: {reducing: {A: supply, B: clamp, T: tank, setting: 2 MPa, range: 5 bar, relieving: true, diameter: 3 mm}}
  check: {check: {A: supply, B: behind, cracking_pressure: 3 bar, diameter: 3 mm}}
  steer: {priority: {P: supply, CF: steering, EF: tank, LS: clamp, setting: 4 bar, diameter: 3 mm}}
  hold: {counterbalance: {A: load, B: pilot, X: tank, setting: 30 MPa, diameter: 3 mm}}
)" + more_valves;
}

TEST(Start, ValvesDecideWhereNothingFlows) {
  const auto model = machine(lines());
  const StateVector s = start_state(*model);
  const double load = (kWeight + 1e6 * kArea_B) / kArea_A, reduced = 0.1e6 + 3.5e6, relieved = 0.1e6 + 2.5e6;
  const std::pair<const char*, double> expected[] = {{"a", load},
                                                     {"pilot", reduced},
                                                     {"clamp", relieved},
                                                     {"ls", std::max(load, reduced)},
                                                     {"top", std::max(load, reduced)},
                                                     {"behind", 19.7e6},
                                                     {"load", reduced},
                                                     {"steering", relieved + 0.6e6}};
  for (const auto& [name, p] : expected) EXPECT_NEAR(pressure(*model, s, name), p, 1e-6 * p) << name;
  for (std::size_t i = 0; i < model->hydraulics.volumes.size(); ++i) EXPECT_NEAR(s.ydot()[i], 0, 1) << model->state_names[i];  // [Pa/s]
  const StateVector rest = solve_equilibrium(*model).state;
  for (int i = 0; i < model->layout.ny; ++i) EXPECT_NEAR(rest.y()[i], s.y()[i], 1e-6 * std::abs(s.y()[i])) << model->state_names[i];
}

TEST(Start, WhatIsOnlyLetOutIsIndeterminateUpToWhereItIs) {
  const auto findings =
      refused(machine(lines("  trapped: {hose: {volume: 1 L}, pressure: equilibrium}\n",
                            "  safety: {relief: {A: trapped, B: tank, cracking_pressure: 25 MPa, flow: 10 L/min, override: 10 bar}}\n")));
  ASSERT_EQ(paths(findings), (std::vector<std::string>{"volumes.trapped.pressure"}));
  EXPECT_NE(findings[0].found.find("any value is possible up to 2.51e+07 Pa"), std::string::npos) << findings[0].found;
}

TEST(Start, APumpThatFillsAVolumeThroughAReliefLeavesNoRest) {
  const auto findings =
      refused(machine(lines("  line: {hose: {volume: 1 L}, pressure: equilibrium}\n",
                            "  into: {check: {A: supply, B: line, diameter: 1 mm}}\n"
                            "  safety: {relief: {A: line, B: tank, cracking_pressure: 10 MPa, flow: 10 L/min, override: 10 bar}}\n")));
  ASSERT_EQ(paths(findings), (std::vector<std::string>{"volumes.line.pressure", "volumes.line.pressure"}));
  for (const Diagnostic& d : findings) EXPECT_NE(d.found.find("oil flows, so no static equilibrium exists"), std::string::npos) << d.found;
}

// ---------------------------------------------------------------- accelerations

struct Residuals {
  double dynamics = 0;    // largest |M a + J^T lambda - Q|
  double constraint = 0;  // largest |J a + gamma|
  double size = 0;        // largest |Q|
};

template <int D>
Residuals residuals_in(const CompiledModel& model, StateVector s) {
  const auto& m = std::get<Mechanism<D>>(model.mechanism);
  MachineState<D> work(model);
  update_inputs(model, {model.signals, nullptr}, 0, Side::right, work);
  update_positions<D, double>(m, s.q(), nullptr, work.mechanism);
  RateRelation rule;
  rule.step = 1e-3;
  const StateVector begin = s;
  rule.y_begin = begin.y();
  rule.offset = begin.ydot();
  evaluate(model, m, {s.q(), s.v(), s.a(), s.y(), s.ydot(), s.multipliers()}, rule, work);
  Residuals r;
  for (double value : work.r) r.dynamics = std::max(r.dynamics, std::abs(value));
  constraint_accelerations(m, s.a(), work.mechanism);
  for (double value : work.mechanism.Phi_ddot) r.constraint = std::max(r.constraint, std::abs(value));
  // without accelerations and multipliers the residual is -Q
  std::vector<double> zero(static_cast<std::size_t>(std::max(model.layout.nv, model.layout.rows)), 0.0);
  evaluate(model, m, {s.q(), s.v(), zero.data(), s.y(), s.ydot(), zero.data()}, rule, work);
  for (double value : work.r) r.size = std::max(r.size, std::abs(value));
  return r;
}
Residuals residuals(const CompiledModel& model, const StateVector& s) {
  return model.planar ? residuals_in<2>(model, s) : residuals_in<3>(model, s);
}

TEST(Start, AccelerationsAndMultipliersSatisfyTheEquations) {
  std::vector<Description> machines;
  for (const char* name : {"four_bar", "slewing_crane", "spatial_slider_crank"}) {
    Description d = example(name);
    for (auto& [volume, v] : d.volumes) v.pressure = {false, 5e6};  // far from equilibrium
    for (auto& [body, j] : d.joints) {
      if (j.kind == JointKind::spherical)
        j.angular_velocity = Vec3d{1, -2, 3};
      else if (body != "slider")
        j.rate = 1.5;
      j.hold = body == "crank" || d.loops.empty();
    }
    machines.push_back(d);
  }
  machines.push_back(machines[2]);  // and driven
  machines.back().signals.emplace_back("way", SineSignal{0.5, 2, 0.3, -0.5 * std::sin(0.3), 0});
  machines.back().motions.emplace_back("drive", MotionDescription{"crank", "way"});
  machines.back().joints[0].second.rate.reset();
  machines.back().joints[0].second.hold = false;
  for (const Description& d : machines) {
    const auto model = compile(d);
    const StateVector s = start_state(*model);
    const Residuals r = residuals(*model, s);
    EXPECT_GT(r.size, 10) << d.title;
    EXPECT_LT(r.dynamics, 1e-6 * r.size) << d.title;  // rounding of accelerations, 1e-15, times a penalty of 1e6 inertias, with margin
    EXPECT_LT(r.constraint, 1e-9) << d.title;         // [m/s2] relative to 10
  }
}

TEST(Start, TheSameLoopTwiceDoesNoHarm) {
  for (const char* name : {"four_bar", "spatial_slider_crank"}) {
    Description d = example(name);
    for (auto& [volume, v] : d.volumes) v.pressure = {false, 5e6};
    item(d.joints, "crank").rate = 2;
    const auto once = compile(d);
    d.loops.emplace_back("again", d.loops[0].second);
    const auto twice = compile(d);
    const StateVector s = start_state(*once), t = start_state(*twice);
    for (int i = 0; i < once->layout.nv; ++i) EXPECT_NEAR(s.a()[i], t.a()[i], 1e-8) << name;  // relative to 10
    for (int i = 0; i < once->layout.rows; ++i)
      EXPECT_NEAR(s.multipliers()[i], t.multipliers()[i] + t.multipliers()[once->layout.rows + i],
                  1e-5 * (1 + std::abs(s.multipliers()[i])))  // of redundant rows the regularisation of the factor is left
          << name;
  }
}

TEST(Start, AFreeBodyFalls) {
  const auto model = machine(
      "gravity: [1, -2, -9]\nbodies: {b: {box: {size: [1, 2, 3], mass: 5}}}\njoints: {b: {free: {parent: ground}, velocity: [3, 2, 1]}}\n");
  const StateVector s = start_state(*model);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(s.a()[i], i == 0 ? 1 : i == 1 ? -2 : i == 2 ? -9 : 0, 1e-13);
}

TEST(Start, AWeightUnderPressureIsAcceleratedByTheDifference) {
  const auto model = machine(weight("3 MPa", "1 MPa"));
  EXPECT_NEAR(acceleration(*model, start_state(*model), "w"), (3e6 * kArea_A - 1e6 * kArea_B) / 1000 - 9.81, 1e-12);
}

TEST(Start, AMovingPistonCompressesItsOil) {
  Description d = test::description(weight("3 MPa", "1 MPa"));
  item(d.joints, "w").rate = 0.2;
  const auto model = compile(d);
  const StateVector s = start_state(*model);
  EXPECT_NEAR(s.ydot()[test::state_index(*model, "a.pressure")], -0.2 * kArea_A * 1.5e9 / (1e-3 + kArea_A * 0.4), 1e-3);
  EXPECT_NEAR(s.ydot()[test::state_index(*model, "b.pressure")], 0.2 * kArea_B * 1.5e9 / (1e-3 + kArea_B * 0.6), 1e-3);
}

TEST(Start, ABodyThatCannotResistIsRefused) {
  const auto model = machine(
      "bodies: {b: {rod: {length: 1, mass: 1}}, w: {sphere: {radius: 1, mass: 1}}}\njoints: {b: {revolute: {parent: ground, axis: x}}, w: "
      "{spherical: {parent: ground}}}\n");
  EXPECT_THROW(start_state(*model), SimulationError);  // a slender rod about its own axis
}

/// A point mass turns freely about the line to its spherical joint, in whatever direction that is.
TEST(Start, AMassOnALineThroughASphericalJointHasNoInertiaAboutIt) {
  for (const double mass : {3e-6, 3.0, 3e6})
    for (const double inertia : {0.0, 1e-9, 1e-2}) {
      const auto model = test::model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {{p: {{mass: {0}, center_of_mass: [0.5, 1.0, 0.3], inertia: [{1}, {1}, {1}]}}}}
joints: {{p: {{spherical: {{parent: ground}}}}}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                                                      mass, inertia * mass));
      if (inertia > 0)
        EXPECT_NO_THROW((void)start_state(*model)) << mass << " " << inertia;
      else
        EXPECT_THROW((void)start_state(*model), SimulationError) << mass;
    }
}

}  // namespace
}  // namespace trunnion
