// Impulses of motions whose rate jumps. References: a pendulum on a driven slide, by its own equation with the impulses in closed form, and
// the treatments, which agree.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/motion_impulses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "results/run_case.h"
#include "run/run.h"
#include "support/allocation_counter.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using Settings = std::vector<std::string>;

constexpr double kStop = 0.6507, kSpeed = 2, kEnd = 1;  // [s] at which the slide stops, [m/s]

/// A rod of 1 m under a slide that moves at kSpeed from `start` to kStop, and a mass that falls beside it.
std::string pendulum(double start, double mass) {
  return fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{c: {{point_mass: {{mass: {1:.17g}}}}}, p: {{rod: {{length: 1, mass: {2:.17g}}}}}}}
joints: {{c: {{prismatic: {{parent: ground, axis: x}}, position: 0}}, p: {{revolute: {{parent: c, axis: z}}, angle: -60 deg}}}}
motions: {{d: {{joint: c, signal: u}}}}
signals: {{u: {{ramps: [[0, 0], [{0:.17g}, 0], [{3:.17g}, {4:.17g}]]}}}}
solver: {{step: 1 ms, duration: {5}, tolerance_position: 1e-12}}
)",
                     start, 2 * mass, mass, kStop, kSpeed * (kStop - start), kEnd);
}

/// Its angle at the end: theta'' = -3 g/2 sin theta from the vertical, theta' changes by -3/2 dv cos theta.
double exact_angle(double start) {
  double theta = std::numbers::pi / 6, rate = 0, t = 0;
  const auto go = [&](double end) {
    constexpr int kSteps = 2000;
    const double h = (end - t) / kSteps;
    const auto a = [](double x) { return -1.5 * 9.81 * std::sin(x); };
    for (int i = 0; i < kSteps; ++i) {
      const double k1 = rate, l1 = a(theta), k2 = rate + h / 2 * l1, l2 = a(theta + h / 2 * k1), k3 = rate + h / 2 * l2,
                   l3 = a(theta + h / 2 * k2), k4 = rate + h * l3, l4 = a(theta + h * k3);
      theta += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      rate += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    t = end;
  };
  go(start);
  rate -= 1.5 * kSpeed * std::cos(theta);
  go(kStop);
  rate += 1.5 * kSpeed * std::cos(theta);
  go(kEnd);
  return theta - std::numbers::pi / 2;
}

double error_of(double start, double mass, double h, Settings settings) {
  settings.push_back(fmt::format("solver.step={:.17g}", h));
  const auto model = test::model_from(pendulum(start, mass), settings);
  Runner run(model);
  run.advance(kEnd);
  return std::abs(test::channel_at(model, run.state(), "p.angle") - exact_angle(start));
}

struct Case {
  const char *constraints, *integrator, *coordinates;
  double ratio, error;  // of half the step; at 4 ms
};

TEST(MotionImpulses, ArePassedOnByEveryTreatmentWithTheOrderOfTheRule) {
  for (const Case& c : {Case{"double_step", "trapezoidal", "relative", 3.5, 3e-4}, Case{"double_step", "bdf2", "relative", 3.3, 3e-3},
                        Case{"double_step", "esdirk3", "relative", 6, 3e-5}, Case{"double_step", "rk4", "relative", 12, 1e-6},
                        Case{"double_step", "trapezoidal", "cartesian", 3.5, 3e-4}, Case{"double_step", "rk4", "cartesian", 12, 1e-6},
                        Case{"baumgarte", "trapezoidal", "relative", 3.5, 3e-4}, Case{"baumgarte", "rk4", "cartesian", 8, 1e-5},
                        Case{"ali1", "rk4", "relative", 8, 1e-5}, Case{"penalty", "trapezoidal", "relative", 3.5, 3e-4},
                        Case{"penalty", "bdf2", "relative", 3.3, 3e-3}, Case{"penalty", "hht", "relative", 3.5, 3e-4},
                        Case{"penalty", "esdirk3", "relative", 6, 3e-5}, Case{"penalty", "trapezoidal", "cartesian", 3.5, 3e-4}})
    for (const double start : {0.1, 0.1003})
      for (const double mass : {1e-3, 1.0, 1e3}) {
        const Settings settings{std::string("solver.constraints=") + c.constraints, std::string("solver.integrator=") + c.integrator,
                                std::string("solver.coordinates=") + c.coordinates};
        const double coarse = error_of(start, mass, 4e-3, settings), fine = error_of(start, mass, 2e-3, settings);
        EXPECT_LT(coarse, c.error) << c.constraints << " " << c.integrator << " " << c.coordinates << " " << start << " " << mass;
        EXPECT_GT(coarse / fine, c.ratio) << c.constraints << " " << c.integrator << " " << c.coordinates << " " << start << " " << coarse;
      }
}

TEST(MotionImpulses, ArePassedOnByVariableSteps) {
  for (const Settings& settings :
       {Settings{"solver.integrator=cvode", "solver.constraints=double_step"},
        Settings{"solver.integrator=cvode", "solver.constraints=ali1"}, Settings{"solver.integrator=ida", "solver.constraints=baumgarte"}})
    EXPECT_LT(error_of(0.1003, 1, 1e-3, settings), 3e-5) << settings[0] << settings[1];
}

/// Without them the pendulum would not feel the corners at all.
TEST(MotionImpulses, AreInTheEnergyBalance) {
  for (const char* constraints : {"penalty", "double_step", "baumgarte"})
    for (const double mass : {1e-3, 1e3}) {
      const CaseResult result =
          run_case(test::model_from(pendulum(0.1003, mass), {std::string("solver.constraints=") + constraints, "solver.step=0.5 ms"}));
      ASSERT_FALSE(result.failure);
      const Ledger& ledger = result.recorder->ledger();
      const double impulses = 0.5 * 3 * mass * kSpeed * kSpeed;  // of the size of what slide and rod gain
      EXPECT_GT(ledger.totals().external, -0.5 * impulses);
      EXPECT_LT(std::abs(ledger.residual()), 1e-4 * impulses) << constraints << " " << mass;
    }
}

/// A driven crank of a four-bar, whose coupler carries a pendulum: impulses through a loop.
TEST(MotionImpulses, OfALoopAreThoseOfEveryTreatment) {
  const char* const text = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {crank: {rod: {length: 0.4, mass: 1}}, coupler: {rod: {length: 1, mass: 2}}, rocker: {rod: {length: 0.8, mass: 1}}, p: {rod: {length: 0.5, mass: 0.7}}}
joints:
  crank: {revolute: {parent: ground, axis: z}, angle: 60 deg, hold: true}
  coupler: {revolute: {parent: crank, at: [0.4, 0, 0], axis: z}, angle: -50 deg}
  rocker: {revolute: {parent: ground, at: [1, 0, 0], axis: z}, angle: 100 deg}
  p: {revolute: {parent: coupler, at: [0.6, 0, 0], axis: z}, angle: -80 deg}
loops: {tip: {revolute: {between: [coupler, rocker], at: [[1, 0, 0], [0.8, 0, 0]], axis: z}}}
motions: {d: {joint: crank, signal: u}}
signals: {u: {ramps: [[0, 60 deg], [0.1003, 60 deg], [0.4, 130 deg], [0.5, 130 deg]]}}
solver: {step: 1 ms, duration: 0.7, tolerance_position: 1e-12}
)";
  const auto angle = [&](Settings settings) {
    const auto model = test::model_from(text, settings);
    Runner run(model);
    run.advance(0.7);
    return test::channel_at(model, run.state(), "p.angle");
  };
  const double exact = angle({"solver.step=0.05 ms", "solver.constraints=double_step", "solver.integrator=rk4"});
  EXPECT_NEAR(angle({"solver.step=0.5 ms"}), exact, 3e-6);  // penalty
  EXPECT_NEAR(angle({"solver.step=0.5 ms", "solver.integrator=esdirk3"}), exact, 1e-6);
  EXPECT_NEAR(angle({"solver.constraints=double_step", "solver.integrator=rk4", "solver.step=0.5 ms"}), exact, 1e-7);
  EXPECT_NEAR(angle({"solver.constraints=double_step", "solver.coordinates=cartesian", "solver.step=0.5 ms"}), exact, 3e-6);
  EXPECT_NEAR(angle({"solver.constraints=baumgarte", "solver.step=0.5 ms"}), exact, 3e-6);
  EXPECT_NEAR(angle({"solver.constraints=ali1", "solver.integrator=rk4", "solver.step=0.5 ms"}), exact, 1e-6);
}

TEST(MotionImpulses, DoNotAllocate) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  const auto model = test::model_from(pendulum(0.1003, 1), {"solver.constraints=double_step"});
  StateVector state(model->layout);
  state.time = 0.1003;
  state.q()[1] = -1;
  const auto impulses = make_motion_impulses(model);
  ASSERT_NE(impulses, nullptr);
  const long before = test::allocations();
  ASSERT_TRUE(impulses->pass(state));
  EXPECT_EQ(test::allocations(), before);
  EXPECT_NEAR(state.v()[0], kSpeed, 1e-12);
  EXPECT_NEAR(state.v()[1], 1.5 * kSpeed * std::sin(-1), 1e-12);
  // a step that failed begins again
  const StateVector jumped = state;
  ASSERT_TRUE(impulses->pass(state));
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(state.v()[i], jumped.v()[i], 1e-12);
}

}  // namespace
}  // namespace trunnion
