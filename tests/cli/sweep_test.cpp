// `trunnion sweep` as a user calls it: killed at random instants, interrupted, refused.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
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
                                          "--set",     "solver.duration=3 s",
                                          "--vary",    "cylinders.lift.bore=45:70 mm",
                                          "--vary",    "solver.step=1ms,2ms",
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

/// Under Open MPI; a process of root, in a container, on fewer processors than ranks.
class RanksOfASweep : public test::InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    if (std::system("command -v mpirun > /dev/null 2>&1") != 0) GTEST_SKIP() << "mpirun is missing (Debian: openmpi-bin)";
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"})
      setenv(name, "1", 1);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    setenv("OMPI_MCA_plm", "isolated", 1);
  }
  std::string sweep_to(const std::string& name) const {
    std::string command = "'" + test::program() + "'";
    for (const std::string& text : kArguments) command += " '" + text + "'";
    return command + " " + name;
  }
  int shell(const std::string& command) const {
    const int status = std::system(("cd '" + folder_.string() + "' && { " + command + "; } > output.txt 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void expect_equal(const std::string& name) const {
    for (const char* file : {"/sweep.h5", "/sweep.csv", "/sweep.json", "/p.svg"})
      EXPECT_EQ(text_of(folder_ / (name + file)), text_of(folder_ / (std::string("alone") + file))) << name << file;
  }
  /// Starts a job, and kills rank 1 of it after a while.
  std::string with_a_lost_rank(const std::string& options, const std::string& name) const {
    return "mpirun -n 3 " + options + " " + sweep_to(name) + " & job=$!; while ! ls " + name +
           "/journal_1.bin 2> /dev/null && kill -0 $job 2> /dev/null; do sleep 0.01; done; sleep 0.05; for p in /proc/[0-9]*; do "
           "tr '\\0' '\\n' < $p/environ 2> /dev/null | grep -qx OMPI_COMM_WORLD_RANK=1 && tr '\\0' ' ' < $p/cmdline | grep -q ' " +
           name + " $' && [ \"$(readlink $p/cwd)\" = \"$PWD\" ] && kill -9 ${p#/proc/}; done; wait $job";
  }
};

TEST_F(RanksOfASweep, GiveTheBytesOfOneProcess) {
  ASSERT_EQ(shell(sweep_to("alone")), 0) << text_of(path("output.txt"));
  ASSERT_EQ(shell("mpirun -n 3 " + sweep_to("three")), 0) << text_of(path("output.txt"));
  expect_equal("three");
}

/// The job ends with the rank; the same command goes on, with other ranks.
TEST_F(RanksOfASweep, ALostRankLosesNoFinishedRun) {
  ASSERT_EQ(shell(sweep_to("alone")), 0) << text_of(path("output.txt"));
  shell(with_a_lost_rank("", "ended"));
  if (exists("ended/sweep.json")) GTEST_SKIP() << "the sweep was faster than the signal";
  ASSERT_EQ(shell("mpirun -n 2 " + sweep_to("ended")), 0) << text_of(path("output.txt"));
  expect_equal("ended");
}

TEST_F(RanksOfASweep, WithRecoveryTheOthersGoOn) {
  ASSERT_EQ(shell(sweep_to("alone")), 0) << text_of(path("output.txt"));
  shell(with_a_lost_rank("--enable-recovery", "recovered"));
  EXPECT_TRUE(exists("recovered/sweep.json")) << text_of(path("output.txt"));
  expect_equal("recovered");
}

TEST_F(RanksOfASweep, AWrongCommandIsReportedOnceAndEnds) {
  const int code =
      shell("mpirun -n 3 '" + test::program() + "' sweep '" + kModel + "' --vary cylinders.lift.bor=1 --kpi 'p=max(time)' -o out");
  EXPECT_EQ(code, 2) << text_of(path("output.txt"));
  const std::string output = text_of(path("output.txt"));
  const std::size_t first = output.find("did you mean");
  ASSERT_NE(first, std::string::npos) << output;
  EXPECT_EQ(output.find("did you mean", first + 1), std::string::npos) << output;
}

TEST_F(SweepCommand, InterruptedItSaysHowToGoOn) {
  const int end = run_and_kill(path("out"), Milliseconds(80), SIGINT);
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
