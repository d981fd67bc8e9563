// Actuators with independent metering on one pump. They have no states: velocities and forces are functions of the inputs.
//   given v:            f_j in Gamma_j(v)                                                         (63), (98), (118)
//   given beta, fbar:   beta_j v_j + fbar_j in Gamma_j(v); one v for every fbar                   (69), (102), (119)
// One actuator without regeneration has closed forms (single_actuator.h). Otherwise actuators are coupled by the pressure P of the pump
// only:
//   Q - U_b sqrt(P) - sum_j q_j(P) in N_(-inf, P_M](P)                                            (114), (123)
// Each q_j increases with P (load_curve.h), smoothly except at pressures where a valve opens or closes, which are known beforehand. P is
// found between two of these by bisection of their ordered list, then by Newton's method within bounds on the smooth piece.
// Where the sets leave a choice: isolated chambers have the lowest pressures that give the force, and the pump has the
// lowest possible pressure.
// Source: Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics), sections 3 to 6, which do not cover several
// actuators with regeneration on one pump.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "hydraulics/quasistatic/load_curve.h"
#include "hydraulics/quasistatic/metering_actuator.h"
#include "hydraulics/quasistatic/single_actuator.h"

namespace trunnion {

/// Inputs at one time.
struct MeteringCommand {
  double flow = 0;                             // [m3/s] Q of the pump, >= 0
  double bleed = 0;                            // [-]    u_b, opening of the bleed valve, 0 to 1
  std::span<const MeteringOpenings> openings;  // (N)
};

/// Points of N actuators on their load lines; sized once. The rest is scratch, not used by the next solution.
class MeteringSolution {
 public:
  explicit MeteringSolution(int actuators);

  std::vector<double> v;       // [m/s]     (N)
  std::vector<double> f;       // [N]       (N) beta v + fbar
  std::vector<double> v_fbar;  // [m/(s N)] (N, N) by rows, dv_j / dfbar_i at fixed beta: symmetric, one-sided at kinks. From it,
                               //   dv_j / dbeta_i = v_i dv_j / dfbar_i,   df_j / dfbar_i = (j == i) + beta_j dv_j / dfbar_i

 private:
  friend class MeteringCircuit;
  std::vector<LoadCurve> curve_;
  std::vector<StrokeState> state_;
  std::vector<double> breakpoint_;  // [Pa]
};

/// N actuators on one pump; immutable.
class MeteringCircuit {
 public:
  /// Throws Error naming the actuator and the invalid constant.
  MeteringCircuit(std::vector<MeteringActuator> actuators, const MeteringPump& pump);
  int size() const { return static_cast<int>(actuators_.size()); }
  const MeteringActuator& actuator(int j) const { return actuators_[j]; }
  const MeteringPump& pump() const { return pump_; }

  /// Lambda: v, f and derivatives for load lines f_j = beta_j v_j + fbar_j; beta > 0 [N s/m], fbar [N]. No allocation. Throws Error for an
  /// inadmissible command, naming the actuator. NaN inputs give NaN.
  void solve(const MeteringCommand& command, std::span<const double> beta, std::span<const double> fbar, MeteringSolution& solution) const;

  /// solve, and every pressure and flow: the balance of flow of each node and the balance of power hold to rounding. Any load line
  /// through a known point of velocity and force gives its pressures and flows: fbar = f - beta v. No allocation.
  void recover(const MeteringCommand& command, std::span<const double> beta, std::span<const double> fbar, MeteringSolution& solution,
               std::span<MeteringFlows> flows, PumpFlows& pump) const;

  /// Gamma: forces at given velocities [m/s], sets where the map is set-valued. (A closed bleed valve leaves an interval for P where the
  /// velocities use all the flow: each set is then over all P, and not every combination of forces is possible.) No allocation.
  void forces(const MeteringCommand& command, std::span<const double> v, std::span<Interval> f, MeteringSolution& scratch) const;

  /// Every pressure and flow at given velocities, with the lowest pressures where the map is set-valued. No allocation.
  void recover_at(const MeteringCommand& command, std::span<const double> v, MeteringSolution& scratch, std::span<MeteringFlows> flows,
                  PumpFlows& pump) const;

 private:
  PumpSupply supply(const MeteringCommand& command) const;
  Stroke stroke(int j, const MeteringOpenings& u, bool extends) const;
  bool is_single(const MeteringCommand& command) const;
  void build(const MeteringCommand& command, std::span<const double> v, MeteringSolution& s) const;
  void build(const MeteringCommand& command, std::span<const double> beta, std::span<const double> fbar, MeteringSolution& s) const;
  Interval find_pressure(const PumpSupply& supply, MeteringSolution& s) const;
  void fill(const PumpSupply& supply, double P, MeteringSolution& s, std::span<MeteringFlows> flows, PumpFlows& pump) const;

  std::vector<MeteringActuator> actuators_;
  std::vector<MeteringConstants> constants_;
  MeteringPump pump_;
};

}  // namespace trunnion
