// The machine in an implicit step, for every rule and every treatment of the constraints, which holds it as a part:
//   rule       v = f_v theta + v_offset,  a = f_a theta + a_offset, by motion_rule.h; of the oil hydraulics/oil_rule.h
//   predictor  theta by the rule,  y = y_n + h ydot_n; spools are integrated ahead
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
#include "solve/motion_rule.h"
#include "solve/stepper.h"

namespace trunnion {

/// A step in progress. The arrays are those of the end of the step, as the iterations find it.
template <int D>
class MachineStep {
 public:
  explicit MachineStep(std::shared_ptr<const CompiledModel> machine);

  // ---- a step: begin(), then for every stage begin_stage() and the treatment's iterations, keep_stage() for all but the last, then
  // finish_oil() and commit()
  void begin(const StateVector& state, double h);
  int stages() const { return motion_rule->stages(); }
  void begin_stage(int stage);
  void keep_stage(int stage);
  /// The configuration theta away from the start of the step, and its position stage.
  void move() {
    advance_configuration(m.tree, from->q(), theta.data(), next.q());
    follow_motions();
    update_positions(m, next.q(), theta.data(), work.mechanism);
  }
  /// Motions that follow control blocks, at the blocks' states and rates.
  void follow_motions() { update_followed_motions(m, next.y(), next.ydot(), work.mechanism); }
  /// Position of velocity coordinate k [rad, m], of a spherical joint its increment over the step.
  double position(int k) const {
    const TreeNode<D>& node = m.tree.nodes[m.tree.dof_node[k]];
    return node.dofs == 1 ? from->q()[node.q] + theta[k] : theta[k];
  }
  /// v and a from theta by the rule.
  void set_mechanism_rates() {
    double *v = next.v(), *a = next.a();
    for (int i = 0; i < model->layout.nv; ++i) {
      v[i] = factors.velocity * theta[i] + v_offset[i];
      a[i] = factors.acceleration * theta[i] + a_offset[i];
    }
  }
  void set_circuit_rates() { circuits.set_rates(); }
  void set_rates() {
    set_mechanism_rates();
    set_circuit_rates();
  }
  /// At predicted positions and velocities: what control blocks do meanwhile. Circuit rates follow.
  void predict_control() {
    if (!netlist.control.empty()) predict_blocks();
  }
  void evaluate_at_end() { evaluate(*model, m, end_point(), circuits.rule(), work); }
  Point end_point() { return {next.q(), next.v(), next.a(), next.y(), next.ydot(), next.multipliers()}; }
  bool within_stroke(StepOutcome& report) const {
    return pistons_inside(*model, work.mechanism.s.data(), report) &&
           wheels_regular(*model, singular_wheel_row(m, work.mechanism, circuits.rule().step), report);
  }
  /// Completes differences of the circuits' residuals by their unknowns, of which J is the first one, in rows of `columns`: an evaluation
  /// solves for p of quasistatic circuits itself, so that no residual depends on p. The increments of p are 0.
  void hold_solved_unknowns(double* J, std::size_t columns) const;
  /// Locally solved states of the oil, at the end of the step.
  void finish_local_states();
  /// Pressure rates at the end of the step, and the memory for the next step. `moved`: whether the mechanism is at the positions of the
  /// last increments.
  void finish_oil(bool moved);
  /// The end of a successful step: `state` moves there, unless its oil has to be resolved. Writes the memory of the rule.
  StepOutcome commit(StepOutcome report, StateVector& state);

  // ---- as Stepper
  bool restart(StateVector& state) { return consistent_.solve(state, Side::right, work); }
  /// The loads of joints that friction follows.
  FrictionLoads& loads() { return consistent_.loads(); }
  StepOutcome step_oil(StateVector& state, double h, const std::function<void(const StepOutcome&)>& part);

  // ---- circuits
  bool condense_ports() { return circuits.condense_ports(work.hydraulics); }
  /// r += s_k w_i . R: the residual of the mechanism with the circuits' unknowns eliminated.
  void add_port_residuals() {
    for (const Circuit& c : netlist.circuits)
      for (int i : c.acting)
        for (int k = m.ports[i].path.begin; k < m.ports[i].path.end && !netlist.actuators[i].follows; ++k)
          work.r[m.paths[k].dof] += work.mechanism.dofs[k].gradient * circuits.residual(i);
  }
  /// dr -= s_k dF_i: effect of changes of ds, dsdot of the ports on the residual, directly and through the oil.
  void add_port_force_change(const double* ds_of_ports, const double* dsdot_of_ports, double* dr) const;
  /// Newton increments of the circuits' unknowns from those of the ports, ds and dsdot.
  void eliminate_circuits() {
    circuits.eliminate(ds.data(), dsdot.data(), work.hydraulics);
    std::copy(work.hydraulics.R.begin(), work.hydraulics.R.end(), circuit_increment.begin());
  }
  /// Adds the increments to the circuits' unknowns; raises `largest`, an increment over its tolerance, and the report's worst with it.
  void apply_circuit_increment(StepOutcome& report, double& largest) {
    circuits.apply(circuit_increment.data(), work.hydraulics,
                   [&](double scaled, int i) { raise(scaled, model->layout.nv + i, report, largest); });
  }
  /// After an unconverged Newton iteration with increments of `size`: continues with the oil only if nothing else remains. The mechanism
  /// then follows its last tangent, with s, sdot of the ports, until no change exceeds its tolerance (size < 1), or until it must be
  /// evaluated again: its last increments were not small, or the oil moves it. Its residual is not evaluated meanwhile: see kSmall. An
  /// iteration first reuses the oil's tangent, at almost no cost; it is the last one if its remaining error, by the ratio of the last two
  /// increments, is far below the tolerance; otherwise it is discarded.
  ///   respond(dF)  computes increment, ds, dsdot of the mechanism for changes dF [N] of the port forces; returns the largest increment
  ///   take(dF)     adds `increment` to theta
  template <class Respond, class Take>
  void iterate_hydraulics_only(StepOutcome& report, double& size, Respond&& respond, Take&& take) {
    const SolverDescription& solver = model->description.solver;
    if (netlist.unknown_state.empty() || m.follows_blocks() || circuits.has_local_states() || solver.tangent != TangentKind::exact ||
        !(largest_position_increment * largest_position_increment < kSmall * solver.tolerance_position) ||
        !(largest_position_increment * largest_position_increment * factors.acceleration < kSmall * acceleration_))
      return;
    const double* dF = force_change_.data();
    hold_tangent();
    while (report.iterations < last_iteration) {
      advance_ports();
      circuits.update_residuals(work.mechanism.s.data(), work.mechanism.s_dot.data(), work.hydraulics);
      find_force_changes();
      const double position = respond(dF);
      eliminate_circuits();
      const double largest = std::max(position / solver.tolerance_position, circuits.size_of(circuit_increment.data())),
                   ratio = largest / size;
      const bool last =
          largest < 1 && ratio < kLeft && ratio * largest < kLeft && ratio * position * factors.acceleration < kSmall * acceleration_;
      if (last) {
        circuits.apply_last(circuit_increment.data());
        size = largest;
      } else {
        evaluate_hydraulics(netlist, work.mechanism.s.data(), work.mechanism.s_dot.data(), next.y(), next.ydot(), circuits.rule(),
                            work.hydraulics);
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

  // ---- sizes of increments
  /// Magnitude of an increment of velocity coordinate k [rad, of the machine's extent], bounded by solver.tolerance_position.
  double scaled(double change, int k) const { return std::abs(change) * per_unit_[k]; }
  /// Records an increment of velocity coordinate k; `largest` is relative to the tolerance.
  void raise_position(double change, int k, StepOutcome& report, double& largest) {
    const double size = scaled(change, k);
    largest_position_increment = std::max(largest_position_increment, size);
    raise(size / model->description.solver.tolerance_position, k, report, largest);
  }

  const std::shared_ptr<const CompiledModel> model;
  const Mechanism<D>& m;
  const Hydraulics& netlist;
  MachineState<D> work;
  CircuitStep circuits;

  const StateVector* from = nullptr;  // the state at the start of the step
  StateVector next;                   // at its end
  const std::unique_ptr<MotionRule> motion_rule;
  IncrementFactors factors;                // of the rule
  std::vector<double> theta;               // increment of the configuration over the step
  std::vector<double> v_offset, a_offset;  // v = factors.velocity theta + v_offset
  std::vector<double> increment;           // Newton's, of the treatment's unknowns
  std::vector<double> ds, dsdot;           // per port
  std::vector<double> circuit_increment;   // per circuit unknown
  int last_iteration = 0;                  // count of iterations at which Newton's method gives up
  double largest_position_increment = 0;   // scaled, of the last iteration with the mechanism

 private:
  /// Tolerated error as a share of the accelerations, and of the tolerances. The residual is of second order in an increment: its square
  /// is an acceleration by the rule. This decides at small steps, where the position tolerance is a large acceleration.
  static constexpr double kSmall = 1e-6, kLeft = 1e-3;
  static void raise(double scaled, int unknown, StepOutcome& report, double& largest) {
    if (kRecording) {
      largest = larger(largest, scaled);
      return;
    }
    if (scaled <= largest || std::isnan(largest)) return;  // NaN also raises, permanently
    largest = scaled;
    report.worst = unknown;
  }
  /// s_dot of the ports from the velocities, at the positions of the last move().
  void set_port_rates();
  void predict_blocks();
  OilMemory<> memory() { return oil_memory(netlist, next.oil_memory()); }
  /// Port state of the last iteration's tangent.
  void hold_tangent();
  /// s, sdot of the ports by ds, dsdot, and the port forces that balance the mechanism there.
  void advance_ports();
  /// force_change_: difference of the ports' forces, condensed as by add_port_residuals(), from those.
  void find_force_changes();

  double h_ = 0;  // [s] of the step
  OilRule oil_rule_;
  bool reads_rates_ = false;  // whether a control block reads s_dot of a port
  bool resolves_ = false;     // whether steps are checked for jumps of the pressures
  ConsistentRates<D> consistent_;
  std::vector<double> per_unit_;  // per velocity: 1 [1/rad] or 1 / extent [1/m]
  // of iterate_hydraulics_only
  double acceleration_ = 0;                            // [1/s2] largest at the start of the step, or of gravity, scaled
  std::vector<double> force_change_, expected_force_;  // per port [N]
  std::vector<double> held_stiffness_, held_damping_;  // per pair of ports
};

}  // namespace trunnion
