// Machines at limits: vacuum, ends of stroke, stops of joints.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "file/model_file.h"
#include "run/run.h"
#include "support/machines.h"

namespace trunnion {
namespace {

std::shared_ptr<const CompiledModel> lever(const std::vector<std::string>& settings) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  return compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml", overrides));
}

TEST(Limits, AMachineThatDrawsItsOilApartStaysAtPositivePressure) {
  // the valve opens suddenly, the weight outruns the oil: 11 steps of 1 ms below saturation
  for (const char* step : {"1 ms", "0.3 ms", "0.1 ms"}) {
    Runner run(lever({"signals.command={constant: 10}", std::string("solver.step=") + step}));
    run.advance(1.0);
    long below = 0;
    for (std::size_t i = 0; i < run.model()->hydraulics.volumes.size(); ++i) {
      EXPECT_GT(run.state().y()[i], 0) << step;
      below += run.statistics().cavitation[i].steps;
      EXPECT_GT(run.statistics().cavitation[i].lowest_pressure, 0) << step;
    }
    EXPECT_GT(below, 0) << step;
  }
}

TEST(Limits, TheMotionThroughCavitationConverges) {
  double angle[3];
  int k = 0;
  for (const char* step : {"1 ms", "0.25 ms", "0.0625 ms"}) {
    Runner run(lever({"signals.command={constant: 10}", std::string("solver.step=") + step}));
    run.advance(0.5);
    angle[k++] = run.state().q()[0];
  }
  EXPECT_LT(std::abs(angle[1] - angle[2]), 0.5 * std::abs(angle[0] - angle[2]));
  EXPECT_NEAR(angle[1], angle[2], 1e-4);
}

/// The weight of what a joint carries bends its stop by a thousandth, whatever else is in the model, and of what size.
TEST(Limits, StopsWithoutAStatedStiffnessHoldWhatTheyCarry) {
  const auto stiffness = [](const std::string& bodies, const std::string& joints) {
    const auto model = test::model_from("trunnion: 1\ngravity: [0, -9.81, 0]\nbodies: {p: {rod: {length: 0.1, mass: 3}}" + bodies +
                                        "}\njoints: {p: {revolute: {parent: ground}, limits: {minimum: -0.5}}" + joints +
                                        "}\nsolver: {step: 1 ms, duration: 1 s}\n");
    return model->hydraulics.actuators.front().cylinder.damper.stiffness;
  };
  const double expected = 1000 * 3 * 9.81 * 0.1 / std::sqrt(3);  // 1000 m g L, L the radius of gyration
  EXPECT_NEAR(stiffness("", ""), expected, 1e-9 * expected);
  EXPECT_NEAR(stiffness(", r: {mass: 1 g, inertia: [1, 1, 1]}", ", r: {revolute: {parent: ground}}"), expected, 1e-9 * expected);
  EXPECT_NEAR(stiffness(", b: {rod: {length: 30, mass: 1e5}}", ", b: {revolute: {parent: ground}}"), expected, 1e-9 * expected);
}

/// A balanced rotor, whose centre of mass is off its axis by rounding, has no lever arm of that length.
TEST(Limits, ARotorIsMeasuredByItsRadiusOfGyration) {
  std::string masses;
  for (const double angle : {0.1, 0.1 + 2 * std::numbers::pi / 3, 0.1 + 4 * std::numbers::pi / 3})
    masses += fmt::format("{{point_mass: {{mass: 2, at: [{:.17g}, {:.17g}, 0]}}}}, ", 0.3 * std::cos(angle), 0.3 * std::sin(angle));
  const auto model =
      test::model_from("trunnion: 1\ngravity: [0, -9.81, 0]\nbodies: {r: {shapes: [" + masses +
                       "]}, s: {point_mass: {mass: 3}}}\njoints: {r: {revolute: {parent: ground}}, s: {prismatic: {parent: ground, "
                       "axis: y}, limits: {minimum: -0.5}}}\nsolver: {step: 1 ms, duration: 1 s}\n");
  const double expected = 1000 * 3 * 9.81 / 0.3;
  EXPECT_NEAR(model->hydraulics.actuators.front().cylinder.damper.stiffness, expected, 1e-6 * expected);
}

TEST(Limits, APistonThatLeavesItsCylinderStopsTheRunByName) {
  Runner run(lever({"signals.command={constant: 10}"}));
  try {
    run.advance(10);
    FAIL() << "the stroke is 0.4 m";
  } catch (const SimulationError& error) {
    EXPECT_EQ(error.equations(), "cylinders.lift");
    EXPECT_NE(std::string(error.what()).find("end_damper"), std::string::npos) << error.what();
    EXPECT_NEAR(error.time(), 3.29, 0.02);
  }
}

}  // namespace
}  // namespace trunnion
