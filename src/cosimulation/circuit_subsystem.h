// The hydraulic subsystem of hydraulic_subsystem.h by circuits of a machine's netlist. Its parts: exchange with the master and
// communication steps (hydraulic_subsystem.cpp), own steps by each rule (hydraulic_subsystem_steps.cpp), the oil linearised for a
// mechanism that integrates with it (hydraulic_subsystem_linearised.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cosimulation/hydraulic_cut.h"
#include "cosimulation/hydraulic_subsystem.h"
#include "hydraulics/circuit_step.h"
#include "hydraulics/explicit_limit.h"

namespace trunnion {

/// Of a pressure: what an explicit step leaves unresolved below it does not count.
inline constexpr double kNoticedOil = 1e-4;

/// Some circuits of a machine, cut out of its netlist.
class CircuitSubsystem final : public HydraulicSubsystem {
 public:
  CircuitSubsystem(std::shared_ptr<const CompiledModel> machine, const std::vector<int>& circuits, std::optional<IntegratorKind> integrator,
                   double step);

  const std::vector<int>& ports() const override { return ports_; }
  std::string unknown_name(int unknown) const override { return name_of_unknown(*machine_, unknown); }

  void restore(const StateVector& machine) override;
  void save(StateVector& machine) const override;
  void set_inputs(const TimePolynomial* courses) override;
  void set_interface_model(const InterfaceModel* model) override;

  StepOutcome do_step(double h) override;
  void get_outputs(double* values) const override { std::copy(values_.begin(), values_.end(), values); }
  bool restart() override;

  const double* impulse() const override { return impulse_.data(); }
  const double* impulse_moment() const override { return impulse_moment_.data(); }
  const double* displacement() const override { return displacement_.data(); }
  const double* rate() const override { return w_.data(); }

  void linearise(double h, LinearOil& oil) override;

 private:
  Signals signals() const { return {machine_->signals, input_courses_.data()}; }

  /// The communication step by one integrator.
  bool go(IntegratorKind integrator, double h, int steps, StepOutcome& report);
  /// Whether explicit steps of this length are stable at the end of the communication step.
  bool stable(IntegratorKind integrator, double h, StepOutcome& report);
  // ---- inputs and outputs
  /// Lengths and rates of the ports from the inputs.
  void take_courses(double t);
  /// ... or from the interface model's states.
  void take_ports();
  void set_outputs();
  bool is_piston(std::size_t i) const { return i < static_cast<std::size_t>(netlist_.pistons); }
  const double* rate_offset() const { return model_ == nullptr ? nullptr : model_->rate_offset.data(); }

  // ---- common to all rules; x: y, then s and w of the interface model
  bool fail(StepStatus status, int unknown, StepOutcome& report) const;
  int unknown_of_circuits(int i) const { return machine_->layout.nv + cut_.unknowns[i]; }
  int unknown_of_port(std::size_t i) const { return unknown_of_cylinder(*machine_, cut_.ports[i]); }
  bool within_range(const double* y, const double* s, const double* w, StepOutcome& report) const;
  /// Rates of the interface model at t with the last evaluated port forces: s_dot = w, w_dot = b + W F.
  void set_port_rates(double t, const double* x, double* dx) const;
  double inverse_mass(std::size_t i, std::size_t j, double tau) const { return model_->W[i * n_ + j] + tau * model_->W_rate[i * n_ + j]; }
  /// Spools without a time constant equal their signals.
  void set_following_spools(double* y) const;
  /// Rates dx and port forces at t; signals are set. `step` > 0: at the end of an explicit step, where discrete states, which have no rates
  /// and are still those of its beginning, change.
  bool evaluate(double t, double* x, double* dx, StepOutcome& report, double step = 0);
  /// Adds the contribution of the last evaluated port forces to the integrals of F and F (t - begin).
  void add_forces(double t, double weight);
  /// ... and of the oil's rate to its integral.
  void add_rates(const double* x, double weight);
  std::size_t size() const { return model_ == nullptr ? netlist_.ny : netlist_.ny + 2 * n_; }

  // ---- the rules: from time_, where x_, slope_ and the port forces are evaluated, to t
  bool euler(double t, StepOutcome& report);
  bool rk4(double t, StepOutcome& report);
  /// Between two stages of rk4 at one instant, of which the first is kept in mid_: whether pressures decay slowly enough for the step h, or
  /// their rates differ by less than matters. The ends of a step do not show it where a valve opens and closes within.
  bool stable_stages(double h, StepOutcome& report) const;
  /// A step by the oil's rule; subdivided where it does not resolve the pressures.
  bool implicit(double t, StepOutcome& report);
  /// State saved before an attempt.
  void keep();
  void go_back();
  /// Before the first step after a communication point, where lengths may have jumped; the jump is not a volume displaced in the oil.
  void begin_memory();
  /// Courses at t, and the displacements of the pistons until then [m]: integrals of the rates, as for explicit rules. Extrapolated lengths
  /// jump at communication points (of order 0 they are constant between them), and jumps displace no oil.
  void take_displacements(double t);
  bool attempt(const OilRule& rule, double t, StepOutcome& report);
  /// An iteration of Newton's method; the largest increment over its tolerance.
  std::optional<double> increment(double t, double h, StepOutcome& report);
  const double* start_s() const { return start_.data() + netlist_.ny; }
  const double* start_w() const { return start_s() + n_; }
  const double* start_w_dot() const { return sum_.data() + netlist_.ny + n_; }
  void set_lengths(double h);
  /// The part of the oil's rate beyond the cylinders' rates, as swept volumes in the residuals.
  void add_rate_offset();
  /// Newton increments of the ports with the circuits' unknowns eliminated: w - w_n - h/2 (w_dot_n + b + W F) = 0, ds = h/2 dw.
  bool solve_ports(double t, double h);

  // ---- linearised
  /// Integrates the spools of stage_ from t_begin to t_end by the trapezoidal rule at the own step.
  void advance_spools(double t_begin, double t_end);
  /// f and J at lengths ds_, rates dw_ and stage_; at the start also f_s and f_w. R(p, p_dot) = 0 gives C dp_dot + T dp + R_s ds + R_v dw
  /// = 0, T at these rates.
  void linearise_here(LinearOil& oil, int instant);

  const std::shared_ptr<const CompiledModel> machine_;
  HydraulicCut cut_;
  const Hydraulics& netlist_;
  const std::size_t n_;                             // ports
  const std::optional<IntegratorKind> integrator_;  // none: whichever is stable and resolves the rates
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
  std::vector<double> mid_, mid_rate_;       // ... the first stage of rk4 in the middle of a step
  std::vector<double> ds_, dw_;              // increments of the ports
  std::vector<double> system_;
  std::vector<int> pivot_;
  std::vector<double> input_courses_;  // of the machine's inputs
};

}  // namespace trunnion
