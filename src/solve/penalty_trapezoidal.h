// Monolithic step: penalty-based augmented Lagrangian treatment of the constraints and the implicit trapezoidal rule on the
// whole machine.
//   unknowns  theta (increment of the configuration over the step), y (pressures, friction states)
//   rule      v = 2/h theta - v_n,  a = 4/h^2 theta - 4/h v_n - a_n,  ydot = 2/h (y - y_n) - ydot_n          (A.1)-(A.4)
//   Newton    on  r = 0 (9), R = 0 (38)-(40) with the exact coupled tangent; after every iteration
//             lambda += alpha Phi                                                                            (10)
//   project   v and a onto the constraints in the metric W of the last tangent                               (11), (12)
// Circuits are condensed to their ports before the mechanism is solved (hydraulics/circuit.h).
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), sections 2.1 and 4, appendix A.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "machine/evaluate.h"
#include "solve/stepper.h"

namespace trunnion {

template <int D>
class PenaltyTrapezoidal final : public Stepper {
 public:
  explicit PenaltyTrapezoidal(std::shared_ptr<const Model> model);
  StepReport step(State& state, double h) override;
  bool restart(State& state) override { return consistent_.solve(state, Side::right, work_); }
  std::string unknown_name(int unknown) const override;

 private:
  void begin(const State& state, double h);
  void move();
  void set_rates();
  bool solve_exact();
  bool solve_forward_difference();
  void evaluate_at();
  void add_port_tangent();
  void close_linearised_constraints();
  double apply_increment(StepReport& report);
  bool within_stroke(StepReport& report) const;
  bool project(StepReport& report);
  void remove_constraint_rate(const std::vector<double>& rate, double* x);

  std::shared_ptr<const Model> model_;
  const Mechanism<D>& m_;
  const Hydraulics& h_;
  MachineState<D> work_;
  ConsistentRates<D> consistent_;
  const State* from_ = nullptr;  // the state at its start
  IncrementFactors factors_;     // of the trapezoidal rule
  RateRelation rule_;
  bool local_friction_ = false;
  State next_;                               // the state at the end of the step, as the iterations find it
  std::vector<double> theta_;                // increment of the configuration over the step
  std::vector<double> v_offset_, a_offset_;  // v = 2/h theta + v_offset
  std::vector<double> T_, P_;                // tangent; projection matrix
  std::vector<int> pivot_, projection_pivot_;
  std::vector<double> increment_, correction_;  // of theta; of a projection
  std::vector<double> ds_, dsdot_;              // per port
  std::vector<double> circuit_increment_;       // per circuit unknown
  std::vector<double> tolerance_;               // per circuit unknown
  // scratch of the forward-difference tangent
  std::vector<double> full_, base_mechanism_, base_constraint_, base_circuit_, right_side_, constraint_force_;
  std::vector<int> full_pivot_;
};

}  // namespace trunnion
