// Which parts of a netlist are solved together, as a circuit, and where their unknowns are in its block.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "model/netlist_builder.h"

namespace trunnion {

namespace {

/// Which volumes are solved together.
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }
  int root(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int a, int b) { parent_[std::max(root(a), root(b))] = std::min(root(a), root(b)); }

 private:
  std::vector<int> parent_;
};

/// Calls join(a, b) for nodes between which oil flows.
template <class Join>
void join_flows(const Hydraulics& netlist, const Join& join) {
  for_each_element(netlist, [&](const auto& element) {
    const auto ends = element_nodes(element);
    for (const int* a : ends)
      for (const int* b : ends) join(*a, *b);
  });
  for (const FlowSource& source : netlist.flow_sources)
    if (source.from >= 0 && source.to >= 0) join(source.from, source.to);
}

/// The actuators that act on a circuit, and the places of its unknowns: per circuit the states that are its unknowns, in order.
void set_blocks(std::vector<std::vector<int>> unknowns, Hydraulics& netlist) {
  unknowns.resize(netlist.circuits.size());
  for (Circuit& c : netlist.circuits)
    for (const int i : c.actuators) {
      const Actuator& a = netlist.actuators[i];
      if (a.A >= 0 || a.drive >= 0 || (a.friction_states > 0 && !a.friction_local)) c.acting.push_back(i);
    }
  int entries = 0;
  for (std::size_t i = 0; i < netlist.circuits.size(); ++i) {
    Circuit& c = netlist.circuits[i];
    c.size = static_cast<int>(unknowns[i].size());
    c.offset = static_cast<int>(netlist.unknown_state.size());
    c.block = entries;
    entries += c.size * c.size;
    netlist.unknown_state.insert(netlist.unknown_state.end(), unknowns[i].begin(), unknowns[i].end());
  }
}

}  // namespace

void NetlistBuilder::build_circuits() {
  // nodes that can exchange oil share a circuit; a cylinder's chambers and friction belong together; sources separate
  const int volumes = static_cast<int>(netlist_.volumes.size());
  const std::size_t items = netlist_.nodes.size() + netlist_.actuators.size() + netlist_.components.size() + netlist_.control.size();
  Groups groups(items);
  const auto join = [&](int a, int b) {
    const bool source_a = a < static_cast<int>(netlist_.nodes.size()) && a >= volumes,
               source_b = b < static_cast<int>(netlist_.nodes.size()) && b >= volumes;
    if (!source_a && !source_b) groups.join(a, b);
  };
  join_flows(netlist_, join);
  for (int i = 0; i < netlist_.pistons; ++i) {
    join(static_cast<int>(netlist_.nodes.size()) + i, netlist_.actuators[i].A);
    join(static_cast<int>(netlist_.nodes.size()) + i, netlist_.actuators[i].B);
  }
  const auto component = [&](std::size_t i) { return static_cast<int>(netlist_.nodes.size() + netlist_.actuators.size() + i); };
  for (std::size_t i = 0; i < netlist_.components.size(); ++i)
    for (int node : netlist_.components[i].nodes) join(component(i), node);
  for (const QuasistaticCircuit& q : netlist_.quasistatic)
    for (const QuasistaticPort& port : q.ports)
      join(static_cast<int>(netlist_.nodes.size()) + q.ports.front().actuator, static_cast<int>(netlist_.nodes.size()) + port.actuator);
  const auto block = [&](int i) { return component(netlist_.components.size()) + i; };
  join_control(join, component, block);
  choose_unknown_blocks(netlist_);
  std::vector<int> circuits(items, -1);  // by root
  const auto circuit_of = [&](int i) {
    int& circuit = circuits[groups.root(i)];
    if (circuit < 0) {
      circuit = static_cast<int>(netlist_.circuits.size());
      netlist_.circuits.emplace_back();
    }
    return circuit;
  };
  std::vector<std::vector<int>> unknowns;
  const auto add_unknown = [&](int circuit, int state) {
    unknowns.resize(netlist_.circuits.size());
    unknowns[circuit].push_back(state);
    return static_cast<int>(unknowns[circuit].size()) - 1;
  };
  for (const Volume& v : netlist_.volumes) {
    PressureNode& n = netlist_.nodes[v.node];
    n.circuit = circuit_of(v.node);
    n.local = add_unknown(n.circuit, n.state);
  }
  for (std::size_t i = 0; i < netlist_.actuators.size(); ++i) {
    Actuator& a = netlist_.actuators[i];
    a.circuit = circuit_of(static_cast<int>(netlist_.nodes.size() + i));
    unknowns.resize(netlist_.circuits.size());
    a.local = static_cast<int>(unknowns[a.circuit].size());
    if (!a.friction_local)
      for (int k = 0; k < a.friction_states; ++k) add_unknown(a.circuit, a.state + k);
    netlist_.circuits[a.circuit].actuators.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < netlist_.components.size(); ++i) {
    Component& c = netlist_.components[i];
    const int states = static_cast<int>(c.law->info().states.size());
    const bool has_volume = std::any_of(c.nodes.begin(), c.nodes.end(), [&](int node) { return node < volumes; });
    if (states == 0 && !has_volume) continue;
    c.circuit = circuit_of(component(i));
    unknowns.resize(netlist_.circuits.size());
    c.local = static_cast<int>(unknowns[c.circuit].size());
    for (int k = 0; k < states; ++k) add_unknown(c.circuit, c.state + k);
  }
  for (std::size_t i = 0; i < netlist_.control.size(); ++i) {
    ControlBlock& b = netlist_.control[i];
    b.circuit = circuit_of(block(static_cast<int>(i)));
    unknowns.resize(netlist_.circuits.size());
    b.local = static_cast<int>(unknowns[b.circuit].size());
    for (int k = 0; k <= b.states() && b.unknown; ++k) add_unknown(b.circuit, b.output + k);
  }
  place_origins(netlist_);
  for (QuasistaticCircuit& q : netlist_.quasistatic)
    for (QuasistaticPort& port : q.ports) port.local = add_unknown(netlist_.actuators[port.actuator].circuit, port.state);
  set_blocks(unknowns, netlist_);
}

template <class Join, class ComponentNumber, class BlockNumber>
void NetlistBuilder::join_control(const Join& join, const ComponentNumber& component, const BlockNumber& block) {
  const auto driver = [&](int spool) { return spool < 0 ? -1 : netlist_.spools[spool].block; };
  const auto actuator = [&](std::size_t i) { return static_cast<int>(netlist_.nodes.size() + i); };
  for (std::size_t i = 0; i < netlist_.actuators.size(); ++i)
    if (const SignalIndex drive = netlist_.actuators[i].drive; drive >= 0) join(block(netlist_.block_of_signal[drive]), actuator(i));
  for (const int node : netlist_.driven_sources) {
    const int by = block(netlist_.block_of_signal[netlist_.nodes[node].source]);
    for_each_element(netlist_, [&](const auto& element) {
      const auto nodes = element_nodes(element);
      if (std::any_of(nodes.begin(), nodes.end(), [&](const int* at) { return *at == node; }))
        for (const int* at : nodes) join(by, *at);
    });
    for (std::size_t i = 0; i < netlist_.components.size(); ++i) {
      const std::vector<int>& nodes = netlist_.components[i].nodes;
      if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) join(by, component(i));
    }
    for (int i = 0; i < netlist_.pistons; ++i)
      if (netlist_.actuators[i].A == node || netlist_.actuators[i].B == node) join(by, actuator(static_cast<std::size_t>(i)));
  }
  for (std::size_t i = 0; i < netlist_.control.size(); ++i)
    for (const BlockInput& input : netlist_.control[i].inputs) {
      const int other = input.kind == BlockInput::Kind::signal ? netlist_.block_of_signal[input.index] : -1,
                at = block(static_cast<int>(i));
      if (other >= 0) join(at, block(other));
      if (input.kind == BlockInput::Kind::pressure) join(at, input.index);
      if (input.kind == BlockInput::Kind::position || input.kind == BlockInput::Kind::rate)
        join(at, actuator(static_cast<std::size_t>(input.index)));
    }
  for_each_element(netlist_, [&](const auto& element) {
    if constexpr (requires { element.spool; })
      if (const int by = driver(element.spool); by >= 0)
        for (const int* node : element_nodes(element)) join(block(by), *node);
  });
  for (std::size_t i = 0; i < netlist_.components.size(); ++i)
    for (const int spool : netlist_.components[i].spools)
      if (driver(spool) >= 0) join(block(driver(spool)), component(i));
  for (std::size_t i = 0; i < netlist_.actuators.size(); ++i)
    if (const int by = driver(netlist_.actuators[i].spool); by >= 0) join(block(by), static_cast<int>(netlist_.nodes.size() + i));
  for (const QuasistaticCircuit& q : netlist_.quasistatic) {
    const int at = actuator(static_cast<std::size_t>(q.ports.front().actuator));
    if (const int by = netlist_.block_of_signal[q.flow]; by >= 0) join(block(by), at);
    for (int k = 0; k < commands_of(q); ++k)
      if (const int by = driver(command_of(q, k)); by >= 0) join(block(by), at);
  }
  for (const FlowSource& source : netlist_.flow_sources)
    if (const int by = netlist_.block_of_signal[source.flow]; by >= 0)
      for (const int node : {source.from, source.to})
        if (node >= 0) join(block(by), node);
}

}  // namespace trunnion
