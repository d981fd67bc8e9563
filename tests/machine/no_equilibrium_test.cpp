// Machines without a static solution, or without a determinate one: what is said about them.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "machine/weight_on_cylinder.h"
#include "model/machines.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::example;
using test::kArea_A;
using test::kArea_B;
using test::kGravity;
using test::kWeight;
using test::machine;
using test::paths;
using test::pressure;
using test::refused;
using test::weight;

TEST(Equilibrium, IndeterminatePressuresAreNamedAndCanBePinned) {
  const auto findings = refused(machine(weight("equilibrium", "equilibrium")));
  ASSERT_EQ(paths(findings), (std::vector<std::string>{"volumes.a.pressure", "volumes.b.pressure"}));
  EXPECT_NE(findings[0].found.find("not determined by static equilibrium"), std::string::npos) << findings[0].text();
  EXPECT_NE(findings[0].hint.find("--set volumes.a.pressure=3.5MPa"), std::string::npos) << findings[0].text();
  const auto below = machine(weight("3.5 MPa", "equilibrium")), above = machine(weight("equilibrium", "3.5 MPa"));
  EXPECT_NEAR(pressure(*below, solve_equilibrium(*below).state, "b"), (3.5e6 * kArea_A - kWeight) / kArea_B, 1e-6);
  EXPECT_NEAR(pressure(*above, solve_equilibrium(*above).state, "a"), (3.5e6 * kArea_B + kWeight) / kArea_A, 1e-6);
}

TEST(Equilibrium, AHeldCoordinateThatDoesNotRestIsNamedWithTheMissingLoad) {
  const auto findings = refused(machine(weight("2 MPa", "1 MPa", "", ", hold: true")));
  ASSERT_EQ(paths(findings), std::vector<std::string>{"joints.w.hold"});
  EXPECT_NE(findings[0].found.find("w.position is locked in a position that is unbalanced by 3810 N"), std::string::npos)
      << findings[0].text();
  EXPECT_NE(findings[0].hint.find("--set joints.w.hold=false"), std::string::npos) << findings[0].text();
  EXPECT_NE(findings[0].hint.find("--set volumes.a.pressure=equilibrium"), std::string::npos) << findings[0].text();
}

TEST(Equilibrium, OfSeveralHeldCoordinatesOnlyTheUnbalancedOneIsNamed) {
  const auto findings =
      refused(compile(example("slewing_crane", {{"volumes.lift_v1.pressure", "7 MPa"}, {"volumes.lift_v2.pressure", "7 MPa"}})));
  EXPECT_EQ(paths(findings), std::vector<std::string>{"joints.boom.hold"});
}

TEST(Equilibrium, OilThatFlowsHasNoRest) {
  const auto joined = refused(machine(weight("4 MPa", "1 MPa", "valves: {one: {orifice: {A: a, B: b, diameter: 1 mm}}}\n")));
  ASSERT_EQ(paths(joined), std::vector<std::string>{"volumes.b.pressure"});
  EXPECT_NE(joined[0].found.find("oil flows"), std::string::npos) << joined[0].text();
  const auto fed = refused(machine(weight("4 MPa", "1 MPa", "sources: {pump: {flow: 1 L/min, to: a}}\n")));
  ASSERT_EQ(paths(fed), std::vector<std::string>{"volumes.a.pressure"});
  EXPECT_NE(fed[0].found.find("pump"), std::string::npos) << fed[0].text();
}

TEST(Equilibrium, PressuresBelowVacuumAreRefused) {
  const auto findings = refused(compile(example("four_bar", {{"volumes.v3.pressure", "50 kPa"}})));
  ASSERT_EQ(paths(findings), (std::vector<std::string>{"volumes.v1.pressure", "volumes.v2.pressure"}));
  EXPECT_NE(findings[0].found.find("below vacuum"), std::string::npos) << findings[0].text();
}

TEST(Equilibrium, ValvesThatOpenOneWayAreShutAtRestOrThereIsNone) {
  const auto with = [](const std::string& relief) {
    return machine(weight("equilibrium", "1 MPa",
                          "\nsources: {tank: {pressure: 1 bar}}\nvalves:\n  suction: {check: {A: tank, B: a, diameter: 5 mm}}\n"
                          "  relief: {relief: {A: a, B: tank, cracking_pressure: " +
                              relief + ", gradient: 1e-9}}\n",
                          ", hold: true"));
  };
  const double p = (1000 * kGravity + kArea_B * 1e6) / kArea_A;  // connected to the tank by neither
  const auto shut = with("5 MPa");
  EXPECT_NEAR(pressure(*shut, solve_equilibrium(*shut).state, "a"), p, 1);
  EXPECT_NEAR(pressure(*shut, start_state(*shut), "a"), p, 1);
  const auto findings = refused(with("2 MPa"));
  ASSERT_EQ(paths(findings), std::vector<std::string>{"volumes.a.pressure"});
  for (const char* words : {"where relief is open", "no static equilibrium exists"})
    EXPECT_NE(findings[0].found.find(words), std::string::npos) << findings[0].text();
  EXPECT_THROW(start_state(*with("2 MPa")), InputError);
}

/// Message of a failure.
std::string failure(const std::shared_ptr<const CompiledModel>& model) {
  try {
    solve_equilibrium(*model);
  } catch (const SimulationError& error) { return error.what(); }
  return "";
}

TEST(Equilibrium, WhereThereIsNoRestTheLargestLoadIsNamed) {
  const std::string text =
      failure(machine("bodies: {w: {point_mass: {mass: 1000}}}\njoints: {w: {prismatic: {parent: ground, axis: z}}}\n"));
  for (const char* word : {"w.position", "no equilibrium was found", "-9810 N", "--set joints.w.hold=true"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST(Equilibrium, APistonDoesNotLeaveItsCylinder) {
  const std::string text = failure(machine(weight("2 MPa", "1 MPa")));
  for (const char* word : {"c.length", "end of chamber A", "end_damper"}) EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST(Equilibrium, OfADiscreteElementIsThatOfItsEquations) {
  const std::vector<std::string> set{"joints.arm.hold=false", "signals.load=0"},
      discrete{"joints.arm.hold=false", "signals.load=0", "quasistatic.circuit.form=discrete"};
  const auto equations = test::load_example("arm_quasistatic", set), steps = test::load_example("arm_quasistatic", discrete);
  const Equilibrium a = solve_equilibrium(*equations), b = solve_equilibrium(*steps);
  EXPECT_EQ(a.state.q()[0], b.state.q()[0]);
  EXPECT_LT(a.movement[0], -1e-4);  // supported by its element
  StateVector state = equilibrium_state(*steps);
  Runner run(steps, state);
  for (int k = 0; k < 10; ++k) run.step();
  EXPECT_NEAR(run.state().q()[0], state.q()[0], 1e-12);
}

}  // namespace
}  // namespace trunnion
