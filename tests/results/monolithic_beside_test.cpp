// A co-simulation with a simultaneous monolithic run: the difference is that of two separate runs.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/monolithic_beside.h"

#include <gtest/gtest.h>

#include <cmath>

#include "results/run_case.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::load_example;

const std::vector<double>& column(const CaseResult& result, const std::string& name) {
  const Recording& r = result.recorder->recording();
  const int i = r.find(name);
  EXPECT_GE(i, 0) << name;
  return r.columns[static_cast<std::size_t>(i)];
}

TEST(MonolithicBeside, DiffersAsTwoRunsDo) {
  const std::vector<std::string> coupled{"solver.coupling=cosimulation", "coupling.step=2 ms", "solver.duration=1.5 s"};
  const CaseResult beside = run_case(load_example("crane_double", coupled), {}, StartKind::given, nullptr, true);
  const CaseResult monolithic = run_case(load_example("crane_double", {"solver.duration=1.5 s"}));
  ASSERT_FALSE(beside.failure);
  for (const std::string name : {"lift", "tilt"}) {
    const auto &difference = column(beside, name + ".coupling_difference"), &length = column(beside, name + ".length"),
               &reference = column(monolithic, name + ".length");
    ASSERT_EQ(reference.size(), 2 * difference.size() - 1);  // 1 ms and 2 ms
    double largest = 0;
    for (std::size_t i = 0; i < difference.size(); ++i) {
      EXPECT_EQ(difference[i], length[i] - reference[2 * i]) << name << " " << i;
      largest = std::max(largest, std::abs(difference[i]));
    }
    EXPECT_GT(largest, 0) << name;
    const Extremes& range = beside.recorder->beside()->ranges()[name == "lift" ? 0 : 1];
    EXPECT_EQ(std::max(range.max, -range.min), largest) << name;
  }
}

TEST(MonolithicBeside, DifferenceOfARotaryActuatorIsAnAngle) {
  const CaseResult result =
      run_case(load_example("excavator", {"solver.coupling=cosimulation", "solver.duration=0.05 s"}), {}, StartKind::given, nullptr, true);
  const MonolithicBeside& beside = *result.recorder->beside();
  for (std::size_t i = 0; i < beside.names().size(); ++i)
    EXPECT_EQ(beside.channels()[i].unit, beside.names()[i] == "swing" ? "rad" : "m") << beside.names()[i];
  EXPECT_EQ(beside.names().back(), "swing");
  const std::string text = summary_text(result, 1);
  EXPECT_NE(text.find(" rad at ", text.find("difference   swing")), std::string::npos) << text;
}

/// A pump has no stroke: its angle counts in revolutions.
TEST(MonolithicBeside, MotorsAndPumpsAreJudgedByRevolutions) {
  const CaseResult result =
      run_case(load_example("hydrostatic_drive", {"solver.coupling=cosimulation", "solver.duration=1 s", "coupling.scheme=sequential"}), {},
               StartKind::given, nullptr, true);
  EXPECT_EQ(result.coupling_faults, std::vector<std::string>{});
}

/// Without a cylinder or motor there is no difference to judge by: the criteria are those of a run alone.
TEST(MonolithicBeside, WithoutPistonsTheRunIsJudgedAlone) {
  const std::string arm = R"yaml(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {arm: {rod: {length: 1 m, mass: 5 kg}}}
joints: {arm: {revolute: {parent: ground, axis: y}, angle: 20 deg}}
forces: {motor: {joint: arm, load: 1 N m, signal: torque}}
control: {torque: {expression: "-20*arm.rate + 8*sin(5*arm.angle)"}}
solver: {step: 1 ms, duration: 2 s, coupling: cosimulation}
)yaml";
  for (const std::string step : {"1 ms", "50 ms"}) {
    const CaseResult result = run_case(test::model_from(arm, {"coupling.step=" + step}), {}, StartKind::given, nullptr, true);
    ASSERT_TRUE(result.recorder->beside()->names().empty());
    EXPECT_EQ(result.coupling_faults.empty(), step == "1 ms") << step;
  }
}

TEST(MonolithicBeside, LeavesNoNumbersWhereTheMonolithicRunFails) {
  // two Newton iterations suffice without the oil, and not with it
  const CaseResult result = run_case(load_example("crane_single", {"solver.coupling=cosimulation", "solver.max_iterations=1",
                                                                   "solver.divisions=0", "solver.duration=1 s"}),
                                     {}, StartKind::given, nullptr, true);
  ASSERT_TRUE(result.recorder->beside()->failure());
  EXPECT_TRUE(std::isnan(column(result, "lift.coupling_difference").back()));
  EXPECT_NE(summary_text(result, 1).find("MONOLITHIC"), std::string::npos);
}

}  // namespace
}  // namespace trunnion
