// What is found once for a netlist: the entries that the circuits' blocks dR/dy can have in a step, and the sizes of all that is evaluated.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>

#include "hydraulics/circuit.h"
#include "hydraulics/circuit_rows.h"

namespace trunnion {

namespace {

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
    for (const int drawn : {source.from, source.to})
      if (drawn >= 0 && netlist.nodes[drawn].state >= 0) {
        add_drawn_flow(netlist, source, drawn, Dual<1>::variable(0, 0), state);
        touch(source.from);
        touch(source.to);
        mark();
      }
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

[[gnu::cold]] ControlWork::ControlWork(const Hydraulics& netlist) : spool(netlist.spools.size()) {
  const auto varies = [&](int i) {
    const int block = netlist.spools[i].block;
    return block >= 0 && !netlist.control[block].origins.empty();
  };
  for (int i = 0; i < static_cast<int>(netlist.spools.size()); ++i)
    if (varies(i)) driven_spools.push_back(i);
  for (std::size_t i = 0; i < netlist.components.size(); ++i)
    if (std::any_of(netlist.components[i].spools.begin(), netlist.components[i].spools.end(), varies))
      driven_components.push_back(static_cast<int>(i));
  for (const ControlBlock& b : netlist.control)  // of an unknown in itself: 1
    value_slope.resize(std::max(value_slope.size(), static_cast<std::size_t>(b.slope) + b.origins.size()), 1);
}

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
      column(netlist.actuators.size()) {
  std::size_t blocks = 0, columns = 0;
  for (const Circuit& c : netlist.circuits) blocks += static_cast<std::size_t>(c.size) * c.size;
  for (std::size_t i = 0; i < netlist.actuators.size(); ++i) {
    column[i] = static_cast<int>(columns);
    columns += netlist.circuits[netlist.actuators[i].circuit].size;
  }
  if (!netlist.control.empty()) control.emplace_back(netlist);
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

}  // namespace trunnion
