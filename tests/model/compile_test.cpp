// Compilation of descriptions: planes, fixed joints, frames, free joints. Reference: the same machine described differently
// moves identically; accelerations of single bodies by hand.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "model/machines.h"

namespace trunnion {
namespace {

using test::acceleration;
using test::coordinate;
using test::joint;
using test::machine;
using test::run;

double start_acceleration(const std::shared_ptr<const CompiledModel>& model, const std::string& name) {
  return acceleration(*model, start_state(*model), name);
}

/// A rotor may have an inertia without a mass, in any order of the shapes and of the bodies that are joined.
TEST(Compile, AnInertiaNeedsNoMass) {
  const std::string rotor = "{mass: 0, inertia: [1, 1, 1]}", disc = "{mass: 1, inertia: [0.1, 0.1, 0.1]}";
  const auto turned = [](const std::string& bodies, const std::string& joints = "") {
    return start_acceleration(machine("bodies: {" + bodies + "}\njoints: {w: {revolute: {parent: ground, axis: z}}" + joints +
                                      "}\nforces: {t: {joint: w, load: 2}}\n"),
                              "w");
  };
  EXPECT_NEAR(turned("w: " + rotor), 2, 1e-12);
  EXPECT_NEAR(turned("w: {shapes: [" + rotor + ", " + disc + "]}"), 2 / 1.1, 1e-12);
  EXPECT_NEAR(turned("w: {shapes: [" + disc + ", " + rotor + "]}"), 2 / 1.1, 1e-12);
  EXPECT_NEAR(turned("w: " + rotor + ", v: " + disc, ", v: {fixed: {parent: w}}"), 2 / 1.1, 1e-12);
  EXPECT_NEAR(turned("w: " + disc + ", v: " + rotor, ", v: {fixed: {parent: w, at: [0.3, 0, 0]}}"), 2 / 1.1, 1e-12);
}

// ---------------------------------------------------------------- planes

TEST(Plane, AMachineOfParallelAxesIsPlanar) {
  EXPECT_TRUE(compile(test::example("four_bar"))->planar);
  EXPECT_TRUE(machine("bodies: {a: {rod: {length: 1, mass: 1}}}\njoints: {a: {revolute: {parent: ground, axis: [1, 2, -3]}}}\n")->planar);
  EXPECT_TRUE(machine(R"(
bodies: {a: {point_mass: {mass: 1}}, b: {point_mass: {mass: 1}}, c: {rod: {length: 1, mass: 1}}}
joints:
  a: {prismatic: {parent: ground, axis: [1, 1, 0]}}
  b: {prismatic: {parent: a, axis: [1, -1, 0]}}
  c: {revolute: {parent: b, axis: [0, 0, -1]}}
)")
                  ->planar);
}

TEST(Plane, OneAxisOutOfThePlaneMakesAMachineSpatial) {
  const auto with = [](const std::string& second) {
    return machine(
               "bodies: {a: {rod: {length: 1, mass: 1}}, b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {a: {revolute: {parent: ground, axis: "
               "z}}, b: {" +
               second + "}}\n")
        ->planar;
  };
  EXPECT_TRUE(with("revolute: {parent: a, axis: z}"));
  EXPECT_TRUE(with("revolute: {parent: a, orientation: [90 deg, 0, 0], axis: y}"));  // y rotated onto z
  EXPECT_TRUE(with("prismatic: {parent: a, axis: [3, 4, 0]}"));
  EXPECT_FALSE(with("revolute: {parent: a, axis: [0, 0.001, 1]}"));
  EXPECT_FALSE(with("prismatic: {parent: a, axis: z}"));
  EXPECT_FALSE(with("spherical: {parent: a}"));
  EXPECT_FALSE(with("free: {parent: a}"));
}

TEST(Plane, ALoopOutOfThePlaneMakesAMachineSpatial) {
  const auto with = [](const std::string& axis) {
    return machine(R"(
bodies: {a: {rod: {length: 1, mass: 1, diameter: 10 mm}}, b: {rod: {length: 1, mass: 1, diameter: 10 mm}}}
joints: {a: {revolute: {parent: ground, axis: z}, angle: 60 deg}, b: {revolute: {parent: ground, at: [1, 0, 0], axis: z}, angle: 120 deg}}
loops: {top: {revolute: {between: [a, b], at: [[1, 0, 0], [1, 0, 0]], axis: )" +
                   axis + "}}}\n")
        ->planar;
  };
  EXPECT_TRUE(with("z"));
  EXPECT_TRUE(with("[0, 0, -1]"));
  EXPECT_THROW(with("[0, 0.1, 1]"), InputError);  // spatial, and then the hinge cannot be closed
}

TEST(Plane, ASingleSlideFindsAPlaneForItsOffsetCylinder) {
  const auto model = machine(R"(
gravity: [0, 0, 0]
bodies: {m: {point_mass: {mass: 2}}}
joints: {m: {prismatic: {parent: ground, axis: [0, 0, 1]}, position: 3 m}}
springs: {s: {between: [ground, m], at: [[1, 2, 0], [0, 0, 0]], stiffness: 1000, rest: 3.5}}
)");
  EXPECT_TRUE(model->planar);
  const double length = std::sqrt(14.0);
  EXPECT_NEAR(start_acceleration(model, "m"), -1000 * (length - 3.5) * 3 / length / 2, 1e-10);
}

TEST(Plane, GravityAcrossThePlaneIsBorneByTheJoints) {
  const auto model =
      machine("gravity: [0, -3, -4]\nbodies: {a: {rod: {length: 2, mass: 1}}}\njoints: {a: {revolute: {parent: ground, axis: z}}}\n");
  EXPECT_NEAR(start_acceleration(model, "a"), -3 * 1.5 / 2, 1e-13);  // 3 g / 2 L
}

TEST(Plane, APendulumSwingsAboutAnyAxis) {
  const Vec<3> g(1, -2, -9), p(0.5, 0.7, -0.4);
  for (const Vec<3>& axis :
       {Vec<3>(1, 0, 0), Vec<3>(-1, 0, 0), Vec<3>(0, 1, 0), Vec<3>(0, -1, 0), Vec<3>(0, 0, 1), Vec<3>(0, 0, -1), Vec<3>(0.6, 0, 0.8)}) {
    Description d = test::description(
        "gravity: [1, -2, -9]\nbodies: {a: {point_mass: {mass: 3, at: [0.5, 0.7, -0.4]}}}\njoints: {a: {revolute: {parent: ground, axis: "
        "z}}}\n");
    d.joints[0].second.axis = {axis.x(), axis.y(), axis.z()};
    const auto model = compile(d);
    ASSERT_TRUE(model->planar);
    EXPECT_NEAR(start_acceleration(model, "a"), axis.dot(p.cross(g)) / p.cross(axis).squaredNorm(), 1e-12) << axis.transpose();
  }
}

TEST(Plane, TwoDimensionsMoveLikeThree) {
  Description planar = test::example("four_bar"), spatial = planar;
  spatial.bodies.emplace_back("loose", BodyDescription{{SphereShape{0.1, 1, {0, -1, 0}}}});
  JointDescription ball;
  ball.kind = JointKind::spherical;
  ball.parent = "ground";
  spatial.joints.emplace_back("loose", ball);
  const auto two = compile(planar), three = compile(spatial);
  ASSERT_TRUE(two->planar);
  ASSERT_FALSE(three->planar);
  EXPECT_EQ(three->layout.rows, two->layout.rows);  // the hinge of a planar loop requires two equations in space, too
  const StateVector s = run(two, 2), t = run(three, 2);
  EXPECT_GT(std::abs(coordinate(*two, s, "crank") - 1.047), 0.1);
  for (const char* name : {"crank", "coupler", "rocker"}) EXPECT_NEAR(coordinate(*two, s, name), coordinate(*three, t, name), 1e-9) << name;
  for (const char* name : {"v1", "v2", "v3"}) EXPECT_NEAR(test::pressure(*two, s, name), test::pressure(*three, t, name), 1) << name;
}

// ---------------------------------------------------------------- mass and frames

TEST(Compile, TwoHalfRodsFixedTogetherAreOneRod) {
  const auto whole = machine(
      "gravity: [0, -9.81, 0]\nbodies: {a: {rod: {length: 2, mass: 6}}}\njoints: {a: {revolute: {parent: ground, axis: z}, angle: 0.3}}\n");
  const auto halves = machine(R"(
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1, mass: 3}}, b: {rod: {length: 1, mass: 3}}}
joints: {a: {revolute: {parent: ground, axis: z}, angle: 0.3}, b: {fixed: {parent: a, at: [1, 0, 0]}}}
)");
  const auto turned = machine(R"(
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1, mass: 3}}, b: {rod: {length: 1, mass: 3}}}
joints: {b: {fixed: {parent: a, at: [2, 0, 0], orientation: [20 deg, 0, 180 deg]}}, a: {revolute: {parent: ground, axis: z}, angle: 0.3}}
)");
  const double expected = -9.81 * std::cos(0.3) * 1 / (4.0 / 3);  // m g L/2 over m L^2/3
  for (const auto& model : {whole, halves, turned}) EXPECT_NEAR(start_acceleration(model, "a"), expected, 1e-12);
  EXPECT_NEAR(coordinate(*whole, run(whole, 1), "a"), coordinate(*halves, run(halves, 1), "a"), 1e-11);
}

TEST(Compile, ShapesAddUpLikeFixedBodies) {
  const std::string one = R"(
bodies:
  a: {shapes: [{box: {size: [1, 0.4, 0.2], mass: 5, at: [0.3, 0.1, -0.2]}}, {cylinder: {length: 0.7, radius: 0.1, mass: 2, axis: [1, 2, 2], at: [0, 1, 0]}}, {sphere: {radius: 0.3, mass: 1, at: [0, 0, 1]}}]}
joints: {a: {spherical: {parent: ground}, rotation: [0.2, 0.3, 0.4], angular_velocity: [1, -2, 3]}}
)";
  const std::string three = R"(
bodies:
  a: {box: {size: [1, 0.4, 0.2], mass: 5, at: [0.3, 0.1, -0.2]}}
  b: {cylinder: {length: 0.7, radius: 0.1, mass: 2, axis: [1, 2, 2], at: [0, 1, 0]}}
  c: {sphere: {radius: 0.3, mass: 1}}
joints:
  a: {spherical: {parent: ground}, rotation: [0.2, 0.3, 0.4], angular_velocity: [1, -2, 3]}
  b: {fixed: {parent: a}}
  c: {fixed: {parent: b, at: [0, 0, 1]}}
)";
  const StateVector s = start_state(*machine(one)), t = start_state(*machine(three));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(s.a()[i], t.a()[i], 1e-12);
}

/// Euler's equation of a free body gives the accelerations for every shape's tensor.
TEST(Compile, TensorsOfShapesAreTheirIntegrals) {
  const auto spin = [](const std::string& shape) {
    return start_state(*machine("gravity: [0, 0, 0]\nbodies: {a: {" + shape +
                                "}}\njoints: {a: {spherical: {parent: ground}, angular_velocity: [1, 2, 3]}}\n"));
  };
  const auto expect_principal = [&](const std::string& shape, double Jx, double Jy, double Jz) {
    const StateVector s = spin(shape);
    EXPECT_NEAR(s.a()[0], (Jy - Jz) * 2 * 3 / Jx, 1e-12) << shape;
    EXPECT_NEAR(s.a()[1], (Jz - Jx) * 3 * 1 / Jy, 1e-12) << shape;
    EXPECT_NEAR(s.a()[2], (Jx - Jy) * 1 * 2 / Jz, 1e-12) << shape;
  };
  expect_principal("box: {size: [1, 2, 3], mass: 12}", 13, 10, 5);
  expect_principal("cylinder: {length: 2, radius: 0.5, mass: 12, axis: z}", 4.75, 4.75, 1.5);
  expect_principal("sphere: {radius: 1, mass: 5}", 2, 2, 2);
  expect_principal("rod: {length: 2, mass: 3, diameter: 0.4}", 3 * 0.16 / 8, 4 + 0.03, 4 + 0.03);  // about its end
  expect_principal("mass: 3, inertia: [4, 5, 6]", 4, 5, 6);
  // a tensor with products: alpha = -J^-1 w x J w
  const StateVector s = spin("mass: 3, inertia: {xx: 4, yy: 5, zz: 6, xy: 0.3, xz: -0.2, yz: 0.4}");
  const Eigen::Matrix3d J{{4, 0.3, -0.2}, {0.3, 5, 0.4}, {-0.2, 0.4, 6}};
  const Eigen::Vector3d w(1, 2, 3), alpha = -J.inverse() * w.cross(J * w);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(s.a()[i], alpha[i], 1e-12);
}

TEST(Compile, ABodyMayHangByAnyOfItsPoints) {
  // by its far end, upside down: child_at and orientation
  const auto by_end = machine(R"(
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 2, mass: 6}}}
joints: {a: {revolute: {parent: ground, axis: z, child_at: [2, 0, 0], orientation: [0, 0, 90 deg]}, angle: 0.3}}
)");
  // the rod points from its centre 1 m along -x' of the frame rotated by 90 deg + 0.3 rad
  EXPECT_NEAR(start_acceleration(by_end, "a"), -9.81 * -std::cos(std::acos(-1.0) / 2 + 0.3) * 0.75, 1e-12);
  const auto by_middle = machine(
      "gravity: [0, -9.81, 0]\nbodies: {a: {rod: {length: 2, mass: 6}}}\njoints: {a: {revolute: {parent: ground, axis: z, child_at: [1, 0, "
      "0]}, angle: 0.3}}\n");
  EXPECT_NEAR(start_acceleration(by_middle, "a"), 0, 1e-13);
}

TEST(Compile, AxesStandInTheTurnedFrame) {
  // axis y of a frame rotated by -90 deg about x is -z of the parent
  const auto model = machine(
      "gravity: [0, -9.81, 0]\nbodies: {a: {rod: {length: 2, mass: 6}}}\njoints: {a: {revolute: {parent: ground, axis: y, orientation: "
      "[-90 deg, 0, 0]}, angle: 0}}\n");
  EXPECT_NEAR(start_acceleration(model, "a"), 9.81 * 0.75, 1e-12);
}

TEST(Compile, PointsOfFixedBodiesAreTheirParents) {
  const std::string plain = R"(
gravity: [0, -9.81, 0]
bodies: {a: {mass: 3, center_of_mass: [1, 0, 0], inertia: [1, 1, 1]}}
joints: {a: {revolute: {parent: ground, axis: z}, angle: 0.3}}
springs: {s: {between: [ground, a], at: [[0.5, 2, 0], [1.5, 0.5, 0]], stiffness: 400, damping: 3, rest: 1.2}}
forces: {f: {body: a, at: [1.5, 0.5, 0], force: [10, 20, 0], frame: body}}
)";
  const std::string fixed = R"(
gravity: [0, -9.81, 0]
bodies: {a: {mass: 3, center_of_mass: [1, 0, 0], inertia: [1, 1, 1]}, lug: {point_mass: {mass: 1e-15}}, post: {point_mass: {mass: 7}}}
joints:
  a: {revolute: {parent: ground, axis: z}, angle: 0.3}
  lug: {fixed: {parent: a, at: [1, 0, 0], orientation: [0, 0, 90 deg]}}
  post: {fixed: {parent: ground, at: [0, 3, 0], orientation: [0, 0, 180 deg]}}
springs: {s: {between: [post, lug], at: [[-0.5, 1, 0], [0.5, -0.5, 0]], stiffness: 400, damping: 3, rest: 1.2}}
forces: {f: {body: lug, at: [0.5, -0.5, 0], force: [20, -10, 0], frame: body}}
)";
  const auto a = machine(plain), b = machine(fixed);
  EXPECT_NEAR(start_acceleration(a, "a"), start_acceleration(b, "a"), 1e-12);
  EXPECT_NEAR(coordinate(*a, run(a, 0.5), "a"), coordinate(*b, run(b, 0.5), "a"), 1e-11);
}

TEST(Compile, AFreeJointIsThreeSlidesAndABall) {
  const std::string common = "mass: 3, center_of_mass: [0.2, -0.1, 0.3], inertia: {xx: 4, yy: 5, zz: 6, xy: 0.3, xz: -0.2, yz: 0.4}";
  const auto free = machine("bodies: {arm: {rod: {length: 1, mass: 2, diameter: 0.1}}, b: {" + common + R"(}}
joints:
  arm: {revolute: {parent: ground, axis: y}, angle: 0.4, rate: 2}
  b: {free: {parent: arm, at: [1, 0, 0], orientation: [0.1, 0.2, 0.3], child_at: [0, 0.5, 0]}, position: [0.1, 0.2, 0.3], rotation: [0.4, 0, 0.2], velocity: [1, 2, 3], angular_velocity: [0, 0, 0]}
springs: {s: {between: [ground, b], at: [[0, 0, 0], [0.3, 0.2, 0.1]], stiffness: 300}}
)");
  Description text = test::description(
      "bodies: {arm: {rod: {length: 1, mass: 2, diameter: 0.1}}, x: {point_mass: {mass: 1}}, y: {point_mass: {mass: 1}}, z: {point_mass: "
      "{mass: 1}}, b: {" +
      common + R"(}}
joints:
  arm: {revolute: {parent: ground, axis: y}, angle: 0.4, rate: 2}
  x: {prismatic: {parent: arm, at: [1, 0, 0], axis: x}, position: 0.1, speed: 1}
  y: {prismatic: {parent: x, axis: y}, position: 0.2, speed: 2}
  z: {prismatic: {parent: y, axis: z}, position: 0.3, speed: 3}
  b: {spherical: {parent: z, orientation: [0.1, 0.2, 0.3], child_at: [0, 0.5, 0]}, rotation: [0.4, 0, 0.2], angular_velocity: [0, 0, 0]}
springs: {s: {between: [ground, b], at: [[0, 0, 0], [0.3, 0.2, 0.1]], stiffness: 300}}
)");
  for (const char* name : {"x", "y", "z"}) test::item(text.bodies, name).shapes = {PointMassShape{}};  // massless
  const auto chain = compile(text);
  ASSERT_EQ(free->layout.nv, 7);
  ASSERT_EQ(chain->layout.nv, 7);
  const StateVector s = run(free, 0.3), t = run(chain, 0.3);
  for (int i = 0; i < free->layout.nq; ++i) EXPECT_NEAR(s.q()[i], t.q()[i], 1e-12) << i;
  EXPECT_GT(std::abs(s.q()[1] - 0.1), 0.1);
}

/// Start values of spherical joints are given in the parent's axes, for any zero orientation of the joint.
TEST(Compile, AngularVelocityIsToldInTheParentsAxes) {
  for (const char* kind : {"spherical", "free"}) {
    const auto model = machine("gravity: [0, 0, 0]\nbodies: {b: {mass: 3, inertia: [4, 5, 6]}}\njoints: {b: {" + std::string(kind) +
                               ": {parent: ground, orientation: [0, 0, 90 deg]}, angular_velocity: [0, 2, 0]}}\n");
    // the body's x axis is along the ground's y: a rotation about it leaves it unchanged, and after 0.1 s it has rotated by 0.2 rad
    const StateVector s = run(model, 0.1);
    const Tree<3>& tree = std::get<Mechanism<3>>(model->mechanism).tree;
    TreeState<3> state(tree);
    update_positions<3, double>(tree, s.q(), nullptr, state);
    EXPECT_LT((state.nodes.back().R.m * Vec<3>::UnitX() - Vec<3>::UnitY()).norm(), 1e-9) << kind;
    EXPECT_NEAR((state.nodes.back().R.m * Vec<3>::UnitZ()).z(), std::cos(0.2), 1e-6) << kind;
  }
}

TEST(Compile, PositionOfAFreeBodyIsThatOfItsJoint) {
  const auto model =
      machine("bodies: {b: {mass: 3, inertia: [4, 5, 6]}}\njoints: {b: {free: {parent: ground, at: [1, 0, 0]}, position: [0.5, 2, 3]}}\n");
  const Tree<3>& tree = std::get<Mechanism<3>>(model->mechanism).tree;
  TreeState<3> state(tree);
  update_positions<3, double>(tree, model->q_start.data(), nullptr, state);
  const Vec<3> place = state.nodes.back().r + std::get<Mechanism<3>>(model->mechanism).reference;
  EXPECT_LT((place - Vec<3>(1.5, 2, 3)).norm(), 1e-15);
}

TEST(Compile, JumpsAreThoseOfSignalsInUseAndSpoolsFilterThem) {
  const auto model = machine(R"(
bodies: {m: {point_mass: {mass: 2}}}
joints: {m: {prismatic: {parent: ground, axis: x}}}
volumes: {v: {hose: {volume: 1 L}, pressure: 1 MPa}, w: {hose: {volume: 1 L}, pressure: 1 MPa}}
sources: {pump: {pressure: supply}, tank: {pressure: 1 bar}, feed: {flow: flow, to: v}}
valves:
  slow: {directional_4_3: {P: pump, T: tank, A: v, B: w, flow: 10 L/min, at_pressure_drop: 35 bar, at_signal: 1, time_constant: 3 ms}, signal: a}
  fast: {directional_4_3: {P: pump, T: tank, A: v, B: w, flow: 10 L/min, at_pressure_drop: 35 bar, at_signal: 1}, signal: b}
  hole: {orifice: {A: v, B: w, diameter: 1 mm}, signal: c}
forces: {push: {joint: m, load: 1 N, signal: d}}
signals:
  supply: {steps: [[1, 2 MPa]], before: 1 MPa}
  a: {steps: [[2, 1]]}
  b: {steps: [[3, 1]]}
  c: {steps: [[4, 1]]}
  d: {steps: [[5, 1]]}
  unused: {steps: [[6, 1]]}
  flow: {ramps: [[7, 0], [7, 1 L/min], [8, 0]]}
)");
  EXPECT_EQ(model->jumps, (std::vector<double>{1, 2, 3, 4, 5, 7}));
  EXPECT_EQ(model->force_jumps, (std::vector<double>{1, 3, 4, 5, 7}));
}

}  // namespace
}  // namespace trunnion
