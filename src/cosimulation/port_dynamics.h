// What the forces of its ports do to a mechanism: the accelerations along all ports at given positions and velocities are affine in them,
//   s_ddot = b + W F,   W = A (I - P_c) M^-1 A^T = A R (R^T M R)^-1 R^T A^T,   b = s_ddot at F = 0
// with A = ds/dq and R the motions that the constraints allow (closed_loops.h). The first form of W, (13), (14), and b, (15), ask for a
// regular mass matrix, the second one for inertia of what can move. Redundant rows do no harm. Source: Rahikainen, Gonzalez, Naya, Sopanen,
// Mikkola 2020 (co-simulation), (11)-(16), with (15) as d(A q')/dt has it: A' q', and P_c times the accelerations that the constraints
// demand. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/model.h"
#include "model/state.h"
#include "solve/reduced_inertia.h"

namespace trunnion {

template <int D>
class PortDynamics {
 public:
  explicit PortDynamics(const Model& model);
  /// W (ports x ports, row by row, symmetric) [1/kg] and b (per port) [m/s2] at the time, configuration and velocity of `at`, loads at the
  /// right limit. `state`: scratch of that mechanism. The partition is that of `at`, or chosen here. False at a dead point and where the
  /// inertia is singular. No allocation.
  bool evaluate(const State& at, MechanismState<D>& state, double* W, double* b);

 private:
  const Model& model_;
  const Mechanism<D>& m_;
  ClosedLoops<D> loops_;
  ReducedInertia<D> inertia_;
  std::vector<double> a_, r_;  // per velocity
  std::vector<double> A_;      // R^T A^T, port by port
  std::vector<double> x_;      // per independent coordinate
};

}  // namespace trunnion
