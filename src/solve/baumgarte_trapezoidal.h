// Monolithic step: index 1 with direct multipliers and stabilised constraints (Baumgarte), and the implicit trapezoidal rule on the
// whole machine.
//   unknowns  theta (increment of the configuration over the step), lambda, y (pressures, friction states)
//   rule      v = 2/h theta - v_n,  a = 4/h^2 theta - 4/h v_n - a_n,  ydot = 2/h (y - y_n) - ydot_n
//   Newton    on  r = M a - Q - F ds/dq + Phi_q^T lambda = 0,   Psi = Phi_ddot + 2 alpha Phi_dot + beta^2 Phi = 0,   R = 0
//             rows that hold for velocities alone: Psi = d(B v)/dt + alpha B v
//   positions theta + delta, J delta = h^2/12 J (a_n - a) for rows that hold for positions: in the constraints' directions they follow
//             the velocities to fourth order, else J v would keep a violation of -h^2/12 J d2v/dt2
//   result    multipliers without the stabilisation's share: those of Phi_ddot = 0
// with the exact tangent, dr and dPsi along (theta, 2/h theta, 4/h^2 theta) by mechanics/directional_derivative.h, circuits condensed to
// their ports. Rows without a pivot in the partition of the coordinates are redundant: they do not participate and have no multiplier.
// Sources: Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6, (89); Baumgarte 1972.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mechanics/directional_derivative.h"
#include "solve/machine_rates.h"
#include "solve/monolithic_trapezoidal.h"

namespace trunnion {

template <int D>
class BaumgarteTrapezoidal final : public MonolithicTrapezoidal<D> {
 public:
  explicit BaumgarteTrapezoidal(std::shared_ptr<const CompiledModel> model);
  StepOutcome step(StateVector& state, double h) override;
  bool restart(StateVector& state) override;

 private:
  using Base = MonolithicTrapezoidal<D>;
  using Base::a_offset_;
  using Base::circuit_increment_;
  using Base::ds_;
  using Base::dsdot_;
  using Base::factors_;
  using Base::from_;
  using Base::increment_;
  using Base::m_;
  using Base::model_;
  using Base::netlist_;
  using Base::next_;
  using Base::theta_;
  using Base::v_offset_;
  using Base::work_;

  StepOutcome attempt(const StateVector& state, double h);
  void list_rows();
  void evaluate_stabilised();
  void vary(const double* theta, const IncrementFactors& f);
  void assemble();
  void find_advance(const double* increment, double w, double* x);
  void add_advance();
  bool solve_exact();
  bool solve_forward_difference();
  double apply_increment(StepOutcome& report);
  void take_stabilisation_from_multipliers();

  MachineRates<D> rates_;
  DirectionalDerivative<D> variation_;
  std::vector<int> rows_;           // participating rows of Phi
  std::vector<double> partition_;   // of the step
  std::vector<int> groups_;         // of rows: all
  std::vector<double> psi_, dpsi_;  // per row: Psi and its change
  std::vector<double> K_, x_;       // tangent of (r, Psi), right side
  double w_ = 1;                    // factor of the rows of Psi in them
  std::vector<double> column_, v_, a_, dr_;
  std::vector<double> advance_;                 // increments of positions alone
  std::vector<double> advanced_;                // per row: J times those of the step
  std::vector<double> ds_ahead_, dsdot_ahead_;  // of the ports by advance_
  std::vector<int> pivot_;
  // scratch of the forward-difference tangent
  std::vector<double> full_, base_, changed_;
  std::vector<int> full_pivot_;
};

}  // namespace trunnion
