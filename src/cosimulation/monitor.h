// What goes through the border between mechanism and oil, and what the coupling adds to it or takes away. At a communication point a power
// bond has the effort y (a force) of the oil and the rate w of the mechanism; each side worked with what it was told of the other, u_y and
// u_w at the end of its step:
//   power       P  = y w
//   residual    dP = -(P_1 + P_2) = y u_w - u_y w               (17)-(21), P_1 = u_y w into the mechanism, P_2 = -y u_w
//   energy      dE += H/2 (dP_n + dP_{n+1})                     (22), (24), with the sign of (21)
// A residual that is positive is energy that the mechanism lacks. Pressures are multiplied by their areas, so that all of it is in W and J:
//   velocity-force     one bond per cylinder, y = F
//   velocity-pressure  two, y = p_A A_A and y = -p_B A_B
//
// Verdict. Residuals of a sound coupling are of the order of the extrapolation, small beside the power that goes through; when it becomes
// unstable they oscillate from one communication point to the next and are as large as the power itself. Compared are their means over the
// recent past (first-order filters with the time constant kMemory), the power with a floor of kFloor of the largest so far, so that rest
// and reversals are no reason:
//   ratio = mean |dP| / (mean |P| + kFloor P_max + P_rest);   lost: ratio > kLost
// P_rest = kRest sum |y| s is the power at rates that count as rest, kRest of a cylinder's length in a second.
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
  double effort_used = 0;  // [N] that the mechanism worked with
  double rate_used = 0;    // [m/s] that the oil worked with
  double length = 0;       // [m] of the cylinder
};

/// Adds a communication step of length h [s] that ends at `time` to the monitors in `memory`.
void add_to_monitors(const CouplingMemory& layout, double* memory, const BondSample* bonds, double time, double h);
/// The powers at a point to which no step led.
void begin_monitors(const CouplingMemory& layout, double* memory, const BondSample* bonds);

/// `lift.coupling_power_residual`, ...; empty for a model that is not co-simulated.
std::vector<Channel> monitor_channels(const Model& model);
/// Their values at a state, as many.
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
/// From a state on the way; nothing for a model that is not co-simulated.
std::optional<CouplingReport> coupling_report(const Model& model, const double* memory);

}  // namespace trunnion
