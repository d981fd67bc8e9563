// Results of a run, row by row into files or column by column in memory, and the watcher that records them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/monolithic_beside.h"
#include "run/channel_reader.h"
#include "run/recorded_channels.h"

namespace trunnion {

/// Columns of equal length; the first is `time`.
struct Recording {
  std::vector<Channel> channels;
  std::vector<std::vector<double>> columns;

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
  /// Index of a channel, or -1.
  int find(const std::string& name) const;
};

/// Receives the rows of a run as they are recorded.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// Before the first row.
  virtual void begin(const std::vector<Channel>& channels) = 0;
  /// A number per channel. May throw SimulationError, which ends the run.
  virtual void add(const double* row) = 0;
};

/// Approximate number of rows that a run records.
double expected_rows(const Description& d);

/// Records grid points of a run.
class Recorder final : public RunWatcher {
 public:
  /// Uses the description's `record` settings. Throws InputError for unknown channels. `beside_monolithic`: with the difference from a
  /// monolithic run (a co-simulation). `sink` (may be null) gets every row; rows are kept in memory only if `kept`.
  explicit Recorder(std::shared_ptr<const CompiledModel> model, bool beside_monolithic = false, RowSink* sink = nullptr, bool kept = true);

  /// The first record.
  void begin(const StateVector& state);
  void at(const StepRecord& step) override;
  /// Records the last state of a run unless already recorded, also if the run failed.
  void finish(const StateVector& last);

  /// The recording in memory; its channels in any case.
  const Recording& recording() const { return recording_; }
  std::size_t rows() const { return rows_; }
  ChannelReader& reader() { return reader_; }
  const Ledger& ledger() const { return reader_.ledger(); }
  const Observer& observer() const { return reader_.observer(); }
  const MonolithicBeside* beside() const { return beside_.get(); }  // null: no monolithic run
  /// Names and values of all channels, recorded or not, at the last observed state.
  std::vector<std::pair<std::string, double>> last_values();

 private:
  void record(double before);

  std::shared_ptr<const CompiledModel> model_;
  ChannelReader reader_;
  std::unique_ptr<MonolithicBeside> beside_;
  Recording recording_;
  RowSink* sink_;
  bool kept_;
  std::size_t rows_ = 0;
  std::vector<double> row_;            // the last one
  std::vector<std::size_t> selected_;  // channels of the reader, then those of the monolithic reference
  double recorded_time_ = 0;           // [s] of the last record
};

}  // namespace trunnion
