// Complete recorded runs in memory: what `trunnion run` writes into files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trunnion/model.h"
#include "trunnion/simulation.h"

namespace trunnion {

struct RunOptions {
  Start start = Start::given;
  std::optional<double> duration{};             ///< [s]; unset: the model's
  std::string input_file{};                     ///< CSV: `time` and a column per input; empty: inputs keep their initial values
  std::function<bool(double time)> progress{};  ///< called with the time [s] every kStepsBetweenReports steps; false ends the run there
};

/// A run, also one that failed or was cancelled. Cheap to copy.
class RunResult {
 public:
  struct Content;
  const std::vector<ChannelInfo>& channels() const;              ///< recorded ones, `time` first
  std::size_t rows() const;                                      ///< number of records
  const std::vector<double>& values(std::size_t channel) const;  ///< of a recorded channel, one per record; valid as long as the result
  double end_time() const;                                       ///< [s] reached
  const std::optional<RunError>& failure() const;                ///< why the run ended early; unset: it did not
  bool cancelled() const;                                        ///< by the progress function
  /// summary.json (docs/results.md); `model_file`: the name it states.
  std::string summary(const std::string& model_file = "model") const;
  /// Writes results.csv, results.h5 and summary.json into `folder`, as `trunnion run` does. Throws ModelError.
  void save(const std::string& folder, const std::string& model_file = "model") const;

 private:
  friend RunResult run_in_memory(const std::shared_ptr<const Model>& model, const RunOptions& options);
  std::shared_ptr<const Content> content_;
};

/// Runs a model from its start to its duration and records the channels of its `record` section: the numbers of `trunnion run`, bit for
/// bit. A failed run is a result. Throws ModelError.
RunResult run_in_memory(const std::shared_ptr<const Model>& model, const RunOptions& options = {});

/// Recorded channels of a run, read back from its files.
struct RecordedRun {
  std::string file;                         ///< that was read: results.h5, or results.csv, which has no units and meanings
  bool unfinished = false;                  ///< of a run that has not ended, or was killed
  std::vector<ChannelInfo> channels;        ///< `time` first
  std::vector<std::vector<double>> values;  ///< of each channel, one per record
};

/// Reads a folder with results.h5 or results.csv, or one such file. Throws ModelError.
RecordedRun read_recorded_run(const std::string& path);

}  // namespace trunnion
