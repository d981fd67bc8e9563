// Steps by C code that was generated for a model and compiled on this machine (solver.compiled): the core asks for them here; the whole
// library makes them (recording/compiled_step.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "solve/stepper.h"

namespace trunnion {

/// The stepper of a model whose solver.compiled is `on` or `auto`: `general`, whose steps are replaced by those of the code where it has
/// them. If there is none, all steps are the general one's, and remark() says why.
using MakeCompiledStep = std::unique_ptr<Stepper> (*)(const std::shared_ptr<const CompiledModel>& model, std::unique_ptr<Stepper> general);

/// Null in the core library, which starts no compiler.
MakeCompiledStep compiled_step_factory();

}  // namespace trunnion
