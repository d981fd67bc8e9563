// Forces that joints transmit.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/reaction.h"

#include "mechanics/mechanism.inl.h"
#include "mechanics/wrench.h"

namespace trunnion {

namespace {

template <int D, class S>
Force<D, S> scaled(const Force<D, S>& f, const S& factor) {
  return {f.moment * factor, f.linear * factor};
}

}  // namespace

template <int D, class S>
void joint_wrenches(const Mechanism<D>& m, const LoadFactors<S>& factors, const S* port_forces, const S* multipliers,
                    MechanismState<D, S>& state, Force<D, S>* wrenches) {
  TreeState<D, S>& tree = state.tree;
  update_inertial_forces(m.tree, false, tree);
  wrenches[0] = Force<D, S>::zero();
  for (std::size_t j = 1; j < m.tree.nodes.size(); ++j) wrenches[j] = tree.nodes[j].F;
  for (std::size_t i = 0; i < m.body_loads.size(); ++i)
    wrenches[m.body_loads[i].node] -=
        scaled<D, S>(load_wrench(m.body_loads[i], 1.0, tree.nodes[m.body_loads[i].node]), factors.body_load[i]);
  for (std::size_t i = 0; i < m.soils.size(); ++i)
    wrenches[m.soils[i].node] -= scaled<D, S>(soil_wrench(soil_state(m.soils[i], S(1.0), tree.nodes[m.soils[i].node])), factors.soil[i]);
  for (std::size_t i = 0; i < m.springs.size(); ++i)
    add_tension<D, S>(m.springs[i].line, state.springs[i], m.springs[i].tension(state.springs[i]), wrenches);
  for (std::size_t i = 0; i < m.ports.size(); ++i) subtract_push<D, S>(m.ports[i], state.ports[i], port_forces[i], wrenches);
  for (std::size_t i = 0; i < m.constraints.size(); ++i)
    add_row_wrenches(m.constraints[i], state.constraints[i], multipliers + m.constraints[i].rows.begin, wrenches);
  for (std::size_t j = m.tree.nodes.size() - 1; j > 0; --j) wrenches[m.tree.nodes[j].parent] += wrenches[j];
}

#define TR_INSTANTIATE(D, S) \
  template void joint_wrenches<D, S>(const Mechanism<D>&, const LoadFactors<S>&, const S*, const S*, MechanismState<D, S>&, Force<D, S>*);
TR_INSTANTIATE(2, double)
TR_INSTANTIATE(3, double)
TR_INSTANTIATE(2, Dual<1>)
TR_INSTANTIATE(3, Dual<1>)

}  // namespace trunnion
