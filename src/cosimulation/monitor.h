// Power transferred between mechanism and oil, and the error of the coupling. At a communication point a power bond has the effort y (a
// force) of the oil and the rate w of the mechanism; each side has computed with its input for the other's, u_y and u_w at the end of its
// step:
//   power       P  = y w
//   residual    dP = -(P_1 + P_2) = y u_w - u_y w               (16)-(21), P_1 = u_y w into the mechanism, P_2 = -y u_w
//   energy      dE += H/2 (dP_n + dP_{n+1})                     (22), (24), with the sign of (21); ResidualRule::trapezoidal
//               dE += H dP_{n+1}                                (23), for m = 0; ResidualRule::rectangular
// A positive residual is energy missing in the mechanism. Pressures are multiplied by their areas, so that all powers are in W and J:
//   velocity-force     one bond per cylinder, y = F
//   velocity-pressure  two, y = p_A A_A and y = -p_B A_B
//   both               one per load that a control block drives, y its force; what control blocks read exchanges no power
//
// Verdict. Residuals of a sound coupling are of the order of the extrapolation, small relative to the transferred power; in an unstable
// one they oscillate from one communication point to the next and are as large as the power itself. Their recent means are compared
// (first-order filters with the time constant kMemory), the power with a floor of kFloor of its maximum so far, so that rest and
// reversals do not trigger:
//   ratio = mean |dP| / (mean |P| + kFloor P_max + P_rest);   lost: ratio > kLost
// P_rest = kRest sum |y| s is the power at rates considered rest: kRest of a cylinder's length per second.
//
// Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), section 2.3.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/observe.h"
#include "model/coupling_memory.h"

namespace trunnion {

/// A power bond at a communication point; efforts as forces along the line of the cylinder.
struct BondSample {
  double effort = 0;       // [N] of the oil
  double rate = 0;         // [m/s] of the mechanism
  double effort_used = 0;  // [N] used by the mechanism
  double rate_used = 0;    // [m/s] used by the oil
  double length = 0;       // [m] of the cylinder
};

/// Adds a communication step of length h [s] that ends at `time` to the monitors in `memory`.
void add_to_monitors(const CouplingMemory& layout, double* memory, const BondSample* bonds, double time, double h, ResidualRule rule);
/// The powers at a point that no step led to.
void begin_monitors(const CouplingMemory& layout, double* memory, const BondSample* bonds);

/// `lift.coupling_power_residual`, ...; empty for a model that is not co-simulated.
std::vector<Channel> monitor_channels(const CompiledModel& model);
/// Their values at a state, in the same order.
void monitor_values(const CouplingMemory& layout, const double* memory, double* values);

/// Figures of a run's coupling.
struct CouplingReport {
  struct Bond {
    std::string name;        // lift, or lift.A and lift.B
    double residual_energy;  // [J]
    double absolute_energy;  // [J]
    double work;             // [J]
  };
  std::vector<Bond> bonds;
  long steps = 0;              // communication steps
  double passes = 0;           // of the subsystems per step, mean
  double residual_energy = 0;  // [J] of all bonds
  double absolute_energy = 0;  // [J]
  double work = 0;             // [J]
  double worst_ratio = 0;      // of the verdict
  std::optional<double> lost;  // [s] when coupling accuracy was lost
};
/// From an intermediate state; nothing for a model that is not co-simulated.
std::optional<CouplingReport> coupling_report(const CompiledModel& model, const double* memory);

}  // namespace trunnion
