// Grids of values with impossible combinations, tables of pairs, several laws, times and scales in one command.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/program.h"
#include "support/temporary_folder.h"

#ifdef TRUNNION_PROGRAM

namespace trunnion {
namespace {

using test::Outcome;
using test::text_of;
using Json = nlohmann::json;

const std::string kFourBar = "'" + std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml'";
constexpr const char* kShort = " --set 'solver.duration=0.02 s' ";

class Grids : public test::InFolder {
 protected:
  Outcome call(const std::string& arguments) const { return test::call_program(folder_, arguments); }
  Json json(const std::string& file) const { return Json::parse(text_of(folder_ / file)); }
  void write(const std::string& file, const std::string& text) const { std::ofstream(folder_ / file) << text; }
  std::string line(const std::string& file, int number = 1) const {
    std::istringstream in(text_of(folder_ / file));
    std::string found;
    for (int i = 0; i < number; ++i) std::getline(in, found);
    return found;
  }
};

TEST_F(Grids, CompareMarksAndSkipsImpossibleCombinations) {
  const Outcome r = call("compare " + kFourBar + kShort + "--vary solver.integrator=rk4,trapezoidal " +
                         "--vary solver.constraints=penalty,double_step --set 'solver.step=0.1 ms' --difference crank.angle -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  const Json rows = json("out/compare.json")["rows"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["status"].get<std::string>().rfind("impossible: ", 0), 0U) << rows[0];
  EXPECT_TRUE(rows[0]["steps"].is_null());
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(rows[i]["status"], "completed") << rows[i];
    EXPECT_EQ(rows[i]["steps"], 200);
    EXPECT_TRUE(rows[i]["difference.crank.angle"].is_number()) << rows[i];  // from the first run
  }
  EXPECT_TRUE(r.printed("1 of 4 combinations are impossible and left out")) << r.output;
  EXPECT_FALSE(exists("out/rk4_penalty"));
  EXPECT_EQ(line("out/history.csv").rfind("time,rk4_double_step.violation,", 0), 0U);
  EXPECT_EQ(call("report out -o page.html").code, 0);
}

TEST_F(Grids, CompareRefusesWhereNothingIsPossible) {
  for (const auto& [arguments, expected] :
       std::vector<std::pair<std::string, std::string>>{{"--vary solver.step=-1,-2", "--vary: error: solver.step: found `-1`"},
                                                        {"--vary solver.integratr=rk4,trapezoidal", "did you mean `solver.integrator`?"},
                                                        {"--vary solver.step=1e-3 --vary solver.step=2e-3", "a path occurs twice"},
                                                        {"--vary cylinders.lift.bore=50mm --vary 'cylinders.*.bore=52mm'",
                                                         "`cylinders.*.bore` contains `cylinders.lift.bore`, which is varied, too"},
                                                        {"--pairs none.csv", "none.csv"},
                                                        {"", "--vary: error: nothing is varied"}}) {
    const Outcome r = call("compare " + kFourBar + kShort + arguments + " -o out");
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.output;
    EXPECT_TRUE(r.printed(expected)) << r.output;
    EXPECT_FALSE(exists("out")) << arguments;
  }
}

TEST_F(Grids, CompareTakesPairsTimesLists) {
  write("pairs.csv", "solver.step;solver.constraints\n1 ms;penalty\n2 ms;double_step\n");
  const Outcome r =
      call("compare " + kFourBar + kShort + "--pairs pairs.csv --vary cylinders.lift.friction.model=lugre,brown_mcphee -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  const Json rows = json("out/compare.json")["rows"];
  ASSERT_EQ(rows.size(), 4U);
  const Json values{{"solver.step", "2 ms"}, {"solver.constraints", "double_step"}, {"cylinders.lift.friction.model", "lugre"}};
  EXPECT_EQ(rows[2]["values"], values);
  EXPECT_EQ(rows[2]["steps"], 10);
  EXPECT_TRUE(exists("out/1-ms_penalty_brown_mcphee/results.csv"));
}

TEST_F(Grids, LinearizeTakesPairsAndSkipsImpossibleOnes) {
  write("pairs.csv", "cylinders.lift.friction.viscous,cylinders.lift.friction.static\n100,830\n330,400\n330,100\n");
  const Outcome r = call("linearize " + kFourBar + " --equilibrium --pairs pairs.csv --vary cylinders.lift.bore=0.08,0.09 -o out");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_TRUE(r.printed("2 of 6 combinations are impossible and left out")) << r.output;
  const Json points = json("out/root_locus.json")["points"];
  ASSERT_EQ(points.size(), 6U);
  EXPECT_EQ(points[3]["status"], "completed");
  EXPECT_EQ(points[3]["values"]["cylinders.lift.friction.static"], "400");
  EXPECT_EQ(points[3]["values"]["cylinders.lift.bore"], "0.09");
  EXPECT_EQ(points[4]["status"].get<std::string>().rfind("impossible: --vary, --pairs: error: cylinders.lift.friction.static", 0), 0U)
      << points[4];
  // a pair's point is that of its values alone
  EXPECT_EQ(call("linearize " + kFourBar + " --equilibrium --vary cylinders.lift.friction.viscous=100 -q -o one").code, 0);
  EXPECT_EQ(json("one/root_locus.json")["points"][0]["eigenvalues"][0]["re"], points[0]["eigenvalues"][0]["re"]);
  EXPECT_EQ(call("linearize " + kFourBar + " --at 0.1,0.2 --pairs pairs.csv -o none").code, 2);
}

TEST_F(Grids, LinearModelsAlongARunHaveFoldersOnRequestOnly) {
  ASSERT_EQ(call("linearize " + kFourBar + " --set solver.duration=0.3 --at 0.1,0.2 -q -o out").code, 0);
  EXPECT_TRUE(exists("out/linear_over_time.mat"));
  EXPECT_TRUE(exists("out/over_time.csv"));
  EXPECT_FALSE(exists("out/at_0.1"));
  ASSERT_EQ(call("linearize " + kFourBar + " --set solver.duration=0.3 --at 0.1,0.2 --folders -q -o out").code, 0);
  EXPECT_EQ(json("out/at_0.2/linear.json")["time"], 0.2);
}

TEST_F(Grids, FrictionWithAllLawsIsOneFileAndOnePicture) {
  const Outcome r = call("friction " + kFourBar + " --all --frequency '0.5 Hz' -o out");
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_EQ(line("out/friction_laws.csv"), "time,velocity,displacement,bengisu_akay,brown_mcphee,lugre,modified_lugre");
  EXPECT_EQ(line("out/friction_laws_steady.csv"), "velocity,bengisu_akay,brown_mcphee,lugre,modified_lugre");
  EXPECT_TRUE(exists("out/friction_laws.svg") || r.printed("the picture is missing"));
  // a column is the force of the law by itself, over the same cycle
  ASSERT_EQ(call("friction " + kFourBar + " --frequency '0.5 Hz' --set cylinders.lift.friction.model=lugre -o alone").code, 0);
  std::vector<std::string> both, alone;
  std::string cell;
  for (std::istringstream in(line("out/friction_laws.csv", 1000)); std::getline(in, cell, ',');) both.push_back(cell);
  for (std::istringstream in(line("alone/friction_cycle.csv", 1000)); std::getline(in, cell, ',');) alone.push_back(cell);
  ASSERT_EQ(both.size(), 7U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(both[i], alone[i]);
  EXPECT_EQ(both[5], alone[3]);
  const Outcome dahl = call("friction " + kFourBar + " --all --set cylinders.lift.friction.model=dahl -o dahl");
  EXPECT_EQ(line("dahl/friction_laws.csv"), "time,velocity,displacement,bengisu_akay,brown_mcphee,lugre,modified_lugre,dahl")
      << dahl.output;
  const Outcome few = call("friction '" + std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml' --all -o few");
  EXPECT_EQ(few.code, 0) << few.output;
  EXPECT_TRUE(few.printed("modified_lugre is omitted; friction: film_velocity")) << few.output;
}

TEST_F(Grids, PlotHasLogarithmicAxes) {
  ASSERT_EQ(call("run " + kFourBar + kShort + "-q -o run").code, 0);
  const Outcome r = call("plot run crank.angle v1.pressure --log xy -o log.svg");
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_TRUE(r.printed("crank.angle: joint angle: 1 of 21 points are not positive and left out")) << r.output;  // time 0
  EXPECT_EQ(call("plot run crank.angle --log z -o none.csv").code, 2);
  EXPECT_FALSE(call("plot run crank.angle v1.pressure --log xy -o log.csv").printed("left out"));  // a table has all points
}

}  // namespace
}  // namespace trunnion

#endif
