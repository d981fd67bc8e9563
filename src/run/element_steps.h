// Whether the steps of a run suit the virtual elements of its quasistatic actuators (hydraulics/quasistatic/virtual_element.h). The element
// adds a stiffness and a damping that the oil does not have, and explicit integrators, a force that acts one step late and a coupling by
// extrapolation are stable with steps up to a limit only. The inertia that an element moves is that of the whole mechanism along its port
// at the start,
//   1 / (A M^-1 A^T)_jj,   A = ds/dq, motions that constraints exclude left out (cosimulation/port_dynamics.h)
// and of several elements together that of the fastest mode of sqrt(K) A M^-1 A^T sqrt(K). Springs, dampers and friction are left out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// A sentence for each quasistatic actuator whose element the settings of the run make unstable or coarse: the step, what it may be, what
/// helps. `start`: where the run begins.
std::vector<std::string> element_step_warnings(const Model& model, const State& start);

}  // namespace trunnion
