// The mechanism of a machine without its oil: same mechanism and constraint treatment, cylinders driven by inputs.
//   velocity-force     in: force of each cylinder;                       friction on the hydraulic side: the total force,
//                                                                        on the mechanical side: the pressure force
//   velocity-pressure  in: both chamber pressures of each cylinder, A then B
//   both               in: force of each load that a control block drives
//   out: length, rate and acceleration of each cylinder, then of each joint coordinate that control blocks read and of each driven load
// Cylinder laws of the mechanical side (friction, viscous drag, end dampers) remain in it, with their friction states; with pressures as
// inputs and on linear oil these are all laws. Every treatment and integrator of the monolithic machine is available: the part is a Model
// (mechanism_cut.h).
// Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), sections 2.1 and 2.3.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "cosimulation/interface_model.h"
#include "cosimulation/subsystem.h"
#include "hydraulics/linear_oil.h"

namespace trunnion {

class MechanismSubsystem : public Subsystem {
 public:
  /// W and b (sizes ports^2, row by row, symmetric; ports) of s_ddot = b + W F at its time, for any inputs. Does not allocate.
  /// False if the mass matrix is singular on the constraints, and at a singular configuration.
  virtual bool interface_model(double* W, double* b) = 0;
  /// Net forces [N] of the ports on the mechanism at its time, by its cylinder laws and current inputs.
  virtual void port_forces(double* F) = 0;
  /// On linear oil: over the next steps the pressures follow `oil`, from its initial pressures. Call again when its contents have changed.
  /// restore() also reads the pressures from there.
  virtual void set_linear_oil(const LinearOil* oil) = 0;
};

/// The mechanism of `machine` by its coupling settings, with mechanism_steps_of() own steps per communication step.
/// `on_linear_oil`: on linear oil instead of with inputs (parallel scheme).
std::unique_ptr<MechanismSubsystem> make_mechanism_subsystem(const std::shared_ptr<const CompiledModel>& machine,
                                                             bool on_linear_oil = false);

}  // namespace trunnion
