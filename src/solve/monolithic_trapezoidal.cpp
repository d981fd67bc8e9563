// SPDX-License-Identifier: BSD-3-Clause
#include "solve/monolithic_trapezoidal.h"

#include <algorithm>
#include <cmath>

namespace trunnion {

template <int D>
MonolithicTrapezoidal<D>::MonolithicTrapezoidal(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      m_(std::get<Mechanism<D>>(model_->mechanism)),
      h_(model_->hydraulics),
      work_(*model_),
      next_(model_->layout),
      consistent_(*model_) {
  const std::size_t nv = model_->layout.nv, nc = h_.unknown_state.size(), ports = h_.actuators.size();
  for (auto* x : {&theta_, &v_offset_, &a_offset_, &increment_}) x->resize(nv);
  for (auto* x : {&ds_, &dsdot_, &port_residual_}) x->resize(ports);
  port_stiffness_.resize(ports * ports);
  port_damping_.resize(ports * ports);
  circuit_increment_.resize(nc);
  tolerance_.resize(nc);
  for (std::size_t i = 0; i < nc; ++i)
    tolerance_[i] = h_.unknown_state[i] < static_cast<int>(h_.volumes.size()) ? model_->description.solver.tolerance_pressure
                                                                              : model_->description.solver.tolerance_other;
  for (const Actuator& a : h_.actuators) local_friction_ = local_friction_ || (a.friction_local && a.friction_states > 0);
}

template <int D>
void MonolithicTrapezoidal<D>::begin(const State& state, double h) {
  const StateLayout& n = model_->layout;
  from_ = &state;
  factors_ = {2 / h, 4 / (h * h)};
  rule_ = {h, 2 / h, state.y(), state.ydot()};
  for (int i = 0; i < n.nv; ++i) {
    theta_[i] = h * (state.v()[i] + h / 2 * state.a()[i]);  // predictor
    v_offset_[i] = -state.v()[i];
    a_offset_[i] = -(4 / h * state.v()[i] + state.a()[i]);
  }
  next_ = state;
  next_.time = state.time + h;
  double *y = next_.y(), *ydot = next_.ydot();
  for (int i : h_.unknown_state) {
    const bool pressure = i < static_cast<int>(h_.volumes.size());
    y[i] = pressure ? h_.fluid.advance(y[i], h * ydot[i], h_.volumes[i].walls_of_all) : y[i] + h * ydot[i];
  }
  update_inputs(*model_, state.time + h, Side::left, work_);
  // spools run ahead: nothing acts back on them
  for (const Spool& spool : h_.spools) {
    const double begin = model_->signals.value(spool.signal, state.time, Side::right), end = work_.hydraulics.signal[spool.signal];
    y[spool.state] = advance_spool(state.y()[spool.state], begin, end, spool.time_constant, h);
    ydot[spool.state] = spool.time_constant > 0 ? (end - y[spool.state]) / spool.time_constant : 0;
  }
}

/// The configuration theta away from the start of the step, and its position stage.
template <int D>
void MonolithicTrapezoidal<D>::move() {
  advance_configuration(m_.tree, from_->q(), theta_.data(), next_.q());
  update_positions(m_, next_.q(), theta_.data(), work_.mechanism);
}

/// v, a and ydot from the unknowns by the trapezoidal rule.
template <int D>
void MonolithicTrapezoidal<D>::set_rates() {
  double *v = next_.v(), *a = next_.a();
  for (int i = 0; i < model_->layout.nv; ++i) {
    v[i] = factors_.velocity * theta_[i] + v_offset_[i];
    a[i] = factors_.acceleration * theta_[i] + a_offset_[i];
  }
  set_circuit_rates();
}

/// ydot of the circuits' unknowns by the trapezoidal rule.
template <int D>
void MonolithicTrapezoidal<D>::set_circuit_rates() {
  double *y = next_.y(), *ydot = next_.ydot();
  for (int i : h_.unknown_state) ydot[i] = rule_.factor * (y[i] - rule_.y_begin[i]) - rule_.ydot_begin[i];
  update_pressure_rates(h_, rule_, y, ydot, work_.hydraulics);
}

template <int D>
void MonolithicTrapezoidal<D>::evaluate_at(double penalty) {
  evaluate(*model_, m_, end_point(), rule_, penalty, work_);
}

/// What condensation says of the ports: dF_i = -port_residual_i - sum_j (port_stiffness_ij ds_j + port_damping_ij dsdot_j).
template <int D>
bool MonolithicTrapezoidal<D>::condense_ports() {
  HydraulicState& oil = work_.hydraulics;
  int circuit = 0;
  if (!condense(h_, oil, &circuit)) return false;
  const std::size_t ports = h_.actuators.size();
  for (const Circuit& c : h_.circuits)
    for (int i : c.actuators) {
      const double* w = oil.F_y.data() + oil.column[i];
      double wR = 0;
      for (int k = 0; k < c.size; ++k) wR += w[k] * oil.R[c.offset + k];
      port_residual_[i] = wR;
      for (int j : c.actuators) {
        const double *R_s = oil.R_s.data() + oil.column[j], *R_v = oil.R_v.data() + oil.column[j];
        double stiffness = 0, damping = 0;
        for (int k = 0; k < c.size; ++k) {
          stiffness += w[k] * R_s[k];
          damping += w[k] * R_v[k];
        }
        port_stiffness_[i * ports + j] = stiffness;
        port_damping_[i * ports + j] = damping;
      }
    }
  return true;
}

/// r += s_k w_i . R: the residual of the mechanism with the circuits' unknowns eliminated.
template <int D>
void MonolithicTrapezoidal<D>::add_port_residuals() {
  for (const Circuit& c : h_.circuits)
    for (int i : c.actuators)
      for (int k = m_.ports[i].path.begin; k < m_.ports[i].path.end; ++k)
        work_.r[m_.paths[k].dof] += work_.mechanism.dofs[k].gradient * port_residual_[i];
}

/// dr -= s_k dF_i: what changes ds, dsdot of the ports do to the residual, through the ports directly and through the oil.
template <int D>
void MonolithicTrapezoidal<D>::add_port_force_change(const double* ds, const double* dsdot, double* dr) const {
  const std::size_t ports = h_.actuators.size();
  const auto push = [&](std::size_t i, double dF) {
    for (int l = m_.ports[i].path.begin; l < m_.ports[i].path.end; ++l) dr[m_.paths[l].dof] -= work_.mechanism.dofs[l].gradient * dF;
  };
  const HydraulicState& oil = work_.hydraulics;
  for (std::size_t i = 0; i < ports; ++i) push(i, oil.force_s[i] * ds[i] + oil.force_v[i] * dsdot[i]);
  for (const Circuit& c : h_.circuits)
    for (int i : c.actuators) {
      double dF = 0;
      for (int j : c.actuators) dF -= port_stiffness_[i * ports + j] * ds[j] + port_damping_[i * ports + j] * dsdot[j];
      push(i, dF);
    }
}

/// Newton increments of the circuits' unknowns from those of the ports, ds_ and dsdot_.
template <int D>
void MonolithicTrapezoidal<D>::eliminate_circuits() {
  eliminate(h_, ds_.data(), dsdot_.data(), work_.hydraulics);
  std::copy(work_.hydraulics.R.begin(), work_.hydraulics.R.end(), circuit_increment_.begin());
}

/// Adds the increments to the circuits' unknowns; raises `largest`, an increment over its tolerance, and the report's worst with it.
template <int D>
void MonolithicTrapezoidal<D>::apply_circuit_increment(StepReport& report, double& largest) {
  for (std::size_t i = 0; i < circuit_increment_.size(); ++i) {
    const int state = h_.unknown_state[i];
    double& y = next_.y()[state];
    const bool pressure = state < static_cast<int>(h_.volumes.size());
    const double moved = pressure ? h_.fluid.advance(y, circuit_increment_[i], h_.volumes[state].walls_of_all) : y + circuit_increment_[i];
    raise(std::abs(moved - y) / tolerance_[i], model_->layout.nv + static_cast<int>(i), report, largest);
    y = moved;
  }
}

/// Locally integrated friction states at the end of the step.
template <int D>
void MonolithicTrapezoidal<D>::finish_friction() {
  if (!local_friction_) return;
  update_rates(m_, next_.v(), next_.a(), work_.mechanism);
  finish_local_friction(h_, work_.mechanism.s_dot.data(), next_.y(), next_.ydot(), rule_);
}

template class MonolithicTrapezoidal<2>;
template class MonolithicTrapezoidal<3>;

}  // namespace trunnion
