// Penalty-based augmented Lagrangian treatment of the constraints in an implicit step.
//   unknowns  theta (increment of the configuration over the step), y (pressures, friction states)
//   rule      v = f_v theta + v_offset,  a = f_a theta + a_offset                              (A.1)-(A.4); machine_step.h
//   Newton    on  r = 0 (9), R = 0 (38)-(40) with the exact coupled tangent; after every linear solve
//             lambda += alpha d,   d = Phi + Phi_theta dtheta: remaining violation of the linearised constraints   (10)
//             `plain`: lambda += alpha Phi at the new positions, once, and neither oil nor constraints are iterated further
//   project   v and a onto the constraints in the metric W of the last tangent, slight violations in the full tangent   (11), (12);
//             lambda consistently, so that it belongs to the projected accelerations (not `plain`); v along the mean of the directions at
//             both ends of the step, trapezoidal rule only: average_directions()
// alpha is a factor per group of constraint rows, set at the first iteration of every step from the stiffness that the group meets
// (mechanics/penalty_factors.h). All solves with a factored matrix use the gradients it was assembled with.
// Circuits are condensed to their ports before the mechanism is solved (hydraulics/circuit.h).
// Sources: Jaiswal, Sopanen, Mikkola 2021 (friction), sections 2.1 and 4, appendix A: numbers above; Jaiswal, Rahikainen, Khadim, Sopanen,
// Mikkola 2021 (formulations), section 2.3: (18)-(21).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "base/newton.h"
#include "base/system_matrix.h"
#include "mechanics/penalty_factors.h"
#include "solve/machine_step.h"
#include "solve/mean_directions.h"

namespace trunnion {

template <int D>
class Penalty {
 public:
  explicit Penalty(MachineStep<D>& step, MatrixStorage storage = MatrixStorage::automatic);
  /// As treatment of a step: see implicit_stepper.h.
  bool restart(StateVector& state) { return step_.restart(state); }
  template <class Attempt>
  StepOutcome repeat(const StateVector& /*state*/, Attempt&& attempt) {
    return attempt();
  }
  bool begin(StepOutcome& report);
  std::optional<double> increment(int iteration, StepOutcome& report);
  NewtonArrival arrive(bool last, bool capped, StepOutcome& report);
  void finish(StepOutcome& report);

 private:
  bool solve_exact();
  bool solve_forward_difference();
  template <class Entries>
  void add_projection_metric(Entries& T);
  template <class Entries>
  void add_rest_of_tangent(Entries& T);
  void set_penalty_factors();
  void add_penalty_forces(const std::vector<double>& violation, double* r);
  void close_linearised_constraints(double* multipliers);
  void add_plain_increments();
  void advance_violations();
  bool end_is_linearisable(double moved) const;
  bool constraints_are_open() const;
  double inertial_energy(double velocity, double acceleration) const;
  double acting_forces() const;
  void find_port_increments();
  double respond_to_forces(const double* dF);
  void add_increment() {
    for (std::size_t i = 0; i < step_.increment.size(); ++i) step_.theta[i] += step_.increment[i];
  }
  double apply_increment(StepOutcome& report);
  bool project(bool moved, StepOutcome& report);
  void list_followed();
  double gain_of(int port) const;
  void add_followed_changes();
  double weighted_square(const std::vector<double>& rows) const;
  void remove_constraint_rate(const SystemMatrix& P, const double* jacobian, const std::vector<double>& rate, double* x);
  void add_multipliers_of(const std::vector<double>& rate, const double* jacobian_q, double divisor, double* multipliers);
  void average_directions(const SystemMatrix& P);

  MachineStep<D>& step_;
  const CompiledModel& model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
  SystemMatrix T_, P_;                 // tangent; metric of the projections, with the penalty where they need it; on one pattern
  std::size_t metric_entries_ = 0;     // of the pattern, before those of the penalty
  bool plain_ = false;                 // solver.multipliers
  PenaltyFactors<D> alpha_;            // per row
  bool alpha_is_set_ = false;          // in this step
  double inertial_forces_ = 0;         // their share of acting_forces(), as predicted
  std::vector<double> K_;              // per velocity: its stiffness without constraints
  std::vector<double> held_, held_q_;  // jacobian and jacobian_q where the matrices were assembled, after the mechanism has moved
  std::vector<double> correction_;     // of a projection
  // of the projections of a step together, see average_directions()
  std::vector<double> impulse_, kick_;  // per row; per velocity
  MeanDirections<D> mean_;
  double moved_ = 0;                       // by the increments since the mechanism was evaluated [rad, of the machine's length]
  bool there_ = false;                     // the end of the step is where the constraints were evaluated
  double response_ = 0;                    // largest increment of the last respond_to_forces()
  std::vector<double> multiplier_change_;  // by the increments of respond_to_forces()
  std::vector<double> left_;               // per row: linearised violations after the increments
  EffectiveMultipliers effective_;
  /// A coordinate that follows a control block: its port, row and velocity, and the circuits' unknown that is its target.
  struct Followed {
    int port, row, v, unknown;
  };
  std::vector<Followed> followed_;
  // scratch of the forward-difference tangent
  std::vector<double> full_, base_, changed_, right_side_;  // rows: mechanism, circuits, and the multipliers' forces apart
  std::vector<int> full_pivot_;
};

}  // namespace trunnion
