// Forces that joints transmit.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/reaction.h"

#include "mechanics/mechanism.inl.h"
#include "mechanics/wrench.h"

namespace trunnion {

template <int D, class S>
void joint_wrenches(const Mechanism<D>& m, const S* port_forces, const S* multipliers, MechanismState<D, S>& state, Force<D, S>* wrenches) {
  TreeState<D, S>& tree = state.tree;
  update_inertial_forces(m.tree, false, tree);
  wrenches[0] = Force<D, S>::zero();
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) wrenches[j] = tree.nodes[j].F;
  for_each_applied(m, state, [&](const auto& element, const auto& at) {
    if constexpr (!kOnCoordinate<decltype(element)>)
      for_each_wrench(element, at, tree, [&](int node, const Force<D, S>& W) { wrenches[node] -= W; });
  });
  for (std::size_t i = 0; i < m.ports.size(); ++i) subtract_push<D, S>(m.ports[i], state.ports[i], port_forces[i], wrenches);
  for (std::size_t i = 0; i < m.constraints.size(); ++i)
    add_row_wrenches(m.constraints[i], state.constraints[i], multipliers + m.constraints[i].rows.begin, wrenches);
  for (std::size_t j = m.tree.nodes.size() - 1; j > 0; --j) wrenches[m.tree.nodes[j].parent] += wrenches[j];
}

#define TR_INSTANTIATE(D, S) \
  template void joint_wrenches<D, S>(const Mechanism<D>&, const S*, const S*, MechanismState<D, S>&, Force<D, S>*);
TR_INSTANTIATE(2, double)
TR_INSTANTIATE(3, double)
TR_INSTANTIATE(2, Dual<1>)
TR_INSTANTIATE(3, Dual<1>)

}  // namespace trunnion
