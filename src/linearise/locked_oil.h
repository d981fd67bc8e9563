// Oil that is locked in a step of the search for steady operation: volumes and accumulators that flows connect with each other and with
// nothing else, at the start of the step and at its end. The step is linear, contents are not:
//   e = sum (dN + dV)      change of the contents N of volumes (volume_content.h) and V of accumulators, which should be 0
// is taken out by the next step, as a change of all pressures of the group by -e / sum C.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "hydraulics/circuit.h"
#include "model/state.h"

namespace trunnion {

class LockedOil {
 public:
  /// Where a step begins or ends. The last of the equations' states are `states`, of y, in this order.
  struct Reference {
    const StateVector& state;
    const std::vector<double>&s, &s_dot;   // per port
    const std::vector<double>& capacity;   // [m3/Pa] per node
    const std::vector<int>& states;        // per equation from A.rows() - states.size() on
    const Eigen::MatrixXd& A;              // tangent of the rates, in units
    const Eigen::VectorXd &rates, &units;  // per equation
  };

  explicit LockedOil(const Hydraulics& netlist);
  /// Nothing is to be taken out.
  void begin() { std::fill(excess_.begin(), excess_.end(), 0.0); }
  void begin_step(const Reference& at);
  void end_step(const Reference& at);
  /// Per equation, of pressures: by how much they are too high, in units.
  Eigen::VectorXd excess(const Reference& at) const;

 private:
  bool is_pressure(int state) const { return state < static_cast<int>(netlist_.volumes.size()); }
  int root(int state) const;
  /// Joins what flows connect at a reference, and marks those with a flow from elsewhere.
  void connect(const Reference& at);

  const Hydraulics& netlist_;
  std::vector<char> amount_;    // per state of y: oil in an accumulator
  std::vector<double> excess_;  // [m3] per volume
  std::vector<int> group_;      // per state of y: another one of its group; itself: the root
  std::vector<char> open_;      // per root
  std::vector<double> y_, s_;   // at the start of the step
};

}  // namespace trunnion
