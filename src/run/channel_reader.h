// Values of all channels during a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cosimulation/monitor.h"
#include "machine/ledger.h"
#include "run/run.h"

namespace trunnion {

/// Reads every channel during a run: time, the observer's, energies, the solver's, the coupling's. Equal input gives equal bits.
/// (Computing time is not a channel; see history.h.)
class ChannelReader final : public RunWatcher {
 public:
  explicit ChannelReader(std::shared_ptr<const CompiledModel> model);

  /// The first state.
  void begin(const StateVector& state);
  /// Throws SimulationError where energies or powers are not finite.
  void at(const StepRecord& step) override;
  /// Restores the last valid state after a SimulationError; the energy ledger ends there.
  void stop_at(const StateVector& state);
  /// Restores a state observed before, with the ledger at that time.
  void resume(const StateVector& state, const Ledger& ledger);

  const std::vector<Channel>& channels() const { return channels_; }
  /// Values of all channels at the last observed state, channels().size() numbers; valid until the next call.
  const std::vector<double>& values();
  const Ledger& ledger() const { return ledger_; }
  const Observer& observer() const { return *observer_; }
  double time() const { return time_; }
  /// The same; throws SimulationError if one is not finite. `before`: [s] time of the last valid state.
  const std::vector<double>& finite_values(double before);

 private:
  void read_coupling(const StateVector& state);
  void check_energies();
  [[noreturn]] void not_finite(double before, const std::string& name) const;

  std::shared_ptr<const CompiledModel> model_;
  std::unique_ptr<Observer> observer_;
  Ledger ledger_;
  std::vector<Channel> channels_;
  std::vector<double> values_;
  CouplingMemory memory_;           // coupling figures
  std::size_t coupling_begin_ = 0;  // of its channels
  double time_ = 0;
  StepOutcome report_;  // of the step that led to the last observed state
};

}  // namespace trunnion
