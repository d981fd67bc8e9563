// solver.compiled: steps by generated code against general steps, and what happens where there is no code.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "run/run.h"
#include "support/machines.h"
#include "support/program.h"
#include "support/temporary_folder.h"

namespace trunnion::test {
namespace {

namespace fs = std::filesystem;

/// Sets a variable of the environment for a time.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class Compiled : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    cache_.emplace("XDG_CACHE_HOME", folder_.string());
  }
  std::string cache() const { return path("trunnion"); }
  /// The file in the cache with this ending.
  std::string file(const std::string& ending) const {
    for (const fs::directory_entry& entry : fs::directory_iterator(cache()))
      if (entry.path().extension() == ending) return entry.path();
    return "";
  }

 private:
  std::optional<Environment> cache_;
};

constexpr double kDuration = 0.5;

std::unique_ptr<Runner> run_of(const char* example, const std::string& compiled, std::vector<std::string> set = {}) {
  set.push_back("solver.compiled=" + compiled);
  set.push_back("solver.duration=" + std::to_string(kDuration));
  auto run = std::make_unique<Runner>(load_example(example, set));
  run->advance(kDuration);
  return run;
}

double largest_difference(const Runner& a, const Runner& b, int begin, int end) {
  double size = 0, difference = 0;
  for (int i = begin; i < end; ++i) {
    const double x = a.state().values()[static_cast<std::size_t>(i)], y = b.state().values()[static_cast<std::size_t>(i)];
    size = std::max(size, std::abs(y));
    difference = std::max(difference, std::abs(x - y));
  }
  return size > 0 ? difference / size : difference;
}

TEST_F(Compiled, StepsAreThoseOfTheGeneralStep) {
  for (const char* example : {"crane_single", "lever", "forwarder_crane"}) {
    const auto general = run_of(example, "off"), compiled = run_of(example, "on");
    const StateLayout& n = general->model()->layout;
    EXPECT_EQ(general->stepper().remark(), "");
    EXPECT_TRUE(compiled->stepper().remark().starts_with("compiled step: ")) << compiled->stepper().remark();
    EXPECT_EQ(general->statistics().compiled_steps, 0);
    EXPECT_GT(static_cast<double>(compiled->statistics().compiled_steps), 0.5 * static_cast<double>(compiled->statistics().steps))
        << example;
    EXPECT_EQ(compiled->statistics().steps, general->statistics().steps);
    EXPECT_NEAR(compiled->statistics().mean_iterations(), general->statistics().mean_iterations(), 0.02) << example;
    EXPECT_NEAR(compiled->statistics().max_violation, general->statistics().max_violation,
                1e-3 * general->statistics().max_violation + 1e-14);
    EXPECT_LT(largest_difference(*compiled, *general, 0, n.nq), 1e-10) << example;
    EXPECT_LT(largest_difference(*compiled, *general, n.nq + 2 * n.nv, n.nq + 2 * n.nv + n.ny), 1e-7) << example;
    EXPECT_EQ(run_of(example, "on")->state(), compiled->state()) << example << ": from the cache, bit for bit";
  }
}

TEST_F(Compiled, CacheBelongsToItsUser) {
  run_of("lever", "on");
  struct stat info {};
  ASSERT_EQ(stat(cache().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  const auto first = fs::last_write_time(file(".so"));
  EXPECT_TRUE(run_of("lever", "on")->stepper().remark().starts_with("compiled step: "));
  EXPECT_EQ(fs::last_write_time(file(".so")), first) << "compiled again";
  const auto general = run_of("lever", "off");
  fs::permissions(file(".so"), fs::perms::group_write, fs::perm_options::add);
  const auto refused = run_of("lever", "on");
  EXPECT_NE(refused->stepper().remark().find("only its user can write to"), std::string::npos) << refused->stepper().remark();
  EXPECT_EQ(refused->state(), general->state());
  std::ofstream(file(".model"), std::ios::app) << " ";  // of another model with the same hash
  EXPECT_TRUE(run_of("lever", "on")->stepper().remark().starts_with("compiled step: "));
  EXPECT_GT(fs::last_write_time(file(".so")), first);
  fs::permissions(cache(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_NE(run_of("lever", "on")->stepper().remark().find("is not a folder"), std::string::npos);
}

TEST_F(Compiled, WithoutACompilerTheGeneralStepIsUsed) {
  const Environment compiler("CC", path("no_compiler"));
  const auto run = run_of("lever", "on");
  EXPECT_NE(run->stepper().remark().find("no_compiler` cannot be started"), std::string::npos) << run->stepper().remark();
  EXPECT_EQ(run->statistics().compiled_steps, 0);
  EXPECT_EQ(run->state(), run_of("lever", "off")->state());
}

TEST_F(Compiled, MachinesWithoutARecordedStepSayWhy) {
  const auto run = run_of("position_servo", "on");
  EXPECT_NE(run->stepper().remark().find("control blocks"), std::string::npos) << run->stepper().remark();
  EXPECT_EQ(run->state(), run_of("position_servo", "off")->state());
}

TEST_F(Compiled, AutoTakesWhatIsThere) {
  const auto before = run_of("lever", "auto");
  EXPECT_NE(before->stepper().remark().find("less time than making"), std::string::npos) << before->stepper().remark();
  const auto made = run_of("lever", "on"), after = run_of("lever", "auto");
  EXPECT_GT(after->statistics().compiled_steps, 0);
  EXPECT_EQ(after->state(), made->state());
}

TEST_F(Compiled, CosimulationIsRefused) {
  try {
    load_example("crane_single", {"solver.compiled=on", "solver.coupling=cosimulation"});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("a co-simulation has no compiled step"), std::string::npos) << e.what();
  }
}

#ifdef TRUNNION_PROGRAM
TEST_F(Compiled, WrongCodeIsFoundInTheFirstStep) {  // by another process: loaded code stays loaded
  const std::string run =
      "run '" + std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml' --set solver.compiled=on --set solver.duration=0.2 -o r";
  EXPECT_TRUE(call_program(folder_, run).printed("steps by the compiled step"));
  const std::string library = file(".so"), wrong = path("wrong.c");
  std::string text = text_of(file(".c"));
  const std::string call = "return step(x, t, h, s, e, 0, r);";
  ASSERT_NE(text.find(call), std::string::npos);
  text.replace(text.find(call), call.size(), "const int status = step(x, t, h, s, e, 0, r); x[0] += 1e-6; return status;");
  std::ofstream(wrong) << text;
  ASSERT_EQ(std::system(("cc -O1 -fPIC -shared -o '" + library + "' '" + wrong + "' -lm").c_str()), 0);
  const Outcome outcome = call_program(folder_, run);
  EXPECT_TRUE(outcome.printed("general step: the compiled one differs by")) << outcome.output;
  EXPECT_TRUE(outcome.printed("done")) << outcome.output;
}

TEST_F(Compiled, SummaryNamesTheChoice) {
  const Outcome run = call_program(folder_, "run '" + std::string(TRUNNION_SOURCE_DIR) +
                                                "/examples/lever.yaml' --set solver.compiled=on --set solver.duration=0.2 -o r");
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_TRUE(run.printed("steps by the compiled step: ")) << run.output;
  EXPECT_NE(text_of(folder_ / "r/summary.json").find("\"compiled\": \"compiled step: "), std::string::npos);
}
#endif

}  // namespace
}  // namespace trunnion::test
