// Accelerations and rates of a machine at given positions and velocities.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/machine_rates.h"

#include <algorithm>
#include <cmath>

#include "spatial/rotation3.h"

namespace trunnion {

namespace {

// relative to the constraints' force, between two iterations of the multipliers: the remaining error is smaller by m/(m + alpha)
constexpr double kMultiplierTolerance = 1e-9;
// default stabilisation relative to the mechanism's natural frequency (faster than its motion); upper limit per step
constexpr double kBaumgarte = 16, kOmega = 3.2, kPerStep = 0.5;
constexpr double kSwingWithoutGravity = 3.13;  // [1/s] as for a pendulum of 1 m

ConstraintTreatment treatment_of(const SolverDescription& solver) {
  if (solver.constraints == ConstraintKind::baumgarte) return ConstraintTreatment::stabilised;
  return solver.constraints == ConstraintKind::ali1 ? ConstraintTreatment::augmented : ConstraintTreatment::closed;
}

}  // namespace

Stabilisation stabilisation_of(const CompiledModel& model) {
  const SolverDescription& solver = model.description.solver;
  const double swing = std::visit(
      [](const auto& m) {
        const double gravity = m.tree.gravity.norm();
        return gravity > 0 ? std::sqrt(gravity / m.extent) : kSwingWithoutGravity;
      },
      model.mechanism);
  const auto automatic = [&](double factor) { return std::min(factor * swing, kPerStep / solver.step); };
  if (solver.constraints == ConstraintKind::baumgarte) {
    const Vec2d rates = solver.baumgarte.value.value_or(Vec2d{automatic(kBaumgarte), automatic(kBaumgarte)});
    return {rates[0], rates[1]};
  }
  if (solver.constraints == ConstraintKind::ali1) {
    const double omega = solver.ali1.omega.value.value_or(automatic(kOmega));
    return {solver.ali1.xi * omega, omega};
  }
  return {};
}

template <int D>
MachineRates<D>::MachineRates(std::shared_ptr<const CompiledModel> model)
    : MachineRates(model, treatment_of(model->description.solver), stabilisation_of(*model)) {}

template <int D>
MachineRates<D>::MachineRates(std::shared_ptr<const CompiledModel> model, ConstraintTreatment treatment, const Stabilisation& stabilisation)
    : model_(std::move(model)),
      m_(std::get<Mechanism<D>>(model_->mechanism)),
      netlist_(model_->hydraulics),
      treatment_(treatment),
      stabilisation_(stabilisation),
      work_(*model_),
      loops_(m_),
      keeper_(*model_, loops_),
      inertia_(m_),
      d_(m_.rows) {
  if (treatment_ == ConstraintTreatment::augmented) {
    const SolverDescription& solver = model_->description.solver;
    lagrangian_.emplace(m_,
                        AugmentedLagrangianSettings{stabilisation_, solver.ali1.alpha.value, kMultiplierTolerance, solver.max_iterations});
    return;
  }
  const std::size_t nv = model_->layout.nv;
  for (auto* x : {&x_, &a_i_}) x->resize(nv);
  // sized for the degrees of freedom at the start
  update_positions(m_, model_->q_start.data(), static_cast<const double*>(nullptr), work_.mechanism);
  loops_.select_partition(work_.mechanism);
  inertia_.reserve(loops_.independent().size());
}

template <int D>
void MachineRates<D>::set_inputs(Side side, StateVector& at) {
  update_inputs(*model_, signals_at(*model_, at), at.time, side, work_);
  update_followed_motions(m_, at.y(), at.ydot(), work_.mechanism);
  for (const Spool& spool : netlist_.spools)
    if (spool.is_signal()) at.y()[spool.state] = work_.hydraulics.signal[spool.signal];
}

/// Accepts the positions of `at` unchanged, at theta (may be null: zero) from where increments start.
template <int D>
bool MachineRates<D>::take_positions(const double* theta, const StateVector& at, StepOutcome& report) {
  if (treatment_ == ConstraintTreatment::augmented) {
    update_positions(m_, at.q(), static_cast<const double*>(nullptr), work_.mechanism);
    return true;
  }
  update_positions(m_, at.q(), theta, work_.mechanism);
  if (loops_.factor_at(work_.mechanism)) return true;
  keeper_.fail(StepStatus::singular_configuration, report);
  return false;
}

template <int D>
bool MachineRates<D>::place(const double* q, double* theta, Side side, StateVector& at, StepOutcome& report) {
  MechanismState<D>& mech = work_.mechanism;
  set_inputs(side, at);
  if (treatment_ != ConstraintTreatment::closed) {
    advance_configuration(m_.tree, q, theta, at.q());
    if (!take_positions(theta, at, report)) return false;
  } else {
    const LoopStatus status = loops_.close(q, theta, at.q(), true, mech, &report.position_iterations);
    if (status != LoopStatus::closed) {
      keeper_.fail(status, report);
      return false;
    }
    loops_.solve_velocities(at.v(), mech);
  }
  constraint_rates(m_, at.v(), mech);
  return pistons_inside(*model_, mech.s.data(), report) && wheels_regular(*model_, singular_wheel_row(m_, mech), report);
}

/// Velocity stage at v, a; ydot; r = M a - Q - sum F_i ds_i/dq.
template <int D>
void MachineRates<D>::evaluate_at(StateVector& at) {
  update_rates(m_, at.v(), at.a(), work_.mechanism);
  evaluate_motion(*model_, m_, at, work_);
}

template <int D>
void MachineRates<D>::set_state_rates(StateVector& at) {
  MechanismState<D>& mech = work_.mechanism;
  update_rates(m_, at.v(), at.a(), mech);
  evaluate_rates(netlist_, mech.s.data(), mech.s_dot.data(), at.y(), at.ydot(), work_.hydraulics);
}

template <int D>
bool MachineRates<D>::accelerate(StateVector& at, StepOutcome& report) {
  return treatment_ == ConstraintTreatment::augmented ? accelerate_augmented(at, report) : accelerate_reduced(at, report);
}

template <int D>
bool MachineRates<D>::accelerate_augmented(StateVector& at, StepOutcome& report) {
  evaluate_at(at);
  const AugmentedLagrangianStatus status =
      lagrangian_->solve(at.q(), at.v(), work_.force.data(), at.a(), at.multipliers(), work_.mechanism, work_.r.data());
  report.iterations += lagrangian_->iterations();
  report.penalty = std::max(report.penalty, lagrangian_->penalty().largest());
  report.penalty_limited = report.penalty_limited || lagrangian_->penalty().limited();
  if (status == AugmentedLagrangianStatus::converged) return true;
  const bool capped = status == AugmentedLagrangianStatus::capped, accepted = capped && model_->description.solver.accept_capped;
  report.status = accepted ? StepStatus::capped : capped ? StepStatus::stalled : StepStatus::singular;
  if (capped) report.worst = unknown_of_row(*model_, lagrangian_->worst_row());
  return accepted;
}

template <int D>
bool MachineRates<D>::accelerate_reduced(StateVector& at, StepOutcome& report) {
  const std::size_t nv = model_->layout.nv, n = loops_.independent().size();
  MechanismState<D>& mech = work_.mechanism;
  // a_rest
  std::fill(at.a(), at.a() + nv, 0.0);
  if (m_.follows_blocks()) {  // their second derivatives
    set_state_rates(at);
    update_followed_motions(m_, at.y(), at.ydot(), mech);
  }
  loops_.solve_accelerations(at.v(), at.a(), mech);
  if (treatment_ == ConstraintTreatment::stabilised) {
    for (int i = 0; i < m_.rows; ++i) d_[i] = stabilisation(i).rate * mech.Phi_dot[i] + stabilisation(i).position * mech.Phi[i];
    loops_.subtract_dependent(d_.data(), at.a());
  }
  evaluate_at(at);
  // R^T M R a_i = -R^T r
  fit_ = loops_.reduce();
  if (!inertia_.factor(loops_, mech.tree)) {
    report.status = StepStatus::singular;
    return false;
  }
  loops_.project(work_.r.data(), x_.data());
  for (std::size_t i = 0; i < n; ++i) x_[i] = -x_[i];
  inertia_.solve(x_.data());
  std::fill(a_i_.begin(), a_i_.end(), 0.0);
  loops_.add_rates(x_.data(), a_i_.data());
  for (std::size_t i = 0; i < nv; ++i) at.a()[i] += a_i_[i];
  // multipliers
  inertia_.add_product(a_i_.data(), mech.tree, work_.r.data());
  std::fill(at.multipliers(), at.multipliers() + m_.rows, 0.0);
  loops_.add_multipliers(work_.r.data(), at.multipliers());
  return true;
}

template <int D>
bool MachineRates<D>::restart(StateVector& state, StepOutcome& report) {
  if (treatment_ != ConstraintTreatment::augmented && !keeper_.take(state, work_.mechanism)) {
    keeper_.fail(StepStatus::singular_configuration, report);
    return false;
  }
  set_inputs(Side::right, state);
  if (!take_positions(nullptr, state, report)) return false;
  constraint_rates(m_, state.v(), work_.mechanism);
  return accelerate(state, report);
}

template <int D>
bool MachineRates<D>::finish(StateVector& at, double ahead, StepOutcome& report) {
  const MechanismState<D>& mech = work_.mechanism;
  report.violation = largest_of(mech.Phi);
  report.velocity_violation = largest_of(mech.Phi_dot);
  if (!wheels_regular(*model_, singular_wheel_row(m_, mech, ahead), report)) return false;
  if (treatment_ == ConstraintTreatment::augmented) {
    std::fill(at.partition(), at.partition() + m_.rows, 0.0);
    return true;
  }
  return keeper_.keep(fit_, mech, at.partition(), report);
}

template <int D>
void MachineRates<D>::residual(StateVector& at, double* r, double* constraint) {
  MechanismState<D>& mech = work_.mechanism;
  evaluate_at(at);
  add_constraint_forces(m_, at.multipliers(), mech, work_.r.data());
  std::copy(work_.r.begin(), work_.r.end(), r);
  constraint_accelerations(m_, at.a(), mech);
  for (int i = 0; i < m_.rows; ++i)
    constraint[i] = mech.Phi_ddot[i] + stabilisation(i).rate * mech.Phi_dot[i] + stabilisation(i).position * mech.Phi[i];
}

template <int D>
void increment_rates(const Tree<D>& tree, const double* theta, const double* v, double* rates) {
  std::copy(v, v + tree.nv, rates);
  if constexpr (D == 3)
    for (const TreeNode<D>& n : tree.nodes)
      if (n.joint == NodeJoint::spherical) {
        const Vec<3> turned(theta[n.v], theta[n.v + 1], theta[n.v + 2]), w(v[n.v], v[n.v + 1], v[n.v + 2]);
        const Vec<3> rate = exponential_tangent(turned).inverse() * w;
        for (int i = 0; i < 3; ++i) rates[n.v + i] = rate[i];
      }
}

#define TR_INSTANTIATE(D)         \
  template class MachineRates<D>; \
  template void increment_rates<D>(const Tree<D>&, const double*, const double*, double*);
TR_INSTANTIATE(2)
TR_INSTANTIATE(3)

}  // namespace trunnion
