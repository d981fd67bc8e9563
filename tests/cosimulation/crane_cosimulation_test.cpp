// Co-simulated machines in runs: the cranes of the paper compared with independent solutions (tests/data,
// tests/problems/crane_reference.h), and with the monolithic runs of the same machine.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/coupling_memory.h"
#include "problems/reference_table.h"
#include "results/error_estimate.h"
#include "results/run_case.h"
#include "support/allocation_counter.h"
#include "support/machines.h"

namespace trunnion::test {
using problems::read_reference_table;
using problems::ReferenceTable;

namespace {

using Settings = std::vector<std::string>;

Settings cosimulated(Settings more) {
  more.insert(more.begin(), "solver.coupling=cosimulation");
  return more;
}

/// Lengths [m] of lift and tilt from the joint angles of the cranes, by the cosine law.
double lift_length(const StateVector& s) { return std::sqrt(1 - std::sqrt(0.75) * std::cos(s.q()[0])); }
double tilt_length(const StateVector& s) { return std::sqrt(0.3125 + 0.25 * std::cos(s.q()[1])); }

/// Maximum error [m] of a length of the crane at the rows of the table, to `end` [s].
double length_error(const std::string& name, const Settings& settings, double end = 10) {
  const ReferenceTable table = read_reference_table(name);
  Runner run(load_example(name, cosimulated(settings)));
  const StepSchedule schedule(*run.model());
  double error = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double t = table.at(row, "time");
    if (t > end || !schedule.on_grid(t)) continue;
    run.advance(t);
    error = std::max(error, std::abs(lift_length(run.state()) - table.at(row, "lift.length")));
    if (name == "crane_double") error = std::max(error, std::abs(tilt_length(run.state()) - table.at(row, "tilt.length")));
  }
  return error;
}

class CosimulatedCrane : public ::testing::TestWithParam<const char*> {};

TEST_P(CosimulatedCrane, SequentialAtTenMillisecondsIsWithinTwoMicrometres) {
  EXPECT_LT(length_error(GetParam(), {"coupling.scheme=sequential", "coupling.step=10 ms"}), 2e-6);
}
TEST_P(CosimulatedCrane, SequentialIsStableAtFortyMilliseconds) {
  EXPECT_LT(length_error(GetParam(), {"coupling.scheme=sequential", "coupling.step=40 ms"}), 1e-4);
}
TEST_P(CosimulatedCrane, ParallelAtTenMillisecondsIsWithinTwentyMicrometres) {
  EXPECT_LT(length_error(GetParam(), {"coupling.scheme=parallel", "coupling.step=10 ms"}), 20e-6);
}
TEST_P(CosimulatedCrane, ParallelIsStableAtTwentyMilliseconds) {
  EXPECT_LT(length_error(GetParam(), {"coupling.scheme=parallel", "coupling.step=20 ms"}), 1e-4);
}
TEST_P(CosimulatedCrane, JacobiOfOrderOneAtOneMillisecondFollowsTheReference) {
  for (const char* variables : {"coupling.variables=velocity_force", "coupling.variables=velocity_pressure"})
    EXPECT_LT(length_error(GetParam(), {"coupling.extrapolation=1", variables}), 1e-5) << variables;
}
TEST_P(CosimulatedCrane, TheInterfaceModelReachesStepsThatPolynomialsDoNot) {
  EXPECT_LT(length_error(GetParam(), {"coupling.prediction=interface_model", "coupling.mechanism.extrapolation=0", "coupling.step=5 ms"}),
            1e-3);
}
INSTANTIATE_TEST_SUITE_P(Cylinders, CosimulatedCrane, ::testing::Values("crane_single", "crane_double"),
                         [](const auto& parameter) { return std::string(parameter.param).substr(6); });

/// Final state of a run.
StateVector end_of(const std::string& name, const Settings& settings, double end) {
  Runner run(load_example(name, settings));
  run.advance(end);
  return run.state();
}

/// Without drag as damping, the schemes must be stable themselves.
TEST(CraneSchemes, BeyondThePaperNeedNoViscousDrag) {
  const auto length = [](Settings settings) {
    settings.push_back("cylinders.lift.viscous=0");
    return lift_length(end_of("crane_single", settings, 5));
  };
  const double monolithic = length({"solver.step=0.1 ms"});
  EXPECT_NEAR(length(cosimulated({"coupling.scheme=sequential", "coupling.step=10 ms"})), monolithic, 2e-6);
  EXPECT_NEAR(length(cosimulated({"coupling.scheme=parallel", "coupling.step=10 ms"})), monolithic, 20e-6);
}

/// Three cylinders, compared with the monolithic run at the same step of the mechanism; before the first stop.
TEST(CraneSchemes, TakeThreeCylinders) {
  const StateVector monolithic = end_of("crane_triple", {"solver.step=0.25 ms"}, 2);
  for (const char* scheme : {"coupling.scheme=sequential", "coupling.scheme=parallel"}) {
    const StateVector state = end_of("crane_triple", cosimulated({scheme, "coupling.step=10 ms"}), 2);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(state.q()[i], monolithic.q()[i], 2e-5) << scheme << " " << i;
  }
}

/// The order that the extrapolation predicts, of the length before the first stop.
TEST(CraneSchemes, ConvergeWithTheOrderOfTheExtrapolation) {
  const auto order = [](const Settings& settings) {
    const auto error = [&](const char* step) {
      Settings all = settings;
      all.insert(all.end(), {std::string("coupling.step=") + step, "solver.step=0.25 ms"});
      return length_error("crane_single", all, 3.3);
    };
    return std::log2(error("2 ms") / error("1 ms"));
  };
  EXPECT_NEAR(order({"coupling.extrapolation=0"}), 1, 0.1);
  EXPECT_NEAR(order({"coupling.extrapolation=1"}), 2, 0.15);
  EXPECT_NEAR(order({"coupling.scheme=gauss_seidel", "coupling.extrapolation=0"}), 1, 0.1);
}

/// Iterated, order 1: trapezoidal mechanism and oil converge to the monolithic trapezoidal rule with fine oil.
TEST(CraneSchemes, IterationReachesTheMonolithicSolution) {
  const StateVector iterated = end_of("crane_single", cosimulated({"coupling.scheme=iterated_jacobi", "coupling.step=0.5 ms"}), 2),
                    monolithic = end_of("crane_single", {"solver.step=0.1 ms"}, 2);
  EXPECT_NEAR(lift_length(iterated), lift_length(monolithic), 5e-8);
}

std::vector<Settings> all_schemes() {
  return {{"coupling.scheme=jacobi", "coupling.extrapolation=1", "coupling.acceleration=true"},
          {"coupling.scheme=jacobi", "coupling.variables=velocity_force", "coupling.friction=hydraulics", "coupling.extrapolation=1"},
          {"coupling.scheme=jacobi", "coupling.prediction=interface_model"},
          {"coupling.scheme=jacobi", "coupling.hydraulics.integrator=trapezoidal", "coupling.control.tolerance=1e-4"},
          {"coupling.scheme=gauss_seidel", "coupling.order=mechanism_first"},
          {"coupling.scheme=iterated_jacobi"},
          {"coupling.scheme=sequential", "coupling.step=5 ms"},
          {"coupling.scheme=parallel", "coupling.step=5 ms"}};
}

TEST(CraneSchemes, SaveRestoreAndContinueIsContinue) {
  for (const Settings& settings : all_schemes()) {
    const auto model = load_example("crane_double", cosimulated(settings));
    Runner straight(model), other(model);
    straight.advance(0.6);
    const StateVector saved = straight.state();
    straight.advance(0.8);
    other.restore(saved);
    other.advance(0.8);
    EXPECT_TRUE(straight.state() == other.state()) << settings[0] << " " << settings.back();
  }
}

TEST(CraneSchemes, ThreadsChangeNoBit) {
  for (Settings settings : all_schemes()) {
    const StateVector one = end_of("crane_double", cosimulated(settings), 0.7);
    settings.push_back("coupling.threads=2");
    EXPECT_TRUE(one == end_of("crane_double", cosimulated(settings), 0.7)) << settings[0] << " " << settings[1];
  }
}

TEST(CraneSchemes, AStepAllocatesNothing) {
  if (!allocations_are_counted()) GTEST_SKIP();
  for (const Settings& settings : all_schemes()) {
    Runner run(load_example("crane_double", cosimulated(settings)));
    run.advance(0.6);
    StateVector state = run.state();
    const double h = grid_step(run.model()->description);
    const long before = allocations();
    for (int i = 0; i < 5; ++i) run.stepper().step(state, h);
    run.stepper().restart(state);
    EXPECT_EQ(allocations(), before) << settings[0] << " " << settings.back();
  }
}

/// Friction with states, on either side, in a closed loop and with the jumping command of the friction paper.
TEST(CosimulatedFourBar, FollowsTheMonolithicRunWithLuGre) {
  const Settings lugre{"cylinders.lift.friction.model=lugre"};
  const StateVector monolithic = end_of("four_bar", lugre, 1.3);
  for (const Settings& settings :
       {Settings{"coupling.scheme=sequential"}, Settings{"coupling.scheme=parallel"}, Settings{"coupling.step=0.5 ms"},
        Settings{"coupling.step=0.5 ms", "coupling.variables=velocity_force"}}) {
    Settings all = cosimulated(settings);
    all.push_back(lugre[0]);
    const StateVector state = end_of("four_bar", all, 1.3);
    EXPECT_NEAR(state.q()[0], monolithic.q()[0], 2e-5) << settings[0];
  }
}

// ---------------------------------------------------------------- messages of a run

TEST(CouplingReport, SaysGoodOrLost) {
  const CaseResult good = run_case(load_example("crane_single", cosimulated({"solver.duration=1", "record.every=100"})));
  ASSERT_TRUE(good.coupling);
  EXPECT_FALSE(good.coupling->lost);
  EXPECT_EQ(good.coupling->steps, 1000);
  EXPECT_LT(good.coupling->worst_ratio, 0.1);
  EXPECT_NE(summary_text(good, 1).find("coupling     good"), std::string::npos);
  EXPECT_NE(summary_json(good, "crane", 1).find("\"accurate\": true"), std::string::npos);
  EXPECT_GE(good.recorder->recording().find("lift.coupling_A_power_residual"), 0);
  EXPECT_GE(good.recorder->recording().find("coupling.energy_residual"), 0);
}

TEST(CouplingReport, AnUnstableRunKeepsItsResultsAndHasLostItsCoupling) {
  const CaseResult bad = run_case(load_example("crane_single", cosimulated({"coupling.step=8 ms", "coupling.extrapolation=2"})));
  ASSERT_TRUE(bad.failure);
  EXPECT_GT(bad.end_time, 0);
  EXPECT_GT(bad.recorder->recording().rows(), 10);
  ASSERT_TRUE(bad.coupling && bad.coupling->lost);
  EXPECT_NE(std::string(bad.failure->what()).find("coupling.step (now 0.008 s)"), std::string::npos) << bad.failure->what();
  EXPECT_NE(summary_text(bad, 1).find("COUPLING     accuracy lost at"), std::string::npos);
}

/// An error of 1 cm with a ratio far below the threshold of lost accuracy.
TEST(CouplingReport, NamesWhatIsWrong) {
  const Settings wrong = cosimulated({"coupling.variables=velocity_force", "coupling.scheme=jacobi", "coupling.extrapolation=0",
                                      "coupling.step=5 ms", "coupling.hydraulics.integrator=trapezoidal"});
  const CaseResult alone = run_case(load_example("crane_double", wrong));
  ASSERT_TRUE(alone.coupling && !alone.failure);
  ASSERT_FALSE(alone.coupling_faults.empty());
  EXPECT_NE(alone.coupling_faults.front().find("the oil balance error is"), std::string::npos) << alone.coupling_faults.front();
  EXPECT_NE(summary_json(alone, "crane", 1).find("\"accurate\": false"), std::string::npos);
  const CaseResult beside = run_case(load_example("crane_double", wrong), {}, StartKind::given, nullptr, true);
  ASSERT_FALSE(beside.coupling_faults.empty());
  EXPECT_NE(beside.coupling_faults.front().find("from the monolithic run"), std::string::npos) << beside.coupling_faults.front();
  const CaseResult right =
      run_case(load_example("crane_double", cosimulated({"coupling.scheme=sequential"})), {}, StartKind::given, nullptr, true);
  EXPECT_EQ(right.coupling_faults, std::vector<std::string>{});
}

/// The oil of the load-sensing excavator is too stiff for RK4 at 0.1 ms: the default integrator is a stable one, in every scheme.
TEST(CouplingReport, TheIntegratorOfTheOilFollowsItsStiffness) {
  const auto with = [](Settings more) {
    more.insert(more.end(), {"solver.coupling=cosimulation", "solver.duration=0.6", "coupling.step=1 ms"});
    return load_example("excavator", more);
  };
  for (const char* scheme : {"jacobi", "gauss_seidel", "sequential", "iterated_jacobi"})
    EXPECT_FALSE(run_case(with({std::string("coupling.scheme=") + scheme})).failure) << scheme;
  const CaseResult explicitly = run_case(with({"coupling.scheme=sequential", "coupling.hydraulics.integrator=rk4"}));
  ASSERT_TRUE(explicitly.failure);
  EXPECT_NE(std::string(explicitly.failure->what()).find("trapezoidal integrators, which are stable at any step"), std::string::npos)
      << explicitly.failure->what();
  // where RK4 is stable it is used
  const auto end = [](Settings more) { return end_of("crane_single", cosimulated(std::move(more)), 1.0).values(); };
  Description free = load_example("crane_single", cosimulated({}))->description;
  free.coupling.integrator.reset();
  Runner run(compile(free));
  run.advance(1.0);
  EXPECT_EQ(run.state().values(), end({}));
}

/// Two blocks of 10 ml settle within 0.1 ms after a jump of the supply: the oil's subsystem resolves it, the communication steps do not.
/// The papers' rule keeps wrong pressures, which no balance of the coupling shows.
TEST(CouplingReport, AJumpWithinACommunicationStepIsNoLossOfOil) {
  const std::string text = R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {body: {point_mass: {mass: 100 kg}}}
joints: {body: {prismatic: {parent: ground, axis: x}, position: 1 m}}
volumes: {v: {volume: 1e-5 m^3, pressure: 211 bar}, w: {volume: 1e-5 m^3, pressure: 1 bar}}
sources: {p: {pressure: ps}, tank: {pressure: 1 bar}}
valves: {a: {orifice: {A: p, B: v, diameter: 10 mm}}, b: {orifice: {A: v, B: w, diameter: 10 mm}}, c: {orifice: {A: w, B: tank, diameter: 10 mm}}}
cylinders: {lever: {base: {body: ground}, rod_end: {body: body}, A: tank, B: tank, bore: 20 mm, rod: 10 mm, chamber_length_A: 0.5, chamber_length_B: 0.5}}
signals: {ps: {steps: [[0, 211 bar], [0.03 s, 151 bar]]}}
solver: {step: 1 ms, duration: 0.06 s, coupling: cosimulation}
coupling: {step: 1 ms, hydraulics: {integrator: trapezoidal, step: 1 ms}}
)";
  const CaseResult r = run_case(model_from(text));
  ASSERT_FALSE(r.failure);
  EXPECT_EQ(r.coupling_faults, std::vector<std::string>{});
  EXPECT_GT(r.statistics.resolved_steps, 1);
  EXPECT_LT(r.statistics.resolved_steps, 10);
  const auto errors = accumulated_errors(*r.model, r.statistics);
  ASSERT_TRUE(errors);
  EXPECT_LT(errors->pressure.percent, 1);
  const Recording& recording = r.recorder->recording();
  for (std::size_t i = 36; i < recording.rows(); ++i)
    EXPECT_NEAR(recording.columns[static_cast<std::size_t>(recording.find("v.pressure"))][i], 101e5, 0.001 * 210e5);
  const CaseResult papers = run_case(model_from(text, {"coupling.hydraulics.oil_rule=trapezoidal"}));
  ASSERT_FALSE(papers.coupling_faults.empty());
  EXPECT_NE(papers.coupling_faults.back().find("oscillates from step to step"), std::string::npos) << papers.coupling_faults.back();
}

/// A pressure that an explicit step takes below vacuum is reported, with its volume and remedies.
TEST(CouplingReport, NamesAPressureBelowVacuum) {
  const CaseResult bad = run_case(
      load_example("crane_single", cosimulated({"coupling.step=8 ms", "coupling.extrapolation=0", "coupling.variables=velocity_force"})));
  ASSERT_TRUE(bad.failure);
  const std::string text = bad.failure->what();
  EXPECT_NE(text.find(".pressure: an explicit step takes the pressure below vacuum"), std::string::npos) << text;
  EXPECT_NE(text.find("coupling.hydraulics.integrator: trapezoidal"), std::string::npos) << text;
}

/// Plain iteration diverges at this step; with relaxation it converges to the result of the shorter one.
TEST(CouplingReport, IterationIsRelaxedWhereItDoesNotContract) {
  const CaseResult r = run_case(load_example("crane_single", cosimulated({"coupling.scheme=iterated_jacobi", "coupling.step=20 ms",
                                                                          "solver.duration=2", "coupling.max_iterations=60"})),
                                {}, StartKind::given, nullptr, true);
  EXPECT_FALSE(r.failure) << r.failure->what();
  EXPECT_EQ(r.coupling_faults, std::vector<std::string>{});
}

/// In real time iterations may end early: the memory and the monitors use the actual outputs of the subsystems, not their next inputs.
TEST(CouplingReport, IterationsThatEndEarlyRememberWhatTheyCameTo) {
  Runner run(load_example("crane_single", cosimulated({"coupling.scheme=iterated_jacobi", "coupling.step=20 ms",
                                                       "coupling.max_iterations=3", "solver.accept_capped=true"})));
  run.advance(0.54);
  const CouplingMemory layout = coupling_memory(*run.model());
  const double* point = run.state().coupling() + layout.point(0);
  EXPECT_GT(run.statistics().capped_steps, 0);
  EXPECT_NEAR(point[layout.motion(0)], lift_length(run.state()), 1e-14);
}

TEST(CouplingReport, AMonolithicRunHasNone) {
  const CaseResult result = run_case(load_example("crane_single", {"solver.duration=0.01"}));
  EXPECT_FALSE(result.coupling);
  EXPECT_EQ(result.recorder->recording().find("coupling.ratio"), -1);
}

// ---------------------------------------------------------------- subsystems

/// Circuits joined in one subsystem give the same numbers.
TEST(Subsystems, JoinedCircuitsGiveTheSameResult) {
  const StateVector apart = end_of("crane_double", cosimulated({}), 0.7),
                    joined = end_of("crane_double", cosimulated({"coupling.subsystems={both: {parts: [lift, tilt]}}"}), 0.7);
  for (int i = 0; i < 2; ++i) EXPECT_DOUBLE_EQ(apart.q()[i], joined.q()[i]);
}

TEST(Subsystems, ACircuitInTwoIsRefused) {
  try {
    load_example("crane_double", cosimulated({"coupling.subsystems={left: {parts: [lift]}, right: {parts: [v3, tilt]}}"}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("is already in the subsystem `left`"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace trunnion::test
