// A control block of a description, prepared for the netlist: law and inputs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "control/block.h"
#include "description/description.h"

namespace trunnion {

struct BlockPlan {
  std::shared_ptr<const BlockLaw> law;
  std::vector<NumberOrSignal> inputs;  // in the order of the law
};
/// Sizes and orders are those of the law; the description has been checked (schema/check_control.cpp).
BlockPlan plan_block(const BlockDescription& block);

}  // namespace trunnion
