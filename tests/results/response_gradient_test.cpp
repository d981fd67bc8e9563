// Gradients of runs, backwards. Reference: forward sensitivities of the same run (response_sensitivity_test compares these with differences).
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "results/response_sensitivity.h"
#include "schema/parameters.h"
#include "support/machines.h"
#include "support/sampled.h"

namespace trunnion {
namespace {

using test::sampled;

/// The gradients of two sums with random weights are the sums of the forward derivatives, for all `paths`.
void expect_forward(const CompiledModel& model, const std::vector<std::string>& paths, const std::vector<SampledChannel>& channels,
                    double tolerance) {
  const ResponseSensitivity forward = response_sensitivity(model, paths, channels, 2);
  ASSERT_EQ(forward.failure, "");
  SumWeights weights(2);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> weight(-1, 1);
  const ResponseGradient backward = response_gradient(model, paths, channels, [&](const std::vector<std::vector<double>>& values) {
    for (auto& sum : weights)
      for (const auto& of : values) {
        double size = 0;
        for (const double y : of) size = std::max(size, std::abs(y));
        sum.emplace_back();
        for (std::size_t k = 0; k < of.size(); ++k) sum.back().push_back(weight(random) / std::max(size, 1e-300));
      }
    return weights;
  });
  ASSERT_EQ(backward.failure, "");
  EXPECT_EQ(backward.values, forward.values);
  ASSERT_EQ(backward.gradients.size(), weights.size());
  std::vector<double> scale = values_of(model.description, paths);
  for (double& p : scale) p = p == 0 ? 1 : std::abs(p);
  int compared = 0;
  for (std::size_t j = 0; j < weights.size(); ++j)
    for (std::size_t i = 0; i < paths.size(); ++i) {
      double sum = 0, size = 0;
      for (std::size_t c = 0; c < channels.size(); ++c)
        for (std::size_t k = 0; k < channels[c].times.size(); ++k) {
          const double part = weights[j][c][k] * forward.derivatives[i][c][k];
          sum += part;
          size += std::abs(part);
        }
      compared += size > 0 ? 1 : 0;
      // values are of the size of 1 here: below this a derivative is rounding
      EXPECT_NEAR(backward.gradients[j][i], sum, tolerance * size + 1e-12 / scale[i]) << paths[i];
    }
  EXPECT_GT(compared, static_cast<int>(paths.size()) / 2);
}

TEST(ResponseGradient, OfAFallIsItsClosedForm) {
  const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {a: {point_mass: {mass: 3 kg}}}
joints: {a: {prismatic: {parent: ground, axis: z}, position: 2 m, speed: 0.5 m/s}}
solver: {step: 10 ms, duration: 1 s}
)");
  const std::vector<std::string> paths = {"gravity.2", "bodies.a.point_mass.mass", "joints.a.position", "joints.a.speed"};
  const std::vector<SampledChannel> channels{{"a.position", {0.3, 1}}};
  const ResponseGradient of = response_gradient(*model, paths, channels, [](const auto& values) {
    EXPECT_NEAR(values[0][1], 2 + 0.5 - 9.81 / 2, 1e-12);
    return SumWeights{{{0, 1}}, {{2, 0}}};
  });
  const double expected[2][4] = {{0.5, 0, 1, 1}, {2 * 0.045, 0, 2, 2 * 0.3}};
  for (std::size_t j = 0; j < 2; ++j)
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(of.gradients[j][i], expected[j][i], 1e-12) << i;
}

struct Case {
  const char* name;
  bool spatial;
  std::vector<std::string> set;
};
class GradientOfTheBusyMachine : public testing::TestWithParam<Case> {};

TEST_P(GradientOfTheBusyMachine, IsThatOfForwardSensitivities) {
  std::vector<std::string> set = GetParam().set;
  set.insert(set.end(), {"solver.duration=0.03", "solver.tolerance_position=1e-12"});
  const auto model = test::model_from(test::busy_machine(GetParam().spatial), set);
  std::vector<std::string> paths;  // a number that is 0 may move a machine out of its plane
  Description description = model->description;
  for (const Parameter& parameter : parameters_of(description))
    if (*parameter.value != 0) paths.push_back(parameter.path);
  expect_forward(*model, paths,
                 sampled({"base.position", "arm.angle", "v2.pressure", "lift.force", "swing.friction", "energy.potential"}, 0.03, 6), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(
    , GradientOfTheBusyMachine,
    testing::Values(Case{"Plane", false, {}}, Case{"Space", true, {}}, Case{"DoubleStep", true, {"solver.constraints=double_step"}},
                    Case{"Cartesian", false, {"solver.coordinates=cartesian"}}, Case{"Bdf2", false, {"solver.integrator=bdf2"}},
                    Case{"Esdirk3", true, {"solver.integrator=esdirk3"}},
                    Case{"RungeKutta", true, {"solver.integrator=rk4", "solver.constraints=double_step", "solver.step=0.05 ms"}}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(ResponseGradient, OfAControlledMachineWithAJumpThatMoves) {
  const auto model =
      test::load_example("position_servo", {"solver.duration=3", "signals.steps.steps.1.0=2.8003 s", "solver.oil_rule=trapezoidal"});
  expect_forward(*model,
                 {"signals.steps.steps.1.0", "signals.steps.steps.1.1", "control.approach.lead_lag.lag", "control.position.pid.gain",
                  "control.position.pid.integral_time"},
                 sampled({"ram.length", "side_A.pressure"}, 3, 30), 1e-6);
}

TEST(ResponseGradient, HasTheClosedLoopWithItsAssembly) {
  const auto model = test::load_example("four_bar", {"solver.duration=1.2"});
  expect_forward(*model,
                 {"bodies.crank.rod.length", "bodies.coupler.rod.mass", "joints.coupler.revolute.at.0", "cylinders.lift.bore", "gravity.1",
                  "fluid.bulk_modulus"},
                 sampled({"crank.angle", "lift.length", "v1.pressure"}, 1.2, 12), 1e-6);
}

TEST(ResponseGradient, RefusesWhatSumsOverTheRunAndWeightsThatDoNotFit) {
  const auto model = test::load_example("lever", {"solver.duration=0.01"});
  const auto none = [](const std::vector<std::vector<double>>&) { return SumWeights{}; };
  EXPECT_THROW(response_gradient(*model, {"gravity.1"}, {{"energy.supply", {0.01}}}, none), InputError);
  EXPECT_THROW(response_gradient(*model, {"gravity.7"}, {{"lever.angle", {0.01}}}, none), InputError);
  EXPECT_THROW(response_gradient(*model, {"gravity.1"}, {{"lever.angle", {0.01}}},
                                 [](const std::vector<std::vector<double>>&) {
                                   return SumWeights{{{1, 2}}};
                                 }),
               Error);
}

}  // namespace
}  // namespace trunnion
