// Sweeps. Reference: single runs of the model file with the same values; an undisturbed sweep.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/sweep.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/diagnostic.h"
#include "results/files.h"
#include "studies/sweep_crew.h"
#include "support/mailboxes.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;

const std::string kLever = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";
const std::string kBore = "cylinders.lift.bore", kMass = "bodies.lever.rod.mass", kLaw = "cylinders.*.friction.model";

SweepRequest lever(const std::vector<std::string>& vary, const std::vector<std::string>& kpis = {"p=max(piston_side.pressure)"}) {
  SweepRequest request;
  request.model_file = kLever;
  request.overrides = {{"solver.duration", "1 s"}};
  request.vary = vary;
  request.kpis = kpis;
  return request;
}

std::string refusal(const SweepRequest& request) {
  try {
    SweepPlan plan(request);
  } catch (const InputError& error) { return error.what(); }
  return "accepted";
}

TEST(SweepItems, AreCombinationsOfPairsSampleAndLists) {
  SweepRequest request = lever({"a=1,2", "b=x,y"});
  SweepItems items = sweep_items(request);
  EXPECT_EQ(items.paths, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(items.rows, (std::vector<std::vector<std::string>>{{"1", "x"}, {"1", "y"}, {"2", "x"}, {"2", "y"}}));
  EXPECT_EQ(items.grid, (std::vector<std::size_t>{2, 2}));
  request = lever({"a=1,2", "c=0:1"});
  request.sample = "lhs:5,3";
  items = sweep_items(request);
  EXPECT_EQ(items.paths, (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(items.rows.size(), 10U);
  EXPECT_TRUE(items.grid.empty());
}

TEST(SweepItems, WrongRequestsAreExplained) {
  SweepRequest request = lever({"c=0:1"});
  EXPECT_NE(refusal(request).find("--sample lhs:N,SEED"), std::string::npos);
  request = lever({"c=0,1"});
  request.sample = "lhs:5,3";
  EXPECT_NE(refusal(request).find("no range to take samples of"), std::string::npos);
  EXPECT_NE(refusal(lever({})).find("varies nothing"), std::string::npos);
  EXPECT_NE(refusal(lever({"a=1", "a=2"})).find("occurs twice"), std::string::npos);
  EXPECT_NE(refusal(lever({"a=1:1000:1", "b=1:1000:1", "c=1:1000:1"})).find("at most 1000000"), std::string::npos);
  EXPECT_NE(refusal(lever({kBore + "=50mm"}, {})).find("nothing of the runs is kept"), std::string::npos);
  for (const char* path : {"record.channels", "record.channels.0", "record.*"})
    EXPECT_NE(refusal(lever({std::string(path) + "=[lift.force],[]"})).find("--set record.channels=[...]"), std::string::npos) << path;
  EXPECT_EQ(refusal(lever({"record.every=1,2"})), "accepted");
}

TEST(SweepPlan, WrongPathsAndChannelsAreExplained) {
  EXPECT_NE(refusal(lever({"cylinders.lift.bor=50mm"})).find("--vary: error: cylinders.lift.bor"), std::string::npos);
  EXPECT_NE(refusal(lever({"cylinders.lift.bor=50mm"})).find("did you mean"), std::string::npos);
  EXPECT_NE(refusal(lever({kBore + "=50mm"}, {"p=max(piston_side.presure)"})).find("did you mean 'piston_side.pressure'?"),
            std::string::npos);
  EXPECT_NE(refusal(lever({kBore + "=-1,-2"})).find("greater than 0"), std::string::npos);
}

TEST(SweepPlan, NamesOfKeyFiguresAreNoOtherColumns) {
  for (const char* name : {"run", "status", "end_time", "message"})
    EXPECT_NE(refusal(lever({kBore + "=50mm"}, {std::string(name) + "=max(time)"})).find("another name, such as"), std::string::npos)
        << name;
  EXPECT_EQ(refusal(lever({kBore + "=50mm"}, {"runs=max(time)"})), "accepted");
}

TEST(SweepPlan, NumbersAreSetAndOthersReadAgain) {
  const SweepPlan plan(lever({kBore + "=50:60:5 mm", kMass + "=90,100", kLaw + "=brown_mcphee,lugre", "solver.step=1ms,2ms"}));
  EXPECT_TRUE(plan.is_parameter(0));
  EXPECT_TRUE(plan.is_parameter(1));
  EXPECT_FALSE(plan.is_parameter(2));
  EXPECT_FALSE(plan.is_parameter(3));
  EXPECT_EQ(plan.unit(0), "m");
  EXPECT_EQ(plan.number(0, 0), 0.05);
  EXPECT_TRUE(std::isnan(plan.number(0, 2)));
}

TEST(SweepPlan, KeyIsOfTheModelAndTheRequest) {
  const SweepRequest request = lever({kBore + "=50mm,60mm"});
  const auto key = [](const SweepRequest& of) { return SweepPlan(of).key(); };
  const std::uint64_t first = key(request);
  EXPECT_EQ(key(request), first);
  SweepRequest other = request;
  other.overrides.push_back({"gravity", "[0, -1.62, 0]"});
  EXPECT_NE(key(other), first);
  other = request;
  other.keep = SweepKeep::all;
  EXPECT_NE(key(other), first);
  EXPECT_NE(key(lever({kBore + "=50mm,61mm"})), first);
  EXPECT_NE(key(lever({kBore + "=50mm,60mm"}, {"p=min(piston_side.pressure)"})), first);
}

/// Of every file that a run reads, also if the first one does not.
class SweepKey : public test::InFolder {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name), std::ios::trunc) << text; }
  std::uint64_t key(const std::vector<std::string>& vary) const {
    SweepRequest request = lever(vary);
    request.model_file = path("model.yaml");
    return SweepPlan(request).key();
  }
};

TEST_F(SweepKey, DependsOnFilesThatAnyRunReads) {
  std::string text = test::text_of(kLever);
  const std::size_t begin = text.find("  command: {ramps"), end = text.find('\n', begin);
  ASSERT_LT(end, text.size());
  text.replace(begin, end - begin, "  command: {csv: {file: a.csv}}");
  write("model.yaml", text);
  write("a.csv", "0, 0\n1, 1\n");
  write("b.csv", "0, 0\n1, 1\n");
  write("c.csv", "0, 0\n1, 1\n");
  const std::vector<std::string> files{"signals.command.csv.file=a.csv,b.csv,c.csv,none.csv"}, bores{kBore + "=50mm,60mm"};
  const std::uint64_t first = key(files), without = key(bores);
  EXPECT_EQ(key(files), first);
  for (const char* name : {"a.csv", "b.csv", "c.csv", "none.csv"}) {
    const bool there = exists(name);
    write(name, "0, 0\n1, 2\n");
    EXPECT_NE(key(files), first) << name;
    if (there)
      write(name, "0, 0\n1, 1\n");
    else
      fs::remove(path(name));
    EXPECT_EQ(key(files), first) << name;
  }
  write("b.csv", "0, 0\n1, 2\n");
  EXPECT_EQ(key(bores), without);  // which no run reads
}

class Sweep : public test::InFolder {
 protected:
  SweepOutcome perform(const SweepRequest& request, const std::string& name, int threads = 2) const {
    return sweep_to_folder(request, path(name), threads, false);
  }
  std::string bytes(const std::string& name) const { return test::text_of(folder_ / name); }
};

/// The key figures of single runs of the file, from all their states: each value is that of a run of `trunnion run`.
TEST_F(Sweep, EveryRunIsThatOfTheFileWithItsValues) {
  const std::vector<std::string> kpis{"p=max(piston_side.pressure)", "f=final(lift.force) - min(lift.force)", "e=final(energy.residual)",
                                      "w=max(lever.reaction.force_y)"};
  const SweepRequest request = lever({kBore + "=50mm,63mm", kMass + "=90,110", kLaw + "=brown_mcphee,none"}, kpis);
  ASSERT_EQ(perform(request, "all").done, 8U);
  const SweepPlan plan(request);
  SweepPlan::Maker maker(plan);
  for (std::size_t i = 0; i < 8; ++i) {
    std::vector<Override> overrides = request.overrides;
    for (std::size_t k = 0; k < 3; ++k) overrides.push_back({plan.items().paths[k], plan.items().rows[i][k]});
    overrides.push_back({"record.channels", "[\"*\", lever.reaction.force_y]"});
    const CaseResult run = run_case(compile(load_model(kLever, overrides)));
    const auto column = [&](const std::string& name) {
      return run.recorder->recording().columns[static_cast<std::size_t>(run.recorder->recording().find(name))];
    };
    const auto made = maker.make(i);
    const auto of_sweep = sweep_run(made.model, StartKind::given, plan.kpis(), *made.source, false, nullptr);
    ASSERT_EQ(of_sweep->status, RunStatus::completed) << of_sweep->message;
    const std::vector<double> p = column("piston_side.pressure"), f = column("lift.force"), w = column("lever.reaction.force_y");
    EXPECT_EQ(of_sweep->kpi[0], *std::max_element(p.begin(), p.end()));
    EXPECT_EQ(of_sweep->kpi[1], f.back() - *std::min_element(f.begin(), f.end()));
    EXPECT_EQ(of_sweep->kpi[2], column("energy.residual").back());
    EXPECT_EQ(of_sweep->kpi[3], *std::max_element(w.begin(), w.end()));
  }
}

/// A channel on request is there whether the model records it or not, and whatever is kept.
TEST_F(Sweep, ChannelsOnRequestNeedNoRequest) {
  std::vector<double> values;
  for (const char* recorded : {"[]", "[lever.reaction.force_y]", "[lever.angle]"})
    for (const SweepKeep keep : {SweepKeep::kpi, SweepKeep::channels, SweepKeep::all}) {
      SweepRequest request = lever({kBore + "=50mm"}, {"w=max(lever.reaction.force_y)"});
      request.overrides.push_back({"record.channels", recorded});
      request.keep = keep;
      const SweepPlan plan(request);
      const auto made = SweepPlan::Maker(plan).make(0);
      const auto run = sweep_run(made.model, StartKind::given, plan.kpis(), *made.source, keep != SweepKeep::kpi, nullptr);
      ASSERT_EQ(run->status, RunStatus::completed) << run->message;
      values.push_back(run->kpi[0]);
      if (keep == SweepKeep::kpi) EXPECT_TRUE(run->kept.channels.empty());
      if (keep == SweepKeep::channels) EXPECT_EQ(run->kept.find("lever.angle") >= 0, std::string(recorded) != "[lever.reaction.force_y]");
      if (keep == SweepKeep::all) EXPECT_GE(run->kept.find("energy.residual"), 0);
    }
  for (const double value : values) EXPECT_EQ(value, values.front());
  EXPECT_NE(values.front(), 0);
}

TEST_F(Sweep, BytesDoNotDependOnThreadsOrder) {
  for (const SweepKeep keep : {SweepKeep::kpi, SweepKeep::channels}) {
    SweepRequest request = lever({kBore + "=50:60:2 mm", "solver.step=1ms,2ms"});
    request.keep = keep;
    request.overrides.push_back({"record.channels", "[lift.*]"});
    const std::string name = word(keep);
    perform(request, name + "1", 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // another second, if a file had times
    perform(request, name + "3", 3);
    for (const char* file : {"/sweep.h5", "/sweep.csv", "/sweep.json", "/p.svg"})
      EXPECT_EQ(bytes(name + "1" + file), bytes(name + "3" + file)) << file;
    EXPECT_TRUE(journals_in(path(name + "1")).empty());
  }
  EXPECT_GT(bytes("channels1/sweep.h5").size(), 2 * bytes("kpi1/sweep.h5").size());
}

TEST_F(Sweep, RunsWithoutResultAreKeptApart) {
  const SweepOutcome outcome =
      perform(lever({kBore + "=50mm,-1,60mm", "sources.pump.pressure=10 MPa"}, {"p=max(piston_side.pressure)", "q=1/min(time)"}), "out");
  EXPECT_EQ(outcome.done, 3U);
  EXPECT_EQ(outcome.completed, 0U);
  const std::string csv = bytes("out/sweep.csv");
  EXPECT_NE(csv.find("\n1,-1,10 MPa,,,invalid,0,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("not_finite"), std::string::npos);
  const auto about = nlohmann::json::parse(bytes("out/sweep.json"));
  EXPECT_EQ(about["status"]["invalid"], 1);
  EXPECT_EQ(about["status"]["not_finite"], 2);
  SweepRequest fails = lever({"sources.pump.pressure=10 MPa,200 MPa"});
  fails.overrides.clear();
  EXPECT_EQ(perform(fails, "fails").completed, 1U);
  EXPECT_NE(bytes("fails/sweep.csv").find(",failed,"), std::string::npos);
}

TEST_F(Sweep, GoesOnFromItsJournalToTheSameBytes) {
  SweepRequest request = lever({kBore + "=50:60:2 mm"});
  request.keep = SweepKeep::channels;
  perform(request, "whole");
  std::atomic<int> stop{0};
  SweepHooks hooks;
  hooks.stop = &stop;
  hooks.progress = [&](std::size_t done, std::size_t, std::size_t) { stop = done >= 3 ? 2 : 0; };
  const SweepOutcome first = sweep_to_folder(request, path("cut"), 1, false, hooks);
  EXPECT_EQ(first.done, 3U);
  EXPECT_FALSE(exists("cut/sweep.h5"));
  const SweepOutcome second = perform(request, "cut");
  EXPECT_EQ(second.earlier, 3U);
  EXPECT_EQ(second.done, 6U);
  for (const char* file : {"/sweep.h5", "/sweep.csv", "/sweep.json"})
    EXPECT_EQ(bytes(std::string("cut") + file), bytes(std::string("whole") + file));
  EXPECT_TRUE(perform(request, "cut").there);
  EXPECT_EQ(perform(request, "cut").completed, 6U);
}

TEST_F(Sweep, AnotherSweepInTheFolderIsRefused) {
  const SweepRequest request = lever({kBore + "=50mm,60mm"}), other = lever({kBore + "=50mm,61mm"});
  const auto refused = [&](const SweepRequest& of) {
    try {
      perform(of, "out");
    } catch (const InputError& error) { return std::string(error.what()).find("holds another sweep") != std::string::npos; }
    return false;
  };
  fs::create_directories(path("out"));
  { const Journal journal(path("out/journal_0.bin"), SweepPlan(request).key()); }
  EXPECT_TRUE(refused(other));
  EXPECT_EQ(perform(request, "out").done, 2U);
  EXPECT_TRUE(refused(other));
  EXPECT_EQ(sweep_to_folder(other, path("out"), 1, true).done, 2U);
}

TEST_F(Sweep, OverwriteGoesOnWithAnUnfinishedSweepOnly) {
  const SweepRequest request = lever({kBore + "=50:60:2 mm"}, {"p=max(piston_side.pressure)", "q=max(time)"});
  std::atomic<int> stop{0};
  const auto interrupted = [&](std::size_t after) {
    SweepHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](std::size_t done, std::size_t, std::size_t) { stop = done >= after ? 2 : 0; };
    const SweepOutcome outcome = sweep_to_folder(request, path("out"), 1, true, hooks);
    stop = 0;
    return outcome;
  };
  EXPECT_EQ(interrupted(3).done, 3U);
  EXPECT_EQ(interrupted(5).earlier, 3U);
  EXPECT_EQ(sweep_to_folder(request, path("out"), 1, true).earlier, 5U);
  EXPECT_EQ(interrupted(2).earlier, 0U);  // the finished one is replaced
  EXPECT_FALSE(exists("out/sweep.h5"));
  const SweepRequest other = lever({kBore + "=50mm,60mm"});
  EXPECT_EQ(sweep_to_folder(other, path("out"), 1, true).earlier, 0U);
}

TEST_F(Sweep, OverwriteRemovesThePicturesOfTheOtherSweep) {
  const std::string bores = kBore + "=50mm,60mm";
  ASSERT_TRUE(perform(lever({bores}, {"p=max(piston_side.pressure)", "q=max(lift.force)"}), "out").missing.empty());
  ASSERT_TRUE(exists("out/q.svg"));
  std::ofstream(path("out/mine.svg")) << "mine";
  std::ofstream(path("elsewhere.svg")) << "mine";
  std::string about = bytes("out/sweep.json");
  about.replace(about.find("p.svg"), 5, "../elsewhere.svg");
  write_text(about, path("out/sweep.json"));
  sweep_to_folder(lever({bores}, {"r=max(time)"}), path("out"), 1, true);
  EXPECT_FALSE(exists("out/q.svg"));
  EXPECT_TRUE(exists("out/p.svg"));  // as it is no longer listed
  EXPECT_TRUE(exists("out/r.svg"));
  EXPECT_TRUE(exists("out/mine.svg"));
  EXPECT_TRUE(exists("elsewhere.svg"));
}

// ---------------------------------------------------------------- order of writes

/// What was there when a file or folder was settled on the disk.
struct Settled {
  std::string name;
  bool json, journal;
};
std::vector<Settled>* settled = nullptr;

}  // namespace
}  // namespace trunnion

/// Replaces that of the C library in this program.
extern "C" int fsync(int id) {
  using namespace trunnion;
  if (settled != nullptr) {
    const fs::path file = fs::read_symlink("/proc/self/fd/" + std::to_string(id)),
                   folder = fs::is_directory(file) ? file : file.parent_path();
    settled->push_back(
        {fs::is_directory(file) ? "." : file.filename().string(), fs::exists(folder / "sweep.json"), fs::exists(folder / "journal_0.bin")});
  }
  return static_cast<int>(syscall(SYS_fsync, id));
}

namespace trunnion {
namespace {

/// After a power failure sweep.json is not there before the others are, nor is the journal gone before sweep.json is there.
TEST_F(Sweep, FilesAreOnTheDiskBeforeTheyCount) {
  std::vector<Settled> seen;
  settled = &seen;
  perform(lever({kBore + "=50mm,60mm"}), "out");
  settled = nullptr;
  for (const char* name : {"sweep.h5", "sweep.csv", "p.svg", "."})
    EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [&](const Settled& s) { return s.name == name && !s.json && s.journal; })) << name;
  for (const char* name : {"sweep.json", "."})
    EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [&](const Settled& s) { return s.name == name && s.json && s.journal; })) << name;
  EXPECT_FALSE(exists("out/journal_0.bin"));
}

// ---------------------------------------------------------------- ranks

/// A job of three ranks in this process; `other(rank)`: what ranks 1 and 2 do instead of the sweep; null: the sweep.
class RankThreads : public Sweep {
 protected:
  using Other = std::function<void(Ranks& ranks)>;
  SweepOutcome perform_with_ranks(const SweepRequest& request, const std::string& name, const Other& rank_1 = nullptr,
                                  const RankLimits& limits = test::kPatient) const {
    test::Mailboxes boxes(3);
    std::vector<std::thread> others;
    for (int rank = 1; rank < 3; ++rank)
      others.emplace_back([&, rank] {
        test::ThreadRanks ranks(boxes, rank);
        if (rank == 1 && rank_1) return rank_1(ranks);
        sweep_for_rank_0(request, path(name), 1, {}, ranks);
        EXPECT_TRUE(ranks.finished);
      });
    struct Join {
      std::vector<std::thread>& threads;
      ~Join() {
        for (std::thread& thread : threads) thread.join();
      }
    } join{others};
    test::ThreadRanks ranks(boxes, 0, limits);
    return sweep_to_folder(request, path(name), 1, false, {}, &ranks);
  }
  void expect_equal(const std::string& name) const {
    for (const char* file : {"/sweep.h5", "/sweep.csv", "/sweep.json"}) EXPECT_EQ(bytes(name + file), bytes(std::string("alone") + file));
    EXPECT_TRUE(journals_in(path(name)).empty());
  }
  const SweepRequest request_ = lever({kBore + "=50:60:0.1 mm"});
};

TEST_F(RankThreads, GiveTheBytesOfOneProcess) {
  perform(request_, "alone");
  EXPECT_EQ(perform_with_ranks(request_, "three").lost, 0);
  expect_equal("three");
}

/// It is lost with the disk that had its journal.
TEST_F(RankThreads, RunsOfALostJournalAreRepeated) {
  perform(request_, "alone");
  std::atomic<std::size_t> claimed = 0;
  const SweepOutcome outcome = perform_with_ranks(request_, "three", [&](Ranks& ranks) {
    EXPECT_TRUE(await_announcement(ranks, nullptr));
    CrewJob job{{}, 101, 1, [&](std::size_t) { return ++claimed > 0; }, {}, {}, nullptr};
    trunnion::perform_for_rank_0(job, ranks);
  });
  EXPECT_GT(claimed, 0U);
  EXPECT_EQ(outcome.done, 101U);
  expect_equal("three");
}

TEST_F(RankThreads, ARankWithAnotherSweepIsRefused) {
  perform(request_, "alone");
  perform_with_ranks(request_, "three", [&](Ranks& ranks) {
    SweepRequest other = request_;
    other.overrides.push_back({"gravity", "[0, -1.62, 0]"});
    try {
      sweep_for_rank_0(other, path("three"), 1, {}, ranks);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) { EXPECT_NE(std::string(error.what()).find("on every machine"), std::string::npos); }
  });
  expect_equal("three");
}

TEST_F(RankThreads, AWrongRequestIsReportedByRank0) {
  EXPECT_THROW(perform_with_ranks(lever({"cylinders.lift.bor=1"}), "out"), InputError);
}

// ---------------------------------------------------------------- journal

SweepRun some_run(int i) {
  SweepRun run;
  run.kpi = {0.1 * i, -1e300, std::nan("")};
  run.end_time = i;
  run.message = std::string(static_cast<std::size_t>(7 * i), 'x');
  run.kept.channels = {{"time", "s", "time", false}, {"a", "", "b", false}};
  run.kept.columns = {{0, 1}, {2.5, static_cast<double>(i)}};
  return run;
}

class SweepJournal : public test::InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    Journal journal(file_, 42);
    for (int i = 0; i < 4; ++i) journal.add(static_cast<std::size_t>(10 + i), some_run(i));
  }
  const std::string file_ = path("journal_0.bin");
};

TEST_F(SweepJournal, GivesBackWhatWasAdded) {
  const auto entries = read_journal(file_, 42);
  ASSERT_EQ(entries.size(), 4U);
  for (int i = 0; i < 4; ++i) {
    const JournalEntry& entry = entries[static_cast<std::size_t>(i)];
    EXPECT_EQ(entry.run, static_cast<std::size_t>(10 + i));
    EXPECT_EQ(entry.kpi[0], 0.1 * i);
    EXPECT_TRUE(std::isnan(entry.kpi[2]));
    EXPECT_EQ(entry.message.size(), static_cast<std::size_t>(7 * i));
    EXPECT_EQ(read_kept(entry).columns[1][1], i);
    EXPECT_EQ(read_kept(entry).channels[1].meaning, "b");
  }
  EXPECT_THROW(read_journal(file_, 43), InputError);
}

/// Cut at every byte: whole records are read, and new ones follow them.
TEST_F(SweepJournal, ATornTailIsDropped) {
  const std::string whole = test::text_of(file_);
  const auto entries = read_journal(file_, 42);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    std::size_t expected = 0;
    for (std::size_t i = 1; i < 4; ++i) expected += size >= entries[i].offset ? 1 : 0;
    ASSERT_EQ(read_journal(file_, 42).size(), expected) << size;
    Journal(file_, 42).add(99, some_run(5));
    const auto after = read_journal(file_, 42);
    ASSERT_EQ(after.size(), expected + 1) << size;
    ASSERT_EQ(after.back().run, 99U);
  }
}

/// A flipped bit of any byte behind the header: no wrong number is read.
TEST_F(SweepJournal, AFlippedByteEndsWhatIsRead) {
  const std::string whole = test::text_of(file_);
  const auto entries = read_journal(file_, 42);
  for (std::size_t at = entries[0].offset; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << damaged;
    std::size_t expected = 0;
    for (std::size_t i = 1; i < 4; ++i) expected += at >= entries[i].offset ? 1 : 0;
    ASSERT_EQ(read_journal(file_, 42).size(), expected) << at;
  }
}

/// As on a full disk: a limit of the size of files, so that a record is written in part.
class FullDisk {
 public:
  explicit FullDisk(std::uint64_t size) : action_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{size, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, action_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*action_)(int);
};

TEST_F(SweepJournal, RecordsAfterAFailedWriteAreRead) {
  Journal journal(file_, 42);
  const auto size = fs::file_size(file_);
  {
    const FullDisk full(size + 20);
    EXPECT_THROW(journal.add(20, some_run(3)), FileError);
  }
  EXPECT_EQ(fs::file_size(file_), size);
  journal.add(21, some_run(2));
  const auto entries = read_journal(file_, 42);
  ASSERT_EQ(entries.size(), 5U);
  EXPECT_EQ(entries.back().run, 21U);
}

TEST_F(Sweep, OnAFullDiskAllThreadsEndAndTheSameCommandGoesOn) {
  SweepRequest request = lever({kBore + "=50:60:0.05 mm"});  // 201 runs
  std::size_t finished = 0;
  SweepHooks hooks;
  hooks.progress = [&](std::size_t done, std::size_t, std::size_t) { finished = done; };
  {
    const FullDisk full(1000);
    EXPECT_THROW(sweep_to_folder(request, path("out"), 2, false, hooks), FileError);
  }
  EXPECT_GT(finished, 2U);
  EXPECT_LT(finished, 30U);
  EXPECT_EQ(perform(request, "out").earlier, finished);
}

TEST_F(SweepJournal, AFileThatIsNoneIsReplaced) {
  std::ofstream(file_, std::ios::binary | std::ios::trunc) << "something else, longer than a header would be, of an unknown program";
  EXPECT_TRUE(read_journal(file_, 42).empty());
  Journal(file_, 42).add(7, some_run(1));
  EXPECT_EQ(read_journal(file_, 42).size(), 1U);
}

// ---------------------------------------------------------------- pictures

TEST_F(Sweep, PicturesAreCurvesOverAGridAndPointsOtherwise) {
  const auto figures = [&](const SweepRequest& request) {
    const SweepPlan plan(request);
    SweepResults results;
    for (std::size_t i = 0; i < plan.items().rows.size(); ++i) {
      JournalEntry entry;
      entry.run = i;
      entry.kpi = {static_cast<double>(i)};
      results.push_back(entry);
    }
    return sweep_figures(plan, results);
  };
  const auto one = figures(lever({kBore + "=60mm,50mm,55mm"}));
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].plot.panels.size(), 1U);
  EXPECT_EQ(one[0].plot.panels[0].curves[0].x, (std::vector<double>{50, 55, 60}));
  EXPECT_EQ(one[0].plot.panels[0].curves[0].y, (std::vector<double>{1, 2, 0}));
  EXPECT_EQ(one[0].plot.panels[0].x.unit, "mm");
  const auto two = figures(lever({"cylinders.lift.friction.model=brown_mcphee,lugre", kBore + "=50mm,0.06"}));
  ASSERT_EQ(two[0].plot.panels[0].curves.size(), 2U);
  EXPECT_EQ(two[0].plot.panels[0].curves[1].label, "model lugre");
  EXPECT_EQ(two[0].plot.panels[0].curves[1].x, (std::vector<double>{0.05, 0.06}));  // mixed units: SI
  EXPECT_EQ(figures(lever({kBore + "=50mm,60mm", kMass + "=90,100", "sources.pump.pressure=10MPa,11MPa"}))[0].plot.panels.size(), 2U);
  SweepRequest sample = lever({kBore + "=50:60 mm", kMass + "=90:100"});
  sample.sample = "lhs:6,1";
  const auto points = figures(sample);
  ASSERT_EQ(points[0].plot.panels.size(), 2U);
  EXPECT_EQ(points[0].plot.panels[1].curves[0].look, CurveLook::points);
}

}  // namespace
}  // namespace trunnion
