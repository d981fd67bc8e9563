// Channels of commands, signals, values of control blocks, and of the factors of loads, on request.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/channels/values.h"

namespace trunnion {

struct SignalChannels {
  void offer(const CompiledModel& model, ChannelList& list);
  struct Cell {
    int cell;
    SignalIndex signal;  // -1: 1
    double factor;
  };
  std::vector<Cell> cells;
};

/// Signals at a time, and if S is a dual number the changes of all signals.
struct SignalReading {
  const Signals& signals;
  double time;
  Side side;
  const double* change = nullptr;
  /// -1: 1.
  template <class S>
  S value(SignalIndex signal) const {
    if (signal < 0) return S(1);
    S value(signals.value(signal, time, side));
    if constexpr (!kPlain<S>) value.d[0] = change[signal];
    return value;
  }
};

template <int D, class S>
void read_signals(const SignalChannels& channels, const SignalReading& reading, MachineValues<D, S>& x) {
  for (const SignalChannels::Cell& c : channels.cells) x.set(c.cell, reading.value<S>(c.signal) * c.factor);
}

}  // namespace trunnion
