// A complete recorded run of a model: used by `run` and `compare`, without files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/analyse.h"
#include "results/error_estimate.h"
#include "results/files.h"
#include "results/recording.h"

namespace trunnion {

/// Result of a run, also of a failed or unfinished one.
struct CaseResult {
  std::shared_ptr<const CompiledModel> model;
  Analysis analysis;
  RunStatistics statistics;
  std::unique_ptr<Recorder> recorder;
  std::optional<CouplingReport> coupling;    // of a co-simulation
  std::vector<std::string> coupling_faults;  // reasons why a co-simulation is not trustworthy
  std::vector<std::string> warnings;         // doubtful settings
  std::optional<MeasuredErrors> measured;    // by measure_errors()
  double end_time = 0;                       // [s] reached
  std::string compiled;                      // how its steps were computed, Stepper::remark()
  /// Set if the run failed; its text gives the time, the equations and remedies.
  std::optional<SimulationError> failure;
  int signal = 0;      // that interrupted the run; 0: none
  bool ended = false;  // completed or failed
};

/// The growing files of a run in `folder`: results.csv, results.h5 (record.files), and about once per second summary.json, under
/// temporary names until finish().
class CaseFiles final : public RowSink {
 public:
  /// `start`: when the run began.
  CaseFiles(std::shared_ptr<const CompiledModel> model, std::string model_file, std::string folder,
            std::chrono::steady_clock::time_point start);

  /// From now on add() occasionally writes a summary of `result`, after calling `update`; null: no more.
  void summarise(const CaseResult* result, std::function<void()> update);
  void begin(const std::vector<Channel>& channels) override;
  /// Throws SimulationError once if a file cannot be written: its complete part is kept, other files continue.
  void add(const double* row) override;
  /// Completes the files of a finished run. Throws FileError on failure.
  void finish(const CaseResult& result);

 private:
  struct File {
    const char* name;
    std::unique_ptr<RowFile> rows;  // null: not requested, or not writable
  };
  std::string place(const char* name) const { return folder_ + "/" + name; }
  std::string summary(const CaseResult& result) const;
  /// Calls write(file) for every file and drops those that fail. Returns the reason, empty if all succeeded.
  template <class Write>
  std::string write_all(Write&& write);

  std::shared_ptr<const CompiledModel> model_;
  std::string model_file_, folder_;
  std::chrono::steady_clock::time_point start_, flushed_;
  std::vector<File> files_;
  const CaseResult* result_ = nullptr;
  std::function<void()> update_;
};

/// Called occasionally with the simulated time [s].
using Progress = std::function<void(double time)>;

/// Start state of a run.
enum class StartKind {
  given,        // at the assembled start, pressures marked `equilibrium` solved for it
  equilibrium,  // at the static solution (machine/equilibrium.h)
  steady,       // in steady operation (linearise/steady.h)
};
/// Name in results: `stated`, `equilibrium`, `steady`.
const char* word(StartKind start);
/// The start state. Throws InputError, SimulationError.
StateVector start_of(const std::shared_ptr<const CompiledModel>& model, StartKind start, std::vector<std::string>* warnings = nullptr);

/// Advances a run to solver.duration. Throws SimulationError.
void run_to_end(Runner& run, RunWatcher* watcher, const Progress& progress = {});

/// Runs to solver.duration; `also` (may be null) receives the same calls as the recorder; `beside_monolithic`: a co-simulation is
/// compared with a monolithic run; a `signal` that becomes nonzero ends the run as a failure (may be null). Throws InputError for input
/// errors; a failed simulation is a result. `files` (may be null) get the rows, which stay in memory only if `kept`; the caller finishes
/// them.
CaseResult run_case(const std::shared_ptr<const CompiledModel>& model, const Progress& progress = {}, StartKind start = StartKind::given,
                    RunWatcher* also = nullptr, bool beside_monolithic = false, const std::atomic<int>* signal = nullptr,
                    CaseFiles* files = nullptr, bool kept = true);

/// Runs the machine again with half the step and compares what both have in memory: fills `measured` of a completed run, and adds a
/// warning. Throws InputError if steps are not of fixed length: variable-step integrators, co-simulation.
void measure_errors(CaseResult& result, StartKind start, const Progress& progress = {}, const std::atomic<int>* signal = nullptr);
/// The check alone, before a run.
void check_measurable(const CompiledModel& model);

/// The independent coordinates at the end, `lever.angle`; empty if the treatment does not partition.
std::vector<std::string> independent_names(const CaseResult& result);

/// Changes of given start values by assembly: a line for a terminal; empty if none.
std::string moved_starts_text(const CompiledModel& model);

/// summary.json; definitions in docs/results.md. `wall_seconds`: of the whole program.
std::string summary_json(const CaseResult& result, const std::string& model_file, double wall_seconds);

/// Verdict, steps, times, energies, files: lines for a terminal.
std::string summary_text(const CaseResult& result, double wall_seconds);

/// The files of a run that is in memory.
void write_case(const CaseResult& result, const std::string& model_file, const std::string& folder,
                std::chrono::steady_clock::time_point start);

}  // namespace trunnion
