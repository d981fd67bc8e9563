// Sampled control blocks and modes in steady operation (steady.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linearise/steady.h"

namespace trunnion {

/// A steady state of the machine with its blocks continuous in its own samples: the first are due as at a start.
StateVector with_samples(const CompiledModel& model, const CompiledModel& continuous, const StateVector& steady);

/// Values that only samples change, and modes, are those of the start. Lists the ones that would change here.
void find_held_blocks(const CompiledModel& model, SteadyOperation& s);

}  // namespace trunnion
