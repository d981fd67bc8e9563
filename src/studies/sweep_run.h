// One run of a sweep: its key figures, and its channels if they are kept. Nothing else of it is observed: no statistics, and the energy
// ledger only for key figures of `energy.*`, and where channels are kept.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "results/recording.h"
#include "results/run_case.h"
#include "studies/kpi.h"

namespace trunnion {

/// How a run of a sweep ended.
enum class RunStatus : unsigned char {
  completed,
  invalid,     // the values make no valid model
  failed,      // the simulation ended early
  not_finite,  // it completed, but a key figure is not a finite number
};
/// `completed`, `invalid`, `failed`, `not_finite`.
const char* word(RunStatus status);

struct SweepRun {
  RunStatus status = RunStatus::completed;
  std::string message;      // why it is not completed
  double end_time = 0;      // [s] reached
  std::vector<double> kpi;  // NaN unless completed
  Recording kept;           // empty unless channels are kept
};

/// A run that is not completed: `kpis` times NaN, and the message on one line.
std::unique_ptr<SweepRun> run_without_result(RunStatus status, const std::string& message, std::size_t kpis);

/// Where the values of a set's channels are in a model. Valid for all models of the same structure.
class KpiSource {
 public:
  /// Throws InputError for channels that the model does not have; `description.record.channels` of the model names those on request.
  KpiSource(const std::shared_ptr<const CompiledModel>& model, const KpiSet& set);

  struct Place {
    enum class Kind : unsigned char { time, state, observed, read } kind;  // read: by ChannelReader only
    std::size_t index;
  };
  const std::vector<Place>& places() const { return places_; }
  /// Whether values other than those of the state are needed, of the observer or of the reader.
  bool observes() const { return observes_; }
  bool reads() const { return reads_; }

 private:
  std::vector<Place> places_;
  bool observes_ = false, reads_ = false;
};

/// Names in `set` that the model has on request only. Throws InputError with the nearest name for channels that it does not have.
std::vector<std::string> requested_channels(const std::shared_ptr<const CompiledModel>& model, const KpiSet& set);

/// Runs the model from its start to its duration. A failed run is a result. Null: `stop` became nonzero. `keeps`: the channels of
/// `record.channels`, as `trunnion run` records them.
std::unique_ptr<SweepRun> sweep_run(const std::shared_ptr<const CompiledModel>& model, StartKind start, const KpiSet& set,
                                    const KpiSource& source, bool keeps, const std::atomic<int>* stop);

}  // namespace trunnion
