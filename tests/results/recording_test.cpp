// Contents and times of recordings. Reference: the states of the run itself.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/recording.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "results/run_case.h"
#include "studies/history.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::load_example;
using Json = nlohmann::json;

CaseResult four_bar(const std::vector<std::string>& set) { return run_case(load_example("four_bar", set)); }

TEST(Recording, HasEveryGridPointAndTheEnergies) {
  const CaseResult result = four_bar({"solver.duration=1.2 s"});
  const Recording& r = result.recorder->recording();
  EXPECT_EQ(r.rows(), 1201U);
  EXPECT_EQ(r.channels.front().name, "time");
  EXPECT_EQ(r.columns[0][1000], 1.0);
  EXPECT_EQ(r.columns[0].back(), 1.2);
  for (const char* name :
       {"energy.kinetic", "energy.potential", "energy.spring", "energy.oil", "energy.actuator_work", "energy.drift", "energy.supply",
        "energy.tank_return", "energy.throttling", "energy.friction", "energy.damping", "energy.external", "energy.residual",
        "solver.iterations", "solver.position_iterations", "solver.violation", "solver.velocity_violation"})
    EXPECT_GE(r.find(name), 0) << name;
  EXPECT_EQ(r.find("nothing"), -1);
  for (const auto& column : r.columns) EXPECT_EQ(column.size(), 1201U);
}

TEST(Recording, EveryNthStepAndTheEnd) {
  const CaseResult result = four_bar({"solver.duration=0.1053 s", "record.every=10"});
  const Recording& r = result.recorder->recording();
  ASSERT_EQ(r.rows(), 12U);
  EXPECT_NEAR(r.columns[0][3], 0.03, 1e-12);
  EXPECT_EQ(r.columns[0].back(), 0.1053);
}

TEST(Recording, SplitStepsAreNotRecorded) {
  const CaseResult result = four_bar({"solver.duration=1.4 s", "solver.step=0.7 ms"});
  EXPECT_EQ(result.statistics.split_steps, 1);
  EXPECT_EQ(result.recorder->recording().rows(), 2001U);
}

TEST(Recording, ChosenChannelsOnly) {
  const CaseResult result = four_bar({"solver.duration=0.01 s", "record.channels=[crank.*, v2.pressure]"});
  const Recording& r = result.recorder->recording();
  std::vector<std::string> names;
  for (const Channel& c : r.channels) names.push_back(c.name);
  EXPECT_EQ(names, (std::vector<std::string>{"time", "crank.angle", "crank.rate", "crank.acceleration", "crank.center_x", "crank.center_y",
                                             "crank.center_z", "v2.pressure"}));
}

TEST(Recording, UnknownChannelsAreInputErrors) {
  try {
    four_bar({"record.channels=[crank.angel, nothing*]"});
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 2U);
    EXPECT_EQ(error.diagnostics()[0].path, "record.channels.0");
    EXPECT_NE(error.diagnostics()[0].hint.find("crank.angle"), std::string::npos);
  }
}

TEST(Summary, HoldsTheContract) {
  const CaseResult result = four_bar({"solver.duration=3 s"});
  const Json json = Json::parse(summary_json(result, "four_bar.yaml", 0.5));
  EXPECT_EQ(json["status"], "completed");
  EXPECT_EQ(json["steps"], 3000);
  EXPECT_EQ(json["capped_steps"], 0);
  EXPECT_EQ(json["wall_seconds"], 0.5);
  EXPECT_GT(json["iterations"]["mean"].get<double>(), 1);
  EXPECT_GE(json["iterations"]["max"].get<int>(), 2);
  long counted = 0;
  for (const auto& [iterations, steps] : json["iterations"]["histogram"].items()) counted += steps.get<long>();
  EXPECT_EQ(counted, 3000);
  EXPECT_NEAR(json["real_time_factor"].get<double>(), 3 / json["step_seconds"].get<double>(), 1e-9);
  const Json& energy = json["energy"];
  EXPECT_NEAR(energy["min_actuator_work"].get<double>(), -121, 0.6);
  EXPECT_EQ(energy["min_actuator_work"], energy["actuators"]["lift"]["min_work"]);
  EXPECT_EQ(energy["max_actuator_work"], energy["actuators"]["lift"]["max_work"]);
  EXPECT_GT(energy["max_drift"].get<double>(), 0);
  EXPECT_GT(energy["max_drift_time"].get<double>(), 1);
  EXPECT_GT(energy["ledger"]["throttling"].get<double>(), 0);
  EXPECT_GT(energy["elements"]["throttling"]["valve"].get<double>(), energy["elements"]["throttling"]["throttle"].get<double>());
  EXPECT_LT(json["constraints"]["max_violation"].get<double>(), 1e-10);
  EXPECT_TRUE(json["constraints"]["redundant"].empty());
  EXPECT_LT(json["constraints"]["final_violation"]["loops.E"].get<double>(), 1e-10);
  EXPECT_EQ(json["cavitation"]["acted"], false);
  EXPECT_EQ(json["settings"]["solver"]["duration"], 3.0);
  const Recording& r = result.recorder->recording();
  for (const char* name : {"crank.angle", "crank.rate", "v1.pressure", "valve.spool"})
    EXPECT_EQ(json["final_state"][name].get<double>(), r.columns[static_cast<std::size_t>(r.find(name))].back()) << name;
}

TEST(Recording, HoldsTheViolationsAndIterationsOfEveryStep) {
  const CaseResult result = run_case(load_example("quick_return", {"solver.duration=1.2 s", "solver.constraints=double_step"}));
  const Recording& r = result.recorder->recording();
  const auto column = [&](const char* name) { return r.columns[static_cast<std::size_t>(r.find(name))]; };
  const auto most = [](const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); };
  const auto sum = [](const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); };
  const RunStatistics& s = result.statistics;
  EXPECT_EQ(most(column("solver.violation")), s.max_violation);
  EXPECT_EQ(most(column("solver.velocity_violation")), s.max_velocity_violation);
  EXPECT_EQ(sum(column("solver.iterations")), static_cast<double>(s.iterations));
  EXPECT_EQ(sum(column("solver.position_iterations")), static_cast<double>(s.position_iterations));
  EXPECT_GT(s.position_iterations, 0);
  EXPECT_EQ(column("solver.iterations").front(), 0);  // no step led to the start
}

TEST(History, HasARowForEveryStepAndItsTime) {
  History history("a", 1e-3);
  const auto model = load_example("four_bar", {"solver.duration=1.1 s", "record.every=100"});
  const CaseResult result = run_case(model, {}, StartKind::given, &history);
  ASSERT_EQ(history.rows().size(), 1100U);  // the right limit at 1 s is not a step
  double before = 0;
  long iterations = 0;
  for (const History::Row& row : history.rows()) {
    EXPECT_GT(row.step_seconds, before);
    before = row.step_seconds;
    iterations += row.iterations;
  }
  EXPECT_NEAR(before, result.statistics.step_seconds, 1e-12);
  EXPECT_EQ(iterations, result.statistics.iterations);
  EXPECT_EQ(history.rows().back().time, 1.1);
}

TEST(History, RunsOfDifferentStepsStandSideBySide) {
  std::vector<History> runs;
  for (const char* step : {"1 ms", "0.4 ms"}) {
    const auto model = load_example("four_bar", {"solver.duration=2 ms", std::string("solver.step=") + step});
    runs.emplace_back(std::string(step) == "1 ms" ? "coarse" : "fine", model->description.solver.step);
    run_case(model, {}, StartKind::given, &runs.back());
  }
  std::istringstream lines(history_csv(runs));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "time,coarse.violation,coarse.velocity_violation,coarse.iterations,coarse.position_iterations,"
            "fine.violation,fine.velocity_violation,fine.iterations,fine.position_iterations");
  std::vector<std::string> pattern;  // which run has a step there
  while (std::getline(lines, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 8) << line;
    const bool coarse = line.find(",,,,") != line.find(',');
    const bool fine = !line.ends_with(",,,,");
    pattern.push_back(line.substr(0, line.find(',')).substr(0, 6) + (coarse ? " coarse" : "") + (fine ? " fine" : ""));
  }
  EXPECT_EQ(pattern,
            (std::vector<std::string>{"0.0004 fine", "0.0008 fine", "0.001 coarse", "0.0012 fine", "0.0016 fine", "0.002 coarse fine"}));
  const std::string times = history_times_csv(runs);  // of the clock, in the same rows
  EXPECT_EQ(times.rfind("time,coarse.step_seconds,fine.step_seconds\n0.0004,,", 0), 0U) << times;
  EXPECT_EQ(std::count(times.begin(), times.end(), '\n'), 7);
}

/// z3 of the four-bar and z4 of the quick-return are independent throughout, as printed in the paper (section 6.1).
TEST(Summary, NamesTheIndependentCoordinates) {
  for (const auto& [example, name] : {std::pair{"four_bar_lift", "lever.angle"}, std::pair{"quick_return", "crank.angle"}}) {
    const CaseResult result = run_case(load_example(example, {"solver.constraints=double_step", "record.every=1000"}));
    const Json constraints = Json::parse(summary_json(result, example, 0.5))["constraints"];
    EXPECT_EQ(constraints["independent"], Json::array({name}));
    EXPECT_EQ(constraints["repartitions"], 0);
    EXPECT_TRUE(constraints["repartition_time"].is_null());
    EXPECT_NE(summary_text(result, 0.5).find(std::string("independent  ") + name + " throughout"), std::string::npos);
  }
  const CaseResult penalty = run_case(load_example("four_bar_lift", {"solver.duration=0.01 s"}));
  EXPECT_TRUE(Json::parse(summary_json(penalty, "", 0.5))["constraints"]["independent"].is_null());
}

TEST(Summary, NamesRedundantEquations) {
  const char* const text = R"(
trunnion: 1
bodies: {a: {mass: 2, inertia: [1, 1, 0.4]}, b: {mass: 5, inertia: [2, 2, 3]}}
joints: {a: {revolute: {parent: ground, axis: z}}, b: {revolute: {parent: ground, at: [1, 0, 0], axis: z}}}
couplings: {one: {joints: [a, b], ratio: 2}, two: {joints: [b, a], ratio: 0.5}}
solver: {step: 1 ms, duration: 10 ms}
)";
  const CaseResult result = run_case(test::model_from(text));
  EXPECT_EQ(Json::parse(summary_json(result, "", 0.5))["constraints"]["redundant"], Json({{"couplings.two", Json::array({1})}}));
  EXPECT_NE(summary_text(result, 0.5).find("redundant    equation 1 of couplings.two at the start"), std::string::npos);
}

TEST(Summary, OfAFailedRunSaysWhy) {
  const CaseResult result = four_bar({"solver.max_iterations=1", "solver.divisions=0"});
  ASSERT_TRUE(result.failure);
  const Json json = Json::parse(summary_json(result, "four_bar.yaml", 0.5));
  EXPECT_EQ(json["status"], "failed");
  EXPECT_NE(json["message"].get<std::string>().find("max_iterations"), std::string::npos);
  EXPECT_EQ(json["end_time"], 1.0);
  EXPECT_EQ(result.recorder->recording().rows(), 1001U);
  EXPECT_NE(summary_text(result, 0.5).find("FAILED"), std::string::npos);
}

TEST(Summary, NamesCavitatingVolumesAndRedundantLoops) {
  const CaseResult result = four_bar({"fluid.saturation_pressure=3 MPa", "fluid.free_air=1e-6", "solver.duration=0.01 s"});
  EXPECT_NE(summary_text(result, 0.5).find("CAVITATION   v1"), std::string::npos);
  const Json json = Json::parse(summary_json(result, "four_bar.yaml", 0.5));
  EXPECT_EQ(json["cavitation"]["acted"], true);
  EXPECT_EQ(json["cavitation"]["volumes"]["v1"]["steps"], 10);
}

}  // namespace
}  // namespace trunnion
