// Decay rates of the circuits, pair by pair.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/explicit_limit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trunnion {

ExplicitLimit::ExplicitLimit(const Hydraulics& netlist, bool implicit_quasistatic)
    : netlist_(netlist), capacity_(netlist.unknown_state.size(), 1.0) {
  if (!implicit_quasistatic) return;
  for (const QuasistaticCircuit& q : netlist_.quasistatic)
    for (const QuasistaticPort& port : q.ports)
      capacity_[netlist_.circuits[netlist_.actuators[port.actuator].circuit].offset + port.local] = std::numeric_limits<double>::infinity();
}

ExplicitLimit::Step ExplicitLimit::longest_step(IntegratorKind integrator, const double* s, const double* s_dot, const double* y,
                                                HydraulicState& state) {
  evaluate_slopes(netlist_, s, s_dot, y, nullptr, state);
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
    if (const PressureNode& node = netlist_.nodes[i]; node.state >= 0)
      capacity_[netlist_.circuits[node.circuit].offset + node.local] = state.capacity[i];
  double fastest = 0;
  int worst = -1;
  for (const Circuit& c : netlist_.circuits) {
    const double *T = state.T.data() + c.block, *C = capacity_.data() + c.offset;
    for (int i = 0; i < c.size; ++i)
      for (int j = i; j < c.size; ++j) {
        const double a = T[i * c.size + i] / C[i], b = T[j * c.size + j] / C[j],
                     square = i == j ? 0 : T[i * c.size + j] * T[j * c.size + i] / (C[i] * C[j]);
        const double mu = (a + b + std::sqrt(std::max((a - b) * (a - b) + 4 * square, 0.0))) / 2;
        if (!(mu > fastest)) continue;
        fastest = mu;
        worst = netlist_.unknown_state[c.offset + (b > a ? j : i)];
      }
  }
  for (const ControlBlock& b : netlist_.control) {
    const double mu = fastest_rate(b, s, s_dot, y, state, integrator == IntegratorKind::rk4);
    if (!(mu > fastest)) continue;
    fastest = mu;
    worst = b.output + 1;
  }
  const double bound = integrator == IntegratorKind::rk4 ? kRungeKutta : kEuler;
  return {worst < 0 ? std::numeric_limits<double>::infinity() : bound / fastest, worst};
}

}  // namespace trunnion
