// The program: exit codes, files, messages.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/program.h"
#include "support/temporary_folder.h"

#ifdef TRUNNION_PROGRAM

namespace {

namespace fs = std::filesystem;
using trunnion::test::Outcome;
using trunnion::test::text_of;
using Json = nlohmann::json;

const std::string kExamples = std::string(TRUNNION_SOURCE_DIR) + "/examples/";

/// Runs the program in its own folder.
class Program : public trunnion::test::InFolder {
 protected:
  Outcome call(const std::string& arguments, const std::string& streams = "2>&1") const {
    return trunnion::test::call_program(folder_, arguments, streams);
  }
  Json json(const std::string& file) const { return Json::parse(text_of(folder_ / file)); }
  static std::string four_bar() { return "'" + kExamples + "four_bar.yaml'"; }
};

TEST_F(Program, RunWritesAllFiles) {
  const Outcome r = call("run " + four_bar() + " --set 'solver.duration=0.5 s' -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  for (const char* file : {"out/results.csv", "out/results.h5", "out/summary.json"}) EXPECT_TRUE(exists(file)) << file;
  EXPECT_EQ(json("out/summary.json")["steps"], 500);
  EXPECT_EQ(json("out/summary.json")["settings"]["solver"]["duration"], 0.5);
  const std::string csv = text_of(folder_ / "out/results.csv");
  EXPECT_EQ(csv.rfind("time,crank.angle,crank.rate,", 0), 0U);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 502);
  EXPECT_NE(r.output.find("done: 0.5 s simulated"), std::string::npos) << r.output;
  EXPECT_EQ(r.output.find('\r'), std::string::npos) << "progress belongs on a terminal";
}

TEST_F(Program, SteadyWritesItsFilesAndAModelThatStartsThere) {
  const Outcome r = call("steady '" + kExamples + "excavator.yaml' -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_NE(r.output.find("in steady operation"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("pump.speed"), std::string::npos) << r.output;
  const Json steady = json("out/steady.json");
  EXPECT_EQ(steady["stability"]["verdict"], "stable");
  EXPECT_LT(steady["residual"]["rate"], 1e-6);
  EXPECT_EQ(steady["pressures"]["supply"]["from"], "steady operation");
  const Outcome again = call("run out/steady.yaml --set solver.duration=0.01 -o run -q");
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_EQ(call("run '" + kExamples + "excavator.yaml' --steady --set solver.duration=0.01 -o run2 -q").code, 0);
  EXPECT_NEAR(json("run/summary.json")["final_state"]["supply.pressure"].get<double>(),
              json("run2/summary.json")["final_state"]["supply.pressure"].get<double>(), 1);
  EXPECT_NE(call("run '" + kExamples + "excavator.yaml' --steady --equilibrium -q").code, 0);
  const Outcome equilibrium = call("equilibrium '" + kExamples + "excavator.yaml' -o out");
  EXPECT_EQ(equilibrium.code, 2);
  EXPECT_NE(equilibrium.output.find("trunnion steady"), std::string::npos) << equilibrium.output;
  EXPECT_EQ(call("linearize '" + kExamples + "excavator.yaml' --steady -o linear -q").code, 0);
  EXPECT_EQ(json("linear/linear.json")["start"], "steady");
}

TEST_F(Program, CheckNamesWhatSetsOffAndTheDamperItStartsIn) {
  std::ofstream(folder_ / "model.yaml") << R"(
trunnion: 1
gravity: [0, -9.81, 0]
bodies: {w: {point_mass: {mass: 100}}}
joints: {w: {prismatic: {parent: ground, axis: y}, position: 1 m}}
volumes: {a: {volume: 1 L, pressure: 1 bar}, b: {volume: 1 L, pressure: 1 bar}}
cylinders:
  lift: {base: {body: ground}, rod_end: {body: w}, A: a, B: b, area_A: 10 cm^2, area_B: 5 cm^2, chamber_length_A: 5 mm, chamber_length_B: 0.5 m,
         end_damper: {length: 20 mm, stiffness: 1e5 N/m}}
)";
  const Outcome r = call("check model.yaml");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_NE(r.output.find("lift starts inside the range of an end damper, which pushes with 1500 N"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("of w.position: not in equilibrium, it will start to move"), std::string::npos) << r.output;
}

TEST_F(Program, RunHasADefaultFolderAndCanBeQuiet) {
  const Outcome r = call("run " + four_bar() + " --set solver.duration=0.01 --quiet");
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.output, "");
  EXPECT_TRUE(exists("four_bar_results/summary.json"));
}

TEST_F(Program, SetReachesAnyValueAndMayBeRepeated) {
  const Outcome r =
      call("run " + four_bar() +
           " --set solver.duration=0.01s --set cylinders.lift.friction.model=lugre --set 'sources.pump.pressure=8 MPa' -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  const Json settings = json("out/summary.json")["settings"];
  EXPECT_EQ(settings["cylinders"]["lift"]["friction"]["model"], "lugre");
  EXPECT_EQ(settings["sources"]["pump"]["pressure"], 8e6);
  EXPECT_TRUE(json("out/summary.json")["final_state"].contains("lift.bristle"));
}

TEST_F(Program, TheSameInputGivesTheSameBits) {
  call("run " + four_bar() + " --set solver.duration=1.2 -o a");
  call("run " + four_bar() + " --set solver.duration=1.2 -o b");
  EXPECT_EQ(text_of(folder_ / "a/results.csv"), text_of(folder_ / "b/results.csv"));
  EXPECT_FALSE(text_of(folder_ / "a/results.csv").empty());
}

TEST_F(Program, AFailedSimulationKeepsItsResultsAndExitsOne) {
  const Outcome r = call("run " + four_bar() + " --set solver.max_iterations=1 --set solver.divisions=0 -o out");
  EXPECT_EQ(r.code, 1);
  for (const char* word : {"failed at t = 1 s", "v1.pressure", "solver.max_iterations", "results up to 1 s are in out"})
    EXPECT_NE(r.output.find(word), std::string::npos) << word << "\n" << r.output;
  const std::string csv = text_of(folder_ / "out/results.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1002);
  EXPECT_EQ(json("out/summary.json")["status"], "failed");
  const Outcome errors = call("run " + four_bar() + " --set solver.max_iterations=1 --set solver.divisions=0 -q -o out", "2>/dev/null");
  EXPECT_EQ(errors.output, "");  // messages are on the error stream
}

TEST_F(Program, AStepFarTooLongFailsLoudly) {
  const Outcome r = call("run " + four_bar() + " --set solver.step=0.5 --set solver.divisions=0 --set solver.oil_rule=trapezoidal -o out");
  EXPECT_EQ(r.code, 1) << r.output;
  EXPECT_NE(r.output.find("smaller step"), std::string::npos) << r.output;
  EXPECT_TRUE(exists("out/results.csv"));
}

TEST_F(Program, WrongInputExitsTwoWithEveryFinding) {
  const Outcome r = call("run " + four_bar() + " --set solver.step=-1 --set solver.penalti=3 -o out");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.output.find("solver.step"), std::string::npos);
  EXPECT_NE(r.output.find("solver.penalti"), std::string::npos);
  EXPECT_FALSE(exists("out"));
  EXPECT_EQ(call("run nowhere.yaml").code, 2);
  EXPECT_EQ(call("run").code, 2);
  EXPECT_EQ(call("fly").code, 2);
  EXPECT_NE(call("runn " + four_bar()).output.find("there is no command `runn`; did you mean `run`?"), std::string::npos);
  EXPECT_EQ(call("run " + four_bar() + " --set solver.step").code, 2);
  EXPECT_EQ(call("run " + four_bar() + " --set record.channels=[nothing]").code, 2);
  EXPECT_EQ(call("run " + four_bar() + " --set solver.duration=0.01 -o /proc/nowhere").code, 2);
}

TEST_F(Program, CheckDescribesTheMachine) {
  const Outcome r = call("check " + four_bar());
  EXPECT_EQ(r.code, 0);
  for (const char* word :
       {"planar", "1 degree of freedom", "loops.E", "redundant      none", "independent    ", "2.753285 MPa", "ready to run"})
    EXPECT_NE(r.output.find(word), std::string::npos) << word << "\n" << r.output;
  EXPECT_NE(call("check '" + kExamples + "slewing_crane.yaml'").output.find("spatial"), std::string::npos);
}

TEST_F(Program, CheckNamesBodiesWithoutInertia) {
  std::ofstream(folder_ / "rod.yaml") << "trunnion: 1\nbodies: {rod: {rod: {length: 1 m, mass: 1 kg}}}\njoints: {rod: {spherical: {parent: "
                                         "ground}}}\nsolver: {step: 1 ms}\n";
  const Outcome r = call("check rod.yaml");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.output.find("nothing resists the acceleration of rod.rate_x"), std::string::npos) << r.output;
  const Outcome run = call("run rod.yaml");
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.output.find("nothing resists the acceleration of rod.rate_x"), std::string::npos) << run.output;
  EXPECT_TRUE(exists("rod_results/summary.json"));
}

TEST_F(Program, EquilibriumWritesItsSolutionAndTheModelThatStartsThere) {
  const Outcome r = call("equilibrium " + four_bar() + " -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  for (const char* word : {"60.000000 deg, held", "2.753285 MPa, solved", "3.500000 MPa, given", "stable", "27.05 Hz", "length 1.732051 m"})
    EXPECT_NE(r.output.find(word), std::string::npos) << word << "\n" << r.output;
  const Json rest = json("out/equilibrium.json");
  EXPECT_NEAR(rest["pressures"]["v2"]["pressure"], 2753284.892633, 1e-3);
  EXPECT_EQ(rest["pressures"]["v2"]["from"], "rest");
  EXPECT_EQ(rest["pressures"]["v3"]["from"], "stated");
  EXPECT_EQ(rest["stability"]["verdict"], "stable");
  EXPECT_NEAR(rest["cylinders"]["lift"]["length"], 1.7320508075688772, 1e-12);
  EXPECT_EQ(rest["cylinders"]["lift"]["force"], rest["state"]["lift.force"]);
  EXPECT_EQ(rest["multipliers"]["loops.E"].size(), 2U);
  EXPECT_LT(rest["residual"]["load"], 1e-9 * rest["residual"]["of"].get<double>());
  EXPECT_EQ(rest["settings"]["volumes"]["v2"]["pressure"], "equilibrium");
  // the model that starts there is at rest until the valve opens at 1 s
  EXPECT_EQ(call("run out/equilibrium.yaml --set 'solver.duration=0.9 s' -o run").code, 0);
  const Json end = json("run/summary.json")["final_state"];
  EXPECT_NEAR(end["crank.angle"], rest["state"]["crank.angle"], 1e-12);
  EXPECT_NEAR(end["v1.pressure"], rest["state"]["v1.pressure"], 1e-2);
  EXPECT_NEAR(end["crank.rate"], 0, 1e-12);
}

TEST_F(Program, ARunCanBeginAtRest) {
  const std::string crane =
      "'" + kExamples + "slewing_crane.yaml' --set joints.load.hold=false --set 'joints.load.rotation=[0, 60 deg, 0]' ";
  EXPECT_EQ(call("run " + crane + "--set solver.duration=0.2 --equilibrium -o rest").code, 0);
  EXPECT_EQ(call("run " + crane + "--set solver.duration=0.2 -o swing").code, 0);
  const Json rest = json("rest/summary.json")["final_state"], swing = json("swing/summary.json")["final_state"];
  EXPECT_NEAR(rest["load.rate_y"], 0, 1e-9);
  EXPECT_GT(std::abs(swing["load.rate_y"].get<double>()), 0.1);
}

TEST_F(Program, EquilibriumHasADefaultFolderATimeAndExitCodes) {
  EXPECT_EQ(call("equilibrium " + four_bar() + " -q").output, "");
  EXPECT_TRUE(exists("four_bar_results/equilibrium.yaml"));
  EXPECT_EQ(call("equilibrium " + four_bar() + " --set volumes.v3.pressure=equilibrium").code, 2);
  EXPECT_EQ(call("equilibrium " + four_bar() + " --set volumes.v1.pressure=2MPa").code, 2);  // locked, not balanced
  EXPECT_EQ(call("equilibrium " + four_bar() + " --at 1.5").code, 2);                        // the valve is open
  EXPECT_FALSE(exists("out"));
  const Outcome none = call("equilibrium " + four_bar() +
                            " --set joints.crank.hold=false --set volumes.v1.pressure=2MPa --set volumes.v2.pressure=2MPa -o out");
  EXPECT_EQ(none.code, 1) << none.output;
  EXPECT_NE(none.output.find("lift.length"), std::string::npos) << none.output;
}

TEST_F(Program, EquilibriumTakesCsvSignalsAlong) {
  std::ofstream(folder_ / "way.csv") << "t,F\n0,30\n1,60\n";
  std::ofstream(folder_ / "arm.yaml")
      << "trunnion: 1\ngravity: [0, -9.81, 0]\nbodies: {arm: {rod: {length: 2 m, mass: 10 kg}}}\njoints: {arm: "
         "{revolute: {parent: ground, axis: z}, angle: -1}}\nforces: {f: {joint: arm, load: 1 N m, signal: u}}\n"
         "signals: {u: {csv: {file: way.csv, value: F, scale: 2}}}\nsolver: {step: 1 ms, duration: 1 ms}\n";
  EXPECT_EQ(call("equilibrium arm.yaml -o out").code, 0);
  const double rest = json("out/equilibrium.json")["state"]["arm.angle"];
  EXPECT_NEAR(rest, -std::acos(60 / 98.1), 1e-11);
  EXPECT_EQ(call("equilibrium out/equilibrium.yaml -o again").code, 0);
  EXPECT_NEAR(json("again/equilibrium.json")["state"]["arm.angle"].get<double>(), rest, 1e-14);
}

TEST_F(Program, LinearizeWritesAllThatIsAskedFor) {
  const std::string machine = "linearize " + four_bar() + " --set solver.duration=0.3 --equilibrium ";
  const Outcome r = call(machine +
                         "--output crank.angle,lift.force --vary cylinders.lift.friction.viscous=100,330 "
                         "--sensitivity cylinders.lift.bore,bodies.coupler.rod.mass --simulate 0.1 -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  for (const char* file : {"linear.json", "linear.csv", "eigenvalues.csv", "linear.mat", "root_locus.csv", "root_locus.json",
                           "sensitivity.csv", "sensitivity.json", "simulate.csv"})
    EXPECT_TRUE(exists(std::string("out/") + file)) << file;
  for (const char* word : {"6 = 2n - 2m - l + r + u", "independent", "dependent", "is zero", "stability", "viscous",
                           "cylinders.lift.bore = 0.08", "largest difference", "out/: linear.json"})
    EXPECT_NE(r.output.find(word), std::string::npos) << word << "\n" << r.output;
  const Json linear = json("out/linear.json");
  EXPECT_EQ(linear["outputs"], (Json{"crank.angle", "lift.force"}));
  EXPECT_EQ(linear["A"].size(), 6U);
  EXPECT_EQ(linear["eigenvalues"].size(), 6U);
  EXPECT_EQ(linear["start"], "equilibrium");
  EXPECT_EQ(text_of(folder_ / "out/simulate.csv").rfind("time,crank.angle,crank.angle.linear,lift.force,lift.force.linear\n", 0), 0U);
  EXPECT_EQ(call(machine + "-q").output, "");
  EXPECT_TRUE(exists("four_bar_results/linear.json"));
  EXPECT_EQ(call(machine + "--at 0.1,0.2 --at 0.3 --folders -o times").code, 0);
  EXPECT_EQ(json("times/at_0.2/linear.json")["time"], 0.2);
  EXPECT_EQ(json("times/over_time.json")["points"].size(), 3U);
  const Outcome search = call(machine + "--find-zero cylinders.lift.bore -o search");
  EXPECT_NE(search.output.find("--find-zero: error: found `cylinders.lift.bore`"), std::string::npos) << search.output;
  const Outcome counterpart = call(machine + "--method counterpart --difference-step 1e-6 -o counterpart");
  EXPECT_EQ(counterpart.code, 0);
  EXPECT_NE(counterpart.output.find("10 = 2n + r + u: n = 3 velocities, r = 3 pressures, u = 1 spool\n"), std::string::npos)
      << counterpart.output;
  EXPECT_EQ(json("counterpart/linear.json")["method"], "counterpart");
  EXPECT_EQ(json("counterpart/linear.json")["states"].size(), 10U);
}

TEST_F(Program, LinearizeRefusesWrongInputAndKeepsWhatThereIs) {
  const std::string machine = "linearize " + four_bar() + " --set solver.duration=0.3 ";
  for (const auto& [arguments, expected] :
       std::vector<std::pair<std::string, std::string>>{{"--output crank.angel", "did you mean 'crank.angle'?"},
                                                        {"--at 0.4", "--at: error: 0.4 s is not within the run"},
                                                        {"--at soon", "--at"},
                                                        {"--simulate 1", "--simulate: error: 1 s is not within the run"},
                                                        {"--at 0.1,0.2 --simulate 0.1", "it needs one reference"},
                                                        {"--vary cylinders.lift.bor=1", "did you mean `cylinders.lift.bore`"},
                                                        {"--vary cylinders.lift.bore=-1", "cylinders.lift.bore"},
                                                        {"--vary cylinders.lift.bore", "path=v1,v2"},
                                                        {"--sensitivity cylinders.lift.friction.model", "found `brown_mcphee`"},
                                                        {"--sensitivity cylinders.lift.bor", "did you mean `cylinders.lift.bore`"},
                                                        {"--method best", "--method"},
                                                        {"--difference-step 0 --method counterpart", "--difference-step"}}) {
    const Outcome r = call(machine + arguments + " -o out");
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.output;
    EXPECT_NE(r.output.find(expected), std::string::npos) << arguments << "\n" << r.output;
    EXPECT_FALSE(exists("out")) << arguments;
  }
  // a loop that cannot be closed for one of the values: as in `compare`
  const Outcome r = call(machine + "--vary 'joints.coupler.revolute.at=[2 m, 0, 0],[20 m, 0, 0]' -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_NE(r.output.find("1 of 2 combinations are impossible and left out"), std::string::npos) << r.output;
  const Json points = json("out/root_locus.json")["points"];
  EXPECT_EQ(points[0]["status"], "completed");
  EXPECT_NE(points[1]["status"].get<std::string>().find("does not close at the start"), std::string::npos) << points[1];
}

TEST_F(Program, CompareRunsEveryCombination) {
  const Outcome r = call("compare " + four_bar() +
                         " --vary cylinders.lift.friction.model=lugre,brown_mcphee --vary 'solver.step=1 ms,0.5 ms' --set "
                         "solver.duration=0.1 --final crank.angle -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  const Json rows = json("out/compare.json")["rows"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1]["values"]["solver.step"], "0.5 ms");
  EXPECT_EQ(rows[1]["steps"], 200);
  for (const char* file : {"out/compare.csv", "out/lugre_1-ms/results.csv", "out/brown_mcphee_0.5-ms/summary.json"})
    EXPECT_TRUE(exists(file)) << file;
  EXPECT_NE(r.output.find("brown_mcphee"), std::string::npos);
  EXPECT_NE(r.output.find("iterations"), std::string::npos);
}

TEST_F(Program, CompareShowsPublishedFiguresBeside) {
  const Outcome r = call("compare " + four_bar() + " --vary cylinders.lift.friction.model=lugre --set solver.duration=0.1 --reference '" +
                         kExamples + "reference/four_bar_friction_paper.csv' -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_NE(r.output.find("paper"), std::string::npos);
  EXPECT_NE(r.output.find("-120.94"), std::string::npos);
}

TEST_F(Program, CompareGivesTheComparisonOfFormulations) {
  const Outcome r = call("compare '" + kExamples +
                         "quick_return.yaml' --vary solver.constraints=penalty,double_step --set solver.duration=1.05 --reference '" +
                         kExamples + "reference/formulations_paper.csv' --difference crank.angle -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  for (const char* word : {"357.47", "position", "rate", "crank.angle differs by"})
    EXPECT_NE(r.output.find(word), std::string::npos) << word << r.output;
  const std::string history = text_of(folder_ / "out/history.csv");
  EXPECT_EQ(history.rfind("time,penalty.violation,penalty.velocity_violation,penalty.iterations,penalty.position_iterations,"
                          "double_step.violation,",
                          0),
            0U);
  EXPECT_EQ(std::count(history.begin(), history.end(), '\n'), 1051);
  const std::string times = text_of(folder_ / "out/history_times.csv");
  EXPECT_EQ(times.rfind("time,penalty.step_seconds,double_step.step_seconds\n", 0), 0U);
  EXPECT_EQ(std::count(times.begin(), times.end(), '\n'), 1051);
  const Json rows = json("out/compare.json")["rows"];
  EXPECT_EQ(rows[0]["paper"]["iterations_max"], 6);
  EXPECT_EQ(rows[1]["paper"]["iterations_max"], 3);
  EXPECT_EQ(rows[1]["independent"], Json::array({"crank.angle"}));
  EXPECT_LT(rows[1]["difference.crank.angle"].get<double>(), 1e-6);
  const Outcome wrong = call("compare " + four_bar() + " --vary solver.step=1e-3 --set solver.duration=0.01 --reference '" + kExamples +
                             "reference/formulations_paper.csv' -o none");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.output.find("add --vary solver.constraints=..."), std::string::npos) << wrong.output;
  EXPECT_FALSE(exists("none"));
  EXPECT_EQ(call("compare " + four_bar() + " --vary solver.step=1e-3 --set solver.duration=0.01 --difference no.channel").code, 2);
}

/// Wall-clock times are in separate files.
TEST_F(Program, EqualInputGivesEqualBytes) {
  for (const char* out : {"first", "second"}) {
    const Outcome r = call("compare " + four_bar() + " --vary solver.constraints=penalty,double_step --set solver.duration=1.1 " +
                           "--set record.every=10 --difference crank.angle -o " + out);
    EXPECT_EQ(r.code, 0) << r.output;
  }
  for (const char* file : {"compare.csv", "history.csv", "penalty/results.csv", "double_step/results.csv", "penalty/results.h5"}) {
    const std::string first = text_of(folder_ / "first" / file);
    EXPECT_FALSE(first.empty()) << file;
    EXPECT_TRUE(first == text_of(folder_ / "second" / file)) << file;
  }
  for (const char* file : {"compare_times.csv", "history_times.csv"})
    EXPECT_NE(text_of(folder_ / "first" / file).find("step_seconds"), std::string::npos) << file;
  EXPECT_EQ(text_of(folder_ / "first/compare.csv").find("seconds"), std::string::npos);
}

TEST_F(Program, RecordedChannelsAreCheckedWheneverAModelIsRead) {
  for (const char* command : {"check", "run", "equilibrium", "linearize"}) {
    const Outcome r = call(std::string(command) + " " + four_bar() + " --set 'record.channels=[crank.angel]'");
    EXPECT_EQ(r.code, 2) << command << r.output;
    EXPECT_NE(r.output.find("record.channels.0: there is no channel 'crank.angel'"), std::string::npos) << command << r.output;
    EXPECT_NE(r.output.find("did you mean 'crank.angle'?"), std::string::npos) << command << r.output;
  }
  EXPECT_EQ(call("check " + four_bar() + " --set 'record.channels=[crank.*, v1.pressure]'").code, 0);
}

TEST_F(Program, ARunWithAnOpenBalanceKeepsItsResultsAndExitsOne) {
  const std::string pendulum =
      "'" + std::string(TRUNNION_SOURCE_DIR) + "/tests/data/pendulum.yaml' --set solver.step=1s --set solver.duration=50";
  const Outcome failed = call("run " + pendulum + " -o out");
  EXPECT_EQ(failed.code, 1) << failed.output;
  EXPECT_NE(failed.output.find("the energy balance"), std::string::npos) << failed.output;
  EXPECT_EQ(json("out/summary.json")["status"], "failed");
  EXPECT_EQ(json("out/summary.json")["end_time"], 50.0);
  const std::string rows = text_of(folder_ / "out/results.csv");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 52);
  const Outcome allowed = call("run " + pendulum + " --set solver.allow_open_balance=true -o out");
  EXPECT_EQ(allowed.code, 0) << allowed.output;
  EXPECT_EQ(text_of(folder_ / "out/results.csv"), rows);
}

TEST_F(Program, CompareGoesOnAfterAFailureAndExitsOne) {
  const Outcome r =
      call("compare " + four_bar() + " --vary solver.max_iterations=1,20 --set solver.divisions=0 --set solver.duration=1.1 -o out");
  EXPECT_EQ(r.code, 1) << r.output;
  const Json rows = json("out/compare.json")["rows"];
  EXPECT_NE(rows[0]["status"], "completed");
  EXPECT_EQ(rows[1]["status"], "completed");
  EXPECT_EQ(call("compare " + four_bar() + " --vary solver.step=-2,-1").code, 2);
  EXPECT_EQ(call("compare " + four_bar()).code, 2);
}

TEST_F(Program, FrictionWritesCurves) {
  const Outcome r = call("friction " + four_bar() + " --set cylinders.lift.friction.model=lugre -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_EQ(text_of(folder_ / "out/friction_cycle.csv").rfind("time,velocity,displacement,force,bristle\n", 0), 0U);
  EXPECT_TRUE(exists("out/friction_steady.csv"));
  EXPECT_TRUE(exists("out/friction_preslip.csv"));
  EXPECT_EQ(call("friction " + four_bar() + " --cylinder none").code, 2);
  EXPECT_EQ(call("friction " + four_bar() + " --amplitude '3 kg'").code, 2);
  EXPECT_EQ(call("friction '" + kExamples + "spatial_slider_crank.yaml'").code, 2);
}

TEST_F(Program, StudyOfCosimulationWritesTablesAndPictures) {
  const std::string command = "study cosimulation '" + kExamples +
                              "crane_single.yaml' --set solver.duration=0.6 --quick --min-step 1ms --max-step '4 ms' --oil rk4@0.5ms "
                              "--variables velocity_pressure --treatment ali3p --order 0,2 -o out";
  const Outcome r = call(command);
  EXPECT_EQ(r.code, 0) << r.output;
  for (const char* word : {"Largest communication step", "oil: rk4 at 0.5 ms", "ALI3-P, m = 0", "ALI3-P, interface model", "sequential"})
    EXPECT_NE(r.output.find(word), std::string::npos) << word << "\n" << r.output;
  for (const char* file : {"out/limits.csv", "out/runs.csv", "out/schemes.csv", "out/study.json", "out/figures/figures.csv",
                           "out/figures/residual_velocity_pressure_rk4.csv"})
    EXPECT_TRUE(exists(file)) << file;
  EXPECT_TRUE(exists("out/figures/work_cycle.svg") || exists("out/figures/work_cycle.gp"));
  EXPECT_EQ(json("out/study.json")["scans"].size(), 3U);
  // results are not replaced without the option
  const Outcome again = call(command);
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.output.find("--overwrite"), std::string::npos) << again.output;
  const Outcome replaced = call(command + " --overwrite");
  EXPECT_EQ(replaced.code, 0);
  EXPECT_NE(replaced.output.find("replacing those of the previous study"), std::string::npos) << replaced.output;
}

TEST_F(Program, StudyRefusesWrongInput) {
  const std::string crane = "study cosimulation '" + kExamples + "crane_single.yaml' -o out ";
  for (const auto& [arguments, expected] :
       std::vector<std::pair<std::string, std::string>>{{"--variables force", "--variables"},
                                                        {"--order 4", "--order"},
                                                        {"--oil cvode@1ms", "expected euler, rk4 or trapezoidal"},
                                                        {"--oil rk4@1kg", "--oil: '1kg' is not a time"},
                                                        {"--min-step 0", "--min-step"},
                                                        {"--min-step '30 ms'", "--max-step"},
                                                        {"--limit '5 s'", "--limit: '5 s' is not a length"},
                                                        {"--set solver.stepp=1", "solver.stepp"}}) {
    const Outcome r = call(crane + arguments);
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.output;
    EXPECT_NE(r.output.find(expected), std::string::npos) << arguments << "\n" << r.output;
    EXPECT_FALSE(exists("out/study.json")) << arguments;
  }
  const Outcome none = call("study cosimulation '" + kExamples + "spatial_slider_crank.yaml' -o out");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.output.find("no cylinder"), std::string::npos) << none.output;
  EXPECT_EQ(call("study").code, 2);
}

TEST_F(Program, StepsTooLongForAnElementAreWarnedOf) {
  const std::string arm = "'" + kExamples +
                          "arm_quasistatic.yaml' --set solver.duration=0.3 --set solver.constraints=double_step "
                          "--set solver.integrator=semi_implicit_euler --set solver.step=";
  const std::string warning = "WARNING";
  EXPECT_EQ(call("check " + arm + "20ms").output.find(warning), std::string::npos);
  const Outcome check = call("check " + arm + "30ms");
  EXPECT_EQ(check.code, 0);
  for (const std::string& word :
       {warning, std::string("quasistatic.circuit.actuators.lift.element: the step of 0.03 s is longer than 0.0267 s"),
        std::string("solver.integrator: trapezoidal")})
    EXPECT_NE(check.output.find(word), std::string::npos) << check.output;
  const Outcome run = call("run " + arm + "30ms -o out");
  EXPECT_NE(run.output.find(warning), std::string::npos) << run.output;
  const Json warnings = json("out/summary.json")["warnings"];  // and its effect on the energy
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].get<std::string>().find("lift.element"), std::string::npos) << warnings;
  EXPECT_EQ(warnings[1].get<std::string>().rfind("the energy balance", 0), 0U) << warnings;
}

TEST_F(Program, FitWritesTheFittedModel) {
  const std::string arm = "'" + kExamples + "arm_quasistatic.yaml' --set solver.duration=0.3 ";
  const std::string element = "quasistatic.circuit.actuators.lift.element.";
  EXPECT_EQ(call("run " + arm + "-o recorded").code, 0);
  const std::string fit = "fit " + arm + "--reference recorded/results.csv --channels lift.force,lift.length --parameters " + element +
                          "stiffness," + element + "damping --set " + element + "stiffness=3e7";
  const Outcome r = call(fit + " -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  for (const char* word : {"fitted after", "--set quasistatic.circuit.actuators.lift.element.stiffness=", "out/fit.yaml"})
    EXPECT_NE(r.output.find(word), std::string::npos) << r.output;
  EXPECT_NEAR(json("out/fit.json")["parameters"][element + "stiffness"]["value"].get<double>(), 5e7, 50);
  EXPECT_EQ(call("run out/fit.yaml -o again").code, 0);
  EXPECT_TRUE(exists("out/fit.csv"));
  EXPECT_TRUE(exists("out/fit.svg") || exists("out/fit.gp"));
  const Outcome few = call(fit + " --max-iterations 1 -q -o few");
  EXPECT_EQ(few.code, 1);
  EXPECT_NE(few.output.find("not converged"), std::string::npos) << few.output;
  EXPECT_TRUE(exists("few/fit.json"));
  const Outcome wrong =
      call("fit " + arm + "--reference recorded/results.csv --channels lift.fource --parameters " + element + "stiffness");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.output.find("did you mean 'lift.force'?"), std::string::npos) << wrong.output;
}

TEST_F(Program, CurveWritesATableAndAPicture) {
  const std::string arm = "curve '" + kExamples + "arm_quasistatic.yaml'";
  const Outcome r = call(arm + " --actuator lift --command -0.5,0.5 --vary quasistatic.circuit.bleed.command=0.2,0.4 --points 51 -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  for (const char* word : {"lift of circuit: force over velocity from", "-480 to -432", "FhM hold +2a +1a +3 -FrM", "out/curve.csv"})
    EXPECT_NE(r.output.find(word), std::string::npos) << word << "\n" << r.output;
  EXPECT_EQ(text_of(folder_ / "out/curve.csv").rfind("quasistatic.circuit.bleed.command,command,velocity,force,force_low,", 0), 0U);
  EXPECT_EQ(json("out/curve.json")["curves"].size(), 4U);
  EXPECT_TRUE(exists("out/curve.svg") || exists("out/curve.gp"));
  // the only actuator, its lever's signal, a folder named after the model
  const Outcome quiet = call(arm + " --at 4s -q", "");
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.output, "");
  EXPECT_EQ(json("arm_quasistatic_curve/curve.json")["curves"][0]["actuators"][0]["command"], -0.5);
}

TEST_F(Program, CurveDoesWithoutGnuplot) {
  const char* path_before = std::getenv("PATH");
  const std::string before = path_before == nullptr ? "" : path_before;
  setenv("PATH", (folder_ / "nowhere").c_str(), 1);
  const Outcome r = call("curve '" + kExamples + "arm_quasistatic.yaml' -o out");
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.output.find("the picture is missing: gnuplot is not installed"), std::string::npos) << r.output;
  EXPECT_TRUE(exists("out/curve.csv"));
  EXPECT_TRUE(exists("out/curve.gp"));
}

TEST_F(Program, CurveRefusesWrongInput) {
  for (const auto& [arguments, expected] :
       std::vector<std::pair<std::string, std::string>>{{"arm_quasistatic.yaml' --actuator lfit", "did you mean `lift`?"},
                                                        {"four_bar.yaml' --actuator lift", "the oil of `lift` is not quasistatic"},
                                                        {"arm_quasistatic.yaml' --velocity 1", "--velocity"},
                                                        {"arm_quasistatic.yaml' --points few", "--points"},
                                                        {"arm_quasistatic.yaml' --vary quasistatic.circuit.relif=1", "relif"}}) {
    const Outcome r = call("curve '" + kExamples + arguments + " -o out");
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.output;
    EXPECT_NE(r.output.find(expected), std::string::npos) << arguments << "\n" << r.output;
    EXPECT_FALSE(exists("out")) << arguments;
  }
}

TEST_F(Program, SchemaAndReferenceArePrinted) {
  EXPECT_EQ(Json::parse(call("schema").output)["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(call("reference").output.rfind("# The model file", 0), 0U);
  const Outcome version = call("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.output.rfind("trunnion ", 0), 0U);
  EXPECT_EQ(call("--help").code, 0);
}

}  // namespace

#endif  // TRUNNION_PROGRAM
