// The oil's rows of a differentiated step, with f the factor of the rule (hydraulics/oil_rule.h) and dN(0, 1) = -dN(1, 0) the change of a
// content:
//   R = f dN(0, 1) - offset - Q_1,   d(offset) = c dQ_0
// Part of linearise/step_map.h.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/circuit.h"
#include "hydraulics/oil_rule.h"
#include "model/model.h"
#include "model/state.h"

namespace trunnion {

class OilRows {
 public:
  explicit OilRows(const CompiledModel& model);

  /// Of the step of h from `before` to `after`, with lengths s and rates v of the ports at both.
  void set(const OilRule& rule, double h, const StateVector& before, const double* s_0, const double* v_0, const StateVector& after,
           const double* s_1, const double* v_1);

  /// Row of state i for changes at the end of the step.
  double end(int i, const double* y, const double* ydot, const double* s, const double* inflow) const;
  /// The same of changes at its start.
  double begin(int i, const double* y, const double* ydot, const double* s, const double* inflow) const;

 private:
  int volumes() const { return static_cast<int>(netlist_.volumes.size()); }
  double product(int i, const std::vector<double>& T, const double* y) const;
  double product_of_ports(int i, const std::vector<double>& R_s, const double* s) const;
  double product_of_fractions(int i, const std::vector<FractionSlopes>& slopes, const double* y) const;

  const CompiledModel& model_;
  const Hydraulics& netlist_;
  HydraulicState oil_;
  double factor_ = 0, weight_ = 0;
  std::vector<double> y_, ydot_, none_;
  std::vector<double> T_1_, s_1_, T_reversed_, s_0_, T_0_, s_still_;
  std::vector<FractionSlopes> e_1_, e_0_;
};

}  // namespace trunnion
