// Actuators with independent metering on one pump, without states: velocities and forces are functions of what is outside.
//   given v:             f_j in Gamma_j(v)                                                      (63), (98), (118)
//   given beta, fbar:    f_j = beta_j v_j + fbar_j in Gamma_j(v), one v for all fbar            (69), (102), (119)
// One actuator without regeneration: closed forms (61)-(65), (73), (74). Otherwise actuators meet at the pump's pressure P alone:
//   Q - c_b u_b sqrt(P) - sum_j Q_p,j(P) in N_(-inf, P_M](P)                                    (114), (123)
// with Q_p,j rising in P. P is located among the pressures where a valve of any actuator opens or shuts, all in closed form, and solved
// by a bracketed Newton iteration on the smooth piece between two of them.
// Where the sets of the source leave a choice: chambers that nothing connects have the lowest pressures that give the force; a pump
// without flow has the lowest pressure possible.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "hydraulics/quasistatic/metering_actuator.h"
#include "hydraulics/quasistatic/set_valued.h"

namespace trunnion {

/// What is set from outside at one time.
struct MeteringCommand {
  double flow = 0;                             // [m3/s] Q of the pump, >= 0
  double bleed = 0;                            // [-] u_b, opening of the bleed valve, >= 0
  std::span<const MeteringOpenings> openings;  // per actuator
};

/// A solution, and scratch for finding it; sized once, holds nothing that the next solution needs.
struct MeteringSolution {
  explicit MeteringSolution(int actuators);
  std::vector<double> v;       // [m/s] (N)
  std::vector<double> f;       // [N]   (N)
  std::vector<double> v_fbar;  // [m/(s N)] (N, N) by rows: dv_j / dfbar_i at fixed beta, symmetric, one-sided at kinks. Hence
                               //   dv_j / dbeta_i = v_i dv_j / dfbar_i,   df_j / dfbar_i = (j == i) + beta_j dv_j / dfbar_i
  double P = 0;                // [Pa] pressure at the pump
};

/// N actuators on one pump; immutable.
class MeteringCircuit {
 public:
  /// Throws Error naming what is wrong: areas and relief pressures must be positive, coefficients not negative.
  MeteringCircuit(std::vector<MeteringActuator> actuators, const MeteringPump& pump);
  int size() const { return static_cast<int>(actuators_.size()); }
  const MeteringActuator& actuator(int j) const { return actuators_[j]; }
  const MeteringPump& pump() const { return pump_; }

  /// Lambda: the velocities and forces with f_j = beta_j v_j + fbar_j, their derivatives, and P. beta > 0 [N s/m], fbar [N].
  /// No allocation. Throws Error for openings or a command that cannot be.
  void solve(const MeteringCommand& command, std::span<const double> beta, std::span<const double> fbar, MeteringSolution& solution) const;

  /// Every pressure and flow of a solution (of solve, with the same command): each node's flow balance and the balance of power hold to
  /// rounding. No allocation.
  void recover(const MeteringCommand& command, const MeteringSolution& solution, std::span<MeteringFlows> flows, PumpFlows& pump) const;

  /// Gamma: forces at given velocities [m/s]; intervals where the map is set-valued. Several actuators and a shut bleed valve make P
  /// itself an interval where the velocities take all the flow; the intervals are then each actuator's own over all P. No allocation.
  void forces(const MeteringCommand& command, std::span<const double> v, std::span<Interval> f, MeteringSolution& scratch) const;

 private:
  std::vector<MeteringActuator> actuators_;
  MeteringPump pump_;
};

}  // namespace trunnion
