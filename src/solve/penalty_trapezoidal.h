// Monolithic step: penalty-based augmented Lagrangian treatment of the constraints and the implicit trapezoidal rule on the
// whole machine.
//   unknowns  theta (increment of the configuration over the step), y (pressures, friction states)
//   rule      v = 2/h theta - v_n,  a = 4/h^2 theta - 4/h v_n - a_n,  ydot = 2/h (y - y_n) - ydot_n          (A.1)-(A.4)
//   Newton    on  r = 0 (9), R = 0 (38)-(40) with the exact coupled tangent; after every iteration
//             lambda += alpha Phi                                                                            (10)
//   project   v and a onto the constraints in the metric W of the last tangent, slight violations in all of it   (11), (12)
// Circuits are condensed to their ports before the mechanism is solved (hydraulics/circuit.h).
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), sections 2.1 and 4, appendix A.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/system_matrix.h"
#include "solve/monolithic_trapezoidal.h"

namespace trunnion {

template <int D>
class PenaltyTrapezoidal final : public MonolithicTrapezoidal<D> {
 public:
  explicit PenaltyTrapezoidal(std::shared_ptr<const Model> model, MatrixStorage storage = MatrixStorage::automatic);
  StepReport step(State& state, double h) override;

 private:
  using Base = MonolithicTrapezoidal<D>;
  using Base::circuit_increment_;
  using Base::circuits_;
  using Base::ds_;
  using Base::dsdot_;
  using Base::factors_;
  using Base::h_;
  using Base::increment_;
  using Base::kSmall;
  using Base::largest_position_increment_;
  using Base::m_;
  using Base::model_;
  using Base::next_;
  using Base::theta_;
  using Base::work_;

  bool solve_exact();
  bool solve_forward_difference();
  template <class Entries>
  void add_projection_matrix(Entries& T);
  template <class Entries>
  void add_rest_of_tangent(Entries& T);
  void close_linearised_constraints(int least, double* multipliers);
  void advance_violations();
  bool is_there(double moved) const;
  void find_port_increments();
  void respond_to_forces(const double* dF);
  void add_increment() {
    for (std::size_t i = 0; i < increment_.size(); ++i) theta_[i] += increment_[i];
  }
  double apply_increment(StepReport& report);
  bool project(StepReport& report);
  void remove_constraint_rate(const SystemMatrix& P, const std::vector<double>& rate, double* x);

  SystemMatrix T_, P_;                     // tangent; projection matrix, on the same pattern
  std::vector<double> correction_;         // of a projection
  std::vector<double> multiplier_change_;  // by the increments of respond_to_forces()
  std::vector<double> left_;               // per row: what the increments leave of the violations, linearised
  // scratch of the forward-difference tangent
  std::vector<double> full_, base_mechanism_, base_constraint_, base_circuit_, right_side_, constraint_force_;
  std::vector<int> full_pivot_;
};

}  // namespace trunnion
