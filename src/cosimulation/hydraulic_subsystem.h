// Some circuits of a machine without its mechanism: pressures, spools and, where friction belongs to the hydraulic side, friction states,
// integrated with a step of their own by
//   euler        y_{n+1} = y_n + h f(t_n, y_n)
//   rk4          the classical Runge-Kutta method of order 4
//   trapezoidal  implicit; Newton's method with exact derivatives
// in: length and rate of each of its cylinders; out: their forces (velocity-force) or both their chamber pressures (velocity-pressure).
// With an interface model the inputs are integrated with it, in the same steps and by the same rule, instead of being given.
// Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), sections 2.2, 2.3.1 and 3.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "cosimulation/interface_model.h"
#include "hydraulics/linear_oil.h"
#include "cosimulation/subsystem.h"

namespace trunnion {

class HydraulicSubsystem : public Subsystem {
 public:
  /// Its cylinders as indices in Hydraulics::actuators of the machine, ascending; inputs and outputs follow in this order.
  virtual const std::vector<int>& ports() const = 0;

  /// The interface model over the steps to come (all ports of the machine; its own must be all of them); null: inputs as set.
  virtual void set_interface_model(const InterfaceModel* model) = 0;
  /// Of the last step, per own cylinder: integral of the net force F on the mechanism [N s], of F (t - begin) [N s2], and of the rate that
  /// the oil saw [m]. All laws of the cylinder are in F, whichever side they belong to.
  virtual const double* impulse() const = 0;
  virtual const double* impulse_moment() const = 0;
  virtual const double* displacement() const = 0;
  /// The rate [m/s] of the cylinder as the oil knew it at the end of the last step, per own cylinder; without the model's offset.
  virtual const double* rate() const = 0;
  /// Directional derivatives of its pressure rates at its time and over a step h to come, into its own volumes and ports of `oil`.
  /// Lengths and rates are those of `oil` (s, w), set by the caller.
  virtual void linearise(double h, LinearOil& oil) = 0;
};

/// The circuits `circuits` (indices in Hydraulics::circuits) of `machine` by its coupling settings, with the integrator and largest step h.
std::unique_ptr<HydraulicSubsystem> make_hydraulic_subsystem(const std::shared_ptr<const Model>& machine, const std::vector<int>& circuits,
                                                             IntegratorKind integrator, double h);

}  // namespace trunnion
