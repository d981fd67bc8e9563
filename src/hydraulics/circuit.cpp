// Assembly and evaluation of the hydraulic netlist.
// Sources: Jaiswal, Sopanen, Mikkola 2021 (friction), (13)-(20), (43), (44);
//   Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations), (22)-(29), (42)-(44);
//   Nonlinear Dynamics 111 (2023) (linearisation), (1)-(7), (72)-(75);
//   Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), (8), (9), (27)-(33).
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/circuit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hydraulics/linear_oil.h"
#include "hydraulics/quasistatic/command_error.h"

namespace trunnion {

namespace {

/// The circuit block a volume belongs to, and its row there.
struct Row {
  double* T;  // its row in the block
  double* R;  // its residual
  int local;
};

TR_INLINE Row row_of(const Hydraulics& netlist, const PressureNode& node, HydraulicState& state) {
  const Circuit& c = netlist.circuits[node.circuit];
  return {state.T.data() + c.block + node.local * c.size, state.R.data() + c.offset + node.local, node.local};
}

template <class S>
void load_pressures(const Hydraulics& netlist, const S* y, OilValues<S>& state) {
  for (const Volume& volume : netlist.volumes) state.pressure[volume.node] = y[netlist.nodes[volume.node].state];
  for (std::size_t i = 0; i < netlist.spools.size(); ++i) state.spool[i] = y[netlist.spools[i].state];
  for (const ControlBlock& block : netlist.control) state.signal[block.signal] = y[block.output];
  for (const int node : netlist.driven_sources) state.pressure[node] = state.signal[netlist.nodes[node].source];
}

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

/// Whether an element has no flow at any pressure: usually true of most metering edges.
template <class Element>
TR_INLINE bool is_shut(const Element& element, const FlowInputs<>& in) {
  if constexpr (std::is_same_v<Element, Orifice>)
    return element.spool >= 0 && element.opening(in.spool[element.spool]) == 0;
  else
    return false;
}

/// Adds an edge's flow to the balances of its nodes.
TR_INLINE void add_edge(const Hydraulics& netlist, const FlowEdge& e, HydraulicState& state) {
  const PressureNode &A = netlist.nodes[e.A], &B = netlist.nodes[e.B];
  if (A.state >= 0) {
    const Row row = row_of(netlist, A, state);
    *row.R += e.flow;
    row.T[row.local] += e.slope;
    if (B.state >= 0) row.T[B.local] -= e.slope;
  }
  if (B.state >= 0) {
    const Row row = row_of(netlist, B, state);
    *row.R -= e.flow;
    row.T[row.local] += e.slope;
    if (A.state >= 0) row.T[A.local] -= e.slope;
  }
}

constexpr int kMaxComponentInputs = kMaxComponentNodes + kMaxComponentStates;
constexpr int kMaxComponentSlopes = (kMaxComponentFlows + kMaxComponentStates) * kMaxComponentInputs;

/// A component's flows and the residuals of its states, `slopes` as differentiate() leaves them.
void add_component(const Hydraulics& netlist, const Component& c, const ComponentValues<>& values, const double* slopes, const double* ydot,
                   double factor, HydraulicState& state) {
  const int nodes = static_cast<int>(c.nodes.size()), states = static_cast<int>(c.law->info().states.size()), inputs = nodes + states;
  int column[kMaxComponentInputs];  // of each input in the block; -1: a source
  for (int i = 0; i < nodes; ++i) column[i] = netlist.nodes[c.nodes[i]].state >= 0 ? netlist.nodes[c.nodes[i]].local : -1;
  for (int i = 0; i < states; ++i) column[nodes + i] = c.local + i;
  const auto add_slopes = [&](double* T, const double* slope, double sign) {
    for (int i = 0; i < inputs; ++i)
      if (column[i] >= 0) T[column[i]] += sign * slope[i];
  };
  const double* slope = slopes;
  for_each_flow_path(c, values.Q, [&](int A, int B, double Q) {
    if (A >= 0 && netlist.nodes[A].state >= 0) {
      const Row row = row_of(netlist, netlist.nodes[A], state);
      *row.R += Q;
      add_slopes(row.T, slope, 1);
    }
    if (B >= 0 && netlist.nodes[B].state >= 0) {
      const Row row = row_of(netlist, netlist.nodes[B], state);
      *row.R -= Q;
      add_slopes(row.T, slope, -1);
    }
    slope += inputs;
  });
  if (states == 0) return;
  const Circuit& circuit = netlist.circuits[c.circuit];
  for (int k = 0; k < states; ++k, slope += inputs) {
    double* T = state.T.data() + circuit.block + (c.local + k) * circuit.size;
    state.R[circuit.offset + c.local + k] = ydot[c.state + k] - values.rate[k];
    T[c.local + k] += factor;
    add_slopes(T, slope, -1);
  }
}
void add_component(const Hydraulics& netlist, const Component& c, const FlowInputs<>& in, const double* y, const double* ydot,
                   double factor, HydraulicState& state) {
  ComponentValues<> values;
  read_component(c, in, y, values);
  double slopes[kMaxComponentSlopes];
  c.law->differentiate(values.inputs(), values.Q, values.rate, slopes);
  add_component(netlist, c, values, slopes, ydot, factor, state);
}

/// A prescribed flow: Q with its slope in the pressure at its inlet.
void add_flow_source(const Hydraulics& netlist, const FlowSource& source, const Dual<1>& Q, HydraulicState& state) {
  const bool draws = source.from >= 0 && netlist.nodes[source.from].state >= 0;
  const auto add = [&](int node, double sign) {
    if (node < 0 || netlist.nodes[node].state < 0) return;
    const Row row = row_of(netlist, netlist.nodes[node], state);
    *row.R += sign * Q.value;
    if (draws) row.T[netlist.nodes[source.from].local] += sign * Q.d[0];  // the same circuit
  };
  add(source.to, -1);
  add(source.from, 1);
}

TR_INLINE StrainChange strain_change(const Fluid& fluid, double p_0, double p_1) {
  const double pressure = p_1 - p_0;
  if (!fluid.varies(p_0) && !fluid.varies(p_1)) return {fluid.compressibility * pressure, pressure, 1};
  return {fluid.strain(p_1, 0) - fluid.strain(p_0, 0), pressure, (fluid.liquid_fraction(p_0) + fluid.liquid_fraction(p_1)) / 2};
}
/// Volume that a piston sweeps per area, or its rate, with the derivatives in position (or rate) and displacement fraction.
struct Sweep {
  double moved, share, per_fraction;
};
/// Over a step from the fraction e_0.
TR_INLINE Sweep sweep_between(double e_0, double e_1, double moved) {
  const double share = (e_0 + e_1) / 2;
  return {share * moved, share, moved / 2};
}

/// Mean size of a chamber over a step: `area` positive for chamber A, negative for chamber B; length at the end.
TR_INLINE double mean_size(const Cylinder& c, double area, double length, double moved) {
  return (area < 0 ? -1 : 1) * area * length - c.travel * area * moved / 2;
}
/// Change of its content; `liquid` of the volume that its sweep draws from.
TR_INLINE double chamber_change(double mean_size, double area, double moved, double strain, double liquid) {
  return mean_size * strain + liquid * area * moved;
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
  const Row row = row_of(netlist, node, state);
  const Dual<1> C = set_oil(netlist, volume, y[node.state], state);
  *row.R += C.value * ydot[node.state];
  row.T[row.local] += C.d[0] * ydot[node.state];
}
/// Hose part of factor dN_i - offset_i.
TR_INLINE void add_volume(const Hydraulics& netlist, const Volume& volume, const RateRelation& rule, const double* y,
                          HydraulicState& state) {
  const PressureNode& node = netlist.nodes[volume.node];
  const Row row = row_of(netlist, node, state);
  const Dual<1> C = set_oil(netlist, volume, y[node.state], state);
  const StrainChange& strain = state.strain[volume.node] = strain_change(netlist.fluid, rule.y_begin[node.state], y[node.state]);
  *row.R += rule.factor * volume.volume * strain.of(volume.wall_compressibility) - rule.offset[node.state];
  row.T[row.local] += rule.factor * C.value;
}

/// Positions of a chamber's derivatives.
struct ChamberSlopes {
  double *R_s, *R_v;
  double* R_e;  // in the displacement fraction
  int drawn;    // node of the liquid fraction, drawn_node()
};
/// Chamber part of C_i p_i_dot + chi area sweep, where area is positive for chamber A, negative for chamber B. After add_volume.
void add_chamber(const Hydraulics& netlist, int node_index, double area, double length, const Sweep& sweep, const Cylinder& cylinder,
                 const double* ydot, const ChamberSlopes& slopes, HydraulicState& state) {
  const PressureNode& node = netlist.nodes[node_index];
  if (node.state < 0 || netlist.linear_oil != nullptr) return;
  const Row row = row_of(netlist, node, state);
  const Dual<1>& beta = state.compressibility[node_index];
  const double size = area < 0 ? -area : area, wall = cylinder.wall_compressibility;
  const Dual<1> C = sub_volume_capacity(size * length, beta, wall);
  const double p_dot = ydot[node.state];
  state.capacity[node_index] += C.value;
  const PressureNode& drawn = netlist.nodes[slopes.drawn];
  const Dual<1>& liquid = state.liquid[slopes.drawn];
  *row.R += C.value * p_dot + liquid.value * area * sweep.moved;
  row.T[row.local] += C.d[0] * p_dot;
  if (drawn.state >= 0) row.T[drawn.local] += liquid.d[0] * area * sweep.moved;
  slopes.R_s[row.local] += cylinder.travel * sub_volume_capacity(area, beta.value, wall) * p_dot;
  slopes.R_v[row.local] += liquid.value * area * sweep.share;
  *slopes.R_e = liquid.value * area * sweep.per_fraction;
}
/// Chamber part of factor dN_i.
TR_INLINE void add_chamber(const Hydraulics& netlist, int node_index, double area, double length, const Sweep& sweep,
                           const Cylinder& cylinder, const RateRelation& rule, const ChamberSlopes& slopes, HydraulicState& state) {
  const PressureNode& node = netlist.nodes[node_index];
  if (node.state < 0 || netlist.linear_oil != nullptr) return;
  const Row row = row_of(netlist, node, state);
  const double moved = sweep.moved, wall = cylinder.wall_compressibility, mean = mean_size(cylinder, area, length, moved),
               liquid = state.strain[slopes.drawn].liquid;
  const StrainChange& strain = state.strain[node_index];
  const PressureNode& drawn = netlist.nodes[slopes.drawn];
  *row.R += rule.factor * chamber_change(mean, area, moved, strain.of(wall), liquid);
  row.T[row.local] += rule.factor * (mean * (state.compressibility[node_index].value + wall));
  if (drawn.state >= 0) row.T[drawn.local] += rule.factor * state.liquid[slopes.drawn].d[0] / 2 * area * moved;
  slopes.R_s[row.local] += rule.factor * area * (cylinder.travel / 2 * strain.of(wall) + liquid * sweep.share);
  *slopes.R_e = rule.factor * area * liquid * sweep.per_fraction;
}

/// f + J (p - p_0) + f_s (s - s_0) + f_w (sdot - w_0) of volume i.
double linear_rate(const Hydraulics& netlist, const LinearOil& oil, std::size_t i, const double* s, const double* s_dot, const double* y,
                   const HydraulicState& state) {
  const std::size_t volumes = netlist.volumes.size(), ports = netlist.actuators.size();
  const int circuit = netlist.nodes[netlist.volumes[i].node].circuit;
  double rate = state.linear_f[i];
  for (std::size_t j = 0; j < volumes; ++j)
    if (const PressureNode& other = netlist.nodes[netlist.volumes[j].node]; other.circuit == circuit)
      rate += state.linear_J[i * volumes + j] * (y[other.state] - oil.p[j]);
  for (int k : netlist.circuits[circuit].actuators)
    rate += oil.f_s[i * ports + k] * (s[k] - oil.s[k]) + oil.f_w[i * ports + k] * (s_dot[k] - oil.w[k]);
  return rate;
}

/// p_dot - linear_rate of every volume.
void add_linear_oil(const Hydraulics& netlist, const LinearOil& oil, const double* s, const double* s_dot, const double* y,
                    const double* ydot, double factor, HydraulicState& state) {
  const std::size_t volumes = netlist.volumes.size(), ports = netlist.actuators.size();
  for (std::size_t i = 0; i < volumes; ++i) {
    const PressureNode& node = netlist.nodes[netlist.volumes[i].node];
    const Row row = row_of(netlist, node, state);
    for (std::size_t j = 0; j < volumes; ++j)
      if (const PressureNode& other = netlist.nodes[netlist.volumes[j].node]; other.circuit == node.circuit)
        row.T[other.local] -= state.linear_J[i * volumes + j];
    for (int k : netlist.circuits[node.circuit].actuators) {
      state.R_s[state.column[k] + row.local] -= oil.f_s[i * ports + k];
      state.R_v[state.column[k] + row.local] -= oil.f_w[i * ports + k];
    }
    state.capacity[netlist.volumes[i].node] = 1;
    *row.R += ydot[node.state] - linear_rate(netlist, oil, i, s, s_dot, y, state);
    row.T[row.local] += factor;
  }
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

template <class S>
TR_INLINE S dampers_force(const Cylinder& c, const S& s, const S& s_dot) {
  return c.damper.length > 0 ? end_dampers_force(c.damper, c.chamber_A(s), c.chamber_B(s), s_dot) : S(0);
}
/// Pressure, viscous and damper forces of a cylinder.
template <class S>
TR_INLINE void set_cylinder_force(const Actuator& a, const S& s, const S& s_dot, const OilValues<S>& state, PortForces<S>& port) {
  const Cylinder& c = a.cylinder;
  port.viscous = c.viscous * s_dot;
  port.damper = dampers_force(c, s, s_dot);
  port.oil = a.A < 0 ? S(0) : c.oil_force(state.pressure[a.A], state.pressure[a.B], fraction_of(a, state.spool), s_dot);
  port.force = port.oil - port.viscous + port.damper;
  if (a.drive >= 0) port.force += a.gain * state.signal[a.drive];
}
/// Derivatives of the force in the pressures of both chambers and the displacement fraction; that of the drag in sdot is added.
void set_pressure_slopes(const Actuator& a, double s_dot, HydraulicState& state, std::size_t i) {
  const Cylinder& c = a.cylinder;
  const double e = fraction_of(a, state.spool);
  state.force_p[i] = {e * c.area_A, -e * c.area_B};
  if (a.spool >= 0) state.by_fraction[i].force = state.pressure[a.A] * c.area_A - state.pressure[a.B] * c.area_B;
  if (c.coulomb <= 0) return;
  using S = Dual<3>;
  const S drag = c.drag(S::variable(state.pressure[a.A], 0), S::variable(state.pressure[a.B], 1), S::variable(s_dot, 2));
  for (std::size_t k = 0; k < 2; ++k) state.force_p[i][k] -= drag.d[k];
  state.force_v[i] -= drag.d[2];
}
/// Direct derivatives of these forces.
TR_INLINE void set_direct_slopes(const Actuator& a, double s, double s_dot, HydraulicState& state, std::size_t i) {
  const Cylinder& c = a.cylinder;
  state.force_s[i] = 0;
  state.force_v[i] = -c.viscous;
  if (a.A >= 0) set_pressure_slopes(a, s_dot, state, i);
  if (!c.touches_damper(s)) return;
  using S = Dual<2>;
  const S F = dampers_force(c, S::variable(s, 0), S::variable(s_dot, 1));
  state.force_s[i] += F.d[0];
  state.force_v[i] += F.d[1];
}

// ---- quasistatic circuits

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

bool has_admissible_command(const QuasistaticWork& work) {
  return work.flow >= 0 && work.flow < kInfinity && std::all_of(work.openings.begin(), work.openings.end(), admissible);
}

/// read_command() with checks. A control block that is at its limit 0 gives the pump a flow of 0 up to rounding.
template <class S>
void take_command(const Hydraulics& netlist, const QuasistaticCircuit& q, const OilValues<S>& values, QuasistaticWork& work) {
  constexpr double kNegligible = 1e-9;  // of the flow of an open valve at the pump's relief pressure
  read_command(q, values.signal[q.flow], values.spool.data(), work);
  if (work.flow < 0 && netlist.block_of_signal[q.flow] >= 0) {
    const MeteringActuator& a = q.metering.actuator(0);
    if (-work.flow <= kNegligible * std::max(a.c_ph, a.c_pr) * std::sqrt(q.metering.pump().relief)) work.flow = 0;
  }
  if (!has_admissible_command(work)) refuse(netlist, q, work);
}

/// As above in the iterations of a step, in which commands by control blocks are unknowns: only the last ones have to be admissible.
void take_iterate(const Hydraulics& netlist, const QuasistaticCircuit& q, const HydraulicState& state, QuasistaticWork& work) {
  if (netlist.control.empty()) return take_command<double>(netlist, q, state, work);
  read_command(q, state.signal[q.flow], state.spool.data(), work);
  admit_command(work);
}

/// A quasistatic circuit in a step: forces of its ports, p and its derivatives.
void add_quasistatic(const QuasistaticCircuit& q, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                     const Hydraulics& netlist, QuasistaticWork& work, HydraulicState& state) {
  take_iterate(netlist, q, state, work);
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

/// Forces of its ports as an ordinary differential equation; discrete: those of the last step.
template <class S>
void add_quasistatic_forces(const Hydraulics& netlist, const QuasistaticCircuit& q, const S* s, const S* s_dot, const S* y,
                            QuasistaticWork& work, OilValues<S>& values) {
  if (!q.discrete) {
    take_command<S>(netlist, q, values, work);
    solve_rates(q, s, s_dot, y, work, values.quasistatic_v.data(), values.quasistatic_f.data());
  }
  for (std::size_t j = 0; j < q.ports.size(); ++j)
    add_oil_force(q.discrete ? y[q.ports[j].state + kElementForce] : values.quasistatic_f[j], values.ports[q.ports[j].actuator]);
}

/// Its rates and forces.
void add_quasistatic_rates(const Hydraulics& netlist, const QuasistaticCircuit& q, const double* s, const double* s_dot, const double* y,
                           double* ydot, QuasistaticWork& work, HydraulicState& state) {
  add_quasistatic_forces<double>(netlist, q, s, s_dot, y, work, state);
  for (std::size_t j = 0; j < q.ports.size(); ++j)
    for (int k = 0; k < (q.discrete ? kDiscreteStates : 1); ++k) ydot[q.ports[j].state + k] = q.discrete ? 0 : work.solution.v[j];
}

/// Its block of derivatives at constant rates, without the direct ones of the forces: those are full matrices.
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

/// Sparsity pattern of a step's blocks: each part of the netlist adds slopes that cannot cancel. `state`: scratch.
std::vector<std::vector<Entry>> block_entries(const Hydraulics& netlist, HydraulicState& state) {
  std::vector<std::vector<char>> marked(netlist.circuits.size());
  const bool full = netlist.linear_oil != nullptr;
  for (std::size_t i = 0; i < netlist.circuits.size(); ++i) {
    const std::size_t n = netlist.circuits[i].size;
    marked[i].assign(n * n, full ? 1 : 0);
    for (std::size_t k = 0; k < n; ++k) marked[i][k * (n + 1)] = 1;
  }
  std::vector<int> touched;  // circuits that a part adds slopes to
  const auto touch = [&](int node) {
    if (node >= 0 && netlist.nodes[node].circuit >= 0) touched.push_back(netlist.nodes[node].circuit);
  };
  const auto mark = [&] {
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const int i : touched) {
      double* T = state.T.data() + netlist.circuits[i].block;
      for (std::size_t k = 0; k < marked[i].size(); ++k)
        if (std::exchange(T[k], 0) != 0) marked[i][k] = 1;
    }
    touched.clear();
  };
  for (double command : {-1.0, 1.0}) {  // valves that connect other nodes in either position
    std::fill(state.spool.begin(), state.spool.end(), command);
    for_each_element(netlist, [&](const auto& element) {
      element.edges(state.flow_inputs(), [&](int A, int B, auto&&) {
        add_edge(netlist, {A, B, 0, 1}, state);
        touch(A);
        touch(B);
      });
    });
    mark();  // once for all: slopes of flows between two nodes add up
  }
  std::fill(state.spool.begin(), state.spool.end(), 0.0);
  double slopes[kMaxComponentSlopes];
  for (int i = 0; i < kMaxComponentSlopes; ++i) slopes[i] = std::ldexp(1, i);  // no sum of a subset equals another
  for (const Component& c : netlist.components) {
    add_component(netlist, c, ComponentValues<>{}, slopes, state.ydot_scratch.data(), 0, state);
    for (const int node : c.nodes) touch(node);
    if (c.circuit >= 0) touched.push_back(c.circuit);
    mark();
  }
  for (const FlowSource& source : netlist.flow_sources) {
    add_flow_source(netlist, source, Dual<1>::variable(0, 0), state);
    touch(source.from);
    touch(source.to);
    mark();
  }
  for (const Actuator& a : netlist.actuators) {
    if (a.friction_local) continue;
    const std::size_t n = netlist.circuits[a.circuit].size;
    for (int k = 0; k < a.friction_states; ++k)
      for (int j = 0; j < a.friction_states; ++j) marked[a.circuit][(a.local + k) * n + a.local + j] = 1;
  }
  for (const Actuator& a : pistons_of(netlist)) {  // a motor passes the liquid fraction of one side on to the other
    if (a.cylinder.travel > 0 || a.A == a.B || netlist.nodes[a.A].state < 0 || netlist.nodes[a.B].state < 0) continue;
    const std::size_t n = netlist.circuits[a.circuit].size;
    const int A = netlist.nodes[a.A].local, B = netlist.nodes[a.B].local;
    marked[a.circuit][A * n + B] = marked[a.circuit][B * n + A] = 1;
  }
  for (const ControlEntry& e : control_entries(netlist)) marked[e.circuit][e.row * netlist.circuits[e.circuit].size + e.column] = 1;
  std::fill(state.R.begin(), state.R.end(), 0.0);
  std::vector<std::vector<Entry>> entries(netlist.circuits.size());
  for (std::size_t i = 0; i < netlist.circuits.size(); ++i)
    for (int row = 0; row < netlist.circuits[i].size; ++row)
      for (int column = 0; column < netlist.circuits[i].size; ++column)
        if (marked[i][row * netlist.circuits[i].size + column] != 0) entries[i].push_back({row, column});
  return entries;
}

}  // namespace

HydraulicState::HydraulicState(const Hydraulics& netlist)
    : OilValues(netlist),
      strain(netlist.nodes.size()),
      compressibility(netlist.nodes.size()),
      liquid(netlist.nodes.size(), Dual<1>(1)),
      capacity(netlist.nodes.size()),
      R(netlist.unknown_state.size()),
      force_s(netlist.actuators.size()),
      force_v(netlist.actuators.size()),
      force_p(netlist.actuators.size()),
      by_fraction(netlist.actuators.size()),
      oil_rate(netlist.actuators.size()),
      column(netlist.actuators.size()),
      varied_spool(netlist.control.empty() ? 0 : netlist.spools.size()) {
  std::size_t blocks = 0, columns = 0;
  for (const Circuit& c : netlist.circuits) blocks += static_cast<std::size_t>(c.size) * c.size;
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i) {
    column[i] = static_cast<int>(columns);
    columns += netlist.circuits[netlist.actuators[i].circuit].size;
  }
  T.resize(blocks);
  R_s.resize(columns);
  R_v.resize(columns);
  F_y.resize(columns);
  y_scratch.resize(netlist.ny);
  ydot_scratch.resize(netlist.ny);
  for (const Circuit& c : netlist.circuits) {
    std::vector<double*>& columns_of = F_y_of_circuit.emplace_back();
    for (int k : c.acting) columns_of.push_back(F_y.data() + column[k]);
  }
  block.reserve(netlist.circuits.size());
  if (!netlist.blocks.empty() && netlist.linear_oil == nullptr) {
    for (const auto& pattern : netlist.blocks) block.emplace_back(pattern);
  } else {
    const std::vector<std::vector<Entry>> entries = block_entries(netlist, *this);
    for (std::size_t i = 0; i < entries.size(); ++i) block.emplace_back(netlist.patterns->find(netlist.circuits[i].size, entries[i]));
  }
  if (netlist.linear_oil == nullptr) return;
  linear_f.resize(netlist.volumes.size());
  linear_J.resize(netlist.volumes.size() * netlist.volumes.size());
}

std::vector<std::shared_ptr<const SystemPattern>> block_patterns(const Hydraulics& netlist) {
  std::vector<std::shared_ptr<const SystemPattern>> patterns;
  for (const SystemMatrix& block : HydraulicState(netlist).block) patterns.push_back(block.pattern());
  return patterns;
}

void content_changes(const Hydraulics& netlist, const double* y_0, const double* s_0, const double* y_1, const double* s_1, double* dN,
                     StrainChange* strain) {
  const int volumes = static_cast<int>(netlist.volumes.size());  // the first of nodes and states
  for (int i = 0; i < volumes; ++i) {
    strain[i] = strain_change(netlist.fluid, y_0[i], y_1[i]);
    dN[i] = netlist.volumes[i].volume * strain[i].of(netlist.volumes[i].wall_compressibility);
  }
  for (int i = 0; i < netlist.pistons; ++i) {
    const Actuator& a = netlist.actuators[i];
    const Cylinder& c = a.cylinder;
    const double moved = sweep_between(fraction_at(netlist, a, y_0), fraction_at(netlist, a, y_1), s_1[i] - s_0[i]).moved;
    const auto add = [&](int node, double area, double length) {
      if (node < volumes)
        dN[node] += chamber_change(mean_size(c, area, length, moved), area, moved, strain[node].of(c.wall_compressibility),
                                   strain[drawn_node(a, node, moved)].liquid);
    };
    add(a.A, c.area_A, c.chamber_A(s_1[i]));
    add(a.B, -c.area_B, c.chamber_B(s_1[i]));
  }
}

namespace {

/// Calls add(volume, liquid area sdot, capacity) for every chamber, and first add(volume, 0, capacity) for every hose.
template <class Add>
void for_each_part(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, Add&& add) {
  const int volumes = static_cast<int>(netlist.volumes.size());
  for (int i = 0; i < volumes; ++i)
    add(i, 0.0,
        sub_volume_capacity(netlist.volumes[i].volume, netlist.fluid.compressibility_at(y[i]), netlist.volumes[i].wall_compressibility));
  for (int i = 0; i < netlist.pistons; ++i) {
    const Actuator& a = netlist.actuators[i];
    const Cylinder& c = a.cylinder;
    const double swept = fraction_at(netlist, a, y) * s_dot[i];
    const auto add_chamber = [&](int node, double area, double size) {
      if (node >= volumes) return;
      const int drawn = drawn_node(a, node, swept);
      add(node, (drawn < volumes ? netlist.fluid.liquid_fraction(y[drawn]) : 1) * area * swept,
          sub_volume_capacity(size, netlist.fluid.compressibility_at(y[node]), c.wall_compressibility));
    };
    add_chamber(a.A, c.area_A, c.area_A * c.chamber_A(s[i]));
    add_chamber(a.B, -c.area_B, c.area_B * c.chamber_B(s[i]));
  }
}

}  // namespace

void pressure_rates(const Hydraulics& netlist, const double* s, const double* s_dot, const double* inflow, const double* y, double* ydot,
                    HydraulicState& state) {
  const std::size_t volumes = netlist.volumes.size();
  std::copy_n(inflow, volumes, ydot);
  const bool linear = netlist.linear_oil != nullptr;
  double* C = state.capacity.data();
  std::fill_n(C, volumes, linear ? 1.0 : 0.0);
  if (linear) return;
  for_each_part(netlist, s, s_dot, y, [&](int volume, double drawn, double capacity) {
    C[volume] += capacity;
    ydot[volume] -= drawn;
  });
  for (std::size_t i = 0; i < volumes; ++i) ydot[i] /= C[i];
}

void start_oil_memory(const Hydraulics& netlist, double step, const double* s, const double* s_dot, const double* y, const double* ydot,
                      OilMemory<> memory) {
  *memory.step = step;
  std::fill_n(memory.lag, netlist.ny, 0.0);
  std::copy_n(s, netlist.actuators.size(), memory.s);
  if (netlist.linear_oil != nullptr) {
    std::copy_n(ydot, netlist.volumes.size(), memory.inflow);
    return;
  }
  std::fill_n(memory.inflow, netlist.volumes.size(), 0.0);
  for_each_part(netlist, s, s_dot, y,
                [&](int volume, double drawn, double capacity) { memory.inflow[volume] += drawn + capacity * ydot[volume]; });
}

void update_inputs(const Hydraulics& netlist, const Signals& signals, double t, Side side, HydraulicState& state) {
  for (SignalIndex i : netlist.used_signals) state.signal[i] = signals.value(i, t, side);
  for (std::size_t i = 0; i < netlist.nodes.size(); ++i)
    if (netlist.nodes[i].source >= 0) state.pressure[i] = state.signal[netlist.nodes[i].source];
  if (netlist.linear_oil == nullptr) return;
  const LinearOil& oil = *netlist.linear_oil;
  const auto [k, share] = oil.place(t);
  const auto mean = [left = k, next = share](const std::vector<std::vector<double>>& at, std::vector<double>& out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (1 - next) * at[left][i] + next * at[left + 1][i];
  };
  mean(oil.f, state.linear_f);
  mean(oil.J, state.linear_J);
}

namespace {

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

void evaluate_hydraulics(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                         HydraulicState& state) {
  load_pressures<double>(netlist, y, state);
  std::copy_n(s, netlist.actuators.size(), state.length.begin());
  const bool step = rule.factor > 0;
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
  });
  if (netlist.cushions) add_cushion_slopes(netlist, state);
  for (const Component& c : netlist.components) add_component(netlist, c, in, y, ydot, rule.factor, state);
  for (const FlowSource& source : netlist.flow_sources)
    add_flow_source(netlist, source, state.signal[source.flow] * (source.from >= 0 ? state.liquid[source.from] : Dual<1>(1)), state);
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i) {
    const Actuator& a = netlist.actuators[i];
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
      const ChamberSlopes of_A{R_s, R_v, &by_fraction.A, drawn_node(a, a.A, sweep.moved)},
          of_B{R_s, R_v, &by_fraction.B, drawn_node(a, a.B, sweep.moved)};
      if (step) {
        add_chamber(netlist, a.A, c.area_A, c.chamber_A(s[i]), sweep, c, rule, of_A, state);
        add_chamber(netlist, a.B, -c.area_B, c.chamber_B(s[i]), sweep, c, rule, of_B, state);
      } else {
        add_chamber(netlist, a.A, c.area_A, c.chamber_A(s[i]), sweep, c, ydot, of_A, state);
        add_chamber(netlist, a.B, -c.area_B, c.chamber_B(s[i]), sweep, c, ydot, of_B, state);
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
  if (step && !netlist.control.empty()) add_control(netlist, s, s_dot, y, ydot, rule, state);
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
      take_command<double>(netlist, netlist.quasistatic[i], state, state.quasistatic[i]);
  }
  for (std::size_t i = 0; i < netlist.quasistatic.size(); ++i)
    solve_step(netlist.quasistatic[i], s, s_dot, rule, y, ydot, state.quasistatic[i]);
}

void advance_quasistatic_states(const Hydraulics& netlist, const double* s, const double* s_dot, double h, const double* y_begin, double* y,
                                HydraulicState& state) {
  std::fill(state.y_scratch.begin(), state.y_scratch.end(), 0.0);
  const RateRelation rule{h, 1 / h, y_begin, state.y_scratch.data(), nullptr};
  for (std::size_t i = 0; i < netlist.quasistatic.size(); ++i) {
    const QuasistaticCircuit& q = netlist.quasistatic[i];
    if (!q.discrete && s_dot == nullptr) continue;
    load_pressures<double>(netlist, y, state);
    take_command<double>(netlist, q, state, state.quasistatic[i]);
    solve_step(q, s, s_dot, rule, y, state.ydot_scratch.data(), state.quasistatic[i]);
  }
}

namespace {

/// Net outflows of the volumes [m3/s] by elements, sources and components, with a LinearOil minus the rates of their pressures; rates of
/// all other states except spools; port forces, of quasistatic circuits at the rates `oil_rate`. All except the port forces into `ydot`.
void gather(const Hydraulics& netlist, const double* s, const double* s_dot, const double* oil_rate, const double* y, double* ydot,
            HydraulicState& state) {
  load_pressures<double>(netlist, y, state);
  std::copy_n(s, netlist.actuators.size(), state.length.begin());
  const int volumes = static_cast<int>(netlist.volumes.size());  // the first of nodes and states
  for (int i = 0; i < volumes; ++i)
    ydot[i] = netlist.linear_oil != nullptr ? -linear_rate(netlist, *netlist.linear_oil, i, s, s_dot, y, state) : 0;
  const auto add_flow = [&](int from, int to, double Q) {
    if (from >= 0 && from < volumes) ydot[from] += Q;
    if (to >= 0 && to < volumes) ydot[to] -= Q;
  };
  const FlowInputs<> in = state.flow_inputs();
  for_each_element(netlist, [&](const auto& element) {
    if (is_shut(element, in)) return;
    element.edges(in, [&](int A, int B, auto&& law) { add_flow(A, B, law(in.pressure[A] - in.pressure[B])); });
  });
  for (const FlowSource& source : netlist.flow_sources) add_flow(source.from, source.to, source_flow<double>(netlist, source, state));
  ComponentValues<> values;
  for (const Component& c : netlist.components) {
    read_component(c, in, y, values);
    c.law->evaluate(values.inputs(), values.Q, ydot + c.state);
    for_each_flow_path(c, values.Q, add_flow);
  }
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i) {
    const Actuator& a = netlist.actuators[i];
    PortForces<>& port = state.ports[i];
    set_cylinder_force(a, s[i], s_dot[i], state, port);
    port.friction = friction_factor<double>(a, state.pressure, y) * force_and_rates(a.friction, s_dot[i], y + a.state, ydot + a.state);
    port.force -= port.friction;
  }
  for (std::size_t i = 0; i < netlist.quasistatic.size(); ++i)
    add_quasistatic_rates(netlist, netlist.quasistatic[i], s, oil_rate, y, ydot, state.quasistatic[i], state);
}

}  // namespace

void evaluate_residual(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                       const RateRelation& rule, HydraulicState& state) {
  double *outflow = state.ydot_scratch.data(), *dN = state.capacity.data();
  gather(netlist, s, s_dot, s_dot, y, outflow, state);
  const bool linear = netlist.linear_oil != nullptr;
  if (!linear) content_changes(netlist, rule.y_begin, rule.s_begin, y, s, dN, state.strain.data());
  const int volumes = static_cast<int>(netlist.volumes.size());  // the first of nodes and states
  for (std::size_t i = 0; i < netlist.unknown_state.size(); ++i) {
    const int k = netlist.unknown_state[i];
    if (k >= volumes)
      state.R[i] = ydot[k] - outflow[k];
    else
      state.R[i] = (linear ? ydot[k] : rule.factor * dN[k] - rule.offset[k]) + outflow[k];
  }
  if (!netlist.control.empty()) set_control_residuals(netlist, s, s_dot, y, ydot, rule, state);
}

void evaluate_rates(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, double* ydot, HydraulicState& state,
                    const double* extra_rate) {
  if (!netlist.control.empty()) {
    load_pressures<double>(netlist, y, state);
    evaluate_blocks<double>(netlist, s, s_dot, y, ydot, state);
  }
  const double* oil_rate = s_dot;
  if (extra_rate != nullptr) {
    for (std::size_t i = 0; i < netlist.actuators.size(); ++i) state.oil_rate[i] = s_dot[i] + extra_rate[i];
    oil_rate = state.oil_rate.data();
  }
  gather(netlist, s, s_dot, oil_rate, y, ydot, state);
  for (std::size_t i = 0; i < netlist.volumes.size(); ++i) ydot[i] = -ydot[i];
  pressure_rates(netlist, s, oil_rate, ydot, y, ydot, state);
  for (const Spool& spool : netlist.spools) spool_rates(spool, state.signal[spool.signal], y + spool.state, ydot + spool.state);
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

bool condense(const Hydraulics& netlist, HydraulicState& state, int* circuit) {
  for (std::size_t i = 0; i < netlist.circuits.size(); ++i) {
    const Circuit& c = netlist.circuits[i];
    const double* T = state.T.data() + c.block;
    SystemMatrix& block = state.block[i];
    block.assemble([&](auto& entry) {
      for (const Entry& e : block.entries()) entry(e.row, e.column) = T[e.row * c.size + e.column];
    });
    if (!block.factor()) {
      *circuit = static_cast<int>(i);
      return false;
    }
    block.solve_transposed(state.F_y_of_circuit[i].data(), static_cast<int>(c.acting.size()));
  }
  return true;
}

void eliminate(const Hydraulics& netlist, const std::vector<std::vector<int>>& rows, const double* ds, const double* dsdot,
               HydraulicState& state) {
  for (std::size_t circuit = 0; circuit < netlist.circuits.size(); ++circuit) {
    const Circuit& c = netlist.circuits[circuit];
    double* R = state.R.data() + c.offset;
    for (int k : c.actuators) {
      const double *R_s = state.R_s.data() + state.column[k], *R_v = state.R_v.data() + state.column[k];
      for (const int i : rows[k]) R[i] += R_s[i] * ds[k] + R_v[i] * dsdot[k];
    }
    for (int i = 0; i < c.size; ++i) R[i] = -R[i];
    state.block[circuit].solve(R);
  }
}

}  // namespace trunnion
