// Instantiations of the mechanics: plane and space, on plain numbers and on dual numbers; tangents into dense matrices.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/mechanism.inl.h"

namespace trunnion {

template <int D, class S>
TreeState<D, S>::TreeState(const Tree<D>& tree) : nodes(tree.nodes.size()), dofs(tree.nv) {
  for (auto& n : nodes)
    n = {Rotation<D, S>{},    Vec<D, S>::Zero(),     Motion<D, S>::zero(),  Motion<D, S>::zero(),
         Force<D, S>::zero(), Inertia<D, S>::zero(), Coriolis<D, S>::zero()};
  nodes[0].A = {trunnion::zero<Angular<D, S>>(), -tree.gravity.template cast<S>()};
}

template <int D, class S>
MechanismState<D, S>::MechanismState(const Mechanism<D>& m)
    : tree(m.tree),
      dofs(m.paths.size()),
      ports(m.ports.size()),
      springs(m.springs.size()),
      constraints(m.constraints.size()),
      s(m.ports.size()),
      s_dot(m.ports.size()),
      Phi(m.rows),
      Phi_dot(m.rows),
      Phi_ddot(m.rows),
      jacobian(m.jacobian_size),
      jacobian_q(m.tree.has_spherical_joints() ? m.jacobian_size : 0),
      violation(m.rows),
      rate_gradient(m.velocity_rows > 0 ? m.jacobian_size : 0),
      motion(m.motions.size()),
      body_load(m.body_loads.size()),
      joint_load(m.joint_loads.size()),
      soil(m.soils.size()) {}

template <int D>
double largest_lever(const Mechanism<D>& m) {
  const Tree<D>& tree = m.tree;
  double largest = 0, gyration = 0;
  const auto lever = [&](int node, Vec<D> r) {  // from the joint that moves the body
    for (; node != tree.carrier(node); node = tree.nodes[node].parent) {
      const TreeNode<D>& n = tree.nodes[node];
      r = n.r_PJ + n.R_PJ * Vec<D>(r - n.r_BJ);
    }
    if (node != 0 && r.allFinite()) largest = std::max(largest, (r - tree.nodes[node].r_BJ).norm());
  };
  const auto line = [&](const Line<D>& l) {
    lever(l.node_A, l.r_AP);
    lever(l.node_B, l.r_BQ);
  };
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<D>& n = tree.nodes[j];
    if (n.parent != 0 && n.joint != NodeJoint::fixed) lever(n.parent, n.r_PJ);
    if (!(n.mass > 0)) continue;
    lever(static_cast<int>(j), n.r_BC);
    double inertia = 0;
    if constexpr (D == 2)
      inertia = n.J_C;
    else
      inertia = n.J_C.diagonal().maxCoeff();
    gyration = std::max(gyration, std::sqrt(inertia / n.mass));
  }
  for (const Port<D>& port : m.ports)
    if (port.kind == PortKind::line) line(port);
  for (const PointSpring<D>& spring : m.springs) line(spring.line);
  for (const ConstraintGroup<D>& g : m.constraints)
    if (!g.of_coordinates()) {
      line(g.line);
      if (g.type == ConstraintType::wheel && std::isfinite(g.distance)) largest = std::max(largest, g.distance);
    }
  constexpr double kBalanced = 1e-4;  // of the radius of gyration: a rotor's centre of mass, if not rounding
  return largest > kBalanced * gyration ? largest : gyration;
}

#define TR_INSTANTIATE_SCALAR(D, S)                                                                                 \
  template TreeState<D, S>::TreeState(const Tree<D>&);                                                              \
  template MechanismState<D, S>::MechanismState(const Mechanism<D>&);                                               \
  template void advance_configuration<D, S>(const Tree<D>&, const double*, const S*, S*);                           \
  template void update_positions<D, S>(const Tree<D>&, const S*, const S*, TreeState<D, S>&);                       \
  template void update_rates<D, S>(const Tree<D>&, const S*, const S*, TreeState<D, S>&);                           \
  template void update_accelerations<D, S>(const Tree<D>&, const S*, const S*, TreeState<D, S>&);                   \
  template void update_inertial_forces<D, S>(const Tree<D>&, bool, TreeState<D, S>&);                               \
  template void accumulate<D, S>(const Tree<D>&, TreeState<D, S>&, bool, S*);                                       \
  template void update_inputs<D, S>(const Mechanism<D>&, const Signals&, double, Side, MechanismState<D, S>&);      \
  template void update_positions<D, S>(const Mechanism<D>&, const S*, const S*, MechanismState<D, S>&);             \
  template void update_rates<D, S>(const Mechanism<D>&, const S*, const S*, MechanismState<D, S>&);                 \
  template void update_line_rates<D, S>(const Mechanism<D>&, MechanismState<D, S>&);                                \
  template void inverse_dynamics<D, S>(const Mechanism<D>&, const S*, const S*, bool, MechanismState<D, S>&, S*);   \
  template void add_port_forces<D, S>(const Mechanism<D>&, const S*, const MechanismState<D, S>&, S*, std::size_t); \
  template void add_constraint_forces<D, S>(const Mechanism<D>&, const S*, const MechanismState<D, S>&, S*);        \
  template void add_constraint_forces<D, S>(const Mechanism<D>&, const S*, const S*, S*);                           \
  template void constraint_rates<D, S>(const Mechanism<D>&, const S*, MechanismState<D, S>&);                       \
  template void update_violations<D, S>(const Mechanism<D>&, const S*, const IncrementFactors&, MechanismState<D, S>&);
#define TR_INSTANTIATE(D)                                                                                                                 \
  template double largest_lever<D>(const Mechanism<D>&);                                                                                  \
  TR_INSTANTIATE_SCALAR(D, double)                                                                                                        \
  TR_INSTANTIATE_SCALAR(D, Dual<1>)                                                                                                       \
  TR_INSTANTIATE_ENTRIES(D, DenseEntries)                                                                                                 \
  template void configuration_difference<D>(const Tree<D>&, const double*, const double*, double*);                                       \
  template void add_loads_of<D>(const Mechanism<D>&, SignalIndex, const MechanismState<D>&, double*);                                     \
  template double kinetic_energy<D>(const Tree<D>&, const TreeState<D>&);                                                                 \
  template double potential_energy<D>(const Tree<D>&, const TreeState<D>&);                                                               \
  template void row_compliances<D>(const Mechanism<D>&, const double*, const MechanismState<D>&, double*);                                \
  template void jacobian_product<D>(const Mechanism<D>&, const double*, const double*, double*);                                          \
  template void linearised_constraints<D>(const Mechanism<D>&, const MechanismState<D>&, const double*, double*);                         \
  template int singular_wheel_row<D>(const Mechanism<D>&, const MechanismState<D>&, double);                                              \
  template void update_rate_gradients<D>(const Mechanism<D>&, MechanismState<D>&);                                                        \
  template void linearised_violations<D>(const Mechanism<D>&, const IncrementFactors&, const MechanismState<D>&, const double*, double*); \
  template void constraint_accelerations<D>(const Mechanism<D>&, const double*, MechanismState<D>&);

TR_INSTANTIATE(2)
TR_INSTANTIATE(3)

}  // namespace trunnion
