// Coordinate partitioning (double-step) in an implicit step.
//   unknowns  theta_i (increments of the independent coordinates over the step), y (pressures, friction states); theta_ad of
//             coordinates whose velocities follow from velocity-level constraints
//   rule      on theta_i and y as in machine_step.h, (32)-(34)
//   closure   theta_d from Phi = 0, v_d, v_ad, a_d, a_ad from the constraints' rates, at every iterate        (14), (15)
//   Newton    on R^T (M a - Q) = 0, R = 0 with the exact tangent                                         (17), (35), (37)-(39)
//             and on theta_ad - (v_ad - v_offset) / f_v = 0, the rule for given velocities
// The tangent: with lambda such that r + Phi_q^T lambda vanishes in the dependent coordinates,
//   d(R^T r) = R^T (dr + d(Phi_q^T) lambda),   dr along the change of all coordinates (closed_loops.h)
// so that the derivative of R needs no separate term. The mechanism's part (geometry and inertia, smooth) is computed once a step
// and again only if the iteration converges slowly; that of oil and friction is updated in every iteration.
// Source: Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations), sections 2.2 and 4.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "base/newton.h"
#include "solve/closed_loops.h"
#include "solve/machine_step.h"
#include "solve/partition_keeper.h"

namespace trunnion {

template <int D>
class DoubleStep {
 public:
  explicit DoubleStep(MachineStep<D>& step);
  /// As treatment of a step: see implicit_stepper.h.
  bool restart(StateVector& state) { return step_.restart(state); }
  template <class Attempt>
  StepOutcome repeat(const StateVector& state, Attempt&& attempt) {
    return keeper_.step(state, step_.work.mechanism, attempt);
  }
  bool begin(StepOutcome& report);
  std::optional<double> increment(int iteration, StepOutcome& report);
  NewtonArrival arrive(bool last, bool capped, StepOutcome& report);
  void finish(StepOutcome& report);

 private:
  void make_room();
  bool close(bool to_rounding, StepOutcome& report);
  void set_dependent_rates();
  void evaluate_reduced();
  bool solve_exact(bool fresh);
  void update_tangent();
  template <class S>
  void update_columns(DirectionalDerivative<D, S>& variation, typename ClosedLoops<D>::template Columns<S>& columns, std::vector<S>& dr);
  void add_port_forces_of(int k);
  void kinematic_residuals(double* e) const;
  bool solve_forward_difference();
  void find_port_increments();
  void add_port_forces(const double* dF, double* dr) const;
  double respond_to_forces(const double* dF);
  void advance_residual();
  double apply_increment(StepOutcome& report);

  MachineStep<D>& step_;
  const CompiledModel& model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
  ClosedLoops<D> loops_;
  PartitionKeeper<D> keeper_;
  // sweeps along one unknown increment, along four
  DirectionalDerivative<D> variation_;
  DirectionalDerivative<D, Pack<4>> variation4_;
  typename ClosedLoops<D>::Column column_;
  typename ClosedLoops<D>::template Columns<Pack<4>> column4_;
  std::vector<double> dr1_;
  std::vector<Pack<4>> dr4_;
  std::vector<double> response_;
  double fit_ = 0;                                // largest entry of R
  std::vector<double> dr_mechanism_;              // per unknown increment: change of r at constant port forces
  std::vector<double> dr_;                        // and with changing ones
  std::vector<double> de_;                        // change of the kinematic residuals
  std::vector<double> ds_column_, dsdot_column_;  // per unknown increment and port
  std::vector<double> G_, g_;                     // reduced tangent, a column of it
  std::vector<int> pivot_;
  // scratch of the forward-difference tangent
  std::vector<double> full_, base_, changed_, theta_kept_;
  std::vector<int> full_pivot_;
};

}  // namespace trunnion
