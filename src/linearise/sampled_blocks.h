// Sampled control blocks of a linear model: what their samples make of a small change (SampledBlock, linear_model.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/dual.h"
#include "linearise/linear_model.h"

namespace trunnion {

/// The sampled blocks, with zeros for what they read. Of `linear` its signals are used, and its sizes.
std::vector<SampledBlock> sampled_blocks(const CompiledModel& model, const LinearModel& linear);

/// Sets `samples` of a block: the derivatives at its states in y and what it reads there.
void differentiate_sample(const CompiledModel& model, const double* y, Dual<1>* read, SampledBlock& sampled);

}  // namespace trunnion
