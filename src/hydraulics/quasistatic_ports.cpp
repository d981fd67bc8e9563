// Quasistatic circuits in a netlist: commands, forces, states and derivatives of their ports.
// Source: paper "nonsmooth quasistatic hydraulics", sections 4.1 and 6.2.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "hydraulics/circuit_rows.h"
#include "hydraulics/quasistatic/command_error.h"

namespace trunnion {

namespace {

template <class S>
void add_oil_force(const S& force, PortForces<S>& port) {
  port.oil += force;
  port.force += force;
}

/// Throws for openings that are not admissible (metering_actuator.h) or an invalid flow of the pump.
[[noreturn]] void refuse(const Hydraulics& netlist, const QuasistaticCircuit& q, const QuasistaticWork& work) {
  const std::string circuit = "quasistatic." + q.name;
  for (std::size_t j = 0; j < q.ports.size(); ++j) {
    const MeteringOpenings& u = work.openings[j];
    if (admissible(u)) continue;
    struct Valve {
      const char* name;
      double opening;
    };
    const Valve P_A{"P_A", u.ph}, B_T{"B_T", u.tr}, P_B{"P_B", u.pr}, A_T{"A_T", u.th}, B_A{"B_A", u.a};
    const std::string place = circuit + ".actuators." + netlist.actuators[q.ports[j].actuator].name;
    const std::pair<Valve, Valve> pairs[] = {{P_A, A_T}, {B_T, P_B}, {P_A, P_B}, {P_B, B_A}, {A_T, B_A}};
    for (const auto& [a, b] : pairs)
      if (a.opening > 0 && b.opening > 0)
        throw CommandError(place,
                           fmt::format("its valves {} and {} are open together ({:g} and {:g}), which no direction of motion allows",
                                       a.name, b.name, a.opening, b.opening),
                           "commands, or curves `opening`, that keep one of them closed");
    throw CommandError(place, "an opening is not a number between 0 and 1", "finite commands");
  }
  throw CommandError(circuit + ".flow", fmt::format("the pump's flow is {:g} m3/s", work.flow), "a non-negative signal");
}

}  // namespace

template <class S>
void read_checked_command(const Hydraulics& netlist, const QuasistaticCircuit& q, const OilValues<S>& values, QuasistaticWork& work) {
  read_command(q, values.signal[q.flow], values.spool.data(), work);
  const bool has_flow = work.flow >= 0 && work.flow < kInfinity;
  if (!has_flow || !std::all_of(work.openings.begin(), work.openings.end(), admissible)) refuse(netlist, q, work);
}
template void read_checked_command<double>(const Hydraulics&, const QuasistaticCircuit&, const OilValues<double>&, QuasistaticWork&);

namespace {

/// Whether control blocks command it.
bool is_driven(const Hydraulics& netlist, const QuasistaticCircuit& q) {
  if (netlist.control.empty()) return false;
  if (netlist.block_of_signal[q.flow] >= 0) return true;
  for (int k = 0; k < commands_of(q); ++k)
    if (const int spool = command_of(q, k); spool >= 0 && netlist.spools[spool].driven()) return true;
  return false;
}

/// As above in the iterations of a step, in which commands by control blocks are unknowns: only the last ones have to be admissible.
void read_iterate(const Hydraulics& netlist, const QuasistaticCircuit& q, const HydraulicState& state, QuasistaticWork& work) {
  if (!is_driven(netlist, q)) return read_checked_command<double>(netlist, q, state, work);
  read_command(q, state.signal[q.flow], state.spool.data(), work);
  admit_command(work);
}

}  // namespace

void add_quasistatic(const QuasistaticCircuit& q, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                     const Hydraulics& netlist, QuasistaticWork& work, HydraulicState& state) {
  read_iterate(netlist, q, state, work);
  solve_step(q, s, s_dot, rule, y, ydot, work);
  // p = ... + gain v; f = K (p - l) + B (gain' p - l_dot), or (p - p_old - l + l_old) / h for the rates
  const double factor = q.discrete ? 1 / rule.step : rule.factor;
  const std::size_t n = q.ports.size();
  for (std::size_t i = 0; i < n; ++i) {
    const QuasistaticPort& port = q.ports[i];
    const VirtualElement& e = port.element;
    const Actuator& a = netlist.actuators[port.actuator];
    const Circuit& c = netlist.circuits[a.circuit];
    const double along_rate = e.damping * factor, push_s = e.stiffness + (q.discrete ? along_rate : 0), push_v = q.discrete ? 0 : e.damping;
    add_oil_force(work.solution.f[i], state.ports[port.actuator]);
    state.force_s[port.actuator] -= push_s;
    state.force_v[port.actuator] -= push_v;
    state.F_y[state.column[port.actuator] + port.local] = e.stiffness + along_rate;
    state.T[c.block + port.local * (c.size + 1)] = 1;
    for (std::size_t j = 0; j < n; ++j) {  // -dp_j by the port's s and sdot
      const double gain = work.solution.v_fbar[j * n + i] / factor;
      state.R_s[state.column[port.actuator] + q.ports[j].local] = gain * push_s;
      state.R_v[state.column[port.actuator] + q.ports[j].local] = gain * push_v;
    }
  }
}

template <class S>
void add_quasistatic_forces(const Hydraulics& netlist, const QuasistaticCircuit& q, const S* s, const S* s_dot, const S* y,
                            QuasistaticWork& work, OilValues<S>& values) {
  if (!q.discrete) {
    read_checked_command<S>(netlist, q, values, work);
    solve_rates(q, s, s_dot, y, work, values.quasistatic_v.data(), values.quasistatic_f.data());
  }
  for (std::size_t j = 0; j < q.ports.size(); ++j)
    add_oil_force(q.discrete ? y[q.ports[j].state + kElementForce] : values.quasistatic_f[j], values.ports[q.ports[j].actuator]);
}
template void add_quasistatic_forces<double>(const Hydraulics&, const QuasistaticCircuit&, const double*, const double*, const double*,
                                             QuasistaticWork&, OilValues<double>&);
template void add_quasistatic_forces<Dual<1>>(const Hydraulics&, const QuasistaticCircuit&, const Dual<1>*, const Dual<1>*, const Dual<1>*,
                                              QuasistaticWork&, OilValues<Dual<1>>&);

void add_quasistatic_rates(const Hydraulics& netlist, const QuasistaticCircuit& q, const double* s, const double* s_dot, const double* y,
                           double* ydot, QuasistaticWork& work, HydraulicState& state) {
  add_quasistatic_forces<double>(netlist, q, s, s_dot, y, work, state);
  for (std::size_t j = 0; j < q.ports.size(); ++j)
    for (int k = 0; k < (q.discrete ? kDiscreteStates : 1); ++k) ydot[q.ports[j].state + k] = q.discrete ? 0 : work.solution.v[j];
}

void add_quasistatic_slopes(const QuasistaticCircuit& q, const double* s, const double* s_dot, const double* y, const Hydraulics& netlist,
                            QuasistaticWork& work, HydraulicState& state) {
  if (!q.discrete) add_quasistatic_forces<double>(netlist, q, s, s_dot, y, work, state);
  const std::size_t n = q.ports.size();
  for (std::size_t i = 0; i < n; ++i) {
    const QuasistaticPort& port = q.ports[i];
    const Circuit& c = netlist.circuits[netlist.actuators[port.actuator].circuit];
    for (std::size_t j = 0; j < n; ++j) {
      const double gain = q.discrete ? 0 : work.solution.v_fbar[j * n + i];
      state.T[c.block + q.ports[j].local * c.size + port.local] = -gain * port.element.stiffness;
      state.R_s[state.column[port.actuator] + q.ports[j].local] = gain * port.element.stiffness;
      state.R_v[state.column[port.actuator] + q.ports[j].local] = gain * port.element.damping;
    }
  }
}

void advance_quasistatic_states(const Hydraulics& netlist, const double* s, const double* s_dot, double h, const double* y_begin, double* y,
                                HydraulicState& state) {
  std::fill(state.y_scratch.begin(), state.y_scratch.end(), 0.0);
  const RateRelation rule{h, 1 / h, y_begin, state.y_scratch.data(), nullptr};
  for (std::size_t i = 0; i < netlist.quasistatic.size(); ++i) {
    const QuasistaticCircuit& q = netlist.quasistatic[i];
    if (!q.discrete && s_dot == nullptr) continue;
    load_pressures<double>(netlist, y, state);
    read_checked_command<double>(netlist, q, state, state.quasistatic[i]);
    solve_step(q, s, s_dot, rule, y, state.ydot_scratch.data(), state.quasistatic[i]);
  }
}

}  // namespace trunnion
