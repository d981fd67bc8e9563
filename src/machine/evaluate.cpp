// The equations of a machine: residual and rates.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/evaluate.h"

#include <algorithm>

namespace trunnion {

template <int D>
void update_inputs(const CompiledModel& model, const Signals& signals, double t, Side side, MachineState<D>& state) {
  const auto& m = std::get<Mechanism<D>>(model.mechanism);
  update_inputs(m, signals, t, side, state.mechanism);
  hold_followed_motions(model.q_start, m, state.mechanism);
  update_inputs(model.hydraulics, signals, t, side, state.hydraulics);
}

template <int D>
void evaluate_forces(const CompiledModel& model, const Mechanism<D>& m, const Point& at, const RateRelation& rule, MachineState<D>& state) {
  MechanismState<D>& mech = state.mechanism;
  HydraulicState& oil = state.hydraulics;
  // mechanism: r = M a - Q by recursion
  inverse_dynamics(m, at.q, at.v, true, mech, state.r.data());
  // ports to the oil and back
  evaluate_hydraulics(model.hydraulics, mech.s.data(), mech.s_dot.data(), at.y, at.ydot, rule, oil);
  for (std::size_t i = 0; i < state.force.size(); ++i) state.force[i] = oil.ports[i].force;
  add_port_forces(m, state.force.data(), mech, state.r.data());
}

template <int D>
void evaluate(const CompiledModel& model, const Mechanism<D>& m, const Point& at, const RateRelation& rule, MachineState<D>& state) {
  MechanismState<D>& mech = state.mechanism;
  update_rates(m, at.v, at.a, mech);
  evaluate_forces(model, m, at, rule, state);
  add_constraint_forces(m, at.lambda, mech, state.r.data());
}

template <int D>
void evaluate_motion(const CompiledModel& model, const Mechanism<D>& m, StateVector& at, MachineState<D>& state) {
  MechanismState<D>& mech = state.mechanism;
  HydraulicState& oil = state.hydraulics;
  evaluate_rates(model.hydraulics, mech.s.data(), mech.s_dot.data(), at.y(), at.ydot(), oil);
  if (!(*at.oil_memory() == 0))
    renew_oil_memory(model.hydraulics, mech.s.data(), mech.s_dot.data(), at.y(), at.ydot(), oil_memory(model.hydraulics, at.oil_memory()));
  for (std::size_t i = 0; i < state.force.size(); ++i) state.force[i] = oil.ports[i].force;
  inverse_dynamics(m, at.q(), at.v(), true, mech, state.r.data());
  add_port_forces(m, state.force.data(), mech, state.r.data());
  update_followed_motions(m, at.y(), at.ydot(), mech);
}

template <int D>
ConsistentRates<D>::ConsistentRates(const CompiledModel& model)
    : model_(model), m_(std::get<Mechanism<D>>(model.mechanism)), lagrangian_(m_, {}), loads_(model) {}

template <int D>
bool ConsistentRates<D>::solve_at_loads(StateVector& s, Side side, MachineState<D>& work) {
  MechanismState<D>& mech = work.mechanism;
  update_inputs(model_, signals_at(model_, s), s.time, side, work);
  update_followed_motions(m_, s.y(), s.ydot(), mech);
  update_positions(m_, s.q(), static_cast<const double*>(nullptr), mech);
  constraint_rates(m_, s.v(), mech);
  std::fill(s.a(), s.a() + m_.tree.nv, 0.0);
  update_rates(m_, s.v(), s.a(), mech);
  evaluate_motion(model_, m_, s, work);
  return lagrangian_.solve(s.q(), s.v(), work.force.data(), s.a(), s.multipliers(), mech, work.r.data()) !=
         AugmentedLagrangianStatus::singular;
}

template <int D>
bool ConsistentRates<D>::solve(StateVector& s, Side side, MachineState<D>& work) {
  return loads_.agree(s, side, [&] { return solve_at_loads(s, side, work); });
}

#define TR_INSTANTIATE(D)                                                                                                           \
  template void update_inputs<D>(const CompiledModel&, const Signals&, double, Side, MachineState<D>&);                             \
  template void evaluate<D>(const CompiledModel&, const Mechanism<D>&, const Point&, const RateRelation&, MachineState<D>&);        \
  template void evaluate_forces<D>(const CompiledModel&, const Mechanism<D>&, const Point&, const RateRelation&, MachineState<D>&); \
  template void evaluate_motion<D>(const CompiledModel&, const Mechanism<D>&, StateVector&, MachineState<D>&);                      \
  template class ConsistentRates<D>;
TR_INSTANTIATE(2)
TR_INSTANTIATE(3)

}  // namespace trunnion
