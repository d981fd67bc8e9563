// The start of a run: start pressures solved for rest, consistent accelerations, rates and multipliers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/evaluate.h"

namespace trunnion {

/// Pressures marked `equilibrium`, solved so that the machine rests in its assembled configuration:
///   sum_i F_i(p) ds_i/dq - Phi_q^T lambda = -Q(q, v = 0)
/// friction zero, spools at their start; volumes joined by an open throttle share one pressure.
/// Returns y of the start. Throws InputError naming pressures that rest leaves open, or coordinates that cannot rest.
std::vector<double> start_states(const Model& model);

/// The complete start state of a model.
State start_state(const Model& model);

}  // namespace trunnion
