// Composed joints and couplings: degrees of freedom, names, closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "machine/analyse.h"
#include "machine/observe.h"
#include "model/machines.h"

namespace trunnion {
namespace {

using test::acceleration;
using test::coordinate;
using test::machine;
using test::rate;

constexpr const char* kBody = "bodies: {b: {mass: 3, center_of_mass: [0.2, -0.1, 0.3], inertia: [4, 5, 6]}}\n";

/// Value of a channel at a state.
double channel(const std::shared_ptr<const CompiledModel>& model, const StateVector& state, const std::string& name) {
  const auto observer = make_observer(model);
  observer->observe(state, Side::right);
  std::vector<double> values(observer->channels().size());
  observer->values(values.data());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (observer->channels()[i].name == name) return values[i];
  throw std::out_of_range(name);
}

TEST(Joint, EveryKindHasItsFreedomInTheTreeAndAsALoop) {
  struct Kind {
    const char* name;
    const char* frame;       // of the tree joint
    const char* loop_frame;  // of the loop
    int freedom;
  };
  const Kind kinds[] = {
      {"revolute", "axis: [1, 2, 2]", "axis: [1, 2, 2]", 1},      {"prismatic", "axis: [1, 2, 2]", "axis: [1, 2, 2]", 1},
      {"cylindrical", "axis: [1, 2, 2]", "axis: [1, 2, 2]", 2},   {"universal", "axes: [x, y]", "axes: [x, y]", 2},
      {"planar", "normal: [1, 2, 2]", "normal: [1, 2, 2]", 3},    {"spherical", "at: [0, 0, 0]", "", 3},
      {"point_on_line", "axis: [1, 2, 2]", "axis: [1, 2, 2]", 4},
  };
  for (const Kind& k : kinds) {
    const auto tree = machine(std::string(kBody) + "joints: {b: {" + k.name + ": {parent: ground, " + k.frame + "}}}\n");
    EXPECT_EQ(tree->layout.nv, k.freedom) << k.name;
    EXPECT_EQ(static_cast<int>(tree->velocity_names.size()), k.freedom) << k.name;
    const std::string separator = *k.loop_frame == '\0' ? "" : ", ";
    const auto loop = machine(std::string(kBody) + "joints: {b: {free: {parent: ground}}}\nloops: {l: {" + k.name +
                              ": {between: [ground, b], at: [[0, 0, 0], [0, 0, 0]]" + separator + k.loop_frame + "}}}\n");
    const Analysis a = analyse(*loop);
    EXPECT_EQ(a.degrees_of_freedom, k.freedom) << k.name;
    EXPECT_EQ(a.rows, 6 - k.freedom) << k.name;
    EXPECT_TRUE(a.redundant.empty()) << k.name;
  }
}

TEST(Joint, StartValuesAndChannelsAreTheCoordinatesOfTheJoint) {
  const auto expect = [](const std::string& joint, const std::vector<std::pair<const char*, double>>& values) {
    const auto model = machine(std::string(kBody) + "joints: {b: {" + joint + ", hold: true}}\n");
    const StateVector s = start_state(*model);
    for (const auto& [name, value] : values) EXPECT_NEAR(channel(model, s, std::string("b.") + name), value, 1e-15) << joint << name;
    for (const StartCoordinate& start : model->start) EXPECT_TRUE(start.given && start.locked) << joint;
  };
  expect("cylindrical: {parent: ground, axis: z}, angle: 0.1, rate: 0.2, position: 0.3, speed: 0.4",
         {{"angle", 0.1}, {"rate", 0.2}, {"position", 0.3}, {"speed", 0.4}});
  expect("universal: {parent: ground, axes: [x, y]}, angles: [0.1, 0.2], rates: [0.3, 0.4]",
         {{"angle_1", 0.1}, {"angle_2", 0.2}, {"rate_1", 0.3}, {"rate_2", 0.4}});
  expect("planar: {parent: ground, normal: x}, position: [0.1, 0.2], velocity: [0.3, 0.4], angle: 0.5, rate: 0.6",
         {{"x", 0.1}, {"y", 0.2}, {"speed_x", 0.3}, {"speed_y", 0.4}, {"angle", 0.5}, {"rate", 0.6}});
  expect("point_on_line: {parent: ground, axis: y}, position: 0.1, speed: 0.2, rotation: [0, 0, 0], angular_velocity: [1, 2, 3]",
         {{"position", 0.1}, {"speed", 0.2}, {"q_w", 1}, {"rate_x", 1}, {"rate_y", 2}, {"rate_z", 3}});
}

TEST(Joint, PlanarAxesAreXAlongTheNormalAndItsNeighbour) {
  const auto center = [](const std::string& normal) {
    const auto model = machine("bodies: {b: {sphere: {radius: 0.1, mass: 1}}}\njoints: {b: {planar: {parent: ground, normal: " + normal +
                               "}, position: [1, 2]}}\n");
    const StateVector s = start_state(*model);
    return Vec<3>(channel(model, s, "b.center_x"), channel(model, s, "b.center_y"), channel(model, s, "b.center_z"));
  };
  EXPECT_LT((center("z") - Vec<3>(1, 2, 0)).norm(), 1e-15);
  EXPECT_LT((center("x") - Vec<3>(0, 1, 2)).norm(), 1e-15);
  EXPECT_LT((center("y") - Vec<3>(1, 0, -2)).norm(), 1e-15);
}

TEST(Joint, AMachineOfPlanarJointsIsPlanar) {
  const auto with = [](const std::string& normal) {
    return machine(
        "gravity: [0, -9.81, 0]\nbodies: {a: {rod: {length: 1, mass: 1, diameter: 1 cm}}, b: {rod: {length: 1, mass: 2, diameter: 1 cm}}}\n"
        "joints:\n  a: {planar: {parent: ground, normal: z}, position: [1, 2], velocity: [3, 4], rate: 5}\n  b: {planar: {parent: a, "
        "normal: " +
        normal + "}}\n");
  };
  EXPECT_FALSE(with("[0, 0.1, 1]")->planar);
  EXPECT_FALSE(with("x")->planar);
  const auto model = with("[0, 0, -1]");
  ASSERT_TRUE(model->planar);
  EXPECT_EQ(model->layout.nv, 6);
  // gravity only: centres of mass move on parabolas, b's with the contribution of a's rotation
  const StateVector s = start_state(*model), t = test::run(model, 0.5);
  EXPECT_NEAR(channel(model, t, "b.center_y") - channel(model, s, "b.center_y"), (4 + 2.5 - 9.81 * 0.25) * 0.5, 2e-5);
  EXPECT_NEAR(channel(model, t, "b.center_x") - channel(model, s, "b.center_x"), 1.5, 2e-5);
}

/// The same machine in two dimensions, and in three due to a separate spherical joint.
TEST(Joint, PlanarMachinesMoveAlikeInTwoAndThreeDimensions) {
  const auto with = [](bool loose) {
    return machine(std::string(R"(
gravity: [0, -9.81, 0]
bodies:
  plate: {mass: 4, center_of_mass: [0.1, 0.2, 0], inertia: [1, 1, 0.8]}
  arm: {rod: {length: 1, mass: 2, diameter: 2 cm}}
  wheel: {mass: 1, inertia: [1, 1, 0.5]}
  block: {mass: 3, center_of_mass: [0, 0.1, 0], inertia: [1, 1, 0.3]}
)") + (loose ? "  ball: {sphere: {radius: 0.1, mass: 1}}\n" : "") +
                   R"(joints:
  plate: {planar: {parent: ground, at: [0, 1, 0], normal: z}, position: [0.2, 0.1], velocity: [1, 0.5], angle: 0.2, rate: 1}
  arm: {revolute: {parent: plate, at: [0.5, 0, 0], axis: z}, angle: -0.5, rate: 2}
  wheel: {revolute: {parent: plate, at: [-0.3, 0, 0], axis: z}}
  block: {planar: {parent: ground, normal: [0, 0, -1]}, position: [1, 0], velocity: [0.3, 0]}
)" + (loose ? "  ball: {spherical: {parent: ground}}\n" : "") +
                   R"(loops:
  floor: {planar: {between: [ground, block], at: [[0, 0, 0], [0, 0, 0]], normal: y}}
  slot: {point_on_line: {between: [ground, plate], at: [[0, 1.1, 0], [0, 0, 0]], axis: [1, 0.2, 0]}}
couplings: {gears: {joints: [wheel, arm], ratio: -3}}
forces: {push: {body: arm, at: [1, 0, 0], force: [3, 20, 0]}}
)");
  };
  const auto two = with(false), three = with(true);
  ASSERT_TRUE(two->planar);
  ASSERT_FALSE(three->planar);
  EXPECT_EQ(two->layout.rows, 4);
  EXPECT_EQ(three->layout.rows, 4);
  const StateVector s = start_state(*two), t = test::run(two, 0.5), u = test::run(three, 0.5);
  for (const char* name : {"plate.x", "plate.angle", "arm.angle", "wheel.angle", "block.x", "block.y"})
    EXPECT_NEAR(channel(two, t, name), channel(three, u, name), 1e-9) << name;
  EXPECT_GT(std::abs(channel(two, t, "arm.angle") - channel(two, s, "arm.angle")), 0.3);
  EXPECT_NEAR(channel(two, t, "wheel.angle") + 3 * channel(two, t, "arm.angle"), 3 * -0.5, 1e-9);
  EXPECT_NEAR(channel(two, t, "block.x"), 1 + 0.3 * 0.5, 1e-9);
}

TEST(Joint, ABodyOnAScrewAxisFallsAndTurns) {
  const auto model = machine(
      "bodies: {b: {cylinder: {length: 1, radius: 0.2, mass: 3, axis: z}}}\njoints: {b: {cylindrical: {parent: ground, axis: z}, position: "
      "2, speed: 1, angle: 0.5, rate: 3}}\n");
  const StateVector s = test::run(model, 0.8);
  EXPECT_NEAR(channel(model, s, "b.position"), 2 + 0.8 - 9.81 * 0.32, 1e-12);  // constant acceleration: the rule is exact
  EXPECT_NEAR(channel(model, s, "b.angle"), 0.5 + 3 * 0.8, 1e-12);
  EXPECT_NEAR(channel(model, s, "b.speed"), 1 - 9.81 * 0.8, 1e-12);
}

/// Hooke's joint between shafts that enclose beta; theta is zero where the first shaft's axis of the cross lies in their plane.
double speed_ratio(double theta, double beta) {
  const double s = std::sin(beta) * std::cos(theta);
  return std::cos(beta) / (1 - s * s);
}

constexpr const char* kShafts =
    "bodies: {one: {cylinder: {length: 1, radius: 0.1, mass: 5}}, two: {cylinder: {length: 1, radius: 0.1, mass: 5}}}\n";

TEST(Joint, UniversalHasTheSpeedRatioOfHookesJoint) {
  constexpr double kBend = 0.6;
  for (const double theta : {0.0, 0.4, 1.2, 2.5, -1.0}) {
    Description d = test::description(std::string(kShafts) + R"(
joints:
  one: {revolute: {parent: ground, axis: x}, rate: 2, hold: true}
  two: {universal: {parent: one, axes: [y, z]}}
loops: {bearing: {revolute: {between: [two, ground], at: [[0, 0, 0], [0, 0, 0]], axis: x}}}
)");
    test::item(d.joints, "one").coordinate = theta;
    const Vec3d out{std::cos(kBend), std::sin(kBend), 0};
    d.loops[0].second.axis[1] = out;
    // the start is near: the cross rotates with the first shaft
    test::item(d.joints, "two").pair = Vec2d{kBend * std::sin(theta), kBend * std::cos(theta)};
    const auto model = compile(d);
    EXPECT_EQ(analyse(*model).degrees_of_freedom, 1);
    const StateVector s = start_state(*model);
    const auto& m = std::get<Mechanism<3>>(model->mechanism);
    TreeState<3> tree(m.tree);
    update_positions<3, double>(m.tree, s.q(), nullptr, tree);
    update_rates<3, double>(m.tree, s.v(), s.a(), tree);
    const Vec<3> omega = tree.nodes[test::joint(*model, "two").node].V.angular;
    EXPECT_NEAR(omega.dot(Vec<3>(out[0], out[1], out[2])), 2 * speed_ratio(theta, kBend), 1e-10) << theta;
    EXPECT_NEAR(omega.norm(), 2 * speed_ratio(theta, kBend), 1e-10) << theta;
  }
}

TEST(Loop, UniversalHasTheSpeedRatioOfHookesJoint) {
  constexpr double kBend = 0.6;
  const auto model = machine(std::string(kShafts) + R"(
joints:
  one: {revolute: {parent: ground, axis: x}, rate: 2, hold: true}
  two: {revolute: {parent: ground, axis: x, orientation: [0, 0, 0.6]}}
loops: {cross: {universal: {between: [one, two], at: [[0, 0, 0], [0, 0, 0]], axes: [y, z]}}}
signals: {turn: {ramps: [[0, 0], [100, 200]]}}
motions: {drive: {joint: one, signal: turn}}
)");
  EXPECT_EQ(analyse(*model).degrees_of_freedom, 0);  // driven; three of its equations are implied by the bearings
  for (const double end : {0.3, 1.1, 2.0}) {
    const StateVector s = test::run(model, end);
    const double theta = coordinate(*model, s, "one");
    EXPECT_NEAR(theta, 2 * end, 1e-9);
    EXPECT_NEAR(rate(*model, s, "two"), 2 * speed_ratio(theta, kBend), 1e-6);
    EXPECT_NEAR(std::tan(coordinate(*model, s, "two")), std::tan(theta) / std::cos(kBend), 1e-6 * (1 + std::tan(theta) * std::tan(theta)));
  }
}

// ---------------------------------------------------------------- couplings

TEST(Coupling, GearsAccelerateLikeTheirReducedInertia) {
  const auto model = machine(R"(
bodies: {a: {mass: 2, inertia: [1, 1, 0.4]}, b: {mass: 5, inertia: [2, 2, 3]}}
joints: {a: {revolute: {parent: ground, axis: z}, angle: 0.3}, b: {revolute: {parent: ground, at: [1, 0, 0], axis: z}, angle: 1.1}}
couplings: {gears: {joints: [a, b], ratio: -2.5}}
forces: {motor: {joint: a, load: 7 N m}}
)");
  EXPECT_TRUE(model->planar);
  EXPECT_EQ(analyse(*model).degrees_of_freedom, 1);
  const double alpha = 7 / (0.4 + 3 / (2.5 * 2.5));
  const StateVector s = start_state(*model);
  EXPECT_NEAR(acceleration(*model, s, "a"), alpha, 1e-9);
  EXPECT_NEAR(acceleration(*model, s, "b"), -alpha / 2.5, 1e-9);
  const StateVector t = test::run(model, 0.7);
  EXPECT_NEAR(coordinate(*model, t, "a"), 0.3 + alpha * 0.245, 1e-9);
  EXPECT_NEAR(coordinate(*model, t, "b"), 1.1 - alpha * 0.245 / 2.5, 1e-9);  // the offset is that of the start
  EXPECT_NEAR(rate(*model, t, "a"), alpha * 0.7, 1e-9);
  EXPECT_NEAR(channel(model, t, "gears.multiplier_1"), 7 - 0.4 * alpha, 1e-6);
  EXPECT_LT(channel(model, t, "gears.violation"), 1e-10);
  EXPECT_NEAR(0.2 * std::pow(rate(*model, t, "a"), 2) + 1.5 * std::pow(rate(*model, t, "b"), 2), 7 * alpha * 0.245, 1e-8);
}

TEST(Coupling, RackAndPinionFallTogether) {
  const auto model = machine(R"(
bodies: {rack: {mass: 2, inertia: [1, 1, 1]}, pinion: {mass: 5, inertia: [1, 0.03, 1]}}
joints: {rack: {prismatic: {parent: ground, axis: z}}, pinion: {revolute: {parent: ground, axis: y}, rate: 3, hold: true}}
couplings: {teeth: {joints: [rack, pinion], ratio: 40 mm/rad}}
)");
  EXPECT_EQ(analyse(*model).degrees_of_freedom, 1);
  const double a = -2 * 9.81 / (2 + 0.03 / (0.04 * 0.04));
  const StateVector s = start_state(*model), t = test::run(model, 0.5);
  EXPECT_NEAR(rate(*model, s, "rack"), 0.12, 1e-15);  // assembly makes the rates consistent
  EXPECT_NEAR(acceleration(*model, s, "rack"), a, 1e-9);
  EXPECT_NEAR(acceleration(*model, s, "pinion"), a / 0.04, 1e-8);
  EXPECT_NEAR(coordinate(*model, t, "rack"), 0.06 + a * 0.125, 1e-10);
}

TEST(Coupling, MayTieJointsFarApartInTheTree) {
  // a gear on a swinging arm, driven by a gear on the ground through the relative angle of arm and wheel: the path of the coupling
  // contains only its two coordinates
  const auto model = machine(R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, arm: {mass: 1, inertia: [1, 1, 1]}, wheel: {mass: 1, inertia: [1, 2, 3]}}
joints:
  a: {revolute: {parent: ground, axis: z}}
  arm: {revolute: {parent: ground, axis: [0, 1, 1]}}
  wheel: {revolute: {parent: arm, at: [1, 0, 0], axis: z}}
couplings: {gears: {joints: [wheel, a], ratio: 3}}
)");
  const auto& m = std::get<Mechanism<3>>(model->mechanism);
  ASSERT_EQ(m.constraints.size(), 1u);
  EXPECT_EQ(m.constraints[0].path.size(), 2);
  EXPECT_EQ(model->layout.rows, 1);
}

/// Springs and loads on the coordinates of composed joints, one coordinate at a time, as they are uncoupled at the start.
TEST(Coordinate, SpringsAndLoadsActOnThePartThatIsNamed) {
  const auto model = machine(R"(
gravity: [0, 0, 0]
bodies: {plate: {mass: 2, inertia: [1, 1, 0.5]}, rod: {mass: 4, inertia: [1, 1, 0.8]}, cross: {mass: 3, inertia: [0.3, 0.2, 0.1]}, bead: {mass: 5, inertia: [1, 1, 1]}}
joints:
  plate: {planar: {parent: ground, normal: z}, position: [0.3, -0.2], velocity: [0.1, 0], angle: 0.4}
  rod: {cylindrical: {parent: ground, axis: z, at: [3, 0, 0]}, position: 0.5, angle: 0.1, rate: 2}
  cross: {universal: {parent: ground, axes: [x, y], at: [6, 0, 0]}}
  bead: {point_on_line: {parent: ground, axis: y, at: [9, 0, 0]}, position: 1}
springs:
  x: {joint: plate.x, stiffness: 40, damping: 3, rest: 0.1}
  y: {joint: plate.y, stiffness: 50, preload: 1.5}
  turn: {joint: plate.angle, stiffness: 6, rest: 0}
  slide: {joint: rod.position, stiffness: 70, rest: 0}
  twist: {joint: rod.angle, damping: 0.7}
forces:
  first: {joint: cross.angle_1, load: 0.6 N m}
  second: {joint: cross.angle_2, load: 0.5 N m}
  push: {joint: bead.position, load: 8 N}
)");
  const StateVector s = start_state(*model);
  const auto expect = [&](const char* name, double value) { EXPECT_NEAR(channel(model, s, name), value, 1e-12) << name; };
  expect("plate.acceleration_x", -(40 * 0.2 + 3 * 0.1) / 2);
  expect("plate.acceleration_y", -1.5 / 2);  // unloaded at the start
  expect("plate.angular_acceleration", -6 * 0.4 / 0.5);
  expect("rod.acceleration", -70 * 0.5 / 4);
  expect("rod.angular_acceleration", -0.7 * 2 / 0.8);
  expect("cross.acceleration_1", 0.6 / 0.3);
  expect("cross.acceleration_2", 0.5 / 0.2);
  expect("bead.acceleration", 8.0 / 5);
}

/// A nut on a steep screw: a cylindrical joint whose rotation is coupled to its sliding.
TEST(Coordinate, ACouplingMakesACylindricalJointAScrew) {
  const auto model = machine(R"(
bodies: {nut: {mass: 2, inertia: [1, 1, 0.03]}}
joints: {nut: {cylindrical: {parent: ground, axis: z}, position: 1, angle: 0.3, rate: 0}}
couplings: {thread: {joints: [nut.position, nut.angle], ratio: 40 mm/rad}}
)");
  EXPECT_EQ(analyse(*model).degrees_of_freedom, 1);
  const double a = -2 * 9.81 / (2 + 0.03 / (0.04 * 0.04));
  const StateVector t = test::run(model, 0.5);
  EXPECT_NEAR(channel(model, t, "nut.position"), 1 + a * 0.125, 1e-10);
  EXPECT_NEAR(channel(model, t, "nut.angle"), 0.3 + a / 0.04 * 0.125, 1e-9);
}

/// A motion of one coordinate leaves the others of its joint free.
TEST(Coordinate, AMotionMovesOneCoordinateOfItsJoint) {
  const auto model = machine(R"(
bodies: {b: {mass: 2, inertia: [1, 1, 0.03]}}
joints: {b: {cylindrical: {parent: ground, axis: z}, position: 1, speed: 2}}
signals: {turn: {ramps: [[0, 0], [10, 30]]}}
motions: {drive: {joint: b.angle, signal: turn}}
)");
  EXPECT_EQ(analyse(*model).degrees_of_freedom, 1);
  const StateVector t = test::run(model, 0.6);
  EXPECT_NEAR(channel(model, t, "b.angle"), 1.8, 1e-10);
  EXPECT_NEAR(channel(model, t, "b.position"), 1 + 2 * 0.6 - 9.81 * 0.18, 1e-10);
}

/// Coordinates coupled twice with one ratio are coupled; with two ratios they are locked.
TEST(Coupling, RedundantOnesAreNamed) {
  const std::string text = R"(
bodies: {a: {mass: 2, inertia: [1, 1, 0.4]}, b: {mass: 5, inertia: [2, 2, 3]}}
joints: {a: {revolute: {parent: ground, axis: z}}, b: {revolute: {parent: ground, at: [1, 0, 0], axis: z}}}
couplings: {one: {joints: [a, b], ratio: 2}, two: {joints: [b, a], ratio: )";
  const Analysis same = analyse(*machine(text + "0.5}}\n")), other = analyse(*machine(text + "0.7}}\n"));
  EXPECT_EQ(same.degrees_of_freedom, 1);
  ASSERT_EQ(same.redundant.size(), 1u);
  EXPECT_EQ(same.redundant[0].path, "couplings.two");
  EXPECT_EQ(same.redundant[0].equations, std::vector<int>{1});
  EXPECT_EQ(other.degrees_of_freedom, 0);
}

/// The unspecified length of a rod is computed from the configuration, and the start velocities keep it.
TEST(Assembly, ADistanceLeftOpenBindsTheStartVelocities) {
  const auto model = machine(R"(
bodies: {a: {rod: {length: 1, mass: 1}}, b: {rod: {length: 1, mass: 1}}}
joints: {a: {revolute: {parent: ground, axis: z}, angle: 1, rate: 2, hold: true}, b: {revolute: {parent: ground, at: [2, 0, 0], axis: z}, angle: 1.4}}
loops: {rod: {distance: {between: [a, b], at: [[1, 0, 0], [1, 0, 0]]}}}
)");
  const StateVector s = start_state(*model);
  const Vec<2> d(2 + std::cos(1.4) - std::cos(1.0), std::sin(1.4) - std::sin(1.0));
  const Vec<2> v_b = rate(*model, s, "b") * Vec<2>(-std::sin(1.4), std::cos(1.4)), v_a = 2 * Vec<2>(-std::sin(1.0), std::cos(1.0));
  EXPECT_NEAR(coordinate(*model, s, "b"), 1.4, 1e-14);
  EXPECT_NEAR(d.dot(v_b - v_a), 0, 1e-12);
}

}  // namespace
}  // namespace trunnion
