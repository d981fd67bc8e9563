// `trunnion sweep` as a user calls it: killed at random instants, interrupted, refused.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "support/program.h"
#include "support/temporary_folder.h"

#ifdef TRUNNION_PROGRAM

namespace trunnion {
namespace {

using test::call_program;
using test::Outcome;
using test::text_of;

using SweepCommand = test::InFolder;
using Milliseconds = std::chrono::duration<double, std::milli>;

const std::string kModel = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";
const std::vector<std::string> kArguments{"sweep",     kModel,
                                          "--set",     "solver.duration=1 s",
                                          "--vary",    "cylinders.lift.bore=45:70 mm",
                                          "--vary",    "cylinders.lift.friction.model=brown_mcphee,lugre",
                                          "--sample",  "lhs:60,5",
                                          "--kpi",     "p=max(piston_side.pressure)",
                                          "--kpi",     "w=integral(lift.power)",
                                          "--keep",    "channels",
                                          "--set",     "record.channels=[lever.*]",
                                          "--threads", "2",
                                          "-q",        "-o"};

/// Starts the program; its signal, or 0, after the time, or when it has ended.
int run_and_kill(const std::string& folder, const Milliseconds& after, int signal) {
  const std::string program = test::program();
  std::vector<const char*> arguments{program.c_str()};
  for (const std::string& text : kArguments) arguments.push_back(text.c_str());
  arguments.push_back(folder.c_str());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    execv(program.c_str(), const_cast<char* const*>(arguments.data()));
    _exit(127);
  }
  const auto end = std::chrono::steady_clock::now() + after;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) kill(child, signal);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return WIFSIGNALED(status) ? WTERMSIG(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -WEXITSTATUS(status);
}

constexpr Milliseconds kForever{1e6};

TEST_F(SweepCommand, KilledAtRandomInstantsItEndsWithTheSameBytes) {
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run_and_kill(path("whole"), kForever, SIGKILL), 0);
  const Milliseconds whole = std::chrono::steady_clock::now() - begin;
  std::mt19937 random(std::random_device{}());
  int killed = 0;
  for (int trial = 0; trial < 2; ++trial) {
    const std::string name = "cut" + std::to_string(trial);
    for (int i = 0; i < 6; ++i) {
      const int end = run_and_kill(path(name), std::uniform_real_distribution<double>(0, 0.6)(random) * whole, SIGKILL);
      if (end == 0) break;
      ASSERT_EQ(end, SIGKILL);
      ++killed;
    }
    ASSERT_EQ(run_and_kill(path(name), kForever, SIGKILL), 0);
    for (const char* file : {"/sweep.h5", "/sweep.csv", "/sweep.json", "/p.svg", "/w.svg"})
      EXPECT_EQ(text_of(folder_ / (name + file)), text_of(folder_ / (std::string("whole") + file))) << file;
    for (const auto& entry : std::filesystem::directory_iterator(path(name))) {
      EXPECT_FALSE(entry.path().filename().string().starts_with("journal")) << entry.path();
      EXPECT_NE(entry.path().extension(), ".part");
    }
  }
  EXPECT_GT(killed, 2);
}

TEST_F(SweepCommand, InterruptedItSaysHowToGoOn) {
  const int end = run_and_kill(path("out"), Milliseconds(150), SIGINT);
  if (end == 0) GTEST_SKIP() << "the sweep was faster than the signal";
  EXPECT_TRUE(end == -130 || end == SIGINT) << end;  // before signals are caught, the second
  EXPECT_FALSE(exists("out/sweep.h5"));
  EXPECT_EQ(run_and_kill(path("out"), kForever, SIGKILL), 0);
  EXPECT_TRUE(exists("out/sweep.h5"));
}

TEST_F(SweepCommand, PrintsCountsAndExtremes) {
  const std::string call =
      "sweep '" + kModel + "' --set solver.duration=0.1 --vary cylinders.lift.bore=50:60:5mm,-1 --kpi 'p=max(piston_side.pressure)' -o out";
  const Outcome r = call_program(folder_, call);
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(r.printed("4 runs of")) << r.output;
  EXPECT_TRUE(r.printed("3 completed, 1 invalid")) << r.output;
  EXPECT_TRUE(r.printed("first run without result: 3, invalid: ")) << r.output;
  EXPECT_TRUE(call_program(folder_, call).printed("already holds this sweep"));
  EXPECT_EQ(call_program(folder_, call + " --keep all").code, 2);
  EXPECT_EQ(call_program(folder_, call + " --keep all --overwrite").code, 0);
  const Outcome page = call_program(folder_, "report out -o page.html");
  EXPECT_EQ(page.code, 0) << page.output;
  EXPECT_NE(text_of(folder_ / "page.html").find("max(piston_side.pressure)"), std::string::npos);
}

TEST_F(SweepCommand, WrongOptionsAreRefusedBeforeAFolderIsMade) {
  const auto refused = [&](const std::string& options, const std::string& message) {
    const Outcome r = call_program(folder_, "sweep '" + kModel + "' -o out " + options);
    EXPECT_EQ(r.code, 2) << options;
    EXPECT_TRUE(r.printed(message)) << r.output;
    EXPECT_FALSE(exists("out"));
  };
  refused("--vary cylinders.lift.bore=50mm --kpi 'p=max(piston_side.presure)'", "did you mean 'piston_side.pressure'?");
  refused("--vary cylinders.lift.bor=50mm --kpi 'p=max(piston_side.pressure)'", "did you mean");
  refused("--vary cylinders.lift.bore=50:60mm --kpi 'p=max(piston_side.pressure)'", "--sample lhs:N,SEED");
  refused("--vary cylinders.lift.bore=50mm", "nothing of the runs is kept");
  refused("--vary cylinders.lift.bore=50mm --kpi 'p=max(piston_side.pressure)' --keep some", "--keep");
  refused("--pairs none.csv --kpi 'p=max(piston_side.pressure)'", "none.csv");
}

}  // namespace
}  // namespace trunnion

#endif
