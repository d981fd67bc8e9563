// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "solve/stepper.h"

namespace trunnion {

/// The stepper for the model's solver settings.
std::unique_ptr<Stepper> make_stepper(const std::shared_ptr<const CompiledModel>& model);

}  // namespace trunnion
