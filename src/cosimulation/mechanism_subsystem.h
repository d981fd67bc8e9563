// The mechanism of a machine without its oil: the machine's own mechanism and treatment, its cylinders fed from outside.
//   velocity-force     in: force of each cylinder;                       friction on the hydraulic side: the whole force,
//                      on the mechanical side: the force of the pressures alone
//   velocity-pressure  in: both chamber pressures of each cylinder, A then B
//   out: length, rate and acceleration of each cylinder, one cylinder after the other
// Cylinder laws that belong to the mechanical side (friction, viscous drag, end dampers) stay in it, with the states of their friction;
// with pressures as inputs and on linear oil that is all of them. Every treatment and integrator of the monolithic machine serves here: the
// part is a Model of its own (mechanism_cut.h). Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), sections 2.1
// and 2.3. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "cosimulation/interface_model.h"
#include "cosimulation/subsystem.h"
#include "hydraulics/linear_oil.h"

namespace trunnion {

class MechanismSubsystem : public Subsystem {
 public:
  /// W and b (sizes ports^2, row by row, symmetric; ports) of s_ddot = b + W F at its time, whatever the inputs. Does not allocate.
  /// False where the mass matrix is singular on the constraints and at a dead point.
  virtual bool interface_model(double* W, double* b) = 0;
  /// Net forces [N] of the cylinders on the mechanism at its time, by its own laws and the inputs as they are set.
  virtual void port_forces(double* F) = 0;
  /// On linear oil: over the steps to come the pressures follow `oil`, from the pressures given there. To be called again when its contents
  /// have changed. restore() takes the pressures from there, too.
  virtual void set_linear_oil(const LinearOil* oil) = 0;
};

/// The mechanism of `machine` as its coupling settings cut it, with mechanism_steps_of() steps of its own per communication step.
/// `on_linear_oil`: instead of having inputs it is on linear oil (parallel scheme).
std::unique_ptr<MechanismSubsystem> make_mechanism_subsystem(const std::shared_ptr<const Model>& machine, bool on_linear_oil = false);

}  // namespace trunnion
