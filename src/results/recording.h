// Results of a run, row by row into files or column by column in memory, and the watcher that records them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cosimulation/monitor.h"
#include "machine/ledger.h"
#include "results/monolithic_beside.h"
#include "run/run.h"

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

/// Throws InputError for names in record.channels that no channel has.
void check_recorded_channels(const std::shared_ptr<const Model>& model);

/// Approximate number of rows that a run records.
double expected_rows(const Description& d);

/// Reads every channel during a run: time, the observer's, energies, the solver's, the coupling's. Equal input gives equal bits.
/// (Computing time is not a channel; see history.h.)
class ChannelReader final : public RunWatcher {
 public:
  explicit ChannelReader(std::shared_ptr<const Model> model);

  /// The first state.
  void begin(const State& state);
  /// Throws SimulationError where energies or powers are not finite.
  void at(const StepRecord& step) override;
  /// Restores the last valid state after a SimulationError; the energy ledger ends there.
  void stop_at(const State& state);
  /// Restores a state observed before, with the ledger at that time.
  void resume(const State& state, const Ledger& ledger);

  const std::vector<Channel>& channels() const { return channels_; }
  /// Values of all channels at the last observed state, channels().size() numbers; valid until the next call.
  const std::vector<double>& values();
  const Ledger& ledger() const { return ledger_; }
  const Observer& observer() const { return *observer_; }
  double time() const { return time_; }
  /// The same; throws SimulationError if one is not finite. `before`: [s] time of the last valid state.
  const std::vector<double>& finite_values(double before);

 private:
  void read_coupling(const State& state);
  void check_energies();
  [[noreturn]] void not_finite(double before, const std::string& name) const;

  std::shared_ptr<const Model> model_;
  std::unique_ptr<Observer> observer_;
  Ledger ledger_;
  std::vector<Channel> channels_;
  std::vector<double> values_;
  CouplingMemory memory_;           // coupling figures
  std::size_t coupling_begin_ = 0;  // of its channels
  double time_ = 0;
  StepReport report_;  // of the step that led to the last observed state
};

/// Records grid points of a run.
class Recorder final : public RunWatcher {
 public:
  /// Uses the description's `record` settings. Throws InputError for unknown channels. `beside_monolithic`: with the difference from a
  /// monolithic run (a co-simulation). `sink` (may be null) gets every row; rows are kept in memory only if `kept`.
  explicit Recorder(std::shared_ptr<const Model> model, bool beside_monolithic = false, RowSink* sink = nullptr, bool kept = true);

  /// The first record.
  void begin(const State& state);
  void at(const StepRecord& step) override;
  /// Records the last state of a run unless already recorded, also if the run failed.
  void finish(const State& last);

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
  void select(const std::vector<std::string>& wanted);
  void record(double before);

  std::shared_ptr<const Model> model_;
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
