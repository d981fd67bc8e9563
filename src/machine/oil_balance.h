// The balance of the oil in a run: what the volumes gained by their pressures and pistons against what flowed into them.
//   gain_i    = sum over hose and chambers of (V_k + V_k+1)/2 (g(p_k+1) - g(p_k)) + (chi_k + chi_k+1)/2 (V_k+1 - V_k)
//   inflow_i  = h/2 (sum Q_k + sum Q_k+1)
//   residual  = sum over volumes and steps of gain_i - inflow_i
// g is the strain of oil and wall and chi the share of liquid, fluid.h: the gain is that of the liquid V chi, and what the liquid and the
// walls give way. Oil is counted by volume at the pressure where it is, as the pressure equations (13) count it: an edge passes the same
// volume on from one pressure to another. What is left open is the time discretisation, and anything that would hold a pressure by force.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/circuit.h"

namespace trunnion {

class OilBalance {
 public:
  OilBalance() = default;
  /// At first-order states y, lengths s of the ports and the net flow out of every volume, its pistons apart [m3/s].
  OilBalance(const Hydraulics& hydraulics, const double* y, const double* s, const double* outflow);
  /// Adds a step of h [s] that ends there. No allocation.
  void step(double h, const double* y, const double* s, const double* outflow);
  /// Flows jump: the next step begins with these.
  void jump(const double* outflow);

  double residual() const { return residual_; }     // [m3]
  double worst_residual() const { return worst_; }  // [m3] largest magnitude
  double moved() const { return moved_; }           // [m3] into and out of all volumes, pistons apart
  double closed_to_percent() const { return moved_ > 0 ? 100 * worst_ / moved_ : 0; }

 private:
  struct Part {
    int volume = 0, node = 0;                 // node: that of the volume
    int port = -1;                            // of a chamber
    double wall = 0;                          // [1/Pa]
    double size = 0;                          // [m3] of a hose
    double strain = 0, liquid = 1, last = 0;  // at the end of the last step: g, chi, and V [m3]
  };
  double size_of(const Part& part, const double* s) const;

  const Hydraulics* h_ = nullptr;
  std::vector<Part> parts_;
  std::vector<double> outflow_;  // per volume [m3/s]
  double residual_ = 0, worst_ = 0, moved_ = 0;
};

}  // namespace trunnion
