// Lanes of the general step: the core asks for them here; the whole library has them (lanes/general_lanes.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "solve/lane_step.h"
#include "solve/stepper.h"

namespace trunnion {

/// Steps by lanes of a model whose `stepper` this is: those of its compiled steps, where it has them, otherwise the general step's. Null:
/// there are none. `remark`: how the machines step, or why not by lanes. The object is the same for a model and those that differ from it in
/// parameters alone, as far as they share their steps.
std::shared_ptr<const LaneStep> lanes_of(const Stepper& stepper, const std::shared_ptr<const CompiledModel>& model, std::string& remark);

/// Lanes of the general step; null: `remark` is why.
using MakeGeneralLanes = std::shared_ptr<const LaneStep> (*)(const std::shared_ptr<const CompiledModel>& model, std::string& remark);

/// Null in the core library.
MakeGeneralLanes general_lanes_factory();

}  // namespace trunnion
