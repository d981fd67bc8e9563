// Independent coordinates at the start. Reference: the published choice of two mechanisms, and geometry.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/start_partition.h"

#include <gtest/gtest.h>

#include "support/machines.h"

namespace trunnion {
namespace {

using test::load_example;
using test::model_from;

std::vector<std::string> names(const CompiledModel& model) {
  std::vector<std::string> found;
  for (int v : find_start_partition(model).independent) found.push_back(model.coordinate_names[static_cast<std::size_t>(v)]);
  return found;
}

/// z3 and z4 of the formulations paper, section 6.1.
TEST(StartPartition, IsThatOfThePaper) {
  EXPECT_EQ(names(*load_example("four_bar_lift")), std::vector<std::string>{"lever.angle"});
  EXPECT_EQ(names(*load_example("quick_return")), std::vector<std::string>{"crank.angle"});
}

TEST(StartPartition, CoordinatesOutsideOfLoopsAreIndependent) {
  EXPECT_EQ(names(*load_example("lever")), std::vector<std::string>{"lever.angle"});
  EXPECT_EQ(
      names(*model_from(R"(
trunnion: 1
bodies: {nut: {mass: 2, inertia: [1, 1, 0.03]}, bob: {mass: 1, inertia: [1, 1, 1]}}
joints: {nut: {cylindrical: {parent: ground, axis: z}}, bob: {spherical: {parent: nut}}}
couplings: {thread: {joints: [nut.angle, nut.position], ratio: 25 rad/m}}
)")),
      (std::vector<std::string>{"nut.angle", "bob.rotation_x", "bob.rotation_y", "bob.rotation_z"}));  // the pivot 25 is the position's
}

TEST(StartPartition, ADeadPointIsNamed) {
  // a parallelogram with all bars on one line
  const StartPartition p = find_start_partition(*model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {left: {rod: {length: 1, mass: 2}}, coupler: {rod: {length: 2, mass: 4}}, right: {rod: {length: 1, mass: 2}}}
joints:
  left: {revolute: {parent: ground, axis: z}, angle: 0, hold: true}
  coupler: {revolute: {parent: left, at: [1, 0, 0], axis: z}, angle: 0}
  right: {revolute: {parent: coupler, at: [2, 0, 0], axis: z}, angle: 180 deg}
loops: {foot: {revolute: {between: [right, ground], at: [[1, 0, 0], [2, 0, 0]], axis: z}}}
)"));
  EXPECT_EQ(p.singular_configuration, "loops.foot");
}

}  // namespace
}  // namespace trunnion
