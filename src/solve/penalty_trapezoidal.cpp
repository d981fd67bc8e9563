// The trapezoidal step with the augmented Lagrangian treatment.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/penalty_trapezoidal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/lu.h"

namespace trunnion {

namespace {

constexpr double kOpenForce = 1e-4;      // relative to the acting forces: imbalance tolerated from constraint violations
constexpr double kGain = 0.9 * 0.9;      // ratio of squared violations: a pass with a larger one is the last
constexpr double kProjected = 1e-5;      // relative to the initial violation: remainder of the velocity projection
constexpr double kRoundingRate = 1e-14;  // relative to the velocities: rounding of a violation
constexpr double kSlight = 1e-5;         // relative to the velocities (accelerations): violation removed equally well by any metric
constexpr double kSameGradients = 3e-8;  // [rad, of the machine's length] displacement over which constraint gradients are constant
constexpr int kProjections = 5;
constexpr int kClosingPasses = 20;
constexpr double kLeastViolation = 1e-15;  // [-, of the machine's length] smallest attainable violation

}  // namespace

template <int D>
PenaltyTrapezoidal<D>::PenaltyTrapezoidal(std::shared_ptr<const CompiledModel> model, MatrixStorage storage)
    : MonolithicTrapezoidal<D>(std::move(model)), alpha_(m_, model_->description.solver.penalty.value) {
  const StateLayout& n = model_->layout;
  const std::size_t nv = n.nv, nc = netlist_.unknown_state.size();
  correction_.resize(nv);
  multiplier_change_.resize(m_.rows);
  left_.resize(m_.rows);
  K_.resize(nv);
  held_.resize(work_.mechanism.jacobian.size());
  held_q_.resize(work_.mechanism.jacobian_q.size());
  const bool differences = model_->description.solver.tangent == TangentKind::forward_difference;
  update_positions(m_, model_->q_start.data(), static_cast<const double*>(nullptr), work_.mechanism);
  RecordedEntries pattern;
  add_projection_metric(pattern);
  metric_entries_ = pattern.entries.size();
  add_penalty(m_, alpha_.data(), work_.mechanism, pattern);
  add_rest_of_tangent(pattern);
  for (SystemMatrix* matrix : {&T_, &P_})
    *matrix = SystemMatrix(m_.patterns->find(model_->layout.nv, pattern.entries, differences ? MatrixStorage::dense : storage));
  if (differences) {
    full_.resize((nv + nc) * (nv + nc));
    full_pivot_.resize(nv + nc);
    right_side_.resize(nv + nc);
    for (auto* x : {&base_mechanism_, &base_constraint_, &constraint_force_}) x->resize(nv);
    base_circuit_.resize(nc);
  }
}

/// W: mechanism and direct port derivatives.
template <int D>
template <class Entries>
void PenaltyTrapezoidal<D>::add_projection_metric(Entries& T) {
  MechanismState<D>& mech = work_.mechanism;
  inverse_dynamics_tangent(m_, factors_, mech, T);
  for (std::size_t i = 0; i < m_.ports.size(); ++i) {
    const HydraulicState& oil = work_.hydraulics;
    add_port_force_tangent(m_, m_.ports[i], mech.ports[i], mech.dofs.data() + m_.ports[i].path.begin, oil.ports[i].force, oil.force_s[i],
                           oil.force_v[i], factors_, mech.tree, T);
  }
}

/// The rest of the tangent: multiplier curvature, and the contribution of condensation to the direct port derivatives,
/// T += s_k (K_ij ds_j + D_ij dsdot_j). The curvature is that of lambda alone: the iteration closes the linearised constraints,
/// and with them alpha Phi. If a long step leaves Phi open by the square of its rotation, alpha Phi would dominate the tangent.
template <int D>
template <class Entries>
void PenaltyTrapezoidal<D>::add_rest_of_tangent(Entries& T) {
  const LineDof<D>* dofs = work_.mechanism.dofs.data();
  add_constraint_curvature(m_, next_.multipliers(), work_.mechanism, T);
  add_velocity_row_penalty(m_, alpha_.data(), factors_, work_.mechanism, T);
  for (const Circuit& c : netlist_.circuits)
    for (int i : c.actuators)
      for (int j : c.actuators) {
        const Range &path_i = m_.ports[i].path, &path_j = m_.ports[j].path;
        const double stiffness = circuits_.stiffness(i, j), damping = circuits_.damping(i, j);
        for (int l = path_j.begin; l < path_j.end; ++l) {
          const double change = stiffness * dofs[l].gradient_q + damping * (dofs[l].rate_gradient + factors_.velocity * dofs[l].gradient);
          for (int k = path_i.begin; k < path_i.end; ++k) T(m_.paths[k].dof, m_.paths[l].dof) += dofs[k].gradient * change;
        }
      }
}

/// The penalty factors of this step, at its first iteration. K_k: the tangent at (k, k) without constraints, and the stiffness
/// of the oil at the ports moved by k. Known only here, but identical for all steps from the same state.
template <int D>
void PenaltyTrapezoidal<D>::set_penalty_factors() {
  if (alpha_is_set_ || m_.rows == 0) return;
  alpha_is_set_ = true;
  const MechanismState<D>& mech = work_.mechanism;
  const bool exact = model_->description.solver.tangent == TangentKind::exact;
  for (int k = 0; k < model_->layout.nv; ++k)
    K_[k] = exact ? std::abs(T_.diagonal(k)) : factors_.acceleration * own_inertia(m_.tree, mech.tree, k);
  if (exact)
    for (std::size_t i = 0; i < m_.ports.size(); ++i) {
      const double stiffness = std::abs(circuits_.stiffness(i, i)) + factors_.velocity * std::abs(circuits_.damping(i, i));
      for (int k = m_.ports[i].path.begin; k < m_.ports[i].path.end; ++k)
        K_[m_.paths[k].dof] += stiffness * mech.dofs[k].gradient * mech.dofs[k].gradient;
    }
  alpha_.set(mech, K_.data());
  inertial_forces_ = inertial_energy(0, 1 / factors_.acceleration) / alpha_.ratio();
}

/// r += Phi_q^T alpha violation.
template <int D>
void PenaltyTrapezoidal<D>::add_penalty_forces(const std::vector<double>& violation, double* r) {
  for (int i = 0; i < m_.rows; ++i) work_.multipliers[i] = alpha_[i] * violation[i];
  add_constraint_forces(m_, work_.multipliers.data(), work_.mechanism, r);
}

/// sum K_k (velocity v_k + acceleration a_k)^2, magnitudes, over all coordinates: reference for violations. In the units of
/// sum alpha_i d_i^2 over the ratio of the penalty, d_i a violation.
template <int D>
double PenaltyTrapezoidal<D>::inertial_energy(double velocity, double acceleration) const {
  double sum = 0;
  for (int k = 0; k < model_->layout.nv; ++k) {
    const double x = velocity * std::abs(next_.v()[k]) + acceleration * std::abs(next_.a()[k]);
    sum += K_[k] * x * x;
  }
  return sum;
}

/// sum lambda_i^2 / alpha_i and the inertial forces in the same units: reference for the forces of open constraints.
template <int D>
double PenaltyTrapezoidal<D>::acting_forces() const {
  double sum = inertial_forces_;
  for (int i = 0; i < m_.rows; ++i) sum += next_.multipliers()[i] * next_.multipliers()[i] * alpha_.inverse(i);
  return sum;
}

/// sum alpha_i x_i^2.
template <int D>
double PenaltyTrapezoidal<D>::weighted_square(const std::vector<double>& rows) const {
  double sum = 0;
  for (int i = 0; i < m_.rows; ++i) sum += alpha_[i] * rows[i] * rows[i];
  return sum;
}

/// After a solve with T_ whose right side has the forces of multipliers and penalty: the remaining violation d of the linearised
/// constraints is, as alpha d, the change of the multipliers, and is added to `multipliers`. That defect, as a force with the same factored
/// tangent, closes them, repeated until the remaining force is small relative to the acting forces, or no progress is made.
template <int D>
void PenaltyTrapezoidal<D>::close_linearised_constraints(double* multipliers) {
  if (m_.rows == 0) return;
  const MechanismState<D>& mech = work_.mechanism;
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0;; ++pass) {
    linearised_violations(m_, factors_, mech, increment_.data(), left_.data());  // d = psi + psi_theta d(theta)
    double open = 0;
    for (int i = 0; i < m_.rows; ++i) {
      const double change = work_.multipliers[i] = alpha_[i] * left_[i];
      multipliers[i] += change;
      open += change * left_[i];
    }
    if (open <= kOpenForce * kOpenForce * acting_forces() || open > kGain * before || pass == kClosingPasses) return;
    before = open;
    std::fill(correction_.begin(), correction_.end(), 0.0);
    add_constraint_forces(m_, work_.multipliers.data(), mech, correction_.data());
    T_.solve(correction_.data());
    for (std::size_t i = 0; i < increment_.size(); ++i) increment_[i] -= correction_[i];
  }
}

/// Whether the violations at the end of a converged step, of second order in its last increment, are a significant force: with the
/// stiffness that a constraint meets, not with the penalty.
template <int D>
bool PenaltyTrapezoidal<D>::constraints_are_open() const {
  const std::vector<double>& Phi = work_.mechanism.Phi;
  if (!(largest_of(Phi) > kLeastViolation * std::max(1.0, m_.extent))) return false;
  const double share = kOpenForce * alpha_.ratio();
  return weighted_square(Phi) > share * share * acting_forces();
}

/// Newton increment with the exact tangent: increment_, circuit_increment_; P_ for the projections.
template <int D>
bool PenaltyTrapezoidal<D>::solve_exact() {
  const int nv = model_->layout.nv;
  MechanismState<D>& mech = work_.mechanism;
  update_rates(m_, next_.v(), next_.a(), mech);
  evaluate_forces(*model_, m_, this->end_point(), circuits_.rule(), work_);
  update_violations(m_, next_.v(), factors_, mech);
  if (!this->condense_ports()) return false;
  this->add_port_residuals();
  update_rate_gradients(m_, mech);
  T_.assemble([&](auto& T) {
    add_projection_metric(T);
    P_.copy_values(T_);
    set_penalty_factors();
    add_penalty(m_, alpha_.data(), mech, T);
    add_rest_of_tangent(T);
  });
  for (int i = 0; i < m_.rows; ++i) work_.multipliers[i] = next_.multipliers()[i] + alpha_[i] * mech.violation[i];
  add_constraint_forces(m_, work_.multipliers.data(), mech, work_.r.data());
  if (!T_.factor()) return false;
  for (int i = 0; i < nv; ++i) increment_[i] = -work_.r[i];
  T_.solve(increment_.data());
  close_linearised_constraints(next_.multipliers());
  advance_violations();
  find_port_increments();
  this->eliminate_circuits();
  return true;
}

/// Stores the linearised violations left by increment_. After close_linearised_constraints().
template <int D>
void PenaltyTrapezoidal<D>::advance_violations() {
  work_.mechanism.violation = work_.mechanism.Phi = left_;
}

/// ds_, dsdot_ of the ports from increment_.
template <int D>
void PenaltyTrapezoidal<D>::find_port_increments() {
  for (std::size_t i = 0; i < m_.ports.size(); ++i) {
    ds_[i] = dsdot_[i] = 0;
    for (int l = m_.ports[i].path.begin; l < m_.ports[i].path.end; ++l) {
      const LineDof<D>& c = work_.mechanism.dofs[l];
      const double d = increment_[m_.paths[l].dof];
      ds_[i] += c.gradient_q * d;
      dsdot_[i] += (c.rate_gradient + factors_.velocity * c.gradient) * d;
    }
  }
}

/// As above for changes dF of the port forces only, with the last tangent; returns the largest increment, scaled.
template <int D>
double PenaltyTrapezoidal<D>::respond_to_forces(const double* dF) {
  std::fill(increment_.begin(), increment_.end(), 0.0);
  for (std::size_t i = 0; i < m_.ports.size(); ++i)
    for (int k = m_.ports[i].path.begin; k < m_.ports[i].path.end; ++k)
      increment_[m_.paths[k].dof] += work_.mechanism.dofs[k].gradient * dF[i];
  std::fill(correction_.begin(), correction_.end(), 0.0);
  add_penalty_forces(work_.mechanism.violation, correction_.data());
  for (std::size_t i = 0; i < increment_.size(); ++i) increment_[i] -= correction_[i];
  T_.solve(increment_.data());
  std::fill(multiplier_change_.begin(), multiplier_change_.end(), 0.0);
  close_linearised_constraints(multiplier_change_.data());
  find_port_increments();
  double largest = 0;
  for (int k = 0; k < model_->layout.nv; ++k) largest = std::max(largest, this->scaled(increment_[k], k));
  return largest;
}

/// As above, with forward differences of the residual, (41)-(42), except for the penalty, whose contribution would be dominated by
/// rounding errors.
template <int D>
bool PenaltyTrapezoidal<D>::solve_forward_difference() {
  const int nv = model_->layout.nv, nc = static_cast<int>(circuit_increment_.size()), n = nv + nc;
  MechanismState<D>& mech = work_.mechanism;
  const auto residual = [&](double* mechanism, double* constraint, double* circuits) {
    this->set_rates();
    this->evaluate_at_end();
    std::fill(constraint, constraint + nv, 0.0);
    add_constraint_forces(m_, next_.multipliers(), mech, constraint);
    for (int i = 0; i < nv; ++i) mechanism[i] = work_.r[i] - constraint[i];
    std::copy(work_.hydraulics.R.begin(), work_.hydraulics.R.end(), circuits);
  };
  const auto increment_size = [](double x) { return 1e-8 * std::max(1e-2, std::abs(x)); };
  DenseEntries P = P_.dense();
  residual(base_mechanism_.data(), base_constraint_.data(), base_circuit_.data());
  for (int j = 0; j < n; ++j) {
    double* x = j < nv ? &theta_[j] : &next_.y()[netlist_.unknown_state[j - nv]];
    const double kept = *x, size = j < nv ? increment_size(m_.tree.nodes[m_.tree.dof_node[j]].dofs == 1
                                                               ? next_.q()[m_.tree.nodes[m_.tree.dof_node[j]].q]
                                                               : kept)
                                          : increment_size(kept);
    *x += size;
    if (j < nv) this->move();
    residual(right_side_.data(), constraint_force_.data(), circuit_increment_.data());
    for (int i = 0; i < nv; ++i) {
      const double W = (right_side_[i] - base_mechanism_[i]) / size;
      if (j < nv) P(i, j) = W;
      full_[static_cast<std::size_t>(i) * n + j] = W + (constraint_force_[i] - base_constraint_[i]) / size;
    }
    for (int i = 0; i < nc; ++i) full_[static_cast<std::size_t>(nv + i) * n + j] = (circuit_increment_[i] - base_circuit_[i]) / size;
    *x = kept;
    if (j < nv) this->move();
  }
  residual(base_mechanism_.data(), base_constraint_.data(), base_circuit_.data());  // again, for its scratch
  update_violations(m_, next_.v(), factors_, mech);
  update_rate_gradients(m_, mech);
  set_penalty_factors();
  DenseEntries tangent{full_.data(), n};
  add_penalty(m_, alpha_.data(), mech, tangent);
  add_velocity_row_penalty(m_, alpha_.data(), factors_, mech, tangent);
  add_penalty_forces(mech.violation, base_constraint_.data());
  for (int i = 0; i < nv; ++i) right_side_[i] = -(base_mechanism_[i] + base_constraint_[i]);
  for (int i = 0; i < nc; ++i) right_side_[nv + i] = -base_circuit_[i];
  if (!lu_factor(full_.data(), n, full_pivot_.data())) return false;
  lu_solve(full_.data(), n, full_pivot_.data(), right_side_.data());
  std::copy(right_side_.begin(), right_side_.begin() + nv, increment_.begin());
  std::copy(right_side_.begin() + nv, right_side_.end(), circuit_increment_.begin());
  linearised_violations(m_, factors_, mech, increment_.data(), left_.data());
  for (int i = 0; i < m_.rows; ++i) next_.multipliers()[i] += alpha_[i] * left_[i];
  return true;
}

/// Whether the end of the step, at a displacement `moved` [rad, of the machine's length] from where the constraints were evaluated, is so
/// near that their gradients are the same.
template <int D>
bool PenaltyTrapezoidal<D>::end_is_linearisable(double moved) const {
  if (circuits_.has_local_states()) return false;  // solved at the end of the step
  if (m_.rows == 0) return true;
  if (model_->description.solver.tangent != TangentKind::exact) return false;  // evaluated elsewhere, for the differences
  return moved < kSameGradients;
}

/// Adds the increments to the unknowns; returns the largest increment over its tolerance.
template <int D>
double PenaltyTrapezoidal<D>::apply_increment(StepOutcome& report) {
  double largest = 0;
  largest_position_increment_ = 0;
  for (int k = 0; k < model_->layout.nv; ++k) this->raise_position(increment_[k], k, report, largest);
  add_increment();
  this->apply_circuit_increment(report, largest);
  return largest;
}

/// x -= P^-1 J^T alpha rate, J the Jacobian that P was assembled with: another one would move x out of the constraints' directions, by the
/// penalty times the difference.
template <int D>
void PenaltyTrapezoidal<D>::remove_constraint_rate(const SystemMatrix& P, const double* jacobian, const std::vector<double>& rate,
                                                   double* x) {
  std::fill(correction_.begin(), correction_.end(), 0.0);
  for (int i = 0; i < m_.rows; ++i) work_.multipliers[i] = alpha_[i] * rate[i];
  add_constraint_forces(m_, work_.multipliers.data(), jacobian, correction_.data());
  P.solve(correction_.data());
  for (std::size_t i = 0; i < correction_.size(); ++i) x[i] -= correction_[i];
}

/// (11), (12): in increment form v = v' - P^-1 J^T alpha (J v' + Phi_t), and likewise for a. Every regular P satisfies the constraints,
/// and for corrections below kSlight the direction does not matter: there the factored tangent is used. The effect of the projection
/// of a on the balance of forces is a change of the multipliers, which then belong to the projected accelerations.
/// `moved`: whether the mechanism was moved after the matrices were assembled.
template <int D>
bool PenaltyTrapezoidal<D>::project(bool moved, StepOutcome& report) {
  if (m_.rows == 0) return true;
  MechanismState<D>& mech = work_.mechanism;
  const double* J = moved ? held_.data() : mech.jacobian.data();
  const double* J_q = mech.jacobian_q.empty() ? J : moved ? held_q_.data() : mech.jacobian_q.data();
  const bool may_use_tangent = model_->description.solver.tangent == TangentKind::exact && m_.velocity_rows == 0;
  report.violation = largest_of(mech.Phi);
  bool factored = false;
  const auto metric_for = [&](double size, double acting) -> const SystemMatrix* {  // null: singular
    if (may_use_tangent && size <= kSlight * kSlight * acting) return &T_;
    if (factored) return &P_;
    P_.add(metric_entries_, [&](auto& entries) { add_penalty(m_, alpha_.data(), J, J_q, entries); });
    factored = P_.factor();
    return factored ? &P_ : nullptr;
  };
  const double velocities = alpha_.ratio() * inertial_energy(1, 0);
  constraint_rates(m_, next_.v(), mech);
  double size = weighted_square(mech.Phi_dot);
  const double enough = std::max(kProjected * kProjected * size, kRoundingRate * kRoundingRate * velocities);
  const SystemMatrix* P = metric_for(size, velocities);
  if (P == nullptr) return false;
  for (int i = 0; i < kProjections; ++i) {
    const double before = size;
    remove_constraint_rate(*P, J, mech.Phi_dot, next_.v());
    constraint_rates(m_, next_.v(), mech);
    size = weighted_square(mech.Phi_dot);
    if (size <= enough || size > kGain * before) break;
  }
  report.velocity_violation = largest_of(mech.Phi_dot);
  update_rates(m_.tree, next_.v(), next_.a(), mech.tree);
  constraint_accelerations(m_, next_.a(), mech);
  P = metric_for(weighted_square(mech.Phi_ddot), alpha_.ratio() * inertial_energy(factors_.velocity, 1));
  if (P == nullptr) return false;
  remove_constraint_rate(*P, J, mech.Phi_ddot, next_.a());
  jacobian_product(m_, J_q, correction_.data(), left_.data());
  for (int i = 0; i < m_.rows; ++i) next_.multipliers()[i] += alpha_[i] * (mech.Phi_ddot[i] - left_[i]) / factors_.acceleration;
  return true;
}

template <int D>
StepOutcome PenaltyTrapezoidal<D>::step(StateVector& state, double h) {
  const SolverDescription& solver = model_->description.solver;
  StepOutcome report;
  this->begin(state, h);
  alpha_is_set_ = false;
  this->move();
  this->set_rates();
  double size = 0;
  bool there = false;
  for (;;) {
    ++report.iterations;
    const bool solved = solver.tangent == TangentKind::exact ? solve_exact() : solve_forward_difference();
    if (!solved) {
      report.status = StepStatus::singular;
      return report;
    }
    size = apply_increment(report);
    double moved = largest_position_increment_;
    this->set_circuit_rates();
    if (size >= 1)
      this->iterate_hydraulics_only(
          report, size, [&](const double* dF) { return response_ = respond_to_forces(dF); },
          [&](const double*) {
            add_increment();
            moved += response_;
            advance_violations();
            for (int i = 0; i < m_.rows; ++i) next_.multipliers()[i] += multiplier_change_[i];
          });
    this->set_mechanism_rates();
    if (!std::isfinite(size)) {
      report.status = StepStatus::diverged;
      return report;
    }
    const bool capped = report.iterations >= solver.max_iterations;
    there = (size < 1 || capped) && end_is_linearisable(moved);
    if (there) {
      advance_configuration(m_.tree, this->from_->q(), theta_.data(), next_.q());
      break;
    }
    const bool last = size < 1 || capped;
    if (last) {
      held_ = work_.mechanism.jacobian;
      held_q_ = work_.mechanism.jacobian_q;
    }
    this->move();
    if (last && (capped || !constraints_are_open())) break;
  }
  report.penalty = alpha_.largest();
  report.penalty_limited = alpha_.limited();
  if (size >= 1) {
    report.status = solver.accept_capped ? StepStatus::capped : StepStatus::stalled;
    if (!report.ok()) return report;
  }
  if (!this->within_stroke(report)) return report;
  this->finish_local_states();
  if (!project(!there, report)) {
    report.status = StepStatus::singular;
    return report;
  }
  this->finish_oil(!there);
  return this->commit(report, state);
}

template class PenaltyTrapezoidal<2>;
template class PenaltyTrapezoidal<3>;

}  // namespace trunnion
