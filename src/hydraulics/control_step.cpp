// Control blocks in a step: residuals, slopes, and the prediction.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "hydraulics/circuit.h"
#include "hydraulics/control.h"

namespace trunnion {

namespace {

/// Column of an input in its circuit's block; -1: a port, the pressure of a source, or what is known ahead.
int column_of(const Hydraulics& netlist, const BlockInput& input) {
  if (input.ahead) return -1;
  switch (input.kind) {
    case BlockInput::Kind::signal: {
      const int block = netlist.block_of_signal[input.index];
      if (block < 0) return -1;
      const ControlBlock& b = netlist.control[block];
      return b.local + (input.state >= 0 ? input.state - b.output : 0);
    }
    case BlockInput::Kind::pressure:
      return netlist.nodes[input.index].state >= 0 ? netlist.nodes[input.index].local : -1;
    default:
      return -1;
  }
}
bool reads_port(const BlockInput& input) { return input.kind == BlockInput::Kind::position || input.kind == BlockInput::Kind::rate; }

/// Whether some command of a component is driven.
bool is_driven(const Hydraulics& netlist, const Component& c) {
  return std::any_of(c.spools.begin(), c.spools.end(), [&](int spool) { return netlist.spools[spool].driven(); });
}
/// Column of the value that drives a spool in its circuit's block.
int column_of(const Hydraulics& netlist, const Spool& spool) { return netlist.control[spool.block].local; }

/// A driven spool at the end of a step, at the value that drives it.
template <class S>
void follow(const Spool& spool, const RateRelation& rule, const S& value, S* x) {
  for (int k = 0; k < spool.states(); ++k) x[k] = rule.y_begin[spool.state + k];
  advance_spool(spool, rule.factor, rule.offset + spool.state, value, x);
}
/// ... and its slope there.
Dual<1> varied(const Spool& spool, const RateRelation& rule, const HydraulicState& state) {
  Dual<1> x[2];
  follow(spool, rule, Dual<1>::variable(state.signal[spool.signal], 0), x);
  return x[0];
}

/// Column of a block's value, which is a signal.
int column_of_block(const Hydraulics& netlist, SignalIndex signal) { return netlist.control[netlist.block_of_signal[signal]].local; }

/// Whether an element with these nodes is connected to one.
template <class Nodes>
bool is_at(const Nodes& nodes, int node) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const int* at) { return *at == node; });
}

/// Adds a flow's slope in a command at `column` to the balances of its nodes.
void add_command_slope(const Hydraulics& netlist, int A, int B, int column, double slope, HydraulicState& state) {
  const auto add = [&](int node, double sign) {
    if (node < 0 || netlist.nodes[node].state < 0) return;
    const PressureNode& n = netlist.nodes[node];
    const Circuit& c = netlist.circuits[n.circuit];
    state.T[c.block + n.local * c.size + column] += sign * slope;
  };
  add(A, 1);
  add(B, -1);
}

/// Slopes of a component's flows and rates in single inputs.
struct ComponentSlopes {
  using S = Dual<1>;
  const Hydraulics& netlist;
  const Component& c;
  HydraulicState& state;
  ComponentValues<S> varied;

  ComponentSlopes(const Hydraulics& of, const Component& component, const double* y, HydraulicState& at)
      : netlist(of), c(component), state(at) {
    ComponentValues<> values;
    read_component(c, state.flow_inputs(), y, values);
    std::copy_n(values.p, c.nodes.size(), varied.p);
    std::copy_n(values.x, c.law->info().states.size(), varied.x);
    std::copy_n(values.u, c.spools.size(), varied.u);
  }
  /// In an input with that slope in the unknown of that column.
  void add(S& input, double slope, int column) {
    input.d[0] = slope;
    c.law->evaluate(varied.inputs(), varied.Q, varied.rate);
    input.d[0] = 0;
    for_each_flow_path(c, varied.Q, [&](int A, int B, const S& Q) { add_command_slope(netlist, A, B, column, Q.d[0], state); });
    if (c.circuit < 0) return;
    const Circuit& circuit = netlist.circuits[c.circuit];
    for (std::size_t k = 0; k < c.law->info().states.size(); ++k)
      state.T[circuit.block + (c.local + static_cast<std::ptrdiff_t>(k)) * circuit.size + column] -= varied.rate[k].d[0];
  }
};

/// Slopes of flows, rates and port forces in driven pressures of sources.
void add_source_slopes(const Hydraulics& netlist, const double* y, HydraulicState& state) {
  for (const int node : netlist.driven_sources) {
    const int column = column_of_block(netlist, netlist.nodes[node].source);
    for_each_element(netlist, [&](const auto& element) {
      if (!is_at(element_nodes(element), node)) return;
      for_each_flow(element, state.flow_inputs(), [&](const FlowEdge& e) {
        if (e.A == node) add_command_slope(netlist, e.A, e.B, column, e.slope, state);
        if (e.B == node) add_command_slope(netlist, e.A, e.B, column, -e.slope, state);
      });
    });
    for (const Component& c : netlist.components) {
      if (std::find(c.nodes.begin(), c.nodes.end(), node) == c.nodes.end()) continue;
      ComponentSlopes slopes(netlist, c, y, state);
      for (std::size_t i = 0; i < c.nodes.size(); ++i)
        if (c.nodes[i] == node) slopes.add(slopes.varied.p[i], 1, column);
    }
    for (int i = 0; i < netlist.pistons; ++i) {
      const Actuator& a = netlist.actuators[i];
      if (a.A == node) state.F_y[state.column[i] + column] += state.force_p[i][0];
      if (a.B == node) state.F_y[state.column[i] + column] += state.force_p[i][1];
    }
  }
}

/// Column of the flow (k < 0) or command k of a quasistatic circuit; -1: no block drives it.
int column_of(const Hydraulics& netlist, const QuasistaticCircuit& q, int k) {
  if (k < 0) return netlist.block_of_signal[q.flow] >= 0 ? column_of_block(netlist, q.flow) : -1;
  const int spool = command_of(q, k);
  return spool >= 0 && netlist.spools[spool].driven() ? column_of(netlist, netlist.spools[spool]) : -1;
}

/// Slopes of the states p of quasistatic circuits in driven flows and commands: p = ... + v/c at given load lines.
void add_metering_slopes(const Hydraulics& netlist, const RateRelation& rule, HydraulicState& state) {
  using S = Dual<1>;
  for (std::size_t i = 0; i < netlist.quasistatic.size(); ++i) {
    const QuasistaticCircuit& q = netlist.quasistatic[i];
    QuasistaticWork& work = state.quasistatic[i];
    const Circuit& c = netlist.circuits[netlist.actuators[q.ports.front().actuator].circuit];
    const double factor = q.discrete ? 1 / rule.step : rule.factor;
    bool known = false;
    for (int k = -1; k < commands_of(q); ++k) {
      const int column = column_of(netlist, q, k);
      if (column < 0) continue;
      if (!known) recover_flows(q, work);
      known = true;
      std::fill(work.fbar_change.begin(), work.fbar_change.end(), 0.0);
      std::copy(state.spool.begin(), state.spool.end(), state.varied_spool.begin());
      S flow(state.signal[q.flow]);
      if (k < 0)
        flow.d[0] = 1;
      else
        state.varied_spool[command_of(q, k)] = varied(netlist.spools[command_of(q, k)], rule, state);
      read_command<S>(q, flow, state.varied_spool.data(), work);
      admit_command(work);
      change_flows(q.metering, work.command(), work.command_change(), work.beta, work.fbar_change, work.flows, work.pump, work.flow_changes,
                   work.pump_change);
      for (std::size_t j = 0; j < q.ports.size(); ++j)
        state.T[c.block + static_cast<std::ptrdiff_t>(q.ports[j].local) * c.size + column] -= work.flow_changes[j].v / factor;
    }
  }
}

/// Slopes of port forces that blocks drive.
void add_drive_slopes(const Hydraulics& netlist, HydraulicState& state) {
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i)
    if (const Actuator& a = netlist.actuators[i]; a.drive >= 0)  // of one that follows a block, of the block's first state
      state.F_y[state.column[i] + column_of_block(netlist, a.drive) + (a.follows ? 1 : 0)] += a.follows ? 1 : a.gain;
}

/// Slopes of motors, of flows and rates of components and of flow sources in driven commands.
void add_command_slopes(const Hydraulics& netlist, const double* y, HydraulicState& state) {
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i) {
    const Actuator& a = netlist.actuators[i];
    if (a.spool < 0 || !netlist.spools[a.spool].driven()) continue;
    const int column = column_of(netlist, netlist.spools[a.spool]);
    const FractionSlopes& slopes = state.by_fraction[i];
    const double moved = state.varied_spool[a.spool].d[0];
    add_command_slope(netlist, a.A, -1, column, moved * slopes.A, state);
    add_command_slope(netlist, a.B, -1, column, moved * slopes.B, state);
    state.F_y[state.column[i] + column] += moved * slopes.force;
  }
  for (const Component& c : netlist.components) {
    if (!is_driven(netlist, c)) continue;
    ComponentSlopes slopes(netlist, c, y, state);
    for (std::size_t i = 0; i < c.spools.size(); ++i)
      if (const Spool& spool = netlist.spools[c.spools[i]]; spool.driven()) {
        slopes.add(slopes.varied.u[i], state.varied_spool[c.spools[i]].d[0], column_of(netlist, spool));
      }
  }
  for (const FlowSource& source : netlist.flow_sources) {
    const int block = netlist.block_of_signal[source.flow];
    if (block < 0) continue;
    const double liquid = source.from >= 0 ? state.liquid[source.from].value : 1;
    add_command_slope(netlist, source.from, source.to, netlist.control[block].local, liquid, state);
  }
}

/// Own rows of a block whose value is known ahead.
void add_known(const Hydraulics& netlist, const ControlBlock& b, const double* y, const RateRelation& rule, HydraulicState& state) {
  const Circuit& c = netlist.circuits[b.circuit];
  state.R[c.offset + b.local] = y[b.output] - rule.offset[b.output];
  state.T[c.block + b.local * (c.size + 1)] += 1;
}

/// A continuous block's own rows.
void add_block(const Hydraulics& netlist, const ControlBlock& b, const double* s, const double* s_dot, const double* y, const double* ydot,
               double factor, HydraulicState& state) {
  const Circuit& c = netlist.circuits[b.circuit];
  double *T = state.T.data() + c.block + b.local * c.size, *R = state.R.data() + c.offset + b.local;
  double u[kMaxBlockInputs];
  read_block<double>(b, s, s_dot, y, state, u);
  const int inputs = static_cast<int>(b.inputs.size());
  int column[kMaxBlockInputs];
  for (int k = 0; k < inputs; ++k) column[k] = column_of(netlist, b.inputs[k]);
  const auto varies = [&](int k) { return column[k] >= 0 || reads_port(b.inputs[k]); };
  const auto set_residual = [&](int row, double number) {
    R[row] = (row == 0 ? y[b.output] : ydot[b.output + row]) - number;
    T[row * c.size + b.local + row] += row == 0 ? 1 : factor;
  };
  b.law->differentiate(u, y + b.output + 1, varies, set_residual, [&](int row, int k, double slope) {
    if (k >= inputs) {
      T[row * c.size + b.local + 1 + k - inputs] -= slope;
      return;
    }
    const BlockInput& input = b.inputs[k];
    if (reads_port(input)) {
      std::vector<double>& slopes = input.kind == BlockInput::Kind::position ? state.R_s : state.R_v;
      slopes[state.column[input.index] + b.local + row] -= slope;
    } else {
      T[row * c.size + column[k]] -= slope;
    }
  });
}

/// Rows of entries that are constant in a step.
void add_constant(const Hydraulics& netlist, const ControlBlock& b, const double* y, const RateRelation& rule, HydraulicState& state) {
  const Circuit& c = netlist.circuits[b.circuit];
  for_each_constant(b, [&](int k) {
    const int i = b.output + k, row = b.local + k;
    state.R[c.offset + row] = y[i] - rule.y_begin[i];
    state.T[c.block + row * (c.size + 1)] += 1;
  });
}

}  // namespace

template <class Element>
void add_driven_element(const Hydraulics& netlist, const Element& element, HydraulicState& state) {
  using S = Dual<1>;
  const int column = column_of(netlist, netlist.spools[element.spool]);
  const S& command = state.varied_spool[element.spool];
  if constexpr (requires { element.opening; })
    if (const S opening = element.opening(command); opening.value == 0 && opening.d[0] == 0) return;  // most metering edges
  element.edges(FlowInputs<S>{nullptr, nullptr, state.varied_spool.data()}, [&](int A, int B, auto&& law) {
    const S Q = law(S(state.pressure[A] - state.pressure[B]));
    add_command_slope(netlist, A, B, column, Q.d[0], state);
  });
}
template void add_driven_element(const Hydraulics&, const Orifice&, HydraulicState&);
template void add_driven_element(const Hydraulics&, const DirectionalValve&, HydraulicState&);

void predict_control(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, const RateRelation& rule,
                     HydraulicState& state) {
  double u[kMaxBlockInputs], before[kMaxBlockStates + 1], increment[kMaxBlockStates + 1];
  for (const Volume& volume : netlist.volumes) state.pressure[volume.node] = y[netlist.nodes[volume.node].state];
  for (const ControlBlock& b : netlist.control) state.signal[b.signal] = y[b.output];
  for (const ControlBlock& b : netlist.control) {
    if (b.sampled()) continue;
    read_block<double>(b, s, s_dot, y, state, u);
    double* const x = y + b.output + 1;
    if (const int states = b.states(); states > 0) {
      for (int k = 0; k < states; ++k) before[k] = rule.y_begin[b.output + 1 + k] + rule.offset[b.output + 1 + k] / rule.factor;
      advance_states(*b.law, u, 1 / rule.factor, before, x, increment);
    }
    y[b.output] = state.signal[b.signal] = b.law->value(u, x);
  }
}

void follow_blocks(const Hydraulics& netlist, const RateRelation& rule, double* y, double* ydot) {
  for (const Spool& spool : netlist.spools) {
    if (!spool.driven() || spool.follows()) continue;
    const double value = y[netlist.control[spool.block].output];
    follow<double>(spool, rule, value, y + spool.state);
    spool_rates(spool, value, y + spool.state, ydot + spool.state);
  }
}

void set_varied_spools(const Hydraulics& netlist, const RateRelation& rule, HydraulicState& state) {
  for (std::size_t i = 0; i < netlist.spools.size(); ++i)
    if (netlist.spools[i].driven()) state.varied_spool[i] = varied(netlist.spools[i], rule, state);
}

void add_control(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                 const RateRelation& rule, HydraulicState& state) {
  for (const ControlBlock& b : netlist.control) {
    if (b.known()) {
      add_known(netlist, b, y, rule, state);
      continue;
    }
    if (!b.sampled()) add_block(netlist, b, s, s_dot, y, ydot, rule.factor, state);
    add_constant(netlist, b, y, rule, state);
  }
  add_command_slopes(netlist, y, state);
  add_source_slopes(netlist, y, state);
  add_metering_slopes(netlist, rule, state);
  add_drive_slopes(netlist, state);
}

void set_control_residuals(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                           const RateRelation& rule, HydraulicState& state) {
  double u[kMaxBlockInputs], rate[kMaxBlockStates + 1];
  for (const ControlBlock& b : netlist.control) {
    double* R = state.R.data() + netlist.circuits[b.circuit].offset + b.local;
    if (b.known()) {
      R[0] = y[b.output] - rule.offset[b.output];
      continue;
    }
    if (!b.sampled()) {
      read_block<double>(b, s, s_dot, y, state, u);
      R[0] = y[b.output] - b.law->evaluate(u, y + b.output + 1, rate);
      const int states = b.states();
      for (int k = 1; k <= states; ++k) R[k] = ydot[b.output + k] - rate[k - 1];
    }
    for_each_constant(b, [&](int k) { R[k] = y[b.output + k] - rule.y_begin[b.output + k]; });
  }
}

namespace {

/// Calls visit(element, spool) for the flow elements with a driven spool.
template <class Visit>
void for_each_driven_element(const Hydraulics& netlist, Visit&& visit) {
  for_each_element(netlist, [&](const auto& element) {
    if constexpr (requires { element.spool; })
      if (element.spool >= 0 && netlist.spools[element.spool].driven()) visit(element, element.spool);
  });
}

}  // namespace

std::vector<ControlEntry> control_entries(const Hydraulics& netlist) {
  std::vector<ControlEntry> entries;
  if (netlist.control.empty()) return entries;
  for (const ControlBlock& b : netlist.control)
    for (int row = 0; row <= b.states(); ++row) {
      for (int k = 0; k < b.states(); ++k) entries.push_back({b.circuit, b.local + row, b.local + 1 + k});
      for (const BlockInput& input : b.inputs)
        if (const int column = column_of(netlist, input); column >= 0) entries.push_back({b.circuit, b.local + row, column});
    }
  const auto add_nodes = [&](const auto& nodes, int column) {
    for (const int node : nodes)
      if (node >= 0 && netlist.nodes[node].state >= 0) entries.push_back({netlist.nodes[node].circuit, netlist.nodes[node].local, column});
  };
  const auto add_component = [&](const Component& c, int column) {
    add_nodes(c.nodes, column);
    for (std::size_t k = 0; k < c.law->info().states.size() && c.circuit >= 0; ++k)
      entries.push_back({c.circuit, c.local + static_cast<int>(k), column});
  };
  for_each_driven_element(netlist, [&](const auto& element, int spool) {
    std::vector<int> nodes;
    for (const int* node : element_nodes(element)) nodes.push_back(*node);
    add_nodes(nodes, column_of(netlist, netlist.spools[spool]));
  });
  for (const Actuator& a : netlist.actuators)
    if (a.spool >= 0 && netlist.spools[a.spool].driven())
      add_nodes(std::vector<int>{a.A, a.B}, column_of(netlist, netlist.spools[a.spool]));
  for (const Component& c : netlist.components)
    for (const int spool : c.spools) {
      if (!netlist.spools[spool].driven()) continue;
      add_component(c, column_of(netlist, netlist.spools[spool]));
    }
  for (const int node : netlist.driven_sources) {
    const int column = column_of_block(netlist, netlist.nodes[node].source);
    for_each_element(netlist, [&](const auto& element) {
      std::vector<int> nodes;
      for (const int* at : element_nodes(element)) nodes.push_back(*at);
      if (is_at(element_nodes(element), node)) add_nodes(nodes, column);
    });
    for (const Component& c : netlist.components)
      if (std::find(c.nodes.begin(), c.nodes.end(), node) != c.nodes.end()) add_component(c, column);
  }
  for (const QuasistaticCircuit& q : netlist.quasistatic)
    for (int k = -1; k < commands_of(q); ++k)
      if (const int column = column_of(netlist, q, k); column >= 0)
        for (const QuasistaticPort& port : q.ports) entries.push_back({netlist.actuators[port.actuator].circuit, port.local, column});
  for (const FlowSource& source : netlist.flow_sources)
    if (const int block = netlist.block_of_signal[source.flow]; block >= 0)
      add_nodes(std::vector<int>{source.from, source.to}, netlist.control[block].local);
  return entries;
}

void add_control_rows(const Hydraulics& netlist, int port, std::vector<int>& rows) {
  for (const ControlBlock& b : netlist.control)
    if (std::any_of(b.inputs.begin(), b.inputs.end(), [&](const BlockInput& input) { return reads_port(input) && input.index == port; }))
      for (int k = 0; k <= b.states() && !b.sampled(); ++k) rows.push_back(b.local + k);
}

}  // namespace trunnion
