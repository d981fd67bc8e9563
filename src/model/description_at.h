// A description that starts where a state stands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// The description of a model in relative coordinates with start values replaced by those of a state at rest: joint coordinates and
/// rotations, pressures, and
/// what counts from the start (chamber lengths, rest lengths of springs and distances that were left open). Rates are left open, so that
/// they are zero where no prescribed motion decides them; velocities of the state are not looked at. Friction states and filtered spools
/// have no start value in a description: the state's must be those of a start.
/// `turning`: velocities of one-axis joints that are kept.
Description description_at(const Model& model, const State& state, const std::vector<int>& turning = {});

}  // namespace trunnion
