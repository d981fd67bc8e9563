// Applied elements: springs, loads and soil, which act on bodies or joint coordinates and have no unknowns. Each states here, on any scalar
// and at its entry of MechanismState (a spring's line, a load's factor):
//   for_each_wrench     its wrenches on bodies: visit(node, W)
//   moves_with_body     whether W is one of the body's own forces, NodeState::F, which move with it in the tangent, but for `add_slopes`
//   act                 r -= generalised forces, of those that do not
//   add_slopes          T += dr/d(theta)
//   differentiate       change of W along a direction, as the bodies see it (directional_derivative.h)
// or, on a joint coordinate (kOnCoordinate),
//   coordinate_load     its load [N or N m], and add_slopes
//   coordinate_load_change
// and, of loads, `power` [W]. Residual, tangents, linear models, reactions, channels and powers visit them by for_each_applied; a new one
// needs its law, its overloads here and its line in for_each_applied.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>
#include <vector>

#include "mechanics/mechanism.h"

namespace trunnion {

/// Whether an element acts on a joint coordinate, element.v, and whether it has a factor over time, element.signal.
template <class Element>
inline constexpr bool kOnCoordinate = requires(Element element) {
  element.v;
};
template <class Element>
inline constexpr bool kHasFactor = requires(Element element) {
  element.signal;
};

/// The entry of an element that has none.
struct NoState {};

/// visit(element) of all, and visit(element, at) with their entries of a MechanismState: in the order of their channels and powers.
template <int D, class Visit>
TR_INLINE void for_each_applied(const Mechanism<D>& m, Visit&& visit) {
  const auto each = [&](const auto& elements) {
    for (const auto& element : elements) visit(element);
  };
  each(m.springs), each(m.joint_springs), each(m.body_loads), each(m.joint_loads), each(m.soils);
}
template <int D, class State, class Visit>
TR_INLINE void for_each_applied(const Mechanism<D>& m, State& state, Visit&& visit) {
  const auto each = [&](const auto& elements, auto& entries) {
    for (std::size_t i = 0; i < elements.size(); ++i) visit(elements[i], entries[i]);
  };
  each(m.springs, state.springs);
  for (const JointSpring& spring : m.joint_springs) visit(spring, NoState{});
  each(m.body_loads, state.body_load), each(m.joint_loads, state.joint_load), each(m.soils, state.soil);
}
/// set(signal, factor) of those with a factor over time.
template <int D, class S, class Set>
void for_each_factor(const Mechanism<D>& m, MechanismState<D, S>& state, Set&& set) {
  for_each_applied(m, state, [&](const auto& element, auto&& at) {
    if constexpr (kHasFactor<decltype(element)>) set(element.signal, at);
  });
}

// ---------------------------------------------------------------- any with wrenches on bodies

template <class Element>
bool moves_with_body(const Element& /*element*/) {
  return false;
}

/// By virtual work along the path to its body.
template <int D, class S, class Element>
TR_INLINE void act(const Mechanism<D>& m, const Element& element, const std::type_identity_t<S>& at, const MechanismState<D, S>& state,
                   S* r) {
  for_each_wrench(element, at, state.tree, [&](int, const Force<D, S>& W) {
    for (int i = element.path.begin; i < element.path.end; ++i) r[m.paths[i].dof] -= dot(state.tree.dofs[m.paths[i].dof].b, W);
  });
}

// ---------------------------------------------------------------- spring along a line

template <int D, class S, class Visit>
TR_INLINE void for_each_wrench(const PointSpring<D>& spring, const LineState<D, S>& at, const TreeState<D, S>& /*tree*/, Visit&& visit) {
  const Vec<D, S> f = at.u * spring.tension(at);
  visit(spring.line.node_B, at_point<D, S>(at.r_Q, -f));
  visit(spring.line.node_A, at_point<D, S>(at.r_P, f));
}
template <int D, class S>
TR_INLINE void act(const Mechanism<D>& m, const PointSpring<D>& spring, const LineState<D, S>& at, const MechanismState<D, S>& state,
                   S* r) {
  const Range& path = spring.line.path;
  const S tension = spring.tension(at);
  for (int k = path.begin; k < path.end; ++k) r[m.paths[k].dof] += tension * state.dofs[k].gradient;
}
template <int D, class Entries>
TR_INLINE void add_slopes(const Mechanism<D>& m, const PointSpring<D>& spring, const LineState<D>& at, const IncrementFactors& f,
                          MechanismState<D>& state, Entries& T) {
  LineDof<D>* dofs = state.dofs.data() + spring.line.path.begin;
  update_line_rate_gradient(spring.line, m.paths.data(), state.tree, at, dofs);
  add_line_slopes(spring.line, m.paths.data(), at, dofs, -spring.tension(at), -spring.stiffness, -spring.damping, f, state.tree, T);
}
template <int D, class S>
TR_INLINE void differentiate(const PointSpring<D>& spring, const LineState<D>& at, const TreeState<D>& tree,
                             std::vector<NodeVariation<D, S>>& nodes) {
  Vec<D, S> du;
  const LineDerivative<S> line = differentiate_line(spring.line, at, tree, nodes, du);
  differentiate_tension(spring.line, at, spring.tension(at), S(spring.stiffness) * line.s + S(spring.damping) * line.s_dot, du, nodes);
}

// ---------------------------------------------------------------- load on a body

template <int D>
bool moves_with_body(const BodyLoad<D>& load) {
  return load.in_body;
}
template <int D, class S, class Visit>
TR_INLINE void for_each_wrench(const BodyLoad<D>& load, const S& factor, const TreeState<D, S>& tree, Visit&& visit) {
  visit(load.node, placed_load(load, factor, tree.nodes[load.node]).wrench());
}
template <int D, class Entries>
TR_INLINE void add_slopes(const Mechanism<D>& m, const BodyLoad<D>& load, double factor, const IncrementFactors& /*f*/,
                          MechanismState<D>& state, Entries& T) {
  if (load.in_body) return;
  add_load_slopes(placed_load(load, factor, state.tree.nodes[load.node]), false, m.paths.data() + load.path.begin, load.path.size(),
                  state.tree, -1, T);
}
template <int D, class S>
TR_INLINE void differentiate(const BodyLoad<D>& load, double factor, const TreeState<D>& tree, std::vector<NodeVariation<D, S>>& nodes) {
  if (!load.in_body) differentiate_ground_load(placed_load(load, factor, tree.nodes[load.node]), nodes[load.node]);
}
template <int D>
double power(const BodyLoad<D>& load, double factor, const TreeState<D>& tree, const double* /*v*/) {
  return placed_load(load, factor, tree.nodes[load.node]).power(tree.nodes[load.node].V);
}

// ---------------------------------------------------------------- soil

template <int D>
bool moves_with_body(const SoilResistance<D>& /*soil*/) {
  return true;
}
template <int D, class S, class Visit>
TR_INLINE void for_each_wrench(const SoilResistance<D>& soil, const S& factor, const TreeState<D, S>& tree, Visit&& visit) {
  visit(soil.node, soil_wrench(soil_state(soil, factor, tree.nodes[soil.node])));
}
template <int D, class Entries>
TR_INLINE void add_slopes(const Mechanism<D>& m, const SoilResistance<D>& soil, double factor, const IncrementFactors& /*f*/,
                          MechanismState<D>& state, Entries& T) {
  add_soil_slopes(soil, factor, m.paths.data() + soil.path.begin, soil.path.size(), state.tree, T);
}
template <int D, class S>
TR_INLINE void differentiate(const SoilResistance<D>& soil, double factor, const TreeState<D>& tree,
                             std::vector<NodeVariation<D, S>>& nodes) {
  differentiate_soil(soil, factor, tree, nodes);
}

// ---------------------------------------------------------------- spring and load on a joint coordinate

template <class S>
TR_INLINE S coordinate_load(const JointSpring& spring, NoState /*at*/, const S* q, const S* v) {
  return -spring.load(q[spring.q], v[spring.v]);
}
template <class S>
TR_INLINE S coordinate_load_change(const JointSpring& spring, const S* theta, const S* v) {
  return -(S(spring.stiffness) * theta[spring.v] + S(spring.damping) * v[spring.v]);
}
template <int D, class Entries>
TR_INLINE void add_slopes(const Mechanism<D>& /*m*/, const JointSpring& spring, NoState /*at*/, const IncrementFactors& f,
                          MechanismState<D>& /*state*/, Entries& T) {
  T(spring.v, spring.v) += spring.stiffness + f.velocity * spring.damping;
}

template <class S>
TR_INLINE S coordinate_load(const JointLoad& load, const std::type_identity_t<S>& factor, const S* /*q*/, const S* /*v*/) {
  return load.load * factor;
}
template <class S>
TR_INLINE S coordinate_load_change(const JointLoad& /*load*/, const S* /*theta*/, const S* /*v*/) {
  return S(0);
}
template <int D, class Entries>
TR_INLINE void add_slopes(const Mechanism<D>& /*m*/, const JointLoad& /*load*/, double /*factor*/, const IncrementFactors& /*f*/,
                          MechanismState<D>& /*state*/, Entries& /*T*/) {}
template <int D>
double power(const JointLoad& load, double factor, const TreeState<D>& /*tree*/, const double* v) {
  return load.load * factor * v[load.v];
}

}  // namespace trunnion
