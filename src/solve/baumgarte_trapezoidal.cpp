// The trapezoidal step with stabilised constraints.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/baumgarte_trapezoidal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/lu.h"

namespace trunnion {

namespace {

constexpr double kFollow = 3;  // square of beta h: above, positions follow velocities to lower order (stability limit: 12)

}  // namespace

template <int D>
BaumgarteTrapezoidal<D>::BaumgarteTrapezoidal(std::shared_ptr<const CompiledModel> model)
    : MonolithicTrapezoidal<D>(model),
      rates_(model),
      variation_(m_),
      partition_(m_.rows),
      psi_(m_.rows),
      dpsi_(m_.rows),
      advanced_(m_.rows) {
  const std::size_t nv = model_->layout.nv, nc = netlist_.unknown_state.size(), n = nv + m_.rows;
  rows_.reserve(m_.rows);
  for (auto* x : {&column_, &v_, &a_, &dr_, &advance_}) x->resize(nv);
  for (auto* x : {&ds_ahead_, &dsdot_ahead_}) x->resize(ds_.size());
  groups_.resize(m_.constraints.size());
  std::iota(groups_.begin(), groups_.end(), 0);
  K_.resize(n * n);
  x_.resize(n);
  pivot_.resize(n);
  if (model_->description.solver.tangent == TangentKind::forward_difference) {
    full_.resize((n + nc) * (n + nc));
    full_pivot_.resize(n + nc);
    for (auto* x : {&base_, &changed_}) x->resize(n + nc);
  }
}

template <int D>
bool BaumgarteTrapezoidal<D>::restart(StateVector& state) {
  StepOutcome report;
  return rates_.restart(state, report);
}

/// Rows that participate in the present partition; the others have no multiplier.
template <int D>
void BaumgarteTrapezoidal<D>::list_rows() {
  rates_.loops().write(partition_.data());
  rows_.clear();
  for (int i = 0; i < m_.rows; ++i)
    if (partition_[i] != 0)
      rows_.push_back(i);
    else
      next_.multipliers()[i] = 0;
}

// ---------------------------------------------------------------- Newton

/// r, R, and Psi.
template <int D>
void BaumgarteTrapezoidal<D>::evaluate_stabilised() {
  MechanismState<D>& mech = work_.mechanism;
  this->evaluate_at_end();
  constraint_rates(m_, next_.v(), mech);
  constraint_accelerations(m_, next_.a(), mech);
  for (int i = 0; i < m_.rows; ++i) {
    const auto [rate, position] = rates_.stabilisation(i);
    psi_[i] = mech.Phi_ddot[i] + rate * mech.Phi_dot[i] + position * mech.Phi[i];
  }
}

/// Motion for increments theta of all coordinates with the velocities and accelerations of `f`, and the changes it causes: dr_, the rows of
/// Psi in dpsi_, the ports' (s, sdot) in variation_; oil forces constant.
template <int D>
void BaumgarteTrapezoidal<D>::vary(const double* theta, const IncrementFactors& f) {
  const MechanismState<D>& mech = work_.mechanism;
  for (int i = 0; i < model_->layout.nv; ++i) {
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
  differentiate_residual(m_, theta, v_.data(), work_.force.data(), next_.multipliers(), mech, variation_, dr_.data());
}

/// K = [T J^T; w dPsi/dtheta 0] and the right side; w scales both kinds of rows equally.
template <int D>
void BaumgarteTrapezoidal<D>::assemble() {
  const MechanismState<D>& mech = work_.mechanism;
  const std::size_t nv = model_->layout.nv, rows = rows_.size(), n = nv + rows;
  std::fill(K_.begin(), K_.begin() + static_cast<std::ptrdiff_t>(n * n), 0.0);
  sum_forces(m_, work_.force.data(), next_.multipliers(), mech, variation_);
  std::fill(column_.begin(), column_.end(), 0.0);
  double size_T = 0, size_C = 0;
  for (std::size_t k = 0; k < nv; ++k) {
    column_[k] = 1;
    vary(column_.data(), factors_);
    column_[k] = 0;
    this->add_port_force_change(variation_.s.data(), variation_.s_dot.data(), dr_.data());
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
  for (std::size_t k = 0; k < nv; ++k) x_[k] = -work_.r[k];
}

/// Right side of the tangent, in x with rows scaled by w, for an increment of positions alone that lets them follow the velocities in the
/// constraints' directions to fourth order; after a solve, for the accelerations it leads to:
///   J delta = h^2/12 J (a_n - a),   less what the step has already
/// With rotations as theta of a spherical joint, the commutator h^2/12 v x v_n has the same order. The tangent's rows are 4/h^2 J and smaller
/// terms. `increment`: of theta.
template <int D>
void BaumgarteTrapezoidal<D>::find_advance(const double* increment, double w, double* x) {
  const double* v = from_->v();
  const double* a = from_->a();
  const std::size_t nv = model_->layout.nv;
  const double share = 1 / (3 * factors_.acceleration);  // h^2/12
  for (std::size_t k = 0; k < nv; ++k) {
    a_[k] = share * (a[k] - factors_.acceleration * (theta_[k] + increment[k]) - a_offset_[k]);
    v_[k] = factors_.velocity * (theta_[k] + increment[k]) + v_offset_[k];
    x[k] = 0;
  }
  if constexpr (D == 3)
    for (const TreeNode<D>& node : m_.tree.nodes)
      if (node.joint == NodeJoint::spherical) {
        const Vec<3> before(v[node.v], v[node.v + 1], v[node.v + 2]), after(v_[node.v], v_[node.v + 1], v_[node.v + 2]);
        const Vec<3> commutator = share * after.cross(before);
        for (int i = 0; i < 3; ++i) a_[node.v + i] += commutator[i];
      }
  jacobian_product(m_, work_.mechanism.jacobian.data(), a_.data(), dpsi_.data());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int row = rows_[i];
    x[nv + i] = 0;
    if (!m_.holonomic[row]) continue;
    const auto [rate, position] = rates_.stabilisation(row);
    const double target = std::min(1.0, kFollow * factors_.acceleration / (4 * position)) * dpsi_[row];
    x[nv + i] = w * (factors_.acceleration + rate * factors_.velocity + position) * (target - advanced_[row]);
    advanced_[row] = target;
  }
}

/// Increments of positions alone, at the velocities and accelerations of theta + increment_.
template <int D>
void BaumgarteTrapezoidal<D>::add_advance() {
  for (int k = 0; k < model_->layout.nv; ++k) {
    theta_[k] += advance_[k];
    v_offset_[k] -= factors_.velocity * advance_[k];
    a_offset_[k] -= factors_.acceleration * advance_[k];
  }
}

/// Newton increment with the exact tangent: increment_, circuit_increment_, and the multipliers; advance_, and the response to it.
template <int D>
bool BaumgarteTrapezoidal<D>::solve_exact() {
  const std::size_t nv = model_->layout.nv, n = nv + rows_.size();
  evaluate_stabilised();
  if (!this->condense_ports()) return false;
  this->add_port_residuals();
  assemble();
  if (!lu_factor(K_.data(), static_cast<int>(n), pivot_.data())) return false;
  lu_solve(K_.data(), static_cast<int>(n), pivot_.data(), x_.data());
  std::copy_n(x_.begin(), nv, increment_.begin());
  for (std::size_t i = 0; i < rows_.size(); ++i) next_.multipliers()[rows_[i]] += x_[nv + i];
  find_advance(increment_.data(), w_, x_.data());
  lu_solve(K_.data(), static_cast<int>(n), pivot_.data(), x_.data());
  std::copy_n(x_.begin(), nv, advance_.begin());
  vary(advance_.data(), {});
  this->add_port_force_change(variation_.s.data(), variation_.s_dot.data(), dr_.data());
  std::copy(variation_.s.begin(), variation_.s.end(), ds_ahead_.begin());
  std::copy(variation_.s_dot.begin(), variation_.s_dot.end(), dsdot_ahead_.begin());
  for (std::size_t k = 0; k < nv; ++k) x_[k] = -dr_[k];
  for (std::size_t i = 0; i < rows_.size(); ++i) x_[nv + i] = -w_ * dpsi_[rows_[i]];
  lu_solve(K_.data(), static_cast<int>(n), pivot_.data(), x_.data());
  for (std::size_t k = 0; k < nv; ++k) increment_[k] += x_[k];
  for (std::size_t i = 0; i < rows_.size(); ++i) next_.multipliers()[rows_[i]] += x_[nv + i];
  vary(increment_.data(), factors_);
  for (std::size_t i = 0; i < ds_.size(); ++i) {
    ds_[i] = variation_.s[i] + ds_ahead_[i];
    dsdot_[i] = variation_.s_dot[i] + dsdot_ahead_[i];
  }
  add_advance();
  this->eliminate_circuits();
  return true;
}

/// As above, with forward differences of the whole residual.
template <int D>
bool BaumgarteTrapezoidal<D>::solve_forward_difference() {
  const std::size_t nv = model_->layout.nv, rows = rows_.size(), nc = circuit_increment_.size(), n = nv + rows + nc;
  const auto residual = [&](double* out) {
    this->set_rates();
    evaluate_stabilised();
    out = std::copy(work_.r.begin(), work_.r.end(), out);
    for (int row : rows_) *out++ = psi_[row];
    std::copy(work_.hydraulics.R.begin(), work_.hydraulics.R.end(), out);
  };
  const auto increment_size = [](double x) { return 1e-8 * std::max(1e-2, std::abs(x)); };
  residual(base_.data());
  for (std::size_t j = 0; j < n; ++j) {
    const bool mechanical = j < nv;
    double* x = mechanical      ? &theta_[j]
                : j < nv + rows ? &next_.multipliers()[rows_[j - nv]]
                                : &next_.y()[netlist_.unknown_state[j - nv - rows]];
    const double kept = *x;
    const TreeNode<D>& node = m_.tree.nodes[m_.tree.dof_node[mechanical ? j : 0]];
    const double size = increment_size(mechanical && node.dofs == 1 ? next_.q()[node.q] : kept);
    *x += size;
    if (mechanical) this->move();
    residual(changed_.data());
    for (std::size_t i = 0; i < n; ++i) full_[i * n + j] = (changed_[i] - base_[i]) / size;
    *x = kept;
    if (mechanical) this->move();
  }
  changed_ = base_;
  for (double& value : base_) value = -value;
  if (!lu_factor(full_.data(), static_cast<int>(n), full_pivot_.data())) return false;
  lu_solve(full_.data(), static_cast<int>(n), full_pivot_.data(), base_.data());
  std::fill(increment_.begin(), increment_.end(), 0.0);
  std::fill(circuit_increment_.begin(), circuit_increment_.end(), 0.0);
  const auto take = [&] {
    for (std::size_t k = 0; k < nv; ++k) increment_[k] += base_[k];
    for (std::size_t i = 0; i < rows; ++i) next_.multipliers()[rows_[i]] += base_[nv + i];
    for (std::size_t i = 0; i < nc; ++i) circuit_increment_[i] += base_[nv + rows + i];
  };
  take();
  std::copy_n(base_.begin() + static_cast<std::ptrdiff_t>(nv), rows, x_.begin());
  std::fill(base_.begin(), base_.end(), 0.0);
  find_advance(increment_.data(), 1, base_.data());
  lu_solve(full_.data(), static_cast<int>(n), full_pivot_.data(), base_.data());
  std::copy_n(base_.begin(), nv, advance_.begin());
  add_advance();
  this->move();
  for (std::size_t i = 0; i < rows; ++i) next_.multipliers()[rows_[i]] -= x_[i];  // those of changed_
  residual(base_.data());
  for (std::size_t i = 0; i < rows; ++i) next_.multipliers()[rows_[i]] += x_[i];
  for (std::size_t i = 0; i < n; ++i) base_[i] = changed_[i] - base_[i];
  lu_solve(full_.data(), static_cast<int>(n), full_pivot_.data(), base_.data());
  take();
  return true;
}

/// Subtracts the stabilisation's share from the multipliers: 2 alpha dPhi/dt + beta^2 Phi is as large as the acceleration error that
/// causes the drift of Phi, however strong the stabilisation. With the last tangent: an increment that changes d2Phi/dt2 by x
/// changes Psi by x times (4/h^2 + 2/h 2 alpha + beta^2) h^2/4.
template <int D>
void BaumgarteTrapezoidal<D>::take_stabilisation_from_multipliers() {
  const MechanismState<D>& mech = work_.mechanism;
  const bool exact = full_.empty();
  const std::size_t nv = model_->layout.nv, n = nv + rows_.size();
  std::vector<double>& x = exact ? x_ : base_;
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int row = rows_[i];
    const auto [rate, position] = rates_.stabilisation(row);
    const double gain = 1 + (rate * factors_.velocity + position) / factors_.acceleration;
    x[nv + i] = (exact ? w_ : 1) * gain * (rate * mech.Phi_dot[row] + position * mech.Phi[row]);
  }
  if (exact)
    lu_solve(K_.data(), static_cast<int>(n), pivot_.data(), x.data());
  else
    lu_solve(full_.data(), static_cast<int>(n + circuit_increment_.size()), full_pivot_.data(), x.data());
  for (std::size_t i = 0; i < rows_.size(); ++i) next_.multipliers()[rows_[i]] += x[nv + i];
}

template <int D>
double BaumgarteTrapezoidal<D>::apply_increment(StepOutcome& report) {
  double largest = 0;
  for (int i = 0; i < model_->layout.nv; ++i) {
    theta_[i] += increment_[i];
    this->raise_position(increment_[i] + advance_[i], i, report, largest);
  }
  this->apply_circuit_increment(report, largest);
  return largest;
}

// ---------------------------------------------------------------- step

template <int D>
StepOutcome BaumgarteTrapezoidal<D>::attempt(const StateVector& state, double h) {
  const SolverDescription& solver = model_->description.solver;
  StepOutcome report;
  this->begin(state, h);
  list_rows();
  std::fill(advanced_.begin(), advanced_.end(), 0.0);
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
    if (!std::isfinite(size)) {
      report.status = StepStatus::diverged;
      return report;
    }
    this->move();
    this->set_rates();
    if (size < 1 || report.iterations >= solver.max_iterations) break;
  }
  if (size >= 1) {
    report.status = solver.accept_capped ? StepStatus::capped : StepStatus::stalled;
    if (!report.ok()) return report;
  }
  if (!this->within_stroke(report)) return report;
  this->finish_local_states();
  this->finish_oil(true);
  constraint_rates(m_, next_.v(), work_.mechanism);
  report.violation = largest_of(work_.mechanism.Phi);
  report.velocity_violation = largest_of(work_.mechanism.Phi_dot);
  take_stabilisation_from_multipliers();
  if (!rates_.loops().factor_at(work_.mechanism))
    rates_.keeper().fail(StepStatus::singular_configuration, report);
  else
    rates_.keeper().keep(rates_.loops().reduce(), work_.mechanism, next_.partition(), report);
  return report;
}

template <int D>
StepOutcome BaumgarteTrapezoidal<D>::step(StateVector& state, double h) {
  const StepOutcome report = rates_.step(state, [&] { return attempt(state, h); });
  return this->commit(report, state);
}

template class BaumgarteTrapezoidal<2>;
template class BaumgarteTrapezoidal<3>;

}  // namespace trunnion
