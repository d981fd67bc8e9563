// Forces that joints transmit, from the state of a step: positions, velocities, accelerations and multipliers.
//   tree joint j     W_j = sum over the subtree of j of (I A + V x* I V) - sum of the wrenches applied to its bodies
//   constraint rows  W   = -row_wrench(lambda): on body B; the opposite acts on A                        wrench.h
// Applied are loads, soil, springs and ports along lines and of cut joints, and constraint rows between bodies. What acts along the
// coordinate of a joint itself (motor, spring, load, prescribed motion, coupling) is transmitted by the joint: b . W_j is its generalised
// force. Wrenches are about the reference point, in ground axes.
// Source: Newton and Euler's equations of the free bodies; the terms are those of tree.h (1)-(8) and constraint.h.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mechanics/mechanism.h"

namespace trunnion {

/// Per node (overwritten): the wrench W_j that its joint transmits from its parent to it; [0]: of the ground on nothing, minus the sum.
/// After update_positions, update_rates and update_inputs; overwrites the force stage of the tree. No allocation.
template <int D, class S>
void joint_wrenches(const Mechanism<D>& m, const S* port_forces, const S* multipliers, MechanismState<D, S>& state, Force<D, S>* wrenches);

}  // namespace trunnion
