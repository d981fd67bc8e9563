// Steady operation with other solutions and the stability of the loops of sampled control blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "linearise/steady.h"

namespace trunnion {

/// solve_steady(), find_other_steady() and judge_samples().
SteadyOperation steady_operation(const std::shared_ptr<const CompiledModel>& model, double time);

/// The growth by the sampled loop (spectra/sampled_loop.h) instead of that of continuous blocks. Leaves it where there is none, or a sample
/// would change the state. Friction states of actuators at rest are held at zero, as in solve_steady().
void judge_samples(const std::shared_ptr<const CompiledModel>& model, SteadyOperation& found);

}  // namespace trunnion
