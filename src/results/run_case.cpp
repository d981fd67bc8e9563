// A run with recording, files and error estimates.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "file/model_file.h"
#include "linearise/steady.h"
#include "machine/equilibrium.h"
#include "machine/start.h"
#include "results/balances.h"
#include "results/coupling_verdict.h"
#include "results/part_file.h"
#include "run/element_steps.h"
#include "schema/plausibility.h"

namespace trunnion {

namespace {

constexpr int kProgressReports = 100;  // per run
constexpr const char *kCsvName = "results.csv", *kHdf5Name = "results.h5", *kSummaryName = "summary.json",
                     *kSummaryPart = "summary.json.part";
constexpr auto kBetweenFlushes = std::chrono::seconds(1);

/// The recorder, combined with another watcher.
class Watchers final : public RunWatcher {
 public:
  Watchers(Recorder& recorder, RunWatcher* also) : recorder_(recorder), also_(also) {}
  void at(const StepRecord& step) override {
    recorder_.at(step);
    if (also_ != nullptr) also_->at(step);
  }

 private:
  Recorder& recorder_;
  RunWatcher* also_;
};

/// Writes summaries during a run.
class SummariesOf {
 public:
  SummariesOf(CaseFiles* files, const CaseResult& result, std::function<void()> update) : files_(files) {
    if (files_ != nullptr) files_->summarise(&result, std::move(update));
  }
  ~SummariesOf() {
    if (files_ != nullptr) files_->summarise(nullptr, {});
  }
  SummariesOf(const SummariesOf&) = delete;
  SummariesOf& operator=(const SummariesOf&) = delete;

 private:
  CaseFiles* files_;
};

}  // namespace

const char* word(StartKind start) {
  constexpr const char* kWords[] = {"stated", "equilibrium", "steady"};
  return kWords[static_cast<int>(start)];
}

StateVector start_of(const std::shared_ptr<const CompiledModel>& model, StartKind start, std::vector<std::string>* warnings) {
  switch (start) {
    case StartKind::equilibrium:
      return equilibrium_state(*model);
    case StartKind::steady:
      return steady_state(model, warnings);
    default:
      return start_state(*model);
  }
}

namespace {

/// The start; a singular mass matrix with the names of the coordinates without inertia.
StateVector start_of_run(const std::shared_ptr<const CompiledModel>& model, StartKind start, std::vector<std::string>& warnings) {
  try {
    return start_of(model, start, &warnings);
  } catch (const SimulationError& error) {
    const MissingInertia missing = find_missing_inertia(*model);
    if (!missing.singular) throw;
    throw SimulationError(error.time(), error.equations(),
                          fmt::format("nothing resists the acceleration of {}", fmt::join(missing.velocities, ", ")),
                          "give the body an inertia about that axis (a rod: a diameter)");
  }
}

}  // namespace

void run_to_end(Runner& run, RunWatcher* watcher, const Progress& progress) {
  const StepSchedule schedule(*run.model());
  const double duration = run.model()->description.solver.duration;
  for (int part = 1; part <= kProgressReports && run.state().time < duration; ++part) {
    // parts end on grid points, so that reporting does not change results
    const double wish = duration * part / kProgressReports;
    run.advance(part == kProgressReports ? duration : std::min(duration, schedule.grid_point_after(wish)), watcher);
    if (progress) progress(run.state().time);
  }
}

CaseResult run_case(const std::shared_ptr<const CompiledModel>& model, const Progress& progress, StartKind start, RunWatcher* also,
                    bool beside_monolithic, const std::atomic<int>* signal, CaseFiles* files, bool kept) {
  CaseResult result;
  result.model = model;
  result.warnings = plausibility_warnings(model->description);
  result.analysis = analyse(*model);
  result.recorder = std::make_unique<Recorder>(model, beside_monolithic, files, kept);
  try {
    Runner run(model, start_of_run(model, start, result.warnings));
    const auto update = [&] {
      result.statistics = run.statistics();
      result.compiled = run.stepper().remark();
      result.coupling = coupling_report(*model, run.state().coupling());
      if (result.coupling)
        result.coupling_faults =
            coupling_faults(*model, *result.coupling, result.recorder->ledger(), result.statistics, result.recorder->beside());
      result.end_time = result.recorder->reader().time();
    };
    run.stop_on(signal);
    for (std::string& warning : element_step_warnings(*model, run.state())) result.warnings.push_back(std::move(warning));
    update();
    const SummariesOf summaries(files, result, update);
    try {
      result.recorder->begin(run.state());
      Watchers watchers(*result.recorder, also);
      run_to_end(run, &watchers, progress);
    } catch (const Interrupted& error) {
      result.failure = error;
      result.signal = error.signal();
    } catch (const SimulationError& error) { result.failure = error; }
    try {
      result.recorder->finish(run.state());
    } catch (const SimulationError& error) {  // a channel between two records is not finite
      if (!result.failure) result.failure = error;
    }
    update();
    result.end_time = run.state().time;
    if (result.statistics.penalty_limited) result.warnings.push_back(limited_penalty_warning(model->description.solver, result.statistics));
    if (result.statistics.late_switches > 0) result.warnings.push_back(late_switch_warning(*model, result.statistics));
    for (std::string& warning : error_warnings(accumulated_errors(*model, result.statistics), model->description.solver))
      result.warnings.push_back(std::move(warning));
    if (!result.failure) {
      BalanceVerdict verdict = judge_balances(model->description, result.recorder->ledger(), result.end_time);
      result.failure = std::move(verdict.failure);
      for (std::string& warning : verdict.warnings) result.warnings.push_back(std::move(warning));
    }
    if (result.coupling && result.failure) {
      result.coupling_faults.emplace_back("the run failed");
      if (!result.coupling->lost) result.coupling->lost = result.end_time;
    }
  } catch (const SimulationError& error) {  // failed at the start
    result.failure = error;
    result.statistics.cavitation.resize(model->hydraulics.volumes.size());
    result.statistics.alternation.resize(model->hydraulics.volumes.size());
  }
  result.ended = true;
  return result;
}

void check_measurable(const CompiledModel& model) {
  const SolverDescription& solver = model.description.solver;
  if (order_of(solver) > 0) return;
  const bool variable = solver.coupling == CouplingKind::monolithic;
  const std::string path = variable ? "solver.integrator" : "solver.coupling";
  throw InputError({{span_of(model.description, path), path, "an error estimate by halving the step needs a run of fixed step",
                     "a monolithic run of fixed step",
                     variable ? "their error is set by solver.reference_tolerance" : "--beside-monolithic compares a co-simulation"}});
}

void measure_errors(CaseResult& result, StartKind start, const Progress& progress, const std::atomic<int>* signal) {
  check_measurable(*result.model);
  if (result.failure) return;
  Description d = result.model->description;
  const double step = d.solver.step;
  d.solver.step = step / 2;
  const CaseResult halved = run_case(compile(std::move(d)), progress, start, nullptr, false, signal);
  if (halved.failure) {
    result.warnings.push_back(fmt::format("no error estimate: the run with half the step ended: {}", halved.failure->what()));
    if (halved.signal != 0) result.signal = halved.signal;
    return;
  }
  result.measured = measured_errors(*result.model, result.recorder->recording(), halved.recorder->recording(), step,
                                    order_of(result.model->description.solver));
  for (const std::string& warning : error_warnings(accumulated_errors(*result.model, result.statistics), result.model->description.solver))
    std::erase(result.warnings, warning);
  for (std::string& warning : error_warnings(*result.model, *result.measured, step)) result.warnings.push_back(std::move(warning));
}

// ---------------------------------------------------------------- files

CaseFiles::CaseFiles(std::shared_ptr<const CompiledModel> model, std::string model_file, std::string folder,
                     std::chrono::steady_clock::time_point start)
    : model_(std::move(model)), model_file_(std::move(model_file)), folder_(std::move(folder)), start_(start), flushed_(start) {}

void CaseFiles::summarise(const CaseResult* result, std::function<void()> update) {
  result_ = result;
  update_ = std::move(update);
}

std::string CaseFiles::summary(const CaseResult& result) const {
  return summary_json(result, model_file_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
}

template <class Write>
std::string CaseFiles::write_all(Write&& write) {
  std::string failed;
  for (File& file : files_) try {
      if (file.rows) write(file);
    } catch (const FileError& error) {
      failed += (failed.empty() ? "" : "; ") + std::string(error.what());
      file.rows.reset();
    }
  return failed;
}

void CaseFiles::begin(const std::vector<Channel>& channels) {
  make_folder(folder_);
  const RecordDescription& record = model_->description.record;
  if (record.csv) files_.push_back({kCsvName, new_csv(place(kCsvName), channels)});
  if (record.hdf5)
    files_.push_back({kHdf5Name, new_hdf5(place(kHdf5Name), channels, write_model(without_csv_files(model_->description)),
                                          expected_rows(model_->description))});
  if (result_ != nullptr) write_text(summary(*result_), place(kSummaryPart));  // a report needs it, however the run ends
}

void CaseFiles::add(const double* row) {
  std::string failed = write_all([&](File& file) { file.rows->add(row); });
  const auto now = std::chrono::steady_clock::now();
  if (failed.empty() && result_ != nullptr && now - flushed_ > kBetweenFlushes) {
    flushed_ = now;
    failed = write_all([](File& file) { file.rows->flush(); });
    update_();
    try {
      write_text(summary(*result_), place(kSummaryPart));
    } catch (const FileError& error) { failed = failed.empty() ? error.what() : failed; }
  }
  if (!failed.empty()) throw SimulationError(*row, "the results", failed, "free disk space, or record.channels and record.every");
}

void CaseFiles::finish(const CaseResult& result) {
  make_folder(folder_);
  std::string failed = write_all([](File& file) { file.rows->finish(); });
  for (const char* name : {kCsvName, kHdf5Name})  // of an earlier run with other files
    if (result.recorder->rows() > 0 && std::none_of(files_.begin(), files_.end(), [&](const File& file) { return file.name == name; }))
      for (const char* ending : {"", ".part"}) std::remove((place(name) + ending).c_str());
  try {  // where the disk is full the summary of the running run stays
    write_text(summary(result), place(kSummaryPart));
    move_into_place(place(kSummaryName));
  } catch (const FileError& error) { failed += (failed.empty() ? "" : "; ") + std::string(error.what()); }
  if (!failed.empty()) throw FileError(failed);
}

void write_case(const CaseResult& result, const std::string& model_file, const std::string& folder,
                std::chrono::steady_clock::time_point start) {
  CaseFiles files(result.model, model_file, folder, start);
  const Recording& recording = result.recorder->recording();
  if (recording.rows() > 0) files.begin(recording.channels);
  std::vector<double> row(recording.columns.size());
  for (std::size_t i = 0; i < recording.rows(); ++i) {
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = recording.columns[k][i];
    files.add(row.data());
  }
  files.finish(result);
}

}  // namespace trunnion
