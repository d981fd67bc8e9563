// Loops that the joints of the tree imply, as the second hinge of a door: they take no freedom. Reference: the machine without the loop.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "machine/analyse.h"
#include "model/machines.h"
#include "run/run.h"
#include "support/machines.h"

namespace trunnion {
namespace {

struct Door {
  const char *joint, *loop;
};

/// A door under gravity across its hinges, `size` m high, and on a base that turns.
std::string door(const Door& c, double size, double mass, bool on_base, bool with_loop = true) {
  const std::string parent = on_base ? "base" : "ground";
  return fmt::format(
      "trunnion: 1\ngravity: [0.3, 5, -9.81]\nbodies:\n  door: {{box: {{size: [{0}, {1}, {2}], mass: {3}, at: [{4}, 0, {0}]}}}}\n{5}"
      "joints:\n{6}  door: {{revolute: {{parent: {7}, {8}}}, angle: 0.5, rate: 0.3}}\n{9}solver: {{step: 1 ms, duration: 0.2}}\n",
      size, 0.05 * size, 2 * size, mass, size / 2,
      on_base ? fmt::format("  base: {{box: {{size: [{0}, {0}, {0}], mass: {1}}}}}\n", size, 3 * mass) : "",
      on_base ? "  base: {revolute: {parent: ground, axis: x}}\n" : "", parent, c.joint,
      with_loop ? fmt::format("loops:\n  top: {{revolute: {{between: [{}, door], {}}}}}\n", parent, c.loop) : "");
}

TEST(IdleRows, ASecondHingeTakesNoFreedom) {
  for (const Door& c : {Door{"axis: z", "at: [[0, 0, 2], [0, 0, 2]], axis: z"},
                        Door{"at: [0.3, 0.1, 0], child_at: [0.07, 0.05, 0], axis: z", "at: [[0.3, 0.1, 2], [0.07, 0.05, 2]], axis: z"},
                        Door{"axis: [0.1, 0.2, 1]", "at: [[0.2, 0.4, 2], [0.2, 0.4, 2]], axis: [0.1, 0.2, 1]"},
                        Door{"axis: [0.3, 0.4, 1]", "at: [[0.6, 0.8, 2], [0.6, 0.8, 2]], axis: [0.3, 0.4, 1]"},
                        Door{"axis: [0, 0.6, 0.8]", "at: [[0, 6, 8], [0, 6, 8]], axis: [0, 0.6, 0.8]"}})
    for (const bool on_base : {false, true})
      for (const double mass : {30.0, 3e4})
        for (const char* constraints : {"penalty", "double_step", "baumgarte"}) {
          const std::string setting = std::string("solver.constraints=") + constraints;
          const auto free = test::model_from(door(c, 1, mass, on_base, false), {setting}),
                     hung = test::model_from(door(c, 1, mass, on_base), {setting});
          EXPECT_EQ(analyse(*hung).degrees_of_freedom, analyse(*free).degrees_of_freedom) << c.joint << " " << on_base;
          EXPECT_TRUE(hung->moved_starts.empty()) << c.joint;
          Runner a(free), b(hung);
          a.advance(0.2), b.advance(0.2);
          for (const char* channel : {"door.angle", "door.rate"})
            EXPECT_NEAR(test::channel_at(hung, b.state(), channel), test::channel_at(free, a.state(), channel), 1e-9)
                << c.joint << " " << constraints << " " << on_base << " " << mass;
          for (int i = 0; i < hung->layout.rows; ++i)
            EXPECT_LT(std::abs(b.state().multipliers()[i]), 1e-6 * mass) << c.joint << " " << constraints;
        }
}

/// Of any size, on hinges as far as the text says: a small door of a planar machine keeps no trace of their heights.
TEST(IdleRows, ASecondHingeTakesNoFreedomAtAnySize) {
  for (const double size : {1e-3, 1e-2, 1.0, 1e2, 1e3})
    for (const bool on_base : {false, true}) {
      const auto hung = test::model_from(
          door({"axis: [0.1, 0.2, 1]", "at: [[0.2, 0.4, 2], [0.2, 0.4, 2]], axis: [0.1, 0.2, 1]"}, size, 30 * size * size * size, on_base));
      EXPECT_EQ(analyse(*hung).degrees_of_freedom, on_base ? 2 : 1) << size;
      EXPECT_TRUE(hung->moved_starts.empty()) << size;
    }
}

/// Redundancy that a parameter makes is that of a file with its value.
TEST(RedundantRows, FollowParameters) {
  // a body on two rods side by side, or in one place
  const auto rods = [](double apart) {
    return test::description(fmt::format(R"(
gravity: [0, -9.81, 0]
bodies: {{x: {{point_mass: {{mass: 1}}}}, y: {{point_mass: {{mass: 1}}}}, b: {{box: {{size: [1, 1, 1], mass: 5}}}}}}
joints:
  x: {{prismatic: {{parent: ground, axis: x}}}}
  y: {{prismatic: {{parent: x, axis: y}}, position: -1}}
  b: {{revolute: {{parent: y, axis: z}}}}
loops:
  one: {{distance: {{between: [ground, b], at: [[0, 0, 0], [0, 0, 0]]}}}}
  two: {{distance: {{between: [ground, b], at: [[{0}, 0, 0], [{0}, 0, 0]]}}}}
)",
                                         apart));
  };
  const auto redundant = [](const std::shared_ptr<const CompiledModel>& model) {
    return std::get<Mechanism<2>>(model->mechanism).redundant;
  };
  const auto apart = compile(rods(0.5)), same = compile(rods(0));
  EXPECT_FALSE(redundant(apart));
  EXPECT_TRUE(redundant(same));
  EXPECT_TRUE(redundant(compile(rods(0), apart)));
  EXPECT_FALSE(redundant(compile(rods(0.5), same)));
}

/// A rod from the ground to a point of the hinge line, and a wheel that rolls along the rail that carries it.
TEST(IdleRows, ARodToTheHingeLineAndAWheelBesideItsRailDoNotHold) {
  const std::string rod = R"(
trunnion: 1
gravity: [0, 5, -9.81]
bodies: {door: {box: {size: [1, 0.05, 2], mass: 30, at: [0.5, 0, 1]}}}
joints: {door: {revolute: {parent: ground, axis: [0.1, 0.2, 1]}, angle: 0.5, rate: 0.3}}
loops: {rod: {distance: {between: [ground, door], at: [[1.3, 0.2, 0.7], [0.2, 0.4, 2]]}}}
solver: {step: 1 ms, duration: 0.2}
)";
  const auto model = test::model_from(rod);
  EXPECT_EQ(analyse(*model).degrees_of_freedom, 1);
  EXPECT_NEAR(model->v_start[0], 0.3, 1e-12);
  const double slope = std::tan(0.5);
  const std::string cart = fmt::format(R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {{cart: {{point_mass: {{mass: 30}}}}, w: {{cylinder: {{radius: 0.3, length: 0.1, mass: 5, axis: y}}}}}}
joints:
  cart: {{prismatic: {{parent: ground, axis: [1, 0, {0:.17g}]}}}}
  w: {{revolute: {{parent: cart, axis: y}}}}
wheels: {{roll: {{body: w, radius: 0.3, axis: y, plane: {{body: ground, normal: [{1:.17g}, 0, 1], at: [{2:.17g}, 0, {3:.17g}]}}}}}}
solver: {{step: 1 ms, duration: 0.2}}
)",
                                       slope, -slope, 0.3 * std::sin(0.5), -0.3 * std::cos(0.5));
  const auto rolling = test::model_from(cart);
  EXPECT_EQ(analyse(*rolling).degrees_of_freedom, 1);
  Runner run(rolling);
  run.advance(0.2);
  // down the slope: (m + I/r^2) a = m g sin(0.5)
  const double a = -9.81 * std::sin(0.5) * 35 / (35 + 2.5);
  EXPECT_NEAR(run.state().v()[0], a * 0.2, 1e-6);
}

/// A row that vanishes at the start alone is no idle one: a link whose point lies on the axis of its driver there.
TEST(IdleRows, ARowThatVanishesAtTheStartAloneCounts) {
  const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1, mass: 1}}, b: {rod: {length: 1, mass: 1}}}
joints:
  a: {revolute: {parent: ground, axis: z}, angle: 0}
  b: {revolute: {parent: a, at: [1, 0, 0], axis: z}, angle: 180 deg}
loops: {slot: {point_on_line: {between: [ground, b], at: [[0, 0, 0], [1, 0, 0]], axis: y}}}
solver: {step: 1 ms, duration: 0.1}
)");
  const auto& m = std::get<Mechanism<2>>(model->mechanism);
  for (const ConstraintGroup<2>& g : m.constraints) EXPECT_FALSE(g.has_idle);
}

/// Largest multiplier along a run, and the first coordinate at its end.
std::pair<double, double> largest_multiplier(const std::shared_ptr<const CompiledModel>& model, double duration) {
  Runner run(model);
  double largest = 0;
  for (int k = 1; k <= 20; ++k) {
    run.advance(duration * k / 20);
    for (int i = 0; i < model->layout.rows; ++i) largest = std::max(largest, std::abs(run.state().multipliers()[i]));
  }
  return {largest, run.state().q()[0]};
}

/// A bucket that two pins hold which are not parallel: five equations of rank one. Violations that disagree by rounding must not add up.
TEST(RedundantRows, HaveMultipliersOfTheSizeOfTheLoads) {
  const std::string welded = R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {base: {box: {size: [1, 1, 1], mass: 100}}, b: {box: {size: [1, 0.5, 0.5], mass: 30, at: [0.5, 0, 0]}}}
joints:
  base: {universal: {parent: ground, at: [0, 0, 0], child_at: [0.2, 0.1, 0.4]}, angles: [0.4, 0.2], rates: [0.5, 1]}
  b: {revolute: {parent: base, at: [0.3, 0.1, 0.2], child_at: [0.07, 0.05, 0], axis: z}, angle: 0}
loops: {pin: {revolute: {between: [base, b], at: [[1.03, 0.15, 0.2], [0.8, 0.1, 0]], axis: [0.2, 1, 0.1]}}}
solver: {step: 0.5 ms, duration: 0.5}
)";
  for (const char* integrator : {"trapezoidal", "bdf2", "esdirk3"})
    for (const double mass : {30.0, 0.03}) {
      const std::vector<std::string> settings{std::string("solver.integrator=") + integrator, fmt::format("bodies.b.box.mass={}", mass)};
      const auto model = test::model_from(welded, settings);
      EXPECT_TRUE(std::get<Mechanism<3>>(model->mechanism).redundant);
      EXPECT_LT(largest_multiplier(model, 0.5).first, 30 * mass * 9.81) << integrator << " " << mass;
    }
  EXPECT_FALSE(std::get<Mechanism<2>>(test::load_example("four_bar")->mechanism).redundant);
}

/// A four-bar on a slewing base and a wheel on a table, in Cartesian coordinates: beside redundant rows the torques of the motions and the
/// forces of the wheel are determined, and all treatments agree about them.
TEST(RedundantRows, LeaveTheForcesOfOthersAlone) {
  const std::string linkage = R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 5, center_of_mass: [0.1, 0, 0], inertia: [0.01, 0.06, 0.06]}
  rod: {mass: 8, center_of_mass: [0.5, 0, 0], inertia: [0.02, 0.7, 0.7]}
  rocker: {mass: 10, center_of_mass: [0.3, 0.02, 0], inertia: [0.05, 0.4, 0.4]}
  base: {mass: 0.2, inertia: [0.01, 0.015, 0.01]}
joints:
  crank: {revolute: {parent: base, axis: z}}
  rod: {revolute: {parent: crank, at: [0.3, 0, 0], axis: z}, angle: 0.3}
  rocker: {revolute: {parent: base, at: [1, 0, 0], axis: z}, angle: 1.3}
  base: {revolute: {parent: ground, axis: y}}
loops: {p: {revolute: {between: [rod, rocker], at: [[1, 0, 0], [0.7, 0, 0]], axis: z}}}
signals:
  th: {sine: {amplitude: 1, frequency: 0.8, offset: 1, phase: 0.2}}
  sw: {sine: {amplitude: 0.7, frequency: 0.6}}
motions: {d: {joint: crank, signal: th}, sl: {joint: base, signal: sw}}
springs: {s: {joint: rocker, stiffness: 50, damping: 3, rest: 1}}
solver: {step: 0.5 ms, duration: 0.5, coordinates: cartesian}
)",
                    wheel = R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies:
  table: {mass: 10, inertia: [1, 1, 1.5]}
  cart: {mass: 20, center_of_mass: [0.3, 0, 0], inertia: [1, 1, 1.5]}
  wheel: {mass: 3, inertia: [0.08, 0.12, 0.08]}
joints:
  table: {revolute: {parent: ground, at: [0.4, -0.2, 0], axis: z}}
  cart: {planar: {parent: ground, at: [0, 0, 0.25], normal: z}, position: [0.1, 0.2], angle: 0.3, rate: 0.4}
  wheel: {revolute: {parent: cart, axis: y}}
signals: {turn: {sine: {amplitude: 0.5, frequency: 0.8}}}
motions: {m: {joint: table, signal: turn}}
wheels: {w: {body: wheel, axis: y, radius: 0.25, plane: {body: table}}}
springs: {s: {between: [ground, cart], at: [[1, 1, 0.25], [0.2, 0.1, 0]], stiffness: 60, damping: 1, rest: 0.5}}
solver: {step: 0.5 ms, duration: 0.5, coordinates: cartesian}
)";
  const auto found = [](const std::string& text, const char* setting, const std::vector<const char*>& channels) {
    const auto model = test::model_from(text, {setting});
    Runner run(model);
    run.advance(0.5);
    std::vector<double> values;
    for (const char* channel : channels) values.push_back(test::channel_at(model, run.state(), channel));
    return values;
  };
  for (const auto& [text, channels] :
       {std::pair{linkage, std::vector<const char*>{"d.multiplier_1", "sl.multiplier_1"}},
        std::pair{wheel, std::vector<const char*>{"w.lateral_force", "w.longitudinal_force", "m.multiplier_1"}}}) {
    const std::vector<double> by_penalty = found(text, "solver.constraints=penalty", channels),
                              expected = found(text, "solver.constraints=double_step", channels);
    for (std::size_t i = 0; i < channels.size(); ++i) {
      EXPECT_NEAR(by_penalty[i], expected[i], 2e-5 * (1 + std::abs(expected[i]))) << channels[i];
      EXPECT_GT(std::abs(expected[i]), 0.1) << channels[i];
    }
  }
}

/// A planar loop in the plane of the machine has no equations.
TEST(IdleRows, ALoopWithoutEquationsIsNone) {
  for (const char* constraints : {"penalty", "double_step", "baumgarte"}) {
    const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {b: {box: {size: [1, 0.5, 0.7], mass: 30}}}
joints: {b: {revolute: {parent: ground, axis: z}, angle: 0.5}}
loops: {L: {planar: {between: [ground, b], at: [[0, 0, 0.1], [0.2, 0, 0.1]], normal: z}}}
solver: {step: 1 ms, duration: 0.1}
)",
                                        {std::string("solver.constraints=") + constraints});
    Runner run(model);
    run.advance(0.1);
    EXPECT_EQ(test::channel_at(model, run.state(), "L.violation"), 0);
  }
}

TEST(IdleRows, AnEquationThatNothingCanMeetIsRefused) {
  EXPECT_THROW(test::model_from(door({"axis: [0.1, 0.2, 1]", "at: [[0.2, 0.4, 2], [0.2, 0.401, 2]], axis: [0.1, 0.2, 1]"}, 1, 30, false)),
               InputError);
}

}  // namespace
}  // namespace trunnion
