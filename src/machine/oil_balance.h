// The oil balance of a run: the gain of the volumes by their pressures and pistons against the flow into them.
//   gain_i    = dN_i                                                        (content_changes, hydraulics/circuit.h)
//   inflow_i  = integral of the flows by the rule of the step               (hydraulics/oil_rule.h; h/2 (sum Q_k + sum Q_k+1) by others)
//   residual  = sum over volumes and steps of gain_i - inflow_i
// The gain is that of the liquid V chi, and the deflection of liquid and walls. Oil is counted by volume at the local pressure, as in the
// pressure equations (13): an edge passes the same volume from one pressure to another. With the rule's own weights the residual is that
// of Newton's method, and of anything that would hold a pressure by force; with those of the trapezoidal rule under other integrators it
// is the time discretisation. The accuracy of the rule itself is a separate figure:
//   rule error = sum over volumes of |sum over steps of gain_i - integral of a parabola through the flows at three ends of steps|
// which no second-order rule reproduces exactly. Steps in parts follow transients that decay within them, so values at their ends are not
// meaningful: there the residual of the rule counts, and the parts control their own errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/circuit.h"
#include "hydraulics/oil_rule.h"

namespace trunnion {

/// Error of the trapezoidal rule over a step of h, by the parabola through three step ends, the first a step before: -h^3/6 times the
/// second divided difference. Zero across a jump (h_before = 0), and where step lengths change by more than half, which would amplify
/// rounding.
inline double parabola_correction(double h_before, double h, double before, double begin, double end) {
  if (!(h_before >= h / 2 && h_before <= 2 * h)) return 0;
  return -h * h * h / 6 * ((end - begin) / h - (begin - before) / h_before) / (h + h_before);
}

class OilBalance {
 public:
  OilBalance() = default;
  /// At first-order states y, lengths s of the ports and the net flow out of every volume, without its pistons [m3/s].
  OilBalance(const Hydraulics& netlist, const double* y, const double* s, const double* outflow);
  /// Adds a step of h [s] by a rule that ends there; `in_parts`: one of several. No allocation.
  void step(const OilRule& rule, double h, const double* y, const double* s, const double* outflow, bool in_parts);
  /// Adds a communication step of a co-simulation, whose flows are those of the subsystems: the residual is `defect` [m3], the volume by
  /// which the motions of the pistons in mechanism and hydraulics differ since the start (StepOutcome::oil_defect).
  void communication_step(double defect, const double* y, const double* s, const double* outflow);
  /// Flows and commands jump: the next step begins with these, and with the means that jump along.
  void jump(const double* y, const double* outflow);

  double residual() const { return residual_; }                  // [m3]
  double worst_residual() const { return worst_; }               // [m3] largest magnitude
  double worst_rule_error() const { return worst_rule_error_; }  // [m3]
  double moved() const { return moved_; }                        // [m3] into and out of all volumes, without pistons
  double closed_to_percent() const { return moved_ > 0 ? 100 * worst_ / moved_ : 0; }

 private:
  const Hydraulics* netlist_ = nullptr;
  std::vector<double> y_, s_;           // at the end of the last step: first-order states, lengths of ports
  std::vector<double> outflow_, mean_;  // per volume [m3/s]
  std::vector<double> before_;          // per volume: outflow a step before [m3/s]
  std::vector<double> rule_errors_;     // per volume [m3]
  std::vector<double> change_;          // scratch
  std::vector<StrainChange> strain_;    // scratch, per node
  double step_ = 1;                     // [s] the last one
  double since_before_ = 0;             // [s] the same; 0 after a jump
  double residual_ = 0, worst_ = 0, worst_rule_error_ = 0, moved_ = 0;
};

}  // namespace trunnion
