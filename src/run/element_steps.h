// Checks the steps of a run against the virtual elements of its quasistatic actuators (hydraulics/quasistatic/virtual_element.h). The
// element adds a stiffness and a damping that the oil does not have; explicit integrators, a force delayed by one step and coupling by
// extrapolation are stable only up to a limit of the step. The inertia at an element is that of the whole mechanism along its port at the
// start,
//   1 / (A M^-1 A^T)_jj,   A = ds/dq, without motions that constraints exclude (cosimulation/port_dynamics.h)
// and for several elements that of the fastest mode of sqrt(K) A M^-1 A^T sqrt(K). Springs, dampers and friction are neglected.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// A message for each quasistatic actuator whose element the run's settings make unstable or coarse: the step, its limit and remedies; and
/// for each rigid limit of a joint beyond which the run starts, unless its force rests there.
/// `start`: the beginning of the run.
std::vector<std::string> element_step_warnings(const CompiledModel& model, const StateVector& start);

}  // namespace trunnion
