// Where the rate of a prescribed motion jumps by d, what moves freely receives the impulses Lambda of the constraints:
//   M dv + J^T Lambda = 0,     J dv = d        (d: zero in the rows of all other constraints)
// which is the limit of a short time of large accelerations. Applied loads, springs and oil have no impulse in it. The equations are those
// of accelerations (machine/augmented_lagrangian.h), of which dv is the difference by a change of the constraints' right side.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

class MotionImpulses {
 public:
  virtual ~MotionImpulses() = default;
  /// Changes the velocities of a state by the jumps of the rates at its time, if there are any: d is what its own rates lack, so that a
  /// state that has jumped stays. No allocation. False: the mass matrix is singular on the constraints.
  virtual bool pass(StateVector& state) = 0;
};

/// Null for a machine without motions over time.
std::unique_ptr<MotionImpulses> make_motion_impulses(const std::shared_ptr<const CompiledModel>& model);

}  // namespace trunnion
