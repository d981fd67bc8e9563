// SPDX-License-Identifier: BSD-3-Clause
#include "results/run_case.h"

#include <fmt/format.h>

#include "file/model_file.h"
#include "machine/equilibrium.h"
#include "machine/start.h"
#include "results/files.h"
#include "run/element_steps.h"

namespace trunnion {

namespace {

constexpr int kProgressReports = 100;  // per run

/// The recorder, and another watcher beside it.
class Watchers final : public RunWatcher {
 public:
  Watchers(Recorder& recorder, RunWatcher* also) : recorder_(recorder), also_(also) {}
  void at(const Moment& moment) override {
    recorder_.at(moment);
    if (also_ != nullptr) also_->at(moment);
  }

 private:
  Recorder& recorder_;
  RunWatcher* also_;
};

/// That a stated penalty factor was out of its limits (mechanics/penalty_factors.h).
std::string limited_penalty_warning(const SolverDescription& solver, const RunStatistics& statistics) {
  const bool accelerations = solver.constraints == ConstraintKind::ali1;
  return fmt::format(
      "{0}: {1:g} is outside the limits for this machine and step and was limited; the largest used was {2:.3g}. {0}: auto "
      "suits every machine",
      accelerations ? "solver.ali1.alpha" : "solver.penalty", *(accelerations ? solver.ali1.alpha : solver.penalty).value,
      statistics.penalty);
}

}  // namespace

State start_of(const Model& model, StartKind start) {
  return start == StartKind::equilibrium ? equilibrium_state(model) : start_state(model);
}

void run_to_end(Runner& run, RunWatcher* watcher, const Progress& progress) {
  const StepSchedule schedule(*run.model());
  const double duration = run.model()->description.solver.duration;
  for (int part = 1; part <= kProgressReports && run.state().time < duration; ++part) {
    // parts end on grid points, so that reporting changes nothing
    const double wish = duration * part / kProgressReports;
    run.advance(part == kProgressReports ? duration : std::min(duration, schedule.grid_point_after(wish)), watcher);
    if (progress) progress(run.state().time);
  }
}

CaseResult run_case(const std::shared_ptr<const Model>& model, const Progress& progress, StartKind start, RunWatcher* also,
                    bool beside_monolithic, const std::atomic<int>* signal) {
  CaseResult result;
  result.model = model;
  result.analysis = analyse(*model);
  result.recorder = std::make_unique<Recorder>(model, beside_monolithic);
  try {
    Runner run(model, start_of(*model, start));
    run.stop_on(signal);
    result.warnings = element_step_warnings(*model, run.state());
    result.recorder->begin(run.state());
    Watchers watchers(*result.recorder, also);
    try {
      run_to_end(run, &watchers, progress);
    } catch (const Interrupted& error) {
      result.failure = error;
      result.signal = error.signal();
    } catch (const SimulationError& error) { result.failure = error; }
    try {
      result.recorder->finish(run.state());
    } catch (const SimulationError& error) {  // a channel of a state between two records is not finite
      if (!result.failure) result.failure = error;
    }
    result.statistics = run.statistics();
    result.coupling = coupling_report(*model, run.state().coupling());
    result.end_time = run.state().time;
    if (result.statistics.penalty_limited) result.warnings.push_back(limited_penalty_warning(model->description.solver, result.statistics));
    if (result.coupling && result.failure && !result.coupling->lost) result.coupling->lost = result.end_time;
  } catch (const SimulationError& error) {  // no start
    result.failure = error;
    result.statistics.cavitation.resize(model->hydraulics.volumes.size());
  }
  return result;
}

void write_case(const CaseResult& result, const std::string& model_file, const std::string& folder,
                std::chrono::steady_clock::time_point start) {
  make_folder(folder);
  std::string failed;
  const auto attempt = [&](auto&& write) {  // one file that cannot be written does not take the others with it
    try {
      write();
    } catch (const FileError& error) { failed += (failed.empty() ? "" : "; ") + std::string(error.what()); }
  };
  const Recording& recording = result.recorder->recording();
  if (recording.rows() > 0) {
    attempt([&] { write_csv(recording, folder + "/results.csv"); });
    attempt([&] { write_hdf5(recording, write_model(without_csv_files(result.model->description)), folder + "/results.h5"); });
  }
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  attempt([&] { write_text(summary_json(result, model_file, wall), folder + "/summary.json"); });
  if (!failed.empty()) throw FileError(failed);
}

}  // namespace trunnion
