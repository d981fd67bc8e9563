// Control blocks that read positions and velocities of markers: against the channels of the markers, against the same loop written with the
// angles of the joints, and linear models against differences.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "linearise/linear_model.h"
#include "machine/start.h"
#include "results/run_case.h"
#include "run/run.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using Settings = std::vector<std::string>;

/// Blocks `r_NAME_position_x` and so on of every component of the markers.
std::string reading_all(const std::vector<const char*>& markers) {
  std::string text = "control:\n", record = "record: {channels: [\"*\"";
  for (const char* marker : markers)
    for (const char* quantity : {"position", "velocity"})
      for (const char axis : {'x', 'y', 'z'}) {
        record += fmt::format(", r_{}_{}_{}.output", marker, quantity, axis);
        text += fmt::format("  r_{0}_{1}_{2}: {{gain: {{input: {0}.{1}_{2}, gain: 1}}}}\n", marker, quantity, axis);
      }
  return text + record + "]}\n";
}

double largest_difference(const CaseResult& run, const std::vector<const char*>& markers) {
  const Recording& r = run.recorder->recording();
  double largest = 0;
  for (const char* marker : markers)
    for (const char* quantity : {"position", "velocity"})
      for (const char axis : {'x', 'y', 'z'}) {
        const int a = r.find(fmt::format("{}.{}_{}", marker, quantity, axis)),
                  b = r.find(fmt::format("r_{}_{}_{}.output", marker, quantity, axis));
        if (a < 0 || b < 0) return HUGE_VAL;
        for (std::size_t row = 0; row < r.rows(); ++row)
          largest = std::max(largest, std::abs(r.columns[static_cast<std::size_t>(a)][row] - r.columns[static_cast<std::size_t>(b)][row]));
      }
  return largest;
}

/// A machine with oil whose markers are seen from the ground, from a moving body, and from an oblique plate on the ground.
TEST(MarkerReadings, AreTheMarkersChannels) {
  const std::vector<const char*> markers{"tip", "seen", "oblique", "still"};
  for (const bool spatial : {false, true})
    for (const char* setting : {"solver.constraints=penalty", "solver.constraints=double_step", "solver.coordinates=cartesian"}) {
      std::string text = test::busy_machine(spatial) + reading_all(markers) +
                         "markers:\n  tip: {body: weight, at: [0.3, 0.1, -0.2]}\n"
                         "  seen: {body: weight, at: [0.3, 0.1, -0.2], frame: arm}\n"
                         "  oblique: {body: weight, at: [0.1, 0.2, 0.3], frame: table}\n"
                         "  still: {body: ground, at: [1, 2, 3], frame: table}\n";
      text.replace(text.find("bodies:\n"), 8, "bodies:\n  table: {point_mass: {mass: 1}}\n");
      text.replace(text.find("joints:\n"), 8,
                   "joints:\n  table: {fixed: {parent: ground, at: [1, -2, 0.5], orientation: [0.3, -0.4, 0.2]}}\n");
      const CaseResult run = run_case(test::model_from(text, {setting}));
      ASSERT_FALSE(run.failure) << setting << spatial;
      // penalty projects the positions after the step that the blocks have
      EXPECT_LT(largest_difference(run, markers), std::string(setting).ends_with("double_step") ? 1e-12 : 1e-7) << setting << spatial;
      ASSERT_GT(run.recorder->recording().rows(), 5U);
    }
}

/// An arm of two links that a controller holds at the height of its tip.
std::string held(const std::string& control) {
  return R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  upper: {rod: {length: 1.2 m, mass: 8 kg}}
  lower: {rod: {length: 0.9 m, mass: 5 kg}}
joints:
  upper: {revolute: {parent: ground, axis: z}, angle: 20 deg}
  lower: {revolute: {parent: upper, at: [1.2 m, 0, 0], axis: z}, angle: -30 deg, rate: 0.5}
markers:
  tip: {body: lower, at: [0.9 m, 0, 0]}
  ahead: {body: lower, at: [0.9 m, 0, 0], frame: upper}
springs: {lower: {joint: lower, stiffness: 150, damping: 4}}
forces: {motor: {joint: upper, load: 1, signal: torque}}
)" + control +
         "solver: {step: 2 ms, duration: 1 s, tolerance_position: 1e-13, tolerance_other: 1e-13}\n";
}
const char* const kByMarker =
    "control:\n  torque: {expression: '250 - 900 * (tip.position_y - 0.2) - 120 * tip.velocity_y - 30 * ahead.velocity_y "
    "+ 40 * ahead.position_y'}\n";
const char* const kByAngles =
    "control:\n  torque: {expression: '250 - 900 * (1.2 * sin(upper.angle) + 0.9 * sin(upper.angle + lower.angle) - 0.2) "
    "- 120 * (1.2 * cos(upper.angle) * upper.rate + 0.9 * cos(upper.angle + lower.angle) * (upper.rate + lower.rate)) "
    "- 30 * (0.9 * cos(lower.angle) * lower.rate) + 40 * (0.9 * sin(lower.angle))'}\n";

TEST(MarkerReadings, CloseTheLoopOfTheAngles) {
  for (const Settings& settings :
       {Settings{"solver.constraints=penalty"}, Settings{"solver.constraints=double_step"}, Settings{"solver.integrator=esdirk3"},
        Settings{"solver.integrator=rk4", "solver.constraints=double_step"}, Settings{"solver.integrator=generalized_alpha"},
        Settings{"solver.coordinates=cartesian", "solver.constraints=double_step"}}) {
    Runner by_marker(test::model_from(held(kByMarker), settings)), by_angles(test::model_from(held(kByAngles), settings));
    by_marker.advance(1);
    by_angles.advance(1);
    for (int i = 0; i < by_angles.model()->layout.nq; ++i)
      EXPECT_NEAR(by_marker.state().q()[i], by_angles.state().q()[i], 1e-9) << i << settings.back();
    EXPECT_LE(by_marker.statistics().iterations, by_angles.statistics().iterations + by_angles.statistics().steps / 20) << settings.back();
    // a gain that differs is seen
    Runner other(test::model_from(held(kByMarker), [&] {
      Settings wrong = settings;
      wrong.emplace_back("markers.tip.at=[0.91 m, 0, 0]");
      return wrong;
    }()));
    other.advance(1);
    EXPECT_GT(std::abs(other.state().q()[0] - by_angles.state().q()[0]), 1e-4);
  }
}

TEST(MarkerReadings, StandInLinearModels) {
  const auto model = [](const char* control) {
    const auto compiled = test::model_from(held(control));
    return linearise(compiled, start_state(*compiled));
  };
  const LinearModel a = model(kByMarker), b = model(kByAngles);
  ASSERT_EQ(a.A.rows(), b.A.rows());
  EXPECT_LT((a.A - b.A).cwiseAbs().maxCoeff(), 1e-8 * b.A.cwiseAbs().maxCoeff());
}

TEST(MarkerReadings, NameWhatIsMissing) {
  const auto hint = [](const char* input) -> std::string {
    try {
      (void)test::model_from(held(fmt::format("control: {{torque: {{gain: {{input: {}, gain: 1}}}}}}\n", input)));
    } catch (const InputError& error) { return error.diagnostics()[0].text(); }
    return "accepted";
  };
  EXPECT_NE(hint("tip.position_w").find("tip.position_"), std::string::npos) << hint("tip.position_w");
  EXPECT_NE(hint("top.position_x").find("tip.position_x"), std::string::npos) << hint("top.position_x");
  EXPECT_NE(hint("tip.acceleration_x"), "accepted");
  EXPECT_NE(hint("tip.position_x, offset: 1}}, tip: {sequence: {steps: [{until: elapsed > 1, set: {position_x: 2}}]}}, other: {gain: "
                 "{input: torque")
                .find("`tip.position_x` is a command of this block and a quantity of a marker"),
            std::string::npos);
}

}  // namespace
}  // namespace trunnion
