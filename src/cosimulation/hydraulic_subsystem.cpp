// The hydraulic subsystem: integrates its circuits between communication points.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/hydraulic_subsystem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/lu.h"
#include "base/newton.h"
#include "base/runge_kutta.h"
#include "cosimulation/hydraulic_cut.h"
#include "hydraulics/circuit_step.h"
#include "hydraulics/explicit_limit.h"
#include "hydraulics/substeps.h"
#include "model/coupling_memory.h"

namespace trunnion {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFastest = 1e6;  // [m/s] above: the step is unstable

class CircuitSubsystem final : public HydraulicSubsystem {
 public:
  CircuitSubsystem(std::shared_ptr<const CompiledModel> machine, const std::vector<int>& circuits, std::optional<IntegratorKind> integrator,
                   double step)
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
    for (auto* x : {&x_, &slope_, &start_, &sum_, &stage_}) x->resize(netlist_.ny + 2 * n_);
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

  const std::vector<int>& ports() const override { return ports_; }
  std::string unknown_name(int unknown) const override { return name_of_unknown(*machine_, unknown); }

  void restore(const StateVector& machine) override {
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
  void save(StateVector& machine) const override {
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
  void set_inputs(const TimePolynomial* courses) override {
    std::copy_n(courses, courses_.size(), courses_.begin());
    if (!fresh_) return;
    take_courses(time_);
    set_outputs();
  }
  void set_interface_model(const InterfaceModel* model) override {
    if (model != nullptr && (model->ports != static_cast<int>(n_) || !has_all_ports_))
      throw Error("an interface model serves a hydraulic subsystem that has all ports of the machine");
    model_ = model;
  }

  StepOutcome do_step(double h) override {
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
  void get_outputs(double* values) const override { std::copy(values_.begin(), values_.end(), values); }
  bool restart() override {
    StepOutcome report;
    update_inputs(netlist_, signals(), time_, Side::right, work_);
    if (!within_range(x_.data(), s_.data(), w_.data(), report)) return false;
    set_following_spools(x_.data());
    evaluate_rates(netlist_, s_.data(), w_.data(), x_.data(), slope_.data(), work_);
    memory_.front() = 0;
    set_outputs();
    return true;
  }

  const double* impulse() const override { return impulse_.data(); }
  const double* impulse_moment() const override { return impulse_moment_.data(); }
  const double* displacement() const override { return displacement_.data(); }
  const double* rate() const override { return w_.data(); }

  void linearise(double h, LinearOil& oil) override {
    oil.begin = time_;
    oil.step = h;
    for (std::size_t i = 0; i < n_; ++i) {
      ds_[i] = oil.s[cut_.ports[i]];
      dw_[i] = oil.w[cut_.ports[i]];
    }
    std::copy_n(x_.begin(), netlist_.ny, stage_.begin());
    for (std::size_t i = 0; i < netlist_.volumes.size(); ++i) oil.p[cut_.volumes[i]] = x_[i];
    for (int k = 0; k <= oil.pieces; ++k) {
      const double t = time_ + h * k / oil.pieces;
      if (k > 0) advance_spools(time_ + h * (k - 1) / oil.pieces, t);
      update_inputs(netlist_, signals(), t, k == 0 ? Side::right : Side::left, work_);
      linearise_here(oil, k);
    }
  }

 private:
  Signals signals() const { return {machine_->signals, input_courses_.data()}; }

  /// The communication step by one integrator.
  bool go(IntegratorKind integrator, double h, int steps, StepOutcome& report) {
    update_inputs(netlist_, signals(), begin_, Side::right, work_);
    if (!evaluate(begin_, x_.data(), slope_.data(), report)) return false;
    begin_memory();
    for (int k = 1; k <= steps; ++k) {
      const double t = begin_ + h * k / steps;
      const bool done = integrator == IntegratorKind::rk4     ? rk4(t, report)
                        : integrator == IntegratorKind::euler ? euler(t, report)
                                                              : implicit(t, report);
      if (!done) return false;
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
  /// Whether explicit steps of this length are stable at the end of the communication step.
  bool stable(IntegratorKind integrator, double h, StepOutcome& report) {
    const double *s = model_ == nullptr ? s_.data() : x_.data() + netlist_.ny, *w = model_ == nullptr ? w_.data() : s + n_;
    const ExplicitLimit::Step limit = limit_.longest_step(integrator, s, w, x_.data(), work_);
    if (h <= limit.longest) return true;
    report.longest_step = limit.longest;
    return fail(StepStatus::unstable, unknown_of_circuits(limit.unknown), report);
  }
  // ---- inputs and outputs
  /// Lengths and rates of the ports from the inputs.
  void take_courses(double t) {
    for (std::size_t i = 0; i < n_; ++i) {
      s_[i] = courses_[2 * i].value(t);
      w_[i] = courses_[2 * i + 1].value(t);
    }
  }
  /// ... or from the interface model's states.
  void take_ports() {
    if (model_ == nullptr) return;
    std::copy_n(x_.begin() + netlist_.ny, n_, s_.begin());
    std::copy_n(x_.begin() + netlist_.ny + n_, n_, w_.begin());
  }
  void set_outputs() {
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
  bool is_piston(std::size_t i) const { return i < static_cast<std::size_t>(netlist_.pistons); }
  const double* rate_offset() const { return model_ == nullptr ? nullptr : model_->rate_offset.data(); }

  // ---- common to all rules; x: y, then s and w of the interface model
  bool fail(StepStatus status, int unknown, StepOutcome& report) const {
    report.status = status;
    report.worst = unknown;
    return false;
  }
  int unknown_of_circuits(int i) const { return machine_->layout.nv + cut_.unknowns[i]; }
  int unknown_of_port(std::size_t i) const { return unknown_of_cylinder(*machine_, cut_.ports[i]); }
  bool within_range(const double* y, const double* s, const double* w, StepOutcome& report) const {
    if (const int i = unknown_out_of_range(netlist_, y); i >= 0)
      return fail(below_vacuum(netlist_, y, i) ? StepStatus::below_vacuum : StepStatus::unstable, unknown_of_circuits(i), report);
    for (std::size_t i = 0; i < n_; ++i)
      if (!(std::abs(w[i]) < kFastest)) return fail(StepStatus::unstable, unknown_of_port(i), report);
    if (const int i = piston_outside(netlist_, s); i >= 0) return fail(StepStatus::end_of_stroke, unknown_of_port(i), report);
    return true;
  }
  /// Rates of the interface model at t with the last evaluated port forces: s_dot = w, w_dot = b + W F.
  void set_port_rates(double t, const double* x, double* dx) const {
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
  double inverse_mass(std::size_t i, std::size_t j, double tau) const { return model_->W[i * n_ + j] + tau * model_->W_rate[i * n_ + j]; }
  /// Spools without a time constant equal their signals.
  void set_following_spools(double* y) const {
    for (const Spool& spool : netlist_.spools)
      if (spool.is_signal()) y[spool.state] = work_.signal[spool.signal];
  }
  /// Rates dx and port forces at t; signals are set. `step` > 0: at the end of an explicit step, where discrete states, which have no rates
  /// and are still those of its beginning, change.
  bool evaluate(double t, double* x, double* dx, StepOutcome& report, double step = 0) {
    if (model_ == nullptr) take_courses(t);
    const double *s = model_ == nullptr ? s_.data() : x + netlist_.ny, *w = model_ == nullptr ? w_.data() : s + n_;
    if (!within_range(x, s, w, report)) return false;
    set_following_spools(x);
    if (step > 0) advance_quasistatic_states(netlist_, s, nullptr, step, x, x, work_);
    evaluate_rates(netlist_, s, w, x, dx, work_, rate_offset());
    set_port_rates(t, x, dx);
    return true;
  }
  /// Adds the contribution of the last evaluated port forces to the integrals of F and F (t - begin).
  void add_forces(double t, double weight) {
    for (std::size_t i = 0; i < n_; ++i) {
      impulse_[i] += weight * work_.ports[i].force;
      impulse_moment_[i] += weight * (t - begin_) * work_.ports[i].force;
    }
  }
  /// ... and of the oil's rate to its integral.
  void add_rates(const double* x, double weight) {
    const double* w = model_ == nullptr ? w_.data() : x + netlist_.ny + n_;
    for (std::size_t i = 0; i < n_; ++i) displacement_[i] += weight * (model_ == nullptr ? w[i] : w[i] + model_->rate_offset[i]);
  }
  std::size_t size() const { return model_ == nullptr ? netlist_.ny : netlist_.ny + 2 * n_; }

  // ---- the rules: from time_, where x_, slope_ and the port forces are evaluated, to t
  bool euler(double t, StepOutcome& report) {
    const double h = t - time_;
    add_forces(time_, h / 2);
    add_rates(x_.data(), h);
    for (std::size_t i = 0; i < size(); ++i) x_[i] += h * slope_[i];
    update_inputs(netlist_, signals(), t, Side::left, work_);
    if (!evaluate(t, x_.data(), slope_.data(), report, h)) return false;
    add_forces(t, h / 2);
    return true;
  }

  bool rk4(double t, StepOutcome& report) {
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
    const auto stage = [&](double time) {
      for (std::size_t i = 0; i < n; ++i) stage_[i] = x_[i] + time * h * slope_[i];
      x = stage_.data();
      const double end = time < 1 ? time_ + time * h : t;
      if (end != at) update_inputs(netlist_, signals(), end, Side::left, work_);
      at = end;
      return evaluate(at, stage_.data(), slope_.data(), report);
    };
    if (!classical_runge_kutta(add, stage)) return false;
    for (std::size_t i = 0; i < n; ++i) x_[i] += h * sum_[i];
    return evaluate(t, x_.data(), slope_.data(), report, h);
  }

  /// A step by the oil's rule; subdivided where it does not resolve the pressures.
  bool implicit(double t, StepOutcome& report) {
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
        return kInfinity;
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
  /// State saved before an attempt.
  void keep() {
    kept_.assign(x_, slope_, memory_, impulse_, impulse_moment_, displacement_);
    for (std::size_t i = 0; i < n_; ++i) kept_force_[i] = work_.ports[i].force;
  }
  void go_back() {
    kept_.restore(x_, slope_, memory_, impulse_, impulse_moment_, displacement_);
    for (std::size_t i = 0; i < n_; ++i) work_.ports[i].force = kept_force_[i];
  }
  /// Before the first step after a communication point, where lengths may have jumped; the jump is not a volume displaced in the oil.
  void begin_memory() {
    const double *s = model_ == nullptr ? s_.data() : x_.data() + netlist_.ny, *w = model_ == nullptr ? w_.data() : s + n_;
    const OilMemory<> memory = oil_memory(netlist_, memory_.data());
    if (*memory.step == 0) start_oil_memory(netlist_, step_, s, w, x_.data(), slope_.data(), memory);
    std::copy_n(s, n_, memory.s);
  }

  /// Courses at t, and the displacements of the pistons until then [m]: integrals of the rates, as for explicit rules. Extrapolated lengths
  /// jump at communication points (of order 0 they are constant between them), and jumps displace no oil.
  void take_displacements(double t) {
    take_courses(t);
    double* s_begin = oil_memory(netlist_, memory_.data()).s;
    for (std::size_t i = 0; i < n_; ++i) {
      const double displaced = courses_[2 * i + 1].integral(time_, t);
      s_begin[i] = s_[i] - displaced;
      displacement_[i] += displaced;
    }
  }

  bool attempt(const OilRule& rule, double t, StepOutcome& report) {
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
  /// An iteration of Newton's method; the largest increment over its tolerance.
  std::optional<double> increment(double t, double h, StepOutcome& report) {
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
  const double* start_s() const { return start_.data() + netlist_.ny; }
  const double* start_w() const { return start_s() + n_; }
  const double* start_w_dot() const { return sum_.data() + netlist_.ny + n_; }
  void set_lengths(double h) {
    for (std::size_t i = 0; i < n_; ++i) s_[i] = start_s()[i] + h / 2 * (start_w()[i] + w_[i]);
  }
  /// The part of the oil's rate beyond the cylinders' rates, as swept volumes in the residuals.
  void add_rate_offset() {
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
  /// Newton increments of the ports with the circuits' unknowns eliminated: w - w_n - h/2 (w_dot_n + b + W F) = 0, ds = h/2 dw.
  bool solve_ports(double t, double h) {
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

  // ---- linearised
  /// Integrates the spools of stage_ from t_begin to t_end by the trapezoidal rule at the own step.
  void advance_spools(double t_begin, double t_end) {
    const int steps = steps_within(t_end - t_begin, step_);
    const double h = (t_end - t_begin) / steps;
    for (const Spool& spool : netlist_.spools) {
      double reference = signals().value(spool.signal, t_begin, Side::right), rate[2];
      for (int k = 1; k <= steps; ++k) {
        const double next = signals().value(spool.signal, t_begin + k * h, Side::left);
        spool_rates(spool, reference, stage_.data() + spool.state, rate);
        advance_spool(spool, 2 / h, rate, next, stage_.data() + spool.state);
        reference = next;
      }
    }
  }
  /// f and J at lengths ds_, rates dw_ and stage_; at the start also f_s and f_w. R(p, p_dot) = 0 gives C dp_dot + T dp + R_s ds + R_v dw
  /// = 0, T at these rates.
  void linearise_here(LinearOil& oil, int instant) {
    double *y = stage_.data(), *ydot = sum_.data();
    set_following_spools(y);
    evaluate_rates(netlist_, ds_.data(), dw_.data(), y, ydot, work_);
    for (std::size_t i = 0; i < netlist_.volumes.size(); ++i) oil.f[instant][cut_.volumes[i]] = ydot[i];
    evaluate_slopes(netlist_, ds_.data(), dw_.data(), y, ydot, work_);
    for (std::size_t i = 0; i < netlist_.volumes.size(); ++i) {
      const PressureNode& row = netlist_.nodes[netlist_.volumes[i].node];
      const Circuit& c = netlist_.circuits[row.circuit];
      const double C = work_.capacity[netlist_.volumes[i].node];
      for (std::size_t j = 0; j < netlist_.volumes.size(); ++j) {
        const PressureNode& column = netlist_.nodes[netlist_.volumes[j].node];
        oil.J[instant][cut_.volumes[i] * oil.volumes + cut_.volumes[j]] =
            column.circuit == row.circuit ? -work_.T[c.block + row.local * c.size + column.local] / C : 0;
      }
      if (instant > 0) continue;
      for (std::size_t j = 0; j < n_; ++j) {
        const bool joined = netlist_.actuators[j].circuit == row.circuit;
        const std::size_t at = cut_.volumes[i] * oil.ports + cut_.ports[j];
        oil.f_s[at] = joined ? -work_.R_s[work_.column[j] + row.local] / C : 0;
        oil.f_w[at] = joined ? -work_.R_v[work_.column[j] + row.local] / C : 0;
      }
    }
  }

  const std::shared_ptr<const CompiledModel> machine_;
  HydraulicCut cut_;
  const Hydraulics& netlist_;
  const std::size_t n_;                             // ports
  const std::optional<IntegratorKind> integrator_;  // none: whichever is stable
  const double step_;                               // [s]
  const bool whole_force_;                          // friction belongs to this side
  const bool publishes_force_;
  std::vector<int> own_states_;  // of the own y: those returned
  std::vector<int> ports_;       // as among all ports of the machine
  bool has_all_ports_ = false;
  std::vector<TimePolynomial> courses_;
  const InterfaceModel* model_ = nullptr;

  double time_ = 0, begin_ = 0;    // [s] now; at the beginning of the step
  std::vector<double> x_, slope_;  // y, then s and w of the interface model; their rates
  std::vector<double> s_, w_;      // per port, as last used by the oil
  bool fresh_ = false;             // no step since restore()
  std::vector<double> values_;     // outputs
  std::vector<double> impulse_, impulse_moment_, displacement_;

  HydraulicState work_;
  CircuitStep step_of_circuits_;
  ExplicitLimit limit_;
  const OilRule rule_;
  const bool resolves_;
  std::vector<double> memory_;  // OilMemory
  struct Kept {
    std::array<std::vector<double>, 6> values;
    template <class... X>
    void assign(const X&... x) {
      std::size_t i = 0;
      ((values[i++] = x), ...);
    }
    template <class... X>
    void restore(X&... x) const {
      std::size_t i = 0;
      ((x = values[i++]), ...);
    }
  } kept_, at_begin_;
  std::vector<double> kept_force_;
  std::vector<double> start_, sum_, stage_;  // scratch of the rules
  std::vector<double> ds_, dw_;              // increments of the ports
  std::vector<double> system_;
  std::vector<int> pivot_;
  std::vector<double> input_courses_;  // of the machine's inputs
};

}  // namespace

std::unique_ptr<HydraulicSubsystem> make_hydraulic_subsystem(const std::shared_ptr<const CompiledModel>& machine,
                                                             const std::vector<int>& circuits, std::optional<IntegratorKind> integrator,
                                                             double h) {
  return std::make_unique<CircuitSubsystem>(machine, circuits, integrator, h);
}

}  // namespace trunnion
