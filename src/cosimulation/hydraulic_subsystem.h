// Some circuits of a machine without its mechanism: pressures, spools, control blocks and, where friction belongs to the hydraulic side,
// friction states,
// integrated with a step of their own by
//   euler        y_{n+1} = y_n + h f(t_n, y_n)
//   rk4          the classical Runge-Kutta method of order 4
//   trapezoidal  implicit; Newton's method with exact derivatives (hydraulics/circuit_step.h)
// in: length and rate of each of its cylinders, and of the joint coordinates that its control blocks read and the loads that they drive;
// out: forces of the cylinders (velocity-force: the total force if friction is on the hydraulic side, else the pressure force) or both
// chamber pressures (velocity-pressure), and forces of the loads. Friction and limits of joints belong to the mechanical side.
// With an interface model the inputs are not given but integrated with it, in the same steps and by the same rule:
//   s_dot = w,   w_dot = b(t) + W(t) F(s, w, p, friction);   the oil sees the rate w + rate_offset, the laws of the cylinder see w
// F contains all laws of the port, whichever side they belong to. Friction states of the mechanical side are initialised from the
// machine at restore() and integrated for this purpose; they are not returned.
// Quasistatic circuits of discrete form change at the end of every own step by (72), with the difference quotient of the lengths at its
// ends (hydraulics/quasistatic/quasistatic_circuit.h).
// A communication step is divided into equal own steps. Signals use their right limit at its beginning and their left limit at its end.
// Explicit rules are not limited to their stability bound: beyond it pressures chatter, and a step fails when they leave the valid range.
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
  /// Its ports as ascending indices among those of the machine (coupling_ports); inputs (length, rate) and outputs use this order.
  virtual const std::vector<int>& ports() const = 0;

  /// Sets the interface model for the next steps, in the caller's memory; its s and w are read at the beginning of each step. Null: inputs
  /// as set. Throws Error unless the subsystem has all cylinders of the machine.
  virtual void set_interface_model(const InterfaceModel* model) = 0;
  /// Of the last step, per own cylinder: integrals of the net force F on the mechanism [N s] and of F (t - begin) [N s2], by the rule's
  /// quadrature (rk4: its stage weights; otherwise the trapezoidal rule); integral of the oil's rate [m], by the rule.
  virtual const double* impulse() const = 0;
  virtual const double* impulse_moment() const = 0;
  virtual const double* displacement() const = 0;
  /// Rate [m/s] of the cylinder used by the oil at the end of the last step, per own cylinder; without the model's offset.
  virtual const double* rate() const = 0;
  /// Writes pressure rates at its time and over the next step h, with derivatives, for its own volumes and ports of `oil`; also sets
  /// begin, step and p. Lengths and rates are those of `oil` (s, w), set by the caller. Spools are integrated ahead by the trapezoidal rule
  /// at the own step, where rates and derivatives are exact. No allocation.
  virtual void linearise(double h, LinearOil& oil) = 0;
};

/// The circuits `circuits` (indices in Hydraulics::circuits) of `machine` by its coupling settings, with the integrator (euler, rk4,
/// trapezoidal; none: rk4, or trapezoidal where rk4 is unstable or does not resolve the rates) and maximum step h [s]. Outputs after
/// restore() are those of the inputs set next, then those at the end of each step; restart() uses the last lengths and rates.
std::unique_ptr<HydraulicSubsystem> make_hydraulic_subsystem(const std::shared_ptr<const CompiledModel>& machine,
                                                             const std::vector<int>& circuits, std::optional<IntegratorKind> integrator,
                                                             double h);

}  // namespace trunnion
