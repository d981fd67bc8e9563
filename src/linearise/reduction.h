// The linearised equations of a machine in its independent coordinates, column by column. A change of one independent quantity
//   position k of x_ai, x_ad                theta = R_q e_k, v' and a' of the dependent coordinates from the constraints    (43), (33)-(40)
//   velocity k of x_ai                      v' = R e_k, a' likewise                                                        (35), (38)
//   first-order state y_j, or an input
// changes r = M a - Q - F ds/dq + J^T lambda by dr (one outward and one inward sweep, mechanics/directional_derivative.h), the port
// forces by dF and the rates of the oil by dydot, all exactly. The accelerations of the independent coordinates remain:
//   R^T M R a_i' = -R^T dr,      R^T J^T = 0 eliminates the multipliers                                                  (32), (53)-(60)
// and, on request, lambda' from the dependent entries of dr. Rotations of spherical joints are increments theta of the tangent space in
// joint axes with rates theta_dot = v' + omega x theta; all other coordinates change with theta_dot = v'.
// Changes along other directions than these columns serve the derivatives of steps (step_map.h), also about motions that are not
// consistent: `motion_change` gives the changes of the residual and of the constraints instead of those of the accelerations.
// Source: Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6 (linearisation), section 3, steps 1 to 7.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "linearise/linear_model.h"
#include "solve/machine_rates.h"

namespace trunnion {

template <int D>
class Reduction {
 public:
  /// Stabilised: positions and velocities of references and changes are taken as they are, and accelerations follow from the stabilised
  /// constraints, see solve/machine_rates.h; for rates_change() and motion_change() only.
  explicit Reduction(const std::shared_ptr<const CompiledModel>& model, ConstraintTreatment treatment = ConstraintTreatment::closed,
                     const Stabilisation& stabilisation = {});

  /// Sets the reference: partition selected there by pivoting, with the velocities `independent` among the independent ones, or that of
  /// `like`; dependent positions and velocities closed to rounding, accelerations, rates and multipliers consistent. Throws
  /// SimulationError. No allocation after the first call.
  void set_reference(const StateVector& reference, const Reduction* like = nullptr, std::span<const int> independent = {});
  /// As above on a partition as StateVector::partition has it, signals by their limit on `side`.
  void set_reference(const StateVector& reference, const double* partition, Side side);
  /// Stabilised: the reference is the motion (q, v, a) with the first-order states y, consistent or not; the multipliers are those for
  /// which the residual vanishes in the dependent coordinates.
  void set_motion(const StateVector& motion, const double* partition, Side side);
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
  /// Completes a change of which theta of all coordinates, v' (closed: of x_ai), and y of the first-order states are given, with a unit of
  /// input `input` in addition (-1: none; its effect on closed positions belongs to theta): v', a', ydot'.
  void rates_change(int input, Change& change);
  /// As above with all of v' and a' given: ydot', and the changes below. After set_motion().
  void motion_change(int input, Change& change);
  const std::vector<double>& residual_change() const { return dr_; }  // of r + J^T lambda at constant lambda, per velocity
  double position_row_change(int row) const { return row_change_[row].position; }
  double rate_row_change(int row) const { return row_change_[row].rate; }
  double acceleration_row_change(int row) const { return row_change_[row].acceleration; }
  /// theta -= C_d^-1 dPhi/du, the dependent positions moved by a unit of an input.
  void add_input_positions(int input, double* theta);
  /// Of the last change: of the ports, and net inflow of every node by spools, signals and sources alone.
  const std::vector<double>& port_change() const { return ds_; }
  const std::vector<double>& port_rate_change() const { return dsdot_; }
  const std::vector<double>& inflow_change() const { return inflow_; }
  /// Per row: its change by a unit of an input of this kind, which prescribes motions; null: it does not. Until the next change.
  const double* driven_rows(int input, LinearInput::Kind kind) {
    return input >= 0 && inputs_[input].kind == kind && set_driven_rows(input) ? constraint_.data() : nullptr;
  }
  /// dr -= s_k dF of changes dF [N] of the port forces.
  void subtract_port_forces(const double* dF, double* dr);

  /// What a control block reads at the reference, with its change by the last state_change() or input_change(): kMaxBlockInputs numbers.
  void read_control(const ControlBlock& block, Dual<1>* u) {
    for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) {
      const PressureNode& node = netlist_.nodes[i];
      flows_.pressure[i] = node.state < 0 ? flows_.signal[node.source] : varied_y_[static_cast<std::size_t>(node.state)];
    }
    read_block<Dual<1>>(block, port_s_.data(), port_v_.data(), varied_y_.data(), flows_, u);
  }

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
  struct RowChange {
    double position = 0, rate = 0, acceleration = 0;
  };
  void find_inputs();
  void finish_reference(const StateVector& reference, Side side);
  void begin_change(int input, Change& change);
  void finish_change(int input, Change& change);
  void change_rows(int input, const double* a, const Change& change);
  bool set_driven_rows(int input);
  void clear(Change& out);
  void change_mechanism(Change& out, const double* rates, const double* accelerations);
  void change_followed_motions(Change& out, const double* rates = nullptr, const double* accelerations = nullptr);
  void set_oil(const double* s, const double* s_dot, double* y);
  void differentiate_inputs(const Change& change);
  void change_control(Change& change);
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
  std::vector<bool> is_spool_;                   // per y
  std::vector<double> commanded_;                // per y: rate of a component's state by commands and sources alone
  std::vector<Dual<1>> fixed_;                   // per y: the state of the reference
  std::vector<Dual<1>> varied_y_, varied_ydot_;  // of change_control
  std::vector<double> theta_, ds_, dsdot_, dr_, x_, inflow_, residual_, constraint_, loads_, ydot_, row_values_;
  Change change_;
  std::vector<int> groups_;  // of constraints: all
  std::vector<RowChange> row_change_;
  std::array<std::vector<double>, 3> followed_;  // per row, where motions follow blocks: changes of position, rate, acceleration
};

}  // namespace trunnion
