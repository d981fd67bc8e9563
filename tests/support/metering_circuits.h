// Random circuits of actuators with independent metering, and the residuals of given pressures and flows in the relations of the circuit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>
#include <string>
#include <vector>

#include "hydraulics/quasistatic/metering_circuit.h"

namespace trunnion::test {

/// A circuit with its inputs, and a load for each actuator.
struct MeteringCase {
  std::vector<MeteringActuator> actuators;
  MeteringPump pump;
  double flow = 0, bleed = 0;
  std::vector<MeteringOpenings> openings;
  std::vector<double> beta, fbar;  // [N s/m], [N]

  MeteringCommand command() const { return {flow, bleed, openings}; }
  MeteringCircuit circuit() const { return {actuators, pump}; }
  /// F_hM + F_rM of actuator j [N].
  double force_scale(std::size_t j) const {
    const MeteringActuator& a = actuators[j];
    return a.area_h * a.relief_h + a.area_r * a.relief_r;
  }
  /// All numbers, for messages.
  std::string text() const;
};

/// The circuit of section 3.4 of the source: lever u_c by (67), bleed opening u_b, 500 L/min.
MeteringCase printed_case(double u_c, double u_b);

/// Number of random cases per property; fewer with sanitizers, which check the code and not the numbers.
int random_cases();

/// Contents of a random case.
struct MeteringKinds {
  int actuators = 1;
  bool regeneration = false;  // some regeneration valves open
  bool degenerate = true;     // some valves, the bleed valve or the pump closed, forces and speeds of zero
};

using Random = std::mt19937_64;
double uniform(Random& random, double lower, double upper);

/// Sizes of machines, areas and pressures in any order: A_r above A_h, P_M below and above P_hM, P_rM.
MeteringCase random_case(Random& random, const MeteringKinds& kinds);

/// Reference speed of actuator j [m/s].
double speed_scale(const MeteringCase& c, std::size_t j);

/// The maximum residual of these quantities in the original relations (39), (91), relative to the pump's flow and the displaced
/// oil, to the pressures, and to the forces. An element's distance from its characteristic is along the nearer axis.
double distance_from_relations(const MeteringCase& c, const std::vector<MeteringFlows>& flows, const PumpFlows& pump);

}  // namespace trunnion::test
