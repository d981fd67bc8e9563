// The core library, linked alone into a program (run_compact.cpp), does what the whole library does.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "schema/compact.h"
#include "support/ladder.h"
#include "support/program.h"
#include "support/temporary_folder.h"

#ifdef TRUNNION_CORE_PROGRAM

namespace trunnion {
namespace {

using test::InFolder;

/// Output of the program of the core, or of the same program with the whole library.
test::Outcome call(const char* program, const std::string& arguments) {
  const std::string command = std::string("'") + program + "' " + arguments + " 2>&1";
  test::Outcome outcome;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) outcome.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> list;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) list.push_back(std::strtod(line.c_str(), nullptr));
  return list;
}

class Core : public InFolder {
 protected:
  test::Outcome call_core(int steps) { return call(TRUNNION_CORE_PROGRAM, path("model.json") + " " + std::to_string(steps)); }
  void write(const std::string& text) { std::ofstream(path("model.json"), std::ios::binary) << text; }

  /// Time and state after some steps, every bit of them, by the core and by the whole library.
  void run_both(const Description& description, int steps) {
    write(compact_text(description));
    const test::Outcome one = call_core(steps), other = call(TRUNNION_WHOLE_PROGRAM, path("model.json") + " " + std::to_string(steps));
    ASSERT_EQ(one.code, 0) << one.output;
    ASSERT_EQ(other.code, 0) << other.output;
    core = one.output;
    whole = other.output;
  }
  /// Relative to the largest value.
  void expect_near(double digits) {
    const std::vector<double> a = numbers(core), b = numbers(whole);
    ASSERT_EQ(a.size(), b.size());
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::abs(b[i]));
      difference = std::max(difference, std::abs(a[i] - b[i]));
    }
    EXPECT_LT(difference, digits * largest);
  }

  std::string core, whole;
};

/// Machines with sparse matrices agree to rounding, which rates of pressures multiply by the number of steps in a second: their order of
/// elimination is KLU's in the whole library.
TEST_F(Core, ExamplesHaveTheBitsOfTheWholeLibrary) {
  const std::set<std::string> sparse{"excavator",
                                     "excavator_autonomous",
                                     "excavator_lumped",
                                     "excavator_operator",
                                     "excavator_quasistatic",
                                     "forwarder_crane",
                                     "hydrostatic_drive",
                                     "ladder"};
  int equal = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TRUNNION_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path());
    run_both(load_model(entry.path().string()), 20);
    if (sparse.contains(entry.path().stem().string())) {
      expect_near(1e-6);
    } else {
      EXPECT_EQ(core, whole);
      ++equal;
    }
  }
  EXPECT_GT(equal, 12);
}

TEST_F(Core, CoSimulationHasTheBitsOfTheWholeLibrary) {
  run_both(load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/crane_single.yaml", {{"solver.coupling", "cosimulation"}}), 20);
  EXPECT_EQ(core, whole);
}

/// With its own order of elimination.
TEST_F(Core, SparseMachinesMoveAsWithKlu) {
  for (const char* constraints : {"penalty", "double_step", "baumgarte"}) {
    SCOPED_TRACE(constraints);
    const std::string solver = std::string("constraints: ") + constraints + ", step: 1 ms, duration: 1 s";
    run_both(parse_model(test::ladder_model(60, solver), "ladder.yaml"), 100);
    expect_near(1e-9);
  }
}

TEST_F(Core, VariableStepReferencesAreRefusedByName) {
  for (const char* integrator : {"cvode", "ida"}) {
    const std::vector<Override> reference{{"solver.integrator", integrator},
                                          {"solver.constraints", integrator == std::string("ida") ? "baumgarte" : "double_step"}};
    const Description description = load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml", reference);
    write(compact_text(description));
    const test::Outcome outcome = call_core(1);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(outcome.printed("solver.integrator: `" + std::string(integrator) + "` is not in the core library")) << outcome.output;
  }
}

TEST_F(Core, MachinesBuiltInCodeHaveTheBitsOfTheirFile) {
  run_both(load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml"), 200);
  const test::Outcome built = call(TRUNNION_CORE_PROGRAM, "built 200");
  EXPECT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(built.output, core);
}

TEST_F(Core, WrongModelsAreRefused) {
  write(R"({"trunnion":1,"bodis":{}})");
  const test::Outcome outcome = call_core(1);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.printed("did you mean `bodies`?")) << outcome.output;
}

}  // namespace
}  // namespace trunnion

#endif
