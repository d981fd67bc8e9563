// Channels and the power balance. Reference: derivatives by differences along the motion, and the energy balance, which must close
// to rounding at any state whose accelerations and rates satisfy the equations.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/observe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "machine/start.h"
#include "run/run.h"
#include "support/allocation_counter.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::busy_machine;
using test::load_example;
using test::model_from;

/// The state shortly after (or before): q (+) (v t + a t^2/2), v + a t, y + ydot t.
StateVector moved(const CompiledModel& model, const StateVector& from, double t) {
  StateVector to = from;
  const StateLayout& n = model.layout;
  std::vector<double> increment(static_cast<std::size_t>(n.nv));
  for (int i = 0; i < n.nv; ++i) {
    increment[static_cast<std::size_t>(i)] = t * (from.v()[i] + t / 2 * from.a()[i]);
    to.v()[i] += t * from.a()[i];
  }
  std::visit([&](const auto& m) { advance_configuration(m.tree, from.q(), increment.data(), to.q()); }, model.mechanism);
  for (int i = 0; i < n.ny; ++i) to.y()[i] += t * from.ydot()[i];
  return to;
}

/// Derivative of f(t) at zero by a central difference of fourth order.
template <class F>
double derivative(F&& f, double t) {
  return (8 * (f(t) - f(-t)) - (f(2 * t) - f(-2 * t))) / (12 * t);
}

StateVector state_at(const std::shared_ptr<const CompiledModel>& model, double time) {
  Runner run(model);
  run.advance(time);
  return run.state();
}

/// Sum of powers compared with the change of stored energy.
void expect_closed(const std::shared_ptr<const CompiledModel>& model, StateVector state) {
  make_consistent(*model, state);
  const auto observer = make_observer(model);
  constexpr double kMoment = 1e-4;  // [s]
  const double stored = derivative(
      [&](double t) {
        observer->observe(moved(*model, state, t), Side::left);
        const StoredEnergy<>& e = observer->stored();
        return e.kinetic + e.potential + e.spring + e.cylinder;
      },
      kMoment);
  observer->observe(state, Side::left);
  double sum = stored, scale = 0, slack = 0;
  for (std::size_t i = 0; i < observer->powers().size(); ++i) {
    const double power = observer->powers()[i];
    switch (observer->entries()[i].account) {
      case Account::actuator:
        break;
      case Account::supply:
      case Account::external:
        sum -= power;
        break;
      default:
        sum += power;
    }
    scale += std::abs(power);
  }
  for (int i = 0; i < model->layout.rows; ++i) slack += 2e-8 * std::abs(state.multipliers()[i]);  // loops move by their velocity error
  EXPECT_GT(scale, 1);
  EXPECT_NEAR(sum, 0, 1e-9 * scale + slack) << "at t = " << state.time << " of " << scale << " W";
}

TEST(Observe, PowersOfTheFourBarBalance) {
  const auto model = load_example("four_bar", {"cylinders.lift.friction.model=modified_lugre"});
  for (double time : {1.05, 2.2, 5.6}) expect_closed(model, state_at(model, time));
}

TEST(Observe, PowersOfABusyMachineBalance) {
  for (bool spatial : {false, true}) {
    const auto model = model_from(busy_machine(spatial));
    EXPECT_EQ(model->planar, !spatial);
    for (double time : {0.01, 0.037, 0.09}) expect_closed(model, state_at(model, time));
  }
}

TEST(Observe, EveryAccountOfTheBusyMachineIsAtWork) {
  const auto model = model_from(busy_machine(true));
  const auto observer = make_observer(model);
  observer->observe(state_at(model, 0.037), Side::left);
  for (std::size_t i = 0; i < observer->entries().size(); ++i) EXPECT_NE(observer->powers()[i], 0) << observer->entries()[i].name;
  EXPECT_GT(observer->stored().spring, 0);
  EXPECT_GT(observer->stored().cylinder, 1);  // the end damper is compressed
}

/// Value of a channel at a state.
double channel(Observer& observer, const StateVector& state, const std::string& name) {
  observer.observe(state, Side::left);
  std::vector<double> values(observer.channels().size());
  observer.values(values.data());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (observer.channels()[i].name == name) return values[i];
  ADD_FAILURE() << "no channel " << name;
  return 0;
}

TEST(Observe, RatesAreDerivatives) {
  const auto model = model_from(busy_machine(true));
  const StateVector state = state_at(model, 0.05);
  const auto observer = make_observer(model);
  const auto change = [&](const std::string& name) {
    return derivative([&](double t) { return channel(*observer, moved(*model, state, t), name); }, 1e-4);
  };
  EXPECT_NEAR(change("lift.length"), channel(*observer, state, "lift.rate"), 1e-9);
  EXPECT_NEAR(change("ram.length"), channel(*observer, state, "ram.rate"), 1e-9);
  EXPECT_NEAR(change("arm.angle"), channel(*observer, state, "arm.rate"), 1e-9);
  EXPECT_NEAR(change("base.position"), channel(*observer, state, "base.speed"), 1e-9);
  EXPECT_NEAR(channel(*observer, state, "lift.power"), channel(*observer, state, "lift.force") * channel(*observer, state, "lift.rate"),
              1e-9);
}

TEST(Observe, CentersOfMassAreSeenFromTheGround) {
  // closed form of the planar test machine; its plane is offset from the origin, so the third component matters
  const auto model = model_from(busy_machine(false));
  const StateVector state = state_at(model, 0.05);
  const auto observer = make_observer(model);
  const double base = channel(*observer, state, "base.position"), arm = channel(*observer, state, "arm.angle");
  EXPECT_NEAR(channel(*observer, state, "base.center_x"), 0.2 + base, 1e-12);
  EXPECT_NEAR(channel(*observer, state, "base.center_z"), 0.3, 1e-12);
  EXPECT_NEAR(channel(*observer, state, "arm.center_x"), 0.3 + base + 0.8 * std::cos(arm) - 0.1 * std::sin(arm), 1e-12);
  EXPECT_NEAR(channel(*observer, state, "arm.center_y"), 0.3 + 0.8 * std::sin(arm) + 0.1 * std::cos(arm), 1e-12);
  EXPECT_NEAR(channel(*observer, state, "weight.center_z"), 0.3 + 0.1, 1e-12);
}

TEST(Observe, PlanarAndSpatialViewsOfOneMachineAgree) {
  // an axis tilted by zero is planar; a spherical joint in place of the last hinge makes the same motion spatial
  const char* const planar = R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {bar: {box: {size: [2 m, 0.2 m, 0.1 m], mass: 10 kg, at: [1 m, 0.3 m, 0.2 m]}}}
joints: {bar: {revolute: {parent: ground, at: [1 m, 2 m, 3 m], axis: [0, 1, 0]}, angle: 20 deg}}
solver: {step: 1 ms, duration: 0.2 s}
)";
  const char* const spatial = R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {bar: {box: {size: [2 m, 0.2 m, 0.1 m], mass: 10 kg, at: [1 m, 0.3 m, 0.2 m]}}, idle: {point_mass: {mass: 1e-9 kg, at: [1e-3 m, 0, 0]}}, ball: {sphere: {radius: 1 m, mass: 1e-9 kg}}}
joints:
  bar: {revolute: {parent: ground, at: [1 m, 2 m, 3 m], axis: [0, 1, 0]}, angle: 20 deg}
  idle: {fixed: {parent: ground}}
  ball: {spherical: {parent: ground}}
solver: {step: 1 ms, duration: 0.2 s}
)";
  const auto flat = model_from(planar), space = model_from(spatial);
  ASSERT_TRUE(flat->planar);
  ASSERT_FALSE(space->planar);
  const StateVector a = state_at(flat, 0.2), b = state_at(space, 0.2);
  const auto see_flat = make_observer(flat), see_space = make_observer(space);
  for (const char* name : {"bar.angle", "bar.rate", "bar.center_x", "bar.center_y", "bar.center_z"})
    EXPECT_NEAR(channel(*see_flat, a, name), channel(*see_space, b, name), 1e-7) << name;
}

TEST(Observe, ChannelsOfTheContractAreThere) {
  const auto observer = make_observer(load_example("four_bar"));
  std::set<std::string> names;
  for (const Channel& c : observer->channels()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name << " twice";
    EXPECT_FALSE(c.meaning.empty()) << c.name;
  }
  for (const char* name : {"crank.angle", "crank.rate", "lift.length", "lift.rate", "lift.force", "lift.friction", "v1.pressure",
                           "v2.pressure", "v3.pressure", "valve.spool"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Observe, NamesThatMeetGetTheirSectionInFront) {
  const auto model = model_from(R"(
trunnion: 1
bodies: {a: {sphere: {radius: 0.1 m, mass: 1 kg}}, b: {sphere: {radius: 0.1 m, mass: 1 kg}}}
joints:
  a: {prismatic: {parent: ground, axis: x}}
  b: {prismatic: {parent: a, axis: x}, position: 1 m}
springs: {E: {between: [a, b], at: [[0, 0, 0], [0, 0, 0]], stiffness: 10 N/m}}
motions: {E: {joint: a, signal: still}}
loops: {E: {distance: {between: [a, b], at: [[0, 0, 0], [0, 0, 0]]}}}
signals: {still: {constant: 0}}
solver: {step: 1 ms, duration: 0.1 s}
)");
  const auto observer = make_observer(model);
  std::set<std::string> names;
  for (const Channel& c : observer->channels()) EXPECT_TRUE(names.insert(c.name).second) << c.name;
  EXPECT_TRUE(names.contains("E.violation"));
  EXPECT_TRUE(names.contains("motions.E.violation"));
  EXPECT_TRUE(names.contains("E.force"));
}

TEST(Observe, DoesNotAllocate) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  const auto model = model_from(busy_machine(true));
  const StateVector state = state_at(model, 0.01);
  const auto observer = make_observer(model);
  std::vector<double> values(observer->channels().size());
  const long before = test::allocations();
  observer->observe(state, Side::left);
  observer->values(values.data());
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace trunnion
