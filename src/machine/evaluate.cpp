// SPDX-License-Identifier: BSD-3-Clause
#include "machine/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trunnion {

template <int D>
void update_inputs(const Model& model, double t, Side side, MachineState<D>& state) {
  update_inputs(std::get<Mechanism<D>>(model.mechanism), model.signals, t, side, state.mechanism);
  update_inputs(model.hydraulics, model.signals, t, side, state.hydraulics);
}

template <int D>
void evaluate_forces(const Model& model, const Mechanism<D>& m, const Point& at, const RateRelation& rule, MachineState<D>& state) {
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
void evaluate(const Model& model, const Mechanism<D>& m, const Point& at, const RateRelation& rule, double penalty,
              MachineState<D>& state) {
  MechanismState<D>& mech = state.mechanism;
  update_rates(m, at.v, at.a, mech);
  evaluate_forces(model, m, at, rule, state);
  // constraints: Phi_q^T (lambda + alpha psi)
  update_violations(m, at.v, {rule.factor, 0}, mech);
  for (int i = 0; i < m.rows; ++i) state.multipliers[i] = at.lambda[i] + penalty * mech.violation[i];
  add_constraint_forces(m, state.multipliers.data(), mech, state.r.data());
}

template <int D>
ConsistentRates<D>::ConsistentRates(const Model& model) : model_(model), m_(std::get<Mechanism<D>>(model.mechanism)), rhs_(m_.tree.nv) {
  RecordedEntries pattern;
  add_matrix(0, MechanismState<D>(m_), pattern);
  P_ = SystemMatrix(m_.tree.nv, pattern.entries);
}

/// M + alpha J^T J.
template <int D>
template <class Entries>
void ConsistentRates<D>::add_matrix(double alpha, const MechanismState<D>& mech, Entries& T) const {
  mass_matrix(m_.tree, mech.tree, T);
  add_penalty(m_, alpha, mech, T);
}

template <int D>
bool ConsistentRates<D>::solve(State& s, Side side, MachineState<D>& work) {
  constexpr double kPenaltyRatio = 1e5;  // of constraint to inertia; each iteration gains digits alike
  constexpr int kIterations = 20;
  const int n = m_.tree.nv;
  MechanismState<D>& mech = work.mechanism;
  update_inputs(model_, s.time, side, work);
  update_positions(m_, s.q(), static_cast<const double*>(nullptr), mech);
  std::fill(s.a(), s.a() + n, 0.0);
  update_rates(m_, s.v(), s.a(), mech);
  evaluate_rates(model_.hydraulics, mech.s.data(), mech.s_dot.data(), s.y(), s.ydot(), work.hydraulics);
  evaluate_forces(model_.hydraulics, mech.s.data(), mech.s_dot.data(), s.y(), work.hydraulics);
  for (std::size_t i = 0; i < work.force.size(); ++i) work.force[i] = work.hydraulics.ports[i].force;
  inverse_dynamics(m_, s.q(), s.v(), true, mech, work.r.data());
  // (M + alpha J^T J) a = Q - J^T (lambda + alpha gamma);  lambda += alpha (J a + gamma)
  double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, own_inertia(m_.tree, mech.tree, i));
  const double alpha = kPenaltyRatio * std::max(largest, 1e-12);
  P_.assemble([&](auto& T) { add_matrix(alpha, mech, T); });
  if (!P_.factor()) return false;
  constraint_rates(m_, s.v(), mech);
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    update_rates(m_, s.v(), s.a(), mech);
    constraint_accelerations(m_, s.a(), mech);
    // increment form: P da = Q - M a - J^T (lambda + alpha Phi_ddot)
    for (int i = 0; i < m_.rows; ++i) {
      if (iteration > 0) s.multipliers()[i] += alpha * mech.Phi_ddot[i];
      work.multipliers[i] = s.multipliers()[i] + alpha * mech.Phi_ddot[i];
    }
    inverse_dynamics(m_, s.q(), s.v(), false, mech, rhs_.data());
    add_port_forces(m_, work.force.data(), mech, rhs_.data());
    add_constraint_forces(m_, work.multipliers.data(), mech, rhs_.data());
    P_.solve(rhs_.data());
    double change = 0;
    for (int i = 0; i < n; ++i) change = std::max(change, std::abs(rhs_[i]));
    if (!std::isfinite(change)) return false;
    // nothing left but rounding; the second change takes back what wrong multipliers did in the first one
    if (iteration > 1 && !(change < before)) break;
    before = change;
    for (int i = 0; i < n; ++i) s.a()[i] -= rhs_[i];
    if (m_.rows == 0) break;
  }
  return true;
}

#define TR_INSTANTIATE(D)                                                                                                    \
  template void update_inputs<D>(const Model&, double, Side, MachineState<D>&);                                              \
  template void evaluate<D>(const Model&, const Mechanism<D>&, const Point&, const RateRelation&, double, MachineState<D>&); \
  template void evaluate_forces<D>(const Model&, const Mechanism<D>&, const Point&, const RateRelation&, MachineState<D>&);  \
  template class ConsistentRates<D>;
TR_INSTANTIATE(2)
TR_INSTANTIATE(3)

}  // namespace trunnion
