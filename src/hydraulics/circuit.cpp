// Assembly and evaluation of the hydraulic netlist.
// Sources: Jaiswal, Sopanen, Mikkola 2021 (friction), (13)-(20), (43), (44);
//   Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations), (22)-(29), (42)-(44);
//   Nonlinear Dynamics 111 (2023) (linearisation), (1)-(7), (72)-(75);
//   Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), (8), (9), (27)-(33).
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/circuit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hydraulics/circuit_rows.h"
#include "hydraulics/linear_oil.h"
#include "hydraulics/port_forces.h"
#include "hydraulics/quasistatic_ports.h"
#include "hydraulics/volume_content.h"

namespace trunnion {

namespace {

/// Slopes of the flows of cushioned ports in the lengths of their cylinders.
void add_cushion_slopes(const Hydraulics& netlist, HydraulicState& state) {
  using S = Dual<1>;
  for (const Orifice& o : std::get<std::vector<Orifice>>(netlist.elements)) {
    const int port = o.cushion.port;
    if (port < 0) continue;
    const S opening = o.cushion.opening(S::variable(state.length[port], 0));
    const double slope = orifice_flow(S(o.coefficient * opening), S(state.pressure[o.A] - state.pressure[o.B]), o.zone).d[0];
    double* R_s = state.R_s.data() + state.column[port];
    for (const auto& [node, sign] : {std::pair{o.A, 1}, {o.B, -1}})
      if (netlist.nodes[node].state >= 0) R_s[netlist.nodes[node].local] += sign * slope;
  }
}

/// Oil and its liquid fraction at the pressure of a volume; its capacity, of the hose alone; returned.
TR_INLINE Dual<1> set_oil(const Hydraulics& netlist, const Volume& volume, double p, HydraulicState& state) {
  using S = Dual<1>;
  const S beta = netlist.fluid.compressibility_at(S::variable(p, 0));
  const S C = sub_volume_capacity(volume.volume, beta, volume.wall_compressibility);
  state.compressibility[volume.node] = beta;
  state.liquid[volume.node] = netlist.fluid.liquid_fraction(S::variable(p, 0));
  state.capacity[volume.node] = C.value;
  return C;
}

/// Hose part of C_i p_i_dot.
void add_volume(const Hydraulics& netlist, const Volume& volume, const double* y, const double* ydot, HydraulicState& state) {
  const PressureNode& node = netlist.nodes[volume.node];
  const BlockRow row = row_of(netlist, node, state);
  const Dual<1> C = set_oil(netlist, volume, y[node.state], state);
  *row.R += C.value * ydot[node.state];
  row.T[row.local] += C.d[0] * ydot[node.state];
}
/// Hose part of factor dN_i - offset_i.
TR_INLINE void add_volume(const Hydraulics& netlist, const Volume& volume, const RateRelation& rule, const double* y,
                          HydraulicState& state) {
  const PressureNode& node = netlist.nodes[volume.node];
  const BlockRow row = row_of(netlist, node, state);
  const Dual<1> C = set_oil(netlist, volume, y[node.state], state);
  const StrainChange& strain = state.strain[volume.node] = strain_change(netlist.fluid, rule.y_begin[node.state], y[node.state]);
  *row.R += rule.factor * volume.volume * strain.of(volume.wall_compressibility) - rule.offset[node.state];
  row.T[row.local] += rule.factor * C.value;
}

/// Positions of a chamber's derivatives.
struct ChamberSlopes {
  double *R_s, *R_v;
  double* R_e;  // in the displacement fraction
};
/// Chamber part of C_i p_i_dot + chi area sweep, where area is positive for chamber A, negative for chamber B. After add_volume.
void add_chamber(const Hydraulics& netlist, int node_index, double area, double length, const Sweep& sweep, const Actuator& a,
                 const double* ydot, const ChamberSlopes& slopes, HydraulicState& state) {
  const PressureNode& node = netlist.nodes[node_index];
  if (node.state < 0 || netlist.linear_oil != nullptr) return;
  const BlockRow row = row_of(netlist, node, state);
  const Dual<1>& beta = state.compressibility[node_index];
  const double size = area < 0 ? -area : area, wall = a.cylinder.wall_compressibility;
  const Dual<1> C = sub_volume_capacity(size * length, beta, wall);
  const double p_dot = ydot[node.state];
  state.capacity[node_index] += C.value;
  double liquid = 0;
  visit_drawn_node(a, node_index, sweep.moved, [&](int drawn, double share) {
    const PressureNode& from = netlist.nodes[drawn];
    liquid += share * state.liquid[drawn].value;
    if (from.state >= 0) row.T[from.local] += share * state.liquid[drawn].d[0] * area * sweep.moved;
  });
  *row.R += C.value * p_dot + liquid * area * sweep.moved;
  row.T[row.local] += C.d[0] * p_dot;
  slopes.R_s[row.local] += a.cylinder.travel * sub_volume_capacity(area, beta.value, wall) * p_dot;
  slopes.R_v[row.local] += liquid * area * sweep.share;
  *slopes.R_e = liquid * area * sweep.per_fraction;
}
/// Chamber part of factor dN_i.
TR_INLINE void add_chamber(const Hydraulics& netlist, int node_index, double area, double length, const Sweep& sweep, const Actuator& a,
                           const RateRelation& rule, const ChamberSlopes& slopes, HydraulicState& state) {
  const PressureNode& node = netlist.nodes[node_index];
  if (node.state < 0 || netlist.linear_oil != nullptr) return;
  const BlockRow row = row_of(netlist, node, state);
  const double moved = sweep.moved, wall = a.cylinder.wall_compressibility, mean = mean_size(a.cylinder, area, length, moved);
  const StrainChange& strain = state.strain[node_index];
  double liquid = 0;
  visit_drawn_node(a, node_index, moved, [&](int drawn, double share) {
    const PressureNode& from = netlist.nodes[drawn];
    liquid += share * state.strain[drawn].liquid;
    if (from.state >= 0) row.T[from.local] += share * rule.factor * state.liquid[drawn].d[0] / 2 * area * moved;
  });
  *row.R += rule.factor * chamber_change(mean, area, moved, strain.of(wall), liquid);
  row.T[row.local] += rule.factor * (mean * (state.compressibility[node_index].value + wall));
  slopes.R_s[row.local] += rule.factor * area * (a.cylinder.travel / 2 * strain.of(wall) + liquid * sweep.share);
  *slopes.R_e = rule.factor * area * liquid * sweep.per_fraction;
}

/// Friction with locally solved states.
void integrate_friction(const Actuator& a, double s_dot, double* y, double* ydot, const RateRelation& rule, FrictionResponse& f) {
  const double share = rule.factor > 0 ? 1 / rule.factor : 0;
  respond_local(a.friction, s_dot, share, rule.y_begin + a.state, rule.offset + a.state, y + a.state, f);
  for (int i = 0; i < a.friction_states; ++i) ydot[a.state + i] = f.rate[i];
}

/// Friction of an actuator: force and, where its states are unknowns, their residuals.
void add_friction(const Hydraulics& netlist, const Actuator& a, double s_dot, double* y, double* ydot, const RateRelation& rule,
                  double* R_v, double* F_y, HydraulicState& state, std::size_t i) {
  FrictionResponse f;
  const double factor = friction_factor<double>(a, state.pressure, y);
  if (a.friction_local) {
    integrate_friction(a, s_dot, y, ydot, rule, f);
  } else {
    respond(a.friction, s_dot, y + a.state, f);
    const Circuit& c = netlist.circuits[a.circuit];
    for (int k = 0; k < a.friction_states; ++k) {
      const int local = a.local + k;
      double* T = state.T.data() + c.block + local * c.size;
      state.R[c.offset + local] = ydot[a.state + k] - f.rate[k];
      for (int j = 0; j < a.friction_states; ++j) T[a.local + j] = (k == j ? rule.factor : 0) - f.rate_x[k][j];
      R_v[local] = -f.rate_v[k];
      F_y[local] = -factor * f.force_x[k];
    }
  }
  state.ports[i].friction = factor * f.force;
  state.ports[i].force -= state.ports[i].friction;
  state.force_v[i] -= factor * f.force_v;
  if (!a.cylinder.has_friction_of_pressure()) return;
  state.force_p[i][0] -= a.cylinder.friction_A * f.force;
  state.force_p[i][1] -= a.cylinder.friction_B * f.force;
}

/// Whether control reads a joint's coordinate there, and nothing acts.
bool only_reads(const Actuator& a) {
  return a.A < 0 && a.drive < 0 && a.cylinder.viscous == 0 && a.cylinder.damper.length <= 0 &&
         std::holds_alternative<NoFriction>(a.friction);
}

/// Sets T to zero: of a large block only where a step has slopes. Quasistatic circuits and a LinearOil have others, too.
void clear_blocks(const Hydraulics& netlist, HydraulicState& state) {
  constexpr std::size_t kLarge = 12;  // times the entries: as fast as all in a row
  const bool others = netlist.linear_oil != nullptr || !netlist.quasistatic.empty();
  for (std::size_t i = 0; i < netlist.circuits.size(); ++i) {
    const Circuit& c = netlist.circuits[i];
    const std::vector<Entry>& entries = state.block[i].entries();
    const std::size_t all = static_cast<std::size_t>(c.size) * c.size;
    double* T = state.T.data() + c.block;
    if (others || all < kLarge * entries.size())
      std::fill_n(T, all, 0.0);
    else
      for (const Entry& e : entries) T[e.row * c.size + e.column] = 0;
  }
}

}  // namespace

void update_inputs(const Hydraulics& netlist, const Signals& signals, double t, Side side, HydraulicState& state) {
  for (SignalIndex i : netlist.used_signals) state.signal[i] = signals.value(i, t, side);
  for (std::size_t i = 0; i < netlist.nodes.size(); ++i)
    if (netlist.nodes[i].source >= 0) state.pressure[i] = state.signal[netlist.nodes[i].source];
  if (netlist.linear_oil != nullptr) set_linear_oil(*netlist.linear_oil, t, state);
}

void evaluate_hydraulics(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                         HydraulicState& state) {
  load_pressures<double>(netlist, y, state);
  std::copy_n(s, netlist.actuators.size(), state.length.begin());
  const bool step = rule.factor > 0, control = step && !netlist.control.empty();
  if (control) follow_control(netlist, s, s_dot, rule, true, y, ydot, state);
  std::fill(state.R.begin(), state.R.end(), 0.0);
  clear_blocks(netlist, state);
  std::fill(state.R_s.begin(), state.R_s.end(), 0.0);
  std::fill(state.R_v.begin(), state.R_v.end(), 0.0);
  std::fill(state.F_y.begin(), state.F_y.end(), 0.0);
  if (netlist.linear_oil != nullptr)
    add_linear_oil(netlist, *netlist.linear_oil, s, s_dot, y, ydot, rule.factor, state);
  else if (step)
    for (const Volume& volume : netlist.volumes) add_volume(netlist, volume, rule, y, state);
  else
    for (const Volume& volume : netlist.volumes) add_volume(netlist, volume, y, ydot, state);
  const FlowInputs<> in = state.flow_inputs();
  for_each_element(netlist, [&](const auto& element) {
    if (!is_shut(element, in)) for_each_flow(element, in, [&](const FlowEdge& e) { add_edge(netlist, e, state); });
    if constexpr (requires { element.spool; })
      if (control && element.spool >= 0 && netlist.spools[element.spool].driven()) add_driven_element(netlist, element, state);
  });
  if (netlist.cushions) add_cushion_slopes(netlist, state);
  for (const Component& c : netlist.components) add_component(netlist, c, in, y, ydot, rule.factor, state);
  for (const FlowSource& source : netlist.flow_sources) add_flow_source(netlist, source, state);
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i) {
    const Actuator& a = netlist.actuators[i];
    if (only_reads(a)) continue;
    double *R_s = state.R_s.data() + state.column[i], *R_v = state.R_v.data() + state.column[i], *F_y = state.F_y.data() + state.column[i];
    set_cylinder_force<double>(a, s[i], s_dot[i], state, state.ports[i]);
    set_direct_slopes(a, s[i], s_dot[i], state, i);
    add_friction(netlist, a, s_dot[i], y, ydot, rule, R_v, F_y, state, i);
    if (a.A >= 0) {
      const Cylinder& c = a.cylinder;
      const double e = fraction_of(a, state.spool);
      FractionSlopes& by_fraction = state.by_fraction[i];
      const Sweep sweep =
          step ? sweep_between(fraction_at(netlist, a, rule.y_begin), e, s[i] - rule.s_begin[i]) : Sweep{e * s_dot[i], e, s_dot[i]};
      const ChamberSlopes of_A{R_s, R_v, &by_fraction.A}, of_B{R_s, R_v, &by_fraction.B};
      if (step) {
        add_chamber(netlist, a.A, c.area_A, c.chamber_A(s[i]), sweep, a, rule, of_A, state);
        add_chamber(netlist, a.B, -c.area_B, c.chamber_B(s[i]), sweep, a, rule, of_B, state);
      } else {
        add_chamber(netlist, a.A, c.area_A, c.chamber_A(s[i]), sweep, a, ydot, of_A, state);
        add_chamber(netlist, a.B, -c.area_B, c.chamber_B(s[i]), sweep, a, ydot, of_B, state);
      }
      for (const auto& [node, slope] : {std::pair{a.A, state.force_p[i][0]}, {a.B, state.force_p[i][1]}})
        if (netlist.nodes[node].state >= 0) F_y[netlist.nodes[node].local] += slope;
    }
  }
  for (std::size_t i = 0; i < netlist.quasistatic.size(); ++i) {
    const QuasistaticCircuit& q = netlist.quasistatic[i];
    if (step)
      add_quasistatic(q, s, s_dot, y, ydot, rule, netlist, state.quasistatic[i], state);
    else
      add_quasistatic_slopes(q, s, s_dot, y, netlist, state.quasistatic[i], state);
  }
  if (control) add_control(netlist, s, s_dot, y, ydot, rule, state);
}

template <class S>
void evaluate_forces(const Hydraulics& netlist, const S* s, const S* s_dot, const S* y, OilValues<S>& values) {
  load_pressures(netlist, y, values);
  std::copy_n(s, netlist.actuators.size(), values.length.begin());
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i) {
    const Actuator& a = netlist.actuators[i];
    PortForces<S>& port = values.ports[i];
    set_cylinder_force(a, s[i], s_dot[i], values, port);
    S rate[kMaxFrictionStates];
    port.friction = friction_factor(a, values.pressure, y) * force_and_rates(a.friction, s_dot[i], y + a.state, rate);
    port.force -= port.friction;
  }
  for (std::size_t i = 0; i < netlist.quasistatic.size(); ++i)
    add_quasistatic_forces(netlist, netlist.quasistatic[i], s, s_dot, y, values.quasistatic[i], values);
}
void evaluate_forces(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, HydraulicState& state) {
  evaluate_forces<double>(netlist, s, s_dot, y, state);
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i) set_direct_slopes(netlist.actuators[i], s[i], s_dot[i], state, i);
  for (std::size_t i = 0; i < netlist.quasistatic.size(); ++i) {
    const QuasistaticCircuit& q = netlist.quasistatic[i];
    const std::size_t n = q.ports.size();
    for (std::size_t j = 0; j < n && !q.discrete; ++j) {  // along its own port
      const VirtualElement& e = q.ports[j].element;
      const double share = 1 + e.damping * state.quasistatic[i].solution.v_fbar[j * (n + 1)];
      state.force_s[q.ports[j].actuator] -= e.stiffness * share;
      state.force_v[q.ports[j].actuator] -= e.damping * share;
    }
  }
}
template void evaluate_forces<double>(const Hydraulics&, const double*, const double*, const double*, OilValues<double>&);
template void evaluate_forces<Dual<1>>(const Hydraulics&, const Dual<1>*, const Dual<1>*, const Dual<1>*, OilValues<Dual<1>>&);

void finish_local_states(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                         HydraulicState& state) {
  FrictionResponse f;
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i)
    if (netlist.actuators[i].friction_local) integrate_friction(netlist.actuators[i], s_dot[i], y, ydot, rule, f);
  if (!netlist.control.empty() && !netlist.quasistatic.empty()) {  // commands that were unknowns
    load_pressures<double>(netlist, y, state);
    for (std::size_t i = 0; i < netlist.quasistatic.size(); ++i)
      read_checked_command<double>(netlist, netlist.quasistatic[i], state, state.quasistatic[i]);
  }
  for (std::size_t i = 0; i < netlist.quasistatic.size(); ++i)
    solve_step(netlist.quasistatic[i], s, s_dot, rule, y, ydot, state.quasistatic[i]);
}

void evaluate_slopes(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                     HydraulicState& state) {
  // copies: local friction states are written, although they do not change
  std::copy_n(y, netlist.ny, state.y_scratch.begin());
  if (ydot != nullptr)
    std::copy_n(ydot, netlist.ny, state.ydot_scratch.begin());
  else
    std::fill(state.ydot_scratch.begin(), state.ydot_scratch.end(), 0.0);
  RateRelation constant;
  constant.y_begin = y;
  constant.offset = state.ydot_scratch.data();
  evaluate_hydraulics(netlist, s, s_dot, state.y_scratch.data(), state.ydot_scratch.data(), constant, state);
}

int piston_outside(const Hydraulics& netlist, const double* s) {
  for (int i = 0; i < netlist.pistons; ++i)
    if (!netlist.actuators[i].cylinder.holds(s[i])) return i;
  return -1;
}

int unknown_out_of_range(const Hydraulics& netlist, const double* y) {
  constexpr double kHighest = 1e12;  // [Pa]
  constexpr double kLargest = 1e12;  // of other states except control, whose units are the user's
  const int control_begin = netlist.control.empty() ? netlist.ny : netlist.control.front().output,
            control_end = netlist.control.empty() ? netlist.ny : netlist.control.back().output + netlist.control.back().size();
  for (std::size_t i = 0; i < netlist.unknown_state.size(); ++i) {
    const int k = netlist.unknown_state[i];
    if (k >= control_begin && k < control_end) continue;
    const bool pressure = netlist.linear_oil == nullptr && k < static_cast<int>(netlist.volumes.size());  // linear ones may fall below 0
    const bool inside = pressure ? y[k] > 0 && y[k] < kHighest : bool(std::abs(y[k]) < kLargest);
    if (!inside) return static_cast<int>(i);
  }
  return -1;
}

bool below_vacuum(const Hydraulics& netlist, const double* y, int unknown) {
  const int k = netlist.unknown_state[unknown];
  return k < static_cast<int>(netlist.volumes.size()) && y[k] <= 0;
}

}  // namespace trunnion
