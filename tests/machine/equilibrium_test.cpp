// Static solutions. Reference: closed forms of statics, the slope of the potential by differences, the time stepper with damped
// machines that come to rest.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/equilibrium.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <iomanip>
#include <numbers>
#include <random>
#include <sstream>

#include "machine/observe.h"
#include "machine/weight_on_cylinder.h"
#include "model/description_at.h"
#include "model/machines.h"
#include "run/run.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::coordinate;
using test::cylinder;
using test::example;
using test::item;
using test::kArea_A;
using test::kArea_B;
using test::kGravity;
using test::kWeight;
using test::machine;
using test::paths;
using test::pressure;
using test::refused;
using test::volume;
using test::weight;

constexpr double kDegree = std::numbers::pi / 180;

std::vector<std::string> names(const CompiledModel& model, const RestMode& mode) {
  std::vector<std::string> list;
  for (int v : mode.velocities) list.push_back(coordinate_name(model, v));
  return list;
}

// ---------------------------------------------------------------- pressures without flow

/// A volume `v` without given pressure, connected to another of 5 MPa by a component.
std::string joined_by(const std::string& component) {
  return "bodies: {w: {point_mass: {mass: 1}}}\njoints: {w: {prismatic: {parent: ground, axis: x}}}\nsprings: {s: {joint: w, stiffness: 1 "
         "N/m, rest: 0 m}}\n"
         "volumes: {" +
         volume("a", "5 MPa") + ", " + volume("v", "equilibrium") + ", " + volume("c", "5 MPa") +
         "}\nsources: {tank: {pressure: 1 bar}}\n" + component;
}

TEST(Equilibrium, NoFlowMeansEqualPressuresWhereOilPassesBothWays) {
  for (const char* component :
       {"valves: {r: {resistance: {A: a, B: v, flow: 1 L/min, at_pressure_drop: 10 bar}}}",
        "valves: {r: {orifice: {A: a, B: v, diameter: 1 mm}}}", "lines: {r: {A: a, B: v, length: 1 m, diameter: 8 mm}}",
        "lines: {r: {A: a, B: v, length: 1 m, diameter: 8 mm, segments: 3}}"}) {
    const auto model = machine(joined_by(component));
    EXPECT_EQ(pressure(*model, solve_equilibrium(*model).state, "v"), 5e6) << component;
  }
  for (const char* component : {"valves: {r: {check: {A: v, B: a, flow: 1 L/min, at_pressure_drop: 10 bar}}}",
                                "valves: {r: {relief: {A: v, B: a, cracking_pressure: 10 bar, gradient: 1 L/min/bar}}}"}) {
    const auto findings = refused(machine(joined_by(component)));
    ASSERT_FALSE(findings.empty()) << component;
    EXPECT_NE(findings[0].found.find("not determined"), std::string::npos) << findings[0].found;
  }
}

/// A line from a source of 10 MPa into a volume of 2 MPa is not at rest.
TEST(Equilibrium, OilThatFlowsThroughALineIsSeen) {
  const auto findings =
      refused(machine(joined_by("lines: {r: {A: a, B: c, length: 1 m, diameter: 8 mm}, l: {A: tank, B: v, length: 1 m, diameter: 8 mm}}")));
  EXPECT_TRUE(findings.empty());
  const auto flows =
      refused(machine(joined_by("lines: {r: {A: a, B: tank, length: 1 m, diameter: 8 mm}, l: {A: c, B: v, length: 1 m, diameter: 8 mm}}")));
  ASSERT_EQ(paths(flows), std::vector<std::string>{"volumes.a.pressure"});
  EXPECT_NE(flows[0].found.find("oil flows"), std::string::npos);
  EXPECT_NE(flows[0].hint.find("trunnion steady"), std::string::npos);
  EXPECT_EQ(flows[0].hint.find("set this pressure"), std::string::npos);  // it is given
}

// ---------------------------------------------------------------- closed forms

TEST(Equilibrium, ABeamRestsOnItsCylinder) {
  const auto model = machine(R"(
gravity: [0, -9.81, 0]
bodies: {beam: {rod: {length: 2 m, mass: 100 kg}}}
joints: {beam: {revolute: {parent: ground, axis: z}, angle: 0, hold: true}}
volumes: {a: {hose: {volume: 1 L}, pressure: equilibrium}, b: {hose: {volume: 1 L}, pressure: 1 MPa}}
cylinders: {c: {base: {body: ground, at: [0.8, -1, 0]}, rod_end: {body: beam, at: [0.8, 0, 0]}, A: a, B: b, area_A: 50 cm^2, area_B: 40 cm^2,
                chamber_length_A: 0.4, chamber_length_B: 0.6}}
)");
  const Equilibrium e = solve_equilibrium(*model);
  EXPECT_NEAR(pressure(*model, e.state, "a"), (100 * kGravity / 0.8 + 1e6 * kArea_B) / kArea_A, 1e-6);
  EXPECT_EQ(coordinate(*model, e.state, "beam"), 0);
  EXPECT_LT(e.residual, 1e-9 * e.load);
  EXPECT_EQ(e.stability, Stability::stable);
  // oil: V = 1 L + 50 cm2 0.4 m, 1 L + 40 cm2 0.6 m; lever 0.8 m; inertia m L2/3
  const double k = 1.5e9 * (kArea_A * kArea_A / (1e-3 + kArea_A * 0.4) + kArea_B * kArea_B / (1e-3 + kArea_B * 0.6));
  // s2 = (0.8 - 0.8 cos q)2 + (1 + 0.8 sin q)2: s_q = 0.8, s_qq = (0.8^2 - 0.8^2 + 0)/1 = 0 at q = 0
  ASSERT_EQ(e.modes.size(), 1u);
  EXPECT_NEAR(e.modes[0].stiffness / (k * 0.64 / (100 * 4.0 / 3)), 1, 1e-6);
}

TEST(Equilibrium, APendulumWithASpringBalancesItsMoment) {
  // m g l cos q + k (q - q_0) = 0, from below by bisection
  const auto model = machine(R"(
gravity: [0, -9.81, 0]
bodies: {arm: {rod: {length: 2 m, mass: 10 kg}}}
joints: {arm: {revolute: {parent: ground, axis: z}, angle: 60 deg}}
springs: {s: {joint: arm, stiffness: 150 N m/rad, damping: 10, rest: 0.5, preload: 20}}
)");
  double low = -2, high = 0.5;
  for (int i = 0; i < 100; ++i) {
    const double q = (low + high) / 2;
    (10 * kGravity * std::cos(q) + 150 * (q - 0.5) + 20 > 0 ? high : low) = q;
  }
  const Equilibrium e = solve_equilibrium(*model);
  EXPECT_NEAR(coordinate(*model, e.state, "arm"), low, 1e-12);
  EXPECT_NEAR(e.movement[0], low - 60 * kDegree, 1e-12);
  EXPECT_EQ(e.stability, Stability::stable);
  EXPECT_NEAR(e.modes[0].stiffness, (150 - 10 * kGravity * std::sin(low)) / (10 * 4.0 / 3), 1e-8);
}

std::string pendulum(const std::string& angle) {
  return "gravity: [0, -9.81, 0]\nbodies: {arm: {rod: {length: 2 m, mass: 10 kg}}}\njoints: {arm: {revolute: {parent: ground, axis: z}, "
         "angle: " +
         angle + "}}\n";
}

TEST(Equilibrium, APendulumFallsToItsLowerRest) {
  for (int angle = -260; angle < 90; angle += 17) {
    const auto model = machine(pendulum(std::to_string(angle) + " deg"));
    EXPECT_NEAR(coordinate(*model, solve_equilibrium(*model).state, "arm"), -90 * kDegree, 1e-12) << angle;
  }
  const auto nearly_upright = machine(pendulum("89.9999 deg"));
  EXPECT_NEAR(coordinate(*nearly_upright, solve_equilibrium(*nearly_upright).state, "arm"), -90 * kDegree, 1e-12);
}

TEST(Equilibrium, ABalancedStartStaysAndIsCalledUnstable) {
  for (const char* hold : {"", ", hold: true"}) {
    const auto model = machine(pendulum(std::string("90 deg") + hold));
    const Equilibrium e = solve_equilibrium(*model);
    EXPECT_EQ(coordinate(*model, e.state, "arm"), 90 * kDegree);
    EXPECT_EQ(e.stability, Stability::unstable);
    EXPECT_EQ(names(*model, e.modes[0]), std::vector<std::string>{"arm.angle"});
    EXPECT_NEAR(e.modes[0].stiffness, -kGravity / (4.0 / 3), 1e-8);
  }
}

TEST(Equilibrium, ADoublePendulumHangsStraight) {
  const auto model = machine(R"(
gravity: [0, -9.81, 0]
bodies: {upper: {rod: {length: 1 m, mass: 3 kg}}, lower: {rod: {length: 2 m, mass: 1 kg}}}
joints: {upper: {revolute: {parent: ground, axis: z}, angle: 100 deg}, lower: {revolute: {parent: upper, at: [1, 0, 0], axis: z}, angle: 170 deg}}
)");
  const Equilibrium e = solve_equilibrium(*model);
  const double upper = coordinate(*model, e.state, "upper"), lower = upper + coordinate(*model, e.state, "lower");
  for (double q : {upper, lower}) {
    EXPECT_NEAR(std::sin(q), -1, 1e-14);
    EXPECT_NEAR(std::cos(q), 0, 1e-11);
  }
  EXPECT_EQ(e.stability, Stability::stable);
}

TEST(Equilibrium, CylindersInParallelShareALoad) {
  const std::string machine_text =
      "bodies: {w: {point_mass: {mass: 1000}}}\njoints: {w: {prismatic: {parent: ground, axis: z}, position: 1 m}}\n";
  const auto two =
      machine(machine_text + "volumes: {" + volume("a", "equilibrium") + ", " + volume("b", "1 MPa") + ", " + volume("c", "2 MPa") +
              "}\ncylinders: {" + cylinder("one", "ground", "w", "a", "b") + ", " + cylinder("two", "ground", "w", "c", "b") + "}\n");
  EXPECT_NEAR(pressure(*two, solve_equilibrium(*two).state, "a"), (kWeight + 2e6 * kArea_B - 2e6 * kArea_A) / kArea_A, 1e-6);
  const auto joined = machine(machine_text + "volumes: {" + volume("a", "equilibrium") + ", " + volume("b", "1 MPa") + "}\ncylinders: {" +
                              cylinder("one", "ground", "w", "a", "b") + ", " + cylinder("two", "ground", "w", "a", "b") + "}\n");
  EXPECT_NEAR(pressure(*joined, solve_equilibrium(*joined).state, "a"), (kWeight + 2e6 * kArea_B) / (2 * kArea_A), 1e-6);
}

TEST(Equilibrium, CylindersInSeriesBearWhatIsAboveThem) {
  // one weight upon the other; and the oil above the first piston is that below the second
  const auto model =
      machine(R"(
bodies: {low: {point_mass: {mass: 1000}}, high: {point_mass: {mass: 200}}, other: {point_mass: {mass: 700}}}
joints:
  low: {prismatic: {parent: ground, axis: z}, position: 1 m}
  high: {prismatic: {parent: low, axis: z}, position: 1 m}
  other: {prismatic: {parent: ground, at: [1, 0, 0], axis: z}, position: 1 m}
volumes: {)" + volume("a", "equilibrium") +
              ", " + volume("b", "equilibrium") + ", " + volume("c", "equilibrium") + ", " + volume("d", "1 MPa") +
              "}\nsources: {tank: {pressure: 1 bar}}\ncylinders: {" + cylinder("one", "ground", "low", "a", "c") + ", " +
              cylinder("two", "low", "high", "b", "d") +
              ", three: {base: {body: "
              "ground, at: [1, 0, 0]}, rod_end: {body: other}, A: c, B: tank, area_A: 50 cm^2, area_B: 40 cm^2, chamber_length_A: "
              "0.4, chamber_length_B: 0.6}}\n");
  const Equilibrium e = solve_equilibrium(*model);
  const double c = (700 * kGravity + 1e5 * kArea_B) / kArea_A, b = (200 * kGravity + 1e6 * kArea_B) / kArea_A;
  EXPECT_NEAR(pressure(*model, e.state, "c"), c, 1e-6);
  EXPECT_NEAR(pressure(*model, e.state, "b"), b, 1e-6);
  EXPECT_NEAR(pressure(*model, e.state, "a"), (1200 * kGravity + c * kArea_B) / kArea_A, 1e-5);
  for (double x : e.movement) EXPECT_EQ(x, 0);
}

TEST(Equilibrium, StatedPressuresMoveAWeightOnASpring) {
  const auto model = machine(weight("2 MPa", "1 MPa", "springs: {s: {joint: w, stiffness: 20000, rest: 0.9}}\n"));
  const Equilibrium e = solve_equilibrium(*model);
  const double x = 0.9 + (2e6 * kArea_A - 1e6 * kArea_B - kWeight) / 20000;
  EXPECT_NEAR(coordinate(*model, e.state, "w"), x, 1e-12);
  EXPECT_EQ(pressure(*model, e.state, "a"), 2e6);
  EXPECT_EQ(pressure(*model, e.state, "b"), 1e6);
  const Description d = description_at(*model, e.state);
  EXPECT_NEAR(d.cylinders[0].second.chamber_length_A.value(), 0.4 + x - 1, 1e-12);
  EXPECT_NEAR(d.cylinders[0].second.chamber_length_B.value(), 0.6 - (x - 1), 1e-12);
}

TEST(Equilibrium, EndDampersStopAPiston) {
  // pushed up by 4200 N more than its weight: into the upper damper, 0.1 m long
  const auto model = machine(weight("3.602 MPa", "1 MPa", "", "", ", end_damper: {stiffness: 1e5, damping: 1e3, length: 0.1}"));
  const double x = 1 + 0.6 - 0.1 + (3.602e6 * kArea_A - 1e6 * kArea_B - kWeight) / 1e5;
  EXPECT_NEAR(coordinate(*model, solve_equilibrium(*model).state, "w"), x, 1e-10);
}

TEST(Equilibrium, AParallelogramWithATooManyCrankRestsOnItsSpring) {
  const auto model = machine(R"(
gravity: [0, -9.81, 0]
bodies: {first: {rod: {length: 1 m, mass: 4 kg}}, bar: {rod: {length: 2 m, mass: 6 kg}}, second: {rod: {length: 1 m, mass: 4 kg}}, third: {rod: {length: 1 m, mass: 4 kg}}}
joints:
  first: {revolute: {parent: ground, axis: z}, angle: 70 deg}
  bar: {revolute: {parent: first, at: [1, 0, 0], axis: z}, angle: -70 deg}
  second: {revolute: {parent: ground, at: [2, 0, 0], axis: z}, angle: 70 deg}
  third: {revolute: {parent: ground, at: [1, 0, 0], axis: z}, angle: 70 deg}
loops:
  E: {revolute: {between: [second, bar], at: [[1, 0, 0], [2, 0, 0]], axis: z}}
  F: {revolute: {between: [third, bar], at: [[1, 0, 0], [1, 0, 0]], axis: z}}
springs: {s: {joint: first, stiffness: 200, rest: 1}}
)");
  double low = 0, high = 1;
  for (int i = 0; i < 100; ++i) {
    const double q = (low + high) / 2;
    ((3 * 4 / 2.0 + 6) * kGravity * std::cos(q) + 200 * (q - 1) > 0 ? high : low) = q;
  }
  const Equilibrium e = solve_equilibrium(*model);
  EXPECT_NEAR(coordinate(*model, e.state, "first"), low, 1e-11);
  EXPECT_NEAR(coordinate(*model, e.state, "third"), low, 1e-11);
  EXPECT_LT(e.violation, 1e-12);
  EXPECT_EQ(e.stability, Stability::stable);
  EXPECT_EQ(e.modes.size(), 1u);
}

TEST(Equilibrium, APlatformOnThreeCylinders) {
  // reactions of a plate of 900 kg with its centre off the middle, and a carriage of 100 kg in the middle, on legs at a triangle
  const auto leg = [](const std::string& n, const std::string& at) {
    return "leg_" + n + ": {base: {body: ground, at: [" + at + ", 0]}, rod_end: {body: plate, at: [" + at + ", 0]}, A: " + n +
           ", B: tank, area_A: 50 cm^2, "
           "area_B: 40 cm^2, chamber_length_A: 0.4, chamber_length_B: 0.6}";
  };
  const auto model = machine(R"(
bodies: {carriage: {point_mass: {mass: 100}}, plate: {box: {size: [2, 2, 0.1], mass: 900, at: [0.2, -0.1, 0]}}}
joints: {carriage: {prismatic: {parent: ground, axis: z}, position: 1 m}, plate: {universal: {parent: carriage, axes: [x, y]}, angles: [0, 0]}}
sources: {tank: {pressure: 1 bar}}
volumes: {)" + volume("p1", "equilibrium") +
                             ", " + volume("p2", "equilibrium") + ", " + volume("p3", "equilibrium") + "}\ncylinders: {" +
                             leg("p1", "1, 0") + ", " + leg("p2", "-0.5, 0.8") + ", " + leg("p3", "-0.5, -0.8") + "}\n");
  const Equilibrium e = solve_equilibrium(*model);
  Eigen::Matrix3d A;
  A << 1, 1, 1, 1, -0.5, -0.5, 0, 0.8, -0.8;
  const Eigen::Vector3d R = A.inverse() * Eigen::Vector3d(1000 * kGravity, 900 * kGravity * 0.2, -900 * kGravity * 0.1);
  const char* volumes[] = {"p1", "p2", "p3"};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(pressure(*model, e.state, volumes[i]), (R[i] + 1e5 * kArea_B) / kArea_A, 1e-5) << volumes[i];
  for (double x : e.movement) EXPECT_EQ(x, 0);
  EXPECT_EQ(e.stability, Stability::stable);
  EXPECT_EQ(e.modes.size(), 3u);
}

TEST(Equilibrium, FreeCoordinatesAndMarkedPressuresTogether) {
  // a weight at held height h on a cylinder whose foot slides on a spring: p A h/s = W, k (y - y_0) = W y / h
  const auto model = machine(R"(
bodies: {w: {point_mass: {mass: 1000}}, foot: {point_mass: {mass: 50}}}
joints: {w: {prismatic: {parent: ground, axis: z}, position: 2 m, hold: true}, foot: {prismatic: {parent: ground, axis: x}, position: 0.6 m}}
springs: {s: {joint: foot, stiffness: 20000, rest: 0.5}}
volumes: {)" + volume("a", "equilibrium") +
                             "}\nsources: {tank: {pressure: 1 bar}}\ncylinders: {" + cylinder("c", "foot", "w", "a", "tank") + "}\n");
  const Equilibrium e = solve_equilibrium(*model);
  const double y = 20000 * 0.5 / (20000 - kWeight / 2), s = std::hypot(y, 2);
  EXPECT_NEAR(coordinate(*model, e.state, "foot"), y, 1e-10);
  EXPECT_EQ(coordinate(*model, e.state, "w"), 2);
  EXPECT_NEAR(pressure(*model, e.state, "a"), (kWeight * s / 2 + 1e5 * kArea_B) / kArea_A, 1e-4);
}

// ---------------------------------------------------------------- examples

TEST(Equilibrium, TheHeldExamplesKeepTheirStart) {
  for (const char* name :
       {"four_bar", "four_bar_lift", "four_bar_linear", "quick_return", "lever", "slewing_crane", "crane_single", "crane_double"}) {
    const auto model = compile(example(name));
    const StateVector start = start_state(*model);
    const Equilibrium e = solve_equilibrium(*model);
    for (int i = 0; i < model->layout.nq; ++i) EXPECT_NEAR(e.state.q()[i], start.q()[i], 1e-12) << name;
    for (int i = 0; i < model->layout.ny; ++i) EXPECT_NEAR(e.state.y()[i], start.y()[i], 1e-3) << name << " " << model->state_names[i];
    for (int i = 0; i < model->layout.rows; ++i) EXPECT_NEAR(e.state.multipliers()[i], start.multipliers()[i], 1e-5) << name;
    EXPECT_NE(e.stability, Stability::unstable) << name;
  }
}

TEST(Equilibrium, OilHoldsReleasedBoomsWhileTheLoadSwingsDown) {
  const auto hanging = compile(example("slewing_crane"));
  const auto model = compile(example("slewing_crane", {{"joints.column.hold", "false"},
                                                       {"joints.boom.hold", "false"},
                                                       {"joints.load.hold", "false"},
                                                       {"joints.load.rotation", "[20 deg, 70 deg, 0]"}}));
  const StateVector expected = start_state(*hanging);
  const Equilibrium e = solve_equilibrium(*model);
  for (const char* joint : {"column", "boom"})
    EXPECT_NEAR(coordinate(*model, e.state, joint), coordinate(*hanging, expected, joint), 1e-10);
  for (const char* name : {"lift_v2", "slew_v2"})
    EXPECT_NEAR(pressure(*model, e.state, name), pressure(*hanging, expected, name), 1e-2) << name;
  EXPECT_EQ(e.stability, Stability::neutral);  // the load may turn about the rope
  EXPECT_EQ(names(*model, e.modes[0]).front(), "load.rate_z");
}

/// Gravity's potential minus the work of the oil at constant pressure, of a four-bar assembled at a crank angle.
double potential(double angle, const std::vector<Override>& more, double p_A, double p_B) {
  std::ostringstream text;
  text << std::setprecision(17) << angle;
  std::vector<Override> set{{"joints.crank.angle", text.str()}, {"joints.crank.hold", "true"}};
  set.insert(set.end(), more.begin(), more.end());
  const auto model = compile(example("four_bar", set));
  const StateVector state = start_state(*model);
  const auto observer = make_observer(model);
  observer->observe(state, Side::right);
  const Cylinder& c = model->hydraulics.actuators[0].cylinder;
  return observer->stored().potential - (p_A * c.area_A - p_B * c.area_B) * c.length_0;
}

TEST(Equilibrium, AFourBarRestsWhereItsPotentialIsLevel) {
  std::vector<Override> more{{"volumes.v1.pressure", "2.6 MPa"}, {"volumes.v2.pressure", "2.6 MPa"}};
  Description d = example("four_bar", more);
  item(d.joints, "crank").hold = false;
  SpringDescription spring;
  spring.joint = "crank";
  spring.stiffness = 4000;
  spring.rest = 1.0;
  d.springs.emplace_back("s", spring);
  const auto model = compile(d);
  const Equilibrium e = solve_equilibrium(*model);
  const double q = coordinate(*model, e.state, "crank");
  EXPECT_GT(std::abs(q - 60 * kDegree), 1e-3);
  const auto V = [&](double angle) { return potential(angle, more, 2.6e6, 3.5e6) + 0.5 * 4000 * (angle - 1) * (angle - 1); };
  constexpr double kStep = 1e-4;
  const double slope = (V(q + kStep) - V(q - kStep)) / (2 * kStep), curvature = (V(q + kStep) - 2 * V(q) + V(q - kStep)) / (kStep * kStep);
  EXPECT_GT(curvature, 0);
  EXPECT_NEAR(slope / curvature, 0, 1e-7);  // [rad]; the differences err by kStep^2
}

// ---------------------------------------------------------------- random machines, simulated to rest

/// A damped chain on joint springs; with `loop` its tip is tied to a point by a link of constant length.
std::string chain(unsigned seed, bool spatial, bool loop) {
  std::mt19937 random(seed);
  const auto number = [&](double a, double b) {
    return std::to_string(a + (b - a) * std::uniform_real_distribution<double>(0, 1)(random));
  };
  const auto vector = [&](double size) {
    const std::string x = number(-size, size), y = number(-size, size), z = spatial ? number(-size, size) : "0";
    return "[" + x + ", " + y + ", " + z + "]";
  };
  constexpr int kBodies = 4;
  std::string bodies, joints, springs;
  for (int i = 0; i < kBodies; ++i) {
    const std::string n = "b" + std::to_string(i);
    bodies += "  " + n + ": {mass: " + number(1, 5) + ", center_of_mass: " + vector(0.4) + ", inertia: [" + number(0.5, 1) + ", " +
              number(0.5, 1) + ", " + number(0.5, 1) + "]}\n";
    joints += "  " + n + ": {" + (i == 2 ? "prismatic" : "revolute") + ": {parent: " + (i == 0 ? "ground" : "b" + std::to_string(i - 1)) +
              ", at: " + vector(0.8) + ", axis: " + (spatial || i == 2 ? vector(1) : std::string("z")) + "}, " +
              (i == 2 ? "position: " : "angle: ") + number(-0.5, 0.5) + "}\n";
    springs += "  s" + std::to_string(i) + ": {joint: " + n + ", stiffness: " + number(80, 300) + ", damping: " + number(60, 100) +
               ", rest: " + number(-0.3, 0.3) + "}\n";
  }
  springs += "  tip: {between: [ground, b3], at: [" + vector(2) + ", " + vector(0.5) + "], stiffness: " + number(20, 60) + ", rest: 0.5}\n";
  std::string text = "gravity: [0, -9.81, " + std::string(spatial ? "-3" : "0") + "]\nbodies:\n" + bodies + "joints:\n" + joints +
                     "springs:\n" + springs + "forces: {f: {body: b3, at: " + vector(0.3) + ", force: " + vector(20) + "}}\n";
  if (loop) text += "loops: {link: {distance: {between: [b3, ground], at: [" + vector(0.3) + ", " + vector(1.5) + "]}}}\n";
  return text + "solver: {step: 10 ms, duration: 60 s}\n";
}

TEST(Equilibrium, TheTimeStepperComesToTheSameRest) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const auto model = machine(chain(seed, seed % 2 == 1, seed % 4 >= 2));
    const Equilibrium e = solve_equilibrium(*model);
    EXPECT_EQ(e.stability, Stability::stable) << seed;
    const StateVector end = test::run(model, 60);
    for (int i = 0; i < model->layout.nq; ++i) EXPECT_NEAR(e.state.q()[i], end.q()[i], 1e-7) << seed << " " << model->velocity_names[i];
  }
}

TEST(Equilibrium, AParkedVehicleRestsOnItsWheels) {
  // three wheels on a slope, a spring as the brake of the left rear one: it rolls down until the spring holds
  constexpr double kCart = 100, kWheel = 5, kRadius = 0.3, kBase = 1.2, kTrack = 0.4, kX = 0.5, kHeight = 0.7, kBrake = 2000;
  constexpr double gx = 1, gy = 0.6, gz = 9.6, kTotal = kCart + 3 * kWheel;
  const auto model = machine(R"(
gravity: [1, 0.6, -9.6]
bodies:
  cart:  {mass: 100 kg, center_of_mass: [0.5, 0, 0.4], inertia: [10, 30, 35]}
  left:  {mass: 5 kg, inertia: [0.1, 0.2, 0.1]}
  right: {mass: 5 kg, inertia: [0.1, 0.2, 0.1]}
  front: {mass: 5 kg, inertia: [0.1, 0.2, 0.1]}
joints:
  cart:  {free: {parent: ground}, position: [2, 1, 0.3], rotation: [0, 0, 0]}
  left:  {revolute: {parent: cart, at: [0, 0.4, 0], axis: y}, angle: 0}
  right: {revolute: {parent: cart, at: [0, -0.4, 0], axis: y}, angle: 0}
  front: {revolute: {parent: cart, at: [1.2, 0, 0], axis: y}, angle: 0}
wheels:
  wheel_l: {body: left, radius: 0.3}
  wheel_r: {body: right, radius: 0.3, lateral_slip: free}
  wheel_f: {body: front, radius: 0.3}
springs: {brake: {joint: left, stiffness: 2000 N m/rad, rest: 0}}
)");
  const Equilibrium e = solve_equilibrium(*model);
  EXPECT_EQ(e.stability, Stability::stable);
  const double angle = kRadius * kTotal * gx / kBrake;
  EXPECT_NEAR(coordinate(*model, e.state, "left"), angle, 1e-9);
  EXPECT_NEAR(e.state.q()[0], 2 + kRadius * angle, 1e-9);
  EXPECT_NEAR(e.state.q()[1], 1, 1e-9);
  const auto observer = make_observer(model);
  observer->observe(e.state, Side::right);
  std::vector<double> values(observer->channels().size());
  observer->values(values.data());
  const auto force = [&](const std::string& name) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (observer->channels()[i].name == name) return values[i];
    ADD_FAILURE() << name;
    return 0.0;
  };
  // moments about the ground below the rear axle
  const double front = (kHeight * kCart * gx + kX * kCart * gz + kRadius * 3 * kWheel * gx + kBase * kWheel * gz) / kBase;
  EXPECT_NEAR(force("wheel_f.normal_force"), front, 1e-6);
  EXPECT_NEAR(force("wheel_l.normal_force") + force("wheel_r.normal_force"), kTotal * gz - front, 1e-6);
  EXPECT_NEAR(force("wheel_l.longitudinal_force"), -kTotal * gx, 1e-6);
  EXPECT_NEAR(force("wheel_r.longitudinal_force"), 0, 1e-6);
  EXPECT_NEAR(force("wheel_f.longitudinal_force"), 0, 1e-6);
  const double lateral = -(kX * kCart * gy + kBase * kWheel * gy + kTrack * kTotal * gx) / kBase;
  EXPECT_NEAR(force("wheel_f.lateral_force"), lateral, 1e-6);
  EXPECT_NEAR(force("wheel_l.lateral_force"), -kTotal * gy - lateral, 1e-6);
  // and it stays there, also as a separate model
  const auto there = compile(description_at(*model, e.state));
  for (const auto& start : {model, there}) {
    Runner run(start, start == model ? equilibrium_state(*model) : start_state(*there));
    run.advance(0.2);
    for (int i = 0; i < model->layout.nq; ++i) EXPECT_NEAR(run.state().q()[i], e.state.q()[i], 1e-9) << i;
  }
}

// ---------------------------------------------------------------- runs from the static solution

/// Maximum change of a coordinate [rad, m] and of a pressure [Pa] in a run to `end`.
std::pair<double, double> drift(const std::shared_ptr<const CompiledModel>& model, const StateVector& start, double end) {
  Runner run(model, start);
  run.advance(end);
  std::pair<double, double> largest{0, 0};
  for (int i = 0; i < model->layout.nq; ++i) largest.first = std::max(largest.first, std::abs(run.state().q()[i] - start.q()[i]));
  for (const Volume& v : model->hydraulics.volumes) {
    const int k = model->hydraulics.nodes[v.node].state;
    largest.second = std::max(largest.second, std::abs(run.state().y()[k] - start.y()[k]));
  }
  return largest;
}

TEST(Equilibrium, ItsDescriptionStartsARunAtRest) {
  struct Case {
    const char* name;
    double end;  // before the first command
    std::vector<Override> set;
  };
  const std::vector<Case> cases{
      {"four_bar", 1, {}},      {"four_bar", 1, {{"joints.crank.hold", "false"}}},
      {"four_bar_lift", 1, {}}, {"quick_return", 1, {}},
      {"lever", 0.5, {}},       {"slewing_crane", 0.2, {{"joints.load.hold", "false"}, {"joints.load.rotation", "[0, 60 deg, 30 deg]"}}}};
  for (const Case& c : cases) {
    const auto model = compile(example(c.name, c.set));
    const Equilibrium e = solve_equilibrium(*model);
    const auto again = compile(parse_model(write_model(description_at(*model, e.state)), "equilibrium.yaml"));
    for (const auto& [q, p] : {drift(again, start_state(*again), c.end), drift(model, equilibrium_state(*model), c.end)}) {
      EXPECT_LT(q, 1e-9) << c.name;
      EXPECT_LT(p, 1) << c.name;  // [Pa] of 1e6
    }
    const Equilibrium same = solve_equilibrium(*again);
    EXPECT_EQ(same.iterations, 0) << c.name;
    for (double x : same.movement) EXPECT_NEAR(x, 0, 1e-12) << c.name;
  }
}

TEST(Equilibrium, ChambersAndSpringsCountFromTheNewStart) {
  // moved to rest by given pressures, then pushed: both ways of starting there give one motion
  Description d = test::description(weight("2 MPa", "1 MPa",
                                           "springs: {s: {joint: w, stiffness: 20000}}\nforces: {f: {joint: w, load: 1 kN, signal: "
                                           "u}}\nsignals: {u: {steps: [[0.01 s, 1]]}}\nsolver: {step: 1 ms, duration: 0.1 s}\n"));
  const auto model = compile(d);
  const StateVector rest = equilibrium_state(*model);
  EXPECT_LT(coordinate(*model, rest, "w"), 0.85);
  Runner first(model, rest);
  first.advance(0.1);
  const auto again = compile(description_at(*model, rest));
  Runner second(again);
  second.advance(0.1);
  EXPECT_GT(std::abs(coordinate(*model, first.state(), "w") - coordinate(*model, rest, "w")), 1e-5);
  EXPECT_NEAR(coordinate(*model, first.state(), "w"), coordinate(*again, second.state(), "w"), 1e-12);
  EXPECT_NEAR(pressure(*model, first.state(), "a"), pressure(*again, second.state(), "a"), 1e-3);
}

TEST(Equilibrium, EveryJointStartsWhereAStateStands) {
  const auto model = machine(R"(
bodies:
  a: {sphere: {radius: 0.1, mass: 1}}
  b: {sphere: {radius: 0.1, mass: 1}}
  c: {sphere: {radius: 0.1, mass: 1}}
  d: {sphere: {radius: 0.1, mass: 1}}
  e: {sphere: {radius: 0.1, mass: 1}}
  f: {sphere: {radius: 0.1, mass: 1}}
  g: {sphere: {radius: 0.1, mass: 1}}
joints:
  a: {cylindrical: {parent: ground, axis: [1, 2, 3]}, angle: 0.3, position: 0.7, rate: 2, speed: 1}
  b: {universal: {parent: a, at: [1, 0, 0], axes: [x, y]}, angles: [0.2, -0.4], rates: [1, 1]}
  c: {planar: {parent: b, at: [0, 1, 0], normal: [0, 1, 1]}, position: [0.1, 0.2], angle: 0.5, rate: 1}
  d: {spherical: {parent: c, at: [0, 0, 1], orientation: [0.3, 0.2, 0.1]}, rotation: [0.4, -1.2, 2.5], angular_velocity: [1, 2, 3]}
  e: {point_on_line: {parent: d, at: [0, 1, 0], axis: [1, 1, 0]}, position: 0.3, rotation: [-0.3, 0.6, 3]}
  f: {free: {parent: ground, at: [2, 0, 0], orientation: [0.5, 0, 0.7]}, position: [1, 2, 3], rotation: [0.1, 1.5707963267948966, 0.3], velocity: [1, 1, 1]}
  g: {revolute: {parent: f, axis: x}, angle: 4.5}
)");
  StateVector state(model->layout);
  std::copy(model->q_start.begin(), model->q_start.end(), state.q());
  const auto again = compile(description_at(*model, state));
  for (int i = 0; i < model->layout.nq; ++i) EXPECT_NEAR(again->q_start[i], model->q_start[i], 1e-15) << i;
  for (double v : again->v_start) EXPECT_EQ(v, 0);
}

TEST(Equilibrium, SignalsCountAtTheTimeAskedFor) {
  const auto model = machine(R"(
gravity: [0, -9.81, 0]
bodies: {drive: {rod: {length: 1 m, mass: 10 kg}}, arm: {rod: {length: 2 m, mass: 10 kg}}}
joints: {drive: {revolute: {parent: ground, at: [3, 0, 0], axis: z}, angle: 0.1}, arm: {revolute: {parent: ground, axis: z}, angle: -1}}
forces: {f: {joint: arm, load: 60 N m, signal: u}}
motions: {m: {joint: drive, signal: way}}
signals: {u: {steps: [[1 s, 1]]}, way: {ramps: [[0, 0.1], [2, 0.5]]}}
)");
  EXPECT_NEAR(coordinate(*model, solve_equilibrium(*model).state, "arm"), -90 * kDegree, 1e-12);
  const Equilibrium e = solve_equilibrium(*model, 1);
  EXPECT_NEAR(coordinate(*model, e.state, "arm"), -std::acos(60 / (10 * kGravity)), 1e-11);
  EXPECT_NEAR(coordinate(*model, e.state, "drive"), 0.3, 1e-14);
  EXPECT_NEAR(e.state.multipliers()[0], -10 * kGravity / 2 * std::cos(0.3), 1e-10);  // M a + Phi_q^T lambda = Q
  // a run starts with the motion's rate
  const StateVector start = equilibrium_state(*model);
  EXPECT_NEAR(start.v()[0], 0.2, 1e-14);
  EXPECT_EQ(start.v()[1], 0);
}

}  // namespace
}  // namespace trunnion
