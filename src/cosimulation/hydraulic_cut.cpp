// Extracts circuits of a netlist.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/hydraulic_cut.h"

#include <algorithm>

namespace trunnion {

namespace {

class Cutter {
 public:
  Cutter(const Hydraulics& whole, std::vector<int> circuits)
      : whole_(whole), circuits_(std::move(circuits)), node_(whole.nodes.size(), -1), spool_(whole.spools.size(), -1) {
    std::sort(circuits_.begin(), circuits_.end());
  }

  HydraulicCut cut() {
    netlist_.fluid = whole_.fluid;
    netlist_.signals = whole_.signals;
    add_volumes();
    std::apply([&](const auto&... list) { (..., add_elements(list)); }, whole_.elements);
    add_flow_sources();
    for (std::size_t i = 0; i < whole_.actuators.size(); ++i)
      if (stays(whole_.actuators[i].circuit)) add_actuator(static_cast<int>(i));
    netlist_.pistons = static_cast<int>(std::lower_bound(cut_.ports.begin(), cut_.ports.end(), whole_.pistons) - cut_.ports.begin());
    netlist_.cushions = whole_.cushions;
    for (Orifice& o : std::get<std::vector<Orifice>>(netlist_.elements))
      if (o.cushion.port >= 0) o.cushion.port = port(o.cushion.port);
    for (const Component& c : whole_.components)
      if (stays(c.circuit)) add_component(c);
    for (const QuasistaticCircuit& q : whole_.quasistatic)
      if (stays(whole_.actuators[q.ports.front().actuator].circuit)) add_quasistatic(q);
    add_control();
    for (Spool& spool : netlist_.spools) add_spool_states(spool);
    netlist_.ny = static_cast<int>(cut_.states.size());
    add_circuits();
    std::sort(netlist_.used_signals.begin(), netlist_.used_signals.end());
    netlist_.used_signals.erase(std::unique(netlist_.used_signals.begin(), netlist_.used_signals.end()), netlist_.used_signals.end());
    return std::move(cut_);
  }

 private:
  int position(int circuit) const {
    const auto at = std::lower_bound(circuits_.begin(), circuits_.end(), circuit);
    return at != circuits_.end() && *at == circuit ? static_cast<int>(at - circuits_.begin()) : -1;
  }
  bool stays(int circuit) const { return circuit >= 0 && position(circuit) >= 0; }
  bool volume_stays(int node) const { return node >= 0 && whole_.nodes[node].state >= 0 && stays(whole_.nodes[node].circuit); }
  int add_state(int state) {
    cut_.states.push_back(state);
    return static_cast<int>(cut_.states.size()) - 1;
  }
  /// A range from `first` on; its position in the part.
  int add_states(int first, int count) {
    const int at = static_cast<int>(cut_.states.size());
    for (int k = 0; k < count; ++k) add_state(first + k);
    return at;
  }
  int port(int actuator) const {
    return static_cast<int>(std::lower_bound(cut_.ports.begin(), cut_.ports.end(), actuator) - cut_.ports.begin());
  }
  bool is_block(SignalIndex signal) const { return signal >= 0 && whole_.block_of_signal[signal] >= 0; }
  void use(SignalIndex signal) {
    if (signal >= 0 && !is_block(signal)) netlist_.used_signals.push_back(signal);
  }

  void add_volumes() {
    for (std::size_t i = 0; i < whole_.volumes.size(); ++i) {
      Volume volume = whole_.volumes[i];
      if (!volume_stays(volume.node)) continue;
      PressureNode node = whole_.nodes[volume.node];
      node.state = add_state(node.state);
      node.circuit = position(node.circuit);
      volume.node = node_[volume.node] = static_cast<int>(netlist_.nodes.size());
      cut_.volumes.push_back(static_cast<int>(i));
      netlist_.volumes.push_back(volume);
      netlist_.nodes.push_back(std::move(node));
    }
  }
  /// The node in the part: a retained volume, or a source in place of a volume of another circuit.
  int place(int node) {
    if (node < 0) return -1;
    if (node_[node] >= 0) return node_[node];
    const PressureNode& outside = whole_.nodes[node];
    use(outside.source);
    netlist_.nodes.push_back({outside.name, -1, -1, -1, outside.source});
    node_[node] = static_cast<int>(netlist_.nodes.size()) - 1;
    if (is_block(outside.source)) netlist_.driven_sources.push_back(node_[node]);
    return node_[node];
  }
  template <class Element>
  void add_elements(const std::vector<Element>& list) {
    for (Element e : list) {
      const auto nodes = element_nodes(e);
      if (std::none_of(nodes.begin(), nodes.end(), [&](const int* node) { return volume_stays(*node); })) continue;
      for (int* node : nodes) *node = place(*node);
      if constexpr (requires { e.spool; }) e.spool = take_spool(e.spool);
      std::get<std::vector<Element>>(netlist_.elements).push_back(std::move(e));
    }
  }
  int take_spool(int spool) {
    if (spool < 0) return -1;
    if (spool_[spool] < 0) {
      spool_[spool] = static_cast<int>(netlist_.spools.size());
      netlist_.spools.push_back(whole_.spools[spool]);
      use(netlist_.spools.back().signal);
    }
    return spool_[spool];
  }
  void add_quasistatic(QuasistaticCircuit q) {
    use(q.flow);
    q.tank = place(q.tank);
    q.bleed.spool = take_spool(q.bleed.spool);
    for (QuasistaticPort& own : q.ports) {
      own.actuator = port(own.actuator);
      for (CommandedOpening* opening : {&own.ph, &own.tr, &own.pr, &own.th, &own.a}) opening->spool = take_spool(opening->spool);
      own.lever = take_spool(own.lever);
      own.state = add_states(own.state, q.discrete ? kDiscreteStates : 1);
    }
    netlist_.quasistatic.push_back(std::move(q));
  }
  void add_flow_sources() {
    for (FlowSource source : whole_.flow_sources) {
      if (!volume_stays(source.from) && !volume_stays(source.to)) continue;
      source.from = volume_stays(source.from) ? place(source.from) : -1;
      source.to = volume_stays(source.to) ? place(source.to) : -1;
      use(source.flow);
      netlist_.flow_sources.push_back(std::move(source));
    }
  }
  void add_component(Component c) {
    for (int& node : c.nodes) node = place(node);
    for (int& spool : c.spools) spool = take_spool(spool);
    c.state = add_states(c.state, static_cast<int>(c.law->info().states.size()));
    c.circuit = position(c.circuit);
    netlist_.components.push_back(std::move(c));
  }
  void add_actuator(int index) {
    Actuator a = whole_.actuators[index];
    a.A = place(a.A);
    a.B = place(a.B);
    a.spool = take_spool(a.spool);
    a.circuit = position(a.circuit);
    a.state = add_states(a.state, a.friction_states);
    cut_.ports.push_back(index);
    netlist_.actuators.push_back(std::move(a));
  }
  /// Blocks in the order of the whole, which is that of their dependence.
  void add_control() {
    netlist_.block_of_signal.assign(whole_.block_of_signal.size(), -1);
    for (ControlBlock b : whole_.control) {
      if (!stays(b.circuit)) continue;
      netlist_.block_of_signal[b.signal] = static_cast<int>(netlist_.control.size());
      b.circuit = position(b.circuit);
      b.output = add_states(b.output, b.size());
      for (BlockInput& input : b.inputs) {
        if (input.kind == BlockInput::Kind::signal)
          use(input.index);
        else
          input.index = input.kind == BlockInput::Kind::pressure ? place(input.index) : port(input.index);
        if (input.state < 0) continue;  // otherwise of a block before this one
        const int read = whole_.block_of_signal[input.index];
        input.state += netlist_.control[netlist_.block_of_signal[input.index]].output - whole_.control[read].output;
      }
      for (BlockOrigin& origin : b.origins)
        if (origin.is_port()) origin.index = port(origin.index);
      netlist_.control.push_back(std::move(b));
    }
  }
  void add_spool_states(Spool& spool) {
    if (spool.driven()) spool.block = netlist_.block_of_signal[spool.signal];
    spool.state = spool.driven() && spool.follows() ? netlist_.control[spool.block].output : add_states(spool.state, spool.states());
  }
  void add_circuits() {
    int block = 0;
    for (int index : circuits_) {
      Circuit c = whole_.circuits[index];
      const int first = c.offset;
      c.offset = static_cast<int>(netlist_.unknown_state.size());
      c.block = block;
      block += c.size * c.size;
      for (std::vector<int>* ports : {&c.actuators, &c.acting})
        for (int& actuator : *ports) actuator = port(actuator);
      for (int i = 0; i < c.size; ++i) {
        const int state = whole_.unknown_state[first + i];
        cut_.unknowns.push_back(first + i);
        netlist_.unknown_state.push_back(static_cast<int>(std::find(cut_.states.begin(), cut_.states.end(), state) - cut_.states.begin()));
      }
      netlist_.circuits.push_back(std::move(c));
    }
  }

  const Hydraulics& whole_;
  std::vector<int> circuits_;
  std::vector<int> node_, spool_;  // of the whole: index in the part, or -1
  HydraulicCut cut_;
  Hydraulics& netlist_ = cut_.hydraulics;
};

}  // namespace

[[gnu::cold]] HydraulicCut cut_circuits(const Hydraulics& whole, std::vector<int> circuits) {
  return Cutter(whole, std::move(circuits)).cut();
}

}  // namespace trunnion
