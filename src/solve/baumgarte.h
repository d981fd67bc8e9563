// Index 1 with direct multipliers and stabilised constraints (Baumgarte) in an implicit step.
//   unknowns  theta (increment of the configuration over the step), lambda, y (pressures, friction states)
//   rule      v = f_v theta + v_offset,  a = f_a theta + a_offset; machine_step.h
//   Newton    on  r = M a - Q - F ds/dq + Phi_q^T lambda = 0,   Psi = Phi_ddot + 2 alpha Phi_dot + beta^2 Phi = 0,   R = 0
//             rows that hold for velocities alone: Psi = d(B v)/dt + alpha B v
//   positions theta + delta, J delta = h^2/12 J (a_n - a) for rows that hold for positions, of the trapezoidal rule: they follow
//             the velocities to fourth order, else J v would keep a violation of -h^2/12 J d2v/dt2
//   result    multipliers without the stabilisation's share: those of Phi_ddot = 0
// with the exact tangent, dr and dPsi along (theta, f_v theta, f_a theta) by mechanics/directional_derivative.h, circuits condensed to
// their ports. Rows without a pivot in the partition of the coordinates are redundant: they do not participate and have no multiplier.
// Sources: Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6, (89); Baumgarte 1972.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "base/newton.h"
#include "mechanics/directional_derivative.h"
#include "solve/machine_rates.h"
#include "solve/machine_step.h"

namespace trunnion {

template <int D>
class Baumgarte {
 public:
  explicit Baumgarte(MachineStep<D>& step);
  /// As treatment of a step: see implicit_stepper.h.
  bool restart(StateVector& state) {
    StepOutcome report;
    return step_.loads().agree(state, Side::right, [&] { return rates_.restart(state, report); });
  }
  template <class Attempt>
  StepOutcome repeat(const StateVector& state, Attempt&& attempt) {
    return rates_.step(state, attempt);
  }
  bool begin(StepOutcome& report);
  std::optional<double> increment(int iteration, StepOutcome& report);
  NewtonArrival arrive(bool last, bool capped, StepOutcome& report);
  void finish(StepOutcome& report);

 private:
  void list_rows();
  void evaluate_stabilised();
  void vary(const double* theta, const IncrementFactors& f);
  void assemble();
  void find_advance(const double* increment, double w, double* x);
  void add_advance();
  void follow_velocities();
  bool solve_exact();
  bool solve_forward_difference();
  double apply_increment(StepOutcome& report);
  void take_stabilisation_from_multipliers();

  MachineStep<D>& step_;
  const CompiledModel& model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
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
