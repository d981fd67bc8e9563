// Invalid quasistatic circuits: line, path and message of each error.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "file/model_file.h"

namespace trunnion {
namespace {

const std::string kCircuit = R"(trunnion: 1
bodies: {mass: {point_mass: {mass: 1000 kg}}, wheel: {mass: 100 kg, inertia: [50, 50, 50]}}
joints: {mass: {prismatic: {parent: ground, axis: x}, position: 2 m}, wheel: {revolute: {parent: ground, axis: z}}}
fluid: {density: 850 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {v: {volume: 1 L, pressure: 1 MPa}}
sources: {tank: {pressure: 0.1 MPa}}
cylinders:
  lift: {base: {body: ground}, rod_end: {body: mass}, area_A: 24 cm^2, area_B: 12 cm^2}
motors: {swing: {joint: wheel, displacement: 1 L/rad}}
quasistatic:
  circuit:
    tank: tank
    flow: 60 L/min
    relief: 20 MPa
    bleed: {area: 1.5 cm^2, command: 0.3}
    actuators:
      lift:
        command: lever
        relief_A: 25 MPa
        relief_B: 25 MPa
        P_A: {area: 1 cm^2}
        B_T: {diameter: 10 mm}
        P_B: {area: 2 cm^2}
        A_T: {area: 3 cm^2}
        B_A: {area: 0.5 cm^2}
        element: {stiffness: 5e7, damping: 2.5e6}
      swing:
        {command: lever, relief_A: 24 MPa, relief_B: 24 MPa, P_A: {area: 4 cm^2}, B_T: {area: 4 cm^2}, P_B: {area: 4 cm^2}, A_T: {area: 4 cm^2},
         element: {stiffness: 1e6, settling_time: 40 ms}}
signals: {lever: 0.5}
solver: {step: 1 ms, duration: 1 s}
)";

struct Expected {
  int line;
  const char* path;
  std::vector<const char*> words;
};

/// The findings of the model with one edit, in order.
void expect_findings(const std::string& from, const std::string& to, const std::vector<Expected>& expected) {
  SCOPED_TRACE(from + " -> " + to);
  std::string text = kCircuit;
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(text.find(from, at + 1), std::string::npos) << "stands twice";
  text.replace(at, from.size(), to);
  std::vector<Diagnostic> all;
  try {
    parse_model(text, "model.yaml");
  } catch (const InputError& error) { all = error.diagnostics(); }
  ASSERT_EQ(all.size(), expected.size()) << (all.empty() ? "" : InputError(all).what());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].span.line, expected[i].line) << all[i].text();
    EXPECT_EQ(all[i].path, expected[i].path) << all[i].text();
    for (const char* words : expected[i].words) EXPECT_NE(all[i].text().find(words), std::string::npos) << words << "\n" << all[i].text();
  }
}

TEST(QuasistaticInput, TheModelItselfIsGood) {
  EXPECT_NO_THROW(parse_model(kCircuit, "model.yaml"));
  // the stiffness may be that of the oil
  std::string text = kCircuit;
  text.replace(text.find("stiffness: 5e7, "), 16, "");
  text.replace(text.find("area_B: 12 cm^2"), 15, "area_B: 12 cm^2, chamber_length_A: 1 m, chamber_length_B: 1 m");
  EXPECT_NO_THROW(parse_model(text, "model.yaml"));
}

TEST(QuasistaticInput, WrongCircuitsAreReported) {
  expect_findings("tank: tank", "tank: v",
                  {{12, "quasistatic.circuit.tank", {"`v` is not a pressure source", "the name of a pressure source in `sources`"}}});
  expect_findings("tank: tank", "tank: tnak", {{12, "quasistatic.circuit.tank", {"`tnak`", "did you mean `tank`?"}}});
  expect_findings("flow: 60 L/min", "flow: -60 L/min", {{13, "quasistatic.circuit.flow", {"not less than 0"}}});
  expect_findings("flow: 60 L/min", "flow: leever", {{13, "quasistatic.circuit.flow", {"`leever`"}}});
  expect_findings("relief: 20 MPa", "relief: 0 MPa", {{14, "quasistatic.circuit.relief", {"greater than 0"}}});
  expect_findings("    relief: 20 MPa\n", "", {{12, "quasistatic.circuit.relief", {"`relief` is missing"}}});
  expect_findings("area: 1.5 cm^2, ", "", {{15, "quasistatic.circuit.bleed", {"diameter"}}});
  expect_findings("relief: 20 MPa", "relief: 20 MPa\n    open_centre: [[0, 1], [1, 0]]",
                  {{16, "quasistatic.circuit.bleed.command", {"already defined by its sections (open_centre)", "one of them"}}});
  expect_findings("bleed: {area: 1.5 cm^2, command: 0.3}", "open_centre: [[0, 1], [1, 0]]",
                  {{15, "quasistatic.circuit.open_centre", {"the circuit has no bleed valve", "`bleed` with the size of the sections"}}});
}

TEST(QuasistaticInput, WrongActuatorsAreReported) {
  expect_findings(
      "      lift:\n", "      lfit:\n",
      {{8, "cylinders.lift.A", {"the chamber has no node", "A and B, or its name among the actuators of one `quasistatic` circuit"}},
       {8, "cylinders.lift.B", {"the chamber has no node"}},
       {17, "quasistatic.circuit.actuators.lfit", {"there is no cylinder or motor `lfit`", "the name of a cylinder or motor"}}});
  expect_findings("area_A: 24 cm^2", "A: v, area_A: 24 cm^2, chamber_length_A: 1 m, chamber_length_B: 1 m",
                  {{8, "cylinders.lift.A", {"`lift` is already supplied by a quasistatic circuit", "A and B, or its name"}}});
  expect_findings("area_A: 24 cm^2", "leakage: 1e-12 m^3/(s Pa), area_A: 24 cm^2",
                  {{8, "cylinders.lift.leakage", {"quasistatic circuits do not support leakage", "0, or chambers on volumes (A, B)"}}});
  expect_findings("area_A: 24 cm^2", "chamber_length_A: 1 m, area_A: 24 cm^2",
                  {{8, "cylinders.lift.chamber_length_B", {"the chamber has no length", "a length greater than 0"}}});
  expect_findings("P_A: {area: 1 cm^2}", "P_A: {discharge: 0.6}", {{21, "quasistatic.circuit.actuators.lift.P_A", {"diameter"}}});
  expect_findings("B_A: {area: 0.5 cm^2}", "B_A: {discharge: 0.6}", {{25, "quasistatic.circuit.actuators.lift.B_A", {"diameter"}}});
  expect_findings("        A_T: {area: 3 cm^2}\n", "", {{18, "quasistatic.circuit.actuators.lift.A_T", {"`A_T` is missing"}}});
  expect_findings("P_A: {area: 1 cm^2}", "P_A: {area: 1 cm^2, opening: [[0, 0], [1, 1.2]]}",
                  {{21, "quasistatic.circuit.actuators.lift.P_A.opening.1.1", {"`1.2`"}}});
  expect_findings("P_A: {area: 1 cm^2}", "P_A: {area: 1 cm^2, command: lver}",
                  {{21, "quasistatic.circuit.actuators.lift.P_A.command", {"`lver`", "did you mean `lever`?"}}});
  expect_findings(
      "{stiffness: 5e7, damping: 2.5e6}", "{damping: 2.5e6}",
      {{26,
        "quasistatic.circuit.actuators.lift.element.stiffness",
        {"without chamber lengths the stiffness of the oil is undefined", "a stiffness", "chamber_length_A and chamber_length_B"}}});
  expect_findings("stiffness: 1e6, ", "", {{29, "quasistatic.circuit.actuators.swing.element.stiffness", {"a stiffness"}}});
  expect_findings("{stiffness: 5e7, damping: 2.5e6}", "{stiffness: 5e7}",
                  {{26, "quasistatic.circuit.actuators.lift.element", {"the damping is not given", "damping, or settling_time"}}});
  expect_findings("{stiffness: 5e7, damping: 2.5e6}", "{stiffness: 5e7, damping: 2.5e6, settling_time: 1 s}",
                  {{26, "quasistatic.circuit.actuators.lift.element", {"the damping is given twice", "damping, or settling_time"}}});
  expect_findings("stiffness: 1e6", "stiffness: 0", {{29, "quasistatic.circuit.actuators.swing.element.stiffness", {"greater than 0"}}});
}

TEST(QuasistaticInput, AnActuatorIsInOneCircuit) {
  expect_findings("signals: {lever: 0.5}", R"(  other:
    tank: tank
    flow: 1 L/min
    relief: 1 MPa
    actuators:
      lift: {command: lever, relief_A: 24 MPa, relief_B: 24 MPa, P_A: {area: 4 cm^2}, B_T: {area: 4 cm^2}, P_B: {area: 4 cm^2}, A_T: {area: 4 cm^2},
         element: {stiffness: 1e6, settling_time: 40 ms}}
signals: {lever: 0.5})",
                  {{8, "cylinders.lift", {"`lift` is in 2 quasistatic circuits", "one"}}});
  expect_findings("signals: {lever: 0.5}", "  other: {tank: tank, flow: 1 L/min, relief: 1 MPa}\nsignals: {lever: 0.5}",
                  {{30, "quasistatic.other.actuators", {"the circuit has no actuators", "names of cylinders or motors"}}});
}

TEST(QuasistaticInput, DiscreteStatesNeedFixedStepsOfTheMachine) {
  const std::string solver = "{step: 1 ms, duration: 1 s", discrete = "relief: 20 MPa\n    form: discrete";
  for (const auto& [constraints, integrator] : {std::pair{"double_step", "cvode"}, {"baumgarte", "ida"}}) {
    const std::string set = std::string(", constraints: ") + constraints + ", integrator: " + integrator;
    std::string text = kCircuit;
    text.replace(text.find(solver), solver.size(), solver + set);
    EXPECT_NO_THROW(parse_model(text, "model.yaml"));
    text.replace(text.find("relief: 20 MPa"), 14, discrete);
    try {
      parse_model(text, "model.yaml");
      FAIL() << "it is accepted";
    } catch (const InputError& error) {
      ASSERT_EQ(error.diagnostics().size(), 1U) << error.what();
      EXPECT_EQ(error.diagnostics()[0].path, "quasistatic.circuit.form");
      for (const char* words : {integrator, "uses variable steps", "`differential`, or a fixed-step integrator"})
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

TEST(QuasistaticInput, CosimulationTakesItsForces) {
  const auto apart = [](const std::string& coupling, const std::vector<Expected>& expected) {
    expect_findings("duration: 1 s}", "duration: 1 s, coupling: cosimulation}\ncoupling: {" + coupling + "}", expected);
  };
  const auto by_forces = [&](const std::string& coupling, const std::vector<Expected>& expected) {
    apart("variables: velocity_force" + coupling, expected);
  };
  by_forces("", {});
  by_forces(", scheme: gauss_seidel, order: hydraulics_first", {});
  apart("variables: velocity_pressure",
        {{32, "coupling.variables", {"quasistatic circuits publish forces, not pressures", "`velocity_force`"}}});
  by_forces(", scheme: sequential", {});
  by_forces(", scheme: parallel", {{32, "coupling.scheme", {"`parallel`", "not differentiable", "sequential"}}});
  std::string text = kCircuit;
  text.replace(text.find("duration: 1 s}"), 14, "duration: 1 s, coupling: cosimulation}\ncoupling: {variables: velocity_force}");
  text.replace(text.find("    actuators:"), 14, "    form: discrete\n    actuators:");
  EXPECT_NO_THROW(parse_model(text, "model.yaml"));
}

}  // namespace
}  // namespace trunnion
