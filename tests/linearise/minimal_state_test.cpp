// The minimal vector of a machine: from and to states, on the branch of the present state, consistent.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/minimal_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "machine/start.h"
#include "run/run.h"
#include "solve/machine_rates.h"
#include "support/allocation_counter.h"
#include "support/machines.h"
#include "support/random_machine.h"

namespace trunnion {
namespace {

using test::load_example;
using test::model_from;

/// A four-bar linkage without a cylinder, whose crank may turn all round; the tree begins at the rocker, so that the crank's angle, of the
/// smallest lever, is independent.
const char* const kCrankRocker = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {rocker: {rod: {length: 2.5 m, mass: 2 kg}}, coupler: {rod: {length: 3 m, mass: 3 kg}}, crank: {rod: {length: 1 m, mass: 1 kg}}}
joints:
  rocker:  {revolute: {parent: ground, at: [3.2 m, 0, 0]}, angle: 110 deg}
  coupler: {revolute: {parent: rocker, at: [2.5 m, 0, 0]}, angle: 109 deg}
  crank:   {revolute: {parent: coupler, at: [3 m, 0, 0]}, angle: 21 deg}
loops: {E: {revolute: {between: [crank, ground], at: [[1 m, 0, 0], [0, 0, 0]]}}}
solver: {step: 1 ms, duration: 1, constraints: double_step}
)";

template <int D>
void expect_consistent_in(const std::shared_ptr<const CompiledModel>& model, const StateVector& state) {
  MachineRates<D> rates(model, ConstraintTreatment::closed);
  const auto& m = std::get<Mechanism<D>>(model->mechanism);
  StateVector again = state;
  StepOutcome report;
  std::vector<double> theta(static_cast<std::size_t>(model->layout.nv), 0.0);
  update_positions(m, state.q(), static_cast<const double*>(nullptr), rates.work().mechanism);
  ASSERT_TRUE(rates.loops().select_partition(rates.work().mechanism));
  ASSERT_TRUE(rates.restart(again, report));
  EXPECT_LT(largest_of(rates.work().mechanism.Phi), 1e-12 * std::max(1.0, m.extent));
  EXPECT_LT(largest_of(rates.work().mechanism.Phi_dot), 1e-12 * std::max(1.0, m.extent));
  double largest = 1;
  for (int i = 0; i < model->layout.nv; ++i) largest = std::max(largest, std::abs(again.a()[i]));
  for (int i = 0; i < model->layout.nv; ++i) EXPECT_NEAR(state.a()[i], again.a()[i], 1e-8 * largest);
  for (int i = 0; i < model->layout.ny; ++i)
    EXPECT_NEAR(state.ydot()[i], again.ydot()[i], 1e-9 * std::abs(again.ydot()[i]) + 1e-9)
        << model->state_names[static_cast<std::size_t>(i)];
}

/// Positions closed, and a and ydot those of a restart.
void expect_consistent(const std::shared_ptr<const CompiledModel>& model, const StateVector& state) {
  model->planar ? expect_consistent_in<2>(model, state) : expect_consistent_in<3>(model, state);
}

void expect_round_trip(const std::shared_ptr<const CompiledModel>& model, double time, double away) {
  Runner run(model);
  MinimalState minimal(model, run.state());
  ASSERT_GT(minimal.size(), 0);
  if (time > 0) run.advance(time);
  std::vector<double> x(static_cast<std::size_t>(minimal.size())), back(x.size());
  minimal.read(run.state(), x);
  // a little away from the run's state, so that everything has to move
  const std::size_t n = minimal.independent().size();
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] += minimal.variables()[i].unit == "Pa" ? 1e3 * away : i < 2 * n ? away : 1e-3 * away * x[i];
  StateVector state = run.state();
  minimal.set(x, state);
  minimal.read(state, back);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(back[i], x[i], minimal.variables()[i].unit == "rad" ? 1e-13 : 0) << minimal.variables()[i].name;
  EXPECT_EQ(state.time, run.state().time);
  EXPECT_EQ(*state.oil_memory(), 0);
  expect_consistent(model, state);
  // the same again moves nothing
  StateVector same = state;
  minimal.set(x, same);
  for (int i = 0; i < model->layout.nq; ++i) EXPECT_NEAR(same.q()[i], state.q()[i], 1e-12);
  // and the machine runs on from there
  run.restore(state);
  EXPECT_NO_THROW(run.step());
}

TEST(MinimalState, IsReadAndSetOnMachinesOfEveryKind) {
  for (const auto& [name, time] : std::initializer_list<std::pair<const char*, double>>{{"four_bar", 1.1},
                                                                                        {"four_bar_lift", 0.6},
                                                                                        {"quick_return", 0.3},
                                                                                        {"slewing_crane", 0.5},
                                                                                        {"crane_single", 0.4},
                                                                                        {"excavator", 0.1},
                                                                                        {"spatial_slider_crank", 0.4},
                                                                                        {"lever", 0.3},
                                                                                        {"rolling_disc", 0.7},
                                                                                        {"bicycle", 0.3},
                                                                                        {"ladder", 0.2},
                                                                                        {"arm_quasistatic", 1.1}}) {
    SCOPED_TRACE(name);
    expect_round_trip(load_example(name), time, 1e-4);
  }
  for (bool spatial : {false, true}) expect_round_trip(model_from(test::busy_machine(spatial)), 0.02, 1e-3);
  expect_round_trip(load_example("crane_single", {"solver.coordinates=cartesian"}), 0.2, 1e-4);
  expect_round_trip(load_example("four_bar_lift", {"solver.constraints=double_step"}), 0.6, 1e-4);
}

TEST(MinimalState, HasTheStatesOfLinearModels) {
  for (const char* name : {"four_bar", "slewing_crane", "bicycle", "spatial_slider_crank"}) {
    SCOPED_TRACE(name);
    const auto model = load_example(name);
    const StateVector start = start_state(*model);
    const LinearModel linear = linearise(model, start);
    const MinimalState minimal(model, start);
    ASSERT_EQ(minimal.variables().size(), linear.states.size());
    for (std::size_t i = 0; i < linear.states.size(); ++i) {
      EXPECT_EQ(minimal.variables()[i].name, linear.states[i].name);
      EXPECT_EQ(minimal.variables()[i].unit, linear.states[i].unit);
      EXPECT_NEAR(minimal.variables()[i].reference, linear.states[i].reference, 1e-9 * std::abs(linear.states[i].reference) + 1e-12);
    }
    EXPECT_EQ(minimal.partition().independent, linear.partition.independent);
    EXPECT_EQ(minimal.partition().dependent, linear.partition.dependent);
    EXPECT_EQ(minimal.independent(), linear.independent);
    EXPECT_EQ(minimal.first_order(), linear.first_order);
    std::vector<double> x(linear.states.size());
    minimal.read(start, x);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], minimal.variables()[i].reference);
  }
}

TEST(MinimalState, FollowsTheBranchOfThePresentStateOverAWholeTurn) {
  const auto model = model_from(kCrankRocker);
  const StateVector start = start_state(*model);
  MinimalState minimal(model, start);
  ASSERT_EQ(minimal.variables()[0].name, "crank.angle");
  const int crank = minimal.independent()[0];
  std::vector<double> x(2);
  minimal.read(start, x);
  StateVector once = start, turned = start;
  x[1] = 2;
  minimal.set(x, once);
  x[0] += 2 * M_PI;
  minimal.set(x, turned);
  EXPECT_NEAR(turned.q()[crank] - once.q()[crank], 2 * M_PI, 1e-12);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(std::remainder(turned.q()[i] - once.q()[i], 2 * M_PI), 0, 1e-12);
    EXPECT_NEAR(turned.v()[i], once.v()[i], 1e-11);
    EXPECT_NEAR(turned.a()[i], once.a()[i], 1e-10);
  }
  EXPECT_EQ(turned.v()[crank], 2);
}

TEST(MinimalState, StopsAtADeadPointAndLeavesTheStateAlone) {
  // bars of 1, 1.2 and 1 m on a base of 2.9 m: none can turn round
  const auto model = model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1 m, mass: 2 kg}}, b: {rod: {length: 1.2 m, mass: 3 kg}}, c: {rod: {length: 1 m, mass: 1 kg}}}
joints:
  a: {revolute: {parent: ground}, angle: 20 deg}
  b: {revolute: {parent: a, at: [1 m, 0, 0]}, angle: -15 deg}
  c: {revolute: {parent: b, at: [1.2 m, 0, 0]}, angle: -25 deg}
loops: {E: {revolute: {between: [c, ground], at: [[1 m, 0, 0], [2.9 m, 0, 0]]}}}
solver: {step: 1 ms, duration: 1, constraints: double_step}
)");
  const StateVector start = start_state(*model);
  MinimalState minimal(model, start);
  std::vector<double> x(2);
  minimal.read(start, x);
  for (const double far : {3.0, -3.0}) {
    StateVector state = start;
    std::vector<double> to = x;
    to[0] += far;
    EXPECT_THROW(minimal.set(to, state), SimulationError) << far;
    EXPECT_TRUE(state == start);
  }
  StateVector state = start;
  std::vector<double> near = x;
  near[0] += 0.01;
  EXPECT_NO_THROW(minimal.set(near, state));
  EXPECT_EQ(state.q()[minimal.independent()[0]], near[0]);
}

TEST(MinimalState, RefusesWhatIsNoState) {
  const auto model = load_example("four_bar");
  const StateVector start = start_state(*model);
  MinimalState minimal(model, start);
  std::vector<double> x(static_cast<std::size_t>(minimal.size()));
  minimal.read(start, x);
  StateVector state = start;
  const auto refused = [&](std::vector<double> wrong, const std::string& part) {
    try {
      minimal.set(wrong, state);
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      EXPECT_TRUE(state == start);
      return true;
    }
    return false;
  };
  std::vector<double> longer = x, nan = x, vacuum = x, retracted = x;
  longer.push_back(0);
  EXPECT_TRUE(refused(longer, "entries"));
  nan[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused(nan, minimal.variables()[1].name + " is not finite"));
  const auto pressure = std::find_if(minimal.variables().begin(), minimal.variables().end(), [](const auto& v) { return v.unit == "Pa"; });
  ASSERT_NE(pressure, minimal.variables().end());
  vacuum[static_cast<std::size_t>(pressure - minimal.variables().begin())] = -1e5;
  EXPECT_TRUE(refused(vacuum, "pressures are absolute"));
  // the cylinder is as long as the distance of its mounts: out of its stroke before a whole turn
  bool outside = false;
  for (double way = 0.2; way < 2.5 && !outside; way += 0.1)
    for (double sign : {-1.0, 1.0}) {
      retracted = x;
      retracted[0] += sign * way;
      try {
        StateVector s = start;
        minimal.set(retracted, s);
      } catch (const SimulationError& e) { outside = outside || std::string(e.what()).find("piston") != std::string::npos; }
    }
  EXPECT_TRUE(outside);
  const auto other = load_example("quick_return");
  StateVector foreign = start_state(*other);
  EXPECT_THROW(minimal.set(x, foreign), Error);
  EXPECT_THROW(minimal.read(foreign, x), Error);
}

TEST(MinimalState, AllocatesNothingAfterTheFirstCall) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  for (const char* name : {"four_bar", "slewing_crane", "bicycle", "ladder", "excavator"}) {
    const auto model = load_example(name);
    const StateVector start = start_state(*model);
    MinimalState minimal(model, start);
    std::vector<double> x(static_cast<std::size_t>(minimal.size()));
    StateVector state = start;
    minimal.read(state, x);
    minimal.set(x, state);
    const long before = test::allocations();
    minimal.read(state, x);
    x[0] += 1e-3;
    minimal.set(x, state);
    EXPECT_EQ(test::allocations(), before) << name;
  }
}

TEST(MinimalState, IsReadAndSetOnRandomMachines) {
  for (int seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto model = model_from(test::random_machine(static_cast<unsigned>(seed), seed % 3 == 2).text);
    expect_round_trip(model, 0, 1e-4);
  }
}

}  // namespace
}  // namespace trunnion
