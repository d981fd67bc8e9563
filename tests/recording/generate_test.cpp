// `trunnion generate`: generated code against the general step.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "recording/generated_files.h"
#include "recording/record_run.h"
#include "run/run.h"
#include "support/machines.h"
#include "support/program.h"
#include "support/temporary_folder.h"

namespace trunnion::test {
namespace {

using Generate = InFolder;

struct GeneratedCase {
  const char* example;
  std::vector<std::string> set;
  double duration;
};

/// Lines of numbers.
std::vector<std::vector<double>> numbers_of(const std::string& text) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream values(line);
    rows.emplace_back();
    for (std::string value; std::getline(values, value, ',');) rows.back().push_back(std::stod(value));
  }
  return rows;
}

/// Writes, compiles and runs the code; its rows.
std::vector<std::vector<double>> run_code(const std::string& folder, const std::shared_ptr<const CompiledModel>& model) {
  const GeneratedCode code = generate_code(model, "machine");
  EXPECT_EQ(code.failure, "");
  for (const auto& [name, text] : code.files) std::ofstream(folder + "/" + name) << text;
  EXPECT_EQ(std::system(("cd '" + folder + "' && make -s CFLAGS='-O1 -Wall -Wextra -Werror' && ./host > rows.csv").c_str()), 0)
      << code.ways;
  return numbers_of(text_of(folder + "/rows.csv"));
}

/// The code's state along the run and that of the general step, relative to each number's largest.
void compare(const std::string& folder, const GeneratedCase& c) {
  std::vector<std::string> set = c.set;
  set.push_back("solver.duration=" + std::to_string(c.duration));
  const auto model = load_example(c.example, set);
  const std::vector<std::vector<double>> rows = run_code(folder, model);
  Runner run(model);
  std::vector<double> largest(run.state().values().size(), 1e-3), worst(largest.size(), 0);
  const StateLayout& n = model->layout;
  const auto compared = static_cast<std::size_t>(n.nq + n.nv);  // accelerations and rates lose digits
  ASSERT_GT(rows.size(), 50u) << c.example;
  for (const std::vector<double>& row : rows) {
    run.advance(row.front());
    ASSERT_NEAR(run.state().time, row.front(), 1e-9) << c.example;
    ASSERT_EQ(row.size(), run.state().values().size() + 1) << c.example;
    for (std::size_t i = 0; i < row.size() - 1; ++i) {
      largest[i] = std::max(largest[i], std::abs(run.state().values()[i]));
      worst[i] = std::max(worst[i], std::abs(run.state().values()[i] - row[i + 1]));
    }
  }
  for (std::size_t i = 0; i < compared; ++i) EXPECT_LT(worst[i], 1e-9 * largest[i]) << c.example << ", number " << i;
  const auto y = static_cast<std::size_t>(n.nq + 2 * n.nv);
  for (std::size_t i = y; i < y + static_cast<std::size_t>(n.ny); ++i)
    EXPECT_LT(worst[i], 1e-7 * largest[i]) << c.example << ", number " << i;
}

TEST_F(Generate, CodeOfALever) { compare(folder_, {"lever", {}, 1}); }
TEST_F(Generate, CodeOfACrane) { compare(folder_, {"crane_single", {}, 2}); }
TEST_F(Generate, CodeOfACraneWithDoubleStep) { compare(folder_, {"crane_single", {"solver.constraints=double_step"}, 1}); }
TEST_F(Generate, CodeOfACraneByGeneralizedAlpha) { compare(folder_, {"crane_single", {"solver.integrator=generalized_alpha"}, 0.5}); }
TEST_F(Generate, CodeOfAFourBarMechanism) { compare(folder_, {"four_bar", {}, 0.5}); }
TEST_F(Generate, CodeOfASlewingCrane) { compare(folder_, {"slewing_crane", {}, 0.3}); }

TEST_F(Generate, TheSameModelGivesTheSameTexts) {
  const auto model = load_example("lever", {"solver.duration=0.5"});
  EXPECT_EQ(generate_code(model, "lever").files, generate_code(model, "lever").files);
}

TEST_F(Generate, WhatHasNoRecordedStepIsRefused) {
  const auto refused = [](const char* example, const std::vector<std::string>& set) -> std::string {
    try {
      generate_code(load_example(example, set), "machine");
    } catch (const std::exception& e) { return e.what(); }
    return "";
  };
  EXPECT_NE(refused("position_servo", {}).find("control"), std::string::npos);
  EXPECT_NE(refused("lever", {"solver.integrator=rk4", "solver.constraints=double_step"}).find("solver.integrator"), std::string::npos);
}

#ifdef TRUNNION_PROGRAM
TEST_F(Generate, ProgramWritesTheFiles) {
  const std::string model = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";
  const Outcome done = call_program(folder_, "generate '" + model + "' --set 'solver.duration=0.2 s' -o code");
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_TRUE(done.printed("200 steps recorded")) << done.output;
  for (const char* file : {"lever.h", "lever.c", "host.c", "makefile"}) EXPECT_TRUE(exists(std::string("code/") + file)) << file;
  EXPECT_EQ(call_program(folder_, "generate '" + model + "' --set solver.coupling=gauss_seidel").code, 2);
}
#endif

}  // namespace
}  // namespace trunnion::test
