// Common part of the trapezoidal steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/monolithic_trapezoidal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hydraulics/substeps.h"

namespace trunnion {

template <int D>
MonolithicTrapezoidal<D>::MonolithicTrapezoidal(std::shared_ptr<const CompiledModel> model)
    : model_(std::move(model)),
      m_(std::get<Mechanism<D>>(model_->mechanism)),
      netlist_(model_->hydraulics),
      work_(*model_),
      circuits_(netlist_, model_->description.solver.tolerance_pressure, model_->description.solver.tolerance_other),
      next_(model_->layout),
      consistent_(*model_) {
  const std::size_t nv = model_->layout.nv, nc = netlist_.unknown_state.size(), ports = netlist_.actuators.size();
  for (auto* x : {&theta_, &v_offset_, &a_offset_, &increment_}) x->resize(nv);
  for (auto* x : {&ds_, &dsdot_, &force_change_, &expected_force_}) x->resize(ports);
  for (auto* x : {&held_stiffness_, &held_damping_}) x->resize(ports * ports);
  circuit_increment_.resize(nc);
  const OilRuleKind rule = model_->description.solver.oil_rule;
  oil_rule_ = OilRule::alpha(rule == OilRuleKind::trapezoidal ? 1 : kOilRho);
  resolves_ = rule == OilRuleKind::automatic && !netlist_.volumes.empty() && !model_->description.solver.accept_capped;
  per_unit_.resize(nv);
  for (std::size_t k = 0; k < nv; ++k) per_unit_[k] = 1 / m_.unit(static_cast<int>(k));
}

template <int D>
void MonolithicTrapezoidal<D>::begin(const StateVector& state, double h) {
  const StateLayout& n = model_->layout;
  from_ = &state;
  factors_ = {2 / h, 4 / (h * h)};
  acceleration_ = m_.tree.gravity.norm() / m_.extent;
  for (int i = 0; i < n.nv; ++i) {
    acceleration_ = std::max(acceleration_, scaled(state.a()[i], i));
    theta_[i] = h * (state.v()[i] + h / 2 * state.a()[i]);  // predictor
    v_offset_[i] = -state.v()[i];
    a_offset_[i] = -(4 / h * state.v()[i] + state.a()[i]);
  }
  next_ = state;
  if (*next_.oil_memory() == 0) {
    MechanismState<D>& mech = work_.mechanism;
    update_positions(m_, state.q(), static_cast<const double*>(nullptr), mech);
    update_rates(m_, state.v(), state.a(), mech);
    start_oil_memory(netlist_, h, mech.s.data(), mech.s_dot.data(), state.y(), state.ydot(), memory());
  }
  next_.time = state.time + h;
  update_inputs(*model_, signals_at(*model_, next_), next_.time, Side::left, work_);
  circuits_.begin(oil_rule_, signals_at(*model_, state), state.time, h, state.y(), state.ydot(),
                  oil_memory(netlist_, static_cast<const double*>(next_.oil_memory())), next_.y(), next_.ydot(), work_.hydraulics);
}

/// The configuration theta away from the start of the step, and its position stage.
template <int D>
void MonolithicTrapezoidal<D>::move() {
  advance_configuration(m_.tree, from_->q(), theta_.data(), next_.q());
  update_positions(m_, next_.q(), theta_.data(), work_.mechanism);
}

/// v and a from the unknowns by the trapezoidal rule.
template <int D>
void MonolithicTrapezoidal<D>::set_mechanism_rates() {
  double *v = next_.v(), *a = next_.a();
  for (int i = 0; i < model_->layout.nv; ++i) {
    v[i] = factors_.velocity * theta_[i] + v_offset_[i];
    a[i] = factors_.acceleration * theta_[i] + a_offset_[i];
  }
}

template <int D>
void MonolithicTrapezoidal<D>::evaluate_at_end() {
  evaluate(*model_, m_, end_point(), circuits_.rule(), work_);
}

/// r += s_k w_i . R: the residual of the mechanism with the circuits' unknowns eliminated.
template <int D>
void MonolithicTrapezoidal<D>::add_port_residuals() {
  for (const Circuit& c : netlist_.circuits)
    for (int i : c.actuators)
      for (int k = m_.ports[i].path.begin; k < m_.ports[i].path.end; ++k)
        work_.r[m_.paths[k].dof] += work_.mechanism.dofs[k].gradient * circuits_.residual(i);
}

/// dr -= s_k dF_i: effect of changes of ds, dsdot of the ports on the residual, directly and through the oil.
template <int D>
void MonolithicTrapezoidal<D>::add_port_force_change(const double* ds, const double* dsdot, double* dr) const {
  const std::size_t ports = netlist_.actuators.size();
  const auto push = [&](std::size_t i, double dF) {
    for (int l = m_.ports[i].path.begin; l < m_.ports[i].path.end; ++l) dr[m_.paths[l].dof] -= work_.mechanism.dofs[l].gradient * dF;
  };
  const HydraulicState& oil = work_.hydraulics;
  for (std::size_t i = 0; i < ports; ++i) push(i, oil.force_s[i] * ds[i] + oil.force_v[i] * dsdot[i]);
  for (const Circuit& c : netlist_.circuits)
    for (int i : c.actuators) {
      double dF = 0;
      for (int j : c.actuators) dF -= circuits_.stiffness(i, j) * ds[j] + circuits_.damping(i, j) * dsdot[j];
      push(i, dF);
    }
}

/// Newton increments of the circuits' unknowns from those of the ports, ds_ and dsdot_.
template <int D>
void MonolithicTrapezoidal<D>::eliminate_circuits() {
  eliminate(netlist_, ds_.data(), dsdot_.data(), work_.hydraulics);
  std::copy(work_.hydraulics.R.begin(), work_.hydraulics.R.end(), circuit_increment_.begin());
}

template <int D>
void MonolithicTrapezoidal<D>::hold_tangent() {
  const HydraulicState& oil = work_.hydraulics;
  const std::size_t ports = netlist_.actuators.size();
  std::fill(held_stiffness_.begin(), held_stiffness_.end(), 0.0);
  std::fill(held_damping_.begin(), held_damping_.end(), 0.0);
  for (const Circuit& c : netlist_.circuits)
    for (int i : c.actuators)
      for (int j : c.actuators) {
        held_stiffness_[i * ports + j] = circuits_.stiffness(i, j);
        held_damping_[i * ports + j] = circuits_.damping(i, j);
      }
  for (std::size_t i = 0; i < ports; ++i) {
    held_stiffness_[i * ports + i] -= oil.force_s[i];
    held_damping_[i * ports + i] -= oil.force_v[i];
  }
}

template <int D>
void MonolithicTrapezoidal<D>::advance_ports() {
  const std::size_t ports = netlist_.actuators.size();
  for (std::size_t i = 0; i < ports; ++i) {
    expected_force_[i] = work_.hydraulics.ports[i].force - circuits_.residual(i);
    for (std::size_t j = 0; j < ports; ++j)
      expected_force_[i] -= held_stiffness_[i * ports + j] * ds_[j] + held_damping_[i * ports + j] * dsdot_[j];
  }
  for (std::size_t i = 0; i < ports; ++i) {
    work_.mechanism.s[i] += ds_[i];
    work_.mechanism.s_dot[i] += dsdot_[i];
  }
}

template <int D>
void MonolithicTrapezoidal<D>::find_force_changes() {
  for (std::size_t i = 0; i < force_change_.size(); ++i)
    force_change_[i] = work_.hydraulics.ports[i].force - circuits_.residual(i) - expected_force_[i];
}

/// Adds the increments to the circuits' unknowns; raises `largest`, an increment over its tolerance, and the report's worst with it.
template <int D>
void MonolithicTrapezoidal<D>::apply_circuit_increment(StepOutcome& report, double& largest) {
  circuits_.apply(circuit_increment_.data(), work_.hydraulics,
                  [&](double scaled, int i) { raise(scaled, model_->layout.nv + i, report, largest); });
}

template <int D>
void MonolithicTrapezoidal<D>::finish_local_states() {
  if (!circuits_.has_local_states()) return;
  update_rates(m_, next_.v(), next_.a(), work_.mechanism);
  circuits_.finish_local(work_.mechanism.s.data(), work_.mechanism.s_dot.data(), work_.hydraulics);
}

template <int D>
void MonolithicTrapezoidal<D>::finish_oil(bool moved) {
  MechanismState<D>& mech = work_.mechanism;
  for (std::size_t i = 0; i < m_.ports.size(); ++i) {
    if (!moved) mech.s[i] += ds_[i];
    double rate = 0;
    for (int k = m_.ports[i].path.begin; k < m_.ports[i].path.end; ++k) rate += mech.dofs[k].gradient * next_.v()[m_.paths[k].dof];
    mech.s_dot[i] = rate;
  }
  circuits_.finish(mech.s.data(), mech.s_dot.data(), memory(), work_.hydraulics);
}

template <int D>
StepOutcome MonolithicTrapezoidal<D>::commit(StepOutcome report, StateVector& state) {
  if (!report.ok()) return report;
  report.oil_rule = oil_rule_;
  if (resolves_ && circuits_.jumped(kOilJump, work_.hydraulics))
    report.status = StepStatus::unresolved;
  else
    state = next_;
  return report;
}

/// In a substep the mechanism moves with its initial accelerations; at its end it has new ones, and the velocity of their mean.
template <int D>
StepOutcome MonolithicTrapezoidal<D>::step_oil(StateVector& state, double h, const std::function<void(const StepOutcome&)>& part) {
  constexpr double kNone = std::numeric_limits<double>::infinity(), kWhole = 1 - 1e-9;
  const int nv = model_->layout.nv;
  MechanismState<D>& mech = work_.mechanism;
  HydraulicState& oil = work_.hydraulics;
  const StateVector start = state;
  const std::vector<double> still(static_cast<std::size_t>(nv), 0.0);
  std::vector<double> kept_memory;
  StepOutcome report;
  const auto place = [&](double dt) {  // next_, dt after `state`
    for (int i = 0; i < nv; ++i) {
      theta_[i] = dt * (state.v()[i] + dt / 2 * state.a()[i]);
      next_.v()[i] = state.v()[i] + dt * state.a()[i];
    }
    advance_configuration(m_.tree, state.q(), theta_.data(), next_.q());
    update_positions(m_, next_.q(), theta_.data(), mech);
    update_rates(m_, next_.v(), still.data(), mech);
  };
  next_ = state;
  place(0);
  update_inputs(*model_, signals_at(*model_, state), state.time, Side::right, work_);
  evaluate_rates(netlist_, mech.s.data(), mech.s_dot.data(), state.y(), state.ydot(), oil);
  const double first = circuits_.part_length(2 * kOilPartError, state.y(), state.ydot(), oil);
  if (*state.oil_memory() == 0)
    start_oil_memory(netlist_, std::min(first, h), mech.s.data(), mech.s_dot.data(), state.y(), state.ydot(),
                     oil_memory(netlist_, state.oil_memory()));
  const auto attempt = [&](const OilRule& rule, double dt, bool last_resort) {
    report.status = StepStatus::converged;
    report.part_iterations += report.iterations;
    report.iterations = 0;
    next_ = state;
    next_.time = std::min(state.time + dt, start.time + h);  // rounding of the sum of substeps must not pass a jump
    place(dt);
    if (!pistons_inside(*model_, mech.s.data(), report)) return kNone;
    update_inputs(*model_, signals_at(*model_, next_), next_.time, Side::left, work_);
    circuits_.begin(rule, signals_at(*model_, state), state.time, dt, state.y(), state.ydot(),
                    oil_memory(netlist_, static_cast<const double*>(state.oil_memory())), next_.y(), next_.ydot(), oil);
    if (!circuits_.solve(mech.s.data(), mech.s_dot.data(), model_->description.solver.max_iterations, report.iterations, oil)) return kNone;
    circuits_.finish_local(mech.s.data(), mech.s_dot.data(), oil);
    circuits_.finish(mech.s.data(), mech.s_dot.data(), memory(), oil);
    const double error = circuits_.part_error(oil) / kOilPartError;
    if (error > 1 && !last_resort) return error;
    circuits_.keep_part();
    if (nv > 0) {
      const double* memory_at_end = next_.oil_memory();
      kept_memory.assign(memory_at_end, memory_at_end + model_->layout.oil_memory);
      if (!consistent_.solve(next_, Side::left, work_)) {
        report.status = StepStatus::singular;
        return kNone;
      }
      std::copy(kept_memory.begin(), kept_memory.end(), next_.oil_memory());
      for (int i = 0; i < nv; ++i) next_.v()[i] = state.v()[i] + dt / 2 * (state.a()[i] + next_.a()[i]);
    }
    report.oil_rule = rule;
    state = next_;
    if (state.time < start.time + h * kWhole) part(report);
    return error;
  };
  if (go_in_parts(h, first, attempt)) return report;
  state = start;
  if (report.ok()) report.status = StepStatus::stalled;
  return report;
}

template class MonolithicTrapezoidal<2>;
template class MonolithicTrapezoidal<3>;

}  // namespace trunnion
