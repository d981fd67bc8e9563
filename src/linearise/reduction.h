// The linearised equations of a machine in its independent coordinates, column by column. A change of one independent quantity
//   position k of x_ai, x_ad                theta = R_q e_k, v' and a' of the dependent coordinates from the constraints    (43), (33)-(40)
//   velocity k of x_ai                      v' = R e_k, a' likewise                                                        (35), (38)
//   first-order state y_j, or an input
// changes r = M a - Q - F ds/dq + J^T lambda by dr (one outward and one inward sweep, mechanics/directional_derivative.h), the port
// forces by dF and the rates of the oil by dydot, all exactly. The accelerations of the independent coordinates remain:
//   R^T M R a_i' = -R^T dr,      R^T J^T = 0 eliminates the multipliers                                                  (32), (53)-(60)
// and, on request, lambda' from the dependent entries of dr. Rotations of spherical joints are increments theta of the tangent space in
// joint axes with rates theta_dot = v' + omega x theta; all other coordinates change with theta_dot = v'.
// Source: Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6 (linearisation), section 3, steps 1 to 7.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "linearise/linear_model.h"
#include "solve/machine_rates.h"

namespace trunnion {

/// Indices in y of the first-order states of a linear model: all but spools that are their signals.
std::vector<int> first_order_states(const Hydraulics& netlist);

template <int D>
class Reduction {
 public:
  explicit Reduction(const std::shared_ptr<const CompiledModel>& model);

  /// Sets the reference: partition selected there by pivoting, or that of `like`; dependent positions and velocities closed to rounding,
  /// accelerations, rates and multipliers consistent. Throws SimulationError. No allocation after the first call.
  void set_reference(const StateVector& reference, const Reduction* like = nullptr);
  /// The reference as set.
  const StateVector& reference() const { return at_; }

  // ---- states x = (x_ai, v_ai, x_ad, y)
  int size() const { return static_cast<int>(2 * velocities().size() + velocity_dependent().size() + states_.size()); }
  const std::vector<int>& velocities() const { return rates_.loops().independent(); }                 // velocity index of each x_ai
  const std::vector<int>& velocity_dependent() const { return rates_.loops().velocity_dependent(); }  // of each x_ad
  const std::vector<int>& dependent() const { return rates_.loops().dependent(); }                    // of each x_d
  const std::vector<int>& states() const { return states_; }  // index in y of each first-order state
  const std::vector<LinearInput>& inputs() const { return inputs_; }

  /// All changes caused by a unit change of one state or input.
  struct Change {
    explicit Change(const CompiledModel& model);
    typename ClosedLoops<D>::Column mechanism;         // theta, v', a' of all coordinates
    std::vector<double> y, ydot, multipliers, signal;  // of all; signal: per signal of the oil
  };
  /// Change by state j; `with_multipliers`: lambda', too.
  void state_change(int j, bool with_multipliers, Change& out);
  void input_change(int j, bool with_multipliers, Change& out);
  /// The rates of the states for a change: a column of A or B.
  void rates_of(const Change& change, double* column) const;
  /// Rates of the states at the reference.
  void drift(double* rates) const;
  /// The matrix A, column by column (size() x size()).
  void jacobian(std::vector<double>& A);

  /// Local derivatives of hydraulics and friction at ports and states near the reference, in a fixed order: a kink is where they jump.
  /// Invalidates the columns.
  void oil_slopes(double* s, double* s_dot, double* y, std::vector<double>& slopes);
  MachineRates<D>& rates() { return rates_; }

 private:
  void find_inputs();
  void clear(Change& out);
  void change_mechanism(Change& out, const double* rates, const double* accelerations);
  void set_oil(const double* s, const double* s_dot, double* y);
  void differentiate_inputs(const Change& change);
  void change_flows(const Change& change, std::vector<double>& inflow);
  void change_quasistatic(Change& change);
  void change_forces_and_rates(Change& change);
  void solve(bool with_multipliers, Change& out);

  std::shared_ptr<const CompiledModel> model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
  MachineRates<D> rates_;
  StateVector at_;
  DirectionalDerivative<D> variation_;
  MassProduct<D> product_;
  OilValues<Dual<1>> flows_;
  std::vector<Dual<1>> port_s_, port_v_, pistons_;  // per port, per port, per y: of quasistatic circuits
  std::vector<double> element_force_;               // per port: its change
  std::vector<FrictionResponse> friction_;          // per actuator
  std::vector<LinearInput> inputs_;
  std::vector<int> states_;
  std::vector<bool> is_spool_;     // per y
  std::vector<double> commanded_;  // per y: rate of a component's state by commands and sources alone
  std::vector<Dual<1>> fixed_;     // per y: the state of the reference
  std::vector<double> theta_, ds_, dsdot_, dr_, x_, inflow_, residual_, constraint_, loads_, ydot_;
  Change change_;
};

}  // namespace trunnion
