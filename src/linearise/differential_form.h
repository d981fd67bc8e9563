// Elements of quasistatic circuits of discrete form as differential equations, the same element: (70) in place of (72). Linear models and
// steady operations need rates, which discrete states do not have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// The machine with all its elements in differential form; the model itself if they are.
std::shared_ptr<const CompiledModel> differential_form(const std::shared_ptr<const CompiledModel>& model);

/// A state of one form of a machine in another one: time, q, v, y that both have, and inputs; all others are zero.
StateVector in_form(const CompiledModel& other, const CompiledModel& model, const StateVector& state);

}  // namespace trunnion
