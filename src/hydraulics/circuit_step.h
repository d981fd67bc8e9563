// The circuits in an implicit step, for any motion of their cylinders:
//   rule         factor dN - offset = N_dot, of the contents of volumes and of all other states (oil_rule.h)
//   predictor    y = y_n + h ydot_n; none in a step of implicit Euler; spools are integrated ahead, as nothing acts back on them
//   condensed    dF_i = -r_i - sum_j (K_ij ds_j + D_ij dsdot_j)     (hydraulics/circuit.h)
//   limited      Newton's pressures of a circuit stop where the slope of one of its flows changes: just above the cracking pressure of
//                a valve that opens or the edge of a spool's travel, just above saturation where a cavity closes, and at equal
//                pressures where an orifice would change from one turbulent branch to the other
//   damped       increments of a circuit that change sign without becoming much smaller are shortened to the solution of the
//                secant through the last two:  share = taken / (|last| + |this|), which prevents cycling at a kink (a spool at its
//                stop, a valve about to open)
// Without limits Newton's method cycles between the branches of such laws where these, not the oil's compressibility,
// determine a pressure (small volumes). From the stops it approaches the solution from one side, because the flows are concave beyond them.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 4, appendix A.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "base/runge_kutta.h"
#include "hydraulics/circuit.h"
#include "hydraulics/oil_rule.h"

namespace trunnion {

class CircuitStep {
 public:
  /// Tolerances of Newton increments: of pressures [Pa], of friction states.
  CircuitStep(const Hydraulics& netlist, double tolerance_pressure, double tolerance_other);

  /// Starts a step of h [s] at time t with the signals' right limit there, from y_begin, ydot_begin, which must remain valid during the
  /// step, and its `memory`. y, ydot hold the same and receive the values at its end, the predictor first. The inputs of `state` are
  /// those at the end.
  void begin(const OilRule& oil_rule, const Signals& signals, double t, double h, const double* y_begin, const double* ydot_begin,
             OilMemory<const double*> memory, double* y, double* ydot, const HydraulicState& state);
  /// The same for a stage of a step by the Runge-Kutta rule Esdirk3. Stages follow each other.
  void begin_stage(int stage, const Signals& signals, double t, double h, const double* y_begin, const double* ydot_begin,
                   OilMemory<const double*> memory, double* y, double* ydot, const HydraulicState& state);
  /// A stage but the last is solved, at lengths s of the ports: its rates contribute to the next ones.
  void keep_stage(int stage, const double* s);
  const RateRelation& rule() const { return rule_; }
  /// After begin(): control at the predicted lengths and rates of the ports.
  void predict_control(const double* s, const double* s_dot, HydraulicState& state) {
    trunnion::predict_control(netlist_, s, s_dot, y_, ydot_, rule_, state);
  }
  /// ydot of the circuits' unknowns by the rule; those of pressures, of what has no rate, and of control that is no unknown follow in
  /// finish().
  void set_rates();
  /// After evaluate_hydraulics(): factors the blocks; r, K, D. False if a block is singular.
  bool condense_ports(HydraulicState& state);
  /// R at other unknowns and ports, and r for them with the blocks as last factored.
  void update_residuals(const double* s, const double* s_dot, HydraulicState& state);
  /// Largest increment over its tolerance.
  double size_of(const double* increment) const;
  /// Adds increments that are below their tolerances.
  void apply_last(const double* increment);
  double residual(std::size_t i) const { return residual_[i]; }                                // [N]
  double stiffness(std::size_t i, std::size_t j) const { return stiffness_[i * ports_ + j]; }  // [N/m]
  double damping(std::size_t i, std::size_t j) const { return damping_[i * ports_ + j]; }      // [N s/m]
  /// Newton increments of the circuits' unknowns for those of the ports; into the state's R.
  void eliminate(const double* ds, const double* dsdot, HydraulicState& state) { trunnion::eliminate(netlist_, rows_, ds, dsdot, state); }
  /// Adds the increments to the unknowns, pressures by the share of their circuit; calls raise(increment over its tolerance, index of the
  /// unknown) for each. `state`: inputs and spools at the end of the step.
  template <class Raise>
  void apply(const double* increment, const HydraulicState& state, Raise&& raise) {
    limit(increment, state);
    const int volumes = static_cast<int>(netlist_.volumes.size());
    for (std::size_t i = 0; i < tolerance_.size(); ++i) {
      const int k = netlist_.unknown_state[i];
      const bool pressure = k < volumes;
      const double share = limited_[i] ? share_[circuit_[i]] : turned_[circuit_[i]];
      const double moved = pressure ? netlist_.fluid.advance(y_[k], share * increment[i], netlist_.volumes[k].mean_wall_compressibility)
                                    : y_[k] + share * increment[i];
      // a shortened increment, or one beyond the available liquid, does not count as small
      Mask whole = share >= 1;
      if (pressure) whole = whole & !(y_[k] + increment[i] <= 0);
      raise(std::abs(select(whole, moved - y_[k], increment[i])) / tolerance_[i], static_cast<int>(i));
      y_[k] = moved;
    }
  }
  /// Locally solved states at the end of the step, with the ports' lengths and rates there.
  bool has_local_states() const { return local_states_; }
  void finish_local(const double* s, const double* s_dot, HydraulicState& state) {
    if (!netlist_.control.empty()) finish_control(netlist_, s, s_dot, rule_, y_, ydot_, state);
    if (local_states_) finish_local_states(netlist_, s, s_dot, y_, ydot_, rule_, state);
  }
  /// Rates of the pressures at the end of the step, and the memory for the next step. `extra_rate` [m/s] per port: a rate seen by the
  /// oil only; null: none.
  void finish(const double* s, const double* s_dot, OilMemory<> memory, HydraulicState& state, const double* extra_rate = nullptr);

  /// Newton's iterations with fixed ports, from begin() on; false: no solution. `iterations` is incremented.
  bool solve(const double* s, const double* s_dot, int max_iterations, int& iterations, HydraulicState& state);
  /// After finish(): whether a pressure deviated from its rates at both ends by more than `share` of the range in its circuit,
  ///   min(h/2 |change of p_dot|, h/2 |change of inflow| / C):   the first is large in any fast boom motion, the second in any motion
  /// with C that of the liquid: a volume that has just become a cavity has also changed much. Or a state of a component that substeps
  /// resolve, by more than `share` of its scale: h/2 |change of its rate|.
  bool jumped(double share, const HydraulicState& state) const;
  /// After finish(), in a chain of substeps that begins with implicit Euler: the estimated error of the substep, as such a share.
  double part_error(const HydraulicState& state);
  /// Accepts the substep: the next error is that of its successor.
  void keep_part();
  /// Length of a substep [s] in which pressures and these states change by `share` of their ranges at the rates ydot.
  double part_length(double share, const double* y, const double* ydot, const HydraulicState& state);
  /// The first state of which an explicit step of length h [s] from y_0 to y_1 does not resolve the rates at both ends, stable as it may be
  /// there; -1: none. A pressure deviates from the trapezoidal rule by more than `share` of itself (in a cavity: of its contents), or by
  /// more than `noticed` of it and half of what its rates would move it, as where the valve that holds it in balance opens and closes
  /// between the stages. Or a state of a component deviates by more than `share` of its scale.
  int unresolved(double share, double noticed, double h, const double* y_0, const double* ydot_0, const double* y_1,
                 const double* ydot_1) const;

 private:
  /// Pressure of a node [Pa] after a share of the increments.
  double moved(int node, const double* increment, double share, const HydraulicState& state) const;
  /// Pressure of a node [Pa] before the increments.
  double pressure_of(int node, const HydraulicState& state) const {
    const int i = netlist_.nodes[node].state;
    return i < 0 ? state.pressure[node] : y_[i];
  }
  /// Whether free air contributes to a node's pressure before or after the whole increments.
  bool has_air(int node, const HydraulicState& state) const {
    return netlist_.fluid.cavitates(pressure_of(node, state)) || netlist_.fluid.cavitates(ahead_[node]);
  }
  /// Calls visit(stops, A, B, stop) for the pressure of A, or its drop to B (B >= 0), which must not pass `stop` [Pa] at once; `stops`:
  /// whether the whole increments do. After `ahead_` is set.
  template <class Visit>
  void for_each_stop(const HydraulicState& state, Visit&& visit) const;
  /// The share at which the pressure of A, or its drop to B (B >= 0), reaches `stop` [Pa]; after `ahead_` is set.
  double share_until(double stop, int A, int B, const double* increment, const HydraulicState& state) const;
  /// The same for way(share), monotone, to `near`; `share`: where a line between its ends reaches it.
  template <class Way>
  static double bisect(double stop, Way&& way, double share, bool rises, double near);
  /// The share of its increments for every circuit by the damping of sign changes.
  void damp(const double* increment);
  /// Range of pressures in a circuit [Pa], including connected sources, at both ends of the step.
  double range_of(int circuit, const double* y_0, const double* y_1, const HydraulicState& state) const;
  /// Maximum of change(state): of pressures [Pa] relative to the range in their circuit, of resolved states to their scale.
  template <class Change>
  double largest_share(const double* y_0, const double* y_1, const HydraulicState& state, Change&& change);
  /// Start of a step: what the rules of one and of several stages share.
  void begin_step(double h, double factor, const double* y_begin, const double* ydot_begin, OilMemory<const double*> memory, double* y,
                  double* ydot);
  /// Changes of the contents of the volumes since the start of the step, at lengths s; scratch.
  const double* find_content_changes(const double* s);
  /// Limits the share of a component's circuit to the edges of its law.
  void stop_at_edges(const Component& c, const ComponentValues<>& values, const double* increment, const HydraulicState& state);
  /// Computes the share of its increments for every circuit.
  void limit(const double* increment, const HydraulicState& state);

  const Hydraulics& netlist_;
  const std::size_t ports_;
  OilRule oil_rule_;
  RateRelation rule_;
  std::vector<double> offset_, s_begin_;                           // of rule_
  std::vector<double> mean_;                                       // per state: of its rate, at the start of the step
  std::vector<double> rate_begin_;                                 // per state: ydot at the start of the step
  bool in_stages_ = false;                                         // a step of several stages
  std::array<std::vector<double>, Esdirk3::kStages> stage_rates_;  // per state: of the contents of volumes, and of all others
  std::vector<double> inflow_begin_;                               // per volume [m3/s]
  const double* inflow_ = nullptr;                                 // at the end of the step
  std::vector<double> curvature_;                                  // per state: its second derivative, over the last part
  struct Followed {
    int state;
    double scale;
  };
  std::vector<Followed> followed_;                  // states of components resolved by substeps like pressures
  std::vector<std::vector<int>> nodes_of_circuit_;  // volumes, and connected sources
  std::vector<double> range_;                       // per circuit [Pa]: scratch
  std::vector<double> changes_, zeros_;             // scratch
  std::vector<StrainChange> strain_;                // scratch, per node
  double *y_ = nullptr, *ydot_ = nullptr;           // at the end of the step, during the iterations
  double tolerance_other_;
  std::vector<double> tolerance_;                       // per circuit unknown
  std::vector<std::size_t> control_;                    // circuit unknowns of control: their tolerance is relative to values above 1
  std::vector<int> held_, values_;                      // entries of blocks in y: without a rate; of these the continuous values
  std::vector<int> circuit_;                            // per circuit unknown
  std::vector<char> limited_;                           // per circuit unknown: a pressure or a state of a component
  std::vector<double> share_;                           // per circuit: of the increments of these
  std::vector<double> turned_;                          // per circuit: of all increments, by the damping of sign changes
  std::vector<double> last_, taken_;                    // increments of the previous iteration, and their share per circuit
  std::vector<double> ahead_;                           // per node [Pa]: with its full increment
  std::vector<double> residual_, stiffness_, damping_;  // per port, per pair of ports
  std::vector<std::vector<int>> rows_;                  // per port: rows of its circuit that depend on its s and sdot
  bool local_states_;
};

}  // namespace trunnion
