// The circuits in an implicit trapezoidal step, whoever moves their cylinders:
//   rule         ydot = 2/h (y - y_n) - ydot_n; of pressures on the strain of oil and walls (update_pressure_rates)
//   predictor    y = y_n + h ydot_n; spools run ahead, for nothing acts back on them
//   condensed    dF_i = -r_i - sum_j (K_ij ds_j + D_ij dsdot_j)     (hydraulics/circuit.h)
//   limited      Newton's pressures of a circuit stop where one of its flows is no longer what its slope says: just beyond the cracking
//                pressure of a valve that opens or the edge of a spool's travel, just above saturation where a cavity closes, and at equal
//                pressures where an orifice would go from one turbulent branch to the other
//   damped       increments of a circuit that turn round without growing much smaller are shortened to where the last one and this one,
//                as a chord, say that the solution is:  share = taken / (|last| + |this|), which a kink between the two (a spool at its
//                stop, a valve about to open) cannot make go round in circles
// Without limits Newton's method goes round in circles between the branches of such laws wherever these, not the oil's compressibility,
// decide a pressure (small volumes). From the stops it approaches the solution from one side, for beyond them flows bend downwards.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 4, appendix A.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/circuit.h"

namespace trunnion {

class CircuitTrapezoidal {
 public:
  /// Tolerances of Newton increments: of pressures [Pa], of friction states.
  CircuitTrapezoidal(const Hydraulics& hydraulics, double tolerance_pressure, double tolerance_other);

  /// Starts a step of h [s] at time t with the signals' right limit there, from y_begin, ydot_begin, which must last as long as the step.
  /// y, ydot hold the same and receive the values at its end, the predictor first. The inputs of `state` are those at the end.
  void begin(const SignalSet& signals, double t, double h, const double* y_begin, const double* ydot_begin, double* y, double* ydot,
             const HydraulicState& state);
  const RateRelation& rule() const { return rule_; }
  /// ydot of the circuits' unknowns by the rule.
  void set_rates(HydraulicState& state);
  /// After evaluate_hydraulics(): factors the blocks; r, K, D. False if a block is singular.
  bool condense_ports(HydraulicState& state);
  /// R at other unknowns and ports, and r for them with the blocks as they were factored last.
  void update_residuals(const double* s, const double* s_dot, HydraulicState& state);
  /// Largest increment over its tolerance.
  double size_of(const double* increment) const;
  /// Adds increments that are below their tolerances.
  void apply_last(const double* increment);
  double residual(std::size_t i) const { return residual_[i]; }                                // [N]
  double stiffness(std::size_t i, std::size_t j) const { return stiffness_[i * ports_ + j]; }  // [N/m]
  double damping(std::size_t i, std::size_t j) const { return damping_[i * ports_ + j]; }      // [N s/m]
  /// Newton increments of the circuits' unknowns for those of the ports; into the state's R.
  void eliminate(const double* ds, const double* dsdot, HydraulicState& state) { trunnion::eliminate(h_, ds, dsdot, state); }
  /// Adds the increments to the unknowns, pressures as far as their circuit goes; calls raise(increment over its tolerance, index of the
  /// unknown) for each. `state`: inputs and spools at the end of the step.
  template <class Raise>
  void apply(const double* increment, const HydraulicState& state, Raise&& raise) {
    limit(increment, state);
    const int volumes = static_cast<int>(h_.volumes.size());
    for (std::size_t i = 0; i < tolerance_.size(); ++i) {
      const int k = h_.unknown_state[i];
      const bool pressure = k < volumes;
      const double share = limited_[i] ? share_[circuit_[i]] : turned_[circuit_[i]];
      const double moved =
          pressure ? h_.fluid.advance(y_[k], share * increment[i], h_.volumes[k].walls_of_all) : y_[k] + share * increment[i];
      raise(std::abs(share < 1 ? increment[i] : moved - y_[k]) / tolerance_[i], static_cast<int>(i));
      y_[k] = moved;
    }
  }
  /// States that are solved on the spot, at the end of the step with the ports' lengths and rates there.
  bool has_local_states() const { return local_states_; }
  void finish(const double* s, const double* s_dot, HydraulicState& state) {
    if (local_states_) finish_local_states(h_, s, s_dot, y_, ydot_, rule_, state);
  }

 private:
  /// Pressure of a node [Pa] after a share of the increments.
  double moved(int node, const double* increment, double share, const HydraulicState& state) const;
  /// The share at which way(share), monotone, comes to `stop`.
  template <class Way>
  static double share_until(double stop, Way&& way, double near);
  /// The share of its increments that every circuit takes for their turning round.
  void damp(const double* increment);
  /// Shortens the share of a component's circuit to the edges of its law.
  void stop_at_edges(const Component& c, const ComponentValues<>& values, const double* increment, const HydraulicState& state);
  /// Finds the share of its increments that every circuit takes.
  void limit(const double* increment, const HydraulicState& state);

  const Hydraulics& h_;
  const std::size_t ports_;
  RateRelation rule_;
  double *y_ = nullptr, *ydot_ = nullptr;               // at the end of the step, as the iterations find it
  std::vector<double> tolerance_;                       // per circuit unknown
  std::vector<int> circuit_;                            // per circuit unknown
  std::vector<char> limited_;                           // per circuit unknown: a pressure or a state of a component
  std::vector<double> share_;                           // per circuit: of the increments of these
  std::vector<double> turned_;                          // per circuit: of all increments, for their turning round
  std::vector<double> last_, taken_;                    // increments of the iteration before, and the share of them per circuit
  std::vector<double> ahead_;                           // per node [Pa]: with all of its increment
  std::vector<double> residual_, stiffness_, damping_;  // per port, per pair of ports
  std::vector<std::vector<int>> rows_;                  // per port: rows of its circuit that its s and sdot are in
  bool local_states_;
};

}  // namespace trunnion
