// The balance of the oil in a run: what the volumes gained by their pressures and pistons against what flowed into them.
//   gain_i    = dN_i                                                        (content_changes, hydraulics/circuit.h)
//   inflow_i  = what the flows pass by the rule of the step                 (hydraulics/oil_rule.h; h/2 (sum Q_k + sum Q_k+1) by others)
//   residual  = sum over volumes and steps of gain_i - inflow_i
// The gain is that of the liquid V chi, and what the liquid and the walls give way. Oil is counted by volume at the pressure where it is,
// as the pressure equations (13) count it: an edge passes the same volume on from one pressure to another. With the rule's own weights what
// is left open is what Newton's method leaves, and anything that would hold a pressure by force; with those of the trapezoidal rule under
// other integrators it is the time discretisation. How well the rule itself follows the flows is another figure:
//   rule error = sum over volumes of |sum over steps of gain_i - integral of a parabola through the flows at three ends of steps|
// which no rule of second order makes exact. Steps in parts follow transients that are over before they end, of which values at the ends
// say nothing: there it counts what the rule leaves open, and the parts control their errors themselves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/circuit.h"
#include "hydraulics/oil_rule.h"

namespace trunnion {

/// What the trapezoidal rule leaves out of an integral over a step of h, by the parabola through three ends of steps, the first a step
/// before: -h^3/6 times the second divided difference. None across a jump (h_before = 0), nor where lengths of steps change by more than
/// half, which would weigh rounding.
inline double parabola_correction(double h_before, double h, double before, double begin, double end) {
  if (!(h_before >= h / 2 && h_before <= 2 * h)) return 0;
  return -h * h * h / 6 * ((end - begin) / h - (begin - before) / h_before) / (h + h_before);
}

class OilBalance {
 public:
  OilBalance() = default;
  /// At first-order states y, lengths s of the ports and the net flow out of every volume, its pistons apart [m3/s].
  OilBalance(const Hydraulics& hydraulics, const double* y, const double* s, const double* outflow);
  /// Adds a step of h [s] by a rule that ends there; `in_parts`: one of several. No allocation.
  void step(const OilRule& rule, double h, const double* y, const double* s, const double* outflow, bool in_parts);
  /// Flows jump: the next step begins with these.
  void jump(const double* outflow);

  double residual() const { return residual_; }                  // [m3]
  double worst_residual() const { return worst_; }               // [m3] largest magnitude
  double worst_rule_error() const { return worst_rule_error_; }  // [m3]
  double moved() const { return moved_; }                        // [m3] into and out of all volumes, pistons apart
  double closed_to_percent() const { return moved_ > 0 ? 100 * worst_ / moved_ : 0; }

 private:
  const Hydraulics* netlist_ = nullptr;
  std::vector<double> y_, s_;           // at the end of the last step: pressures of volumes, lengths of ports
  std::vector<double> outflow_, mean_;  // per volume [m3/s]
  std::vector<double> before_;          // per volume: outflow a step before [m3/s]
  std::vector<double> rule_errors_;     // per volume [m3]
  std::vector<double> change_;          // scratch
  double step_ = 1;                     // [s] the last one
  double since_before_ = 0;             // [s] the same; 0 after a jump
  double residual_ = 0, worst_ = 0, worst_rule_error_ = 0, moved_ = 0;
};

}  // namespace trunnion
