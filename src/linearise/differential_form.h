// Forms of a machine in which more of its states have rates. Elements of quasistatic circuits of discrete form as differential equations,
// the same element: (70) in place of (72), for linear models and steady operations. Sampled control blocks as continuous ones, which rest
// at the same values and states, for steady operations:
//   x_k = x_(k-1) + period f(u_k, x_k) = x_(k-1)   where f(u, x) = 0
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// The machine with all its elements in differential form; the model itself if they are.
std::shared_ptr<const CompiledModel> differential_form(const std::shared_ptr<const CompiledModel>& model);

/// The machine with its sampled blocks continuous, but for those that only samples change (control/discrete_laws.h) and operators; quantisers
/// are their inputs. The model itself if there are none, or if loops are closed from one sample to the next alone.
std::shared_ptr<const CompiledModel> continuous_form(const std::shared_ptr<const CompiledModel>& model);

/// Into a state of one form of a machine that of another form: time, q, v, y that both have, and inputs.
void take_form(const CompiledModel& model, const StateVector& state, const CompiledModel& other, StateVector& into);
/// The same into one in which all others are zero.
StateVector in_form(const CompiledModel& other, const CompiledModel& model, const StateVector& state);

}  // namespace trunnion
