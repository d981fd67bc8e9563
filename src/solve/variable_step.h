// The variable-step reference: backward differentiation formulas of high order with tight tolerances.
//   cvode   on the reduced equations of the closed machine,          x = (theta_i, theta_ad, v_i, y)
//   ida     on the index-1 equations with stabilised constraints,    x = (theta, v, y, lambda)
// both as in machine_rates.h. A step of the run is an output: the integrator takes its own internal steps, none longer than solver.step
// and none across a jump of a signal. theta is relative to the configuration at which the integrator started; it restarts after a jump,
// with another partition, when a spherical joint has rotated by more than one radian, and from a state that is not its own result. Only
// in the last case does a run continued from a saved state differ, within the tolerance, from an uninterrupted one.
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
  explicit VariableStep(std::shared_ptr<const CompiledModel> model);
  StepOutcome step(StateVector& state, double h) override;
  bool restart(StateVector& state) override;
  std::string unknown_name(int unknown) const override;
  const StepErrors* errors() const override { return &errors_; }

 private:
  bool evaluate(double t, const double* x, const double* x_dot, double* out) override;
  bool start(const StateVector& state, double h);
  bool advance(double t, bool last, StepOutcome& report);
  void add_errors();
  void give_up(StepOutcome& report);
  void set_up();
  bool place(double t, Side side, const double* x);
  bool left(const StateVector& state, double h) const;

  MachineRates<D> rates_;
  const MultistepKind kind_;
  const double tolerance_;
  std::vector<int> states_;                  // integrated y: all except spools that equal their signals
  std::vector<int> positions_, velocities_;  // integrated ones
  std::vector<int> rows_;                    // ida: participating constraint rows
  std::unique_ptr<Multistep> integrator_;
  StateVector at_, left_;        // of the last evaluation; result of the last step
  bool fresh_ = true;            // the integrator must be restarted
  double begin_ = 0, stop_ = 0;  // [s] where the integrator started, and the jump where it stops
  std::vector<double> origin_;   // configuration where theta is zero
  std::vector<double> theta_, rates_of_theta_, r_, constraint_;
  std::vector<double> partition_;  // partition at the integrator's start, without signs
  StepOutcome inside_;             // of the last evaluation; counts position iterations
  StepOutcome trouble_;            // of the last failed evaluation of the step: cause of an integrator failure
  StepErrors errors_;
  std::string failure_;
};

}  // namespace trunnion
