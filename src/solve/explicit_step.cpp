// Explicit integration of the whole machine.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/explicit_step.h"

#include <algorithm>
#include <cmath>

#include "base/runge_kutta.h"

namespace trunnion {

namespace {

constexpr double kFastest = 1e6;  // [rad/s, m/s] above: the step is unstable

}  // namespace

template <int D>
ExplicitStep<D>::ExplicitStep(std::shared_ptr<const CompiledModel> model)
    : rates_(model),
      integrator_(model->description.solver.integrator),
      next_(model->layout),
      theta_(model->layout.nv),
      limit_(model->hydraulics, integrator_ == IntegratorKind::semi_implicit_euler) {
  for (Slope* slope : {&slope_, &sum_}) {
    slope->theta.resize(model->layout.nv);
    slope->v.resize(model->layout.nv);
    slope->y.resize(model->layout.ny);
  }
}

/// Whether the unknowns are in their valid range: instability shows in pressures first.
template <int D>
bool ExplicitStep<D>::within_range(StepOutcome& report) const {
  const CompiledModel& model = rates_.model();
  const auto out = [&](int unknown, StepStatus status = StepStatus::unstable) {
    report.status = status;
    report.worst = unknown;
    return false;
  };
  if (const int i = unknown_out_of_range(model.hydraulics, next_.y()); i >= 0)
    return out(model.layout.nv + i, below_vacuum(model.hydraulics, next_.y(), i) ? StepStatus::below_vacuum : StepStatus::unstable);
  for (int i = 0; i < model.layout.nv; ++i)
    if (!(std::abs(next_.v()[i]) < kFastest) || !std::isfinite(theta_[i])) return out(i);
  return true;
}

/// Whether the rule is stable for the circuits at the end of the step, with the mechanism locked.
template <int D>
bool ExplicitStep<D>::stable(double h, StepOutcome& report) {
  const MechanismState<D>& mech = rates_.work().mechanism;
  const ExplicitLimit::Step limit = limit_.longest_step(integrator_, mech.s.data(), mech.s_dot.data(), next_.y(), rates_.work().hydraulics);
  if (h <= limit.longest) return true;
  report.status = StepStatus::unstable;
  report.worst = unknown_of_state(rates_.model(), limit.state);
  report.longest_step = limit.longest;
  return false;
}

/// The slope at `at`, with the increment theta_ from the start of the step.
template <int D>
void ExplicitStep<D>::take_slope(const StateVector& at, Slope& slope) const {
  const StateLayout& n = rates_.model().layout;
  increment_rates(rates_.mechanism().tree, theta_.data(), at.v(), slope.theta.data());
  std::copy_n(at.a(), n.nv, slope.v.begin());
  std::copy_n(at.ydot(), n.ny, slope.y.begin());
}

/// theta_ and next_ h along a slope.
template <int D>
void ExplicitStep<D>::move(const StateVector& from, double h, const Slope& slope) {
  const StateLayout& n = rates_.model().layout;
  next_.time = from.time + h;
  for (int i = 0; i < n.nv; ++i) {
    theta_[i] = h * slope.theta[i];
    next_.v()[i] = from.v()[i] + h * slope.v[i];
  }
  for (int i = 0; i < n.ny; ++i) next_.y()[i] = from.y()[i] + h * slope.y[i];
}

/// The machine at next_, including rates a; discrete states change at the end of the step.
template <int D>
bool ExplicitStep<D>::stage(const StateVector& from, double h, bool end, StepOutcome& report) {
  move(from, h, slope_);
  if (!within_range(report) || !rates_.place(from.q(), theta_.data(), Side::left, next_, report)) return false;
  if (end) rates_.advance_quasistatic_states(from, h, false, next_);
  if (!rates_.accelerate(next_, report)) return false;
  if (stages_ != nullptr && recorded_ < stages_->size()) (*stages_)[recorded_++] = next_;
  return true;
}

template <int D>
bool ExplicitStep<D>::euler(const StateVector& state, double h, StepOutcome& report) {
  return stage(state, h, true, report);
}

template <int D>
bool ExplicitStep<D>::semi_implicit_euler(const StateVector& state, double h, StepOutcome& report) {
  const StateLayout& n = rates_.model().layout;
  // the slope of the configuration is the new velocity
  for (int i = 0; i < n.nv; ++i) slope_.theta[i] += h * slope_.v[i];
  move(state, h, slope_);
  std::copy_n(state.y(), n.ny, next_.y());
  if (!within_range(report) || !rates_.place(state.q(), theta_.data(), Side::left, next_, report)) return false;
  rates_.set_state_rates(next_);
  for (int i = 0; i < n.ny; ++i) next_.y()[i] += h * next_.ydot()[i];
  rates_.advance_quasistatic_states(state, h, true, next_);
  return within_range(report) && rates_.accelerate(next_, report);
}

template <int D>
bool ExplicitStep<D>::rk4(const StateVector& state, double h, StepOutcome& report) {
  const auto add_to = [](double weight, const std::vector<double>& x, std::vector<double>& sum) {
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] += weight * x[i];
  };
  for (auto* x : {&sum_.theta, &sum_.v, &sum_.y}) std::fill(x->begin(), x->end(), 0.0);
  const auto add = [&](double weight) {
    add_to(weight, slope_.theta, sum_.theta);
    add_to(weight, slope_.v, sum_.v);
    add_to(weight, slope_.y, sum_.y);
  };
  const auto next_stage = [&](double time) {
    if (!stage(state, time * h, false, report)) return false;
    take_slope(next_, slope_);
    return true;
  };
  if (!classical_runge_kutta(add, next_stage)) return false;
  std::swap(slope_, sum_);
  return stage(state, h, true, report);
}

template <int D>
StepOutcome ExplicitStep<D>::attempt(const StateVector& state, double h) {
  StepOutcome report;
  recorded_ = 0;
  next_ = state;
  std::fill(theta_.begin(), theta_.end(), 0.0);
  take_slope(state, slope_);
  // after a jump of a signal that only spools read, the state has the rate before the jump
  const CompiledModel& model = rates_.model();
  for (const Spool& spool : model.hydraulics.spools)
    if (!spool.driven())
      spool_rates(spool, signals_at(model, state).value(spool.signal, state.time, Side::right), state.y() + spool.state,
                  slope_.y.data() + spool.state);
  const bool done = integrator_ == IntegratorKind::rk4                   ? rk4(state, h, report)
                    : integrator_ == IntegratorKind::semi_implicit_euler ? semi_implicit_euler(state, h, report)
                                                                         : euler(state, h, report);
  if (done && stable(h, report)) rates_.finish(next_, h, report);
  return report;
}

template <int D>
StepOutcome ExplicitStep<D>::step(StateVector& state, double h) {
  const StepOutcome report = rates_.step(state, [&] { return attempt(state, h); });
  if (report.ok()) state = next_;
  return report;
}

template <int D>
bool ExplicitStep<D>::restart(StateVector& state) {
  StepOutcome report;
  return rates_.restart(state, report);
}

template class ExplicitStep<2>;
template class ExplicitStep<3>;

}  // namespace trunnion
