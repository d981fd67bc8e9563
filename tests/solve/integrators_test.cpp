// Treatments and integrators other than the trapezoidal ones: orders of convergence and agreement with independent solutions, redundant
// rows, jumps, saved states, errors, and the variable-step reference.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machine/start.h"
#include "problems/reference_table.h"
#include "run/make_stepper.h"
#include "run/run.h"
#include "support/allocation_counter.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using problems::read_reference_table;
using problems::ReferenceTable;
using test::load_example;
using test::model_from;

struct Way {
  const char *constraints, *integrator;
};
std::vector<std::string> settings(const Way& way, const std::string& step, std::vector<std::string> more = {}) {
  more.push_back(std::string("solver.constraints=") + way.constraints);
  more.push_back(std::string("solver.integrator=") + way.integrator);
  more.push_back("solver.step=" + step);
  return more;
}
void PrintTo(const Way& way, std::ostream* out) { *out << way.constraints << " " << way.integrator; }

constexpr Way kEuler{"double_step", "euler"}, kSemiImplicit{"double_step", "semi_implicit_euler"}, kRungeKutta{"double_step", "rk4"},
    kCvode{"double_step", "cvode"}, kIndexOne{"baumgarte", "trapezoidal"}, kIndexOneEuler{"baumgarte", "euler"},
    kIndexOneSemiImplicit{"baumgarte", "semi_implicit_euler"}, kIndexOneRungeKutta{"baumgarte", "rk4"}, kIda{"baumgarte", "ida"},
    kAugmentedEuler{"ali1", "euler"}, kAugmentedSemiImplicit{"ali1", "semi_implicit_euler"}, kAugmentedRungeKutta{"ali1", "rk4"},
    kAugmentedCvode{"ali1", "cvode"};
constexpr Way kExplicit[] = {kEuler,          kSemiImplicit,          kRungeKutta,
                             kIndexOneEuler,  kIndexOneSemiImplicit,  kIndexOneRungeKutta,
                             kAugmentedEuler, kAugmentedSemiImplicit, kAugmentedRungeKutta};
constexpr Way kFixedStep[] = {
    kEuler,          kSemiImplicit,          kRungeKutta,         kIndexOne, kIndexOneEuler, kIndexOneSemiImplicit, kIndexOneRungeKutta,
    kAugmentedEuler, kAugmentedSemiImplicit, kAugmentedRungeKutta};
constexpr Way kAll[] = {kEuler,
                        kSemiImplicit,
                        kRungeKutta,
                        kCvode,
                        kIndexOne,
                        kIndexOneEuler,
                        kIndexOneSemiImplicit,
                        kIndexOneRungeKutta,
                        kIda,
                        kAugmentedEuler,
                        kAugmentedSemiImplicit,
                        kAugmentedRungeKutta,
                        kAugmentedCvode};
/// Implicit rules beside the trapezoidal one, for every treatment.
std::vector<Way> implicit_ways() {
  std::vector<Way> ways;
  for (const char* constraints : {"penalty", "double_step", "baumgarte"})
    for (const char* integrator : {"bdf2", "generalized_alpha", "hht", "esdirk3"}) ways.push_back({constraints, integrator});
  return ways;
}
constexpr std::span kPartitioned = std::span(kAll).first<9>();

// ---------------------------------------------------------------- compared with independent solutions

struct Errors {
  double position = 0;  // [rad, m]
  double pressure = 0;  // [Pa]
  RunStatistics statistics;
};

/// Largest errors of all coordinates and pressures that a table has, between two times.
Errors errors_of(const std::shared_ptr<const CompiledModel>& model, const char* table_name, double begin, double end) {
  const ReferenceTable table = read_reference_table(table_name);
  Runner run(model);
  Errors e;
  const auto compare = [&](std::size_t row, const std::string& column, double value, double& error) {
    if (std::find(table.columns.begin(), table.columns.end(), column) != table.columns.end())
      error = std::max(error, std::abs(value - table.at(row, column)));
  };
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double t = table.at(row, "time");
    if (t > end + 1e-9) break;
    run.advance(t);
    if (t < begin - 1e-9) continue;
    for (const JointInfo& joint : model->joints)
      for (const JointPart& part : joint.parts)
        if (part.joint != NodeJoint::spherical) compare(row, joint.name + "." + part.position, run.state().q()[part.q], e.position);
    for (std::size_t i = 0; i < model->state_names.size(); ++i) compare(row, model->state_names[i], run.state().y()[i], e.pressure);
  }
  e.statistics = run.statistics();
  return e;
}

double order(const Way& way, const char* example, const std::string& coarse, const std::string& fine, double ratio, double begin,
             double end) {
  const double a = errors_of(load_example(example, settings(way, coarse)), example, begin, end).position,
               b = errors_of(load_example(example, settings(way, fine)), example, begin, end).position;
  return std::log(a / b) / std::log(ratio);
}

class OrderOf : public ::testing::TestWithParam<std::pair<Way, double>> {};
INSTANTIATE_TEST_SUITE_P(Integrators, OrderOf,
                         ::testing::Values(std::pair{kEuler, 1.0}, std::pair{kSemiImplicit, 1.0}, std::pair{kRungeKutta, 4.0},
                                           std::pair{kIndexOneEuler, 1.0}, std::pair{kIndexOneSemiImplicit, 1.0},
                                           std::pair{kIndexOneRungeKutta, 4.0}, std::pair{kIndexOne, 2.0}, std::pair{kAugmentedEuler, 1.0},
                                           std::pair{kAugmentedSemiImplicit, 1.0}, std::pair{kAugmentedRungeKutta, 4.0}));

TEST_P(OrderOf, IsItsOwnOnAMechanismWithBallsAndALoop) {
  const auto& [way, expected] = GetParam();
  const bool high = expected > 3;
  EXPECT_NEAR(order(way, "spatial_slider_crank", high ? "10 ms" : "0.5 ms", high ? "5 ms" : "0.25 ms", 2, 0, 0.8), expected,
              high ? 0.4 : 0.15);
}

TEST(RungeKutta, HasOrderFourWithOil) {
  // the valve opens at 1 s; the oil's stiffness determines the longest step
  double error[2];
  for (int i : {0, 1})
    error[i] =
        errors_of(load_example("four_bar_lift", settings(kRungeKutta, i == 0 ? "0.1 ms" : "0.05 ms")), "four_bar_lift", 0, 1.2).pressure;
  EXPECT_NEAR(std::log2(error[0] / error[1]), 4, 0.6);
}

TEST(RungeKutta, FollowsTheReferencesOfHydraulicMachines) {
  for (const Way& way : {kRungeKutta, kIndexOneRungeKutta, kAugmentedRungeKutta})
    for (const auto& [example, table, step] :
         {std::tuple{"four_bar_lift", "four_bar_lift", "0.1 ms"}, std::tuple{"four_bar", "four_bar_brown_mcphee", "0.1 ms"},
          std::tuple{"slewing_crane", "slewing_crane", "0.1 ms"}}) {
      const Errors e = errors_of(load_example(example, settings(way, step)), table, 0, 1.3);
      EXPECT_LT(e.position, 1e-9) << example << " " << way.constraints;
      EXPECT_LT(e.pressure, 10) << example << " " << way.constraints;
      EXPECT_EQ(e.statistics.iterations > 0, way.constraints == std::string("ali1"));  // of the multipliers
    }
}

TEST(IndexOne, FollowsTheReferencesOfHydraulicMachines) {
  for (const char* table : {"four_bar_lift", "slewing_crane", "spatial_slider_crank"}) {
    const Errors e = errors_of(load_example(table, settings(kIndexOne, "0.1 ms")), table, 0, 1.3);
    EXPECT_LT(e.position, 1e-6) << table;
    EXPECT_LT(e.pressure, 3e3) << table;
  }
}

class ImplicitRule : public ::testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Integrators, ImplicitRule, ::testing::ValuesIn(implicit_ways()));

TEST_P(ImplicitRule, HasItsOrderOnAMachineWithOil) {
  const bool third = GetParam().integrator == std::string("esdirk3");
  EXPECT_NEAR(order(GetParam(), "four_bar_lift", "2 ms", "1 ms", 2, 0, 1.2), third ? 3 : 2, third ? 0.4 : 0.15);
}

TEST_P(ImplicitRule, HasOrderTwoOnAMechanismWithBallsAndALoop) {
  // errors of orders 3 and 2 cancel in baumgarte's esdirk3 between 2 and 1 ms: measured below
  const bool cancel = GetParam().constraints == std::string("baumgarte") && GetParam().integrator == std::string("esdirk3");
  EXPECT_GT(order(GetParam(), "spatial_slider_crank", cancel ? "0.5 ms" : "2 ms", cancel ? "0.25 ms" : "1 ms", 2, 0, 0.8), 1.85);
}

class ReferenceOf : public ::testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Integrators, ReferenceOf, ::testing::Values(kCvode, kIda, kAugmentedCvode));

TEST_P(ReferenceOf, AgreesWithIndependentSolutions) {
  for (const auto& [example, table, end] :
       {std::tuple{"four_bar_lift", "four_bar_lift", 10.0}, std::tuple{"four_bar", "four_bar_brown_mcphee", 3.0},
        std::tuple{"four_bar", "four_bar_lugre", 1.5}, std::tuple{"slewing_crane", "slewing_crane", 4.0},
        std::tuple{"spatial_slider_crank", "spatial_slider_crank", 3.0}}) {
    std::vector<std::string> more;
    if (std::string(table) == "four_bar_lugre") more.push_back("cylinders.lift.friction.model=lugre");
    const Errors e = errors_of(load_example(example, settings(GetParam(), "10 ms", more)), table, 0, end);
    EXPECT_LT(e.position, 1e-7) << table;
    EXPECT_LT(e.pressure, 20) << table;
    EXPECT_LT(e.statistics.max_violation, 1e-7) << table;
    EXPECT_GT(e.statistics.iterations, 0) << table;
  }
}

TEST_P(ReferenceOf, FollowsItsTolerance) {
  double error[2];
  for (int i : {0, 1})
    error[i] =
        errors_of(load_example("four_bar_lift", settings(GetParam(), "10 ms",
                                                         {i == 0 ? "solver.reference_tolerance=1e-5" : "solver.reference_tolerance=1e-8"})),
                  "four_bar_lift", 0, 2)
            .position;
  EXPECT_LT(error[0], 2e-2);
  EXPECT_LT(error[1], error[0] / 20);
}

TEST_P(ReferenceOf, GoesOnFromASavedStateWithinItsTolerance) {
  const auto model = load_example("four_bar_lift", settings(GetParam(), "10 ms"));
  Runner whole(model), part(model);
  whole.advance(1.2);
  part.restore(whole.state());
  whole.advance(1.5);
  part.advance(1.5);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(whole.state().q()[i], part.state().q()[i], 1e-8);
    EXPECT_NEAR(whole.state().y()[i], part.state().y()[i], 20);
  }
}

TEST_P(ReferenceOf, SeesABallTurnFar) {
  // an unloaded free top: its angular momentum is constant, and it rotates by many radians
  const std::string text = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {top: {mass: 2, center_of_mass: [0, 0, 0], inertia: [1, 2, 2.5]}}
joints: {top: {spherical: {parent: ground, at: [0, 0, 0]}, angular_velocity: [3, 0.1, 2]}}
solver: {step: 10 ms, duration: 5 s}
)";
  Runner run(model_from(text, settings(GetParam(), "10 ms")));
  run.advance(5);
  const StateVector& s = run.state();
  const Mat<3> R = quaternion_matrix(s.q());
  const Vec<3> J(1, 2, 2.5), w = R.transpose() * Vec<3>(s.v()[0], s.v()[1], s.v()[2]);
  const Vec<3> momentum = R * J.cwiseProduct(w), start = J.cwiseProduct(Vec<3>(3, 0.1, 2));
  EXPECT_LT((momentum - start).norm(), 1e-6);
  EXPECT_NEAR(w.dot(J.cwiseProduct(w)), Vec<3>(3, 0.1, 2).dot(start), 1e-6);
}

// ---------------------------------------------------------------- common to all

class Integrator : public ::testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Integrators, Integrator, ::testing::ValuesIn(kAll));
INSTANTIATE_TEST_SUITE_P(ImplicitRules, Integrator, ::testing::ValuesIn(implicit_ways()));

TEST_P(Integrator, TakesAForceThatJumpsInsideAStep) {
  // the slider is at rest until 0.33337 s, then F = 6 N on 3 kg
  const std::string text = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {slider: {point_mass: {mass: 3 kg}}}
joints: {slider: {prismatic: {parent: ground, axis: x}}}
forces: {push: {joint: slider, load: 6 N, signal: on}}
signals: {on: {steps: [[0.33337 s, 1], [0.5 s, -1]]}}
solver: {step: 1 ms, duration: 1 s}
)";
  Runner run(model_from(text, settings(GetParam(), "1 ms")));
  const std::string integrator = GetParam().integrator;
  const bool first_order = integrator == "euler" || integrator == "semi_implicit_euler";
  run.advance(0.4);
  const double t = 0.4 - 0.33337;
  EXPECT_NEAR(run.state().v()[0], 2 * t, 1e-9);
  EXPECT_NEAR(run.state().q()[0], t * t, first_order ? 1.01e-3 * t : 1e-9);
  EXPECT_NEAR(run.state().a()[0], 2, 1e-12);
  run.advance(0.6);
  EXPECT_NEAR(run.state().v()[0], 2 * (0.5 - 0.33337) - 2 * 0.1, 1e-9);
  EXPECT_NEAR(run.state().a()[0], -2, 1e-12);
}

TEST_P(Integrator, MovesMachinesOfEverythingAsThePenaltyTreatment) {
  // open trees, a prescribed motion, springs, loads, spherical joints, several circuits, friction with states
  const std::string integrator = GetParam().integrator;
  const bool first_order = integrator == "euler" || integrator == "semi_implicit_euler";
  for (bool spatial : {false, true}) {
    const std::string text = test::busy_machine(spatial);
    // the error of bdf2 is four times that of the trapezoidal rule: half the step
    Runner a(model_from(text, settings(GetParam(), integrator == "bdf2" ? "0.01 ms" : "0.02 ms"))),
        b(model_from(text, {"solver.step=0.02 ms"}));
    a.advance(0.02);
    b.advance(0.02);
    const double position = first_order ? 5e-5 : 2e-8, pressure = first_order ? 2e-2 : 1e-4;
    for (int k = 0; k < a.state().layout().nq; ++k) EXPECT_NEAR(a.state().q()[k], b.state().q()[k], position) << k;
    for (int k = 0; k < a.state().layout().ny; ++k)
      EXPECT_NEAR(a.state().y()[k], b.state().y()[k], pressure * (1e-3 + std::abs(b.state().y()[k]))) << k;
  }
}

TEST_P(Integrator, HasTheMultipliersOfThePenaltyTreatment) {
  Runner a(load_example("spatial_slider_crank", settings(GetParam(), "0.1 ms"))),
      b(load_example("spatial_slider_crank", {"solver.step=0.1 ms"}));
  a.advance(0.3);
  b.advance(0.3);
  double size = 0, difference = 0;
  for (int i = 0; i < a.state().layout().rows; ++i) {
    size = std::max(size, std::abs(b.state().multipliers()[i]));
    difference = std::max(difference, std::abs(a.state().multipliers()[i] - b.state().multipliers()[i]));
  }
  EXPECT_GT(size, 1);
  EXPECT_LT(difference, 3e-3 * size);
}

/// A planar four-bar in a machine that moves in space, closed by a spherical joint: one of its three rows is redundant.
std::string overclosed_four_bar(const char* loops) {
  return std::string(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 3 kg, center_of_mass: [0.5 m, 0, 0], inertia: [0.1, 0.3, 0.3]}
  coupler: {mass: 5 kg, center_of_mass: [1 m, 0, 0], inertia: [0.1, 1.8, 1.8]}
  rocker: {mass: 4 kg, center_of_mass: [0.75 m, 0, 0], inertia: [0.1, 0.8, 0.8]}
  bob: {mass: 1 kg, center_of_mass: [0.3 m, 0, 0], inertia: [0.01, 0.02, 0.02]}
joints:
  crank: {revolute: {parent: ground, at: [0, 0, 0], axis: z}, angle: 60 deg, hold: true}
  coupler: {revolute: {parent: crank, at: [1 m, 0, 0], axis: z}, angle: -40 deg}
  rocker: {revolute: {parent: coupler, at: [2 m, 0, 0], axis: z}, angle: -90 deg}
  bob: {revolute: {parent: crank, at: [0.5 m, 0, 0.2 m], axis: x}, angle: 30 deg, rate: 2}
loops:
)") + loops +
         "solver: {step: 1 ms, duration: 1 s}\n";
}

TEST_P(Integrator, IsNotHarmedByRedundantRows) {
  const char* ball = "  E: {spherical: {between: [rocker, ground], at: [[1.5 m, 0, 0], [2.3 m, 0, 0]]}}\n";
  const char* twice =
      "  E: {spherical: {between: [rocker, ground], at: [[1.5 m, 0, 0], [2.3 m, 0, 0]]}}\n"
      "  F: {spherical: {between: [rocker, ground], at: [[1.5 m, 0, 0], [2.3 m, 0, 0]]}}\n";
  const auto one = model_from(overclosed_four_bar(ball), settings(GetParam(), "0.5 ms")),
             two = model_from(overclosed_four_bar(twice), settings(GetParam(), "0.5 ms")),
             penalty = model_from(overclosed_four_bar(ball), {"solver.step=0.5 ms"});
  ASSERT_FALSE(one->planar);
  ASSERT_EQ(one->layout.rows, 3);
  ASSERT_EQ(two->layout.rows, 6);
  Runner a(one), b(two), c(penalty);
  for (Runner* run : {&a, &b, &c}) run->advance(0.5);
  const std::string integrator = GetParam().integrator;
  const bool first_order = integrator == "euler" || integrator == "semi_implicit_euler";
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(a.state().q()[k], b.state().q()[k], 1e-8) << k;
    EXPECT_NEAR(a.state().q()[k], c.state().q()[k], first_order ? 2e-2 : 2e-5) << k;
  }
  int taking_part = 0;
  for (int i = 0; i < 6; ++i) taking_part += b.state().multipliers()[i] != 0 ? 1 : 0;
  if (GetParam().constraints == std::string("ali1") || GetParam().constraints == std::string("penalty"))
    EXPECT_GE(taking_part, 4);  // duplicate rows share their force
  else
    EXPECT_EQ(taking_part, 2);
  EXPECT_LT(b.statistics().max_violation, first_order ? 1e-2 : 1e-5);
}

/// All bars of the parallelogram in one line at 0.5236 s.
std::string parallelogram() {
  return R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {left: {rod: {length: 1, mass: 2}}, coupler: {rod: {length: 2, mass: 4}}, right: {rod: {length: 1, mass: 2}}}
joints:
  left: {revolute: {parent: ground, axis: z}, angle: 60 deg, rate: -2, hold: true}
  coupler: {revolute: {parent: left, at: [1, 0, 0], axis: z}, angle: -60 deg, rate: 2}
  right: {revolute: {parent: coupler, at: [2, 0, 0], axis: z}, angle: -120 deg, rate: -2}
loops: {foot: {revolute: {between: [right, ground], at: [[1, 0, 0], [2, 0, 0]], axis: z}}}
solver: {step: 1 ms, duration: 1 s}
)";
}

/// All with a partition; ali1 passes singular configurations (AugmentedLagrangianSteps).
class Partitioned : public ::testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Integrators, Partitioned, ::testing::ValuesIn(kPartitioned));

TEST_P(Partitioned, NamesTheLoopAtADeadPoint) {
  Runner run(model_from(parallelogram(), settings(GetParam(), "1 ms")));
  try {
    run.advance(1);
    FAIL() << "it should not get through";
  } catch (const SimulationError& error) {
    EXPECT_NEAR(error.time(), M_PI / 6, 0.05);
    EXPECT_GT(run.state().time, 0.4);  // valid results are kept
    EXPECT_NE(std::string(error.what()).find("loops.foot"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("penalty"), std::string::npos) << error.remedy();
  }
}

TEST_P(Integrator, NamesTheCylinderAtTheEndOfItsStroke) {
  const auto model = load_example("four_bar", settings(GetParam(), "0.05 ms", {"cylinders.lift.chamber_length_B=5 mm"}));
  Runner run(model);
  try {
    run.advance(1.5);
    FAIL() << "the piston should leave its cylinder";
  } catch (const SimulationError& error) {
    EXPECT_GT(error.time(), 1.0);
    EXPECT_NE(std::string(error.what()).find("cylinders.lift"), std::string::npos) << error.what();
  }
}

// ---------------------------------------------------------------- fixed steps

class FixedStep : public ::testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Integrators, FixedStep, ::testing::ValuesIn(kFixedStep));
INSTANTIATE_TEST_SUITE_P(ImplicitRules, FixedStep, ::testing::ValuesIn(implicit_ways()));

TEST_P(FixedStep, ContinuesASavedStateToTheLastBit) {
  for (const auto& [example, step] : {std::pair{"four_bar_lift", "0.05 ms"}, std::pair{"spatial_slider_crank", "1 ms"}}) {
    const auto model = load_example(example, settings(GetParam(), step));
    Runner whole(model), part(model);
    whole.advance(0.1);
    part.restore(whole.state());
    whole.advance(0.2);
    part.advance(0.2);
    EXPECT_TRUE(whole.state() == part.state()) << example;
  }
}

TEST_P(FixedStep, DoesNotAllocate) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  std::vector<std::shared_ptr<const CompiledModel>> models;
  for (const char* example : {"four_bar_lift", "quick_return", "spatial_slider_crank", "slewing_crane"})
    models.push_back(load_example(example, settings(GetParam(), "0.01 ms")));
  models.push_back(model_from(test::busy_machine(true), settings(GetParam(), "0.01 ms")));
  models.push_back(load_example("quick_return", settings(GetParam(), "0.01 ms", {"solver.tangent=forward_difference"})));
  for (const auto& model : models) {
    StateVector state = start_state(*model);
    const auto stepper = make_stepper(model);
    const long before = test::allocations();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(stepper->step(state, model->description.solver.step).ok()) << model->title;
    ASSERT_TRUE(stepper->restart(state));
    EXPECT_EQ(test::allocations(), before) << model->title;
  }
}

class ExplicitStepOf : public ::testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Integrators, ExplicitStepOf, ::testing::ValuesIn(kExplicit));

TEST_P(ExplicitStepOf, SaysWhenItIsUnstable) {
  Runner run(load_example("four_bar_lift", settings(GetParam(), "1 ms")));
  try {
    run.advance(10);
    FAIL() << "the oil is too stiff for this step";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("unstable"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("smaller step"), std::string::npos) << error.remedy();
    EXPECT_NE(error.remedy().find("trapezoidal"), std::string::npos) << error.remedy();
    for (double value : run.state().values()) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST_P(ExplicitStepOf, TreatsLocallyIntegratedFrictionAsOtherStates) {
  std::vector<std::string> lugre{"cylinders.lift.friction.model=lugre"}, local = lugre;
  local.push_back("cylinders.lift.friction.states=local");
  Runner a(load_example("four_bar", settings(GetParam(), "0.01 ms", lugre))),
      b(load_example("four_bar", settings(GetParam(), "0.01 ms", local)));
  a.advance(0.05);
  b.advance(0.05);
  for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(a.state().q()[i], b.state().q()[i]);
  for (int i = 0; i < a.state().layout().ny; ++i) EXPECT_DOUBLE_EQ(a.state().y()[i], b.state().y()[i]);
}

TEST(IndexOne, ExactAndForwardDifferenceTangentsTakeTheSameSteps) {
  for (const char* example : {"four_bar_lift", "spatial_slider_crank", "slewing_crane"}) {
    Runner a(load_example(example, settings(kIndexOne, "1 ms"))),
        b(load_example(example, settings(kIndexOne, "1 ms", {"solver.tangent=forward_difference"})));
    a.advance(0.7);
    b.advance(0.7);
    for (int k = 0; k < a.state().layout().nq; ++k) EXPECT_NEAR(a.state().q()[k], b.state().q()[k], 1e-6) << example;
    EXPECT_NEAR(a.statistics().mean_iterations(), b.statistics().mean_iterations(), 0.1) << example;
    EXPECT_LT(a.statistics().mean_iterations(), 2.2) << example;
  }
}

TEST(IndexOne, StabilisationHoldsTheLoopsTogether) {
  // without it the rule's violations remain, and accumulate
  const auto violation = [](const std::string& parameters) {
    Runner run(load_example("spatial_slider_crank", settings(kIndexOneEuler, "1 ms", {"solver.baumgarte=" + parameters})));
    run.advance(3);
    return run.statistics().max_violation;
  };
  const double locked = violation("[50, 50]"), drifting = violation("[0, 0]");
  EXPECT_GT(locked, 1e-6);  // not zero: the purpose of the comparison
  EXPECT_LT(locked, 0.1 * drifting);
}

// ---------------------------------------------------------------- index-1 augmented Lagrangian

/// Its fixed point is what Baumgarte's equations have with alpha = xi omega, beta = omega: the same steps.
TEST(AugmentedLagrangianSteps, AreThoseOfBaumgarte) {
  for (const char* integrator : {"semi_implicit_euler", "euler", "rk4"})
    for (const auto& [example, step, end] : {std::tuple{"four_bar", "0.1 ms", 1.2}, std::tuple{"quick_return", "0.1 ms", 1.2},
                                             std::tuple{"spatial_slider_crank", "0.5 ms", 1.0}, std::tuple{"slewing_crane", "0.05 ms", 0.7},
                                             std::tuple{"rolling_disc", "1 ms", 1.0}}) {
      Runner a(load_example(example, settings({"ali1", integrator}, step, {"solver.ali1.xi=0.8", "solver.ali1.omega=40"}))),
          b(load_example(example, settings({"baumgarte", integrator}, step, {"solver.baumgarte=[32, 40]"})));
      a.advance(end);
      b.advance(end);
      const StateLayout& n = a.state().layout();
      for (int k = 0; k < n.nq; ++k) EXPECT_NEAR(a.state().q()[k], b.state().q()[k], 1e-9) << example << " " << integrator;
      for (int k = 0; k < n.nv; ++k) EXPECT_NEAR(a.state().v()[k], b.state().v()[k], 1e-8) << example << " " << integrator;
      for (int k = 0; k < n.ny; ++k) EXPECT_NEAR(a.state().y()[k], b.state().y()[k], 1e-8 * (1 + std::abs(b.state().y()[k]))) << example;
      double size = 0;
      for (int i = 0; i < n.rows; ++i) size = std::max(size, std::abs(b.state().multipliers()[i]));
      for (int i = 0; i < n.rows; ++i) EXPECT_NEAR(a.state().multipliers()[i], b.state().multipliers()[i], 1e-6 * size) << example;
    }
}

TEST(AugmentedLagrangianSteps, TakeFewIterationsWhateverThePenalty) {
  double angle[4];
  int k = 0;
  for (const char* alpha : {"1e4", "1e6", "1e8", "1e10"}) {
    Runner run(load_example("four_bar_lift", settings(kAugmentedSemiImplicit, "0.05 ms", {std::string("solver.ali1.alpha=") + alpha})));
    run.advance(1.2);
    angle[k++] = run.state().q()[0];
    EXPECT_LE(run.statistics().mean_iterations(), k == 1 ? 12 : 4) << alpha;
  }
  for (double x : angle) EXPECT_NEAR(x, angle[2], 1e-9);
}

TEST(AugmentedLagrangianSteps, SayWhenThePenaltyIsTooSmall) {
  Runner run(load_example("four_bar_lift", settings(kAugmentedSemiImplicit, "0.05 ms", {"solver.ali1.alpha=1 kg"})));
  try {
    run.advance(1.2);
    FAIL() << "the multipliers should not converge";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("multipliers"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("solver.ali1.alpha"), std::string::npos) << error.remedy();
  }
  Runner accepted(
      load_example("four_bar_lift", settings(kAugmentedSemiImplicit, "0.05 ms", {"solver.ali1.alpha=1 kg", "solver.accept_capped=true"})));
  accepted.advance(1.1);
  EXPECT_GT(accepted.statistics().capped_steps, 0);
}

TEST(AugmentedLagrangianSteps, PassADeadPoint) {
  for (const Way& way : {kAugmentedSemiImplicit, kAugmentedRungeKutta, kAugmentedCvode}) {
    const auto model = model_from(parallelogram(), settings(way, "1 ms"));
    Runner run(model);
    const double start = run.state().v()[0];
    run.advance(1);
    // continues as a parallelogram or as the crossed four-bar, both of which conserve the kinetic energy
    EXPECT_LT(run.state().q()[0], -0.5) << way.integrator;
    EXPECT_LT(run.statistics().max_violation, 2e-2) << way.integrator;
    EXPECT_LT(std::abs(run.state().v()[0]), 10 * std::abs(start));
  }
}

TEST(AugmentedLagrangianSteps, HoldTheLoopsTogether) {
  const auto violation = [](const Way& way, const std::string& omega) {
    Runner run(load_example("spatial_slider_crank", settings(way, "1 ms", {"solver.ali1.omega=" + omega})));
    run.advance(3);
    return run.statistics().max_violation;
  };
  const double locked = violation(kAugmentedEuler, "50"), drifting = violation(kAugmentedEuler, "0");
  EXPECT_GT(locked, 1e-6);
  EXPECT_LT(locked, 0.1 * drifting);
}

TEST(IndexOne, AViolationFadesAsTheEquationSays) {
  // Phi'' + 2 alpha Phi' + beta^2 Phi = 0 with alpha = beta = 50/s: Phi = Phi_0 (1 + 50 t) exp(-50 t)
  const auto model = load_example("four_bar_lift", settings(kIndexOneRungeKutta, "0.05 ms", {"solver.baumgarte=[50, 50]"}));
  Runner run(model);
  StateVector off = run.state();
  off.q()[1] += 1e-6;
  run.restore(off);
  struct Log final : RunWatcher {
    double first = 0, last = 0;
    void at(const StepRecord& m) override { (first == 0 ? first : last) = m.report.violation; }
  } log;
  run.advance(0.04, &log);
  EXPECT_NEAR(log.last / log.first, (1 + 50 * 0.04) * std::exp(-50 * 0.04), 0.01);
}

}  // namespace
}  // namespace trunnion
