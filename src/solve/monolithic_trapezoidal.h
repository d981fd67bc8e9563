// Common part of the monolithic steps with the implicit trapezoidal rule, for all constraint treatments:
//   rule       v = 2/h theta - v_n,  a = 4/h^2 theta - 4/h v_n - a_n; of the oil hydraulics/oil_rule.h
//   predictor  theta = h v_n + h^2/2 a_n,  y = y_n + h ydot_n; spools are integrated ahead
//   circuits   condensed to their ports, their unknowns recovered after the mechanism's (hydraulics/circuit_step.h)
//   oil only   once the mechanism has converged, it follows its last tangent while the oil continues (iterate_hydraulics_only)
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 4, appendix A.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "hydraulics/circuit_step.h"
#include "machine/evaluate.h"
#include "solve/stepper.h"

namespace trunnion {

template <int D>
class MonolithicTrapezoidal : public Stepper {
 public:
  bool restart(StateVector& state) override { return consistent_.solve(state, Side::right, work_); }
  void accept(StateVector& state) override { state = next_; }
  StepOutcome step_oil(StateVector& state, double h, const std::function<void(const StepOutcome&)>& part) override;
  std::string unknown_name(int unknown) const override { return name_of_unknown(*model_, unknown); }

 protected:
  explicit MonolithicTrapezoidal(std::shared_ptr<const CompiledModel> model);
  void begin(const StateVector& state, double h);
  void move();
  void set_mechanism_rates();
  void set_circuit_rates() { circuits_.set_rates(); }
  void set_rates() {
    set_mechanism_rates();
    set_circuit_rates();
  }
  void evaluate_at_end();
  Point end_point() { return {next_.q(), next_.v(), next_.a(), next_.y(), next_.ydot(), next_.multipliers()}; }
  bool condense_ports() { return circuits_.condense_ports(work_.hydraulics); }
  void add_port_residuals();
  void add_port_force_change(const double* ds, const double* dsdot, double* dr) const;
  void eliminate_circuits();
  void apply_circuit_increment(StepOutcome& report, double& largest);
  bool within_stroke(StepOutcome& report) const {
    return pistons_inside(*model_, work_.mechanism.s.data(), report) &&
           wheels_regular(*model_, singular_wheel_row(m_, work_.mechanism, circuits_.rule().step), report);
  }
  /// After an unconverged Newton iteration with increments of `size`: continues with the oil only if nothing else remains. The mechanism
  /// then follows its last tangent, with s, sdot of the ports, until no change exceeds its tolerance (size < 1), or until it must be
  /// evaluated again: its last increments were not small, or the oil moves it. Its residual is not evaluated meanwhile: see kSmall. An
  /// iteration first reuses the oil's tangent, at almost no cost; it is the last one if its remaining error, by the ratio of the last two
  /// increments, is far below the tolerance; otherwise it is discarded.
  ///   respond(dF)  computes increment_, ds_, dsdot_ of the mechanism for changes dF [N] of the port forces; returns the largest increment
  ///   take(dF)     adds increment_ to theta
  template <class Respond, class Take>
  void iterate_hydraulics_only(StepOutcome& report, double& size, Respond&& respond, Take&& take) {
    const SolverDescription& solver = model_->description.solver;
    if (netlist_.unknown_state.empty() || circuits_.has_local_states() || solver.tangent != TangentKind::exact ||
        !(largest_position_increment_ * largest_position_increment_ < kSmall * solver.tolerance_position) ||
        !(largest_position_increment_ * largest_position_increment_ * factors_.acceleration < kSmall * acceleration_))
      return;
    const double* dF = force_change_.data();
    hold_tangent();
    while (report.iterations < solver.max_iterations) {
      advance_ports();
      circuits_.update_residuals(work_.mechanism.s.data(), work_.mechanism.s_dot.data(), work_.hydraulics);
      find_force_changes();
      const double position = respond(dF);
      eliminate_circuits();
      const double next = std::max(position / solver.tolerance_position, circuits_.size_of(circuit_increment_.data())), ratio = next / size;
      const bool last =
          next < 1 && ratio < kLeft && ratio * next < kLeft && ratio * position * factors_.acceleration < kSmall * acceleration_;
      if (last) {
        circuits_.apply_last(circuit_increment_.data());
        size = next;
      } else {
        evaluate_hydraulics(netlist_, work_.mechanism.s.data(), work_.mechanism.s_dot.data(), next_.y(), next_.ydot(), circuits_.rule(),
                            work_.hydraulics);
        if (!condense_ports()) return;
        find_force_changes();
        if (!(respond(dF) < kLeft * solver.tolerance_position)) return;
        eliminate_circuits();
        size = 0;
        apply_circuit_increment(report, size);
      }
      ++report.iterations;
      take(dF);
      set_circuit_rates();
      if (size < 1 || !std::isfinite(size)) return;
    }
  }
  /// Locally solved states of the oil, at the end of the step.
  void finish_local_states();
  /// Pressure rates at the end of the step, and the memory for the next step. `moved`: whether the mechanism is at the positions of the
  /// last increments.
  void finish_oil(bool moved);
  /// The end of a successful step: `state` moves there, unless its oil has to be resolved.
  StepOutcome commit(StepOutcome report, StateVector& state);
  /// Tolerated error as a share of the accelerations, and of the tolerances. The residual is of second order in an increment: its square
  /// is an acceleration by the rule. This decides at small steps, where the position tolerance is a large acceleration.
  static constexpr double kSmall = 1e-6, kLeft = 1e-3;
  /// Magnitude of an increment of velocity coordinate k [rad, of the machine's extent], bounded by solver.tolerance_position.
  double scaled(double increment, int k) const { return std::abs(increment) * per_unit_[k]; }
  /// Records an increment of velocity coordinate k; `largest` is relative to the tolerance.
  void raise_position(double increment, int k, StepOutcome& report, double& largest) {
    const double size = scaled(increment, k);
    largest_position_increment_ = std::max(largest_position_increment_, size);
    raise(size / model_->description.solver.tolerance_position, k, report, largest);
  }
  static void raise(double scaled, int unknown, StepOutcome& report, double& largest) {
    if (scaled <= largest || std::isnan(largest)) return;  // NaN also raises, permanently
    largest = scaled;
    report.worst = unknown;
  }

  std::shared_ptr<const CompiledModel> model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
  MachineState<D> work_;
  OilMemory<> memory() { return oil_memory(netlist_, next_.oil_memory()); }

  const StateVector* from_ = nullptr;  // the state at its start
  OilRule oil_rule_;
  bool resolves_ = false;     // whether steps are checked for jumps of the pressures
  IncrementFactors factors_;  // of the trapezoidal rule
  CircuitStep circuits_;
  StateVector next_;                         // the state at the end of the step, as the iterations find it
  std::vector<double> theta_;                // increment of the configuration over the step
  std::vector<double> v_offset_, a_offset_;  // v = 2/h theta + v_offset
  std::vector<double> increment_;            // of theta
  std::vector<double> ds_, dsdot_;           // per port
  std::vector<double> circuit_increment_;    // per circuit unknown
  // of iterate_hydraulics_only
  double largest_position_increment_ = 0;              // scaled, of the last iteration with the mechanism
  double acceleration_ = 0;                            // [1/s2] largest at the start of the step, or of gravity, scaled
  std::vector<double> per_unit_;                       // per velocity: 1 [1/rad] or 1 / extent [1/m]
  std::vector<double> force_change_, expected_force_;  // per port [N]
  std::vector<double> held_stiffness_, held_damping_;  // per pair of ports

 private:
  /// Port state of the last iteration's tangent.
  void hold_tangent();
  /// s, sdot of the ports by ds_, dsdot_, and the port forces that balance the mechanism there.
  void advance_ports();
  /// force_change_: difference of the ports' forces, condensed as by add_port_residuals(), from those.
  void find_force_changes();

  ConsistentRates<D> consistent_;
};

}  // namespace trunnion
