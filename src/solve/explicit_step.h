// Explicit steps of fixed length on the machine as an ordinary differential equation (machine_rates.h), z = (theta, v, y):
//   euler                z_{n+1} = z_n + h z'_n
//   semi_implicit_euler  v_{n+1} = v_n + h a_n,   theta = h v_{n+1},   y_{n+1} = y_n + h ydot(theta, v_{n+1}, y_n)
//   rk4                  the classical Runge-Kutta method of order 4; its first stage is the initial state
// and for a quasistatic differential circuit  p_{n+1} = p_n + h p_dot(theta, v_{n+1}, p_{n+1}): with p one step behind the lengths the
// force error would be K h l_dot.
// y are all first-order states: pressures, friction states, including locally integrated ones, and spools. Increments theta of spherical
// joints start from zero in every step, with theta' = T(theta)^-1 v. a, ydot and multipliers are those of the end of the step.
// Each step ends with a stability check for the circuits alone (hydraulics/explicit_limit.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/explicit_limit.h"
#include "solve/machine_rates.h"

namespace trunnion {

template <int D>
class ExplicitStep final : public Stepper {
 public:
  explicit ExplicitStep(std::shared_ptr<const CompiledModel> model);
  StepOutcome step(StateVector& state, double h) override;
  bool restart(StateVector& state) override;
  std::string unknown_name(int unknown) const override { return name_of_unknown(rates_.model(), unknown); }
  /// The next steps also write the states of their stages after the first, the last one the end, as many as the list holds; null: none.
  void record_stages(std::vector<StateVector>* stages) { stages_ = stages; }

 private:
  /// A rate of (theta, v, y).
  struct Slope {
    std::vector<double> theta, v, y;
  };
  StepOutcome attempt(const StateVector& state, double h);
  bool euler(const StateVector& state, double h, StepOutcome& report);
  bool semi_implicit_euler(const StateVector& state, double h, StepOutcome& report);
  bool rk4(const StateVector& state, double h, StepOutcome& report);
  bool within_range(StepOutcome& report) const;
  bool stage(const StateVector& from, double h, bool end, StepOutcome& report);
  void move(const StateVector& from, double h, const Slope& slope);
  bool stable(double h, StepOutcome& report);
  void take_slope(const StateVector& at, Slope& slope) const;

  MachineRates<D> rates_;
  const IntegratorKind integrator_;
  StateVector next_;
  std::vector<double> theta_;  // increment of the configuration over the step
  ExplicitLimit limit_;
  Slope slope_, sum_;
  std::vector<StateVector>* stages_ = nullptr;
  std::size_t recorded_ = 0;
};

}  // namespace trunnion
