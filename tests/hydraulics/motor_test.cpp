// Motors and rotary actuators on angles of joints. Reference: closed forms, and the same machine with a cylinder on a line, whose numbers
// a rotary actuator has.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/diagnostic.h"
#include "machine/equilibrium.h"
#include "machine/observe.h"
#include "model/description_at.h"
#include "model/machines.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::coordinate;
using test::model_from;
using test::pressure;
using test::rate;
using test::run;

/// A wheel of 4 kg m2 about z with a motor of 100 cm3/rad.
std::string wheel(const std::string& rest, const std::string& motor = "") {
  return R"(
trunnion: 1
bodies: {wheel: {mass: 10, inertia: [2, 2, 4]}}
joints: {wheel: {revolute: {parent: ground, axis: z}, angle: 0}}
motors: {drive: {joint: wheel, A: a, B: b, displacement: 100 cm^3/rad)" +
         motor + "}}\n" + rest;
}

TEST(Motor, TurnsWithDisplacementTimesPressure) {
  const auto model = model_from(wheel("sources: {a: {pressure: 30 bar}, b: {pressure: 10 bar}}\nsolver: {step: 1 ms}\n"));
  const StateVector state = run(model, 0.7);
  const double torque = 1e-4 * 2e6, a = torque / 4;
  EXPECT_NEAR(coordinate(*model, state, "wheel"), a * 0.7 * 0.7 / 2, 1e-10);
  EXPECT_NEAR(rate(*model, state, "wheel"), a * 0.7, 1e-10);
  const auto observer = make_observer(model);
  observer->observe(state, Side::left);
  std::vector<double> values(observer->channels().size());
  observer->values(values.data());
  const auto channel = [&](const std::string& quantity) {
    return values.at(channel_of(observer->channels(), "motors", "drive", quantity));
  };
  EXPECT_NEAR(channel("torque"), torque, 1e-9);
  EXPECT_NEAR(channel("angle"), a * 0.7 * 0.7 / 2, 1e-10);
  EXPECT_NEAR(channel("power"), torque * a * 0.7, 1e-8);
  EXPECT_NEAR(channel("flow_A"), 1e-4 * a * 0.7, 1e-14);
}

TEST(Motor, FollowsThePumpRoundAfterRound) {
  // 60 L/min into 100 cm3/rad: 10 rad/s against a load of 50 N m and a drag of 2 kN m
  const auto model = model_from(wheel(R"(
volumes: {a: {volume: 0.1 L, pressure: 6 bar}}
sources: {b: {pressure: 1 bar}, pump: {flow: 60 L/min, to: a}}
forces: {load: {joint: wheel, load: -50 N m}}
solver: {step: 1 ms}
)",
                                      ", volume: 20 mL, viscous: 200 N m s/rad"));
  const StateVector state = run(model, 3);
  EXPECT_NEAR(rate(*model, state, "wheel"), 10, 1e-4);
  EXPECT_NEAR(pressure(*model, state, "a"), 1e5 + (50 + 200 * 10) / 1e-4, 20);
  EXPECT_GT(coordinate(*model, state, "wheel"), 4 * std::numbers::pi);
  EXPECT_EQ(model->hydraulics.actuators[0].cylinder.chamber_A(17.0) * 1e-4, 2e-5);  // its oil, at any angle
}

/// The same numbers along a line and about an axis; `about` names the difference.
std::string pair_machine(bool turns, const std::string& law, bool drawn) {
  const std::string shared =
      "friction: {model: " + law +
      ", coulomb: 210, static: 830, stribeck_velocity: 0.0125, viscous: 330, decay: 80, bristle_stiffness: 5.77e6, "
      "bristle_damping: 2.28e4, film_velocity: 0.032, film_time_up: 0.05, film_time_down: 0.2, film_time_dwell: 20},\n"
      "    bulk_modulus: 30000 MPa, leakage: 1e-12, viscous: 150, end_damper: {stiffness: 4e5, damping: 3e4, length: "
      "0.1}, A: a, B: b";
  const std::string oil = std::string(R"(
fluid: {saturation_pressure: 1 bar, free_air: 0.01}
volumes: {a: {hose: {volume: 0.1 L, bulk_modulus: 150 MPa}, pressure: 2 MPa}, b: {hose: {volume: 0.1 L}, pressure: 3 MPa}}
sources: {pump: {pressure: 12 MPa}, tank: {pressure: 1 bar}}
valves: {valve: {directional_4_3: {P: pump, T: tank, A: a, B: b, flow: 40 L/min, time_constant: 10 ms}, signal: u}}
solver: {step: 1 ms}
)") + "signals: {u: {sine: {amplitude: 8, frequency: 1 Hz}}}\n" +
                          (drawn ? "forces: {pull: {joint: mass, load: 3e4}}\n" : "");
  if (turns)
    return "trunnion: 1\nbodies: {mass: {mass: 1, inertia: [500, 500, 300]}}\n"
           "joints: {mass: {revolute: {parent: ground, axis: z}, angle: 1}}\n" +
           oil +
           "motors:\n  c: {joint: mass, displacement_A: 0.005, displacement_B: 0.003, chamber_angle_A: 0.3, chamber_angle_B: 0.25,\n    " +
           shared + "}\n";
  return "trunnion: 1\nbodies: {mass: {point_mass: {mass: 300}}}\njoints: {mass: {prismatic: {parent: ground, axis: x}, position: 1}}\n" +
         oil +
         "cylinders:\n  c: {base: {body: ground}, rod_end: {body: mass}, area_A: 0.005, area_B: 0.003, chamber_length_A: 0.3, "
         "chamber_length_B: 0.25,\n    " +
         shared + "}\n";
}

TEST(Motor, OfAVaneIsACylinderAboutAnAxis) {
  for (const char* law : {"none", "bengisu_akay", "lugre", "modified_lugre"})
    for (const char* constraints : {"penalty", "double_step"})
      for (bool drawn : {false, true}) {
        const std::vector<std::string> set{std::string("solver.constraints=") + constraints};
        const auto line = model_from(pair_machine(false, law, drawn), set), axis = model_from(pair_machine(true, law, drawn), set);
        for (double t : {0.2, 0.7}) {
          const StateVector x = run(line, t), y = run(axis, t);
          EXPECT_GT(std::abs(coordinate(*line, x, "mass") - 1), 1e-3);
          EXPECT_NEAR(coordinate(*line, x, "mass"), coordinate(*axis, y, "mass"), 1e-9) << law << " " << constraints << " " << t;
          EXPECT_NEAR(rate(*line, x, "mass"), rate(*axis, y, "mass"), 1e-8) << law;
          for (int i = 0; i < line->layout.ny; ++i) EXPECT_NEAR(x.y()[i], y.y()[i], 1e-7 * std::abs(x.y()[i]) + 1e-9) << law << " " << i;
        }
      }
}

TEST(Motor, OfAVaneStopsTheRunAtItsEnd) {
  auto text = pair_machine(true, "none", true);
  const std::string damper = "end_damper: {stiffness: 4e5, damping: 3e4, length: 0.1}, ";
  text.erase(text.find(damper), damper.size());
  const auto model = model_from(text, {"volumes.a.pressure=1 bar", "forces.pull.load=3e5"});
  try {
    run(model, 1);
    FAIL() << "it turned through its stop";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("motors.c"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("chamber_angle_A"), std::string::npos);
  }
}

TEST(Motor, HoldsALoadAtRestAndStartsThereAgain) {
  // an arm of 20 kg, 0.5 m out, level: 98.1 N m over 1e-4 m3/rad above the 2 MPa on the other side
  const auto model = model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {arm: {point_mass: {mass: 20, at: [0.5, 0, 0]}}}
joints: {arm: {revolute: {parent: ground, axis: z}, angle: 0, hold: true}}
volumes: {a: {volume: 0.1 L}, b: {volume: 0.1 L, pressure: 2 MPa}}
motors: {swing: {joint: arm, A: a, B: b, displacement: 100 cm^3/rad, chamber_angle_A: 90 deg, chamber_angle_B: 90 deg}}
)");
  const Equilibrium rest = solve_equilibrium(*model, 0);
  EXPECT_NEAR(pressure(*model, rest.state, "a"), 2e6 + 20 * 9.81 * 0.5 / 1e-4, 1e-3);
  const Description there = description_at(*model, rest.state);
  EXPECT_NEAR(there.motors[0].second.chamber_angle_A.value(), std::numbers::pi / 2, 1e-15);
  const StateVector moved = run(compile(there), 0.1);
  EXPECT_NEAR(coordinate(*model, moved, "arm"), 0, 1e-9);
}

TEST(Motor, IsTheSameInCartesianCoordinates) {
  const std::string text = wheel(R"(
volumes: {a: {volume: 0.1 L, pressure: 6 bar}, b: {volume: 0.1 L, pressure: 5 bar}}
sources: {pump: {flow: 20 L/min, to: a, from: b}}
forces: {load: {joint: wheel, load: -20 N m}}
solver: {step: 1 ms}
)",
                                 ", volume: 20 mL, viscous: 3 N m s/rad");
  const auto relative = model_from(text), cartesian = model_from(text, {"solver.coordinates=cartesian"});
  const StateVector x = run(relative, 0.5), y = run(cartesian, 0.5);
  EXPECT_NEAR(pressure(*relative, x, "a"), pressure(*cartesian, y, "a"), 1);
  EXPECT_NEAR(rate(*relative, x, "wheel"), y.v()[test::joint(*cartesian, "wheel").parts[0].v], 1e-6);
}

}  // namespace
}  // namespace trunnion
