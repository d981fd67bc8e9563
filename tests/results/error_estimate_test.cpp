// Error estimates. Reference: the phase of an oscillator under the trapezoidal rule in closed form, and runs with far smaller steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/error_estimate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechanics/tree.h"
#include "results/run_case.h"
#include "run/run.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::load_example;
using test::model_from;

/// A mass of 1 kg on a spring of 100 N/m, released at 0.1 m.
std::shared_ptr<const CompiledModel> oscillator(const std::string& step, const std::string& duration, const std::string& damping = "0",
                                                const std::string& solver = "") {
  return model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {w: {point_mass: {mass: 1}}}
joints: {w: {prismatic: {parent: ground, axis: x}, position: 0.1 m}}
springs: {s: {joint: w, stiffness: 100 N/m, rest: 0 m, damping: )" +
                    damping + "}}\nsolver: {step: " + step + ", duration: " + duration + solver + "}\n");
}
const WorstError& coordinate(const CaseResult& r) {
  static WorstError worst;
  const auto errors = accumulated_errors(*r.model, r.statistics);
  EXPECT_TRUE(errors);
  return worst = errors->coordinate;
}
/// The maximum difference of a channel from a run with a far smaller step, relative to its range [%].
double truth(const std::string& name, const std::vector<std::string>& set, const std::string& channel, double step) {
  std::vector<std::string> fine = set;
  fine.push_back("solver.step=" + std::to_string(step / 10));
  const CaseResult a = run_case(load_example(name, set)), b = run_case(load_example(name, fine));
  const MeasuredErrors found = measured_errors(*a.model, a.recorder->recording(), b.recorder->recording(), step, 20);
  for (const WorstError& c : found.channels)
    if (c.channel == channel) return c.percent;
  ADD_FAILURE() << channel;
  return 0;
}

TEST(ErrorEstimate, AnOscillatorsPhaseErrorIsWithinTheAccumulatedLocalErrors) {
  const double w = 10, T = 10;
  for (double h : {0.001, 0.002, 0.01}) {
    const CaseResult r = run_case(oscillator(std::to_string(h), std::to_string(T)));
    const WorstError& worst = coordinate(r);
    const double phase = w * T * (w * h) * (w * h) / 12;  // phase lag of the trapezoidal rule
    EXPECT_EQ(worst.channel, "w.position");
    EXPECT_NEAR(worst.error, 0.1 * 2 / std::numbers::pi * phase, 0.02 * 0.1 * phase) << h;  // mean of |cos|: 2/pi
    EXPECT_EQ(r.warnings.empty(), worst.percent < 1) << h;
  }
}

/// A tumbling body, whose rotation alone is inaccurate. Reference: a far smaller step.
TEST(ErrorEstimate, RotationsInSpaceHaveOne) {
  struct Turned {
    std::shared_ptr<const CompiledModel> model;
    StateVector state;
    WorstError worst;
  };
  const auto tumble = [](double h, const std::string& joint) {
    const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{b: {{mass: 1, inertia: [1, 2, 3]}}}}
joints: {{b: {{{}, angular_velocity: [10, 50, 1]}}}}
solver: {{step: {}, duration: 0.5 s}}
)",
                                              joint, h));
    Runner run(model);
    run.advance(0.5);
    return Turned{model, run.state(), accumulated_errors(*model, run.statistics())->coordinate};
  };
  for (const char* joint : {"spherical: {parent: ground}", "free: {parent: ground}, velocity: [1000, 0, 0]"}) {
    const Turned coarse = tumble(0.001, joint), fine = tumble(0.0001, joint);
    std::vector<double> apart(static_cast<std::size_t>(coarse.model->layout.nv));
    configuration_difference(std::get<Mechanism<3>>(coarse.model->mechanism).tree, fine.state.q(), coarse.state.q(), apart.data());
    const double truth = std::hypot(apart[apart.size() - 3], apart[apart.size() - 2], apart[apart.size() - 1]);
    EXPECT_TRUE(coarse.worst.channel.starts_with("b.rotation_")) << coarse.worst.channel;
    EXPECT_GT(coarse.worst.error, 0.1 * truth) << joint;
    EXPECT_LT(coarse.worst.error, 5 * truth) << joint;
    EXPECT_GT(truth, 1e-3);
    EXPECT_NEAR(coarse.worst.error / tumble(0.0005, joint).worst.error, 4, 0.2);
  }
}

/// Of all rules: neither far below the largest error on the way nor far above it.
TEST(ErrorEstimate, EveryIntegratorStatesOne) {
  struct Case {
    const char *integrator, *constraints, *step;
    double low, high;  // of estimate to truth
  };
  for (const Case& c : {Case{"rk4", "double_step", "10 ms", 0.5, 2}, Case{"rk4", "double_step", "1 ms", 0.5, 2},
                        Case{"semi_implicit_euler", "double_step", "10 ms", 0.5, 2},
                        Case{"semi_implicit_euler", "double_step", "1 ms", 0.5, 2}, Case{"euler", "double_step", "0.05 ms", 0.5, 2},
                        Case{"cvode", "double_step", "10 ms", 0.2, 20}, Case{"ida", "baumgarte", "10 ms", 0.2, 20}}) {
    const CaseResult r =
        run_case(oscillator(c.step, "10 s", "0", std::string(", integrator: ") + c.integrator + ", constraints: " + c.constraints));
    const Recording& recording = r.recorder->recording();
    const auto position = static_cast<std::size_t>(recording.find("w.position"));
    double truth = 0;
    for (std::size_t i = 0; i < recording.rows(); ++i)
      truth = std::max(truth, std::abs(recording.columns[position][i] - 0.1 * std::cos(10 * recording.columns[0][i])));
    const double error = coordinate(r).error;
    EXPECT_GT(error, c.low * truth) << c.integrator << " " << c.step;
    EXPECT_LT(error, c.high * truth) << c.integrator << " " << c.step;
    EXPECT_EQ(r.warnings.empty(), coordinate(r).percent < 1) << c.integrator << " " << c.step;
  }
}

TEST(ErrorEstimate, HalfTheStepMeasuresIt) {
  const double w = 10, T = 10, h = 0.01;
  CaseResult r = run_case(oscillator("10 ms", "10 s"));
  ASSERT_EQ(r.warnings.size(), 1U);
  EXPECT_NE(r.warnings[0].find("solver.step 0.005 s would keep it below 1 %"), std::string::npos) << r.warnings[0];
  measure_errors(r, StartKind::given);
  ASSERT_TRUE(r.measured);
  const auto found =
      std::find_if(r.measured->channels.begin(), r.measured->channels.end(), [](const WorstError& c) { return c.channel == "w.position"; });
  ASSERT_NE(found, r.measured->channels.end());
  const double phase = w * T * (w * h) * (w * h) / 12;
  EXPECT_NEAR(found->error, 0.1 * phase, 0.03 * 0.1 * phase);
  EXPECT_NEAR(found->percent, 50 * phase, 0.03 * 50 * phase);
  for (const WorstError& c : r.measured->channels) {  // errors have no errors, and rounding has none
    EXPECT_EQ(c.channel.rfind("solver.", 0), std::string::npos) << c.channel;
    EXPECT_NE(c.channel, "energy.drift");
    EXPECT_NE(c.channel, "energy.residual");
  }
  ASSERT_EQ(r.warnings.size(), 1U);
  EXPECT_NE(r.warnings[0].find("by halving the step"), std::string::npos) << r.warnings[0];
}

/// A second mass in its equilibrium moves by rounding only.
TEST(ErrorEstimate, RoundingIsNotMeasured) {
  const auto model = [](const char* offset) {
    return model_from(R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {w: {point_mass: {mass: 1}}, u: {point_mass: {mass: 3}}}
joints:
  w: {prismatic: {parent: ground, axis: x}, position: 0.1 m}
  u: {prismatic: {parent: ground, axis: z}, position: -0.0981 m}
springs:
  s: {joint: w, stiffness: 100 N/m, rest: 0 m}
  t: {joint: u, stiffness: 300 N/m, rest: )" +
                      std::string(offset) + R"(}
solver: {step: 10 ms, duration: 1 s}
)");
  };
  const auto measured = [&](const char* offset, const std::string& channel) {
    CaseResult r = run_case(model(offset));
    measure_errors(r, StartKind::given);
    return std::count_if(r.measured->channels.begin(), r.measured->channels.end(),
                         [&](const WorstError& c) { return c.channel == channel; });
  };
  EXPECT_EQ(measured("0 m", "w.position"), 1);
  EXPECT_EQ(measured("0 m", "u.position"), 0);
  EXPECT_EQ(measured("1 mm", "u.position"), 1);
}

TEST(ErrorEstimate, OfAMachineAtRestIsNoShareOfRounding) {
  for (const char* name : {"lever", "crane_single", "four_bar"}) {
    CaseResult r = run_case(load_example(name, {"solver.duration=0.05"}), {}, StartKind::equilibrium);
    measure_errors(r, StartKind::equilibrium);
    ASSERT_TRUE(r.measured);
    for (const WorstError& c : r.measured->channels) EXPECT_LT(c.percent, 1) << name << " " << c.channel;
  }
  // the same where every coordinate is zero
  CaseResult r = run_case(model_from(R"(
trunnion: 1
bodies: {rod: {rod: {length: 1 m, mass: 2 kg}}, w: {point_mass: {mass: 3}}}
joints: {rod: {revolute: {parent: ground, axis: z}, angle: 0 deg}, w: {prismatic: {parent: rod, axis: x}, position: 0 m}}
springs: {t: {joint: rod, stiffness: 300 N m/rad, rest: 1e-13 rad}, s: {joint: w, stiffness: 300 N/m, rest: 1e-13 m}}
gravity: [0, 0, 0]
solver: {step: 1 ms, duration: 1 s}
)"));
  measure_errors(r, StartKind::given);
  ASSERT_TRUE(r.measured);
  for (const WorstError& c : r.measured->channels) EXPECT_LT(c.percent, 1) << c.channel;
}

TEST(ErrorEstimate, TheNamedToleranceIsSufficient) {
  const auto run = [](double tolerance) {
    return run_case(oscillator("10 ms", "10 s", "0",
                               fmt::format(", integrator: cvode, constraints: double_step, reference_tolerance: {:g}", tolerance)));
  };
  const CaseResult coarse = run(3e-2);
  ASSERT_EQ(coarse.warnings.size(), 1U);
  const std::string before = "a solver.reference_tolerance of ";
  const std::size_t at = coarse.warnings[0].find(before);
  ASSERT_NE(at, std::string::npos) << coarse.warnings[0];
  EXPECT_TRUE(run(std::stod(coarse.warnings[0].substr(at + before.size()))).warnings.empty());
}

TEST(ErrorEstimate, DampedOnesAreBelowIt) {
  const CaseResult r = run_case(oscillator("2 ms", "10 s", "4 N s/m"));
  EXPECT_LT(coordinate(r).percent, 1);
  EXPECT_TRUE(r.warnings.empty());
}

/// The four-bar of the linearisation paper with a hundredth of its friction: accurate in its first oscillation, out of phase at the end.
TEST(ErrorEstimate, ALightlyDampedMachineAtItsShippedStepWarns) {
  const std::vector<std::string> hundredth{"cylinders.lift.friction.coulomb=2.1", "cylinders.lift.friction.static=8.3",
                                           "cylinders.lift.friction.viscous=3.3"};
  const CaseResult r = run_case(load_example("four_bar_linear", hundredth));
  const double off = truth("four_bar_linear", hundredth, "crank.angle", 1e-3);
  EXPECT_GT(off, 10);
  EXPECT_GT(coordinate(r).percent, off);
  ASSERT_FALSE(r.warnings.empty());
  EXPECT_NE(r.warnings[0].find("solver.step 0.0001 s"), std::string::npos) << r.warnings[0];
  std::vector<std::string> finer = hundredth;
  finer.emplace_back("solver.step=0.0001");
  EXPECT_LT(coordinate(run_case(load_example("four_bar_linear", finer))).percent, 1);
  EXPECT_TRUE(run_case(load_example("four_bar_linear")).warnings.empty());
}

TEST(ErrorEstimate, RunsWithoutSuchStepsAreRefused) {
  for (const char* set : {"solver.integrator=cvode", "solver.coupling=cosimulation"}) {
    const auto model = load_example("lever", {set, "solver.constraints=double_step", "solver.duration=0.01"});
    EXPECT_THROW(check_measurable(*model), InputError) << set;
  }
}

/// Of its communication steps.
TEST(ErrorEstimate, ACoSimulationStatesOne) {
  const auto error = [](const char* step) {
    return coordinate(run_case(load_example("crane_single", {"solver.coupling=cosimulation", step, "solver.duration=2"}))).error;
  };
  const double whole = error("coupling.step=1 ms"), half = error("coupling.step=0.5 ms");
  EXPECT_LT(half, whole / 2);
  EXPECT_GT(half, whole / 10);
}

TEST(ErrorEstimate, StepsAreRoundNumbers) {
  EXPECT_NEAR(step_for(1e-3, 4, 2), 5e-4, 1e-15);
  EXPECT_NEAR(step_for(1e-3, 49, 2), 1e-4, 1e-15);
  EXPECT_NEAR(step_for(1e-3, 0.2, 2), 1e-3, 1e-15);
  EXPECT_NEAR(step_for(1e-2, 16, 4), 5e-3, 1e-15);
}

}  // namespace
}  // namespace trunnion
