// The law of a control block of a description.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "control/block.h"
#include "description/description.h"

namespace trunnion {

/// Sizes and orders are those of the description, which has been checked (schema/check_control.cpp); inputs: block_inputs().
std::shared_ptr<const BlockLaw> plan_block(const BlockDescription& block);

}  // namespace trunnion
