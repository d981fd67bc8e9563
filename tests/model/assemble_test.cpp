// Assembly: loops closed at the start, locked values exact, given ones approximate, the rest as required. Reference: geometry of
// triangles and four-bars, the conditions of a constrained minimum.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "model/machines.h"

namespace trunnion {
namespace {

using test::joint;
using test::machine;

double start_angle(const CompiledModel& model, const std::string& name) { return model.q_start[joint(model, name).q]; }
double start_rate(const CompiledModel& model, const std::string& name) { return model.v_start[joint(model, name).v]; }

/// Two bars of 2 m and 1.5 m between pins 2.5 m apart: the same triangle for all given values. `first`, `second`: start values.
std::string triangle(const std::string& first, const std::string& second, const std::string& rest = "") {
  return R"(
bodies: {a: {rod: {length: 2, mass: 4}}, b: {rod: {length: 1.5, mass: 3}}}
joints:
  a: {revolute: {parent: ground, axis: z})" +
         first + R"(}
  b: {revolute: {parent: a, at: [2, 0, 0], axis: z})" +
         second + R"(}
loops: {pin: {revolute: {between: [b, ground], at: [[1.5, 0, 0], [2.5, 0, 0]], axis: z}}}
)" + rest;
}
const double kAngle_a = std::acos((4 + 6.25 - 2.25) / (2 * 2 * 2.5));         // law of cosines
const double kAngle_b = std::acos((4 + 2.25 - 6.25) / (2 * 2 * 1.5)) - M_PI;  // relative, upper triangle

TEST(Assembly, ClosesATriangleFromRoughValues) {
  for (const char* first : {", angle: 0.4", ", angle: 1.2", ""}) {
    const auto model = machine(triangle(first, ", angle: -1.2"));
    EXPECT_NEAR(start_angle(*model, "a"), kAngle_a, 1e-12) << first;
    EXPECT_NEAR(start_angle(*model, "b"), kAngle_b, 1e-12) << first;
  }
}

TEST(Assembly, TakesTheBranchThatWasStated) {
  const auto model = machine(triangle(", angle: -0.4", ", angle: 1.2"));
  EXPECT_NEAR(start_angle(*model, "a"), -kAngle_a, 1e-12);
  EXPECT_NEAR(start_angle(*model, "b"), -kAngle_b, 1e-12);
}

/// A four-bar of links 1, 2, 2 on a ground of 2.5: one degree of freedom remains.
std::string four_bar(const std::string& a, const std::string& b, const std::string& c, const std::string& rest = "") {
  return R"(
bodies: {a: {rod: {length: 1, mass: 8}}, b: {rod: {length: 2, mass: 4}}, c: {rod: {length: 2, mass: 2}}}
joints:
  a: {revolute: {parent: ground, axis: z})" +
         a + R"(}
  b: {revolute: {parent: a, at: [1, 0, 0], axis: z})" +
         b + R"(}
  c: {revolute: {parent: ground, at: [2.5, 0, 0], axis: z})" +
         c + R"(}
loops: {pin: {revolute: {between: [b, c], at: [[2, 0, 0], [2, 0, 0]], axis: z}}}
)" + rest;
}
double gap(const CompiledModel& model) {
  const double a = start_angle(model, "a"), b = a + start_angle(model, "b"), c = start_angle(model, "c");
  return std::hypot(std::cos(a) + 2 * std::cos(b) - 2.5 - 2 * std::cos(c), std::sin(a) + 2 * std::sin(b) - 2 * std::sin(c));
}

TEST(Assembly, HeldValuesStayToTheLastBit) {
  const auto model = machine(four_bar(", angle: 1.05, hold: true", ", angle: -0.5", ", angle: 1.9"));
  EXPECT_EQ(start_angle(*model, "a"), 1.05);
  EXPECT_LT(gap(*model), 1e-12);
  const auto other = machine(four_bar(", angle: 1.05", ", angle: -0.5", ", angle: 1.9, hold: true"));
  EXPECT_EQ(start_angle(*other, "c"), 1.9);
  EXPECT_NE(start_angle(*other, "a"), 1.05);
  EXPECT_LT(gap(*other), 1e-12);
}

TEST(Assembly, FreeValuesGiveWayBeforeStatedOnes) {
  const auto model = machine(four_bar(", angle: 1.05", "", ", angle: 1.9"));  // b is free: only one other must change
  const double moved = std::abs(start_angle(*model, "a") - 1.05) + std::abs(start_angle(*model, "c") - 1.9);
  EXPECT_LT(gap(*model), 1e-12);
  const auto exact = machine(four_bar(", angle: 1.05", "", ""));  // b and c are free: a is unchanged
  EXPECT_NEAR(start_angle(*exact, "a"), 1.05, 1e-5);
  EXPECT_LT(gap(*exact), 1e-12);
  EXPECT_LT(moved, 1.5);
}

/// At the closest point the mass-weighted correction is perpendicular to every motion the loop allows.
TEST(Assembly, StatedValuesStayAsNearAsTheyCan) {
  const Vec3d given{1.05, -0.5, 1.9};
  const auto model = machine(four_bar(", angle: 1.05", ", angle: -0.5", ", angle: 1.9"));
  const double a = start_angle(*model, "a"), b = a + start_angle(*model, "b"), c = start_angle(*model, "c");
  // allowed motion: the cross product of the two rows of the loop's Jacobian in (a, b relative, c)
  const Eigen::Vector3d x(-std::sin(a) - 2 * std::sin(b), -2 * std::sin(b), 2 * std::sin(c)),
      y(std::cos(a) + 2 * std::cos(b), 2 * std::cos(b), -2 * std::cos(c));
  const Eigen::Vector3d motion = x.cross(y).normalized();
  // weights: diagonal of the mass matrix at the start of the assembly
  const double b0 = given[1], M_a = 8.0 / 3 + 4.0 * 4 / 12 + 4 * (1 + 1 + 2 * std::cos(b0)), M_b = 4 * 4.0 / 3, M_c = 2 * 4.0 / 3;
  const Eigen::Vector3d back(M_a * (a - given[0]), M_b * (b - a - given[1]), M_c * (c - given[2]));
  EXPECT_GT(back.norm(), 0.1);
  EXPECT_NEAR(back.dot(motion), 0, 1e-9);
}

/// The least movement by inertia is the same for machines of any mass.
TEST(Assembly, MassesInTheSameRatiosCloseALoopAlike) {
  const auto slider = [](const std::string& mass) {
    return machine("parameters: {m: " + mass + R"(}
bodies: {a: {rod: {length: 1, mass: $(m)}}, b: {rod: {length: 1.5, mass: $(m)}}}
joints: {a: {revolute: {parent: ground, axis: z}, angle: 20 deg}, b: {revolute: {parent: a, at: [1, 0, 0], axis: z}, angle: -80 deg}}
loops: {l: {point_on_line: {between: [ground, b], at: [[0, -0.3, 0], [1.5, 0, 0]], axis: x}}}
)");
  };
  const double reference = start_angle(*slider("1 kg"), "a");
  for (const char* mass : {"1e-12 kg", "1e-22 kg", "1e-40 kg", "1e12 kg"})
    EXPECT_NEAR(start_angle(*slider(mass), "a"), reference, 1e-12) << mass;
}

TEST(Assembly, ALoopThatCannotCloseIsReportedWithItsGap) {
  Description d = test::description(triangle("", ""));
  test::item(d.loops, "pin").at[1] = {4, 0, 0};  // 3.5 m reach
  try {
    compile(d);
    FAIL() << "no error";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1u);
    const Diagnostic& found = error.diagnostics()[0];
    EXPECT_EQ(found.path, "loops.pin");
    EXPECT_NE(found.found.find("0.5 m"), std::string::npos) << found.found;
    EXPECT_EQ(found.span.file, "model.yaml");
    EXPECT_EQ(found.span.line, 7);
  }
}

TEST(Assembly, OnlyLoopsThatStayOpenAreReported) {
  Description d = test::description(triangle(", angle: 0.5", ", angle: -1.3"));
  d.bodies.emplace_back("c", BodyDescription{{RodShape{1, 1, 0}}});
  JointDescription j = d.joints[0].second;
  d.joints.emplace_back("c", j);
  LoopDescription far = test::item(d.loops, "pin");
  far.between = {"c", "ground"};
  far.at = {{{1, 0, 0}, {0, 3, 0}}};
  d.loops.emplace_back("far", far);
  try {
    compile(d);
    FAIL() << "no error";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1u) << error.what();
    EXPECT_EQ(error.diagnostics()[0].path, "loops.far");
  }
}

TEST(Assembly, HeldCoordinatesThatLeaveTheLoopOpenAreReported) {
  try {
    machine(four_bar(", angle: 1.05, hold: true", ", angle: -0.5, hold: true", ", angle: 1.9, hold: true"));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics()[0].path, "loops.pin");
    EXPECT_NE(error.diagnostics()[0].hint.find("held"), std::string::npos);
  }
}

TEST(Assembly, VelocitiesSatisfyTheLoop) {
  const auto model = machine(four_bar(", angle: 1.05, rate: 1.5, hold: true", ", angle: -0.5", ", angle: 1.9"));
  EXPECT_EQ(start_rate(*model, "a"), 1.5);
  const double a = start_angle(*model, "a"), b = a + start_angle(*model, "b"), c = start_angle(*model, "c");
  const double w_a = 1.5, w_b = w_a + start_rate(*model, "b"), w_c = start_rate(*model, "c");
  EXPECT_GT(std::abs(w_c), 0.1);
  EXPECT_NEAR(-w_a * std::sin(a) - 2 * w_b * std::sin(b) + 2 * w_c * std::sin(c), 0, 1e-12);
  EXPECT_NEAR(w_a * std::cos(a) + 2 * w_b * std::cos(b) - 2 * w_c * std::cos(c), 0, 1e-12);
}

TEST(Assembly, PrescribedMotionsSetPlaceAndSpeed) {
  const auto model =
      machine(four_bar("", ", angle: -0.5", ", angle: 1.9",
                       "motions: {drive: {joint: a, signal: s}}\nsignals: {s: {sine: {amplitude: 0.5, frequency: 1, offset: 1.05}}}\n"));
  EXPECT_NEAR(start_angle(*model, "a"), 1.05, 1e-12);
  EXPECT_NEAR(start_rate(*model, "a"), M_PI, 1e-12);
  EXPECT_LT(gap(*model), 1e-12);
}

TEST(Assembly, RestLengthsLeftOpenAreThoseOfTheStart) {
  const auto model = machine(four_bar(", angle: 1.05, hold: true", ", angle: -0.5", ", angle: 1.9", R"(springs:
  line: {between: [ground, b], at: [[0, 3, 0], [1, 0, 0]], stiffness: 1000}
  coil: {joint: c, stiffness: 500}
)"));
  const double a = start_angle(*model, "a"), b = a + start_angle(*model, "b");
  const auto& m = std::get<Mechanism<2>>(model->mechanism);
  EXPECT_NEAR(m.springs[0].rest, std::hypot(std::cos(a) + std::cos(b), std::sin(a) + std::sin(b) - 3), 1e-12);
  EXPECT_EQ(m.joint_springs[0].rest, start_angle(*model, "c"));
}

TEST(Assembly, DistancesLeftOpenAreThoseOfTheStart) {
  const auto model = machine(R"(
bodies: {a: {rod: {length: 1, mass: 8}}, b: {rod: {length: 1, mass: 4}}}
joints: {a: {revolute: {parent: ground, axis: z}, angle: 0.3}, b: {revolute: {parent: ground, at: [0, 1, 0.5], axis: z}, angle: 0.2}}
loops: {bar: {distance: {between: [a, b], at: [[1, 0, 0], [1, 0, 0]]}}}
)");
  EXPECT_NEAR(start_angle(*model, "a"), 0.3, 1e-15);
  EXPECT_NEAR(start_angle(*model, "b"), 0.2, 1e-15);
  const double x = std::cos(0.2) - std::cos(0.3), y = 1 + std::sin(0.2) - std::sin(0.3);
  EXPECT_NEAR(std::get<Mechanism<2>>(model->mechanism).constraints[0].distance, std::sqrt(x * x + y * y + 0.25), 1e-15);
}

TEST(Assembly, SpatialLoopsClose) {
  const auto model = compile(test::example("spatial_slider_crank"));
  EXPECT_EQ(start_angle(*model, "crank"), 0);
  // pin at (0, 0.9, 0.6), rod of 1.5 m
  EXPECT_NEAR(start_angle(*model, "slider"), std::sqrt(2.25 - 0.81 - 0.36), 1e-12);
  const double* e = model->q_start.data() + joint(*model, "rod").q;
  EXPECT_NEAR(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3], 1, 1e-15);
}

/// From random coordinates nearly every start is closed: no zigzag at singular configurations.
TEST(Assembly, ClosesLoopsFromFarAway) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anything(-3.1, 3.1);
  for (const char* name : {"four_bar", "spatial_slider_crank"}) {
    Description d = test::example(name);
    int open = 0;
    for (int i = 0; i < 100; ++i) {
      for (auto& [body, j] : d.joints) {
        j.hold = false;
        if (j.kind == JointKind::spherical)
          j.rotation = Vec3d{anything(random), anything(random), anything(random)};
        else
          j.coordinate = anything(random);
      }
      try {
        compile(d);
      } catch (const InputError&) { ++open; }
    }
    EXPECT_LE(open, 3) << name;  // a few end at a local minimum
  }
}

/// The lowest point of a leaning disc is on the plane, from above and below. The way of its height with the lean is so strongly curved that
/// the nearest configuration is not found from every start; then another one is taken.
TEST(Assembly, WheelsAreSetOnThePlaneFromAnyHeight) {
  for (const double radius : {0.03, 0.3, 3.0})
    for (const double mass : {5e-3, 5.0, 5e3})
      for (const double lean : {0.1, -0.6, 1.0})
        for (int k = 0; k < 40; ++k) {
          const double height = radius * (0.3 + 0.1 * k);
          const auto model = compile(test::description(fmt::format(R"(
gravity: [0, 0, -9.81]
bodies: {{d: {{cylinder: {{length: {:.17g}, radius: {:.17g}, mass: {:.17g}, axis: y}}}}}}
joints: {{d: {{free: {{parent: ground}}, position: [0, 0, {:.17g}], rotation: [{:.17g}, 0, 0]}}}}
wheels: {{w: {{body: d, axis: y, radius: {:.17g}}}}}
)",
                                                                   radius / 6, radius, mass, height, lean, radius)));
          const auto& m = std::get<Mechanism<3>>(model->mechanism);
          MechanismState<3> state(m);
          update_positions<3, double>(m, model->q_start.data(), nullptr, state);
          EXPECT_LT(std::abs(state.Phi[0]), 1e-11 * std::max(radius, 1.0)) << radius << " " << mass << " " << lean << " " << height;
        }
}

TEST(Assembly, TheSameLoopTwiceDoesNoHarm) {
  Description d = test::description(four_bar(", angle: 1.05, hold: true", ", angle: -0.5", ", angle: 1.9"));
  const auto once = compile(d);
  d.loops.emplace_back("again", d.loops[0].second);
  const auto twice = compile(d);
  for (const char* name : {"a", "b", "c"}) EXPECT_NEAR(start_angle(*once, name), start_angle(*twice, name), 1e-12);
}

}  // namespace
}  // namespace trunnion
