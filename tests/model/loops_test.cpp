// A loop closure equals the tree joint of the same kind: a body attached by the joint accelerates like a free body closed by the loop.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "model/machines.h"

namespace trunnion {
namespace {

using test::machine;

/// Position and acceleration of body b: origin, orientation, acceleration of the origin, angular acceleration (ground axes).
struct Movement {
  Vec<3> r, v, a, omega, alpha;
  Mat<3> R;
};
Movement movement(const CompiledModel& model, const StateVector& s) {
  const auto& m = std::get<Mechanism<3>>(model.mechanism);
  TreeState<3> tree(m.tree);
  update_positions<3, double>(m.tree, s.q(), nullptr, tree);
  update_rates<3, double>(m.tree, s.v(), s.a(), tree);
  const NodeState<3>& b = tree.nodes[test::joint(model, "b").node];
  const Vec<3> v = b.V.at(b.r);
  return {b.r + m.reference, v, b.A.at(b.r) + b.V.angular.cross(v) + m.tree.gravity, b.V.angular, b.A.angular, b.R.m};
}

Movement movement(const CompiledModel& model) { return movement(model, start_state(model)); }

/// A swinging arm (spatial: about a skew axis) that carries b by `joint_b`; `loops` constrains the remaining motions.
std::string arm(const std::string& joint_b, const std::string& loops = "") {
  return R"(
gravity: [0.5, -9, -2]
bodies:
  arm: {box: {size: [1, 0.2, 0.3], mass: 7, at: [0.5, 0, 0]}}
  b: {mass: 3, center_of_mass: [0.2, -0.1, 0.3], inertia: {xx: 4, yy: 5, zz: 6, xy: 0.3, xz: -0.2, yz: 0.4}}
joints:
  arm: {revolute: {parent: ground, at: [0, 1, 0], axis: [1, 2, 3]}, angle: 0.4, rate: 2, hold: true}
  b: {)" +
         joint_b + "}\n" + loops +
         "forces: {push: {body: b, at: [0.3, 0, 0], force: [100, -50, 80], torque: [20, 30, -10]}}\nsolver: {step: 0.1 ms}\n";
}

/// b attached to the arm with `joint`, compared with b free at the same position, with `loop`.
void expect_loop_stands_for_joint(const std::string& joint, const std::string& loop) {
  const auto tree = machine(arm(joint));
  ASSERT_FALSE(tree->planar);
  const Movement expected = movement(*tree);
  Description d = test::description(arm("free: {parent: ground, at: [0, 1, 0]}", "loops: {joint: {" + loop + "}}\n"));
  JointDescription& b = test::item(d.joints, "b");
  const Vec<3> angles = expected.R.eulerAngles(2, 1, 0);
  b.rotation = Vec3d{angles[2], angles[1], angles[0]};
  b.position = Vec3d{expected.r.x(), expected.r.y() - 1, expected.r.z()};
  b.velocity = Vec3d{expected.v.x(), expected.v.y(), expected.v.z()};
  b.angular_velocity = Vec3d{expected.omega.x(), expected.omega.y(), expected.omega.z()};
  const auto closed = compile(d);
  const Movement found = movement(*closed);
  EXPECT_LT((found.r - expected.r).norm(), 1e-12);  // already closed, so the assembly changes nothing
  EXPECT_LT((found.R - expected.R).norm(), 1e-12);
  EXPECT_LT((found.v - expected.v).norm(), 1e-11);
  EXPECT_LT((found.omega - expected.omega).norm(), 1e-11);
  EXPECT_LT((found.a - expected.a).norm(), 1e-8 * (1 + expected.a.norm()));
  EXPECT_LT((found.alpha - expected.alpha).norm(), 1e-8 * (1 + expected.alpha.norm()));
  EXPECT_GT(expected.a.norm(), 1);
  const Movement later = movement(*tree, test::run(tree, 0.2)), closed_later = movement(*closed, test::run(closed, 0.2));
  EXPECT_GT((later.r - expected.r).norm(), 0.1);
  EXPECT_LT((closed_later.r - later.r).norm(), 1e-7);  // two integrations in different coordinates: errors of the steps, h^2
  EXPECT_LT((closed_later.R - later.R).norm(), 1e-7);
  EXPECT_LT((closed_later.v - later.v).norm(), 1e-6);
}

TEST(Loop, RevoluteStandsForARevoluteJoint) {
  expect_loop_stands_for_joint(
      "revolute: {parent: arm, at: [1, 0.2, 0], axis: [2, -1, 2], child_at: [0.1, 0.2, 0.3]}, angle: 0.7, rate: -3",
      "revolute: {between: [arm, b], at: [[1, 0.2, 0], [0.1, 0.2, 0.3]], axis: [2, -1, 2]}");
}

/// Two equations would close a loop of a planar part whose hinge axes cross.
TEST(Loop, RevoluteWithCrossedAxesDoesNotClose) {
  Description d = test::description(R"(
bodies: {a: {rod: {length: 1, mass: 1, diameter: 10 mm}}, b: {rod: {length: 1, mass: 1, diameter: 10 mm}}}
joints: {a: {revolute: {parent: ground, axis: z}, angle: 60 deg}, b: {revolute: {parent: ground, at: [1, 0, 0], axis: z}, angle: 120 deg}}
loops: {top: {revolute: {between: [a, b], at: [[1, 0, 0], [1, 0, 0]], axis: z}}}
)");
  EXPECT_EQ(compile(d)->layout.rows, 2);
  d.loops[0].second.axis[1] = {0, 1, 0};
  EXPECT_THROW(compile(d), InputError);
}

TEST(Loop, PrismaticStandsForAPrismaticJoint) {
  expect_loop_stands_for_joint("prismatic: {parent: arm, at: [1, 0.2, 0], axis: [2, -1, 2]}, position: 0.7, speed: -3",
                               "prismatic: {between: [arm, b], at: [[1, 0.2, 0], [0, 0, 0]], axis: [2, -1, 2]}");
}

TEST(Loop, SphericalStandsForASphericalJoint) {
  expect_loop_stands_for_joint(
      "spherical: {parent: arm, at: [1, 0.2, 0], child_at: [0.1, 0.2, 0.3]}, rotation: [0.5, -0.4, 1], angular_velocity: [1, 2, -3]",
      "spherical: {between: [b, arm], at: [[0.1, 0.2, 0.3], [1, 0.2, 0]]}");
}

TEST(Loop, CylindricalStandsForACylindricalJoint) {
  expect_loop_stands_for_joint(
      "cylindrical: {parent: arm, at: [1, 0.2, 0], axis: [2, -1, 2], child_at: [0.1, 0.2, 0.3]}, angle: 0.7, rate: -3, position: 0.4, "
      "speed: 2",
      "cylindrical: {between: [b, arm], at: [[0.1, 0.2, 0.3], [1, 0.2, 0]], axis: [2, -1, 2]}");
}

TEST(Loop, UniversalStandsForAUniversalJoint) {
  expect_loop_stands_for_joint(
      "universal: {parent: arm, at: [1, 0.2, 0], axes: [[2, -1, 2], [1, 2, 0]], child_at: [0.1, 0.2, 0.3]}, angles: [0.7, -0.4], rates: "
      "[-3, 2]",
      "universal: {between: [arm, b], at: [[1, 0.2, 0], [0.1, 0.2, 0.3]], axes: [[2, -1, 2], [1, 2, 0]]}");
}

TEST(Loop, PlanarStandsForAPlanarJoint) {
  expect_loop_stands_for_joint(
      "planar: {parent: arm, at: [1, 0.2, 0], normal: [2, -1, 2], child_at: [0.1, 0.2, 0.3]}, angle: 0.7, rate: -3, position: [0.2, -0.3], "
      "velocity: [1, 2]",
      "planar: {between: [b, arm], at: [[0.1, 0.2, 0.3], [1, 0.2, 0]], normal: [2, -1, 2]}");
}

TEST(Loop, PointOnLineStandsForItsJoint) {
  expect_loop_stands_for_joint(
      "point_on_line: {parent: arm, at: [1, 0.2, 0], axis: [2, -1, 2], child_at: [0.1, 0.2, 0.3]}, position: 0.3, speed: -2, rotation: "
      "[0.5, -0.4, 1], angular_velocity: [1, 2, -3]",
      "point_on_line: {between: [arm, b], at: [[1, 0.2, 0], [0.1, 0.2, 0.3]], axis: [2, -1, 2]}");
}

/// Two bars that rotate about parallel axes, and the number of equations of a closure of their tips: in the plane, and in space, where
/// the motion is planar as well.
TEST(Loop, PlanarMotionTakesFewEquations) {
  const auto rows = [](const std::string& loop, bool loose) {
    const auto model = machine(std::string("bodies: {a: {rod: {length: 1, mass: 1, diameter: 10 mm}}, b: {rod: {length: 1, mass: 1, "
                                           "diameter: 10 mm}}") +
                               (loose ? ", c: {sphere: {radius: 0.1, mass: 1}}" : "") +
                               "}\njoints: {a: {revolute: {parent: ground, axis: z}, angle: 60 deg}, b: {revolute: {parent: ground, at: "
                               "[1, 0, 0], axis: z}, angle: 120 deg}" +
                               (loose ? ", c: {spherical: {parent: ground}}" : "") + "}\nloops: {top: {" + loop + "}}\n");
    EXPECT_EQ(model->planar, !loose) << loop;
    return model->layout.rows;
  };
  const std::string tips = "between: [a, b], at: [[1, 0, 0], [1, 0, 0]]";
  for (const bool loose : {false, true}) {
    EXPECT_EQ(rows("revolute: {" + tips + ", axis: z}", loose), 2);
    EXPECT_EQ(rows("cylindrical: {" + tips + ", axis: z}", loose), 2);
    EXPECT_EQ(rows("universal: {" + tips + ", axes: [z, x]}", loose), 2);
    EXPECT_EQ(rows("universal: {" + tips + ", axes: [y, z]}", loose), 2);
    EXPECT_EQ(rows("planar: {" + tips + ", normal: z}", loose), 0);
    EXPECT_EQ(rows("point_on_line: {" + tips + ", axis: z}", loose), 2);
    EXPECT_EQ(rows("point_on_line: {" + tips + ", axis: [1, 2, 0]}", loose), 1);
    EXPECT_EQ(rows("spherical: {" + tips + "}", loose), loose ? 3 : 2);
  }
}

/// In the plane a cylindrical joint across its normal is a prismatic joint, and so is a planar joint perpendicular to it.
TEST(Loop, SlidesInThePlaneAreTheSame) {
  const auto start = [](const std::string& loop) {
    return machine(R"(
gravity: [0, -9.81, 0]
bodies: {crank: {rod: {length: 0.5, mass: 4}}, rod: {rod: {length: 1.3, mass: 3}}, slider: {point_mass: {mass: 2}}}
joints:
  crank: {revolute: {parent: ground, axis: z}, angle: 0.9, rate: 3, hold: true}
  rod: {revolute: {parent: crank, at: [0.5, 0, 0], axis: z}, angle: -1.2}
  slider: {revolute: {parent: rod, at: [1.3, 0, 0], axis: z}, angle: 0.3}
loops: {slide: {)" +
                   loop + "between: [ground, slider], at: [[0, 0, 0], [0, 0, 0]]}}}\n");
  };
  const auto prismatic = start("prismatic: {axis: x, "), cylindrical = start("cylindrical: {axis: x, "),
             planar = start("planar: {normal: y, ");
  const auto point = start("point_on_line: {axis: x, ");
  EXPECT_EQ(prismatic->layout.rows, 2);
  EXPECT_EQ(cylindrical->layout.rows, 2);
  EXPECT_EQ(planar->layout.rows, 2);
  EXPECT_EQ(point->layout.rows, 1);
  const StateVector s = start_state(*prismatic);
  for (const auto& other : {cylindrical, planar}) {
    ASSERT_TRUE(other->planar);
    const StateVector t = start_state(*other);
    for (const char* name : {"crank", "rod", "slider"}) {
      EXPECT_NEAR(test::coordinate(*prismatic, s, name), test::coordinate(*other, t, name), 1e-12) << name;
      EXPECT_NEAR(test::acceleration(*prismatic, s, name), test::acceleration(*other, t, name), 1e-8) << name;
    }
  }
}

/// A massless rod between two spherical joints, as a body of nearly zero mass and as an equation.
TEST(Loop, DistanceStandsForAMasslessRod) {
  const std::string bodies =
      "gravity: [0.5, -9, -2]\nbodies: {b: {box: {size: [1, 2, 3], mass: 5}}, rod: {mass: 1e-9, inertia: [2e-9, 1e-9, 1e-9]}}\n";
  const auto rod = machine(bodies + R"(
joints:
  rod: {spherical: {parent: ground}, rotation: [0, 0.3, 0.4], angular_velocity: [0, 1, 2], hold: true}
  b: {spherical: {parent: rod, at: [2, 0, 0], child_at: [0.5, 0, 0]}, rotation: [0.1, 0.2, 0.3], angular_velocity: [1, -1, 0.5]}
)");
  const Movement expected = movement(*rod);
  Description d = test::description(bodies +
                                    "joints: {rod: {spherical: {parent: ground}}, b: {free: {parent: ground}}}\nloops: {rod: {distance: "
                                    "{between: [ground, b], at: [[0, 0, 0], [0.5, 0, 0]], distance: 2}}}\n");
  JointDescription& b = test::item(d.joints, "b");
  const Vec<3> angles = expected.R.eulerAngles(2, 1, 0);
  b.rotation = Vec3d{angles[2], angles[1], angles[0]};
  b.position = Vec3d{expected.r.x(), expected.r.y(), expected.r.z()};
  b.velocity = Vec3d{expected.v.x(), expected.v.y(), expected.v.z()};
  b.angular_velocity = Vec3d{expected.omega.x(), expected.omega.y(), expected.omega.z()};
  const Movement found = movement(*compile(d));
  EXPECT_LT((found.r - expected.r).norm(), 1e-12);
  EXPECT_LT((found.a - expected.a).norm(), 1e-7 * expected.a.norm());  // the rod's mass
  EXPECT_LT((found.alpha - expected.alpha).norm(), 1e-7 * expected.alpha.norm());
}

/// A slider-crank closed at the slide and at the pin.
TEST(Loop, APlanarMachineMayBeCutAnywhere) {
  const std::string bodies =
      "gravity: [0, -9.81, 0]\nbodies: {crank: {rod: {length: 0.5, mass: 4}}, rod: {rod: {length: 1.3, mass: 3}}, slider: {point_mass: "
      "{mass: 2}}}\n";
  const std::string crank =
      "joints:\n  crank: {revolute: {parent: ground, axis: z}, angle: 0.9, rate: 3, hold: true}\n  rod: {revolute: {parent: crank, at: "
      "[0.5, 0, 0], axis: z}, angle: -1.2}\n";
  const auto at_pin = machine(bodies + crank +
                              "  slider: {prismatic: {parent: ground, axis: x}, position: 1.5 m}\nloops: {pin: {revolute: {between: [rod, "
                              "slider], at: [[1.3, 0, 0], [0, 0, 0]], axis: z}}}\n");
  const auto at_slide = machine(bodies + crank +
                                "  slider: {revolute: {parent: rod, at: [1.3, 0, 0], axis: z}, angle: 0.3}\nloops: {slide: {prismatic: "
                                "{between: [ground, slider], at: [[0, 0, 0], [0, 0, 0]], axis: x}}}\n");
  ASSERT_TRUE(at_pin->planar && at_slide->planar);
  const StateVector s = start_state(*at_pin), t = start_state(*at_slide);
  for (const char* name : {"crank", "rod"}) {
    EXPECT_NEAR(test::coordinate(*at_pin, s, name), test::coordinate(*at_slide, t, name), 1e-12) << name;
    EXPECT_NEAR(test::rate(*at_pin, s, name), test::rate(*at_slide, t, name), 1e-11) << name;
    EXPECT_NEAR(test::acceleration(*at_pin, s, name), test::acceleration(*at_slide, t, name), 1e-7) << name;
  }
  // the slider does not rotate
  EXPECT_NEAR(test::coordinate(*at_slide, t, "crank") + test::coordinate(*at_slide, t, "rod") + test::coordinate(*at_slide, t, "slider"), 0,
              1e-12);
}

}  // namespace
}  // namespace trunnion
