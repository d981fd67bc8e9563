// Memory of a co-simulation between communication points, in StateVector::coupling(): the last communication points, for extrapolation and
// the interface model; the volume defect of every port; the monitors of the power bonds. Plain numbers, saved with the state.
// Ports, in this order: pistons; joint coordinates that control blocks read, which exchange no power; loads that control blocks drive.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "description/description.h"

namespace trunnion {

struct CompiledModel;
struct Hydraulics;

/// Whether pressures are exchanged between mechanism and hydraulics (velocity-pressure); otherwise forces. The schemes sequential and
/// parallel exchange forces.
bool exchanges_pressures(const CosimulationDescription& coupling);

/// Layout of the array.
struct CouplingMemory {
  static constexpr int kPoints = 5;  // stored communication points: order 3 requires four; one may be too close to the next
  static constexpr int kMotion = 3;  // of a port: length [m], rate [m/s], acceleration [m/s2]

  CouplingMemory(int piston_count, bool exchange_pressures, int reading_count = 0, int load_count = 0)
      : ports(piston_count + reading_count + load_count), pistons(piston_count), loads(load_count), efforts(exchange_pressures ? 2 : 1) {}

  int ports, pistons, loads;
  int efforts;  // exchanged per piston: its force [N], or both chamber pressures [Pa]; equals the number of its power bonds; a load has one

  // single numbers
  enum Number {
    points,           // valid, newest first
    next_step,        // [s] proposed by step control; 0: none yet
    steps,            // communication steps done
    passes,           // of subsystems through communication steps
    power_scale,      // [W] maximum sum of the bonds' magnitudes to date
    residual_power,   // [W] sum over bonds of the residual, signed
    residual_energy,  // [J] its integral
    absolute_energy,  // [J] sum over bonds and steps of |residual energy|
    work,             // [J] integral of the bonds' magnitudes
    recent_residual,  // [W] mean over the recent past of the residuals' magnitudes
    recent_power,     // [W] and of the bonds'
    lost,             // 0, or 1: coupling accuracy was lost
    lost_time,        // [s] when
    ratio,            // of the verdict: recent residuals over recent power
    worst_ratio,      // its maximum
    numbers,
  };

  // bonds: of pistons, then of loads
  int bonds() const { return pistons * efforts + loads; }
  int first_bond(int port) const { return std::min(port, pistons) * efforts + std::max(port - (ports - loads), 0); }
  int bonds_of(int port) const { return first_bond(port + 1) - first_bond(port); }
  int port_of(int bond) const { return bond < pistons * efforts ? bond / efforts : ports - bonds() + bond; }

  /// A communication point: its time, then per port motion and efforts, then W and b of the interface model.
  int point_size() const { return b() + ports; }
  int point(int i) const { return numbers + i * point_size(); }
  // indices in a point
  int motion(int port) const { return 1 + port * kMotion + first_bond(port); }
  int effort(int bond) const { return 1 + (port_of(bond) + 1) * kMotion + bond; }
  int W() const { return motion(ports); }
  int b() const { return W() + ports * ports; }
  /// Per port: motion of the piston in the mechanism since the start minus that in the hydraulics [m].
  int defect() const { return point(kPoints); }

  /// A power bond: of a force with the rate, or of a chamber's force on the piston with the rate.
  struct Bond {
    double power;            // [W] at the last communication point, by the outputs
    double residual_power;   // [W] of the last step's end
    double residual_energy;  // [J] since the start
    double absolute_energy;  // [J] sum of the magnitudes of the steps
    double work;             // [J] integral of the magnitude of the power
  };
  static constexpr int kBond = 5;
  int bond(int i) const { return defect() + ports + kBond * i; }
  int size() const { return bond(bonds()); }
};

/// Indices in Hydraulics::actuators of the ports between mechanism and hydraulics, ascending.
std::vector<int> coupling_ports(const Hydraulics& netlist);

/// The memory of the model's co-simulation.
CouplingMemory coupling_memory(const CompiledModel& model);

/// Which circuits (Hydraulics::circuits) form each hydraulic subsystem: those combined in coupling.subsystems, every other one separately;
/// a single one if the hydraulics are integrated together with the interface model of all ports.
struct HydraulicGroup {
  std::string name;  // of the subsystem, or of a volume or cylinder in its circuit
  std::vector<int> circuits;
  const SubsystemDescription* settings = nullptr;  // null: those of all
};
/// Throws InputError if a circuit belongs to two subsystems.
std::vector<HydraulicGroup> hydraulic_groups(const CompiledModel& model);

}  // namespace trunnion
