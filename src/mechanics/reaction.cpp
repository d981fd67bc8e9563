// Forces that joints transmit.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/reaction.h"

#include "mechanics/mechanism.inl.h"

namespace trunnion {

namespace {

template <int D, class S>
Force<D, S> scaled(const Force<D, S>& f, const S& factor) {
  return {f.moment * factor, f.linear * factor};
}

/// A push F along a line: F u on the body of Q, -F u on that of P.
template <int D, class S>
void apply_push(const Line<D>& line, const LineState<D, S>& s, const S& push, Force<D, S>* wrenches) {
  const Vec<D, S> f = s.u * push;
  wrenches[line.node_B] -= {moment(s.r_Q, f), f};
  wrenches[line.node_A] += {moment(s.r_P, f), f};
}

}  // namespace

template <int D, class S>
Force<D, S> constraint_wrench(const ConstraintGroup<D>& g, const ConstraintState<D, S>& s, const S* multipliers) {
  Force<D, S> wrench = Force<D, S>::zero();
  switch (g.type) {
    case ConstraintType::point:
    case ConstraintType::wheel:
    case ConstraintType::blade: {
      Vec<D, S> f = Vec<D, S>::Zero();
      for (int i = 0; i < g.rows.size(); ++i) f -= s.axes[i] * multipliers[i];
      return {moment(s.line.r_Q, f), f};
    }
    case ConstraintType::distance: {
      const Vec<D, S> f = s.line.u * S(-multipliers[0]);
      return {moment(s.line.r_Q, f), f};
    }
    case ConstraintType::direction:  // Phi = a . b: a . (w x b) = w . (b x a)
      wrench.moment = moment(s.axes[1], s.axes[0]) * S(-multipliers[0]);
      return wrench;
    case ConstraintType::coordinate:
    case ConstraintType::coupling:
    case ConstraintType::velocity_coupling:
      break;
  }
  return wrench;
}

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
    wrenches[m.soils[i].node] -= scaled<D, S>(soil_wrench(soil_state(m.soils[i], 1.0, tree.nodes[m.soils[i].node])), factors.soil[i]);
  for (std::size_t i = 0; i < m.springs.size(); ++i)
    apply_push<D, S>(m.springs[i].line, state.springs[i], spring_push(m.springs[i], state.springs[i]), wrenches);
  for (std::size_t i = 0; i < m.ports.size(); ++i)
    if (!m.ports[i].is_rotary()) apply_push<D, S>(m.ports[i], state.ports[i], port_forces[i], wrenches);
  for (std::size_t i = 0; i < m.constraints.size(); ++i) {
    const ConstraintGroup<D>& g = m.constraints[i];
    if (g.of_coordinates()) continue;
    const Force<D, S> wrench = constraint_wrench(g, state.constraints[i], multipliers + g.rows.begin);
    wrenches[g.line.node_B] -= wrench;
    wrenches[g.line.node_A] += wrench;
  }
  for (std::size_t j = m.tree.nodes.size() - 1; j > 0; --j) wrenches[m.tree.nodes[j].parent] += wrenches[j];
}

#define TR_INSTANTIATE(D, S)                                                                                       \
  template Force<D, S> constraint_wrench<D, S>(const ConstraintGroup<D>&, const ConstraintState<D, S>&, const S*); \
  template void joint_wrenches<D, S>(const Mechanism<D>&, const LoadFactors<S>&, const S*, const S*, MechanismState<D, S>&, Force<D, S>*);
TR_INSTANTIATE(2, double)
TR_INSTANTIATE(3, double)
TR_INSTANTIATE(2, Dual<1>)
TR_INSTANTIATE(3, Dual<1>)

}  // namespace trunnion
