// Which control blocks are unknowns of a step, what the values of the others depend on, and where their slopes are.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "hydraulics/circuit.h"
#include "hydraulics/control.h"

namespace trunnion {

namespace {

/// A value that depends on more adds more slopes than its unknown does.
constexpr std::size_t kMostOrigins = 4;

/// Per block: whether a step needs its value or states as unknowns: their slopes in port forces and quasistatic circuits, or as inputs.
std::vector<bool> needed_as_unknowns(const Hydraulics& netlist) {
  std::vector<bool> needed(netlist.control.size());
  const auto need = [&](int block) {
    if (block >= 0) needed[static_cast<std::size_t>(block)] = true;
  };
  const auto need_spool = [&](int spool) { need(spool < 0 ? -1 : netlist.spools[spool].block); };
  for (const Actuator& a : netlist.actuators) {
    if (a.drive >= 0) need(netlist.block_of_signal[a.drive]);
    need_spool(a.spool);
  }
  for (const int node : netlist.driven_sources) need(netlist.block_of_signal[netlist.nodes[node].source]);
  for (const QuasistaticCircuit& q : netlist.quasistatic) {
    need(netlist.block_of_signal[q.flow]);
    for (int k = 0; k < commands_of(q); ++k) need_spool(command_of(q, k));
  }
  for (const ControlBlock& b : netlist.control)
    for (const BlockInput& input : b.inputs)
      if (input.state >= 0) need(netlist.block_of_signal[input.index]);
  return needed;
}

/// Origins and links of block i as a function of its inputs; false: it is none.
bool find_origins(const Hydraulics& netlist, std::size_t i, ControlBlock& b) {
  const auto link = [&](int input, const BlockOrigin& origin, int from) {
    const auto found = std::find(b.origins.begin(), b.origins.end(), origin);
    b.links.push_back({input, b.slope + static_cast<int>(found - b.origins.begin()), from});
    if (found == b.origins.end()) b.origins.push_back(origin);
  };
  for (int k = 0; k < static_cast<int>(b.inputs.size()); ++k) {
    const BlockInput& input = b.inputs[static_cast<std::size_t>(k)];
    if (input.ahead) continue;
    if (input.kind != BlockInput::Kind::signal) {
      if (input.kind != BlockInput::Kind::pressure || netlist.nodes[input.index].state >= 0) link(k, {input.kind, input.index}, -1);
      continue;
    }
    const int block = netlist.block_of_signal[input.index];
    if (block >= static_cast<int>(i) || input.state >= 0) return false;  // found after it, or a state
    const ControlBlock& from = netlist.control[block];
    for (std::size_t o = 0; o < from.origins.size(); ++o) link(k, from.origins[o], from.slope + static_cast<int>(o));
  }
  return b.origins.size() <= kMostOrigins;
}

/// Calls visit(circuit, row) for the rows of circuits' blocks that a block's value acts on, by elements, components, sources and blocks.
template <class Visit>
void for_each_driven_row(const Hydraulics& netlist, const ControlBlock& b, Visit&& visit) {
  const auto visit_node = [&](int node) {
    if (node >= 0 && netlist.nodes[node].state >= 0) visit(netlist.nodes[node].circuit, netlist.nodes[node].local);
  };
  const auto visit_component = [&](const Component& c) {
    for (const int node : c.nodes) visit_node(node);
    for (std::size_t k = 0; k < c.law->info().states.size() && c.circuit >= 0; ++k) visit(c.circuit, c.local + static_cast<int>(k));
  };
  const auto by = [&](int spool) { return spool >= 0 && netlist.spools[spool].signal == b.signal && netlist.spools[spool].driven(); };
  const auto is_driven_source = [&](int node) {
    return node >= 0 && netlist.nodes[node].state < 0 && netlist.nodes[node].source == b.signal;
  };
  for_each_element(netlist, [&](const auto& element) {
    const auto nodes = element_nodes(element);
    bool driven = std::any_of(nodes.begin(), nodes.end(), [&](const int* at) { return is_driven_source(*at); });
    if constexpr (requires { element.spool; }) driven = driven || by(element.spool);
    for (const int* node : nodes)
      if (driven) visit_node(*node);
  });
  for (const Actuator& a : netlist.actuators)
    if (by(a.spool))
      for (const int node : {a.A, a.B}) visit_node(node);
  for (const Component& c : netlist.components)
    if (std::any_of(c.spools.begin(), c.spools.end(), by) || std::any_of(c.nodes.begin(), c.nodes.end(), is_driven_source))
      visit_component(c);
  for (const QuasistaticCircuit& q : netlist.quasistatic) {
    bool driven = q.flow == b.signal;
    for (int k = 0; k < commands_of(q); ++k) driven = driven || by(command_of(q, k));
    for (const QuasistaticPort& port : q.ports)
      if (driven) visit(netlist.actuators[port.actuator].circuit, port.local);
  }
  for (const FlowSource& source : netlist.flow_sources)
    if (source.flow == b.signal)
      for (const int node : {source.from, source.to}) visit_node(node);
  for (const ControlBlock& reader : netlist.control)
    if (reader.unknown && std::any_of(reader.inputs.begin(), reader.inputs.end(), [&](const BlockInput& input) {
          return input.kind == BlockInput::Kind::signal && input.index == b.signal && !input.ahead;
        }))
      for (int row = 0; row <= reader.states(); ++row) visit(reader.circuit, reader.local + row);
}

}  // namespace

[[gnu::cold]] void choose_unknown_blocks(Hydraulics& netlist) {
  const std::vector<bool> needed = needed_as_unknowns(netlist);
  int slopes = 0;
  for (std::size_t i = 0; i < netlist.control.size(); ++i) {
    ControlBlock& b = netlist.control[i];
    b.slope = slopes;
    b.unknown = !b.sampled() && !b.known() && (needed[i] || !find_origins(netlist, i, b));
    if (b.unknown) {
      b.links.clear();
      b.origins = {{BlockInput::Kind::signal, static_cast<int>(i)}};
    }
    slopes += static_cast<int>(b.origins.size());
  }
}

[[gnu::cold]] void place_origins(Hydraulics& netlist) {
  for (ControlBlock& b : netlist.control)
    for (BlockOrigin& origin : b.origins)
      if (!origin.is_port())
        origin.index = origin.kind == BlockInput::Kind::pressure ? netlist.nodes[origin.index].local : netlist.control[origin.index].local;
}

[[gnu::cold]] std::vector<ControlEntry> control_entries(const Hydraulics& netlist) {
  std::vector<ControlEntry> entries;
  for (const ControlBlock& b : netlist.control) {
    for_each_driven_row(netlist, b, [&](int circuit, int row) {
      for (const BlockOrigin& origin : b.origins)
        if (!origin.is_port()) entries.push_back({circuit, row, origin.index});
    });
    for (int row = 0; row <= b.states() && b.unknown; ++row) {
      for (int k = 0; k < b.states(); ++k) entries.push_back({b.circuit, b.local + row, b.local + 1 + k});
      for (const BlockInput& input : b.inputs) {
        if (input.ahead) continue;
        if (input.kind == BlockInput::Kind::pressure && netlist.nodes[input.index].state >= 0)
          entries.push_back({b.circuit, b.local + row, netlist.nodes[input.index].local});
        if (input.state < 0) continue;
        const ControlBlock& read = netlist.control[netlist.block_of_signal[input.index]];
        entries.push_back({b.circuit, b.local + row, read.local + input.state - read.output});
      }
    }
  }
  return entries;
}

[[gnu::cold]] void add_control_rows(const Hydraulics& netlist, int port, std::vector<int>& rows) {
  const auto add = [&](int, int row) {
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  };
  for (const ControlBlock& b : netlist.control) {
    if (std::any_of(b.origins.begin(), b.origins.end(), [&](const BlockOrigin& o) { return o.is_port() && o.index == port; }))
      for_each_driven_row(netlist, b, add);
    if (b.unknown && std::any_of(b.inputs.begin(), b.inputs.end(), [&](const BlockInput& input) {
          return (input.kind == BlockInput::Kind::position || input.kind == BlockInput::Kind::rate) && input.index == port;
        }))
      for (int k = 0; k <= b.states(); ++k) add(b.circuit, b.local + k);
  }
}

}  // namespace trunnion
