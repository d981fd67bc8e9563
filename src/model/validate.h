// Invariants of a compiled model that its users rely on without a check: the order of nodes and states, ranges, indices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace trunnion {

/// What is violated, one line each; empty for every model from compile().
std::vector<std::string> validate(const CompiledModel& model);

}  // namespace trunnion
