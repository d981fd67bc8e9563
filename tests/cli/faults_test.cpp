// Signals, full disks, locked folders, closed pipes: files left by the program and its exit code.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "results/files.h"
#include "results/read_results.h"
#include "support/program.h"
#include "support/temporary_folder.h"

#ifdef TRUNNION_PROGRAM

namespace trunnion {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::text_of;

class Faults : public test::InFolder {
 protected:
  /// A shell command; $P is the program, $M an example.
  Outcome shell(const std::string& command) const {
    const std::string all = "P='" + test::program() + "'; M='" + std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml'; cd '" +
                            folder_.string() + "' && " + command;
    Outcome outcome;
    std::ofstream(folder_ / "command.sh") << all << "\n";
    std::FILE* pipe = popen(("bash '" + path("command.sh") + "' 2>&1").c_str(), "r");
    if (pipe == nullptr) return outcome;
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) outcome.output.append(buffer.data(), n);
    const int status = pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
  }
  bool has_parts(const std::string& folder) const {
    for (const auto& entry : fs::directory_iterator(path(folder)))
      if (entry.path().extension() == ".part") return true;
    return false;
  }
};

/// --foreground: otherwise `timeout` signals the program twice, directly and with its group, and a second signal ends it immediately.
TEST_F(Faults, SignalsEndARunAsAFailureDoes) {
  for (const auto& [signal, code] : {std::pair{"INT", 130}, {"TERM", 143}}) {
    const std::string folder = std::string("out_") + signal;
    const Outcome r = shell(std::string("timeout --foreground --preserve-status -s ") + signal +
                            " 0.7 \"$P\" run \"$M\" --set solver.duration=100000 --set record.every=100 -o " + folder);
    EXPECT_EQ(r.code, code) << r.output;
    EXPECT_TRUE(r.printed(std::string("interrupted (SIG") + signal + ")")) << r.output;
    const auto summary = nlohmann::json::parse(text_of(path(folder + "/summary.json")));
    EXPECT_EQ(summary["status"], "failed");
    const double end = summary["end_time"];
    EXPECT_GT(end, 0);
    for (const char* file : {"/results.h5", "/results.csv"}) {
      const Recording read = find_results(path(folder + file)).read({"*"});
      ASSERT_GT(read.rows(), 1u);
      EXPECT_EQ(read.columns[0].back(), end);
    }
    EXPECT_FALSE(has_parts(folder));
  }
}

TEST_F(Faults, OfTwoRunsInOneFolderTheSecondIsRefusedAtOnce) {
  const Outcome r = shell(
      "{ \"$P\" run \"$M\" --set solver.duration=100000 --set record.every=1000 -q -o out > first.txt 2>&1 & }; for i in $(seq 100); do "
      "[ -e out/results.csv.part ] && break; sleep 0.05; done; "
      "\"$P\" run \"$M\" --set solver.duration=0.01 -o out; code=$?; kill -9 $!; wait $! 2> wait.txt; exit $code");
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_TRUE(r.printed("another run is writing into this folder")) << r.output;
  // the lock ends with its process
  EXPECT_EQ(shell("\"$P\" run \"$M\" --set solver.duration=0.01 -q -o out").code, 0);
  EXPECT_FALSE(has_parts("out"));
}

TEST_F(Faults, ResultsOfAKilledRunCanBeReadAtAnyInstant) {
  std::size_t most = 0;
  for (int i = 1; i <= 12; ++i) {
    fs::remove_all(path("out"));
    const std::string wait = std::to_string(0.01 * i * i);
    shell(
        "{ \"$P\" run \"$M\" --set solver.duration=100000 --set solver.step=0.1ms -q -o out > first.txt 2>&1 & }; for i in $(seq 200); do "
        "[ -e out/results.h5.part ] && break; sleep 0.05; done; sleep " +
        wait + "; kill -9 $!; wait $! 2> wait.txt");
    for (const char* file : {"out/results.h5.part", "out/results.csv.part"}) {
      ASSERT_TRUE(exists(file)) << wait;
      const Recording read = find_results(path(file)).read({"*"});
      most = std::max(most, read.rows());
      for (std::size_t k = 1; k < read.rows(); ++k) ASSERT_GT(read.columns[0][k], read.columns[0][k - 1]) << file << ' ' << k;
    }
    if (exists("out/summary.json.part")) EXPECT_EQ(nlohmann::json::parse(text_of(path("out/summary.json.part")))["status"], "running");
    EXPECT_FALSE(exists("out/summary.json"));
  }
  EXPECT_GT(most, 1000u);
  const Outcome plot = shell("\"$P\" plot out crank.angle -o angle.csv");
  EXPECT_EQ(plot.code, 0) << plot.output;
  EXPECT_TRUE(plot.printed("the run continues, or its program was killed")) << plot.output;
  const Outcome report = shell("\"$P\" report out -o report.html");
  EXPECT_EQ(report.code, 0) << report.output;
}

TEST_F(Faults, FoldersThatCannotBeWrittenAreRefusedBeforeTheRun) {
  std::ofstream(path("file")) << "x";
  for (const char* folder : {"file", "file/out", "/proc/self/out", "/dev/null"}) {
    const Outcome r = shell(std::string("timeout 10 \"$P\" run \"$M\" --set solver.duration=100000 -o ") + folder);
    EXPECT_EQ(r.code, 2) << folder << r.output;
    EXPECT_TRUE(r.printed("the folder cannot be")) << r.output;
  }
  EXPECT_EQ(shell("\"$P\" run \"$M\" --set record.channels=[nothing] -o new").code, 2);
  EXPECT_FALSE(exists("new"));
}

// `ulimit -f`: a write beyond this file size [kB] fails, as on a full disk.
TEST_F(Faults, AFullDiskIsAMessageAndWhatIsWholeCanBeRead) {
  const std::string run = "\"$P\" run \"$M\" --set solver.duration=0.6 -q -o out";
  ASSERT_EQ(shell(run).code, 0);
  const auto largest = std::max(fs::file_size(path("out/results.csv")), fs::file_size(path("out/results.h5"))) / 1024 + 1;
  const auto rows_in = [&](const char* file) { return find_results(path(file)).read({"*"}).rows(); };
  const std::size_t rows = rows_in("out/results.csv");
  for (std::uintmax_t limit = 1; limit + 1 < largest; limit += limit < 16 ? 3 : 61) {
    fs::remove_all(path("out"));
    const Outcome r = shell("ulimit -c 0; ulimit -f " + std::to_string(limit) + "; " + run);
    EXPECT_EQ(r.code, 1) << limit << ": " << r.output;
    EXPECT_TRUE(r.printed("cannot write out/")) << limit << ": " << r.output;
    std::size_t most = 0;
    for (const char* file : {"out/results.csv", "out/results.h5"})
      if (exists(file)) most = std::max(most, rows_in(file));
    if (exists("out/results.csv.part")) {
      const std::size_t some = fs::file_size(path("out/results.csv.part")) > 0 ? rows_in("out/results.csv.part") : 0;
      EXPECT_LT(some, rows) << limit;
      most = std::max(most, some);
    }
    if (limit > 64) EXPECT_GT(most, 10u) << limit;
  }
}

// Every write of a run fails once, and all subsequent ones.
TEST_F(Faults, WhicheverWriteFailsWhatIsWholeCanBeRead) {
  const std::string run = "\"$P\" run \"$M\" --set solver.duration=0.5 -q -o out";
  const std::string library = (fs::path(TRUNNION_PROGRAM).parent_path() / "libtrunnion_failing_write.so").string();
  ASSERT_TRUE(fs::exists(library));
  int writes = 0, reports = 0;
  for (int code = 1; code != 0 && writes < 1000;) {
    fs::remove_all(path("out"));
    const Outcome r = shell("LD_PRELOAD='" + library + "' TRUNNION_FAILING_WRITE=" + std::to_string(++writes) + " " + run);
    code = r.code;
    if (code == 0) break;
    ASSERT_EQ(code, 1) << writes << ": " << r.output;
    ASSERT_TRUE(r.printed("cannot write out/")) << writes << ": " << r.output;
    ASSERT_TRUE(r.printed("No space left on device")) << writes << ": " << r.output;
    for (const char* file : {"out/results.csv", "out/results.h5", "out/results.csv.part"})
      if (exists(file) && fs::file_size(path(file)) > 0) {
        const Recording read = find_results(path(file)).read({"time"});
        if (fs::path(file).extension() != ".part") ASSERT_EQ(read.rows(), 501u) << writes << file;
        for (std::size_t k = 0; k < read.rows(); ++k)
          ASSERT_NEAR(read.columns[0][k], 1e-3 * static_cast<double>(k), 1e-9) << writes << file;
        if (fs::path(file).extension() != ".part" || read.rows() == 0) continue;
        ++reports;  // records without a whole summary, too
        ASSERT_EQ(nlohmann::json::parse(text_of(path("out/summary.json.part")))["status"], "running") << writes;
        const Outcome report = shell("\"$P\" report out -o report.html");
        ASSERT_EQ(report.code, 0) << writes << report.output;
      }
  }
  EXPECT_GT(reports, 0);
  EXPECT_GT(writes, 5);
  EXPECT_EQ(find_results(path("out")).read({"time"}).rows(), 501u);
}

TEST_F(Faults, FilesAreChosen) {
  for (const char* files : {"[csv]", "[h5]", "[]", "[csv, h5]"}) {
    const std::string chosen = files;
    const Outcome r = shell("\"$P\" run \"$M\" --set solver.duration=0.01 --set 'record.files=" + chosen + "' -o out");
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_EQ(exists("out/results.csv"), chosen.find("csv") != std::string::npos) << files;  // those of the previous run are gone
    EXPECT_EQ(exists("out/results.h5"), chosen.find("h5") != std::string::npos) << files;
    EXPECT_TRUE(exists("out/summary.json"));
  }
  const Outcome wrong = shell("\"$P\" run \"$M\" --set 'record.files=[csv, hdf]' -o out");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(wrong.printed("record.files.1")) << wrong.output;
}

TEST_F(Faults, LinksAtTemporaryNamesAreNotFollowed) {
  fs::create_directory(path("out"));
  std::ofstream(path("mine")) << "mine";
  for (const char* name : {"results.csv", "results.h5", "summary.json", "results.lock"})
    fs::create_symlink(path("mine"), path(std::string("out/") + name + ".part"));
  EXPECT_EQ(shell("\"$P\" run \"$M\" --set solver.duration=0.01 -q -o out").code, 0);
  EXPECT_EQ(text_of(path("mine")), "mine");
  for (const char* name : {"results.csv", "results.h5", "summary.json"})
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path(std::string("out/") + name)))) << name;
}

TEST_F(Faults, OutputThatDoesNotArriveIsNoSuccess) {
  for (const char* command : {"check \"$M\"", "reference", "schema", "--help", "run \"$M\" --set solver.duration=0.01 -o out"}) {
    const Outcome full = shell(std::string("\"$P\" ") + command + " > /dev/full");
    EXPECT_EQ(full.code, 1) << command << full.output;
    EXPECT_TRUE(full.printed("the output could not be written")) << full.output;
    const Outcome closed = shell(std::string("{ sleep 0.2; \"$P\" ") + command + "; echo \"code $?\" >&2; } | true");
    EXPECT_TRUE(closed.printed("code 1")) << command << closed.output;
  }
  EXPECT_TRUE(exists("out/results.h5"));
}

}  // namespace
}  // namespace trunnion

#endif
