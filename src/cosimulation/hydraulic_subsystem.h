// Some circuits of a machine without its mechanism: pressures, spools and, where friction belongs to the hydraulic side, friction states,
// integrated with a step of their own by
//   euler        y_{n+1} = y_n + h f(t_n, y_n)
//   rk4          the classical Runge-Kutta method of order 4
//   trapezoidal  implicit; Newton's method with exact derivatives (hydraulics/circuit_trapezoidal.h)
// in: length and rate of each of its cylinders; out: their forces (velocity-force: all of it where friction is on the hydraulic side, else
// that of the pressures) or both their chamber pressures (velocity-pressure).
// With an interface model the inputs are integrated with it, in the same steps and by the same rule, instead of being given:
//   s_dot = w,   w_dot = b(t) + W(t) F(s, w, p, friction);   the oil sees the rate w + rate_offset, the laws of the cylinder see w
// F has all laws of the cylinder, whichever side they belong to. Friction states of the mechanical side start from those of the machine at
// restore() and are integrated along for it; they are not handed back.
// A communication step is divided into equal own steps. Signals count with their right limit at its beginning, their left one at its end.
// Explicit rules are not held to their stability bound: beyond it pressures chatter; a step fails where they leave the range of a machine.
// Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), sections 2.2, 2.3.1 and 3.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "cosimulation/interface_model.h"
#include "cosimulation/subsystem.h"
#include "hydraulics/linear_oil.h"

namespace trunnion {

class HydraulicSubsystem : public Subsystem {
 public:
  /// Its cylinders as indices in Hydraulics::actuators of the machine, ascending; inputs (length, rate) and outputs follow in this order.
  virtual const std::vector<int>& ports() const = 0;

  /// The interface model over the steps to come, in the caller's memory; its s and w are taken at the beginning of each step. Null: inputs
  /// as set. Throws Error unless the subsystem has all cylinders of the machine.
  virtual void set_interface_model(const InterfaceModel* model) = 0;
  /// Of the last step, per own cylinder: integral of the net force F on the mechanism [N s], of F (t - begin) [N s2], by the rule's own
  /// quadrature (rk4: weights of its stages; otherwise the trapezoidal rule); integral of the rate that the oil saw [m], by the rule.
  virtual const double* impulse() const = 0;
  virtual const double* impulse_moment() const = 0;
  virtual const double* displacement() const = 0;
  /// The rate [m/s] of the cylinder as the oil knew it at the end of the last step, per own cylinder; without the model's offset.
  virtual const double* rate() const = 0;
  /// Its pressure rates at its time and over a step h to come, with their derivatives, into its own volumes and ports of `oil`; sets begin,
  /// step and p, too. Lengths and rates are those of `oil` (s, w), set by the caller. Spools run ahead by the trapezoidal rule at the own
  /// step; rates and derivatives are exact there. No allocation.
  virtual void linearise(double h, LinearOil& oil) = 0;
};

/// The circuits `circuits` (indices in Hydraulics::circuits) of `machine` by its coupling settings, with the integrator (euler, rk4,
/// trapezoidal; none: rk4, and trapezoidal where that is unstable) and largest step h [s]. Outputs after restore() are those of the inputs
/// set next, then those at the end of each step; restart() takes lengths and rates as they were seen last.
std::unique_ptr<HydraulicSubsystem> make_hydraulic_subsystem(const std::shared_ptr<const Model>& machine, const std::vector<int>& circuits,
                                                             std::optional<IntegratorKind> integrator, double h);

}  // namespace trunnion
