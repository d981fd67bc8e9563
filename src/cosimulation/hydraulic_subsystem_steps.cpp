// Own steps of the hydraulic subsystem by each rule, euler, rk4 and the oil's implicit rule, also with an interface model of the mechanism:
// from time_, where x_, slope_ and the port forces are evaluated, to t.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/lu.h"
#include "base/newton.h"
#include "base/runge_kutta.h"
#include "cosimulation/circuit_subsystem.h"
#include "hydraulics/substeps.h"

namespace trunnion {

bool CircuitSubsystem::euler(double t, StepOutcome& report) {
  const double h = t - time_;
  add_forces(time_, h / 2);
  add_rates(x_.data(), h);
  for (std::size_t i = 0; i < size(); ++i) x_[i] += h * slope_[i];
  update_inputs(netlist_, signals(), t, Side::left, work_);
  if (!evaluate(t, x_.data(), slope_.data(), report, h)) return false;
  add_forces(t, h / 2);
  return true;
}

bool CircuitSubsystem::rk4(double t, StepOutcome& report) {
  const double h = t - time_;
  const std::size_t n = size();
  double at = time_;
  const double* x = x_.data();
  std::fill(sum_.begin(), sum_.end(), 0.0);
  const auto add = [&](double weight) {
    add_forces(at, weight * h);
    add_rates(x, weight * h);
    for (std::size_t i = 0; i < n; ++i) sum_[i] += weight * slope_[i];
  };
  int stages = 0;
  const auto stage = [&](double time) {
    if (++stages == 2) {
      mid_ = stage_;
      mid_rate_ = slope_;
    }
    for (std::size_t i = 0; i < n; ++i) stage_[i] = x_[i] + time * h * slope_[i];
    x = stage_.data();
    const double end = time < 1 ? time_ + time * h : t;
    if (end != at) update_inputs(netlist_, signals(), end, Side::left, work_);
    at = end;
    return evaluate(at, stage_.data(), slope_.data(), report) && (stages != 2 || integrator_ || stable_stages(h, report));
  };
  if (!classical_runge_kutta(add, stage)) return false;
  for (std::size_t i = 0; i < n; ++i) x_[i] += h * sum_[i];
  return evaluate(t, x_.data(), slope_.data(), report, h);
}

bool CircuitSubsystem::stable_stages(double h, StepOutcome& report) const {
  bool noticed = false;
  double apart = 0, rates = 0;
  for (std::size_t i = 0; i < netlist_.volumes.size(); ++i) {
    const double change = stage_[i] - mid_[i], rate = slope_[i] - mid_rate_[i];
    noticed |= h * std::abs(rate) > kNoticedOil * std::abs(stage_[i]);
    apart += change * change;
    rates += rate * rate;
  }
  if (!noticed || h * std::sqrt(rates) <= ExplicitLimit::kRungeKutta * std::sqrt(apart)) return true;
  return fail(StepStatus::unstable, -1, report);
}

bool CircuitSubsystem::implicit(double t, StepOutcome& report) {
  keep();
  const StepOutcome before = report;
  const bool done = attempt(rule_, t, report);
  if (!resolves_ || (done && !step_of_circuits_.jumped(kOilJump, work_))) return done;
  if (!done && report.status != StepStatus::stalled && report.status != StepStatus::diverged) return false;
  go_back();
  report = before;
  const double first = step_of_circuits_.part_length(2 * kOilPartError, x_.data(), slope_.data(), work_);
  const double h = t - time_;
  const bool resolved = go_in_parts(h, first, [&](const OilRule& rule, double dt, bool last_resort) {
    keep();
    report.status = StepStatus::converged;
    const double end = std::min(time_ + dt, t);
    if (!attempt(rule, end, report)) {
      go_back();
      return std::numeric_limits<double>::infinity();
    }
    const double error = step_of_circuits_.part_error(work_) / kOilPartError;
    if (error > 1 && !last_resort) {
      go_back();
    } else {
      step_of_circuits_.keep_part();
      time_ = end;
    }
    return error;
  });
  report.resolved = true;
  report.part_iterations += report.iterations - before.iterations;
  return resolved;
}

void CircuitSubsystem::keep() {
  kept_.assign(x_, slope_, memory_, impulse_, impulse_moment_, displacement_);
  for (std::size_t i = 0; i < n_; ++i) kept_force_[i] = work_.ports[i].force;
}

void CircuitSubsystem::go_back() {
  kept_.restore(x_, slope_, memory_, impulse_, impulse_moment_, displacement_);
  for (std::size_t i = 0; i < n_; ++i) work_.ports[i].force = kept_force_[i];
}

void CircuitSubsystem::begin_memory() {
  const double *s = model_ == nullptr ? s_.data() : x_.data() + netlist_.ny, *w = model_ == nullptr ? w_.data() : s + n_;
  const OilMemory<> memory = oil_memory(netlist_, memory_.data());
  if (*memory.step == 0) start_oil_memory(netlist_, step_, s, w, x_.data(), slope_.data(), memory);
  std::copy_n(s, n_, memory.s);
}

void CircuitSubsystem::take_displacements(double t) {
  take_courses(t);
  double* s_begin = oil_memory(netlist_, memory_.data()).s;
  for (std::size_t i = 0; i < n_; ++i) {
    const double displaced = courses_[2 * i + 1].integral(time_, t);
    s_begin[i] = s_[i] - displaced;
    displacement_[i] += displaced;
  }
}

bool CircuitSubsystem::attempt(const OilRule& rule, double t, StepOutcome& report) {
  const SolverDescription& solver = machine_->description.solver;
  const double h = t - time_;
  add_forces(time_, h / 2);
  if (model_ == nullptr)
    take_displacements(t);
  else
    add_rates(x_.data(), h / 2);
  start_ = x_;
  sum_ = slope_;
  double *y = x_.data(), *ydot = slope_.data();
  update_inputs(netlist_, signals(), t, Side::left, work_);
  step_of_circuits_.begin(rule, signals(), time_, h, start_.data(), sum_.data(),
                          oil_memory(netlist_, static_cast<const double*>(memory_.data())), y, ydot, work_);
  if (model_ == nullptr) {
    std::fill(ds_.begin(), ds_.end(), 0.0);
    std::fill(dw_.begin(), dw_.end(), 0.0);
  } else {
    for (std::size_t i = 0; i < n_; ++i) w_[i] = start_w()[i] + h * start_w_dot()[i];
    set_lengths(h);
  }
  if (!netlist_.control.empty()) step_of_circuits_.predict_control(s_.data(), w_.data(), work_);
  step_of_circuits_.set_rates();
  const NewtonVerdict verdict = newton(
      report.iterations + solver.max_iterations, report.iterations, [&](int) { return increment(t, h, report); },
      [&](bool, bool) {
        step_of_circuits_.set_rates();
        return NewtonArrival::accepted;
      });
  if (verdict == NewtonVerdict::singular) report.worst = -1;
  if (verdict != NewtonVerdict::converged) report.status = status_of(verdict, solver.accept_capped);
  if (!report.ok()) return false;
  step_of_circuits_.finish_local(s_.data(), w_.data(), work_);
  step_of_circuits_.finish(s_.data(), w_.data(), oil_memory(netlist_, memory_.data()), work_, rate_offset());
  if (!within_range(y, s_.data(), w_.data(), report)) return false;
  evaluate_forces<double>(netlist_, s_.data(), w_.data(), y, work_);
  if (model_ != nullptr) {
    std::copy(s_.begin(), s_.end(), x_.begin() + netlist_.ny);
    std::copy(w_.begin(), w_.end(), x_.begin() + netlist_.ny + n_);
  }
  set_port_rates(t, x_.data(), slope_.data());
  add_forces(t, h / 2);
  if (model_ != nullptr) add_rates(x_.data(), h / 2);
  return true;
}

std::optional<double> CircuitSubsystem::increment(double t, double h, StepOutcome& report) {
  double largest = 0;
  const auto raise = [&](double scaled, int unknown) {
    if (scaled <= largest || std::isnan(largest)) return;
    largest = scaled;
    report.worst = unknown;
  };
  evaluate_hydraulics(netlist_, s_.data(), w_.data(), x_.data(), slope_.data(), step_of_circuits_.rule(), work_);
  add_rate_offset();
  if (!step_of_circuits_.condense_ports(work_) || (model_ != nullptr && !solve_ports(t, h))) return std::nullopt;
  step_of_circuits_.eliminate(ds_.data(), dw_.data(), work_);
  step_of_circuits_.apply(work_.R.data(), work_, [&](double scaled, int i) { raise(scaled, unknown_of_circuits(i)); });
  for (std::size_t i = 0; i < n_ && model_ != nullptr; ++i) {
    w_[i] += dw_[i];
    raise(std::abs(ds_[i]) / machine_->description.solver.tolerance_position, unknown_of_port(i));
  }
  if (model_ != nullptr) set_lengths(h);
  return largest;
}

void CircuitSubsystem::set_lengths(double h) {
  for (std::size_t i = 0; i < n_; ++i) s_[i] = start_s()[i] + h / 2 * (start_w()[i] + w_[i]);
}

void CircuitSubsystem::add_rate_offset() {
  if (model_ == nullptr) return;
  const double swept = step_of_circuits_.rule().factor * step_of_circuits_.rule().step;
  for (int i = 0; i < netlist_.pistons; ++i) {
    const Actuator& a = netlist_.actuators[i];
    const double share = (fraction_at(netlist_, a, step_of_circuits_.rule().y_begin) + fraction_of(a, work_.spool)) / 2;
    const auto add = [&](int node, double area) {
      const PressureNode& n = netlist_.nodes[node];
      if (n.state >= 0)
        work_.R[netlist_.circuits[n.circuit].offset + n.local] +=
            swept * work_.liquid[drawn_node(a, node, share * model_->rate_offset[i])].value * area * share * model_->rate_offset[i];
    };
    add(a.A, a.cylinder.area_A);
    add(a.B, -a.cylinder.area_B);
  }
}

bool CircuitSubsystem::solve_ports(double t, double h) {
  const double tau = t - model_->begin;
  for (std::size_t i = 0; i < n_; ++i) {
    double w_dot = model_->b[i] + tau * model_->b_rate[i];
    for (std::size_t j = 0; j < n_; ++j) w_dot += inverse_mass(i, j, tau) * (work_.ports[j].force - step_of_circuits_.residual(j));
    dw_[i] = start_w()[i] + h / 2 * (start_w_dot()[i] + w_dot) - w_[i];
    for (std::size_t k = 0; k < n_; ++k) {
      double change = inverse_mass(i, k, tau) * (h / 2 * work_.force_s[k] + work_.force_v[k]);
      for (std::size_t j = 0; j < n_; ++j)
        change -= inverse_mass(i, j, tau) * (h / 2 * step_of_circuits_.stiffness(j, k) + step_of_circuits_.damping(j, k));
      system_[i * n_ + k] = (i == k ? 1 : 0) - h / 2 * change;
    }
  }
  if (!lu_factor(system_.data(), static_cast<int>(n_), pivot_.data())) return false;
  lu_solve(system_.data(), static_cast<int>(n_), pivot_.data(), dw_.data());
  for (std::size_t i = 0; i < n_; ++i) ds_[i] = h / 2 * dw_[i];
  return true;
}

}  // namespace trunnion
