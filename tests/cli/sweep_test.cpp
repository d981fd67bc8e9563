// `trunnion sweep` as a user calls it: killed at random instants, interrupted, refused.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

#ifdef TRUNNION_PROGRAM

namespace trunnion {
namespace {

using test::call_program;
using test::Outcome;
using test::text_of;

using SweepCommand = test::InFolder;

const std::string kModel = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";

/// Twice as many runs as points.
std::vector<std::string> sweep_of(int points, const std::string& folder) {
  return {"sweep",     kModel,
          "--set",     "solver.duration=3 s",
          "--vary",    "cylinders.lift.bore=45:70 mm",
          "--vary",    "solver.step=1ms,2ms",
          "--sample",  "lhs:" + std::to_string(points) + ",5",
          "--kpi",     "p=max(piston_side.pressure)",
          "--kpi",     "w=integral(lift.power)",
          "--keep",    "channels",
          "--set",     "record.channels=[lever.*]",
          "--threads", "2",
          "-o",        folder};
}

std::uintmax_t size_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

constexpr std::uintmax_t kNever = UINTMAX_MAX, kHeader = 41;  // bytes of a journal

struct Ended {
  int how = 0;                 // 0; -code; a signal
  std::uintmax_t largest = 0;  // size of the journal
};

/// Starts the program, which gets the signal, once, when its journal has grown by more than so many bytes. Its messages are in FOLDER.txt.
Ended run_and_signal(int points, const std::string& folder, std::uintmax_t growth, int signal) {
  const std::string program = test::program(), messages = folder + ".txt", journal = folder + "/journal_0.bin";
  const std::vector<std::string> texts = sweep_of(points, folder);
  std::vector<const char*> arguments{program.c_str()};
  for (const std::string& text : texts) arguments.push_back(text.c_str());
  arguments.push_back(nullptr);
  const std::uintmax_t begin = size_of(journal);
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv(program.c_str(), const_cast<char* const*>(arguments.data()));
    _exit(127);
  }
  Ended ended;
  int status = 0;
  bool sent = false;
  while (waitpid(child, &status, WNOHANG) == 0) {
    ended.largest = std::max(ended.largest, size_of(journal));
    if (!sent && growth != kNever && ended.largest > begin + growth) {
      kill(child, signal);
      sent = true;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  ended.how = WIFSIGNALED(status) ? WTERMSIG(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -WEXITSTATUS(status);
  return ended;
}

TEST_F(SweepCommand, KilledAtRandomInstantsItEndsWithTheSameBytes) {
  constexpr int kPoints = 60;
  const Ended whole = run_and_signal(kPoints, path("whole"), kNever, 0);
  ASSERT_EQ(whole.how, 0) << text_of(path("whole.txt"));
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::uintmax_t> growth(0, whole.largest / 6);
  int killed = 0;
  for (int trial = 0; trial < 2; ++trial) {
    const std::string name = "cut" + std::to_string(trial);
    for (int i = 0; i < 5; ++i) {
      const int end = run_and_signal(kPoints, path(name), growth(random), SIGKILL).how;
      if (end == 0) break;
      ASSERT_EQ(end, SIGKILL) << text_of(path(name + ".txt"));
      ++killed;
    }
    ASSERT_EQ(run_and_signal(kPoints, path(name), kNever, 0).how, 0) << text_of(path(name + ".txt"));
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
  constexpr int kPoints = 200;
  EXPECT_EQ(run_and_signal(kPoints, path("out"), kHeader, SIGINT).how, -130);
  EXPECT_NE(text_of(path("out.txt")).find("of 400 runs; the same command goes on"), std::string::npos) << text_of(path("out.txt"));
  EXPECT_FALSE(exists("out/sweep.h5"));
  EXPECT_EQ(run_and_signal(kPoints, path("out"), kNever, 0).how, 0);
  EXPECT_NE(text_of(path("out.txt")).find("of the runs are those of an earlier command"), std::string::npos) << text_of(path("out.txt"));
  EXPECT_TRUE(exists("out/sweep.h5"));
}

/// Under Open MPI; a process of root, in a container, on fewer processors than ranks.
class RanksOfASweep : public test::InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    ASSERT_EQ(std::system("command -v mpirun > /dev/null 2>&1"), 0)
        << "mpirun is missing: tools/install_dependencies.sh installs openmpi-bin";
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"})
      setenv(name, "1", 1);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    setenv("OMPI_MCA_plm", "isolated", 1);
  }
  static std::string quoted(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += " '" + word + "'";
    return text;
  }
  static std::string sweep_to(const std::string& name, int points = 60) {
    return quoted({test::program()}) + quoted(sweep_of(points, name));
  }
  /// As a job of this many ranks, which ends at the latest after a minute; `options` of mpirun. Each rank writes its process into pid_RANK.
  static std::string job(int ranks, const std::string& command, const std::string& options = "") {
    return "timeout 60 mpirun " + options + " -n " + std::to_string(ranks) +
           " sh -c 'echo $$ > pid_$OMPI_COMM_WORLD_RANK; exec \"$0\" \"$@\"'" + command;
  }
  int shell(const std::string& command) const {
    const int status = std::system(("cd '" + folder_.string() + "' && { " + command + "; } > output.txt 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string output() const { return text_of(path("output.txt")); }
  void expect_equal(const std::string& name) const {
    for (const char* file : {"/sweep.h5", "/sweep.csv", "/sweep.json", "/p.svg"})
      EXPECT_EQ(text_of(folder_ / (name + file)), text_of(folder_ / (std::string("alone") + file))) << name << file;
  }
  /// A job of three ranks, of which rank 1 is killed when it has finished a run. The exit code of mpirun.
  int with_a_lost_rank(const std::string& options, const std::string& name, int points) const {
    return shell(job(3, sweep_to(name, points), options) + " & job=$!; until [ $(stat -c %s " + name +
                 "/journal_1.bin 2> /dev/null || echo 0) -gt " + std::to_string(kHeader) +
                 " ] || ! kill -0 $job; do sleep 0.01; done; kill -9 $(cat pid_1) && echo killed; wait $job");
  }
};

TEST_F(RanksOfASweep, GiveTheBytesOfOneProcess) {
  ASSERT_EQ(shell(sweep_to("alone")), 0) << output();
  ASSERT_EQ(shell(job(3, sweep_to("three"))), 0) << output();
  EXPECT_EQ(output().find("lost"), std::string::npos) << output();
  expect_equal("three");
}

/// The job ends with the rank; the same command goes on, with other ranks.
TEST_F(RanksOfASweep, ALostRankLosesNoFinishedRun) {
  constexpr int kPoints = 200;
  ASSERT_EQ(shell(sweep_to("alone", kPoints)), 0) << output();
  EXPECT_NE(with_a_lost_rank("", "ended", kPoints), 0);
  EXPECT_NE(output().find("killed"), std::string::npos) << output();
  ASSERT_FALSE(exists("ended/sweep.json")) << output();
  ASSERT_EQ(shell(job(2, sweep_to("ended", kPoints))), 0) << output();
  EXPECT_NE(output().find("of the runs are those of an earlier command"), std::string::npos) << output();
  expect_equal("ended");
}

TEST_F(RanksOfASweep, WithRecoveryTheOthersGoOn) {
  constexpr int kPoints = 200;
  ASSERT_EQ(shell(sweep_to("alone", kPoints)), 0) << output();
  EXPECT_EQ(with_a_lost_rank("--enable-recovery", "recovered", kPoints), 0) << output();
  EXPECT_NE(output().find("1 of 3 ranks were lost"), std::string::npos) << output();
  ASSERT_TRUE(exists("recovered/sweep.json")) << output();
  expect_equal("recovered");
}

TEST_F(RanksOfASweep, AWrongCommandIsReportedOnceAndEnds) {
  const int code =
      shell(job(3, quoted({test::program(), "sweep", kModel, "--vary", "cylinders.lift.bor=1", "--kpi", "p=max(time)", "-o", "out"})));
  EXPECT_EQ(code, 2) << output();
  const std::size_t first = output().find("did you mean");
  ASSERT_NE(first, std::string::npos) << output();
  EXPECT_EQ(output().find("did you mean", first + 1), std::string::npos) << output();
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
  const std::string none = "sweep '" + kModel + "' --vary cylinders.lift.bore=50mm --kpi 'p=1/min(time)' -o none";
  for (int call_number = 0; call_number < 2; ++call_number) {
    const Outcome without = call_program(folder_, none);
    EXPECT_EQ(without.code, 1) << without.output;
    EXPECT_TRUE(without.printed("no run has completed")) << without.output;
  }
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
