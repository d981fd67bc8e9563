// Stabilised constraints in an implicit step.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/baumgarte.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/forward_difference.h"
#include "base/lu.h"

namespace trunnion {

namespace {

constexpr double kFollow = 3;  // square of beta h: above, positions follow velocities to lower order (stability limit: 12)

}  // namespace

template <int D>
Baumgarte<D>::Baumgarte(MachineStep<D>& step)
    : step_(step),
      model_(*step.model),
      m_(step.m),
      netlist_(step.netlist),
      rates_(step.model),
      variation_(m_),
      partition_(m_.rows),
      psi_(m_.rows),
      dpsi_(m_.rows),
      advanced_(m_.rows) {
  const std::size_t nv = model_.layout.nv, nc = netlist_.unknown_state.size(), n = nv + m_.rows;
  rows_.reserve(m_.rows);
  for (auto* x : {&column_, &v_, &a_, &dr_, &advance_}) x->resize(nv);
  for (auto* x : {&ds_ahead_, &dsdot_ahead_}) x->resize(step_.ds.size());
  groups_.resize(m_.constraints.size());
  std::iota(groups_.begin(), groups_.end(), 0);
  K_.resize(n * n);
  x_.resize(n);
  pivot_.resize(n);
  if (model_.description.solver.tangent == TangentKind::forward_difference) {
    full_.resize((n + nc) * (n + nc));
    full_pivot_.resize(n + nc);
    for (auto* x : {&base_, &changed_}) x->resize(n + nc);
  }
}

/// Rows that participate in the present partition; the others have no multiplier.
template <int D>
void Baumgarte<D>::list_rows() {
  rates_.loops().write(partition_.data());
  rows_.clear();
  for (int i = 0; i < m_.rows; ++i)
    if (partition_[i] != 0)
      rows_.push_back(i);
    else
      step_.next.multipliers()[i] = 0;
}

// ---------------------------------------------------------------- Newton

/// r, R, and Psi.
template <int D>
void Baumgarte<D>::evaluate_stabilised() {
  MechanismState<D>& mech = step_.work.mechanism;
  step_.evaluate_at_end();
  constraint_rates(m_, step_.next.v(), mech);
  constraint_accelerations(m_, step_.next.a(), mech);
  for (int i = 0; i < m_.rows; ++i) {
    const auto [rate, position] = rates_.stabilisation(i);
    psi_[i] = mech.Phi_ddot[i] + rate * mech.Phi_dot[i] + position * mech.Phi[i];
  }
}

/// Motion for increments theta of all coordinates with the velocities and accelerations of `f`, and the changes it causes: dr_, the rows of
/// Psi in dpsi_, the ports' (s, sdot) in variation_; oil forces constant.
template <int D>
void Baumgarte<D>::vary(const double* theta, const IncrementFactors& f) {
  const MechanismState<D>& mech = step_.work.mechanism;
  for (int i = 0; i < model_.layout.nv; ++i) {
    v_[i] = f.velocity * theta[i];
    a_[i] = f.acceleration * theta[i];
  }
  differentiate_places(m_, theta, mech, variation_);
  differentiate_velocities(m_, v_.data(), mech, variation_);
  differentiate_accelerations(m_, a_.data(), mech, variation_);
  differentiate_row_rates(m_, groups_, v_.data(), mech, variation_);
  differentiate_row_accelerations(m_, groups_, a_.data(), mech, variation_);
  linearised_constraints(m_, mech, theta, dpsi_.data());
  for (int i = 0; i < m_.rows; ++i) {
    const auto [rate, position] = rates_.stabilisation(i);
    dpsi_[i] = variation_.Phi_ddot[i] + rate * variation_.Phi_dot[i] + position * (dpsi_[i] - mech.Phi[i]);
  }
  differentiate_residual(m_, theta, v_.data(), step_.work.force.data(), step_.next.multipliers(), mech, variation_, dr_.data());
}

/// K = [T J^T; w dPsi/dtheta 0] and the right side; w scales both kinds of rows equally.
template <int D>
void Baumgarte<D>::assemble() {
  const MechanismState<D>& mech = step_.work.mechanism;
  const std::size_t nv = model_.layout.nv, rows = rows_.size(), n = nv + rows;
  std::fill(K_.begin(), K_.begin() + static_cast<std::ptrdiff_t>(n * n), 0.0);
  sum_forces(m_, step_.work.force.data(), step_.next.multipliers(), mech, variation_);
  std::fill(column_.begin(), column_.end(), 0.0);
  double size_T = 0, size_C = 0;
  for (std::size_t k = 0; k < nv; ++k) {
    column_[k] = 1;
    vary(column_.data(), step_.factors);
    column_[k] = 0;
    step_.add_port_force_change(variation_.s.data(), variation_.s_dot.data(), dr_.data());
    for (std::size_t i = 0; i < nv; ++i) {
      K_[i * n + k] = dr_[i];
      size_T = std::max(size_T, std::abs(dr_[i]));
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const double change = dpsi_[rows_[i]];
      K_[(nv + i) * n + k] = change;
      size_C = std::max(size_C, std::abs(change));
    }
  }
  w_ = size_T > 0 && size_C > 0 ? size_T / size_C : 1;
  std::fill(dpsi_.begin(), dpsi_.end(), 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    std::fill(dr_.begin(), dr_.end(), 0.0);
    dpsi_[rows_[i]] = 1;
    add_constraint_forces(m_, dpsi_.data(), mech, dr_.data());
    dpsi_[rows_[i]] = 0;
    for (std::size_t k = 0; k < nv; ++k) {
      K_[k * n + nv + i] = dr_[k];
      K_[(nv + i) * n + k] *= w_;
    }
    x_[nv + i] = -w_ * psi_[rows_[i]];
  }
  for (std::size_t k = 0; k < nv; ++k) x_[k] = -step_.work.r[k];
}

/// Right side of the tangent, in x with rows scaled by w, for an increment of positions alone that lets them follow the velocities in the
/// constraints' directions to fourth order; after a solve, for the accelerations it leads to:
///   J delta = h^2/12 J (a_n - a),   less what the step has already
/// With rotations as theta of a spherical joint, the commutator h^2/12 v x v_n has the same order. The tangent's rows are 4/h^2 J and
/// smaller terms. `increment`: of theta.
template <int D>
void Baumgarte<D>::find_advance(const double* increment, double w, double* x) {
  const double* v = step_.from->v();
  const double* a = step_.from->a();
  const std::size_t nv = model_.layout.nv;
  const double share = 1 / (3 * step_.factors.acceleration);  // h^2/12
  for (std::size_t k = 0; k < nv; ++k) {
    a_[k] = share * (a[k] - step_.factors.acceleration * (step_.theta[k] + increment[k]) - step_.a_offset[k]);
    v_[k] = step_.factors.velocity * (step_.theta[k] + increment[k]) + step_.v_offset[k];
    x[k] = 0;
  }
  if constexpr (D == 3)
    for (const TreeNode<D>& node : m_.tree.nodes)
      if (node.joint == NodeJoint::spherical) {
        const Vec<3> before(v[node.v], v[node.v + 1], v[node.v + 2]), after(v_[node.v], v_[node.v + 1], v_[node.v + 2]);
        const Vec<3> commutator = share * after.cross(before);
        for (int i = 0; i < 3; ++i) a_[node.v + i] += commutator[i];
      }
  jacobian_product(m_, step_.work.mechanism.jacobian.data(), a_.data(), dpsi_.data());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int row = rows_[i];
    x[nv + i] = 0;
    if (!m_.holonomic[row]) continue;
    const auto [rate, position] = rates_.stabilisation(row);
    const double target = std::min(1.0, kFollow * step_.factors.acceleration / (4 * position)) * dpsi_[row];
    x[nv + i] = w * (step_.factors.acceleration + rate * step_.factors.velocity + position) * (target - advanced_[row]);
    advanced_[row] = target;
  }
}

/// Increments of positions alone, at the velocities and accelerations of theta + step_.increment.
template <int D>
void Baumgarte<D>::add_advance() {
  for (int k = 0; k < model_.layout.nv; ++k) {
    step_.theta[k] += advance_[k];
    step_.v_offset[k] -= step_.factors.velocity * advance_[k];
    step_.a_offset[k] -= step_.factors.acceleration * advance_[k];
  }
}

/// advance_ and its effect on the ports, and the response of all unknowns to it.
template <int D>
void Baumgarte<D>::follow_velocities() {
  const std::size_t nv = model_.layout.nv, n = nv + rows_.size();
  find_advance(step_.increment.data(), w_, x_.data());
  lu_solve(K_.data(), static_cast<int>(n), pivot_.data(), x_.data());
  std::copy_n(x_.begin(), nv, advance_.begin());
  vary(advance_.data(), {});
  step_.add_port_force_change(variation_.s.data(), variation_.s_dot.data(), dr_.data());
  std::copy(variation_.s.begin(), variation_.s.end(), ds_ahead_.begin());
  std::copy(variation_.s_dot.begin(), variation_.s_dot.end(), dsdot_ahead_.begin());
  for (std::size_t k = 0; k < nv; ++k) x_[k] = -dr_[k];
  for (std::size_t i = 0; i < rows_.size(); ++i) x_[nv + i] = -w_ * dpsi_[rows_[i]];
  lu_solve(K_.data(), static_cast<int>(n), pivot_.data(), x_.data());
  for (std::size_t k = 0; k < nv; ++k) step_.increment[k] += x_[k];
  for (std::size_t i = 0; i < rows_.size(); ++i) step_.next.multipliers()[rows_[i]] += x_[nv + i];
}

/// Newton increment with the exact tangent: step_.increment, step_.circuit_increment, and the multipliers; advance_, and the response to
/// it.
template <int D>
bool Baumgarte<D>::solve_exact() {
  const std::size_t nv = model_.layout.nv, n = nv + rows_.size();
  evaluate_stabilised();
  if (!step_.condense_ports()) return false;
  step_.add_port_residuals();
  assemble();
  if (!lu_factor(K_.data(), static_cast<int>(n), pivot_.data())) return false;
  lu_solve(K_.data(), static_cast<int>(n), pivot_.data(), x_.data());
  std::copy_n(x_.begin(), nv, step_.increment.begin());
  for (std::size_t i = 0; i < rows_.size(); ++i) step_.next.multipliers()[rows_[i]] += x_[nv + i];
  if (step_.motion_rule->is_trapezoidal()) follow_velocities();
  vary(step_.increment.data(), step_.factors);
  for (std::size_t i = 0; i < step_.ds.size(); ++i) {
    step_.ds[i] = variation_.s[i] + ds_ahead_[i];
    step_.dsdot[i] = variation_.s_dot[i] + dsdot_ahead_[i];
  }
  add_advance();
  step_.eliminate_circuits();
  return true;
}

/// As above, with forward differences of the whole residual.
template <int D>
bool Baumgarte<D>::solve_forward_difference() {
  const std::size_t nv = model_.layout.nv, rows = rows_.size(), nc = step_.circuit_increment.size(), n = nv + rows + nc;
  const auto residual = [&](double* out) {
    step_.set_rates();
    evaluate_stabilised();
    out = std::copy(step_.work.r.begin(), step_.work.r.end(), out);
    for (int row : rows_) *out++ = psi_[row];
    std::copy(step_.work.hydraulics.R.begin(), step_.work.hydraulics.R.end(), out);
  };
  double kept = 0;
  const auto unknown = [&](std::size_t j) -> double& {
    return j < nv          ? step_.theta[j]
           : j < nv + rows ? step_.next.multipliers()[rows_[j - nv]]
                           : step_.next.y()[netlist_.unknown_state[j - nv - rows]];
  };
  const auto add = [&](std::size_t j) {
    double& x = unknown(j);
    kept = x;
    const double size = difference_size(j < nv ? step_.position(static_cast<int>(j)) : kept);
    x += size;
    if (j < nv) step_.move();
    return size;
  };
  const auto restore = [&](std::size_t j) {
    unknown(j) = kept;
    if (j < nv) step_.move();
    return true;
  };
  forward_differences(n, n, full_.data(), base_.data(), changed_.data(), add, restore, residual);
  step_.hold_solved_unknowns(full_.data() + (nv + rows) * (n + 1), n);
  changed_ = base_;
  for (double& value : base_) value = -value;
  if (!lu_factor(full_.data(), static_cast<int>(n), full_pivot_.data())) return false;
  lu_solve(full_.data(), static_cast<int>(n), full_pivot_.data(), base_.data());
  std::fill(step_.increment.begin(), step_.increment.end(), 0.0);
  std::fill(step_.circuit_increment.begin(), step_.circuit_increment.end(), 0.0);
  const auto take = [&] {
    for (std::size_t k = 0; k < nv; ++k) step_.increment[k] += base_[k];
    for (std::size_t i = 0; i < rows; ++i) step_.next.multipliers()[rows_[i]] += base_[nv + i];
    for (std::size_t i = 0; i < nc; ++i) step_.circuit_increment[i] += base_[nv + rows + i];
  };
  take();
  if (!step_.motion_rule->is_trapezoidal()) return true;
  std::copy_n(base_.begin() + static_cast<std::ptrdiff_t>(nv), rows, x_.begin());
  std::fill(base_.begin(), base_.end(), 0.0);
  find_advance(step_.increment.data(), 1, base_.data());
  lu_solve(full_.data(), static_cast<int>(n), full_pivot_.data(), base_.data());
  std::copy_n(base_.begin(), nv, advance_.begin());
  add_advance();
  step_.move();
  for (std::size_t i = 0; i < rows; ++i) step_.next.multipliers()[rows_[i]] -= x_[i];  // those of changed_
  residual(base_.data());
  for (std::size_t i = 0; i < rows; ++i) step_.next.multipliers()[rows_[i]] += x_[i];
  for (std::size_t i = 0; i < n; ++i) base_[i] = changed_[i] - base_[i];
  lu_solve(full_.data(), static_cast<int>(n), full_pivot_.data(), base_.data());
  take();
  return true;
}

/// Subtracts the stabilisation's share from the multipliers: 2 alpha dPhi/dt + beta^2 Phi is as large as the acceleration error that
/// causes the drift of Phi, however strong the stabilisation. With the last tangent: an increment that changes d2Phi/dt2 by x
/// changes Psi by x times (4/h^2 + 2/h 2 alpha + beta^2) h^2/4.
template <int D>
void Baumgarte<D>::take_stabilisation_from_multipliers() {
  const MechanismState<D>& mech = step_.work.mechanism;
  const bool exact = full_.empty();
  const std::size_t nv = model_.layout.nv, n = nv + rows_.size();
  std::vector<double>& x = exact ? x_ : base_;
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int row = rows_[i];
    const auto [rate, position] = rates_.stabilisation(row);
    const double gain = 1 + (rate * step_.factors.velocity + position) / step_.factors.acceleration;
    x[nv + i] = (exact ? w_ : 1) * gain * (rate * mech.Phi_dot[row] + position * mech.Phi[row]);
  }
  if (exact)
    lu_solve(K_.data(), static_cast<int>(n), pivot_.data(), x.data());
  else
    lu_solve(full_.data(), static_cast<int>(n + step_.circuit_increment.size()), full_pivot_.data(), x.data());
  for (std::size_t i = 0; i < rows_.size(); ++i) step_.next.multipliers()[rows_[i]] += x[nv + i];
}

template <int D>
double Baumgarte<D>::apply_increment(StepOutcome& report) {
  double largest = 0;
  for (int i = 0; i < model_.layout.nv; ++i) {
    step_.theta[i] += step_.increment[i];
    step_.raise_position(step_.increment[i] + advance_[i], i, report, largest);
  }
  step_.apply_circuit_increment(report, largest);
  return largest;
}

// ---------------------------------------------------------------- step

template <int D>
bool Baumgarte<D>::begin(StepOutcome& /*report*/) {
  list_rows();
  std::fill(advanced_.begin(), advanced_.end(), 0.0);
  step_.move();
  step_.set_mechanism_rates();
  step_.predict_control();
  step_.set_circuit_rates();
  return true;
}

template <int D>
std::optional<double> Baumgarte<D>::increment(int /*iteration*/, StepOutcome& report) {
  if (!(model_.description.solver.tangent == TangentKind::exact ? solve_exact() : solve_forward_difference())) return std::nullopt;
  return apply_increment(report);
}

template <int D>
NewtonArrival Baumgarte<D>::arrive(bool /*last*/, bool /*capped*/, StepOutcome& /*report*/) {
  step_.move();
  step_.set_rates();
  return NewtonArrival::accepted;
}

template <int D>
void Baumgarte<D>::finish(StepOutcome& report) {
  MechanismState<D>& mech = step_.work.mechanism;
  if (!step_.within_stroke(report)) return;
  step_.finish_local_states();
  step_.finish_oil(true);
  constraint_rates(m_, step_.next.v(), mech);
  report.violation = largest_of(mech.Phi);
  report.velocity_violation = largest_of(mech.Phi_dot);
  take_stabilisation_from_multipliers();
  if (!rates_.loops().factor_at(mech))
    rates_.keeper().fail(StepStatus::singular_configuration, report);
  else
    rates_.keeper().keep(rates_.loops().reduce(), mech, step_.next.partition(), report);
}

template class Baumgarte<2>;
template class Baumgarte<3>;

}  // namespace trunnion
