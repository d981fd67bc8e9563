// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "solve/stepper.h"

namespace trunnion {

/// The stepper of all equations of a model at once, with the constraint treatment and integrator of its solver settings.
std::unique_ptr<Stepper> make_monolithic_stepper(std::shared_ptr<const CompiledModel> model);

}  // namespace trunnion
