// SPDX-License-Identifier: BSD-3-Clause
#include "solve/penalty_trapezoidal.h"

#include <algorithm>
#include <cmath>

#include "base/lu.h"

namespace trunnion {

namespace {

constexpr double kVelocityBound = 1e-8;  // [m/s] velocity violation after which projecting again is pointless
constexpr double kSlight = 1e-6;         // [m/s] violation of velocities, or of accelerations times h/2, that any metric removes as well
constexpr int kProjections = 5;
constexpr double kClosed = 1e-5;  // of the position tolerance: linearised constraints that count as closed
constexpr int kInnerIterations = 20;

}  // namespace

template <int D>
PenaltyTrapezoidal<D>::PenaltyTrapezoidal(std::shared_ptr<const Model> model, MatrixStorage storage)
    : MonolithicTrapezoidal<D>(std::move(model)) {
  const StateLayout& n = model_->layout;
  const std::size_t nv = n.nv, nc = h_.unknown_state.size();
  correction_.resize(nv);
  multiplier_change_.resize(m_.rows);
  left_.resize(m_.rows);
  const bool differences = model_->description.solver.tangent == TangentKind::forward_difference;
  update_positions(m_, model_->q_start.data(), static_cast<const double*>(nullptr), work_.mechanism);
  RecordedEntries pattern;
  add_projection_matrix(pattern);
  add_rest_of_tangent(pattern);
  for (SystemMatrix* matrix : {&T_, &P_})
    *matrix = SystemMatrix(model_->layout.nv, pattern.entries, differences ? MatrixStorage::dense : storage);
  if (differences) {
    full_.resize((nv + nc) * (nv + nc));
    full_pivot_.resize(nv + nc);
    right_side_.resize(nv + nc);
    for (auto* x : {&base_mechanism_, &base_constraint_, &constraint_force_}) x->resize(nv);
    base_circuit_.resize(nc);
  }
}

/// W and the penalty: mechanism and direct port derivatives.
template <int D>
template <class Entries>
void PenaltyTrapezoidal<D>::add_projection_matrix(Entries& T) {
  MechanismState<D>& mech = work_.mechanism;
  inverse_dynamics_tangent(m_, factors_, mech, T);
  for (std::size_t i = 0; i < m_.ports.size(); ++i) {
    const HydraulicState& oil = work_.hydraulics;
    add_port_force_tangent(m_, m_.ports[i], mech.ports[i], mech.dofs.data() + m_.ports[i].path.begin, oil.ports[i].force, oil.force_s[i],
                           oil.force_v[i], factors_, mech.tree, T);
  }
  add_penalty(m_, model_->description.solver.penalty, mech, T);
}

/// The rest of the tangent: multiplier curvature, and what condensation adds to the direct port derivatives,
/// T += s_k (K_ij ds_j + D_ij dsdot_j). The curvature is that of lambda alone: the iteration itself closes the linearised constraints, and
/// alpha Phi with them. Where a long step leaves Phi open by the square of what it turns, alpha Phi would be most of the tangent.
template <int D>
template <class Entries>
void PenaltyTrapezoidal<D>::add_rest_of_tangent(Entries& T) {
  const LineDof<D>* dofs = work_.mechanism.dofs.data();
  add_constraint_curvature(m_, next_.multipliers(), work_.mechanism, T);
  add_velocity_row_penalty(m_, model_->description.solver.penalty, factors_, work_.mechanism, T);
  for (const Circuit& c : h_.circuits)
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

/// A finite penalty leaves the linearised constraints open by (change of lambda) / alpha. That defect, taken as multiplier with the same
/// factored tangent, closes them, `least` times or more, and is added to `multipliers`: what (10) would otherwise take further Newton
/// iterations for, and at small steps, where inertia rivals the penalty, very many.
template <int D>
void PenaltyTrapezoidal<D>::close_linearised_constraints(int least, double* multipliers) {
  const double penalty = model_->description.solver.penalty, closed = kClosed * model_->description.solver.tolerance_position;
  MechanismState<D>& mech = work_.mechanism;
  if (m_.rows == 0) return;
  for (int iteration = 0;; ++iteration) {
    linearised_violations(m_, factors_, mech, increment_.data(), left_.data());  // psi + psi_theta d(theta)
    if (iteration == kInnerIterations || (!(largest_of(left_) > closed) && iteration >= least)) return;
    for (int i = 0; i < m_.rows; ++i) {
      work_.multipliers[i] = penalty * left_[i];
      multipliers[i] += work_.multipliers[i];
    }
    std::fill(correction_.begin(), correction_.end(), 0.0);
    add_constraint_forces(m_, work_.multipliers.data(), mech, correction_.data());
    T_.solve(correction_.data());
    for (std::size_t i = 0; i < increment_.size(); ++i) increment_[i] -= correction_[i];
  }
}

/// Newton increment with the exact tangent: increment_, circuit_increment_; P_ for the projections.
template <int D>
bool PenaltyTrapezoidal<D>::solve_exact() {
  const int nv = model_->layout.nv;
  MechanismState<D>& mech = work_.mechanism;
  this->evaluate_at(model_->description.solver.penalty);
  if (!this->condense_ports()) return false;
  this->add_port_residuals();
  update_rate_gradients(m_, mech);
  T_.assemble([&](auto& T) {
    add_projection_matrix(T);
    P_.copy_values(T_);
    add_rest_of_tangent(T);
  });
  if (!T_.factor()) return false;
  for (int i = 0; i < nv; ++i) increment_[i] = -work_.r[i];
  T_.solve(increment_.data());
  close_linearised_constraints(0, next_.multipliers());
  advance_violations();
  find_port_increments();
  this->eliminate_circuits();
  return true;
}

/// What increment_ leaves of the violations, linearised, becomes what they are. After close_linearised_constraints.
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

/// The same for changes dF of the port forces alone, with the last tangent.
template <int D>
void PenaltyTrapezoidal<D>::respond_to_forces(const double* dF) {
  std::fill(increment_.begin(), increment_.end(), 0.0);
  for (std::size_t i = 0; i < m_.ports.size(); ++i)
    for (int k = m_.ports[i].path.begin; k < m_.ports[i].path.end; ++k)
      increment_[m_.paths[k].dof] += work_.mechanism.dofs[k].gradient * dF[i];
  T_.solve(increment_.data());
  std::fill(multiplier_change_.begin(), multiplier_change_.end(), 0.0);
  close_linearised_constraints(1, multiplier_change_.data());
  find_port_increments();
}

/// The same with forward differences of the whole residual, (41)-(42).
template <int D>
bool PenaltyTrapezoidal<D>::solve_forward_difference() {
  const int nv = model_->layout.nv, nc = static_cast<int>(circuit_increment_.size()), n = nv + nc;
  const auto residual = [&](double* mechanism, double* constraint, double* circuits) {
    this->set_rates();
    this->evaluate_at(model_->description.solver.penalty);
    std::fill(constraint, constraint + nv, 0.0);
    add_constraint_forces(m_, work_.multipliers.data(), work_.mechanism, constraint);
    for (int i = 0; i < nv; ++i) mechanism[i] = work_.r[i] - constraint[i];
    std::copy(work_.hydraulics.R.begin(), work_.hydraulics.R.end(), circuits);
  };
  const auto increment_size = [](double x) { return 1e-8 * std::max(1e-2, std::abs(x)); };
  DenseEntries P = P_.dense();
  residual(base_mechanism_.data(), base_constraint_.data(), base_circuit_.data());
  for (int j = 0; j < n; ++j) {
    double* x = j < nv ? &theta_[j] : &next_.y()[h_.unknown_state[j - nv]];
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
  add_penalty(m_, model_->description.solver.penalty, work_.mechanism, P);
  for (int i = 0; i < nv; ++i) right_side_[i] = -(base_mechanism_[i] + base_constraint_[i]);
  for (int i = 0; i < nc; ++i) right_side_[nv + i] = -base_circuit_[i];
  if (!lu_factor(full_.data(), n, full_pivot_.data())) return false;
  lu_solve(full_.data(), n, full_pivot_.data(), right_side_.data());
  std::copy(right_side_.begin(), right_side_.begin() + nv, increment_.begin());
  std::copy(right_side_.begin() + nv, right_side_.end(), circuit_increment_.begin());
  return true;
}

/// Whether the end of the step is `moved` [rad, m] from where the constraints were evaluated, and that is so near that their gradients are
/// the same: for velocities to kVelocityBound, for accelerations to kSmall, for positions, which are linearised, to kClosed.
template <int D>
bool PenaltyTrapezoidal<D>::is_there(double moved) const {
  if (circuits_.has_local_states()) return false;  // which are solved at the end of the step
  if (m_.rows == 0) return true;
  const SolverDescription& solver = model_->description.solver;
  if (solver.tangent != TangentKind::exact) return false;  // evaluated elsewhere, for the differences
  double v = 0, a = 0;
  for (int i = 0; i < model_->layout.nv; ++i) {
    v = std::max(v, std::abs(next_.v()[i]));
    a = std::max(a, std::abs(next_.a()[i]));
  }
  return moved * v < kVelocityBound && moved * a < kSmall && moved * moved < kClosed * solver.tolerance_position;
}

/// Adds the increments to the unknowns; returns the largest increment over its tolerance.
template <int D>
double PenaltyTrapezoidal<D>::apply_increment(StepReport& report) {
  const int nv = model_->layout.nv;
  double largest = 0;
  const double position = model_->description.solver.tolerance_position;
  for (int i = 0; i < nv; ++i) this->raise(std::abs(increment_[i]) / position, i, report, largest);
  add_increment();
  largest_position_increment_ = largest * position;
  this->apply_circuit_increment(report, largest);
  return largest;
}

/// x -= P^-1 alpha J^T rate.
template <int D>
void PenaltyTrapezoidal<D>::remove_constraint_rate(const SystemMatrix& P, const std::vector<double>& rate, double* x) {
  const double penalty = model_->description.solver.penalty;
  std::fill(correction_.begin(), correction_.end(), 0.0);
  for (int i = 0; i < m_.rows; ++i) work_.multipliers[i] = penalty * rate[i];
  add_constraint_forces(m_, work_.multipliers.data(), work_.mechanism, correction_.data());
  P.solve(correction_.data());
  for (std::size_t i = 0; i < correction_.size(); ++i) x[i] -= correction_[i];
}

/// (11), (12): in increment form v = v' - P^-1 alpha J^T (J v' + Phi_t), and alike for a. Every regular P leads to where the constraints
/// hold, and by less than kSlight it does not matter along which way: there the tangent, which is factored, stands in.
template <int D>
bool PenaltyTrapezoidal<D>::project(StepReport& report) {
  if (m_.rows == 0) return true;
  MechanismState<D>& mech = work_.mechanism;
  report.violation = largest_of(mech.Phi);
  constraint_rates(m_, next_.v(), mech);
  bool factored = false;
  const auto metric_for = [&](double velocity) -> const SystemMatrix* {  // null: singular
    if (model_->description.solver.tangent == TangentKind::exact && velocity < kSlight) return &T_;
    if (!factored && !P_.factor()) return nullptr;
    factored = true;
    return &P_;
  };
  const SystemMatrix* P = metric_for(largest_of(mech.Phi_dot));
  if (P == nullptr) return false;
  for (int i = 0; i < kProjections; ++i) {
    remove_constraint_rate(*P, mech.Phi_dot, next_.v());
    constraint_rates(m_, next_.v(), mech);
    report.velocity_violation = largest_of(mech.Phi_dot);
    if (report.velocity_violation < kVelocityBound) break;
  }
  update_rates(m_.tree, next_.v(), next_.a(), mech.tree);
  constraint_accelerations(m_, next_.a(), mech);
  P = metric_for(largest_of(mech.Phi_ddot) / factors_.velocity);
  if (P == nullptr) return false;
  remove_constraint_rate(*P, mech.Phi_ddot, next_.a());
  return true;
}

template <int D>
StepReport PenaltyTrapezoidal<D>::step(State& state, double h) {
  const SolverDescription& solver = model_->description.solver;
  StepReport report;
  this->begin(state, h);
  this->move();
  this->set_rates();
  double size = 0;
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
      this->settle_oil(
          report, size, [&](const double* dF) { respond_to_forces(dF); },
          [&](const double*) {
            add_increment();
            moved += largest_of(increment_);
            advance_violations();
            for (int i = 0; i < m_.rows; ++i) next_.multipliers()[i] += multiplier_change_[i];
          });
    this->set_mechanism_rates();
    if (!std::isfinite(size)) {
      report.status = StepStatus::diverged;
      return report;
    }
    const bool last = size < 1 || report.iterations >= solver.max_iterations;
    const bool there = last && is_there(moved);
    if (there) {
      advance_configuration(m_.tree, this->from_->q(), theta_.data(), next_.q());
    } else {
      this->move();
      update_violations(m_, next_.v(), factors_, work_.mechanism);
    }
    for (int i = 0; i < m_.rows; ++i) next_.multipliers()[i] += solver.penalty * work_.mechanism.violation[i];  // (10)
    if (last) break;
  }
  if (size >= 1) {
    report.status = solver.accept_capped ? StepStatus::capped : StepStatus::stalled;
    if (!report.ok()) return report;
  }
  if (!this->within_stroke(report)) return report;
  this->finish_oil();
  if (!project(report)) {
    report.status = StepStatus::singular;
    return report;
  }
  state = next_;
  return report;
}

template class PenaltyTrapezoidal<2>;
template class PenaltyTrapezoidal<3>;

}  // namespace trunnion
