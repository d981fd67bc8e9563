// SPDX-License-Identifier: BSD-3-Clause
#include "solve/penalty_trapezoidal.h"

#include <algorithm>
#include <cmath>

#include "base/lu.h"

namespace trunnion {

namespace {

constexpr double kVelocityBound = 1e-8;  // [m/s] velocity violation after which projecting again is pointless
constexpr int kProjections = 5;
constexpr double kClosed = 1e-5;  // of the position tolerance: linearised constraints that count as closed
constexpr int kInnerIterations = 20;
constexpr double kPressureShrink = 0.1;  // a pressure falls to no less than this share in one iteration, so that it stays positive

}  // namespace

template <int D>
PenaltyTrapezoidal<D>::PenaltyTrapezoidal(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      m_(std::get<Mechanism<D>>(model_->mechanism)),
      h_(model_->hydraulics),
      work_(*model_),
      consistent_(*model_),
      next_(model_->layout) {
  const StateLayout& n = model_->layout;
  const std::size_t nv = n.nv, nc = h_.unknown_state.size();
  for (auto* x : {&theta_, &v_offset_, &a_offset_, &increment_, &correction_}) x->resize(nv);
  T_.resize(nv * nv);
  P_.resize(nv * nv);
  pivot_.resize(nv);
  projection_pivot_.resize(nv);
  ds_.resize(h_.actuators.size());
  dsdot_.resize(h_.actuators.size());
  circuit_increment_.resize(nc);
  tolerance_.resize(nc);
  for (std::size_t i = 0; i < nc; ++i)
    tolerance_[i] = h_.unknown_state[i] < static_cast<int>(h_.volumes.size()) ? model_->description.solver.tolerance_pressure
                                                                              : model_->description.solver.tolerance_other;
  for (const Actuator& a : h_.actuators) local_friction_ = local_friction_ || (a.friction_local && a.friction_states > 0);
  if (model_->description.solver.tangent == TangentKind::forward_difference) {
    full_.resize((nv + nc) * (nv + nc));
    full_pivot_.resize(nv + nc);
    right_side_.resize(nv + nc);
    for (auto* x : {&base_mechanism_, &base_constraint_, &constraint_force_}) x->resize(nv);
    base_circuit_.resize(nc);
  }
}

template <int D>
std::string PenaltyTrapezoidal<D>::unknown_name(int unknown) const {
  if (unknown < 0) return "the linear system";
  const int nv = model_->layout.nv;
  if (unknown < nv) return model_->velocity_names[unknown];
  const int cylinder = unknown - nv - static_cast<int>(h_.unknown_state.size());
  return cylinder < 0 ? model_->state_names[h_.unknown_state[unknown - nv]] : "cylinders." + h_.actuators[cylinder].name;
}

template <int D>
void PenaltyTrapezoidal<D>::begin(const State& state, double h) {
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
    y[i] = pressure ? std::max(y[i] + h * ydot[i], kPressureShrink * y[i]) : y[i] + h * ydot[i];
  }
  // spools run ahead: nothing acts back on them
  for (const Spool& spool : h_.spools) {
    const double begin = model_->signals.value(spool.signal, state.time, Side::right),
                 end = model_->signals.value(spool.signal, state.time + h, Side::left);
    y[spool.state] = advance_spool(state.y()[spool.state], begin, end, spool.time_constant, h);
    ydot[spool.state] = spool.time_constant > 0 ? (end - y[spool.state]) / spool.time_constant : 0;
  }
  update_inputs(*model_, state.time + h, Side::left, work_);
  move();
}

/// The configuration theta away from the start of the step, and its position stage.
template <int D>
void PenaltyTrapezoidal<D>::move() {
  advance_configuration(m_.tree, from_->q(), theta_.data(), next_.q());
  update_positions(m_, next_.q(), theta_.data(), work_.mechanism);
}

/// v, a and ydot from the unknowns by the trapezoidal rule.
template <int D>
void PenaltyTrapezoidal<D>::set_rates() {
  double *v = next_.v(), *a = next_.a(), *y = next_.y(), *ydot = next_.ydot();
  for (int i = 0; i < model_->layout.nv; ++i) {
    v[i] = factors_.velocity * theta_[i] + v_offset_[i];
    a[i] = factors_.acceleration * theta_[i] + a_offset_[i];
  }
  for (int i : h_.unknown_state) ydot[i] = rule_.factor * (y[i] - rule_.y_begin[i]) - rule_.ydot_begin[i];
  update_pressure_rates(h_, rule_, y, ydot, work_.hydraulics);
}

template <int D>
void PenaltyTrapezoidal<D>::evaluate_at() {
  evaluate(*model_, m_, {next_.q(), next_.v(), next_.a(), next_.y(), next_.ydot(), next_.multipliers()}, rule_,
           model_->description.solver.penalty, work_);
}

/// What condensation adds to the direct port derivatives: T -= s_k (-w_i . R_s,j ds_j - w_i . R_v,j dsdot_j), r += s_k w_i . R.
template <int D>
void PenaltyTrapezoidal<D>::add_port_tangent() {
  const HydraulicState& oil = work_.hydraulics;
  const LineDof<D>* dofs = work_.mechanism.dofs.data();
  const int nv = model_->layout.nv;
  for (const Circuit& c : h_.circuits)
    for (int i : c.actuators) {
      const double* w = oil.F_y.data() + oil.column[i];
      const Range& path_i = m_.ports[i].path;
      double wR = 0;
      for (int k = 0; k < c.size; ++k) wR += w[k] * oil.R[c.offset + k];
      for (int k = path_i.begin; k < path_i.end; ++k) work_.r[m_.paths[k].dof] += dofs[k].gradient * wR;
      for (int j : c.actuators) {
        const double *R_s = oil.R_s.data() + oil.column[j], *R_v = oil.R_v.data() + oil.column[j];
        double stiffness = 0, damping = 0;
        for (int k = 0; k < c.size; ++k) {
          stiffness += w[k] * R_s[k];
          damping += w[k] * R_v[k];
        }
        const Range& path_j = m_.ports[j].path;
        for (int l = path_j.begin; l < path_j.end; ++l) {
          const double change = stiffness * dofs[l].gradient_q + damping * (dofs[l].rate_gradient + factors_.velocity * dofs[l].gradient);
          for (int k = path_i.begin; k < path_i.end; ++k)
            T_[static_cast<std::size_t>(m_.paths[k].dof) * nv + m_.paths[l].dof] += dofs[k].gradient * change;
        }
      }
    }
}

/// A finite penalty leaves the linearised constraints open by (change of lambda) / alpha. That defect, taken as multiplier
/// with the same factored tangent, closes them: what (10) would otherwise take further Newton iterations for, and at small
/// steps, where inertia rivals the penalty, very many.
template <int D>
void PenaltyTrapezoidal<D>::close_linearised_constraints() {
  const double penalty = model_->description.solver.penalty, closed = kClosed * model_->description.solver.tolerance_position;
  MechanismState<D>& mech = work_.mechanism;
  for (int iteration = 0; iteration < kInnerIterations && m_.rows > 0; ++iteration) {
    linearised_constraints(m_, mech, increment_.data(), work_.multipliers.data());  // Phi + Phi_theta d(theta)
    double open = 0;
    for (int i = 0; i < m_.rows; ++i) {
      open = std::max(open, std::abs(work_.multipliers[i]));
      work_.multipliers[i] *= penalty;
    }
    if (!(open > closed)) break;
    for (int i = 0; i < m_.rows; ++i) next_.multipliers()[i] += work_.multipliers[i];
    std::fill(correction_.begin(), correction_.end(), 0.0);
    add_constraint_forces(m_, work_.multipliers.data(), mech, correction_.data());
    lu_solve(T_.data(), model_->layout.nv, pivot_.data(), correction_.data());
    for (std::size_t i = 0; i < increment_.size(); ++i) increment_[i] -= correction_[i];
  }
}

/// Newton increment with the exact tangent: increment_, circuit_increment_; P_ for the projections.
template <int D>
bool PenaltyTrapezoidal<D>::solve_exact() {
  const int nv = model_->layout.nv;
  MechanismState<D>& mech = work_.mechanism;
  HydraulicState& oil = work_.hydraulics;
  evaluate_at();
  // W: mechanism and direct port derivatives
  inverse_dynamics_tangent(m_, factors_, mech, T_.data());
  for (std::size_t i = 0; i < m_.ports.size(); ++i)
    add_line_force_tangent(m_, m_.ports[i], mech.ports[i], mech.dofs.data() + m_.ports[i].path.begin, oil.ports[i].force,
                           oil.ports[i].force_s, oil.ports[i].force_v, factors_, mech.tree, T_.data(), nv);
  add_penalty(m_, model_->description.solver.penalty, mech, T_.data());
  P_ = T_;
  // the rest of the tangent: multiplier curvature, oil
  add_constraint_curvature(m_, work_.multipliers.data(), mech, T_.data());
  int circuit = 0;
  if (!condense(h_, oil, &circuit)) return false;
  add_port_tangent();
  if (!lu_factor(T_.data(), nv, pivot_.data())) return false;
  for (int i = 0; i < nv; ++i) increment_[i] = -work_.r[i];
  lu_solve(T_.data(), nv, pivot_.data(), increment_.data());
  close_linearised_constraints();
  // back to the oil
  for (std::size_t i = 0; i < m_.ports.size(); ++i) {
    ds_[i] = dsdot_[i] = 0;
    for (int l = m_.ports[i].path.begin; l < m_.ports[i].path.end; ++l) {
      const LineDof<D>& c = mech.dofs[l];
      const double d = increment_[m_.paths[l].dof];
      ds_[i] += c.gradient_q * d;
      dsdot_[i] += (c.rate_gradient + factors_.velocity * c.gradient) * d;
    }
  }
  eliminate(h_, ds_.data(), dsdot_.data(), oil);
  std::copy(oil.R.begin(), oil.R.end(), circuit_increment_.begin());
  return true;
}

/// The same with forward differences of the whole residual, (41)-(42).
template <int D>
bool PenaltyTrapezoidal<D>::solve_forward_difference() {
  const int nv = model_->layout.nv, nc = static_cast<int>(circuit_increment_.size()), n = nv + nc;
  const auto residual = [&](double* mechanism, double* constraint, double* circuits) {
    set_rates();
    evaluate_at();
    std::fill(constraint, constraint + nv, 0.0);
    add_constraint_forces(m_, work_.multipliers.data(), work_.mechanism, constraint);
    for (int i = 0; i < nv; ++i) mechanism[i] = work_.r[i] - constraint[i];
    std::copy(work_.hydraulics.R.begin(), work_.hydraulics.R.end(), circuits);
  };
  const auto increment_size = [](double x) { return 1e-8 * std::max(1e-2, std::abs(x)); };
  residual(base_mechanism_.data(), base_constraint_.data(), base_circuit_.data());
  for (int j = 0; j < n; ++j) {
    double* x = j < nv ? &theta_[j] : &next_.y()[h_.unknown_state[j - nv]];
    const double kept = *x, size = j < nv ? increment_size(m_.tree.nodes[m_.tree.dof_node[j]].dofs == 1
                                                               ? next_.q()[m_.tree.nodes[m_.tree.dof_node[j]].q]
                                                               : kept)
                                          : increment_size(kept);
    *x += size;
    if (j < nv) move();
    residual(right_side_.data(), constraint_force_.data(), circuit_increment_.data());
    for (int i = 0; i < nv; ++i) {
      const double W = (right_side_[i] - base_mechanism_[i]) / size;
      if (j < nv) P_[static_cast<std::size_t>(i) * nv + j] = W;
      full_[static_cast<std::size_t>(i) * n + j] = W + (constraint_force_[i] - base_constraint_[i]) / size;
    }
    for (int i = 0; i < nc; ++i) full_[static_cast<std::size_t>(nv + i) * n + j] = (circuit_increment_[i] - base_circuit_[i]) / size;
    *x = kept;
    if (j < nv) move();
  }
  add_penalty(m_, model_->description.solver.penalty, work_.mechanism, P_.data());
  for (int i = 0; i < nv; ++i) right_side_[i] = -(base_mechanism_[i] + base_constraint_[i]);
  for (int i = 0; i < nc; ++i) right_side_[nv + i] = -base_circuit_[i];
  if (!lu_factor(full_.data(), n, full_pivot_.data())) return false;
  lu_solve(full_.data(), n, full_pivot_.data(), right_side_.data());
  std::copy(right_side_.begin(), right_side_.begin() + nv, increment_.begin());
  std::copy(right_side_.begin() + nv, right_side_.end(), circuit_increment_.begin());
  return true;
}

/// Adds the increments to the unknowns; returns the largest increment over its tolerance.
template <int D>
double PenaltyTrapezoidal<D>::apply_increment(StepReport& report) {
  const int nv = model_->layout.nv;
  double largest = 0;
  const auto consider = [&](double scaled, int unknown) {
    if (!(scaled <= largest)) {
      largest = scaled;
      report.worst = unknown;
    }
  };
  const double position = model_->description.solver.tolerance_position;
  for (int i = 0; i < nv; ++i) {
    theta_[i] += increment_[i];
    consider(std::abs(increment_[i]) / position, i);
  }
  for (std::size_t i = 0; i < circuit_increment_.size(); ++i) {
    const int state = h_.unknown_state[i];
    double& y = next_.y()[state];
    double moved = y + circuit_increment_[i];
    if (state < static_cast<int>(h_.volumes.size())) moved = std::max(moved, kPressureShrink * y);
    consider(std::abs(moved - y) / tolerance_[i], nv + static_cast<int>(i));
    y = moved;
  }
  return largest;
}

/// Whether every piston is still inside its cylinder: chambers of no length have no equations.
template <int D>
bool PenaltyTrapezoidal<D>::within_stroke(StepReport& report) const {
  for (std::size_t i = 0; i < h_.actuators.size(); ++i) {
    const Cylinder& c = h_.actuators[i].cylinder;
    if (c.chamber_A(work_.mechanism.s[i]) > 0 && c.chamber_B(work_.mechanism.s[i]) > 0) continue;
    report.status = StepStatus::end_of_stroke;
    report.worst = static_cast<int>(increment_.size() + circuit_increment_.size() + i);
    return false;
  }
  return true;
}

/// x -= P^-1 alpha J^T rate.
template <int D>
void PenaltyTrapezoidal<D>::remove_constraint_rate(const std::vector<double>& rate, double* x) {
  const double penalty = model_->description.solver.penalty;
  std::fill(correction_.begin(), correction_.end(), 0.0);
  for (int i = 0; i < m_.rows; ++i) work_.multipliers[i] = penalty * rate[i];
  add_constraint_forces(m_, work_.multipliers.data(), work_.mechanism, correction_.data());
  lu_solve(P_.data(), model_->layout.nv, projection_pivot_.data(), correction_.data());
  for (std::size_t i = 0; i < correction_.size(); ++i) x[i] -= correction_[i];
}

/// (11), (12): in increment form v = v' - P^-1 alpha J^T (J v' + Phi_t), and alike for a.
template <int D>
bool PenaltyTrapezoidal<D>::project(StepReport& report) {
  if (m_.rows == 0) return true;
  MechanismState<D>& mech = work_.mechanism;
  const auto largest = [](const std::vector<double>& x) {
    double size = 0;
    for (double value : x) size = std::max(size, std::abs(value));
    return size;
  };
  report.violation = largest(mech.Phi);
  if (!lu_factor(P_.data(), model_->layout.nv, projection_pivot_.data())) return false;
  constraint_rates(m_, next_.v(), mech);
  for (int i = 0; i < kProjections; ++i) {
    remove_constraint_rate(mech.Phi_dot, next_.v());
    constraint_rates(m_, next_.v(), mech);
    report.velocity_violation = largest(mech.Phi_dot);
    if (report.velocity_violation < kVelocityBound) break;
  }
  update_rates(m_.tree, next_.v(), next_.a(), mech.tree);
  constraint_accelerations(m_, next_.a(), mech);
  remove_constraint_rate(mech.Phi_ddot, next_.a());
  return true;
}

template <int D>
StepReport PenaltyTrapezoidal<D>::step(State& state, double h) {
  const SolverDescription& solver = model_->description.solver;
  StepReport report;
  begin(state, h);
  set_rates();
  double size = 0;
  for (;;) {
    ++report.iterations;
    const bool solved = solver.tangent == TangentKind::exact ? solve_exact() : solve_forward_difference();
    if (!solved) {
      report.status = StepStatus::singular;
      return report;
    }
    size = apply_increment(report);
    set_rates();
    if (!std::isfinite(size)) {
      report.status = StepStatus::diverged;
      return report;
    }
    move();
    for (int i = 0; i < m_.rows; ++i) next_.multipliers()[i] += solver.penalty * work_.mechanism.Phi[i];  // (10)
    if (size < 1 || report.iterations >= solver.max_iterations) break;
  }
  if (size >= 1) {
    report.status = solver.accept_capped ? StepStatus::capped : StepStatus::stalled;
    if (!report.ok()) return report;
  }
  if (!within_stroke(report)) return report;
  if (local_friction_) {
    update_rates(m_, next_.v(), next_.a(), work_.mechanism);
    finish_local_friction(h_, work_.mechanism.s_dot.data(), next_.y(), next_.ydot(), rule_);
  }
  if (!project(report)) {
    report.status = StepStatus::singular;
    return report;
  }
  state = next_;
  return report;
}

template class PenaltyTrapezoidal<2>;
template class PenaltyTrapezoidal<3>;

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const Model> model) {
  if (model->planar) return std::make_unique<PenaltyTrapezoidal<2>>(std::move(model));
  return std::make_unique<PenaltyTrapezoidal<3>>(std::move(model));
}

}  // namespace trunnion
