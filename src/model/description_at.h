// A description whose start values are those of a state.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// The description of a model in relative coordinates with start values replaced by those of a state at rest: joint coordinates and
/// rotations, pressures, and lengths relative to the start (chamber lengths, unset rest lengths of springs and unset distances). Rates are
/// unset, so that they are zero unless prescribed by a motion; velocities of the state are ignored. Friction states and filtered spools
/// have no start value in a description: the state's must be start values. `turning`: velocities of one-axis joints that are kept.
Description description_at(const CompiledModel& model, const StateVector& state, const std::vector<int>& turning = {});

}  // namespace trunnion
