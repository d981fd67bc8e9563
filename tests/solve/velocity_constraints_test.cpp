// Coordinate partitioning and stabilisation with velocity-level constraints. Reference: the Chaplygin sleigh's closed form, the same
// machine with a coupling of positions, differences of consistent states, the decay law of a violation, and geometry.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "machine/start.h"
#include "run/make_stepper.h"
#include "run/run.h"
#include "solve/closed_loops.h"
#include "solve/start_partition.h"
#include "support/allocation_counter.h"
#include "support/machines.h"
#include "support/random_machine.h"

namespace trunnion {
namespace {

using test::model_from;

// ---------------------------------------------------------------- machines

/// A sleigh of mass m and inertia J on a blade, its centre of mass a in front of it. With V^2 = u^2 + k^2 w^2, k^2 = J/m + a^2:
///   u = V tanh(x), w = V/k sech(x), x = x_0 + a V t/k^2, and the heading turns by (k/a) 2 atan(tanh(x/2)) between two x
constexpr double kMass = 3, kInertia = 0.5, kAhead = 0.1, kSpeed = -1.5, kTurn = 1.2;
std::string sleigh(const std::string& solver) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{sleigh: {{mass: {}, center_of_mass: [{}, 0, 0], inertia: [1, 1, {}]}}}}
joints: {{sleigh: {{planar: {{parent: ground, normal: z}}, position: [0, 0], angle: 0, velocity: [{}, 0], rate: {}}}}}
blades: {{skate: {{body: sleigh, across: y}}}}
solver: {{duration: 10, {}}}
)",
                     kMass, kAhead, kInertia, kSpeed, kTurn, solver);
}
double sleigh_heading(double t) {
  const double k = std::sqrt(kInertia / kMass + kAhead * kAhead), V = std::sqrt(kSpeed * kSpeed + k * k * kTurn * kTurn),
               x_0 = std::atanh(kSpeed / V), x = x_0 + kAhead * V * t / (k * k);
  return k / kAhead * 2 * (std::atan(std::tanh(x / 2)) - std::atan(std::tanh(x_0 / 2)));
}

/// A disc that rolls on z = 0 and nods, with a spring to its rim.
std::string disc(const std::string& solver) {
  return R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {disc: {cylinder: {length: 2 mm, radius: 0.3, mass: 2, axis: y}}}
joints: {disc: {free: {parent: ground}, position: [0, 0, 0.28], rotation: [-20 deg, 0, 0], angular_velocity: [0.5, 10, -0.2]}}
wheels: {rim: {body: disc, axis: y, radius: 0.3}}
springs: {band: {between: [ground, disc], at: [[0.3, 0.5, 0.6], [0.2, 0, 0.1]], stiffness: 15, damping: 1, rest: 0.3}}
solver: {duration: 1, )" +
         solver + "}\n";
}

/// A rotating four-bar, and a flywheel coupled to its rocker, which depends on the crank; the crank's coupled one is `first`.
std::string coupled_four_bar(const std::string& level, const std::string& solver) {
  return R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  crank: {rod: {length: 0.5, mass: 3}}
  coupler: {rod: {length: 1.5, mass: 2}}
  rocker: {rod: {length: 1.2, mass: 2}}
  first: {mass: 1, inertia: [1, 1, 0.2]}
  second: {mass: 1, inertia: [1, 1, 0.3]}
joints:
  crank: {revolute: {parent: ground, axis: z}, angle: 70 deg, rate: 9, hold: true}
  coupler: {revolute: {parent: crank, at: [0.5, 0, 0], axis: z}, angle: -40 deg}
  rocker: {revolute: {parent: ground, at: [1.5, 0, 0], axis: z}, angle: 70 deg}
  first: {revolute: {parent: ground, at: [0, -2, 0], axis: z}, angle: 0}
  second: {revolute: {parent: ground, at: [1, -2, 0], axis: z}, angle: 0}
loops: {pin: {revolute: {between: [coupler, rocker], at: [[1.5, 0, 0], [1.2, 0, 0]], axis: z}}}
couplings:
  gear: {joints: [first, crank], ratio: -1.5, level: )" +
         level + "}\n  belt: {joints: [second, rocker], ratio: 0.8, level: " + level + "}\nsolver: {duration: 1, " + solver + "}\n";
}

/// Two adjacent blades on one sled; the second is steered by a motion. Off its middle position, the sled can only rotate about it.
std::string steered_sled(const std::string& signal, const std::string& rate) {
  return R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {sled: {mass: 3, inertia: [1, 1, 0.5]}, runner: {mass: 0.5, inertia: [1, 1, 0.1]}}
joints:
  sled: {planar: {parent: ground, normal: z}, position: [0, 0], angle: 0, velocity: [)" +
         rate + R"(], rate: 0.2}
  runner: {revolute: {parent: sled, at: [0, 0.5, 0], axis: z}}
motions: {steer: {joint: runner, signal: way}}
signals: {way: )" +
         signal + R"(}
blades: {left: {body: sled, across: y}, right: {body: runner, across: y}}
solver: {step: 1 ms, duration: 1 s, constraints: double_step}
)";
}

std::vector<std::string> names(const CompiledModel& model, const std::vector<int>& velocities) {
  std::vector<std::string> list;
  for (int v : velocities) list.push_back(model.coordinate_names[static_cast<std::size_t>(v)]);
  return list;
}

// ---------------------------------------------------------------- partition

TEST(PartitionOfTwoLevels, ASleighAlongXGivesItsVelocityAlongY) {
  const auto model = model_from(sleigh("step: 1 ms"));
  const StartPartition p = find_start_partition(*model);
  EXPECT_EQ(names(*model, p.independent), (std::vector<std::string>{"sleigh.x", "sleigh.angle"}));
  EXPECT_EQ(names(*model, p.velocity_dependent), std::vector<std::string>{"sleigh.y"});
}

TEST(PartitionOfTwoLevels, RowsThatHoldForPositionsChooseFirst) {
  const auto model = model_from(coupled_four_bar("velocity", "step: 1 ms"));
  const auto& m = std::get<Mechanism<2>>(model->mechanism);
  MechanismState<2> state(m);
  update_positions<2, double>(m, model->q_start.data(), nullptr, state);
  ClosedLoops<2> loops(m);
  ASSERT_TRUE(loops.select_partition(state));
  EXPECT_EQ(loops.dependent().size(), 2u);  // of crank, coupler and rocker
  for (int v : loops.dependent()) EXPECT_LT(v, 3);
  EXPECT_EQ(loops.velocity_dependent().size(), 2u);
  EXPECT_EQ(loops.independent().size(), 1u);
  EXPECT_EQ(loops.admissible().size(), 3u);
  // and a state stores it
  std::vector<double> partition(m.rows);
  loops.write(partition.data());
  ClosedLoops<2> other(m);
  ASSERT_TRUE(other.load_partition(partition.data()));
  EXPECT_EQ(other.independent(), loops.independent());
  EXPECT_EQ(other.velocity_dependent(), loops.velocity_dependent());
}

TEST(PartitionOfTwoLevels, AVelocityRowThatALoopImpliesIsRedundant) {
  std::string text = coupled_four_bar("velocity", "step: 1 ms, constraints: double_step");
  text.insert(text.find("solver:"), "  again: {joints: [first, crank], ratio: -1.5}\n");
  const auto model = model_from(text);
  Runner run(model);
  run.advance(0.2);
  EXPECT_EQ(run.statistics().independent.size(), 1u);
  EXPECT_LT(run.statistics().max_velocity_violation, 1e-12);
  int without = 0;
  for (int i = 0; i < run.state().layout().rows; ++i) without += run.state().partition()[i] == 0 ? 1 : 0;
  EXPECT_EQ(without, 1);
}

// ---------------------------------------------------------------- motion

TEST(DoubleStepWithVelocityRows, ASleighTurnsThroughEveryHeadingWithOrderTwo) {
  ASSERT_GT(sleigh_heading(10), 4);  // more than half a turn: x and y alternate
  double error[2];
  for (int k : {0, 1}) {
    Runner run(model_from(sleigh(k == 0 ? "constraints: double_step, step: 4 ms" : "constraints: double_step, step: 1 ms")));
    error[k] = 0;
    for (int second = 1; second <= 10; ++second) {
      run.advance(second);
      error[k] = std::max(error[k], std::abs(run.state().q()[2] - sleigh_heading(second)));
    }
    EXPECT_GT(run.statistics().repartitions, 0);
    EXPECT_LT(run.statistics().max_velocity_violation, 1e-14);
    EXPECT_LE(run.statistics().max_iterations, 3);
  }
  EXPECT_LT(error[0], 1e-3);
  EXPECT_NEAR(0.5 * std::log2(error[0] / error[1]), 2.0, 0.1);
}

/// End of a run of the coupled four-bar.
StateVector end_of(const std::string& level, const std::string& solver) {
  Runner run(model_from(coupled_four_bar(level, solver)));
  run.advance(1);
  return run.state();
}

TEST(DoubleStepWithVelocityRows, CoupledRatesMoveAsCoupledPositions) {
  const auto difference = [](const std::string& step, int coordinate) {
    const StateVector a = end_of("velocity", "constraints: double_step, step: " + step),
                      b = end_of("position", "constraints: double_step, step: " + step);
    return std::abs(a.q()[coordinate] - b.q()[coordinate]);
  };
  // crank and flywheels: what depends on the rate of a dependent coordinate is integrated by the rule
  for (int coordinate : {0, 3, 4}) {
    const double coarse = difference("2 ms", coordinate), fine = difference("1 ms", coordinate);
    EXPECT_LT(coarse, 1e-3) << coordinate;
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1) << coordinate;
  }
}

TEST(DoubleStepWithVelocityRows, ExactAndForwardDifferenceTangentsTakeTheSameSteps) {
  for (const std::string& text :
       {disc("step: 2 ms, constraints: double_step"), coupled_four_bar("velocity", "step: 2 ms, constraints: double_step")}) {
    Runner a(model_from(text)), b(model_from(text, {"solver.tangent=forward_difference"}));
    a.advance(0.5);
    b.advance(0.5);
    for (int k = 0; k < a.state().layout().nq; ++k) EXPECT_NEAR(a.state().q()[k], b.state().q()[k], 1e-7);
    EXPECT_NEAR(a.statistics().mean_iterations(), b.statistics().mean_iterations(), 0.1);
    EXPECT_LE(a.statistics().max_iterations, 3);
  }
}

/// Largest difference of two runs' positions.
template <int D>
double difference(const CompiledModel& model, const StateVector& a, const StateVector& b) {
  std::vector<double> x(a.layout().nv);
  configuration_difference(std::get<Mechanism<D>>(model.mechanism).tree, a.q(), b.q(), x.data());
  double largest = 0;
  for (double value : x) largest = std::max(largest, std::abs(value));
  return largest;
}

TEST(VelocityRows, EveryTreatmentAndRuleRollsTheDiscAlike) {
  Runner reference(model_from(disc("constraints: double_step, integrator: cvode, step: 10 ms, reference_tolerance: 1e-11")));
  reference.advance(1);
  EXPECT_LT(reference.statistics().max_velocity_violation, 1e-13);
  for (const auto& [solver, bound] : {std::pair<std::string, double>{"constraints: penalty, step: 0.2 ms", 5e-5},
                                      {"constraints: double_step, step: 0.2 ms", 5e-5},
                                      {"constraints: baumgarte, step: 0.2 ms", 5e-5},
                                      {"constraints: double_step, integrator: rk4, step: 2 ms", 1e-6},
                                      {"constraints: baumgarte, integrator: rk4, step: 2 ms", 1e-6},
                                      {"constraints: double_step, integrator: semi_implicit_euler, step: 0.1 ms", 1e-2},
                                      {"constraints: ali1, integrator: semi_implicit_euler, step: 0.1 ms", 1e-2},
                                      {"constraints: ali1, integrator: rk4, step: 2 ms", 1e-6},
                                      {"constraints: baumgarte, integrator: ida, step: 10 ms, reference_tolerance: 1e-10", 1e-7}}) {
    const auto model = model_from(disc(solver));
    Runner run(model);
    run.advance(1);
    EXPECT_LT(difference<3>(*model, run.state(), reference.state()), bound) << solver;
  }
}

TEST(IndexOne, AViolatedVelocityRowFadesWithAlpha) {
  for (const std::string& treatment : {std::string("constraints: baumgarte, baumgarte: [20, 30], integrator: rk4"),
                                       std::string("constraints: baumgarte, baumgarte: [20, 30]"),
                                       std::string("constraints: ali1, ali1: {xi: 0.5, omega: 40}, integrator: rk4")}) {
    const auto model = model_from(sleigh("step: 0.5 ms, " + treatment));
    StateVector state = start_state(*model);
    state.v()[1] += 0.01;  // across the blade
    const auto stepper = make_stepper(model);
    ASSERT_TRUE(stepper->restart(state));
    StepOutcome report;
    for (int i = 0; i < 200; ++i) {
      report = stepper->step(state, 0.5e-3);
      ASSERT_TRUE(report.ok());
    }
    EXPECT_NEAR(report.velocity_violation, 0.01 * std::exp(-20 * 0.1), 1e-6) << treatment;
  }
}

// ---------------------------------------------------------------- state

TEST(DoubleStepWithVelocityRows, ContinuesASavedStateToTheLastBit) {
  for (const std::string& text : {sleigh("step: 2 ms, constraints: double_step"), disc("step: 2 ms, constraints: double_step"),
                                  disc("step: 2 ms, constraints: baumgarte"), disc("step: 2 ms, constraints: double_step, integrator: rk4"),
                                  disc("step: 2 ms, constraints: ali1, integrator: rk4")}) {
    const auto model = model_from(text);
    Runner whole(model), part(model);
    whole.advance(0.5);
    part.restore(whole.state());
    whole.advance(0.8);
    part.advance(0.8);
    EXPECT_TRUE(whole.state() == part.state());
  }
}

TEST(DoubleStepWithVelocityRows, DoesNotAllocate) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  std::vector<std::string> texts;
  for (const char* solver : {"constraints: double_step", "constraints: double_step, tangent: forward_difference", "constraints: baumgarte",
                             "constraints: double_step, integrator: rk4", "constraints: baumgarte, integrator: semi_implicit_euler",
                             "constraints: ali1, integrator: semi_implicit_euler"})
    for (const auto& machine : {sleigh, disc}) texts.push_back(machine(std::string("step: 1 ms, ") + solver));
  texts.push_back(test::random_machine(7, true).text);
  for (const std::string& text : texts) {
    const auto model = model_from(text);
    StateVector state = start_state(*model);
    const auto stepper = make_stepper(model);
    const long before = test::allocations();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(stepper->step(state, model->description.solver.step).ok()) << text;
    ASSERT_TRUE(stepper->restart(state));
    EXPECT_EQ(test::allocations(), before) << text;
  }
  // another partition during the motion
  const auto model = model_from(sleigh("step: 5 ms, constraints: double_step"));
  StateVector state = start_state(*model);
  const auto stepper = make_stepper(model);
  const long before = test::allocations();
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(stepper->step(state, 5e-3).ok());
  EXPECT_EQ(test::allocations(), before);
}

// ---------------------------------------------------------------- singular configurations

void expect_dead_point(const std::string& text, const std::string& solver, double from, double to, const std::string& name) {
  SCOPED_TRACE(solver);
  Runner run(model_from(
      text, {"solver.constraints=" + solver.substr(0, solver.find(' ')), "solver.integrator=" + solver.substr(solver.find(' ') + 1)}));
  try {
    run.advance(1);
    FAIL() << "it should not get through";
  } catch (const SimulationError& error) {
    EXPECT_GE(error.time(), from);
    EXPECT_LE(error.time(), to);
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("dead point"), std::string::npos) << error.what();
  }
}

TEST(VelocityRows, NameTheBladeWhereTwoTurnOver) {
  // the steered blade passes straight ahead at 0.5 s: only there the two are one condition
  for (const char* solver : {"double_step trapezoidal", "baumgarte trapezoidal", "double_step rk4"})
    expect_dead_point(steered_sled("{sine: {amplitude: 0.3, frequency: 0.5, phase: 90 deg}}", "0.1, 0"), solver, 0.49, 0.502, "blades.");
}

TEST(VelocityRows, NameTheRedundantBladeThatOpens) {
  // straight ahead at first, so that one of the blades is redundant; steered from 0.3 s on
  const std::string sled = steered_sled("{ramps: [[0, 0], [0.3, 0], [1, 0.2]]}", "1, 0");
  for (const char* solver : {"double_step trapezoidal", "double_step rk4"}) expect_dead_point(sled, solver, 0.29, 0.31, "blades.right");
  expect_dead_point(sled, "baumgarte trapezoidal", 0.29, 0.6, "blades.right");  // after the start of the motion has decayed
}

}  // namespace
}  // namespace trunnion
