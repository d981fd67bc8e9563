// What every monolithic step with the implicit trapezoidal rule shares, whatever its treatment of the constraints:
//   rule       v = 2/h theta - v_n,  a = 4/h^2 theta - 4/h v_n - a_n,  ydot = 2/h (y - y_n) - ydot_n
//   predictor  theta = h v_n + h^2/2 a_n,  y = y_n + h ydot_n; spools run ahead
//   circuits   condensed to their ports, their unknowns recovered after the mechanism's (hydraulics/circuit_trapezoidal.h)
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 4, appendix A.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/circuit_trapezoidal.h"
#include "machine/evaluate.h"
#include "solve/stepper.h"

namespace trunnion {

template <int D>
class MonolithicTrapezoidal : public Stepper {
 public:
  bool restart(State& state) override { return consistent_.solve(state, Side::right, work_); }
  std::string unknown_name(int unknown) const override { return name_of_unknown(*model_, unknown); }

 protected:
  explicit MonolithicTrapezoidal(std::shared_ptr<const Model> model);
  void begin(const State& state, double h);
  void move();
  void set_rates();
  void set_circuit_rates() { circuits_.set_rates(work_.hydraulics); }
  void evaluate_at(double penalty);
  Point end_point() { return {next_.q(), next_.v(), next_.a(), next_.y(), next_.ydot(), next_.multipliers()}; }
  bool condense_ports() { return circuits_.condense_ports(work_.hydraulics); }
  void add_port_residuals();
  void add_port_force_change(const double* ds, const double* dsdot, double* dr) const;
  void eliminate_circuits();
  void apply_circuit_increment(StepReport& report, double& largest);
  bool within_stroke(StepReport& report) const {
    return pistons_inside(*model_, work_.mechanism.s.data(), report) &&
           wheels_stand(*model_, fallen_wheel(m_, work_.mechanism, circuits_.rule().step), report);
  }
  void finish_oil();
  static void raise(double scaled, int unknown, StepReport& report, double& largest) {
    if (scaled <= largest) return;  // a number that is none raises, too
    largest = scaled;
    report.worst = unknown;
  }

  std::shared_ptr<const Model> model_;
  const Mechanism<D>& m_;
  const Hydraulics& h_;
  MachineState<D> work_;
  const State* from_ = nullptr;  // the state at its start
  IncrementFactors factors_;     // of the trapezoidal rule
  CircuitTrapezoidal circuits_;
  State next_;                               // the state at the end of the step, as the iterations find it
  std::vector<double> theta_;                // increment of the configuration over the step
  std::vector<double> v_offset_, a_offset_;  // v = 2/h theta + v_offset
  std::vector<double> increment_;            // of theta
  std::vector<double> ds_, dsdot_;           // per port
  std::vector<double> circuit_increment_;    // per circuit unknown

 private:
  ConsistentRates<D> consistent_;
};

}  // namespace trunnion
