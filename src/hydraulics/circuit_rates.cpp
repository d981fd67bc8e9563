// A netlist without derivatives: changes of the volumes' contents, rates of all states, and the residual of a step.
// Sources: those of circuit.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "hydraulics/circuit_rows.h"
#include "hydraulics/linear_oil.h"
#include "hydraulics/port_forces.h"
#include "hydraulics/quasistatic_ports.h"
#include "hydraulics/volume_content.h"

namespace trunnion {

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
      if (node >= volumes) return;
      double liquid = 0;
      visit_drawn_node(a, node, moved, [&](int drawn, double share) { liquid += share * strain[drawn].liquid; });
      dN[node] += chamber_change(mean_size(c, area, length, moved), area, moved, strain[node].of(c.wall_compressibility), liquid);
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
      double liquid = 0;
      visit_drawn_node(a, node, swept,
                       [&](int drawn, double share) { liquid += share * (drawn < volumes ? netlist.fluid.liquid_fraction(y[drawn]) : 1); });
      add(node, liquid * area * swept, sub_volume_capacity(size, netlist.fluid.compressibility_at(y[node]), c.wall_compressibility));
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
  renew_oil_memory(netlist, s, s_dot, y, ydot, memory);
}

void renew_oil_memory(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                      OilMemory<> memory) {
  for (int i = static_cast<int>(netlist.volumes.size()); i < netlist.ny; ++i)  // what does not move from here on, as a timer that is reset
    memory.lag[i] = select(ydot[i] == 0, 0, memory.lag[i]);
  std::copy_n(s, netlist.actuators.size(), memory.s);
  if (netlist.linear_oil != nullptr) {
    std::copy_n(ydot, netlist.volumes.size(), memory.inflow);
    return;
  }
  std::fill_n(memory.inflow, netlist.volumes.size(), 0.0);
  for_each_part(netlist, s, s_dot, y,
                [&](int volume, double drawn, double capacity) { memory.inflow[volume] += drawn + capacity * ydot[volume]; });
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

void evaluate_residual(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                       HydraulicState& state) {
  double *outflow = state.ydot_scratch.data(), *dN = state.capacity.data();
  if (!netlist.control.empty()) {
    load_pressures<double>(netlist, y, state);
    follow_control(netlist, s, s_dot, rule, false, y, ydot, state);
  }
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
  if (!netlist.control.empty()) set_control_residuals(netlist, s, s_dot, y, ydot, state);
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

}  // namespace trunnion
