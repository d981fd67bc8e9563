// Effect of port forces on a mechanism: the accelerations along all ports at given positions and velocities are affine in them,
//   s_ddot = b + W F,   W = A (I - P_c) M^-1 A^T = A R (R^T M R)^-1 R^T A^T,   b = s_ddot at F = 0
// with A = ds/dq and R the motions that the constraints allow (closed_loops.h). The first form of W, (13), and b, (14), require a
// regular mass matrix, the second only inertia of the admissible motions. Redundant rows are permitted.
// Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), (10)-(15), with (14) corrected to d(A q')/dt: A' q', and P_c
// times the accelerations imposed by the constraints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/model.h"
#include "model/state.h"
#include "solve/reduced_inertia.h"

namespace trunnion {

template <int D>
class PortDynamics {
 public:
  /// `ports`: indices of the ports, ascending, all of actuators with chambers and others; empty: those of actuators with chambers.
  explicit PortDynamics(const CompiledModel& model, std::vector<int> ports = {});
  /// W (ports x ports, row by row, symmetric) [1/kg] and b (per port) [m/s2] at the time, configuration and velocity of `at`, loads at the
  /// right limit. `forces` [N, N m], per port of the mechanism, of actuators without chambers act on it (null: none); 0 of those given.
  /// `state`: scratch of that mechanism. The partition is that of `at`, or selected here. False at a singular configuration and if the
  /// inertia is singular. No allocation.
  bool evaluate(const StateVector& at, const double* forces, MechanismState<D>& state, double* W, double* b);

 private:
  const CompiledModel& model_;
  const Mechanism<D>& m_;
  const std::vector<int> ports_;
  ClosedLoops<D> loops_;
  ReducedInertia<D> inertia_;
  std::vector<double> a_, r_;  // per velocity
  std::vector<double> A_;      // R^T A^T, port by port
  std::vector<double> x_;      // per independent coordinate
};

}  // namespace trunnion
