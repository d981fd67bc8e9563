// The counterpart of the exact reduction: central differences of the whole machine as an ordinary differential equation
//   X = (theta, v, y),   X_dot = F(X),   M a + D^T lambda = Q,   D a = -d(D v)/dt                                     (95)-(98)
//   J_j = (F(X + h e_j) - F(X - h e_j)) / (2 h)                                                                      (99), (100)
// of size 2n + r + u, with spurious null eigenvalues for every dependent coordinate and an accuracy that depends on h: for comparison.
// Source: Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6 (linearisation), section 4.5.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "solve/machine_rates.h"

namespace trunnion {

template <int D>
class CounterpartDifferences {
 public:
  /// About the q, v, y of `reference`, which satisfy the constraints. Throws SimulationError.
  CounterpartDifferences(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference);
  int size() const { return static_cast<int>(2 * theta_.size() + states_.size()); }
  const std::vector<int>& states() const { return states_; }  // index in y of each first-order state
  /// J, column by column. `step`: h, times the size of a first-order state where that is above 1.
  void jacobian(double step, double* J);
  /// F at the reference.
  void drift(double* F) { evaluate(-1, 0, F); }

 private:
  void evaluate(int j, double change, double* F);

  MachineRates<D> rates_;
  StateVector reference_, at_;
  std::vector<int> states_;
  std::vector<double> theta_, v_, above_;
};

}  // namespace trunnion
