// The control of a run: time grid, jumps, statistics, snapshots, failure. Reference: closed forms that the trapezoidal rule meets exactly
// if and only if jumps are treated correctly, and equality to the last bit.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/run.h"
#include "run/make_stepper.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "machine/start.h"
#include "results/run_case.h"
#include "support/allocation_counter.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::busy_machine;
using test::load_example;
using test::model_from;

/// A block of 2 kg pushed by 6 N from t = jump on; duration 1 s.
std::shared_ptr<const CompiledModel> pushed_block(const std::string& jump, const std::string& step,
                                                  const std::vector<std::string>& more = {}) {
  std::vector<std::string> set{"signals.on.steps=[[" + jump + ", 1]]", "solver.step=" + step};
  set.insert(set.end(), more.begin(), more.end());
  return model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {block: {point_mass: {mass: 2 kg}}}
joints: {block: {prismatic: {parent: ground, axis: x}, position: 0.5 m, speed: 1 m/s}}
forces: {push: {joint: block, load: 6 N, signal: on}}
signals: {on: {steps: [[0.5 s, 1]]}}
solver: {step: 0.1 s, duration: 1 s}
)",
                    set);
}

double place(double t, double jump) { return 0.5 + t + (t > jump ? 0.5 * 3 * (t - jump) * (t - jump) : 0); }

struct Log final : RunWatcher {
  std::vector<double> times;
  std::vector<Side> sides;
  std::vector<bool> on_grid;
  std::vector<StateVector> states;
  void at(const StepRecord& m) override {
    times.push_back(m.state.time);
    sides.push_back(m.side);
    on_grid.push_back(m.on_grid);
    states.push_back(m.state);
  }
};

/// At constant speed x = t, whatever jumps and samples the steps of the multistep methods end at: a step that ends at a jump behind the
/// time that is asked for is interpolated there.
TEST(Runner, VariableStepsAreReadWhereTheyAreAskedFor) {
  for (const auto& [integrator, constraints] : {std::pair{"cvode", "double_step"}, {"ida", "baumgarte"}})
    for (const double h : {1e-3, 1e-2, 1e-1})
      for (const bool sampled : {false, true}) {
        const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{m: {{point_mass: {{mass: 1}}}}}}
joints: {{m: {{prismatic: {{parent: ground, axis: x}}, position: 0, speed: 1}}}}
forces: {{d: {{joint: m, load: 1e-9 N, signal: s}}, e: {{joint: m, load: 1e-9 N, signal: c}}}}
signals: {{s: {{steps: [[0, 0], [0.5013, 1], [0.70101, 0], [0.9013, 1], [1.1, 0], [1.30001, 2], [1.5013, 3]]}}}}
control: {{c: {{gain: {{input: m.position}}{}}}}}
solver: {{step: {}, duration: 2 s, constraints: {}, integrator: {}}}
)",
                                                  sampled ? ", period: 100 ms" : "", h, constraints, integrator));
        Runner run(model);
        Log log;
        run.advance(2, &log);
        ASSERT_GT(log.states.size(), 2U);
        for (const StateVector& state : log.states) EXPECT_NEAR(state.q()[0], state.time, 1e-7) << integrator << " " << h << " " << sampled;
      }
}

/// A pendulum on a slide that a smooth table moves, whose acceleration jumps at its points, between those of the grid: every rule keeps its
/// order. Reference: all treatments converge to it; with points at 0.2 s and 0.3 s it is that of DOP853 of scipy, -1.561456.
TEST(Runner, WhereTheAccelerationOfAMotionJumpsRulesKeepTheirOrder) {
  constexpr double kAngle = -1.56154332983;
  const auto error = [](const char* constraints, const char* integrator, double h) {
    Runner run(model_from(fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{c: {{point_mass: {{mass: 2}}}}, p: {{rod: {{length: 1, mass: 1}}}}}}
joints: {{c: {{prismatic: {{parent: ground, axis: x}}, position: 0}}, p: {{revolute: {{parent: c, axis: z}}, angle: -80 deg}}}}
motions: {{d: {{joint: c, signal: u}}}}
signals: {{u: {{table: [[0, 0], [0.2003, 0], [0.3007, 0.1]], smooth: true}}}}
solver: {{step: {}, duration: 1, constraints: {}, integrator: {}}}
)",
                                      h, constraints, integrator)));
    run.advance(1);
    return std::abs(run.state().q()[1] - kAngle);
  };
  struct Case {
    const char *constraints, *integrator;
    double ratio, error;  // of half the step; at 4 ms
  };
  for (const Case& c :
       {Case{"double_step", "trapezoidal", 3.7, 3e-4}, Case{"double_step", "bdf2", 3.5, 1e-3}, Case{"double_step", "hht", 3.5, 1e-3},
        Case{"double_step", "esdirk3", 7, 5e-7}, Case{"double_step", "rk4", 12, 6e-9}, Case{"baumgarte", "trapezoidal", 3.7, 3e-5},
        Case{"ali1", "rk4", 8, 3e-9}, Case{"penalty", "trapezoidal", 3.5, 3e-5}}) {
    const double coarse = error(c.constraints, c.integrator, 4e-3), fine = error(c.constraints, c.integrator, 2e-3);
    EXPECT_LT(coarse, c.error) << c.constraints << " " << c.integrator;
    EXPECT_GT(coarse / fine, c.ratio) << c.constraints << " " << c.integrator << " " << coarse;
  }
}

/// The same at the start of a sine, on a point of the grid and between two: the step before it has the acceleration before it.
TEST(Runner, WhereASineBeginsAMotionRulesKeepTheirOrder) {
  const auto angle = [](const char* constraints, const char* integrator, double h, const char* start) {
    Runner run(model_from(fmt::format(R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {{c: {{point_mass: {{mass: 2}}}}, p: {{rod: {{length: 1, mass: 1}}}}}}
joints: {{c: {{prismatic: {{parent: ground, axis: x}}, position: 0.3}}, p: {{revolute: {{parent: c, axis: z}}, angle: -60 deg}}}}
motions: {{d: {{joint: c, signal: u}}}}
signals: {{u: {{sine: {{amplitude: 0.3, frequency: 1, phase: 90 deg, start: {}}}}}}}
solver: {{step: {}, duration: 1, constraints: {}, integrator: {}}}
)",
                                      start, h, constraints, integrator)));
    run.advance(0.8);
    return run.state().q()[1];
  };
  for (const char* start : {"0.1", "0.1003"}) {
    const double exact = angle("double_step", "rk4", 2.5e-4, start);
    for (const auto& [constraints, integrator, ratio] :
         {std::tuple("double_step", "trapezoidal", 3.6), std::tuple("double_step", "bdf2", 3.5), std::tuple("double_step", "rk4", 10.0),
          std::tuple("baumgarte", "trapezoidal", 3.6), std::tuple("ali1", "rk4", 8.0), std::tuple("penalty", "trapezoidal", 3.6)}) {
      const double coarse = std::abs(angle(constraints, integrator, 4e-3, start) - exact),
                   fine = std::abs(angle(constraints, integrator, 2e-3, start) - exact);
      EXPECT_LT(coarse, 1e-3) << constraints << " " << integrator << " " << start;
      EXPECT_GT(coarse / fine, ratio) << constraints << " " << integrator << " " << start << " " << coarse;
    }
  }
}

TEST(Runner, AJumpOnAGridPointCostsNoAccuracy) {
  // 0.3 is not a multiple of 0.1 in binary: the grid uses the jump's own time
  for (const char* jump : {"0.1", "0.3", "0.6", "0.7", "0.9"}) {
    Runner run(pushed_block(jump, "0.1"));
    Log log;
    run.advance(1, &log);
    const double at = std::stod(jump);
    EXPECT_EQ(run.statistics().steps, 10) << jump;
    EXPECT_EQ(run.statistics().split_steps, 0) << jump;
    for (std::size_t i = 0; i < log.times.size(); ++i)
      EXPECT_NEAR(log.states[i].q()[0], place(log.times[i], at), 1e-14) << jump << " at " << log.times[i];
  }
}

TEST(Runner, AJumpInsideAStepSplitsIt) {
  Runner run(pushed_block("0.234", "0.1"));
  Log log;
  run.advance(1, &log);
  EXPECT_EQ(run.statistics().steps, 11);
  EXPECT_EQ(run.statistics().split_steps, 1);
  ASSERT_EQ(log.times.size(), 12U);  // 11 steps and the right limit at the jump
  EXPECT_EQ(log.times[2], 0.234);
  EXPECT_EQ(log.times[3], 0.234);
  EXPECT_EQ(log.sides[2], Side::left);
  EXPECT_EQ(log.sides[3], Side::right);
  EXPECT_FALSE(log.on_grid[2]);
  EXPECT_NEAR(log.states[2].a()[0], 0, 1e-14);
  EXPECT_DOUBLE_EQ(log.states[3].a()[0], 3);
  EXPECT_TRUE(log.on_grid[4]);
  for (std::size_t i = 0; i < log.times.size(); ++i) EXPECT_NEAR(log.states[i].q()[0], place(log.times[i], 0.234), 1e-14) << log.times[i];
}

TEST(Runner, WithoutSplittingTheStepLosesItsOrder) {
  Runner run(pushed_block("0.234", "0.1", {"solver.split_jumps=false"}));
  run.advance(1);
  EXPECT_EQ(run.statistics().steps, 10);
  EXPECT_EQ(run.statistics().split_steps, 0);
  EXPECT_GT(std::abs(run.state().q()[0] - place(1, 0.234)), 1e-3);
}

TEST(Runner, JumpsAtTheStartAndAtTheEndAreNoSplits) {
  Runner run(pushed_block("0", "0.1", {"signals.on.steps=[[0, 1], [1, 7]]"}));
  run.advance(1);
  EXPECT_EQ(run.statistics().steps, 10);
  EXPECT_NEAR(run.state().q()[0], place(1, 0), 1e-14);
  EXPECT_NEAR(run.state().a()[0], 3, 1e-13);  // the left limit
  run.step();
  EXPECT_NEAR(run.state().a()[0], 21, 1e-13);
}

TEST(StepSchedule, TheGridHoldsAfterVeryManySteps) {
  for (const char* step : {"1 ms", "0.7 ms", "0.1"}) {
    const auto model = pushed_block("0.5", step);
    const double h = model->description.solver.step;
    const StepSchedule schedule(*model);
    for (long k : {0L, 1L, 3L, 999L, 1'000'003L, 10'000'019L, 1'000'000'007L}) {
      const double t = static_cast<double>(k) * h, next = static_cast<double>(k + 1) * h;
      EXPECT_EQ(schedule.grid_index(t), k) << step;
      EXPECT_TRUE(schedule.on_grid(t)) << step << " " << k;
      EXPECT_FALSE(schedule.on_grid(t + 0.4 * h)) << step << " " << k;
      if (std::abs(next - 0.5) < h || std::abs(next - 1) < h) continue;  // jump and end have their own times
      EXPECT_EQ(schedule.next(t, 1e300), next) << step;
      EXPECT_EQ(schedule.next(t + 0.4 * h, 1e300), next) << step;
      EXPECT_EQ(schedule.length(t, next), h) << step;
      EXPECT_TRUE(schedule.reached(next, next));
      EXPECT_FALSE(schedule.reached(t, next));
    }
  }
}

/// A host that adds up its times asks for states shortly after the points of the grid: every other step is rounding alone.
TEST(Runner, VeryShortStepsCostNoAccuracy) {
  const auto model = load_example("four_bar", {"solver.duration=0.3"});
  Runner exact(model);
  exact.advance(0.3);
  for (const double after : {2e-12, 1e-11, 1e-9, 5e-8}) {
    Runner run(model);
    for (int k = 1; k < 300; ++k) run.advance(k * 1e-3 + after);
    run.advance(0.3);
    for (const char* channel : {"crank.angle", "lift.force"}) {
      const double expected = test::channel_at(model, exact.state(), channel);
      EXPECT_NEAR(test::channel_at(model, run.state(), channel), expected, 1e-5 * std::abs(expected)) << channel << " " << after;
    }
  }
  // a signal that jumps shortly after a point of the grid, or before one
  const auto with_jump = [](double at) {
    const auto model_at =
        load_example("four_bar", {"solver.duration=0.3", fmt::format("signals.command.steps=[[0, 0], [{:.17g}, 9]]", at)});
    Runner run(model_at);
    run.advance(0.3);
    return test::channel_at(model_at, run.state(), "crank.angle");
  };
  for (const double apart : {3e-12, -3e-12, 1e-10}) EXPECT_NEAR(with_jump(0.1 + apart), with_jump(0.1), 1e-8) << apart;
}

TEST(Runner, TheLastStepEndsAtTheDuration) {
  Runner run(pushed_block("0.5", "0.3"));
  Log log;
  run.advance(1, &log);
  EXPECT_EQ(run.state().time, 1);
  EXPECT_TRUE(log.on_grid.back());
  EXPECT_EQ(run.statistics().split_steps, 1);
  EXPECT_NEAR(run.state().q()[0], place(1, 0.5), 1e-14);
}

TEST(Runner, ASpoolWithoutTimeConstantJumpsWithItsSignal) {
  const auto model = load_example("four_bar", {"valves.valve.directional_4_3.time_constant=0", "solver.duration=1.1 s"});
  ASSERT_FALSE(model->force_jumps.empty());
  Runner run(model);
  Log log;
  run.advance(1, &log);
  const int spool = model->hydraulics.spools[0].state;
  EXPECT_EQ(run.state().y()[spool], 0);  // the step before uses the left limit
  run.step(&log);
  const auto right = std::find(log.sides.begin(), log.sides.end(), Side::right) - log.sides.begin();
  ASSERT_LT(static_cast<std::size_t>(right), log.states.size());
  EXPECT_EQ(log.states[static_cast<std::size_t>(right)].time, 1);
  EXPECT_EQ(log.states[static_cast<std::size_t>(right)].y()[spool], 10);
  EXPECT_GT(log.states[static_cast<std::size_t>(right)].ydot()[0], 1e8);  // sudden flow into v1
}

/// Runs to `middle`, saves, continues to `end`; also restores into a new run and continues.
void expect_continues(const std::shared_ptr<const CompiledModel>& model, double middle, double end) {
  Runner whole(model);
  whole.advance(end);
  Runner first(model);
  first.advance(middle);
  const StateVector saved = first.state();
  first.advance(end);
  EXPECT_TRUE(first.state() == whole.state()) << "stopping at " << middle << " changes the run";
  Runner second(model);
  second.advance(0.3 * middle);  // it was in another state
  second.restore(saved);
  second.advance(end);
  EXPECT_TRUE(second.state() == whole.state()) << "restoring at " << middle << " changes the run";
}

TEST(Runner, SaveRestoreContinueEqualsContinue) {
  const auto four_bar = load_example("four_bar", {"cylinders.lift.friction.model=modified_lugre"});
  for (double middle : {0.5, 0.999, 1.0, 1.001, 1.007, 2.5}) expect_continues(four_bar, middle, 2.6);
  const auto local =
      load_example("four_bar", {"cylinders.lift.friction.model=lugre", "cylinders.lift.friction.states=local", "solver.step=0.7 ms"});
  for (double middle : {0.7, 1.4}) expect_continues(local, middle, 1.5);  // 1 s lies inside a step
  const auto sudden = load_example("four_bar", {"valves.valve.directional_4_3.time_constant=0"});
  for (double middle : {0.999, 1.0, 1.001}) expect_continues(sudden, middle, 1.2);
  const auto spatial = model_from(busy_machine(true));
  expect_continues(spatial, 0.05, 0.1);
}

TEST(Runner, SteppingOneByOneEqualsRunning) {
  const auto model = load_example("four_bar", {"solver.step=0.7 ms"});
  Runner whole(model), single(model);
  whole.advance(1.4);
  while (single.state().time < 1.4 - 1e-9) single.step();
  EXPECT_TRUE(single.state() == whole.state());
  EXPECT_EQ(single.statistics().steps, whole.statistics().steps);
}

TEST(Runner, IsDeterministic) {
  const auto model = model_from(busy_machine(true));
  Runner a(model), b(model);
  a.advance(0.1);
  b.advance(0.1);
  EXPECT_TRUE(a.state() == b.state());
  EXPECT_EQ(a.statistics().iterations, b.statistics().iterations);
}

TEST(Runner, StatesOfAnotherModelAreRefused) {
  Runner run(load_example("four_bar"));
  EXPECT_THROW(run.restore(Runner(pushed_block("0.5", "0.1")).state()), Error);
}

TEST(Runner, StatisticsAddUp) {
  const auto model = load_example("four_bar", {"solver.duration=2 s"});
  Runner run(model);
  Log log;
  run.advance(2, &log);
  const RunStatistics& s = run.statistics();
  EXPECT_EQ(s.steps, 2000);
  EXPECT_EQ(log.times.size(), 2000U);
  EXPECT_EQ(std::accumulate(s.histogram.begin(), s.histogram.end(), 0L), s.steps);
  long iterations = 0;
  for (std::size_t i = 0; i < s.histogram.size(); ++i) iterations += static_cast<long>(i) * s.histogram[i];
  EXPECT_EQ(iterations, s.iterations);
  EXPECT_GT(s.step_seconds, 0);
  EXPECT_GT(s.max_violation, 0);
  EXPECT_LT(s.max_violation, 1e-10);
  EXPECT_LT(s.max_velocity_violation, 1e-7);
  EXPECT_EQ(s.capped_steps, 0);
}

TEST(Runner, CappedStepsAreCountedWhereTheUserAcceptsThem) {
  Runner run(load_example("four_bar", {"solver.max_iterations=1", "solver.accept_capped=true", "solver.duration=1.2 s"}));
  run.advance(1.2);
  EXPECT_GT(run.statistics().capped_steps, 10);
  EXPECT_EQ(run.statistics().max_iterations, 1);
}

TEST(Runner, CavitationIsCountedByVolume) {
  const auto model = load_example("four_bar", {"fluid.saturation_pressure=3 MPa", "fluid.free_air=1e-6", "solver.duration=1.2 s"});
  Runner run(model);
  Log log;
  run.advance(1.2, &log);
  for (std::size_t v = 0; v < 3; ++v) {
    const int state = model->hydraulics.nodes[static_cast<std::size_t>(model->hydraulics.volumes[v].node)].state;
    long below = 0;
    double lowest = 1e300, first = 0;
    for (const StateVector& s : log.states) {
      const double p = s.y()[state];
      if (p < 3e6 && below++ == 0) first = s.time;
      lowest = std::min(lowest, p);
    }
    EXPECT_EQ(run.statistics().cavitation[v].steps, below);
    EXPECT_EQ(run.statistics().cavitation[v].first_time, first);
    EXPECT_EQ(run.statistics().cavitation[v].lowest_pressure, lowest);
  }
  EXPECT_GT(run.statistics().cavitation[0].steps, 1000);
}

TEST(Runner, FailureSaysWhenWhereAndWhatToTry) {
  Runner run(load_example("four_bar", {"solver.max_iterations=1", "solver.divisions=0"}));
  Log log;
  try {
    run.advance(10, &log);
    FAIL() << "it should not get through";
  } catch (const SimulationError& error) {
    EXPECT_EQ(error.time(), run.state().time);
    EXPECT_EQ(error.time(), log.times.back());  // all valid states were reported
    EXPECT_TRUE(run.state() == log.states.back());
    EXPECT_NE(std::string(error.what()).find("v1.pressure"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("max_iterations"), std::string::npos) << error.what();
  }
}

TEST(Runner, HalvesAStepThatDoesNotConverge) {
  const auto run_with = [](const std::string& iterations, const std::string& divisions) {
    return run_case(load_example("four_bar", {"solver.max_iterations=" + iterations, "solver.divisions=" + divisions, "solver.step=4 ms",
                                              "solver.duration=2 s", "solver.oil_rule=trapezoidal"}));
  };
  const CaseResult whole = run_with("20", "6"), divided = run_with("2", "6"), failed = run_with("2", "0");
  ASSERT_TRUE(failed.failure);
  ASSERT_FALSE(divided.failure) << divided.failure->what();
  EXPECT_EQ(whole.statistics.divided_steps, 0);
  EXPECT_GT(divided.statistics.divided_steps, 0);
  EXPECT_LT(divided.statistics.divided_steps, 100);
  EXPECT_EQ(divided.statistics.steps, whole.statistics.steps);  // of the grid and of jumps
  const auto angle = [](const CaseResult& r) {
    const Recording& recording = r.recorder->recording();
    return recording.columns[static_cast<std::size_t>(recording.find("crank.angle"))];
  };
  const std::vector<double> a = angle(whole), b = angle(divided);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2e-4) << i;
}

TEST(Runner, AStepDoesNotAllocate) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  std::vector<std::shared_ptr<const CompiledModel>> models{
      model_from(busy_machine(false), {"solver.oil_rule=alpha"}),  // substeps may allocate
      model_from(busy_machine(true), {"solver.oil_rule=alpha"})};
  for (const char* law : {"bengisu_akay", "brown_mcphee", "lugre", "modified_lugre"})
    for (const char* states : {"monolithic", "local"})
      models.push_back(load_example(
          "four_bar", {std::string("cylinders.lift.friction.model=") + law, std::string("cylinders.lift.friction.states=") + states}));
  models.push_back(load_example("four_bar", {"solver.tangent=forward_difference"}));
  models.push_back(load_example("slewing_crane"));
  models.push_back(load_example("spatial_slider_crank"));
  models.push_back(load_example("bicycle"));
  models.push_back(load_example("excavator"));
  models.push_back(
      model_from(test::metering_machine("signals: {lever: {sine: {frequency: 1 Hz}}}\n"), {"valves.ph.orifice.time_constant=10 ms"}));
  for (const auto& model : models) {
    StateVector state = start_state(*model);
    const auto stepper = make_stepper(model);
    const long before = test::allocations();
    for (int i = 0; i < 5; ++i) {
      const StepOutcome report = stepper->step(state, model->description.solver.step);
      if (report.status == StepStatus::unresolved)
        stepper->accept(state);
      else
        ASSERT_TRUE(report.ok());
    }
    ASSERT_TRUE(stepper->restart(state));
    EXPECT_EQ(test::allocations(), before) << model->title;
  }
}

TEST(Runner, DrivingARunAllocatesNothingPerStep) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "another operator new is in use";
  Runner run(load_example("four_bar"));
  run.advance(0.1);
  const long before = test::allocations();
  run.advance(1.5);
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace trunnion
