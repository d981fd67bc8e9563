// The balance of the oil in a run: what the volumes gained by their pressures and pistons against what flowed into them.
//   gain_i    = dN_i                                                        (content_changes, hydraulics/circuit.h)
//   inflow_i  = what the flows pass by the rule of the step                 (hydraulics/oil_rule.h; h/2 (sum Q_k + sum Q_k+1) by others)
//   residual  = sum over volumes and steps of gain_i - inflow_i
// The gain is that of the liquid V chi, and what the liquid and the walls give way. Oil is counted by volume at the pressure where it is,
// as the pressure equations (13) count it: an edge passes the same volume on from one pressure to another. With the rule's own weights what
// is left open is what Newton's method leaves, and anything that would hold a pressure by force; with those of the trapezoidal rule under
// other integrators it is the time discretisation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/circuit.h"
#include "hydraulics/oil_rule.h"

namespace trunnion {

class OilBalance {
 public:
  OilBalance() = default;
  /// At first-order states y, lengths s of the ports and the net flow out of every volume, its pistons apart [m3/s].
  OilBalance(const Hydraulics& hydraulics, const double* y, const double* s, const double* outflow);
  /// Adds a step of h [s] by a rule that ends there. No allocation.
  void step(const OilRule& rule, double h, const double* y, const double* s, const double* outflow);
  /// Flows jump: the next step begins with these.
  void jump(const double* outflow);

  double residual() const { return residual_; }     // [m3]
  double worst_residual() const { return worst_; }  // [m3] largest magnitude
  double moved() const { return moved_; }           // [m3] into and out of all volumes, pistons apart
  double closed_to_percent() const { return moved_ > 0 ? 100 * worst_ / moved_ : 0; }

 private:
  const Hydraulics* h_ = nullptr;
  std::vector<double> y_, s_;           // at the end of the last step: pressures of volumes, lengths of ports
  std::vector<double> outflow_, mean_;  // per volume [m3/s]
  std::vector<double> change_;          // scratch
  double step_ = 1;                     // [s] the last one
  double residual_ = 0, worst_ = 0, moved_ = 0;
};

}  // namespace trunnion
