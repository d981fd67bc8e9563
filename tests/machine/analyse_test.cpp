// Degrees of freedom, redundancy and missing inertia of machines with known values.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/analyse.h"

#include <gtest/gtest.h>

#include "support/machines.h"

namespace trunnion {
namespace {

using test::load_example;
using test::model_from;

TEST(Analyse, FourBarHasOneDegreeOfFreedom) {
  const Analysis a = analyse(*load_example("four_bar"));
  EXPECT_EQ(a.velocities, 3);
  EXPECT_EQ(a.rank, 2);
  EXPECT_EQ(a.degrees_of_freedom, 1);
  EXPECT_TRUE(a.redundant.empty());
}

/// A parallelogram with a redundant coupler; `tilt` makes the loops spatial.
std::string parallelogram(const std::string& axis) {
  return R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  left:    {rod: {length: 1 m, mass: 1 kg, diameter: 20 mm}}
  right:   {rod: {length: 1 m, mass: 1 kg, diameter: 20 mm}}
  coupler: {rod: {length: 2 m, mass: 1 kg, diameter: 20 mm}}
  spare:   {rod: {length: 2 m, mass: 1 kg, diameter: 20 mm}}
joints:
  left:    {revolute: {parent: ground, at: [0, 0, 0], axis: z}, angle: 60 deg}
  right:   {revolute: {parent: ground, at: [2 m, 0, 0], axis: z}, angle: 60 deg}
  coupler: {revolute: {parent: left, at: [1 m, 0, 0], axis: z}, angle: -60 deg}
  spare:   {revolute: {parent: left, at: [0.5 m, 0, 0], axis: z}, angle: -60 deg}
loops:
  far:     {revolute: {between: [coupler, right], at: [[2 m, 0, 0], [1 m, 0, 0]], axis: )" +
         axis + R"(}}
  half:    {revolute: {between: [spare, right], at: [[2 m, 0, 0], [0.5 m, 0, 0]], axis: )" +
         axis + R"(}}
solver: {step: 1 ms, duration: 0.1 s}
)";
}

TEST(Analyse, TheLoopThatAddsNothingIsNamed) {
  const Analysis a = analyse(*model_from(parallelogram("z")));
  EXPECT_EQ(a.rows, 4);
  EXPECT_EQ(a.rank, 3);
  EXPECT_EQ(a.degrees_of_freedom, 1);
  ASSERT_EQ(a.redundant.size(), 1U);
  EXPECT_EQ(a.redundant[0].path, "loops.half");
  EXPECT_EQ(a.redundant[0].equations, std::vector<int>{2});
}

TEST(Analyse, RollingTakesVelocitiesAndNoPositions) {
  const std::string disc = R"(
trunnion: 1
bodies: {axle: {cylinder: {length: 1 m, radius: 0.2 m, mass: 30 kg, axis: y}}}
joints: {axle: {free: {parent: ground}, position: [0, 0, 0.3 m]}}
wheels:
  left: {body: axle, at: [0, 0.6 m, 0], radius: 0.3 m}
)";
  const Analysis one = analyse(*model_from(disc));
  EXPECT_EQ(one.rows, 3);
  EXPECT_EQ(one.position_degrees_of_freedom, 5);
  EXPECT_EQ(one.degrees_of_freedom, 3);
  EXPECT_TRUE(one.redundant.empty());
  // a wheelset rolls straight; either wheel prevents lateral sliding
  const Analysis two = analyse(*model_from(disc + "  right: {body: axle, at: [0, -0.6 m, 0], radius: 0.3 m}\n"));
  EXPECT_EQ(two.position_degrees_of_freedom, 4);
  EXPECT_EQ(two.degrees_of_freedom, 1);
  ASSERT_EQ(two.redundant.size(), 1U);
  EXPECT_EQ(two.redundant[0].path, "wheels.right");
  EXPECT_EQ(two.redundant[0].equations, std::vector<int>{3});
}

const char* const kSpinningRod = R"(
trunnion: 1
bodies: {rod: {rod: {length: 1 m, mass: 1 kg}}}
joints: {rod: {spherical: {parent: ground}, rotation: [0, 30 deg, 20 deg]}}
solver: {step: 1 ms, duration: 0.1 s}
)";

TEST(Analyse, ASlenderRodOnABallHasNoInertiaAboutItself) {
  const MissingInertia missing = find_missing_inertia(*model_from(kSpinningRod));
  EXPECT_FALSE(missing.velocities.empty());
  EXPECT_TRUE(missing.singular);
  for (const std::string& name : missing.velocities) EXPECT_EQ(name.rfind("rod.rate_", 0), 0U) << name;
  const MissingInertia thick = find_missing_inertia(*model_from(kSpinningRod, {"bodies.rod.rod.diameter=20 mm"}));
  EXPECT_TRUE(thick.velocities.empty());
  EXPECT_FALSE(thick.singular);
}

TEST(Analyse, SlenderRodsInThePlaneAreWell) { EXPECT_TRUE(find_missing_inertia(*load_example("four_bar")).velocities.empty()); }

TEST(Analyse, ALongChainLacksNoInertia) {
  std::string bodies, joints, parent = "ground";
  for (int i = 0; i < 60; ++i) {
    const std::string name = "b" + std::to_string(i);
    bodies += "  " + name + ": {rod: {length: 1 m, mass: 1 kg}}\n";
    joints += "  " + name + ": {revolute: {parent: " + parent + ", at: [" + (i > 0 ? "1 m" : "0") + ", 0, 0], axis: z}}\n";
    parent = name;
  }
  const auto model = model_from("trunnion: 1\nbodies:\n" + bodies + "joints:\n" + joints + "solver: {step: 1 ms, duration: 1 s}\n");
  EXPECT_TRUE(find_missing_inertia(*model).velocities.empty());
}

}  // namespace
}  // namespace trunnion
