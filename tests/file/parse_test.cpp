// Reading models: every form of every item, conversion of units, locations of values.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "file/model_file.h"

namespace trunnion {
namespace {

constexpr double kPi = 3.14159265358979323846;

const std::string kExample = std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml";

template <class T>
const T& at(const NamedList<T>& list, const std::string& name) {
  for (const auto& item : list)
    if (item.first == name) return item.second;
  throw std::out_of_range(name);
}

Description parse(const std::string& body) { return parse_model("trunnion: 1\n" + body, "model.yaml"); }

TEST(Parse, TheFourBarArrivesInSiUnits) {
  const Description d = load_model(kExample);
  EXPECT_EQ(d.gravity, (Vec3d{0, -9.81, 0}));
  ASSERT_EQ(d.bodies.size(), 3u);
  EXPECT_EQ(d.bodies[1].first, "coupler");
  EXPECT_EQ(std::get<RodShape>(d.bodies[1].second.shapes.at(0)).length, 8);
  const JointDescription& crank = at(d.joints, "crank");
  EXPECT_EQ(crank.kind, JointKind::revolute);
  EXPECT_EQ(crank.parent, "ground");
  EXPECT_EQ(crank.axis, (Vec3d{0, 0, 1}));
  EXPECT_EQ(crank.coordinate.value(), 60 * kPi / 180);
  EXPECT_TRUE(crank.hold);
  const LoopDescription& loop = at(d.loops, "E");
  EXPECT_EQ(loop.between[1], "ground");
  EXPECT_EQ(loop.at[1], (Vec3d{10, 0, 0}));
  EXPECT_EQ(at(d.volumes, "v1").bulk_modulus, 1.5e8);
  EXPECT_TRUE(at(d.volumes, "v1").pressure.equilibrium);
  EXPECT_EQ(at(d.volumes, "v3").pressure.value, 3.5e6);
  const auto& valve = std::get<DirectionalValveDescription>(at(d.valves, "valve"));
  EXPECT_EQ(valve.flow, 4e-4);
  EXPECT_EQ(valve.dynamics.time_constant, 4.547284088339867e-3);
  EXPECT_EQ(valve.signal, "command");
  const CylinderDescription& lift = at(d.cylinders, "lift");
  EXPECT_EQ(lift.bore.value(), 0.08);
  EXPECT_EQ(lift.friction.model, FrictionKind::brown_mcphee);
  EXPECT_EQ(lift.friction.static_force, 830);
  EXPECT_FALSE(lift.end_damper);
  EXPECT_EQ(std::get<StepsSignal>(at(d.signals, "command")).steps.at(2), (std::array<double, 2>{5, -10}));
  EXPECT_EQ(d.solver.step, 1e-3);
  EXPECT_FALSE(d.solver.penalty.value);  // auto
}

TEST(Parse, EveryShapeOfBodiesIsRead) {
  const Description d = parse(R"(
bodies:
  a: {box: {size: [1 m, 20 cm, 30 mm], mass: 2 t, at: [1, 2, 3]}}
  b: {cylinder: {length: 1, diameter: 60 mm, mass: 3, axis: y}}
  c: {cylinder: {length: 1, radius: 60 mm, mass: 3, axis: [0, 3, 4]}}
  d: {sphere: {radius: 0.1, mass: 1 kg}}
  e: {mass: 5, center_of_mass: [0.5, 0, 0], inertia: {xx: 1, yy: 2, zz: 2 kg m^2, xy: 0.1}}
  f: {shapes: [{point_mass: {mass: 1, at: [1, 0, 0]}}, {rod: {length: 1, mass: 1, diameter: 1 cm}}, {mass: 1, inertia: [1, 1, 1]}]}
joints:
  a: {free: {parent: ground}, position: [1, 2, 3], rotation: [90 deg, 0, 0], velocity: [1 km/h, 0, 0], angular_velocity: [30 rpm, 0, 0]}
  b: {fixed: {parent: a, at: [0, 0, 1], orientation: [0, 90 deg, 0], child_at: [0, 1, 0]}}
  c: {prismatic: {parent: a, axis: x}, position: 20 cm, speed: 1 mm/s, hold: true}
  d: {spherical: {parent: a}, rotation: [0, 0, 1], angular_velocity: [0, 0, 1]}
  e: {revolute: {parent: a}, rate: 10 deg/s}
  f: {free: {parent: ground}}
)");
  EXPECT_EQ(std::get<BoxShape>(at(d.bodies, "a").shapes[0]).size, (Vec3d{1, 0.2, 0.03}));
  EXPECT_EQ(std::get<CylinderShape>(at(d.bodies, "b").shapes[0]).radius, 0.03);
  EXPECT_EQ(std::get<CylinderShape>(at(d.bodies, "b").shapes[0]).axis, (Vec3d{0, 1, 0}));
  EXPECT_EQ(std::get<CylinderShape>(at(d.bodies, "c").shapes[0]).axis, (Vec3d{0, 3.0 / 5, 4.0 / 5}));
  EXPECT_EQ(std::get<InertiaShape>(at(d.bodies, "e").shapes[0]).products, (Vec3d{0.1, 0, 0}));
  ASSERT_EQ(at(d.bodies, "f").shapes.size(), 3u);
  EXPECT_EQ(std::get<RodShape>(at(d.bodies, "f").shapes[1]).diameter, 0.01);
  EXPECT_EQ(std::get<InertiaShape>(at(d.bodies, "f").shapes[2]).moments, (Vec3d{1, 1, 1}));
  EXPECT_EQ(at(d.joints, "a").kind, JointKind::free);
  EXPECT_EQ(at(d.joints, "a").rotation->at(0), 90 * kPi / 180);
  EXPECT_EQ(at(d.joints, "b").child_at, (Vec3d{0, 1, 0}));
  EXPECT_EQ(at(d.joints, "c").coordinate.value(), 0.2);
  EXPECT_EQ(at(d.joints, "c").rate.value(), 0.001);
  EXPECT_FALSE(at(d.joints, "e").coordinate);
}

TEST(Parse, WhatIsDrawnOfBodiesAndOfTheGroundIsReadAndHasNoMass) {
  const Description d = parse(R"(
templates:
  bracket: {parameters: {side}, bodies: {$(part): {point_mass: {mass: 1}, drawn: [{box: {size: [1, 1, 1], at: [0, $(side), 0]}}]}},
            joints: {$(part): {free: {parent: ground}}}}
parts: {left: {template: bracket, side: 0.5}}
ground: {drawn: [{sphere: {radius: 20 cm, at: [1, 0, 0]}}]}
bodies:
  a:
    mass: 5
    inertia: [1, 1, 1]
    drawn:
      - {plate: {outline: [[0, 0], [1 m, 0], [50 cm, 25 cm]], thickness: 30 mm}}
      - {plate: {outline: [[0, 0], [1, 0], [0, 1], [-1, 0.5]], thickness: 1, normal: x, at: [0, 0, 2]}}
      - {box: {size: [1, 2, 3], orientation: [0, 90 deg, 0]}}
      - {cylinder: {length: 2, diameter: 60 mm, axis: y}}
  b: {rod: {length: 1, mass: 1}}
joints: {a: {free: {parent: ground}}, b: {free: {parent: ground}}}
)");
  const std::vector<LookDescription>& drawn = at(d.bodies, "a").drawn;
  ASSERT_EQ(drawn.size(), 4u);
  const auto& plate = std::get<PlateLook>(drawn[0]);
  EXPECT_EQ(plate.outline, (std::vector<Vec2d>{{0, 0}, {1, 0}, {0.5, 0.25}}));
  EXPECT_EQ(plate.thickness, 0.03);
  EXPECT_EQ(plate.normal, PlateLook::Normal::y);
  EXPECT_EQ(std::get<PlateLook>(drawn[1]).normal, PlateLook::Normal::x);
  EXPECT_EQ(std::get<PlateLook>(drawn[1]).at, (Vec3d{0, 0, 2}));
  EXPECT_EQ(std::get<BoxLook>(drawn[2]).orientation[1], 90 * kPi / 180);
  EXPECT_EQ(std::get<CylinderLook>(drawn[3]).radius, 0.03);
  EXPECT_EQ(at(d.bodies, "a").shapes.size(), 1u);
  EXPECT_TRUE(at(d.bodies, "b").drawn.empty());
  EXPECT_EQ(std::get<BoxLook>(at(d.bodies, "left").drawn[0]).at[1], 0.5);
  EXPECT_EQ(std::get<SphereLook>(d.ground.drawn.at(0)).radius, 0.2);
}

const std::string kTwoBodies = R"(
bodies: {a: {point_mass: {mass: 1}}, b: {point_mass: {mass: 1}}}
joints: {a: {revolute: {parent: ground}}, b: {prismatic: {parent: a}}}
)";

TEST(Parse, LoopsSpringsForcesAndMotionsAreRead) {
  const Description d = parse(kTwoBodies + R"(
loops:
  p: {prismatic: {between: [a, b], at: [[0, 0, 0], [1, 0, 0]], axes: [x, [0, 2, 0]]}}
  s: {spherical: {between: [a, ground], at: [[0, 0, 0], [1, 0, 0]]}}
  r: {distance: {between: [a, ground], at: [[0, 0, 0], [1, 0, 0]], distance: 20 cm}}
motions: {m: {joint: b, signal: stroke}}
springs:
  turn: {joint: a, stiffness: 3 N m/rad, damping: 1 N m s/rad, rest: 30 deg, preload: 2 N m}
  slide: {joint: b, stiffness: 3 N/m, rest: 30 mm}
  line: {between: [a, ground], at: [[0, 0, 0], [1, 0, 0]], stiffness: 2 kN/m}
forces:
  push: {body: b, at: [1, 0, 0], force: [1 kN, 0, 0], frame: body, signal: stroke}
  twist: {body: b, torque: [1 N m, 0, 0]}
  load: {joint: a, load: 3 N m}
signals: {stroke: {ramps: [[0, 0 mm], [1 s, 100 mm], [2 s, 50 mm]]}}
)");
  EXPECT_EQ(at(d.loops, "p").axis[1], (Vec3d{0, 1, 0}));
  EXPECT_EQ(at(d.loops, "r").distance.value(), 0.2);
  EXPECT_EQ(at(d.springs, "turn").rest.value(), 30 * kPi / 180);
  EXPECT_FALSE(at(d.springs, "line").joint);
  EXPECT_EQ(at(d.springs, "line").stiffness, 2000);
  EXPECT_EQ(at(d.forces, "push").force.value(), (Vec3d{1000, 0, 0}));
  EXPECT_EQ(at(d.forces, "push").frame, ForceFrame::body);
  EXPECT_EQ(at(d.forces, "load").load.value(), 3);
  EXPECT_EQ(std::get<RampsSignal>(at(d.signals, "stroke")).points.at(1)[1], 0.1);
}

TEST(Parse, EverySignalIsRead) {
  const Description d = parse(R"(
signals:
  bare: 3 V
  constant: {constant: 3}
  steps: {steps: [[1 s, 1], [2 s, 2]], before: 5}
  table: {table: [[0, 1], [1, 2]], smooth: true}
  sine: {sine: {amplitude: 2, frequency: 3 Hz, phase: 90 deg, offset: 1, start: 1 s}}
  sum: {sum: [bare, constant]}
  product: {product: [sum, sine]}
)");
  EXPECT_EQ(std::get<ConstantSignal>(at(d.signals, "bare")).value, 3);
  EXPECT_EQ(std::get<StepsSignal>(at(d.signals, "steps")).before, 5);
  EXPECT_TRUE(std::get<TableSignal>(at(d.signals, "table")).smooth);
  EXPECT_EQ(std::get<SineSignal>(at(d.signals, "sine")).phase, 90 * kPi / 180);
  EXPECT_EQ(std::get<ProductSignal>(at(d.signals, "product")).of, (std::vector<std::string>{"sum", "sine"}));
}

TEST(Parse, TheCircuitIsRead) {
  const Description d = parse(kTwoBodies + R"(
volumes: {v: {volume: 1 L}, w: {volume: 2 L, bulk_modulus: .inf, pressure: 1 bar}}
sources: {p: {pressure: supply}, q: {flow: 3 L/min, to: v, from: w}}
valves:
  a1: {orifice: {A: p, B: v, area: 3 mm^2}, signal: supply2}
  a2: {orifice: {A: p, B: v, flow: 1 L/min, at_pressure_drop: 10 bar}}
cylinders:
  c: {base: {body: a}, rod_end: {body: b}, A: v, B: w, area_A: 20 cm^2, area_B: 10 cm^2, chamber_length_A: 1, chamber_length_B: 1,
      leakage: 1e-13 m^3/(s Pa), end_damper: {stiffness: 1e6, damping: 1, length: 1 cm, law: rahikainen_2020}}
signals: {supply: 7 MPa, supply2: 1}
record: {every: 5, channels: ["c.*", v.pressure]}
)");
  EXPECT_EQ(at(d.volumes, "v").bulk_modulus, std::numeric_limits<double>::infinity());
  EXPECT_EQ(std::get<std::string>(std::get<PressureSourceDescription>(at(d.sources, "p")).pressure), "supply");
  EXPECT_EQ(std::get<double>(std::get<FlowSourceDescription>(at(d.sources, "q")).flow), 5e-5);
  EXPECT_EQ(std::get<OrificeDescription>(at(d.valves, "a1")).area.value(), 3e-6);
  EXPECT_FALSE(std::get<OrificeDescription>(at(d.valves, "a1")).diameter);
  EXPECT_EQ(at(d.cylinders, "c").area_A.value(), 20e-4);
  EXPECT_FALSE(at(d.cylinders, "c").bore);
  EXPECT_EQ(at(d.cylinders, "c").end_damper.value().law, DamperLaw::rahikainen_2020);
  EXPECT_EQ(d.record.channels, (std::vector<std::string>{"c.*", "v.pressure"}));
}

TEST(Parse, MeteringEdgesReliefsChecksAndMotorsAreRead) {
  const Description d = parse(kTwoBodies + R"(
volumes: {v: {volume: 1 L}, w: {volume: 2 L}}
valves:
  e: {orifice: {A: v, B: w, area: 3 mm^2, opening: [[-10 V, 1], [0 V, 0]], time_constant: 20 ms}, signal: lever}
  c: {check: {A: v, B: w, cracking_pressure: 0.5 bar, diameter: 3 mm}}
  c2: {check: {A: v, B: w, flow: 30 L/min, at_pressure_drop: 2 bar}}
  r: {relief: {A: v, B: w, cracking_pressure: 210 bar, flow: 60 L/min, override: 10 bar}}
  r2: {relief: {A: v, B: w, cracking_pressure: 0, gradient: 6 L/min/bar}}
signals: {lever: 3 V}
)");
  const auto& edge = std::get<OrificeDescription>(at(d.valves, "e"));
  EXPECT_EQ(edge.opening, (std::vector<std::array<double, 2>>{{-10, 1}, {0, 0}}));
  EXPECT_EQ(edge.dynamics.time_constant, 0.02);
  EXPECT_EQ(edge.signal.value(), "lever");
  EXPECT_EQ(std::get<CheckValveDescription>(at(d.valves, "c")).cracking_pressure, 0.5e5);
  EXPECT_EQ(std::get<CheckValveDescription>(at(d.valves, "c")).diameter.value(), 3e-3);
  EXPECT_EQ(std::get<CheckValveDescription>(at(d.valves, "c2")).flow.value(), 5e-4);
  EXPECT_EQ(std::get<ReliefValveDescription>(at(d.valves, "r")).override_pressure.value(), 1e6);
  EXPECT_FALSE(std::get<ReliefValveDescription>(at(d.valves, "r")).gradient);
  EXPECT_NEAR(std::get<ReliefValveDescription>(at(d.valves, "r2")).gradient.value(), 1e-9, 1e-24);
  const Description m = parse_model(R"(trunnion: 1
bodies: {a: {point_mass: {mass: 1, at: [1, 0, 0]}}}
joints: {a: {revolute: {parent: ground, axis: z}}}
volumes: {v: {volume: 1 L}, w: {volume: 2 L}}
motors:
  one: {joint: a, A: v, B: w, displacement: 500 cm^3/rev, volume: 20 mL, viscous: 2 N m s/rad, friction: {model: coulomb_viscous, coulomb: 3 N m, stribeck_velocity: 10 rpm}}
  two: {joint: a.angle, A: v, B: w, displacement_A: 50 cm^3/rad, displacement_B: 30 cm^3/rad, chamber_angle_A: 90 deg, chamber_angle_B: 0.5 rad, end_damper: {length: 5 deg, stiffness: 100 N m/rad}}
)",
                                    "m.yaml");
  EXPECT_NEAR(at(m.motors, "one").displacement.value(), 500e-6 / (2 * std::numbers::pi), 1e-19);
  EXPECT_EQ(at(m.motors, "one").volume, 2e-5);
  EXPECT_EQ(at(m.motors, "one").friction.coulomb, 3);
  EXPECT_NEAR(at(m.motors, "two").chamber_angle_A.value(), std::numbers::pi / 2, 1e-15);
  EXPECT_EQ(at(m.motors, "two").displacement_B.value(), 3e-5);
  EXPECT_FALSE(at(m.motors, "two").displacement);
}

TEST(Parse, EveryValueKnowsItsPlace) {
  const Description d =
      parse_model("trunnion: 1\nbodies:\n  a: {point_mass: {mass: 1}}\njoints:\n  a:\n    free: {parent: ground}\n", "m.yaml");
  EXPECT_EQ(span_of(d, "bodies.a.point_mass.mass").line, 3);
  EXPECT_EQ(span_of(d, "bodies.a.point_mass.mass").column, 26);
  EXPECT_EQ(span_of(d, "joints.a").line, 5);
  EXPECT_EQ(span_of(d, "joints.a.free.parent").line, 6);
  EXPECT_EQ(span_of(d, "joints.a.free.axis").line, 6) << "the nearest ancestor that stands in the file";
  EXPECT_EQ(span_of(d, "solver.step").line, 1);
  EXPECT_EQ(span_of(d, "bodies.a").file, "m.yaml");
}

TEST(Parse, AnchorsAndAliasesAreFollowed) {
  const Description d =
      parse("bodies: {a: &rod {rod: {length: 1, mass: 2}}, b: *rod}\njoints: {a: {free: {parent: ground}}, b: {free: {parent: ground}}}\n");
  EXPECT_EQ(std::get<RodShape>(at(d.bodies, "b").shapes[0]).mass, 2);
}

TEST(Check, DescriptionsBuiltInCodeAreCheckedToo) {
  Description d;
  EXPECT_TRUE(check_description(d).empty());
  d.bodies.push_back({"a", {}});
  d.cylinders.push_back({"c", {}});
  d.signals.push_back({"s", SumSignal{{"s"}}});
  d.solver.step = 0;
  std::string all;
  for (const Diagnostic& finding : check_description(d)) all += finding.text() + "\n";
  for (const char* words : {"bodies.a: the body has no joint", "bodies.a: the body has no shape", "cylinders.c: the cylinder has no size",
                            "signals.s: the signal `s` refers to itself", "solver.step"})
    EXPECT_NE(all.find(words), std::string::npos) << words << "\n" << all;
}

}  // namespace
}  // namespace trunnion
