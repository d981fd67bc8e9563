// Sweeps. Reference: single runs of the model file with the same values; an undisturbed sweep.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/diagnostic.h"
#include "results/files.h"
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
}

TEST(SweepPlan, WrongPathsAndChannelsAreExplained) {
  EXPECT_NE(refusal(lever({"cylinders.lift.bor=50mm"})).find("--vary: error: cylinders.lift.bor"), std::string::npos);
  EXPECT_NE(refusal(lever({"cylinders.lift.bor=50mm"})).find("did you mean"), std::string::npos);
  EXPECT_NE(refusal(lever({kBore + "=50mm"}, {"p=max(piston_side.presure)"})).find("did you mean 'piston_side.pressure'?"),
            std::string::npos);
  EXPECT_NE(refusal(lever({kBore + "=-1,-2"})).find("greater than 0"), std::string::npos);
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
