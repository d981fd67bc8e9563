// What the parts of a netlist add to the rows of the circuits' blocks: flows between nodes with their slopes, of elements, components and
// flow sources. Shared by the evaluation of a step (circuit.cpp), its residual and rates (circuit_rates.cpp) and the search for the entries
// that a block can have (block_patterns.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "hydraulics/circuit.h"

namespace trunnion {

/// The row of a volume in the block of its circuit.
struct BlockRow {
  double* T;  // the row
  double* R;  // its residual
  int local;
};

TR_INLINE BlockRow row_of(const Hydraulics& netlist, const PressureNode& node, HydraulicState& state) {
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
    const BlockRow row = row_of(netlist, A, state);
    *row.R += e.flow;
    row.T[row.local] += e.slope;
    if (B.state >= 0) row.T[B.local] -= e.slope;
  }
  if (B.state >= 0) {
    const BlockRow row = row_of(netlist, B, state);
    *row.R -= e.flow;
    row.T[row.local] += e.slope;
    if (A.state >= 0) row.T[A.local] -= e.slope;
  }
}

constexpr int kMaxComponentInputs = kMaxComponentNodes + kMaxComponentStates;
constexpr int kMaxComponentSlopes = (kMaxComponentFlows + kMaxComponentStates) * kMaxComponentInputs;

/// A component's flows and the residuals of its states, `slopes` as differentiate() leaves them.
inline void add_component(const Hydraulics& netlist, const Component& c, const ComponentValues<>& values, const double* slopes,
                          const double* ydot, double factor, HydraulicState& state) {
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
      const BlockRow row = row_of(netlist, netlist.nodes[A], state);
      *row.R += Q;
      add_slopes(row.T, slope, 1);
    }
    if (B >= 0 && netlist.nodes[B].state >= 0) {
      const BlockRow row = row_of(netlist, netlist.nodes[B], state);
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
/// ... at the present inputs and states.
inline void add_component(const Hydraulics& netlist, const Component& c, const FlowInputs<>& in, const double* y, const double* ydot,
                          double factor, HydraulicState& state) {
  ComponentValues<> values;
  read_component(c, in, y, values);
  double slopes[kMaxComponentSlopes];
  c.law->differentiate(values.inputs(), values.Q, values.rate, slopes);
  add_component(netlist, c, values, slopes, ydot, factor, state);
}

/// A flow of a source that is drawn from a volume (-1: none), with its slope in the pressure there.
inline void add_drawn_flow(const Hydraulics& netlist, const FlowSource& source, int drawn, const Dual<1>& Q, HydraulicState& state) {
  const auto add = [&](int node, double sign) {
    if (node < 0 || netlist.nodes[node].state < 0) return;
    const BlockRow row = row_of(netlist, netlist.nodes[node], state);
    *row.R += sign * Q.value;
    if (drawn >= 0) row.T[netlist.nodes[drawn].local] += sign * Q.d[0];  // the same circuit
  };
  add(source.to, -1);
  add(source.from, 1);
}
inline void add_flow_source(const Hydraulics& netlist, const FlowSource& source, HydraulicState& state) {
  visit_drawn(netlist, source, state.signal[source.flow], [&](int drawn, double part) {
    add_drawn_flow(netlist, source, drawn, drawn >= 0 ? part * state.liquid[drawn] : Dual<1>(part), state);
  });
}

}  // namespace trunnion
