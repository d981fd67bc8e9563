// Accelerations by augmented Lagrangian iteration.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/augmented_lagrangian.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trunnion {

namespace {

constexpr double kFarAbove = 10;      // ratio of alpha to that inertia, so that every row that determines its force converges
constexpr double kNoInertia = 1e-12;  // [kg, kg m2] if no coordinate has any

}  // namespace

template <int D>
AugmentedLagrangian<D>::AugmentedLagrangian(const Mechanism<D>& m, const AugmentedLagrangianSettings& settings)
    : m_(m),
      settings_(settings),
      alpha_(m, settings.alpha, 0),  // too small an alpha is detected: the iteration does not converge
      inertia_(m.tree.nv),
      increment_(m.tree.nv),
      force_(m.tree.nv),
      correction_(m.tree.nv),
      e_(m.rows),
      effective_(m) {
  RecordedEntries pattern;
  add_matrix(MechanismState<D>(m_), pattern);
  P_ = SystemMatrix(m_.patterns->find(m_.tree.nv, pattern.entries));
}

/// M + alpha J^T J.
template <int D>
template <class Entries>
void AugmentedLagrangian<D>::add_matrix(const MechanismState<D>& state, Entries& P) const {
  mass_matrix(m_.tree, state.tree, P);
  add_penalty(m_, alpha_.data(), state, P);
}

template <int D>
void AugmentedLagrangian<D>::set_penalty_factors(const MechanismState<D>& state) {
  double largest = 0;
  for (int k = 0; k < m_.tree.nv; ++k) largest = std::max(largest, inertia_[k] = own_inertia(m_.tree, state.tree, k));
  if (largest == 0) std::fill(inertia_.begin(), inertia_.end(), kNoInertia);
  alpha_.set(state, inertia_.data());
}

/// e_ and correction_ at the accelerations of the velocity stage.
template <int D>
void AugmentedLagrangian<D>::set_correction(const double* a, MechanismState<D>& state) {
  constraint_accelerations(m_, a, state);
  double largest = -1;
  for (int i = 0; i < m_.rows; ++i) {
    const auto [rate, position] = settings_.stabilisation.of(m_.holonomic[i] != 0);
    e_[i] = alpha_[i] * (state.Phi_ddot[i] + rate * state.Phi_dot[i] + position * state.Phi[i]);
    if (!(std::abs(e_[i]) > largest)) continue;
    largest = std::abs(e_[i]);
    worst_row_ = i;
  }
  std::fill(correction_.begin(), correction_.end(), 0.0);
  add_constraint_forces(m_, e_.data(), state, correction_.data());
}

template <int D>
AugmentedLagrangianStatus AugmentedLagrangian<D>::solve(const double* q, const double* v, const double* port_force, double* a,
                                                        double* multipliers, MechanismState<D>& state, double* r) {
  const int n = m_.tree.nv;
  set_penalty_factors(state);
  iterations_ = 0;
  worst_row_ = -1;
  P_.assemble([&](auto& P) { add_matrix(state, P); });
  if (!P_.factor()) return AugmentedLagrangianStatus::singular;
  drop_idle_multipliers(m_, alpha_, P_, state.jacobian.data(), state.jacobian.data(), 1, multipliers, effective_);  // the rest follows
  std::fill(force_.begin(), force_.end(), 0.0);
  add_constraint_forces(m_, multipliers, state, force_.data());
  set_correction(a, state);
  double before = std::numeric_limits<double>::infinity();
  for (;;) {
    ++iterations_;
    for (int i = 0; i < n; ++i) increment_[i] = r[i] + force_[i] + correction_[i];
    P_.solve(increment_.data());
    double change = 0;
    for (int i = 0; i < n; ++i) {
      a[i] -= increment_[i];
      change = std::max(change, std::abs(increment_[i]));
    }
    if (!std::isfinite(change)) return AugmentedLagrangianStatus::singular;
    update_rates(m_, v, a, state);
    set_correction(a, state);
    for (int i = 0; i < m_.rows; ++i) multipliers[i] += e_[i];
    // judged by forces: those of redundant rows cancel, and so do their changes
    double size = 0, force = 0;
    for (int i = 0; i < n; ++i) {
      force_[i] += correction_[i];
      size = std::max(size, std::abs(correction_[i]));
      force = std::max(force, std::abs(force_[i]));
    }
    if (size <= settings_.tolerance * force) return AugmentedLagrangianStatus::converged;
    if (!(size < before)) return AugmentedLagrangianStatus::converged;  // rounding
    // rows that do not converge then are about to lose rank; their force is undetermined
    if (iterations_ == settings_.max_iterations)
      return alpha_.ratio() > kFarAbove ? AugmentedLagrangianStatus::converged : AugmentedLagrangianStatus::capped;
    before = size;
    inverse_dynamics(m_, q, v, false, state, r);
    add_port_forces(m_, port_force, state, r);
  }
}

/// By the same iteration: P a = force - J^T lambda, lambda += alpha J a.
template <int D>
void AugmentedLagrangian<D>::respond(const double* force, double* a, const MechanismState<D>& state) {
  const int n = m_.tree.nv;
  std::fill(force_.begin(), force_.end(), 0.0);
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < settings_.max_iterations; ++i) {
    for (int k = 0; k < n; ++k) a[k] = force[k] - force_[k];
    P_.solve(a);
    jacobian_product(m_, state.jacobian.data(), a, e_.data());
    for (int row = 0; row < m_.rows; ++row) e_[row] *= alpha_[row];
    std::fill(correction_.begin(), correction_.end(), 0.0);
    add_constraint_forces(m_, e_.data(), state, correction_.data());
    double size = 0;
    for (int k = 0; k < n; ++k) {
      force_[k] += correction_[k];
      size = std::max(size, std::abs(correction_[k]));
    }
    if (!(size < before)) return;  // rounding, or no constraint
    before = size;
  }
}

template class AugmentedLagrangian<2>;
template class AugmentedLagrangian<3>;

}  // namespace trunnion
