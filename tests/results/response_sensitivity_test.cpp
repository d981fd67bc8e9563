// Derivatives of runs with respect to parameters. References: closed forms of a fall and of a pendulum's start; central differences of whole runs.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/response_sensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "machine/start.h"
#include "schema/parameters.h"
#include "support/machines.h"
#include "support/sampled.h"

namespace trunnion {
namespace {

using Values = std::vector<std::vector<double>>;

Values run_of(const std::shared_ptr<const CompiledModel>& model, const std::vector<SampledChannel>& channels) {
  ChannelSamples samples(model, channels);
  Runner run(model, start_state(*model));
  samples.begin(run.state());
  run.advance(samples.last_time(), &samples);
  return samples.values();
}

std::shared_ptr<const CompiledModel> with_value(const CompiledModel& model, const std::string& path, double value) {
  Description description = model.description;
  set_values(description, {path}, {value});
  return compile(std::move(description));
}

/// Central differences of whole runs, at the smallest value of a parameter one-sided ones of second order.
Values differences(const CompiledModel& model, const Parameter& parameter, const std::vector<SampledChannel>& channels, double h) {
  const double value = *parameter.value;
  const bool central = value - h >= parameter.min;
  const auto run = [&](double change) { return run_of(with_value(model, parameter.path, value + change), channels); };
  Values up = run(h);
  const Values other = run(central ? -h : 2 * h), here = central ? other : run(0);
  for (std::size_t c = 0; c < up.size(); ++c)
    for (std::size_t k = 0; k < up[c].size(); ++k)
      up[c][k] = central ? (up[c][k] - other[c][k]) / (2 * h) : (4 * up[c][k] - other[c][k] - 3 * here[c][k]) / (2 * h);
  return up;
}

using test::sampled;

/// Every derivative agrees with differences, relative to the largest of its channel; small ones as far as differences resolve them. Parameters
/// that have no values beside their own are left out; at most `most`.
void expect_differences(const CompiledModel& model, const std::vector<std::string>& paths, const std::vector<SampledChannel>& channels,
                        double tolerance, std::size_t most = 0, double increment = 1e-4) {
  const ResponseSensitivity exact = response_sensitivity(model, paths, channels);
  ASSERT_EQ(exact.failure, "");
  Description description = model.description;
  const std::vector<Parameter> parameters = parameters_of(description);
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const Parameter& parameter =
        *std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& of) { return of.path == paths[i]; });
    const double h = increment * (*parameter.value == 0 ? 1 : std::abs(*parameter.value));
    Values difference;
    try {
      difference = differences(model, parameter, channels, h);
    } catch (const InputError&) {
      ++left_out;
      continue;
    }
    for (std::size_t c = 0; c < channels.size(); ++c) {
      ASSERT_EQ(exact.derivatives[i][c].size(), channels[c].times.size());
      double size = 0, largest = 0;
      for (std::size_t k = 0; k < difference[c].size(); ++k) {
        size = std::max({size, std::abs(difference[c][k]), std::abs(exact.derivatives[i][c][k])});
        largest = std::max(largest, std::abs(exact.values[c][k]));
      }
      for (std::size_t k = 0; k < difference[c].size(); ++k)
        EXPECT_NEAR(exact.derivatives[i][c][k], difference[c][k], tolerance * size + 1e-10 * largest / h)
            << channels[c].name << " by " << paths[i] << " at " << channels[c].times[k] << " s";
    }
  }
  EXPECT_LE(left_out, most);
}

TEST(ResponseSensitivity, OfAFallIsItsClosedForm) {
  const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {a: {point_mass: {mass: 3 kg}}}
joints: {a: {prismatic: {parent: ground, axis: z}, position: 2 m, speed: 0.5 m/s}}
solver: {step: 10 ms, duration: 1 s}
)");
  const std::vector<SampledChannel> channels = sampled({"a.position", "energy.kinetic"}, 1, 50);
  const ResponseSensitivity exact =
      response_sensitivity(*model, {"gravity.2", "bodies.a.point_mass.mass", "joints.a.position", "joints.a.speed"}, channels);
  for (std::size_t k = 0; k < channels[0].times.size(); ++k) {
    const double t = channels[0].times[k], v = 0.5 - 9.81 * t;
    EXPECT_NEAR(exact.derivatives[0][0][k], t * t / 2, 1e-12);
    EXPECT_NEAR(exact.derivatives[1][0][k], 0, 1e-12);
    EXPECT_NEAR(exact.derivatives[2][0][k], 1, 1e-12);
    EXPECT_NEAR(exact.derivatives[3][0][k], t, 1e-12);
    EXPECT_NEAR(exact.derivatives[0][1][k], 3 * v * t, 1e-11);
    EXPECT_NEAR(exact.derivatives[1][1][k], v * v / 2, 1e-11);
  }
}

/// A sample on the jump of a load, which does not move with it: of the sides, on which derivatives differ, that of later samples.
TEST(ResponseSensitivity, SamplesAtAJumpMoveWithoutIt) {
  const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {m: {point_mass: {mass: 2 kg}}}
joints: {m: {prismatic: {parent: ground, axis: x}, position: 0.1, speed: 0.05}}
springs: {k: {joint: m, stiffness: 50, damping: 3, rest: 0}}
forces: {f: {joint: m, load: 1 N, signal: c}, g: {joint: m, load: 1 N, signal: r}}
signals: {r: {steps: [[0, 0.3], [0.4, 5]]}}
control: {c: {gain: {input: m.speed, gain: -1.5}, period: 10 ms, offset: 20 ms, latency: 2 ms}}
solver: {step: 1 ms, duration: 1 s, constraints: double_step, integrator: rk4}
)");
  const std::vector<SampledChannel> channels{{"m.position", {0.303, 0.453, 0.605, 0.903}}};
  const std::vector<std::string> paths{"control.c.period", "control.c.offset", "control.c.latency"};
  const ResponseSensitivity exact = response_sensitivity(*model, paths, channels);
  ASSERT_EQ(exact.failure, "");
  const Values here = run_of(model, channels);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const double h = 1e-7, value = values_of(model->description, {paths[i]})[0];
    const Values later = run_of(with_value(*model, paths[i], value + h), channels);
    double size = 0;
    for (std::size_t k = 0; k < here[0].size(); ++k) size = std::max(size, std::abs(later[0][k] - here[0][k]) / h);
    for (std::size_t k = 0; k < here[0].size(); ++k)
      EXPECT_NEAR(exact.derivatives[i][0][k], (later[0][k] - here[0][k]) / h, 1e-3 * size) << paths[i] << " at " << channels[0].times[k];
  }
  const ResponseGradient backward = response_gradient(
      *model, paths, channels, [&](const Values& values) { return SumWeights{{std::vector<double>(values[0].size(), 1.0)}}; });
  for (std::size_t i = 0; i < paths.size(); ++i) {
    double sum = 0;
    for (const double d : exact.derivatives[i][0]) sum += d;
    EXPECT_NEAR(backward.gradients[0][i], sum, 1e-9 * std::abs(sum) + 1e-12) << paths[i];
  }
}

/// A crank with its end on a circle: closed at the stated angles, so that assembly has nothing to do, and has derivatives all the same.
TEST(ResponseSensitivity, ContainsTheAssemblyOfLoops) {
  const auto model = test::load_example("four_bar", {"solver.duration=0.01"});
  std::vector<std::string> paths;
  Description description = model->description;
  for (const Parameter& parameter : parameters_of(description))
    if (parameter.path.starts_with("bodies.") || parameter.path.starts_with("loops.") || parameter.path.starts_with("joints."))
      paths.push_back(parameter.path);
  ASSERT_GT(paths.size(), 10U);
  expect_differences(*model, paths, sampled({"crank.angle", "coupler.angle", "rocker.angle", "lift.length"}, 0.01, 2), 1e-6,
                     paths.size() / 2);
}

/// Where the machine leaves its plane, its redundant constraints have other multipliers.
TEST(ResponseSensitivity, ANumberThatLeavesThePlaneDoesNotChangeTheOthers) {
  const auto model = test::load_example("ladder", {"solver.duration=0.02"});
  const std::vector<SampledChannel> channels = sampled({"w8.multiplier_1"}, 0.02, 2);
  const std::string path = "joints.h4.revolute.at.0";
  const double alone = response_sensitivity(*model, {path}, channels).derivatives[0][0].back();
  const ResponseSensitivity both = response_sensitivity(*model, {"joints.v0.revolute.orientation.0", path}, channels);
  EXPECT_NEAR(both.derivatives[1][0].back(), alone, 1e-12 * std::abs(alone));
  EXPECT_NE(alone, 0);
}

struct Case {
  const char* name;
  bool spatial;
  std::vector<std::string> set;
  double increment = 1e-4;  // relative; shorter where stages meet the kink of a bristle at rest
  std::size_t every = 3;    // parameters differentiated: all, or every third
  double duration = 0.03;   // [s]
};

class BusyMachine : public testing::TestWithParam<Case> {};

/// All parameters of a machine with all elements, or some of them by other rules.
TEST_P(BusyMachine, HasTheDerivativesOfDifferences) {
  std::vector<std::string> set = GetParam().set;
  const double duration = GetParam().duration;
  set.insert(set.end(), {"solver.duration=" + std::to_string(duration), "solver.tolerance_position=1e-12"});
  const auto model = test::model_from(test::busy_machine(GetParam().spatial), set);
  std::vector<std::string> paths;
  Description description = model->description;
  for (const Parameter& parameter : parameters_of(description)) {
    // numbers that are 0 are differentiated where runs with small ones beside are those of the same machine: places and directions
    const std::string& path = parameter.path;
    const auto has = [&](const char* part) { return path.find(part) != std::string::npos; };
    if (*parameter.value != 0 || has(".at.") || has("orientation") || has("gravity") || has("center_of_mass") || has("stiffening"))
      paths.push_back(path);
  }
  ASSERT_GT(paths.size(), 100U);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < paths.size(); i += GetParam().every) paths[kept++] = paths[i];
  paths.resize(kept);
  const std::vector<SampledChannel> channels = sampled(
      {"base.position", "arm.angle", "arm.rate", "v2.pressure", "lift.force", "swing.friction", "energy.kinetic", "energy.potential"},
      duration, 6);
  expect_differences(*model, paths, channels, 2e-5, 0, GetParam().increment);
}

INSTANTIATE_TEST_SUITE_P(
    , BusyMachine,
    testing::Values(
        Case{"Plane", false, {}, 1e-4, 1}, Case{"Space", true, {}, 1e-4, 1}, Case{"DoubleStep", true, {"solver.constraints=double_step"}},
        Case{"Cartesian", false, {"solver.coordinates=cartesian"}}, Case{"Bdf2", false, {"solver.integrator=bdf2"}},
        Case{"Esdirk3", true, {"solver.integrator=esdirk3"}}, Case{"GeneralizedAlpha", false, {"solver.integrator=generalized_alpha"}},
        Case{"RungeKutta", true, {"solver.integrator=rk4", "solver.constraints=double_step", "solver.step=0.05 ms"}, 1e-5, 3, 0.012}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(ResponseSensitivity, OfAControlledMachine) {
  const auto model =
      test::load_example("position_servo", {"solver.duration=3", "signals.steps.steps.1.0=2.8003 s", "solver.oil_rule=trapezoidal"});
  const std::vector<std::string> paths = {"signals.steps.steps.1.0", "signals.steps.steps.1.1", "control.approach.lead_lag.lag",
                                          "control.position.pid.gain", "control.position.pid.integral_time"};
  const ChannelReader reader(model);
  std::vector<std::string> names;
  for (const Channel& channel : reader.channels())
    if (channel.name.ends_with(".length") || channel.name.ends_with(".pressure")) names.push_back(channel.name);
  ASSERT_FALSE(names.empty());
  expect_differences(*model, paths, sampled(names, 3, 30), 1e-4, 0, 1e-5);
}

/// Samples on points of the time grid, which are ends of steps anyway.
TEST(ResponseSensitivity, ContainsTheInstantsOfSamples) {
  const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {lever: {rod: {length: 2 m, mass: 100 kg}}}
joints: {lever: {revolute: {parent: ground, axis: z}, angle: 20 deg}}
forces: {f: {joint: lever, load: 1 N m, signal: command}}
signals: {w: {sine: {amplitude: 500, frequency: 7 Hz, phase: 0.3, offset: 1}}}
control: {command: {gain: {input: w, gain: 1}, period: 5 ms, latency: 1 ms}}
solver: {step: 1 ms, duration: 80 ms}
)");
  expect_differences(*model, {"control.command.period", "control.command.latency", "control.command.gain.gain"},
                     sampled({"lever.angle"}, 0.08, 80), 5e-3, 0, 4e-4);
}

/// A film has no slope at rest.
TEST(ResponseSensitivity, OfFrictionWithAFilmAtRest) {
  for (const char* states : {"local", "monolithic"}) {
    const auto model = test::load_example("four_bar_lift", {"cylinders.lift.friction.model=modified_lugre", "solver.duration=1.5",
                                                            std::string("cylinders.lift.friction.states=") + states});
    expect_differences(*model, {"gravity.1", "cylinders.lift.bore"}, sampled({"beam.angle", "lift.length"}, 1.5, 15), 1e-4);
  }
}

/// Volumes of the excavator rest at the pressure of the tank behind check valves, open or closed by rounding: on one side of the kink or the other
/// from step to step. Without the rounded kink the derivatives in return.pressure grow 100 times within 30 ms, and those of the first machine
/// by any factor over its run.
TEST(ResponseSensitivity, AtOneWayValvesAtRestIsNotThatOfRounding) {
  const std::string edges = "valves.boom_valve.directional.edges.";
  expect_differences(*test::load_example("excavator", {"solver.duration=1.2"}), {edges + "B_T.opening.0.1", edges + "L_T.opening.0.1"},
                     sampled({"boom.angle", "return.pressure", "boom_B.pressure"}, 1.2, 12), 0.01, 0, 1e-6);
  const ResponseSensitivity exact =
      response_sensitivity(*test::load_example("excavator_autonomous", {"solver.duration=0.06"}), {"volumes.return.pressure"},
                           sampled({"return.pressure", "boom_B.pressure", "arm_B.pressure"}, 0.06, 60));
  ASSERT_EQ(exact.failure, "");
  const double largest[] = {
      3, 20, 60};  // 1.4, 9, and 27 with the rounded kink, 14, 15 and 82 by differences over 0.01 Pa, 286, 110 and 136 without
  for (std::size_t c = 0; c < 3; ++c)
    for (const double derivative : exact.derivatives[0][c]) EXPECT_LE(std::abs(derivative), largest[c]) << c;
}

TEST(ResponseSensitivity, DoesNotDependOnThreadsAndNeighbours) {
  const auto model = test::model_from(test::busy_machine(false));
  const std::vector<std::string> paths = {"gravity.1",     "cylinders.lift.bore", "volumes.v1.volume", "springs.hinge.stiffness",
                                          "fluid.density", "bodies.weight.mass"};
  const std::vector<SampledChannel> channels = sampled({"arm.angle", "v2.pressure"}, 0.05, 5);
  const ResponseSensitivity all = response_sensitivity(*model, paths, channels, 2),
                            again = response_sensitivity(*model, paths, channels, 1);
  EXPECT_EQ(all.derivatives, again.derivatives);
  EXPECT_EQ(all.values, again.values);
  const ResponseSensitivity alone = response_sensitivity(*model, {paths[5]}, channels);
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(alone.derivatives[0][1][k], all.derivatives[5][1][k], 1e-9 * (1 + std::abs(alone.derivatives[0][1][k])));
}

/// An explicit step slightly beyond its stability: the run ends after 31 steps.
TEST(ResponseSensitivity, KeepsWhatARunReached) {
  const auto model = test::model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {a: {point_mass: {mass: 1 kg}}}
joints: {a: {prismatic: {parent: ground, axis: x}, position: 1 m}}
springs: {s: {joint: a, stiffness: 410 N/m, rest: 0}}
solver: {step: 0.1 s, duration: 100 s, integrator: semi_implicit_euler, constraints: double_step}
)");
  const ResponseSensitivity result = response_sensitivity(*model, {"springs.s.stiffness"}, sampled({"a.position"}, 100, 1000));
  EXPECT_NE(result.failure.find("simulation failed"), std::string::npos) << result.failure;
  EXPECT_GT(result.values[0].size(), 10U);
  EXPECT_LT(result.values[0].size(), 1000U);
  EXPECT_EQ(result.values[0].size(), result.derivatives[0][0].size());
}

TEST(ResponseSensitivity, RefusesWhatHasNone) {
  const auto refusal = [](const std::shared_ptr<const CompiledModel>& model, const std::vector<std::string>& paths) -> std::string {
    try {
      (void)response_sensitivity(*model, paths, {});
      return "";
    } catch (const InputError& error) { return error.diagnostics().front().text(); }
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const auto model = test::model_from(test::busy_machine(false));
  EXPECT_TRUE(has(refusal(model, {"cylinders.lift.bor"}), "did you mean 'cylinders.lift.bore'?"));
  EXPECT_TRUE(has(refusal(model, {"gravity.1", "gravity.1"}), "more than once"));
  EXPECT_TRUE(has(refusal(model, {"solver.step"}), "no such parameter"));
  EXPECT_TRUE(has(refusal(test::model_from(test::kPendulum, {"solver.integrator=cvode", "solver.constraints=double_step"}), {"gravity.1"}),
                  "solver.integrator"));
  EXPECT_EQ(refusal(model, {"gravity.1"}), "");
}

}  // namespace
}  // namespace trunnion
