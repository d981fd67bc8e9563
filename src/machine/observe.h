// Quantities derived from a state: every channel that can be recorded, and the power of every element.
//   kinetic, potential, spring and cylinder energies are exact functions of the state;
//   all other energy transfer is a power:
//     d/dt (kinetic + potential + spring + cylinder) + oil = supply - throttling - friction - damping + external
//   which closes to rounding wherever accelerations and rates satisfy the equations. machine/ledger.h integrates it.
// Source of the terms: Jaiswal, Sopanen, Mikkola 2021 (friction), section 6 (energy balance), per element here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "machine/channels/values.h"
#include "machine/evaluate.h"

namespace trunnion {

/// Index of a part's quantity (`cylinders`, `lift`, `length`) among channels: `cylinders.lift.length` if another part has `lift.length`.
/// channels.size(): not found.
std::size_t channel_of(const std::vector<Channel>& channels, const std::string& section, const std::string& part,
                       const std::string& quantity);

/// Reads the quantities of a state of one model, on a scalar. Not shared between threads.
template <class S>
class Readings {
 public:
  virtual ~Readings() = default;
  Readings() = default;
  Readings(const Readings&) = delete;
  Readings& operator=(const Readings&) = delete;

  const std::vector<Channel>& channels() const { return channels_; }
  /// Values of all channels at the last observed state, channels().size() numbers.
  void values(S* out) const {
    for (std::size_t i = 0; i < sources_.size(); ++i) out[i] = *sources_[i];
  }
  /// Value of one channel at the last observed state.
  const S& value(std::size_t channel) const { return *sources_[channel]; }

 protected:
  std::vector<Channel> channels_;
  std::vector<const S*> sources_;  // per channel: pointer to its value
  std::vector<LedgerEntry> entries_;
  LedgerValues<S> ledger_;
};

/// Reads out states.
class Observer : public Readings<double> {
 public:
  const std::vector<LedgerEntry>& entries() const { return entries_; }
  /// Power [W] per entry at the last observed state.
  const std::vector<double>& powers() const { return ledger_.powers; }
  const StoredEnergy<>& stored() const { return ledger_.stored; }
  const std::vector<ImpulseLoad>& impulse_loads() const { return ledger_.impulse_loads; }
  /// Power [W] of the constraints on the mechanism, -lambda . dPhi/dt: zero where their rates hold.
  double constraint_power() const { return ledger_.constraint_power; }
  /// The oil at the last observed state, in the observer's memory.
  struct Oil {
    const Hydraulics* hydraulics;
    const double *y, *s, *outflow;  // states; lengths per port; net flow out of every volume, without its pistons [m3/s]
  };
  virtual Oil oil() const = 0;
  /// Largest |Phi| per named loop, motion or coupling (CompiledModel::constraints) at the last observed state.
  const std::vector<double>& violations() const { return ledger_.violations; }

  /// Where the value of a channel is in StateVector::values(), if it is a number of the state; otherwise -1.
  virtual std::ptrdiff_t place_in_state(std::size_t channel) const = 0;
  /// The input whose value the channel is; otherwise -1.
  virtual int input_of(std::size_t channel) const = 0;

  /// Evaluates everything at the state's own q, v, a, y, ydot and multipliers; signals by their limit on `side`. No allocation.
  virtual void observe(const StateVector& state, Side side) = 0;
};

/// A change of a state and of the signals the oil reads; pointers into the caller's arrays.
struct StateChange {
  const double* theta;        // nv: increment of the configuration
  const double* v;            // nv
  const double* a;            // nv
  const double* y;            // ny
  const double* ydot;         // ny
  const double* multipliers;  // rows
  const double* signal;       // Hydraulics::signals
};

/// First-order changes of everything along a change of the state: derivatives of all channels.
class ChangeObserver : public Readings<Dual<1>> {
 public:
  virtual void observe(const StateVector& state, Side side, const StateChange& change) = 0;
};

std::unique_ptr<Observer> make_observer(std::shared_ptr<const CompiledModel> model);
std::unique_ptr<ChangeObserver> make_change_observer(std::shared_ptr<const CompiledModel> model);

/// The channels that the model has on request, named by `record.channels` or not. An observer has those that are named, after all others,
/// and evaluates no others.
std::vector<Channel> channels_on_request(const std::shared_ptr<const CompiledModel>& model);
/// How to request the channel of that name; empty if there is none on request.
std::string how_to_request(const std::shared_ptr<const CompiledModel>& model, const std::string& name);

}  // namespace trunnion
