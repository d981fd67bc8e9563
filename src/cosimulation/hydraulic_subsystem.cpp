// The hydraulic subsystem between communication points: what it takes from and returns to the machine, rates and ranges, and the choice
// of a rule for its own steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/hydraulic_subsystem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cosimulation/circuit_subsystem.h"
#include "hydraulics/substeps.h"
#include "model/coupling_memory.h"

namespace trunnion {

namespace {

constexpr int kChatter = 4;       // own steps in a row that a given rk4 does not resolve: no jump, but an unstable step in its stages
constexpr double kFastest = 1e6;  // [m/s] above: the step is unstable

}  // namespace

CircuitSubsystem::CircuitSubsystem(std::shared_ptr<const CompiledModel> machine, const std::vector<int>& circuits,
                                   std::optional<IntegratorKind> integrator, double step)
    : machine_(std::move(machine)),
      cut_(cut_circuits(machine_->hydraulics, circuits)),
      netlist_(cut_.hydraulics),
      n_(cut_.ports.size()),
      integrator_(integrator),
      step_(step),
      whole_force_(machine_->description.coupling.friction == FrictionSide::hydraulics),
      publishes_force_(machine_->description.coupling.variables == CouplingVariables::velocity_force),
      courses_(2 * n_),
      work_(netlist_),
      step_of_circuits_(netlist_, machine_->description.solver.tolerance_pressure, machine_->description.solver.tolerance_other),
      limit_(netlist_, false),
      rule_(OilRule::alpha(machine_->description.coupling.oil_rule == OilRuleKind::trapezoidal ? 1 : kOilRho)),
      resolves_(machine_->description.coupling.oil_rule == OilRuleKind::automatic && !netlist_.volumes.empty() &&
                !machine_->description.solver.accept_capped),
      memory_(oil_memory_size(netlist_)),
      system_(n_ * n_),
      pivot_(n_),
      input_courses_(machine_->layout.inputs) {
  for (auto* x : {&x_, &slope_, &start_, &sum_, &stage_, &mid_, &mid_rate_}) x->resize(netlist_.ny + 2 * n_);
  for (auto* x : {&s_, &w_, &ds_, &dw_, &impulse_, &impulse_moment_, &displacement_}) x->resize(n_);
  kept_force_.resize(n_);
  keep();  // allocates
  at_begin_ = kept_;
  for (std::size_t i = 0; i < n_; ++i) s_[i] = netlist_.actuators[i].cylinder.length_0;
  const std::vector<int> machine_ports = coupling_ports(machine_->hydraulics);
  for (const int i : cut_.ports)
    ports_.push_back(static_cast<int>(std::lower_bound(machine_ports.begin(), machine_ports.end(), i) - machine_ports.begin()));
  has_all_ports_ = n_ == machine_ports.size();
  for (std::size_t i = 0; i < n_; ++i) {
    const Actuator& a = netlist_.actuators[i];
    inputs_.push_back({a.name + ".length", "m"});
    inputs_.push_back({a.name + ".rate", "m/s"});
    if (!is_piston(i)) {
      if (a.drive >= 0) outputs_.push_back({a.name + ".force", "N", true});
    } else if (publishes_force_) {
      outputs_.push_back({a.name + (whole_force_ ? ".force" : ".pressure_force"), "N", whole_force_});
    } else {
      for (const char* chamber : {".pressure_A", ".pressure_B"}) outputs_.push_back({a.name + chamber, "Pa"});
    }
  }
  values_.resize(outputs_.size());
  // constants stay in the scratch
  update_inputs(netlist_, signals(), 0, Side::right, work_);
  std::erase_if(cut_.hydraulics.used_signals, [&](SignalIndex i) { return machine_->signals.constant(i); });
  // friction states of the mechanical side are integrated, but not returned
  std::vector<char> ours(netlist_.ny, 1);
  for (std::size_t i = 0; i < n_; ++i)
    if (!whole_force_ || !is_piston(i)) std::fill_n(ours.begin() + netlist_.actuators[i].state, netlist_.actuators[i].friction_states, 0);
  for (int i = 0; i < netlist_.ny; ++i)
    if (ours[i] != 0) own_states_.push_back(i);
}

void CircuitSubsystem::restore(const StateVector& machine) {
  time_ = machine.time;
  std::copy_n(machine.inputs(), input_courses_.size(), input_courses_.begin());
  for (int i = 0; i < netlist_.ny; ++i) {
    x_[i] = machine.y()[cut_.states[i]];
    slope_[i] = machine.ydot()[cut_.states[i]];
  }
  const auto from = oil_memory(machine_->hydraulics, machine.oil_memory());
  const OilMemory<> memory = oil_memory(netlist_, memory_.data());
  *memory.step = *from.step;
  for (std::size_t i = 0; i < cut_.states.size(); ++i) memory.lag[i] = from.lag[cut_.states[i]];
  for (std::size_t i = 0; i < cut_.volumes.size(); ++i) memory.inflow[i] = from.inflow[cut_.volumes[i]];
  for (std::size_t i = 0; i < n_; ++i) memory.s[i] = from.s[cut_.ports[i]];
  fresh_ = true;
  update_inputs(netlist_, signals(), time_, Side::right, work_);
  set_outputs();
}

void CircuitSubsystem::save(StateVector& machine) const {
  const OilMemory<> to = oil_memory(machine_->hydraulics, machine.oil_memory());
  const auto memory = oil_memory(netlist_, memory_.data());
  *to.step = *memory.step;
  for (std::size_t i = 0; i < cut_.volumes.size(); ++i) to.inflow[cut_.volumes[i]] = memory.inflow[i];
  for (std::size_t i = 0; i < n_; ++i) to.s[cut_.ports[i]] = memory.s[i];
  for (int i : own_states_) {
    to.lag[cut_.states[i]] = memory.lag[i];
    machine.y()[cut_.states[i]] = x_[i];
    machine.ydot()[cut_.states[i]] = slope_[i];
  }
}

void CircuitSubsystem::set_inputs(const TimePolynomial* courses) {
  std::copy_n(courses, courses_.size(), courses_.begin());
  if (!fresh_) return;
  take_courses(time_);
  set_outputs();
}

void CircuitSubsystem::set_interface_model(const InterfaceModel* model) {
  if (model != nullptr && (model->ports != static_cast<int>(n_) || !has_all_ports_))
    throw Error("an interface model serves a hydraulic subsystem that has all ports of the machine");
  model_ = model;
}

StepOutcome CircuitSubsystem::do_step(double h) {
  StepOutcome report;
  begin_ = time_;
  for (auto* x : {&impulse_, &impulse_moment_, &displacement_}) std::fill(x->begin(), x->end(), 0.0);
  if (model_ != nullptr) {
    std::copy_n(model_->s.begin(), n_, x_.begin() + netlist_.ny);
    std::copy_n(model_->w.begin(), n_, x_.begin() + netlist_.ny + n_);
  }
  const int steps = steps_within(h, step_);
  if (integrator_) {
    go(*integrator_, h, steps, report);
    return report;
  }
  if (model_ == nullptr) take_courses(begin_);
  update_inputs(netlist_, signals(), begin_, Side::right, work_);
  set_following_spools(x_.data());
  if (!stable(IntegratorKind::rk4, h / steps, report)) {
    report = {};
    go(IntegratorKind::trapezoidal, h, steps, report);
    return report;
  }
  at_begin_.assign(x_, slope_, memory_, impulse_, impulse_moment_, displacement_);
  if (go(IntegratorKind::rk4, h, steps, report) || (report.status != StepStatus::unstable && report.status != StepStatus::below_vacuum))
    return report;
  at_begin_.restore(x_, slope_, memory_, impulse_, impulse_moment_, displacement_);
  time_ = begin_;
  report = {};
  go(IntegratorKind::trapezoidal, h, steps, report);
  return report;
}

bool CircuitSubsystem::restart() {
  StepOutcome report;
  update_inputs(netlist_, signals(), time_, Side::right, work_);
  if (!within_range(x_.data(), s_.data(), w_.data(), report)) return false;
  set_following_spools(x_.data());
  evaluate_rates(netlist_, s_.data(), w_.data(), x_.data(), slope_.data(), work_);
  if (memory_.front() > 0) renew_oil_memory(netlist_, s_.data(), w_.data(), x_.data(), slope_.data(), oil_memory(netlist_, memory_.data()));
  set_outputs();
  return true;
}

bool CircuitSubsystem::go(IntegratorKind integrator, double h, int steps, StepOutcome& report) {
  update_inputs(netlist_, signals(), begin_, Side::right, work_);
  if (!evaluate(begin_, x_.data(), slope_.data(), report)) return false;
  begin_memory();
  const double share = integrator_ ? std::numeric_limits<double>::infinity() : kOilJump;
  const auto& begin = kept_.values;
  int unresolved = 0, state = -1;  // own steps; of the last one
  for (int k = 1; k <= steps; ++k) {
    const double t = begin_ + h * k / steps;
    if (integrator == IntegratorKind::rk4) kept_.assign(x_, slope_);
    const bool done = integrator == IntegratorKind::rk4     ? rk4(t, report)
                      : integrator == IntegratorKind::euler ? euler(t, report)
                                                            : implicit(t, report);
    if (!done) return false;
    if (integrator == IntegratorKind::rk4)
      state = step_of_circuits_.unresolved(share, kNoticedOil, t - time_, begin[0].data(), begin[1].data(), x_.data(), slope_.data());
    if (state >= 0 && (!integrator_ || ++unresolved >= kChatter)) {
      report.longest_step = t - time_;
      return fail(StepStatus::unstable, unknown_of_state(*machine_, cut_.states[static_cast<std::size_t>(state)]), report);
    }
    if (state < 0) unresolved = 0;
    time_ = t;
  }
  if (integrator != IntegratorKind::trapezoidal) {
    memory_.front() = 0;  // not valid after explicit steps
    if (!stable(integrator, h / steps, report)) return false;
  }
  fresh_ = false;
  take_ports();
  set_outputs();
  return true;
}

bool CircuitSubsystem::stable(IntegratorKind integrator, double h, StepOutcome& report) {
  const double *s = model_ == nullptr ? s_.data() : x_.data() + netlist_.ny, *w = model_ == nullptr ? w_.data() : s + n_;
  const ExplicitLimit::Step limit = limit_.longest_step(integrator, s, w, x_.data(), work_);
  if (h <= limit.longest) return true;
  report.longest_step = limit.longest;
  return fail(StepStatus::unstable, unknown_of_state(*machine_, cut_.states[limit.state]), report);
}

void CircuitSubsystem::take_courses(double t) {
  for (std::size_t i = 0; i < n_; ++i) {
    s_[i] = courses_[2 * i].value(t);
    w_[i] = courses_[2 * i + 1].value(t);
  }
}

void CircuitSubsystem::take_ports() {
  if (model_ == nullptr) return;
  std::copy_n(x_.begin() + netlist_.ny, n_, s_.begin());
  std::copy_n(x_.begin() + netlist_.ny + n_, n_, w_.begin());
}

void CircuitSubsystem::set_outputs() {
  evaluate_forces<double>(netlist_, s_.data(), w_.data(), x_.data(), work_);
  double* value = values_.data();
  for (std::size_t i = 0; i < n_; ++i) {
    if (!is_piston(i)) {
      if (netlist_.actuators[i].drive >= 0) *value++ = work_.ports[i].force;
    } else if (!publishes_force_) {
      *value++ = work_.pressure[netlist_.actuators[i].A];
      *value++ = work_.pressure[netlist_.actuators[i].B];
    } else {
      *value++ = whole_force_ ? work_.ports[i].force : work_.ports[i].oil;
    }
  }
}

bool CircuitSubsystem::fail(StepStatus status, int unknown, StepOutcome& report) const {
  report.status = status;
  report.worst = unknown;
  return false;
}

bool CircuitSubsystem::within_range(const double* y, const double* s, const double* w, StepOutcome& report) const {
  if (const int i = unknown_out_of_range(netlist_, y); i >= 0)
    return fail(below_vacuum(netlist_, y, i) ? StepStatus::below_vacuum : StepStatus::unstable, unknown_of_circuits(i), report);
  for (std::size_t i = 0; i < n_; ++i)
    if (!(std::abs(w[i]) < kFastest)) return fail(StepStatus::unstable, unknown_of_port(i), report);
  if (const int i = piston_outside(netlist_, s); i >= 0) return fail(StepStatus::end_of_stroke, unknown_of_port(i), report);
  return true;
}

void CircuitSubsystem::set_port_rates(double t, const double* x, double* dx) const {
  if (model_ == nullptr) return;
  const double tau = t - model_->begin;
  const double* w = x + netlist_.ny + n_;
  double *s_dot = dx + netlist_.ny, *w_dot = s_dot + n_;
  for (std::size_t i = 0; i < n_; ++i) {
    s_dot[i] = w[i];
    w_dot[i] = model_->b[i] + tau * model_->b_rate[i];
    for (std::size_t j = 0; j < n_; ++j) w_dot[i] += inverse_mass(i, j, tau) * work_.ports[j].force;
  }
}

void CircuitSubsystem::set_following_spools(double* y) const {
  for (const Spool& spool : netlist_.spools)
    if (spool.is_signal()) y[spool.state] = work_.signal[spool.signal];
}

bool CircuitSubsystem::evaluate(double t, double* x, double* dx, StepOutcome& report, double step) {
  if (model_ == nullptr) take_courses(t);
  const double *s = model_ == nullptr ? s_.data() : x + netlist_.ny, *w = model_ == nullptr ? w_.data() : s + n_;
  if (!within_range(x, s, w, report)) return false;
  set_following_spools(x);
  if (step > 0) advance_quasistatic_states(netlist_, s, nullptr, step, x, x, work_);
  evaluate_rates(netlist_, s, w, x, dx, work_, rate_offset());
  set_port_rates(t, x, dx);
  return true;
}

void CircuitSubsystem::add_forces(double t, double weight) {
  for (std::size_t i = 0; i < n_; ++i) {
    impulse_[i] += weight * work_.ports[i].force;
    impulse_moment_[i] += weight * (t - begin_) * work_.ports[i].force;
  }
}

void CircuitSubsystem::add_rates(const double* x, double weight) {
  const double* w = model_ == nullptr ? w_.data() : x + netlist_.ny + n_;
  for (std::size_t i = 0; i < n_; ++i) displacement_[i] += weight * (model_ == nullptr ? w[i] : w[i] + model_->rate_offset[i]);
}

std::unique_ptr<HydraulicSubsystem> make_hydraulic_subsystem(const std::shared_ptr<const CompiledModel>& machine,
                                                             const std::vector<int>& circuits, std::optional<IntegratorKind> integrator,
                                                             double h) {
  return std::make_unique<CircuitSubsystem>(machine, circuits, integrator, h);
}

}  // namespace trunnion
