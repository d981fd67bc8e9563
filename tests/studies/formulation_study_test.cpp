// The study of formulations. Reference: its definitions applied to runs of their own, and the orders of the rules.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/formulation_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "file/model_file.h"
#include "run/run.h"

namespace trunnion {
namespace {

FormulationRequest request() {
  FormulationRequest r;
  r.machine = load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar_lift.yaml",
                         {parse_override("solver.duration=0.2 s"), parse_override("signals.command.steps=[[0.05 s, 10]]")});
  r.steps = {1e-3, 5e-4};
  r.repeats = 1;
  r.threads = 2;
  return r;
}

const FormulationStudy& study() {
  static const FormulationStudy made = formulation_study(request());
  return made;
}

const FormulationRun& run_of(ConstraintKind constraints, CoordinateKind coordinates, IntegratorKind integrator, double step) {
  return *std::find_if(study().runs.begin(), study().runs.end(), [&](const FormulationRun& run) {
    return run.constraints == constraints && run.coordinates == coordinates && run.integrator == integrator && run.step == step;
  });
}

TEST(FormulationStudy, MarksCombinationsThatDoNotExist) {
  EXPECT_EQ(study().runs.size(), 4U * 2 * 8 * 2);
  for (const FormulationRun& run : study().runs) {
    const bool is_explicit = run.integrator == IntegratorKind::rk4 || run.integrator == IntegratorKind::euler ||
                             run.integrator == IntegratorKind::semi_implicit_euler;
    const bool exists = run.constraints == ConstraintKind::penalty ? !is_explicit
                        : run.constraints == ConstraintKind::ali1  ? is_explicit
                                                                   : true;
    EXPECT_EQ(run.status != FormulationRun::Status::impossible, exists) << run.reason;
    EXPECT_EQ(run.reason.empty(), run.status == FormulationRun::Status::completed);
    EXPECT_EQ(std::isnan(run.coordinate_error), run.status != FormulationRun::Status::completed);
  }
}

TEST(FormulationStudy, ExplicitRulesBeyondTheirLimitFailAndTheOthersComplete) {
  EXPECT_EQ(run_of(ConstraintKind::double_step, CoordinateKind::relative, IntegratorKind::euler, 1e-3).status,
            FormulationRun::Status::failed);
  for (const IntegratorKind integrator : {IntegratorKind::trapezoidal, IntegratorKind::bdf2, IntegratorKind::esdirk3})
    EXPECT_EQ(run_of(ConstraintKind::double_step, CoordinateKind::cartesian, integrator, 1e-3).status, FormulationRun::Status::completed);
}

TEST(FormulationStudy, ErrorsFallWithTheOrder) {
  const auto ratio = [&](IntegratorKind integrator) {
    return run_of(ConstraintKind::double_step, CoordinateKind::relative, integrator, 1e-3).coordinate_error /
           run_of(ConstraintKind::double_step, CoordinateKind::relative, integrator, 5e-4).coordinate_error;
  };
  EXPECT_NEAR(std::log2(ratio(IntegratorKind::trapezoidal)), 2, 0.3);
  EXPECT_GT(ratio(IntegratorKind::esdirk3), 5);
}

/// A mass falls on a rigid limit: the errors are those against bounces in closed form, of first order.
TEST(FormulationStudy, RigidLimitsAreJudgedByThoseOfMuchShorterSteps) {
  FormulationRequest r;
  r.machine = parse_model(R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies: {m: {point_mass: {mass: 2}}}
joints: {m: {prismatic: {parent: ground, axis: z}, position: 0.5, limits: {minimum: 0, rigid: true, restitution: 0.6}}}
solver: {duration: 1}
)",
                          "model.yaml");
  r.treatments = {ConstraintKind::penalty};
  r.coordinates = {CoordinateKind::relative};
  r.integrators = {IntegratorKind::trapezoidal};
  r.steps = {2e-3, 1e-3, 5e-4};
  r.repeats = 1;
  const auto bounce = [](double t) {
    constexpr double g = 9.81, e = 0.6;
    double speed = std::sqrt(2 * g * 0.5), begin = speed / g;
    if (t < begin) return 0.5 - g / 2 * t * t;
    for (speed *= e; t > begin + 2 * speed / g; speed *= e) begin += 2 * speed / g;
    return speed * (t - begin) - g / 2 * (t - begin) * (t - begin);
  };
  const FormulationStudy made = formulation_study(r);
  ASSERT_EQ(made.runs.size(), 3U);
  for (const FormulationRun& run : made.runs) {
    Description d = r.machine;
    d.solver.step = run.step;
    Runner runner(compile(std::move(d)));
    double error = 0;
    for (int k = 1; k <= 500; ++k) {
      runner.advance(2e-3 * k);
      error = std::max(error, std::abs(runner.state().q()[0] - bounce(2e-3 * k)));
    }
    EXPECT_NEAR(run.coordinate_error, 100 * error / 0.5, 0.15 * 100 * error / 0.5) << run.step;
  }
}

TEST(FormulationStudy, TablesHaveARowPerCombination) {
  const std::string csv = formulations_csv(study()), times = formulation_times_csv(study());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + static_cast<long>(study().runs.size()));
  EXPECT_EQ(std::count(times.begin(), times.end(), '\n'), 1 + static_cast<long>(study().runs.size()));
  EXPECT_NE(formulations_text(study()).find("-"), std::string::npos);
  EXPECT_EQ(formulations_plot(study()).panels.size(), 8U);
}

TEST(FormulationStudy, PanelsHaveCommonAxesAndNameImpossiblePairs) {
  const Plot plot = formulations_plot(study());
  for (const PlotPanel& panel : plot.panels) {
    EXPECT_EQ(panel.x.min, plot.panels.front().x.min);
    EXPECT_EQ(panel.y.max, plot.panels.front().y.max);
    EXPECT_EQ(panel.title.starts_with("penalty"), panel.title.ends_with("not with rk4, semi_implicit_euler, euler")) << panel.title;
  }
}

TEST(FormulationStudy, RepeatedChoicesCountOnceAndMachinesAtRestAreNamed) {
  FormulationRequest r = request();
  r.machine = load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar_lift.yaml", {parse_override("solver.duration=0.02 s")});
  r.treatments = {ConstraintKind::penalty, ConstraintKind::penalty};
  r.coordinates = {CoordinateKind::relative};
  r.integrators = {IntegratorKind::bdf2, IntegratorKind::bdf2};
  r.steps = {1e-3, 1e-3};
  const FormulationStudy at_rest = formulation_study(r);
  ASSERT_EQ(at_rest.runs.size(), 1U);
  EXPECT_EQ(at_rest.runs[0].status, FormulationRun::Status::completed);
  EXPECT_TRUE(std::isnan(at_rest.runs[0].coordinate_error));
  EXPECT_TRUE(formulations_text(at_rest).ends_with("at rest\n")) << formulations_text(at_rest);
}

TEST(FormulationStudy, StepsHaveCommonTimes) {
  FormulationRequest r = request();
  r.steps = {1e-3, 3e-4};
  EXPECT_THROW(formulation_study(r), Error);
}

}  // namespace
}  // namespace trunnion
