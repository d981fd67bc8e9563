// The augmented Lagrangian treatment in an implicit step.
// Also: Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations), (18)-(21), (31), (36), (39), (48).
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/penalty.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/forward_difference.h"
#include "base/lu.h"

namespace trunnion {

namespace {

constexpr double kOpenForce = 1e-4;      // relative to the acting forces: imbalance tolerated from constraint violations
constexpr double kGain = 0.9 * 0.9;      // ratio of squared violations: a pass with a larger one is the last
constexpr double kProjected = 1e-5;      // relative to the initial violation: remainder of the velocity projection
constexpr double kRoundingRate = 1e-14;  // relative to the velocities: rounding of a violation
constexpr double kSlight = 1e-5;         // relative to the velocities (accelerations): violation removed equally well by any metric
constexpr double kSameGradients = 3e-8;  // [rad, of the machine's length] displacement over which constraint gradients are constant
constexpr double kContradiction = 1e-8;  // [-, m; of the extent where that is more] violation of rows that oppose each other
constexpr double kHardly = 1e-6;         // relative to the velocities: violation whose directions need not be averaged
constexpr int kProjections = 5;
constexpr int kClosingPasses = 20;
constexpr int kEffectivePasses = 8;
constexpr int kRecordedPasses = 1;         // made by a recording whether they are needed or not, instead of branches
constexpr double kLeastViolation = 1e-15;  // [-, of the machine's length] smallest attainable violation

}  // namespace

template <int D>
Penalty<D>::Penalty(MachineStep<D>& step, MatrixStorage storage)
    : step_(step),
      model_(*step.model),
      m_(step.m),
      netlist_(step.netlist),
      plain_(model_.description.solver.multipliers == MultiplierIteration::plain),
      alpha_(m_, model_.description.solver.penalty.value, plain_ ? 0 : PenaltyFactors<D>::kSmallestRatio,
             plain_ ? std::numeric_limits<double>::infinity() : PenaltyFactors<D>::kLargestRatio),
      mean_(m_),
      effective_(m_) {
  const StateLayout& n = model_.layout;
  const std::size_t nv = n.nv, nc = netlist_.unknown_state.size();
  for (auto* x : {&correction_, &kick_}) x->resize(nv);
  impulse_.resize(m_.rows);
  multiplier_change_.resize(m_.rows);
  left_.resize(m_.rows);
  K_.resize(nv);
  held_.resize(step_.work.mechanism.jacobian.size());
  held_q_.resize(step_.work.mechanism.jacobian_q.size());
  const bool differences = model_.description.solver.tangent == TangentKind::forward_difference;
  list_followed();
  update_positions(m_, model_.q_start.data(), static_cast<const double*>(nullptr), step_.work.mechanism);
  RecordedEntries pattern;
  add_projection_metric(pattern);
  metric_entries_ = pattern.entries.size();
  add_penalty(m_, alpha_.data(), step_.work.mechanism, pattern);
  add_rest_of_tangent(pattern);
  for (SystemMatrix* matrix : {&T_, &P_})
    *matrix = SystemMatrix(m_.patterns->find(model_.layout.nv, pattern.entries, differences ? MatrixStorage::dense : storage));
  if (differences) {
    full_.resize((2 * nv + nc) * (nv + nc));
    full_pivot_.resize(nv + nc);
    right_side_.resize(nv + nc);
    for (auto* x : {&base_, &changed_}) x->resize(2 * nv + nc);
  }
}

/// The motions that follow control blocks.
template <int D>
[[gnu::cold]] void Penalty<D>::list_followed() {
  for (const DrivenLoad& load : model_.driven_loads)
    for (const ConstraintGroup<D>& g : m_.constraints)
      if (load.motion >= 0 && g.motion == load.motion) {
        const ControlBlock& b = netlist_.control[netlist_.block_of_signal[netlist_.actuators[load.port].drive]];
        followed_.push_back({load.port, g.rows.begin, m_.motions[g.motion].v, netlist_.circuits[b.circuit].offset + b.local + 1});
      }
}

/// Force per condensed change of a port: 1, or alpha of the row whose target changes.
template <int D>
double Penalty<D>::gain_of(int port) const {
  for (const Followed& f : followed_)
    if (f.port == port) return alpha_[f.row];
  return 1;
}

/// W: mechanism and direct port derivatives.
template <int D>
template <class Entries>
void Penalty<D>::add_projection_metric(Entries& T) {
  MechanismState<D>& mech = step_.work.mechanism;
  inverse_dynamics_tangent(m_, step_.factors, mech, T);
  for (std::size_t i = 0; i < m_.ports.size(); ++i) {
    const HydraulicState& oil = step_.work.hydraulics;
    add_port_force_tangent(m_, m_.ports[i], mech.ports[i], mech.dofs.data() + m_.ports[i].path.begin, oil.ports[i].force, oil.force_s[i],
                           oil.force_v[i], step_.factors, mech.tree, T);
  }
}

/// The rest of the tangent: multiplier curvature, and the contribution of condensation to the direct port derivatives,
/// T += s_k (K_ij ds_j + D_ij dsdot_j), of a coordinate that follows a block alpha times that. The curvature is that of lambda alone: the
/// iteration closes the linearised constraints, and with them alpha Phi. If a long step leaves Phi open by the square of its rotation, alpha Phi would dominate the tangent.
template <int D>
template <class Entries>
void Penalty<D>::add_rest_of_tangent(Entries& T) {
  const LineDof<D>* dofs = step_.work.mechanism.dofs.data();
  add_constraint_curvature(m_, step_.next.multipliers(), step_.work.mechanism, T);
  add_velocity_row_penalty(m_, alpha_.data(), step_.factors, step_.work.mechanism, T);
  for (const Circuit& c : netlist_.circuits)
    for (int i : c.acting)
      for (int j : c.actuators) {
        const Range &path_i = m_.ports[i].path, &path_j = m_.ports[j].path;
        const double gain = gain_of(i);
        const double stiffness = gain * step_.circuits.stiffness(i, j), damping = gain * step_.circuits.damping(i, j);
        for (int l = path_j.begin; l < path_j.end; ++l) {
          const double change =
              stiffness * dofs[l].gradient_q + damping * (dofs[l].rate_gradient + step_.factors.velocity * dofs[l].gradient);
          for (int k = path_i.begin; k < path_i.end; ++k) T(m_.paths[k].dof, m_.paths[l].dof) += dofs[k].gradient * change;
        }
      }
}

/// The penalty factors of this step, at its first iteration. K_k: the tangent at (k, k) without constraints, and the stiffness
/// of the oil at the ports moved by k. Known only here, but identical for all steps from the same state.
template <int D>
void Penalty<D>::set_penalty_factors() {
  if (alpha_is_set_ || m_.rows == 0) return;
  alpha_is_set_ = true;
  const MechanismState<D>& mech = step_.work.mechanism;
  const bool exact = model_.description.solver.tangent == TangentKind::exact;
  for (int k = 0; k < model_.layout.nv; ++k)
    K_[k] = exact ? std::abs(T_.diagonal(k)) : step_.factors.acceleration * own_inertia(m_.tree, mech.tree, k);
  if (exact)
    for (std::size_t i = 0; i < m_.ports.size(); ++i) {
      if (netlist_.actuators[i].follows) continue;
      const double stiffness = std::abs(step_.circuits.stiffness(i, i)) + step_.factors.velocity * std::abs(step_.circuits.damping(i, i));
      for (int k = m_.ports[i].path.begin; k < m_.ports[i].path.end; ++k)
        K_[m_.paths[k].dof] += stiffness * mech.dofs[k].gradient * mech.dofs[k].gradient;
    }
  alpha_.set(mech, K_.data());
  inertial_forces_ = inertial_energy(0, 1 / step_.factors.acceleration) / alpha_.ratio();
}

/// r += Phi_q^T alpha violation.
template <int D>
void Penalty<D>::add_penalty_forces(const std::vector<double>& violation, double* r) {
  for (int i = 0; i < m_.rows; ++i) step_.work.multipliers[i] = alpha_[i] * violation[i];
  add_constraint_forces(m_, step_.work.multipliers.data(), step_.work.mechanism, r);
}

/// sum K_k (velocity v_k + acceleration a_k)^2, magnitudes, over all coordinates: reference for violations. In the units of
/// sum alpha_i d_i^2 over the ratio of the penalty, d_i a violation.
template <int D>
double Penalty<D>::inertial_energy(double velocity, double acceleration) const {
  double sum = 0;
  for (int k = 0; k < model_.layout.nv; ++k) {
    const double x = velocity * std::abs(step_.next.v()[k]) + acceleration * std::abs(step_.next.a()[k]);
    sum += K_[k] * x * x;
  }
  return sum;
}

/// sum lambda_i^2 / alpha_i and the inertial forces in the same units: reference for the forces of open constraints.
template <int D>
double Penalty<D>::acting_forces() const {
  double sum = inertial_forces_;
  for (int i = 0; i < m_.rows; ++i) sum += step_.next.multipliers()[i] * step_.next.multipliers()[i] * alpha_.inverse(i);
  return sum;
}

/// sum alpha_i x_i^2.
template <int D>
double Penalty<D>::weighted_square(const std::vector<double>& rows) const {
  double sum = 0;
  for (int i = 0; i < m_.rows; ++i) sum += alpha_[i] * rows[i] * rows[i];
  return sum;
}

/// After a solve with T_ whose right side has the forces of multipliers and penalty: the remaining violation d of the linearised
/// constraints is, as alpha d, the change of the multipliers, and is added to `multipliers`. That defect, as a force with the same factored
/// tangent, closes them, repeated until the remaining force is small relative to the acting forces, or no progress is made.
template <int D>
void Penalty<D>::close_linearised_constraints(double* multipliers) {
  if (m_.rows == 0 || plain_) return;
  const MechanismState<D>& mech = step_.work.mechanism;
  double before = std::numeric_limits<double>::infinity(), share = 1;  // share: 0 after the last pass, of which a recording makes more
  for (int pass = 0;; ++pass) {
    linearised_violations(m_, step_.factors, mech, step_.increment.data(), left_.data());  // d = psi + psi_theta d(theta)
    add_followed_changes();
    double open = 0;
    for (int i = 0; i < m_.rows; ++i) {
      const double change = step_.work.multipliers[i] = kRecording ? share * alpha_[i] * left_[i] : alpha_[i] * left_[i];
      multipliers[i] += change;
      open += change * left_[i];
    }
    const Mask last = (open <= kOpenForce * kOpenForce * acting_forces()) | (open > kGain * before);
    if (kRecording) {
      share = select(last, 0.0, share);
      if (pass >= kRecordedPasses && share < 0.5) return;
      for (double& change : step_.work.multipliers) change *= share;
    } else if (last || pass == kClosingPasses) {
      return;
    }
    before = open;
    std::fill(correction_.begin(), correction_.end(), 0.0);
    add_constraint_forces(m_, step_.work.multipliers.data(), mech, correction_.data());
    T_.solve(correction_.data());
    for (std::size_t i = 0; i < step_.increment.size(); ++i) step_.increment[i] -= correction_[i];
  }
}

/// lambda^(h+1) = lambda^(h) + alpha Phi^(h+1), (19) of formulations; velocity-level rows with their violation over the step.
template <int D>
void Penalty<D>::add_plain_increments() {
  MechanismState<D>& mech = step_.work.mechanism;
  update_violations(m_, step_.next.v(), step_.factors, mech);
  for (int i = 0; i < m_.rows; ++i) step_.next.multipliers()[i] += alpha_[i] * mech.violation[i];
}

/// Whether the violations at the end of a converged step, of second order in its last increment, are a significant force: with the
/// stiffness that a constraint meets, not with the penalty.
template <int D>
bool Penalty<D>::constraints_are_open() const {
  const std::vector<double>& Phi = step_.work.mechanism.Phi;
  if (!(largest_of(Phi) > kLeastViolation * std::max(1.0, m_.extent))) return false;
  const double share = kOpenForce * alpha_.ratio();
  return weighted_square(Phi) > share * share * acting_forces();
}

/// Newton increment with the exact tangent: step_.increment, step_.circuit_increment; P_ for the projections.
template <int D>
bool Penalty<D>::solve_exact() {
  const int nv = model_.layout.nv;
  MechanismState<D>& mech = step_.work.mechanism;
  update_rates(m_, step_.next.v(), step_.next.a(), mech);
  evaluate_forces(model_, m_, step_.end_point(), step_.circuits.rule(), step_.work);
  if (!step_.condense_ports()) return false;
  for (const Followed& f : followed_) mech.Phi[f.row] += step_.circuits.residual(f.port);
  update_violations(m_, step_.next.v(), step_.factors, mech);
  step_.add_port_residuals();
  update_rate_gradients(m_, mech);
  T_.assemble([&](auto& T) {
    add_projection_metric(T);
    P_.copy_values(T_);
    set_penalty_factors();
    add_penalty(m_, alpha_.data(), mech, T);
    add_rest_of_tangent(T);
  });
  for (int i = 0; i < m_.rows; ++i) step_.work.multipliers[i] = step_.next.multipliers()[i] + alpha_[i] * mech.violation[i];
  add_constraint_forces(m_, step_.work.multipliers.data(), mech, step_.work.r.data());
  if (!T_.factor()) return false;
  for (int i = 0; i < nv; ++i) step_.increment[i] = -step_.work.r[i];
  T_.solve(step_.increment.data());
  close_linearised_constraints(step_.next.multipliers());
  advance_violations();
  find_port_increments();
  step_.eliminate_circuits();
  return true;
}

/// Adds to the linearised violations those by the blocks that motions follow, for `increment` of the mechanism.
template <int D>
void Penalty<D>::add_followed_changes() {
  if (followed_.empty()) return;
  find_port_increments();
  for (const Followed& f : followed_)
    for (const int j : netlist_.circuits[netlist_.actuators[f.port].circuit].actuators)
      left_[f.row] += step_.circuits.stiffness(f.port, j) * step_.ds[j] + step_.circuits.damping(f.port, j) * step_.dsdot[j];
}

/// Stores the linearised violations left by step_.increment. After close_linearised_constraints().
template <int D>
void Penalty<D>::advance_violations() {
  if (!plain_) step_.work.mechanism.violation = step_.work.mechanism.Phi = left_;
}

/// step_.ds, step_.dsdot of the ports from step_.increment.
template <int D>
void Penalty<D>::find_port_increments() {
  for (std::size_t i = 0; i < m_.ports.size(); ++i) {
    step_.ds[i] = step_.dsdot[i] = 0;
    for (int l = m_.ports[i].path.begin; l < m_.ports[i].path.end; ++l) {
      const LineDof<D>& c = step_.work.mechanism.dofs[l];
      const double d = step_.increment[m_.paths[l].dof];
      step_.ds[i] += c.gradient_q * d;
      step_.dsdot[i] += (c.rate_gradient + step_.factors.velocity * c.gradient) * d;
    }
  }
}

/// As above for changes dF of the port forces only, with the last tangent; returns the largest increment, scaled.
template <int D>
double Penalty<D>::respond_to_forces(const double* dF) {
  std::fill(step_.increment.begin(), step_.increment.end(), 0.0);
  for (std::size_t i = 0; i < m_.ports.size(); ++i)
    for (int k = m_.ports[i].path.begin; k < m_.ports[i].path.end; ++k)
      step_.increment[m_.paths[k].dof] += step_.work.mechanism.dofs[k].gradient * dF[i];
  std::fill(correction_.begin(), correction_.end(), 0.0);
  add_penalty_forces(step_.work.mechanism.violation, correction_.data());
  for (std::size_t i = 0; i < step_.increment.size(); ++i) step_.increment[i] -= correction_[i];
  T_.solve(step_.increment.data());
  std::fill(multiplier_change_.begin(), multiplier_change_.end(), 0.0);
  close_linearised_constraints(multiplier_change_.data());
  find_port_increments();
  double largest = 0;
  for (int k = 0; k < model_.layout.nv; ++k) largest = std::max(largest, step_.scaled(step_.increment[k], k));
  return largest;
}

/// As above, with forward differences of the residual, (41)-(42), except for the penalty, whose contribution would be dominated by
/// rounding errors.
template <int D>
bool Penalty<D>::solve_forward_difference() {
  const int nv = model_.layout.nv, nc = static_cast<int>(step_.circuit_increment.size()), n = nv + nc;
  MechanismState<D>& mech = step_.work.mechanism;
  const auto residual = [&](double* out) {
    step_.set_rates();
    step_.evaluate_at_end();
    double* constraint = std::copy(step_.work.hydraulics.R.begin(), step_.work.hydraulics.R.end(), out + nv);
    std::fill(constraint, constraint + nv, 0.0);
    add_constraint_forces(m_, step_.next.multipliers(), mech, constraint);
    for (int i = 0; i < nv; ++i) out[i] = step_.work.r[i] - constraint[i];
  };
  double kept = 0;
  const auto unknown = [&](std::size_t j) -> double& {
    return static_cast<int>(j) < nv ? step_.theta[j] : step_.next.y()[netlist_.unknown_state[j - nv]];
  };
  const auto move_from = [&](std::size_t j) {
    if (static_cast<int>(j) < nv) step_.move();
  };
  const auto add = [&](std::size_t j) {
    kept = unknown(j);
    const double size = difference_size(static_cast<int>(j) < nv ? step_.position(static_cast<int>(j)) : kept);
    unknown(j) += size;
    move_from(j);
    return size;
  };
  const auto restore = [&](std::size_t j) {
    unknown(j) = kept;
    move_from(j);
    return true;
  };
  forward_differences(base_.size(), static_cast<std::size_t>(n), full_.data(), base_.data(), changed_.data(), add, restore, residual);
  step_.hold_solved_unknowns(full_.data() + nv * (n + 1), static_cast<std::size_t>(n));
  DenseEntries P = P_.dense();
  for (int i = 0; i < nv; ++i)
    for (int j = 0; j < n; ++j) {
      double& entry = full_[static_cast<std::size_t>(i) * n + j];
      if (j < nv) P(i, j) = entry;
      entry += full_[static_cast<std::size_t>(n + i) * n + j];
    }
  update_violations(m_, step_.next.v(), step_.factors, mech);
  update_rate_gradients(m_, mech);
  set_penalty_factors();
  DenseEntries tangent{full_.data(), n};
  add_penalty(m_, alpha_.data(), mech, tangent);
  add_velocity_row_penalty(m_, alpha_.data(), step_.factors, mech, tangent);
  for (const Followed& f : followed_) full_[static_cast<std::size_t>(f.v) * n + nv + f.unknown] -= alpha_[f.row];
  add_penalty_forces(mech.violation, base_.data() + n);
  for (int i = 0; i < n; ++i) right_side_[i] = -(i < nv ? base_[i] + base_[n + i] : base_[i]);
  if (!lu_factor(full_.data(), n, full_pivot_.data())) return false;
  lu_solve(full_.data(), n, full_pivot_.data(), right_side_.data());
  std::copy(right_side_.begin(), right_side_.begin() + nv, step_.increment.begin());
  std::copy(right_side_.begin() + nv, right_side_.end(), step_.circuit_increment.begin());
  linearised_violations(m_, step_.factors, mech, step_.increment.data(), left_.data());
  for (const Followed& f : followed_) left_[f.row] -= step_.circuit_increment[f.unknown];
  for (int i = 0; i < m_.rows && !plain_; ++i) step_.next.multipliers()[i] += alpha_[i] * left_[i];
  return true;
}

/// Whether the end of the step, at a displacement `moved` [rad, of the machine's length] from where the constraints were evaluated, is so
/// near that their gradients are the same.
template <int D>
bool Penalty<D>::end_is_linearisable(double moved) const {
  if (step_.circuits.has_local_states()) return false;  // solved at the end of the step
  if (m_.rows == 0) return true;
  if (plain_) return false;                                                   // the violations there are those of the last iteration
  if (model_.description.solver.tangent != TangentKind::exact) return false;  // evaluated elsewhere, for the differences
  return moved < kSameGradients;
}

/// Adds the increments to the unknowns; returns the largest increment over its tolerance.
template <int D>
double Penalty<D>::apply_increment(StepOutcome& report) {
  double largest = 0;
  step_.largest_position_increment = 0;
  for (int k = 0; k < model_.layout.nv; ++k) step_.raise_position(step_.increment[k], k, report, largest);
  add_increment();
  step_.apply_circuit_increment(report, largest);
  return largest;
}

/// x -= P^-1 J^T alpha rate, J the Jacobian that P was assembled with: another one would move x out of the constraints' directions, by the
/// penalty times the difference.
template <int D>
void Penalty<D>::remove_constraint_rate(const SystemMatrix& P, const double* jacobian, const std::vector<double>& rate, double* x) {
  std::fill(correction_.begin(), correction_.end(), 0.0);
  for (int i = 0; i < m_.rows; ++i) step_.work.multipliers[i] = alpha_[i] * rate[i];
  add_constraint_forces(m_, step_.work.multipliers.data(), jacobian, correction_.data());
  P.solve(correction_.data());
  for (std::size_t i = 0; i < correction_.size(); ++i) x[i] -= correction_[i];
}

/// multipliers += alpha (rate - J correction_) / divisor: the forces of the last remove_constraint_rate(), with all that P opposes.
template <int D>
void Penalty<D>::add_multipliers_of(const std::vector<double>& rate, const double* jacobian_q, double divisor, double* multipliers) {
  jacobian_product(m_, jacobian_q, correction_.data(), left_.data());
  for (int i = 0; i < m_.rows; ++i) multipliers[i] += alpha_[i] * (rate[i] - left_[i]) / divisor;
}

/// Both projections together change the velocities, beyond h/2 (a_n + a) of the projected accelerations, by W^-1 J^T impulse_ = kick_ at
/// the end of the step. The rule is symmetric in time, and so are these directions as the mean of those at both ends: v changes by
/// W^-1 (dM kick_ - dJ^T impulse_) / 2, d the differences over the step, without leaving the constraints.
template <int D>
void Penalty<D>::average_directions(const SystemMatrix& P) {
  std::fill(correction_.begin(), correction_.end(), 0.0);
  mean_.add_differences(step_.from->q(), step_.next.q(), step_.work.mechanism.jacobian.data(), kick_.data(), impulse_.data(),
                        correction_.data());
  P.solve(correction_.data());
  for (std::size_t i = 0; i < correction_.size(); ++i) step_.next.v()[i] += 0.5 * step_.factors.acceleration * correction_[i];
}

/// (11), (12): in increment form v = v' - P^-1 J^T alpha (J v' + Phi_t), and likewise for a. Every regular P satisfies the constraints,
/// and for corrections below kSlight the direction does not matter: there the factored tangent is used. The effect of the projection
/// of a on the balance of forces is a change of the multipliers, which then belong to the projected accelerations.
/// `moved`: whether the mechanism was moved after the matrices were assembled.
template <int D>
bool Penalty<D>::project(bool moved, StepOutcome& report) {
  if (m_.rows == 0) return true;
  MechanismState<D>& mech = step_.work.mechanism;
  const double* J = moved ? held_.data() : mech.jacobian.data();
  const double* J_q = mech.jacobian_q.empty() ? J : moved ? held_q_.data() : mech.jacobian_q.data();
  const bool may_use_tangent = model_.description.solver.tangent == TangentKind::exact && m_.velocity_rows == 0 && followed_.empty();
  step_.follow_motions();
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
  constraint_rates(m_, step_.next.v(), mech);
  double size = weighted_square(mech.Phi_dot);
  const double enough = std::max(kProjected * kProjected * size, kRoundingRate * kRoundingRate * velocities);
  const SystemMatrix* P = metric_for(size, velocities);
  if (P == nullptr) return false;
  const bool average = !plain_ && step_.motion_rule->is_trapezoidal() && mean_.turn(step_.theta.data()) > MeanDirections<D>::kLeastTurn &&
                       size > kHardly * kHardly * velocities;
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  std::fill(kick_.begin(), kick_.end(), 0.0);
  for (int i = 0; i < kProjections; ++i) {
    const double before = size;
    remove_constraint_rate(*P, J, mech.Phi_dot, step_.next.v());
    if (average) {
      add_multipliers_of(mech.Phi_dot, J_q, -step_.factors.acceleration, impulse_.data());
      for (std::size_t k = 0; k < kick_.size(); ++k) kick_[k] -= correction_[k];
    }
    constraint_rates(m_, step_.next.v(), mech);
    size = weighted_square(mech.Phi_dot);
    if (size <= enough || size > kGain * before) break;
  }
  report.velocity_violation = largest_of(mech.Phi_dot);
  update_rates(m_.tree, step_.next.v(), step_.next.a(), mech.tree);
  constraint_accelerations(m_, step_.next.a(), mech);
  P = metric_for(weighted_square(mech.Phi_ddot), alpha_.ratio() * inertial_energy(step_.factors.velocity, 1));
  if (P == nullptr) return false;
  remove_constraint_rate(*P, J, mech.Phi_ddot, step_.next.a());
  if (plain_) return true;
  std::fill(step_.work.multipliers.begin(), step_.work.multipliers.end(), 0.0);
  add_multipliers_of(mech.Phi_ddot, J_q, step_.factors.acceleration, step_.work.multipliers.data());
  for (int i = 0; i < m_.rows; ++i) step_.next.multipliers()[i] += step_.work.multipliers[i];
  const auto finish = [&] {
    if (m_.redundant && !(report.violation > kContradiction * std::max(1.0, m_.extent)))
      drop_idle_multipliers(m_, alpha_, *P, J, J_q, kEffectivePasses, step_.next.multipliers(), effective_);
    return true;
  };
  if (!average) return finish();
  const double half = step_.factors.velocity / step_.factors.acceleration;  // h/2
  for (int i = 0; i < m_.rows; ++i) impulse_[i] += half * step_.work.multipliers[i];
  for (std::size_t k = 0; k < kick_.size(); ++k) kick_[k] += half * correction_[k];
  average_directions(*P);
  constraint_rates(m_, step_.next.v(), mech);
  if (weighted_square(mech.Phi_dot) > enough) {
    remove_constraint_rate(*P, J, mech.Phi_dot, step_.next.v());
    constraint_rates(m_, step_.next.v(), mech);
  }
  report.velocity_violation = largest_of(mech.Phi_dot);
  return finish();
}

// ---------------------------------------------------------------- as treatment of a step

template <int D>
bool Penalty<D>::begin(StepOutcome& /*report*/) {
  alpha_is_set_ = false;
  step_.move();
  step_.set_mechanism_rates();
  step_.predict_control();
  step_.set_circuit_rates();
  if (!followed_.empty()) step_.move();
  return true;
}

template <int D>
std::optional<double> Penalty<D>::increment(int /*iteration*/, StepOutcome& report) {
  if (!(model_.description.solver.tangent == TangentKind::exact ? solve_exact() : solve_forward_difference())) return std::nullopt;
  double size = apply_increment(report);
  moved_ = step_.largest_position_increment;
  step_.set_circuit_rates();
  if (size >= 1 && !plain_)
    step_.iterate_hydraulics_only(
        report, size, [&](const double* dF) { return response_ = respond_to_forces(dF); },
        [&](const double*) {
          add_increment();
          moved_ += response_;
          advance_violations();
          for (int i = 0; i < m_.rows; ++i) step_.next.multipliers()[i] += multiplier_change_[i];
        });
  step_.set_mechanism_rates();
  return size;
}

template <int D>
NewtonArrival Penalty<D>::arrive(bool last, bool capped, StepOutcome& report) {
  there_ = last && end_is_linearisable(moved_);
  if (last) {
    report.penalty = alpha_.largest();
    report.penalty_limited = alpha_.limited();
  }
  if (there_) {
    advance_configuration(m_.tree, step_.from->q(), step_.theta.data(), step_.next.q());
    return NewtonArrival::accepted;
  }
  if (last) {
    held_ = step_.work.mechanism.jacobian;
    held_q_ = step_.work.mechanism.jacobian_q;
  }
  step_.move();
  if (plain_) {
    add_plain_increments();
    return NewtonArrival::accepted;
  }
  return last && !capped && constraints_are_open() ? NewtonArrival::open : NewtonArrival::accepted;
}

template <int D>
void Penalty<D>::finish(StepOutcome& report) {
  if (!step_.within_stroke(report)) return;
  step_.finish_local_states();
  if (!project(!there_, report))
    report.status = StepStatus::singular;
  else
    step_.finish_oil(!there_);
}

template class Penalty<2>;
template class Penalty<3>;

}  // namespace trunnion
