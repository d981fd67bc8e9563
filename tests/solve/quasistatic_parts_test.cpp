// Parts of quasistatic circuits by themselves: motors, bleeds through sections in series, the stiffness of actuators.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "machine/start.h"
#include "problems/quasistatic_reference.h"
#include "support/channels.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::Channels;
using test::load_example;
using test::model_from;

/// A flywheel on a motor, lever closed, pump without bleed; `rest`: further elements.
std::string motor_machine(const std::string& rest) {
  return R"(
trunnion: 1
bodies: {wheel: {mass: 100 kg, inertia: [50, 50, 50]}}
joints: {wheel: {revolute: {parent: ground, axis: z}, angle: 10 deg}}
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
sources: {tank: {pressure: 1 bar}}
motors: {swing: {joint: wheel, displacement: 1 L/rad}}
quasistatic:
  drive:
    tank: tank
    flow: 60 L/min
    relief: 20 MPa
    actuators:
      swing:
        command: lever
        relief_A: 25 MPa
        relief_B: 25 MPa
        P_A: {diameter: 8 mm, discharge: 0.6}
        B_T: {diameter: 8 mm, discharge: 0.6}
        P_B: {diameter: 8 mm, discharge: 0.6}
        A_T: {diameter: 8 mm, discharge: 0.6}
        element: {stiffness: 1e6, settling_time: 40 ms}
)" + rest;
}

TEST(QuasistaticMotor, TurnsAtThePumpsFlowAgainstItsLoad) {
  const double D = 1e-3, Q = 1e-3, c = 0.6 * M_PI / 4 * 64e-6 * std::sqrt(2 / 850.0), torque = 3000;
  const double rate = Q / D, p_B = std::pow(Q / c, 2), p_A = (torque + D * p_B) / D, P = p_A + std::pow(Q / c, 2);
  for (const char* form : {"differential", "discrete"}) {
    const auto model = model_from(motor_machine("signals: {lever: 1}\nforces: {load: {joint: wheel, load: -3000 N m}}\n"
                                                "solver: {step: 1 ms, duration: 2 s}\n"),
                                  {std::string("quasistatic.drive.form=") + form});
    Runner run(model);
    run.advance(2);
    Channels at(model);
    at.read(run.state());
    EXPECT_NEAR(at["wheel.rate"], rate, 1e-8 * rate);
    EXPECT_NEAR(at["swing.piston_rate"], rate, 1e-8 * rate);
    EXPECT_NEAR(at["swing.pressure_A"], 1e5 + p_A, 1e-6 * p_A);
    EXPECT_NEAR(at["swing.pressure_B"], 1e5 + p_B, 1e-6 * p_B);
    EXPECT_NEAR(at["drive.pressure"], 1e5 + P, 1e-6 * P);
    EXPECT_NEAR(at["swing.flow_P_A"], Q, 1e-9 * Q);
    EXPECT_EQ(at["drive.bleed_flow"], 0);
  }
}

TEST(QuasistaticMotor, HoldsAndGivesWayAtItsReliefs) {
  const auto twist = [](const char* load) {
    const auto model = model_from(motor_machine(std::string("signals: {lever: 0}\nforces: {load: {joint: wheel, load: ") + load +
                                                "}}\nsolver: {step: 1 ms, duration: 1 s}\n"));
    Runner run(model);
    run.advance(1);
    return run.state().q()[0] - 10 * M_PI / 180;
  };
  EXPECT_NEAR(twist("-20 kN m"), -20e3 / 1e6, 1e-6);  // on the element's stiffness
  EXPECT_LT(twist("-26 kN m"), -3);                   // 25 MPa hold 25 kN m
}

TEST(QuasistaticCircuit, OpenCentreBleedsThroughItsSectionsInSeries) {
  const double c = problems::paper_conductance();
  const auto at_levers = [&](const char* lever_1, const char* lever_2) {
    const auto model =
        load_example("two_arms_one_pump", {"quasistatic.circuit.bleed={area: 1 cm^2, discharge: 0.6}", "quasistatic.circuit.flow=100 L/min",
                                           "quasistatic.circuit.open_centre=[[0, 1], [0.5, 0.4], [0.8, 0]]",
                                           std::string("signals.lever_1=") + lever_1, std::string("signals.lever_2=") + lever_2});
    Channels at(model);
    at.read(start_state(*model), Side::right);
    return std::pair(at["circuit.pressure"], at["circuit.bleed_flow"]);
  };
  const double Q = 100 / 6e4;
  EXPECT_NEAR(at_levers("0", "0").first, std::pow(Q / (c * std::sqrt(0.5)), 2), 1);
  for (const auto& [lever, section] : {std::pair{"0.25", 0.7}, {"-0.5", 0.4}, {"-0.65", 0.2}}) {
    const auto [P, bleed] = at_levers(lever, "0");
    EXPECT_NEAR(bleed, c / std::sqrt(1 / (section * section) + 1) * std::sqrt(P), 1e-12) << lever;
    EXPECT_GT(bleed, 0) << lever;
  }
  EXPECT_EQ(at_levers("0.9", "0").second, 0);
  EXPECT_EQ(at_levers("0", "-1").second, 0);
}

TEST(QuasistaticCircuit, ElementTakesTheStiffnessOfTheOil) {
  const std::vector<std::string> oil{
      "cylinders.lift.chamber_length_A=0.5 m", "cylinders.lift.chamber_length_B=0.7 m", "cylinders.lift.bulk_modulus=30000 MPa",
      "quasistatic.circuit.actuators.lift.element={settling_time: 80 ms, line_volume_A: 2 L, line_volume_B: 3 L}"};
  const auto model = load_example("arm_quasistatic", oil);
  const VirtualElement& e = model->hydraulics.quasistatic[0].ports[0].element;
  // V/B_e, line and chamber: the wall is the cylinder's
  const double a = 2e-3 / 1.5e9 + 0.024 * 0.5 * (1 / 1.5e9 + 1 / 30e9), b = 3e-3 / 1.5e9 + 0.012 * 0.7 * (1 / 1.5e9 + 1 / 30e9);
  const double K = 0.024 * 0.024 / a + 0.012 * 0.012 / b;
  EXPECT_NEAR(e.stiffness, K, 1e-12 * K);
  EXPECT_NEAR(e.damping, K * 80e-3 / std::log(50.0), 1e-12 * K);
  // at rest the force is carried by the stiffness
  double left = 0;
  std::vector<std::string> at_rest = oil;
  at_rest.insert(at_rest.end(), {"signals.load=0", "solver.duration=1 s"});
  test::watch(load_example("arm_quasistatic", at_rest), 1,
              [&](const Channels& at, const StateVector&) { left = at["lift.piston"] - at["lift.length"] - at["lift.force"] / K; });
  EXPECT_NEAR(left, 0, 1e-9);
}

}  // namespace
}  // namespace trunnion
