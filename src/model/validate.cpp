// Invariants of a compiled model.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/validate.h"

#include <algorithm>

namespace trunnion {

namespace {

class Validation {
 public:
  explicit Validation(const CompiledModel& model) : model_(model), netlist_(model.hydraulics) {}

  std::vector<std::string> run() {
    oil();
    std::visit([this](const auto& m) { mechanism(m); }, model_.mechanism);
    sizes();
    if (violated_.empty()) patterns();
    return std::move(violated_);
  }

 private:
  void expect(bool holds, const std::string& what) {
    if (!holds) violated_.push_back(what);
  }
  static bool within(int index, std::size_t size) { return index >= 0 && static_cast<std::size_t>(index) < size; }
  static bool within(const Range& range, std::size_t size) {
    return range.begin >= 0 && range.begin <= range.end && static_cast<std::size_t>(range.end) <= size;
  }

  void patterns() {
    Hydraulics fresh = netlist_;
    fresh.blocks.clear();
    expect(netlist_.blocks == block_patterns(fresh), "the patterns of the circuits' blocks are those of the netlist");
  }

  void oil() {
    const std::vector<PressureNode>& nodes = netlist_.nodes;
    const std::size_t volumes = netlist_.volumes.size(), circuits = netlist_.circuits.size();
    expect(volumes <= nodes.size(), "every volume is a node");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const PressureNode& node = nodes[i];
      const bool volume = i < volumes;
      expect((node.state >= 0) == volume, "volumes come first among the nodes: " + node.name);
      expect(!volume || (node.state == static_cast<int>(i) && netlist_.volumes[i].node == static_cast<int>(i)),
             "volumes, their nodes and their pressures have the same order: " + node.name);
      expect(volume || within(node.source, static_cast<std::size_t>(netlist_.signals)), "a source has a signal: " + node.name);
      expect(!volume || (within(node.circuit, circuits) && within(node.local, netlist_.circuits[node.circuit].size)),
             "a volume is an unknown of its circuit: " + node.name);
    }
    const std::size_t unknowns = netlist_.unknown_state.size();
    std::vector<char> seen(static_cast<std::size_t>(std::max(0, netlist_.ny)), 0);
    for (const int state : netlist_.unknown_state) {
      const bool fresh = within(state, seen.size()) && seen[state] == 0;
      expect(fresh, "circuit unknowns are distinct states");
      if (fresh) seen[state] = 1;
    }
    std::size_t offset = 0, block = 0;
    for (const Circuit& c : netlist_.circuits) {
      expect(c.offset == static_cast<int>(offset) && c.block == static_cast<int>(block), "circuits follow each other");
      offset += static_cast<std::size_t>(c.size);
      block += static_cast<std::size_t>(c.size) * c.size;
      for (const int i : c.actuators) expect(within(i, netlist_.actuators.size()), "a circuit's actuators exist");
    }
    expect(offset == unknowns, "circuits cover their unknowns");
    for (const Actuator& a : netlist_.actuators) {
      const bool piston = &a < netlist_.actuators.data() + netlist_.pistons;
      expect(piston ? within(a.A, nodes.size()) && within(a.B, nodes.size()) : a.A < 0 && a.B < 0,
             "an actuator has two nodes, those without chambers none: " + a.name);
      expect(a.friction_states == 0 || (within(a.state, seen.size()) && a.state + a.friction_states <= netlist_.ny),
             "friction states are states: " + a.name);
      expect(a.load < 0 || a.load + kFrictionLoadStates <= netlist_.ny, "the load of a joint is a state: " + a.name);
    }
    for (const Spool& s : netlist_.spools)
      expect(within(s.state, seen.size()) && s.state + s.states() <= netlist_.ny, "a spool's states are states: " + s.name);
    for (const Component& c : netlist_.components)
      for (const int node : c.nodes) expect(within(node, nodes.size()), "a component's nodes exist: " + c.name);
  }

  template <int D>
  void mechanism(const Mechanism<D>& m) {
    int q = 0, v = 0;
    for (std::size_t i = 1; i < m.tree.nodes.size(); ++i) {
      const TreeNode<D>& node = m.tree.nodes[i];
      expect(within(node.parent, i), "parents come before children");
      expect(node.q == q && node.v == v, "coordinates are in the order of the tree");
      q += node.joint == NodeJoint::spherical ? 4 : node.dofs;
      v += node.dofs;
    }
    expect(m.tree.nq == q && m.tree.nv == v && m.tree.dof_node.size() == static_cast<std::size_t>(v),
           "the tree's sizes are its coordinates'");
    for (const PathDof& dof : m.paths)
      expect(within(dof.dof, static_cast<std::size_t>(v)) && within(dof.node, m.tree.nodes.size()), "paths lead over the tree");
    int rows = 0;
    for (const ConstraintGroup<D>& g : m.constraints) {
      expect(g.rows.begin == rows && g.holonomic <= g.rows.size(), "constraint rows follow each other");
      rows = g.rows.end;
      expect(within(g.path, m.paths.size()) && g.jacobian >= 0 && g.jacobian + g.rows.size() * g.path.size() <= m.jacobian_size,
             "constraints have their path and Jacobian");
    }
    expect(rows == m.rows && m.holonomic.size() == static_cast<std::size_t>(rows), "constraints cover the rows");
    expect(m.ports.size() == netlist_.actuators.size(), "every actuator has a port");
    for (const auto& port : m.ports) expect(within(port.path, m.paths.size()), "ports have their path");
    expect(model_.layout.nq == q && model_.layout.nv == v && model_.layout.rows == rows, "the layout is the mechanism's");
  }

  void sizes() {
    expect(model_.layout.ny == netlist_.ny && model_.y_start.size() == static_cast<std::size_t>(netlist_.ny), "the layout is the oil's");
    expect(model_.q_start.size() == static_cast<std::size_t>(model_.layout.nq) &&
               model_.v_start.size() == static_cast<std::size_t>(model_.layout.nv),
           "start values are complete");
    expect(std::is_sorted(model_.jumps.begin(), model_.jumps.end()), "jumps are in ascending order");
  }

  const CompiledModel& model_;
  const Hydraulics& netlist_;
  std::vector<std::string> violated_;
};

}  // namespace

std::vector<std::string> validate(const CompiledModel& model) { return Validation(model).run(); }

}  // namespace trunnion
