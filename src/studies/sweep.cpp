// Sweeps: threads, journal, files.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <optional>

#include "results/files.h"
#include "studies/sweep_crew.h"

namespace trunnion {

namespace {

/// Makers of models, each used by one thread at a time.
class Makers {
 public:
  explicit Makers(const SweepPlan& plan) : plan_(plan) {}
  SweepPlan::Maker::Made make(std::size_t run) {
    std::unique_ptr<SweepPlan::Maker> maker = take();
    struct Return {
      Makers& makers;
      std::unique_ptr<SweepPlan::Maker>& maker;
      ~Return() {
        const std::lock_guard lock(makers.access_);
        makers.free_.push_back(std::move(maker));
      }
    } back{*this, maker};
    return maker->make(run);
  }

 private:
  std::unique_ptr<SweepPlan::Maker> take() {
    const std::lock_guard lock(access_);
    if (free_.empty()) return std::make_unique<SweepPlan::Maker>(plan_);
    std::unique_ptr<SweepPlan::Maker> maker = std::move(free_.back());
    free_.pop_back();
    return maker;
  }

  const SweepPlan& plan_;
  std::mutex access_;
  std::vector<std::unique_ptr<SweepPlan::Maker>> free_;
};

/// Null: stopped.
std::unique_ptr<SweepRun> result_of(const SweepPlan& plan, Makers& makers, std::size_t run, const std::atomic<int>* stop) {
  SweepPlan::Maker::Made made;
  try {
    made = makers.make(run);
  } catch (const InputError& error) { return run_without_result(RunStatus::invalid, error.what(), plan.kpis().size()); }
  return sweep_run(made.model, plan.request().start, plan.kpis(), *made.source, plan.request().keep != SweepKeep::kpi, stop);
}

/// Performs a run into the journal. False: stopped.
bool perform(const SweepPlan& plan, Makers& makers, std::size_t run, const std::atomic<int>* stop, Journal& journal) {
  const std::unique_ptr<SweepRun> result = result_of(plan, makers, run, stop);
  if (result) journal.add(run, *result);
  return result != nullptr;
}

std::string journal_name(const std::string& folder, int rank) { return fmt::format("{}/journal_{}.bin", folder, rank); }

/// The other ranks of rank 0, if there are any: they are told whether there is work, however rank 0 ends.
class OtherRanks {
 public:
  explicit OtherRanks(Ranks* ranks) : ranks_(ranks) {}
  ~OtherRanks() {
    if (ranks_ == nullptr) return;
    try {
      if (!told_) dismiss(*ranks_);
    } catch (const Error&) {}  // they wait in vain
    ranks_->finish();
  }
  OtherRanks(const OtherRanks&) = delete;
  OtherRanks& operator=(const OtherRanks&) = delete;

  /// Returns the number of ranks that were lost.
  int perform(const CrewJob& job, std::uint64_t key) {
    if (ranks_ == nullptr || told_) {
      perform_alone(job);
      return 0;
    }
    told_ = true;
    announce(*ranks_, key);
    return perform_with_ranks(job, *ranks_);
  }

 private:
  Ranks* ranks_;
  bool told_ = false;
};

/// The journals' runs, each once, by their numbers.
std::vector<std::optional<JournalEntry>> runs_in_journals(const SweepPlan& plan, const std::string& folder) {
  std::vector<std::optional<JournalEntry>> runs(plan.items().rows.size());
  for (const std::string& path : journals_in(folder))
    for (JournalEntry& entry : read_journal(path, plan.key()))
      if (entry.run < runs.size() && entry.kpi.size() == plan.kpis().size() && !runs[entry.run]) runs[entry.run] = std::move(entry);
  return runs;
}

std::vector<std::size_t> missing_in(const std::vector<std::optional<JournalEntry>>& runs) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!runs[i]) missing.push_back(i);
  return missing;
}

void remove_journals(const std::string& folder) {
  for (const std::string& path : journals_in(folder)) std::remove(path.c_str());
}

/// sweep.json first: without it the others are no complete sweep.
void remove_sweep(const std::string& folder, const FinishedSweep& sweep) {
  remove_journals(folder);
  std::vector<std::string> names{"sweep.json", "sweep.h5", "sweep.csv"};
  names.insert(names.end(), sweep.pictures.begin(), sweep.pictures.end());
  for (const std::string& name : names) std::remove((folder + "/" + name).c_str());
}

/// Whether the folder has journals, of this sweep only.
bool has_begun(const SweepPlan& plan, const std::string& folder) {
  const std::vector<std::string> journals = journals_in(folder);
  return !journals.empty() &&
         std::all_of(journals.begin(), journals.end(), [&](const std::string& path) { return key_of_journal(path) == plan.key(); });
}

/// The finished sweep in the folder, which is removed if `overwrite`. Throws InputError for another one.
std::optional<FinishedSweep> sweep_in(const SweepPlan& plan, const std::string& folder, bool overwrite) {
  const std::string path = folder + "/sweep.json";
  const bool there = std::filesystem::exists(path);
  const FinishedSweep sweep = there ? read_sweep_json(path) : FinishedSweep();
  if (overwrite && (there || !has_begun(plan, folder))) remove_sweep(folder, sweep);
  if (overwrite || !there) return std::nullopt;
  if (sweep.key == key_text(plan)) return sweep;
  throw InputError({Diagnostic{{path, 0, 0},
                               "",
                               "the folder holds another sweep: its model or its options differ",
                               "the same command as before",
                               "--overwrite replaces it, -o DIR writes elsewhere"}});
}

/// All files; sweep.json when the others are on the disk, as it says that they are complete.
std::string write_files(const SweepPlan& plan, const SweepResults& results, const std::string& folder) {
  write_sweep_h5(plan, results, folder + "/sweep.h5");
  write_text(sweep_csv(plan, results), folder + "/sweep.csv");
  std::string missing;
  for (const SweepFigure& figure : sweep_figures(plan, results)) {
    const std::string why = draw(figure.plot, folder + "/" + figure.name + ".svg");
    if (missing.empty()) missing = why;
  }
  settle_folder(folder);
  write_text(sweep_json(plan, results), folder + "/sweep.json");
  settle_folder(folder);
  return missing;
}

}  // namespace

SweepOutcome sweep_to_folder(const SweepRequest& request, const std::string& folder, int threads, bool overwrite, const SweepHooks& hooks,
                             Ranks* ranks) {
  OtherRanks others(ranks);
  const SweepPlan plan(request);
  const ResultFolder lock(folder);
  SweepOutcome outcome;
  outcome.runs = plan.items().rows.size();
  if (const auto sweep = sweep_in(plan, folder, overwrite)) {
    remove_journals(folder);
    outcome.there = true;
    outcome.completed = sweep->completed;
    outcome.done = outcome.earlier = outcome.runs;
    return outcome;
  }
  auto runs = runs_in_journals(plan, folder);
  CrewJob job{missing_in(runs), outcome.runs, threads, {}, {}, {}, hooks.stop};
  outcome.earlier = outcome.runs - job.runs.size();
  Journal journal(journal_name(folder, 0), plan.key());
  Makers makers(plan);
  job.perform = [&](std::size_t run) { return perform(plan, makers, run, hooks.stop, journal); };
  if (hooks.progress)
    job.progress = [&](std::size_t finished) { hooks.progress(outcome.runs - job.runs.size() + finished, outcome.earlier, outcome.runs); };
  for (int pass = 0; pass < 2 && !job.runs.empty() && (pass == 0 || hooks.stop == nullptr || *hooks.stop == 0); ++pass) {
    outcome.lost += others.perform(job, plan.key());
    runs = runs_in_journals(plan, folder);
    job.runs = missing_in(runs);  // a lost rank reported them, but its journal is lost, too
  }
  journal.settle();
  outcome.done = outcome.runs - job.runs.size();
  if (outcome.done < outcome.runs && (hooks.stop == nullptr || *hooks.stop == 0))
    throw FileError("cannot read back what was written into the journals in " + folder);
  if (outcome.done < outcome.runs) return outcome;
  SweepResults results;
  for (auto& run : runs) {
    outcome.completed += run->status == RunStatus::completed ? 1 : 0;
    results.push_back(std::move(*run));
  }
  outcome.missing = write_files(plan, results, folder);
  outcome.text = sweep_text(plan, results);
  remove_journals(folder);
  return outcome;
}

void sweep_for_rank_0(const SweepRequest& request, const std::string& folder, int threads, const SweepHooks& hooks, Ranks& ranks) {
  std::optional<SweepPlan> plan;  // while rank 0 makes its own
  std::exception_ptr failure;
  try {
    plan.emplace(request);
  } catch (...) { failure = std::current_exception(); }
  const std::optional<std::uint64_t> key = await_announcement(ranks, hooks.stop);
  if (key && plan && plan->key() == *key) {
    Journal journal(journal_name(folder, ranks.rank()), plan->key());
    Makers makers(*plan);
    CrewJob job{{}, plan->items().rows.size(), threads, {}, {}, [&] { journal.settle(); }, hooks.stop};
    job.perform = [&](std::size_t run) { return perform(*plan, makers, run, hooks.stop, journal); };
    perform_for_rank_0(job, ranks);
  } else {
    leave(ranks);
  }
  ranks.finish();
  if (!key || (plan && plan->key() == *key)) return;  // rank 0 says what is wrong
  if (failure) std::rethrow_exception(failure);
  throw InputError({Diagnostic{{request.model_file, 0, 0},
                               "",
                               "the sweep of this rank is another one than that of rank 0",
                               "the same model file, the same files that it reads, and the same version of trunnion on every machine",
                               ""}});
}

}  // namespace trunnion
