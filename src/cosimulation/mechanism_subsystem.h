// The mechanism of a machine without its oil: the machine's own mechanism and treatment, its cylinders fed from outside.
//   velocity-force     in: force of each cylinder;                       friction on the hydraulic side: the whole force,
//                      on the mechanical side: the force of the pressures alone
//   velocity-pressure  in: both chamber pressures of each cylinder
//   out: length, rate and acceleration of each cylinder
// Cylinder laws that belong to the mechanical side (friction, viscous drag, end dampers) stay in it, with the states of their friction.
// Every treatment and integrator of the monolithic machine serves here: the part is a Model of its own, whose pressures are inputs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "cosimulation/interface_model.h"
#include "hydraulics/linear_oil.h"
#include "cosimulation/subsystem.h"

namespace trunnion {

class MechanismSubsystem : public Subsystem {
 public:
  /// W and b (sizes ports^2, ports) at its time for the port forces that act there: b = s_ddot - W F, from the actual acceleration.
  /// False where the mass matrix is singular on the constraints or at a dead point. No allocation.
  virtual bool interface_model(double* W, double* b) = 0;
  /// Net forces [N] of the cylinders on the mechanism at its time, by its own laws and the inputs set.
  virtual void port_forces(double* F) const = 0;
  /// Parallel scheme: over the steps to come the pressures are not inputs but states that follow `oil`, from the pressures given there.
  /// Null: inputs again.
  virtual void set_linear_oil(const LinearOil* oil) = 0;
};

/// The mechanism of `machine` as its coupling settings cut it; `steps` of its own per communication step.
/// `with_linear_oil`: set_linear_oil() will be used.
std::unique_ptr<MechanismSubsystem> make_mechanism_subsystem(const std::shared_ptr<const Model>& machine, bool with_linear_oil = false);

}  // namespace trunnion
