// The variable-step reference: what backward differentiation formulas of high order and tight tolerances say of the machine.
//   cvode   on the reduced equations of the closed machine,          x = (theta_i, theta_ad, v_i, y)
//   ida     on the index-1 equations with stabilised constraints,    x = (theta, v, y, lambda)
// both as machine_rates.h has them. A step of the run is an output: inside, the integrator takes its own steps, none longer than
// solver.step and none across a jump of a signal. theta counts from the configuration where the integrator started; it starts anew after a
// jump, with another partition, where a ball has turned by more than one radian, and from a state that is not the one it left: then
// alone a run that continues from a saved state differs, within the tolerance, from one that went through.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "solve/machine_rates.h"
#include "solve/multistep.h"

namespace trunnion {

template <int D>
class VariableStep final : public Stepper, private FirstOrderSystem {
 public:
  explicit VariableStep(std::shared_ptr<const Model> model);
  StepReport step(State& state, double h) override;
  bool restart(State& state) override;
  std::string unknown_name(int unknown) const override;
  const StepErrors* errors() const override { return &errors_; }

 private:
  bool evaluate(double t, const double* x, const double* x_dot, double* out) override;
  bool start(const State& state, double h);
  bool advance(double t, bool last, StepReport& report);
  void add_errors();
  void give_up(StepReport& report);
  void set_up();
  bool place(double t, Side side, const double* x);
  bool left(const State& state, double h) const;

  MachineRates<D> rates_;
  const MultistepKind kind_;
  const double tolerance_;
  std::vector<int> states_;                  // y that are integrated: all but spools that are their signals
  std::vector<int> positions_, velocities_;  // that are integrated
  std::vector<int> rows_;                    // ida: constraint rows that take part
  std::unique_ptr<Multistep> integrator_;
  State at_, left_;              // of the last evaluation; what the last step handed out
  bool fresh_ = true;            // the integrator has to start anew
  double begin_ = 0, stop_ = 0;  // [s] where the integrator started, and the jump where it stops
  std::vector<double> origin_;   // configuration where theta is zero
  std::vector<double> theta_, rates_of_theta_, r_, constraint_;
  std::vector<double> partition_;  // that the integrator started with, without signs
  StepReport inside_;              // of the last evaluation; counts position iterations
  StepReport trouble_;             // of the last evaluation of the step that was not possible: what an integrator fails of
  StepErrors errors_;
  std::string failure_;
};

}  // namespace trunnion
