// The variable-step integration of the whole machine.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/variable_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trunnion {

namespace {

// Reference sizes of the unknowns.
constexpr double kPosition = 1;      // [rad, m]
constexpr double kVelocity = 1;      // [rad/s, m/s]
constexpr double kPressure = 1e5;    // [Pa]
constexpr double kFriction = 1e-4;   // [m] bristles; films [-]
constexpr double kSpool = 1;         // [unit of the signal]
constexpr double kMultiplier = 1e3;  // [N, N m]

constexpr double kTurned = 1;        // [rad] rotation of a spherical joint after which theta restarts from zero
constexpr double kSame = 1e-9;       // relative to a step: closer times are equal
constexpr double kNever = 1e30;      // [s]
constexpr double kDeadPoint = 1e-2;  // ratio of smallest to largest pivot of the dependent coordinates near a singular configuration

}  // namespace

template <int D>
VariableStep<D>::VariableStep(std::shared_ptr<const CompiledModel> model)
    : rates_(model),
      kind_(model->description.solver.integrator == IntegratorKind::ida ? MultistepKind::ida : MultistepKind::cvode),
      tolerance_(model->description.solver.reference_tolerance),
      at_(model->layout),
      left_(model->layout),
      origin_(model->layout.nq),
      theta_(model->layout.nv),
      rates_of_theta_(model->layout.nv),
      r_(model->layout.nv),
      constraint_(model->layout.rows),
      partition_(model->layout.rows),
      errors_{std::vector<double>(model->layout.nv), std::vector<double>(model->hydraulics.volumes.size())} {
  std::vector<bool> immediate(model->layout.ny, false);
  for (const Spool& spool : model->hydraulics.spools) immediate[spool.state] = spool.follows();
  for (const ControlBlock& block : model->hydraulics.control) for_each_held(block, [&](int i) { immediate[i] = true; });
  for (int i = 0; i < model->layout.ny; ++i)
    if (!immediate[i]) states_.push_back(i);
}

template <int D>
std::string VariableStep<D>::unknown_name(int unknown) const {
  return failure_.empty() ? name_of_unknown(rates_.model(), unknown) : failure_;
}

// ---------------------------------------------------------------- equations

/// at_ at time t from the integrator's unknowns, including positions and velocities.
template <int D>
bool VariableStep<D>::place(double t, Side side, const double* x) {
  const CompiledModel& model = rates_.model();
  inside_.status = StepStatus::converged;
  at_.time = t;
  for (int i : positions_) theta_[i] = *x++;
  for (int i : velocities_) at_.v()[i] = *x++;
  const int volumes = model.hydraulics.linear_oil != nullptr ? 0 : static_cast<int>(model.hydraulics.volumes.size());
  for (int i : states_) {
    if (i < volumes && !(*x > 0)) return false;  // the corrector diverged
    at_.y()[i] = *x++;
  }
  for (int i : rows_) at_.multipliers()[i] = *x++;
  return rates_.place(origin_.data(), theta_.data(), side, at_, inside_);
}

template <int D>
bool VariableStep<D>::evaluate(double t, const double* x, const double* x_dot, double* out) {
  if (!place(std::min(t, stop_), t > begin_ ? Side::left : Side::right, x)) {
    if (!inside_.ok()) trouble_ = inside_;
    return false;
  }
  increment_rates(rates_.mechanism().tree, theta_.data(), at_.v(), rates_of_theta_.data());
  if (kind_ == MultistepKind::cvode) {
    if (!rates_.accelerate(at_, inside_)) return false;
    for (int i : positions_) *out++ = rates_of_theta_[i];
    for (int i : velocities_) *out++ = at_.a()[i];
    for (int i : states_) *out++ = at_.ydot()[i];
    return true;
  }
  for (int i : positions_) *out++ = *x_dot++ - rates_of_theta_[i];
  for (int i : velocities_) at_.a()[i] = *x_dot++;
  rates_.residual(at_, r_.data(), constraint_.data());
  for (int i : velocities_) *out++ = r_[i];
  for (int i : states_) *out++ = *x_dot++ - at_.ydot()[i];
  for (int i : rows_) *out++ = constraint_[i];
  return true;
}

// ---------------------------------------------------------------- start

/// The integrator for the present coordinates and rows.
template <int D>
void VariableStep<D>::set_up() {
  const CompiledModel& model = rates_.model();
  std::vector<double> sizes(positions_.size(), kPosition);
  sizes.resize(positions_.size() + velocities_.size(), kVelocity);
  std::vector<bool> spool(model.layout.ny, false);
  for (const Spool& s : model.hydraulics.spools) std::fill_n(spool.begin() + s.state, s.states(), true);
  for (const ControlBlock& b : model.hydraulics.control) std::fill_n(spool.begin() + b.output, b.size(), true);
  std::vector<double> component(model.layout.ny, 0);
  for (const Component& c : model.hydraulics.components)
    for (std::size_t k = 0; k < c.law->info().states.size(); ++k) component[c.state + k] = c.law->info().states[k].scale;
  for (int i : states_) {
    const bool pressure = i < static_cast<int>(model.hydraulics.volumes.size());
    sizes.push_back(pressure ? kPressure : spool[i] ? kSpool : component[i] > 0 ? component[i] : kFriction);
  }
  std::vector<bool> algebraic(sizes.size(), false);
  sizes.resize(sizes.size() + rows_.size(), kMultiplier);
  algebraic.resize(sizes.size(), true);
  FirstOrderSystem& system = *this;
  integrator_ = multistep_factory()(kind_, system, model.description.solver.step, tolerance_, sizes, algebraic);
}

template <int D>
bool VariableStep<D>::start(const StateVector& state, double h) {
  const CompiledModel& model = rates_.model();
  at_ = state;
  if (!rates_.restart(at_, inside_)) return false;
  if (rates_.treatment() != ConstraintTreatment::augmented) rates_.loops().write(at_.partition());
  for (int i = 0; i < model.layout.rows; ++i) partition_[i] = std::abs(at_.partition()[i]);
  const std::size_t positions = positions_.size(), velocities = velocities_.size(), rows = rows_.size();
  rows_.clear();
  if (rates_.treatment() != ConstraintTreatment::closed) {
    positions_.resize(model.layout.nv);
    std::iota(positions_.begin(), positions_.end(), 0);
    velocities_ = positions_;
    for (int i = 0; i < model.layout.rows && kind_ == MultistepKind::ida; ++i)
      if (at_.partition()[i] != 0) rows_.push_back(i);
  } else {
    positions_ = rates_.loops().admissible();
    velocities_ = rates_.loops().independent();
  }
  if (integrator_ == nullptr || positions_.size() != positions || velocities_.size() != velocities || rows_.size() != rows) set_up();
  std::copy_n(state.q(), model.layout.nq, origin_.begin());
  std::fill(theta_.begin(), theta_.end(), 0.0);
  begin_ = state.time;
  const auto jump = std::upper_bound(model.jumps.begin(), model.jumps.end(), state.time + kSame * h);
  stop_ = jump == model.jumps.end() ? kNever : *jump;
  double *x = integrator_->x(), *x_dot = integrator_->x_dot();
  for (int i : positions_) {
    *x++ = 0;
    *x_dot++ = at_.v()[i];
  }
  for (int i : velocities_) {
    *x++ = at_.v()[i];
    *x_dot++ = at_.a()[i];
  }
  for (int i : states_) {
    *x++ = at_.y()[i];
    *x_dot++ = at_.ydot()[i];
  }
  for (int i : rows_) {
    *x++ = at_.multipliers()[i];
    *x_dot++ = 0;
  }
  fresh_ = false;
  if (!integrator_->start(begin_, stop_)) give_up(inside_);
  return inside_.ok();
}

/// The integrator failed. Near a singular configuration the cause is that the constraints hardly determine the dependent coordinates.
template <int D>
void VariableStep<D>::give_up(StepOutcome& report) {
  if (rates_.treatment() != ConstraintTreatment::augmented && rates_.loops().find_weakest_row() < kDeadPoint)
    return rates_.keeper().fail(StepStatus::singular_configuration, report);
  report.status = StepStatus::gave_up;
  failure_ = fmt::format("{} ({})", kind_ == MultistepKind::cvode ? "CVODE" : "IDA", integrator_->failure());
}

/// Whether `state` is the result of the last step.
template <int D>
bool VariableStep<D>::left(const StateVector& state, double h) const {
  return !fresh_ && std::abs(state.time - left_.time) <= kSame * h && state.values() == left_.values();
}

template <int D>
bool VariableStep<D>::restart(StateVector& state) {
  fresh_ = true;
  return rates_.restart(state, inside_);
}

// ---------------------------------------------------------------- step

/// Advances at_ to time t, with all dependent quantities.
template <int D>
bool VariableStep<D>::advance(double t, bool last, StepOutcome& report) {
  if (!integrator_->advance(t)) {
    report.status = trouble_.status;
    report.worst = trouble_.worst;
    if (trouble_.ok()) give_up(report);
    return false;
  }
  if (!place(t, Side::left, integrator_->x()) || !rates_.accelerate(at_, inside_)) {
    report.status = inside_.status;
    report.worst = inside_.worst;
    if (inside_.ok()) give_up(report);
    return false;
  }
  add_errors();
  return !last || rates_.finish(at_, 0, report);
}

/// The integrator's estimates since the last call. Dependent coordinates have none: their error is the constraints'.
template <int D>
void VariableStep<D>::add_errors() {
  const double* error = integrator_->errors();
  for (int i : positions_) errors_.coordinates[i] += *error++;
  error += velocities_.size();
  const auto volumes = static_cast<int>(errors_.pressures.size());
  for (int i : states_) {
    if (i < volumes) errors_.pressures[i] += *error;
    ++error;
  }
  integrator_->clear_errors();
}

template <int D>
StepOutcome VariableStep<D>::step(StateVector& state, double h) {
  StepOutcome report;
  inside_ = trouble_ = {};
  failure_.clear();
  std::fill(errors_.coordinates.begin(), errors_.coordinates.end(), 0.0);
  std::fill(errors_.pressures.begin(), errors_.pressures.end(), 0.0);
  const double end = state.time + h;
  long before = 0;
  if (left(state, h))
    before = integrator_->iterations();
  else if (!start(state, h)) {
    report = inside_;
    return report;
  }
  fresh_ = true;  // in case of failure
  for (;;) {
    const bool last = stop_ >= end - kSame * h;
    if (!advance(last ? std::min(end, stop_) : stop_, last, report)) return report;
    report.iterations += static_cast<int>(integrator_->iterations() - before);
    if (last) break;
    left_ = at_;
    before = 0;
    if (!start(left_, h)) {
      report = inside_;
      return report;
    }
  }
  report.position_iterations = inside_.position_iterations;
  at_.time = end;
  // another partition, a jump, a large rotation of a spherical joint
  fresh_ = stop_ <= end + kSame * h;
  for (int i = 0; i < at_.layout().rows; ++i) fresh_ = fresh_ || std::abs(at_.partition()[i]) != partition_[i];
  for (const TreeNode<D>& n : rates_.mechanism().tree.nodes)
    if (n.joint == NodeJoint::spherical)
      for (int i = n.v; i < n.v + n.dofs; ++i) fresh_ = fresh_ || std::abs(theta_[i]) > kTurned;
  left_ = at_;
  state = at_;
  return report;
}

template class VariableStep<2>;
template class VariableStep<3>;

}  // namespace trunnion
