// What a state means to its user: every channel that can be recorded, and the power of every element.
//   kinetic, potential, spring and cylinder energies are exact functions of the state;
//   everything else that moves energy is a power:
//     d/dt (kinetic + potential + spring + cylinder) + oil = supply - throttling - friction - damping + external
//   which closes to rounding wherever accelerations and rates satisfy the equations. machine/ledger.h integrates it.
// Source of the terms: Jaiswal, Sopanen, Mikkola 2021 (friction), section 6 (energy balance), taken down to each element.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "machine/evaluate.h"

namespace trunnion {

/// A quantity that can be recorded.
struct Channel {
  std::string name;     // `crank.angle`
  std::string unit;     // SI; empty where it has none
  std::string meaning;  // one line
};

/// Where a power belongs in the energy ledger, and what its positive sign means.
enum class Account {
  actuator,    // work of a cylinder on the mechanism; a sum of others, not part of the balance
  oil,         // compression of a volume: p C pdot
  supply,      // of a source into the circuit: p Q; negative where oil returns
  throttling,  // dissipated in a valve or leak
  friction,    // dissipated in a cylinder: seals, viscous drag, end dampers
  damping,     // dissipated in a damper of the mechanism
  external,    // of an applied load or a prescribed motion on the mechanism
};

struct LedgerEntry {
  std::string name;
  Account account;
};

/// Energies [J] that are functions of the state.
struct StoredEnergy {
  double kinetic = 0;
  double potential = 0;  // of gravity, zero at the machine's reference point
  double spring = 0;     // springs of the mechanism, preload included
  double cylinder = 0;   // seal bristles and springs of end dampers
};

/// Reads out states of one model. Not shared between threads.
class Observer {
 public:
  virtual ~Observer() = default;
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// Evaluates everything at the state's own q, v, a, y, ydot and multipliers; signals by their limit on `side`. No allocation.
  virtual void observe(const State& state, Side side) = 0;

  const std::vector<Channel>& channels() const { return channels_; }
  /// Values of all channels at the last observed state, channels().size() numbers.
  void values(double* out) const {
    for (std::size_t i = 0; i < sources_.size(); ++i) out[i] = *sources_[i];
  }
  const std::vector<LedgerEntry>& entries() const { return entries_; }
  /// Power [W] per entry at the last observed state.
  const std::vector<double>& powers() const { return powers_; }
  const StoredEnergy& stored() const { return stored_; }
  /// Largest |Phi| per named loop, motion or coupling (Model::constraints) at the last observed state.
  const std::vector<double>& violations() const { return violations_; }

 protected:
  std::vector<Channel> channels_;
  std::vector<const double*> sources_;  // per channel: where its value stands
  std::vector<LedgerEntry> entries_;
  std::vector<double> powers_;
  std::vector<double> violations_;
  StoredEnergy stored_;
};

std::unique_ptr<Observer> make_observer(std::shared_ptr<const Model> model);

}  // namespace trunnion
