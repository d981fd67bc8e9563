// Stability of steady operation with sampled control blocks. Reference: the time stepper.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/steady_study.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "run/run.h"
#include "studies/equilibrium_files.h"
#include "support/machines.h"

namespace trunnion {
namespace {

std::shared_ptr<const CompiledModel> arm(const std::string& period) {
  return test::model_from(fmt::format(R"(
trunnion: 1
bodies: {{arm: {{rod: {{length: 2 m, mass: 10 kg}}}}}}
joints: {{arm: {{revolute: {{parent: ground, axis: [0, -1, 0]}}, angle: 20 deg}}}}
springs: {{b: {{joint: arm, stiffness: 300, damping: 20, rest: 0}}}}
forces: {{motor: {{joint: arm, load: 1 N m, signal: torque}}}}
solver: {{step: 1 ms, duration: 10 s}}
control: {{torque: {{pid: {{setpoint: 0.3, measurement: arm.angle, gain: 1000, integral_time: 1 s}}{}}}}}
)",
                                      period));
}

/// The continuous loop is stable; that of long periods is not, and runs leave.
TEST(SteadyStudy, SampledLoopsAreJudgedByTheirSamples) {
  for (const char* period : {", period: 4 ms", ", period: 40 ms"}) {
    const auto model = arm(period);
    const SteadyOperation by_blocks = solve_steady(model);
    EXPECT_TRUE(by_blocks.growing.empty() && by_blocks.continuous);
    const SteadyOperation s = steady_operation(model, 0);
    EXPECT_TRUE(s.sampled && !s.continuous);
    StateVector near = s.state;
    near.q()[0] += 1e-6;
    Runner run(model, near);
    run.advance(1);
    const bool leaves = std::abs(run.state().q()[0] - s.state.q()[0]) > 1e-6;
    EXPECT_EQ(!s.growing.empty(), leaves) << period;
    EXPECT_EQ(leaves, std::string(period) == ", period: 40 ms");
    EXPECT_EQ(s.growth > 0, leaves);
    const std::string text = steady_text(model, s), json = steady_json(model, s, "arm.yaml");
    EXPECT_NE(text.find(leaves ? "unstable: " : "stable; with the samples of its blocks"), std::string::npos) << text;
    EXPECT_NE(json.find("\"sampled_blocks\": \"sampled\""), std::string::npos);
  }
  EXPECT_FALSE(steady_operation(arm(""), 0).sampled);
}

/// Machines without states are steady.
TEST(SteadyStudy, MachinesWithoutStatesAreSteady) {
  const auto model = test::model_from(R"(
trunnion: 1
signals: {path: {table: [[0, 0], [1, 0]]}}
bodies: {slide: {point_mass: {mass: 1 kg}}}
joints: {slide: {prismatic: {parent: ground, axis: x}}}
motions: {slide: {joint: slide, signal: path}}
control: {seen: {gain: {input: slide.position, gain: 1}, period: 10 ms}}
solver: {step: 1 ms, duration: 1 s}
)");
  const SteadyOperation s = steady_operation(model, 0);
  EXPECT_TRUE(s.growing.empty());
}

/// In cartesian coordinates, too.
TEST(SteadyStudy, SampledLoopsAreTheSameInCartesianCoordinates) {
  const auto relative = arm(", period: 40 ms");
  Description d = relative->description;
  d.solver.coordinates = CoordinateKind::cartesian;
  const SteadyOperation s = steady_operation(compile(d), 0);
  EXPECT_TRUE(s.sampled);
  EXPECT_NEAR(s.growth, steady_operation(relative, 0).growth, 1e-6 * std::abs(s.growth));
}

}  // namespace
}  // namespace trunnion
