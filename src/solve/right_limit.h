// What a state takes from the signals at a jump, before accelerations and rates are found anew (Stepper::restart).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// Spools that follow their signals at once, at the signals' right limits.
inline void set_signal_spools(const CompiledModel& model, StateVector& state) {
  for (const Spool& spool : model.hydraulics.spools)
    if (spool.is_signal()) state.y()[spool.state] = signals_at(model, state).value(spool.signal, state.time, Side::right);
}

}  // namespace trunnion
