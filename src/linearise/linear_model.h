// Linear model of a machine about a reference state:   x' = f0 + A x + B u,   y = C x + D u   in deviations from the reference.
// Exact and of minimum size, 2n - 2m - l + ny for n velocities, m holonomic and l velocity-level constraints and ny first-order states
// (pressures, friction states, spools). The states are
//   x = (x_ai, v_ai, x_ad, y)     independent positions and velocities, positions whose velocities the velocity-level constraints give,
//                                 first-order states; increments of the tangent space, in SI units
// The chain rule through the dependent coordinates is that of solve/closed_loops.h.
// Source: Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6 (linearisation), section 3.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// A state, an input or an output.
struct LinearVariable {
  std::string name;      // `crank.angle`, `crank.rate`, `v1.pressure`; inputs `valve.signal`, `pump.pressure`; outputs: a channel's name
  std::string unit;      // SI; empty if dimensionless
  std::string meaning;   // one line
  double reference = 0;  // its value at the reference; 0 for a rotation increment of a spherical joint
};

/// Partition of the coordinates by the constraints, by name: x_ai, x_ad, x_d of (29).
struct LinearPartition {
  std::vector<std::string> independent;         // x_ai
  std::vector<std::string> velocity_dependent;  // x_ad: their velocities follow from the velocity-level constraints
  std::vector<std::string> dependent;           // x_d: they follow from the holonomic constraints
};

/// An input: a signal of the model; if it prescribes a motion, its derivatives are inputs, too.
struct LinearInput {
  enum class Kind : unsigned char { value, rate, acceleration };
  Kind kind = Kind::value;
  SignalIndex signal = 0;
};

/// The column of a state in A and C, or of an input in B and D, on the other side of a kink at the reference.
struct OtherSide {
  bool is_input = false;  // a column of B and D
  int column = 0;
  bool above = false;              // it holds above the reference; otherwise below. The model holds at it, and on the side without an entry
  Eigen::VectorXd rates, outputs;  // of A or B, of C or D
};

/// A sampled control block about the reference. Its value is an input of the model, held between samples. At a sample, with what it reads,
/// u = reads (x, inputs of the model), its states and then its value become
///   samples (its states before the sample, u)
/// by x_k = x_(k-1) + T f(u_k, x_k), w_k = g(u_k, x_k). Laws whose states have no rates (relays, counters, sequences) keep them; a quantiser
/// counts as its input.
struct SampledBlock {
  int block = 0;  // its number among the control blocks
  int input = 0;  // its value among the inputs
  Eigen::MatrixXd reads, samples;
};

/// Number of each kind: the reduced model has 2n - 2m - l + r + u + p + c + f states.
struct LinearSizes {
  int n = 0;  // velocities
  int m = 0;  // independent holonomic constraints
  int l = 0;  // independent velocity-level constraints
  int r = 0;  // volumes
  int u = 0;  // states of spools that are not their signals
  int p = 0;  // actuators of quasistatic circuits
  int c = 0;  // states of control blocks
  int f = 0;  // states of friction and of components
};

struct LinearModel {
  double time = 0;  // [s] of the reference
  std::vector<LinearVariable> states, inputs, outputs;
  Eigen::MatrixXd A, B, C, D;
  Eigen::VectorXd drift;  // f0: rates of the states at the reference; zero at an equilibrium
  LinearPartition partition;
  LinearSizes sizes;
  // indices in the machine: positions of x_ai and x_ad and velocities of x_ai by velocity index, y by its index
  std::vector<int> independent, velocity_dependent, first_order;
  std::vector<LinearInput> signals;
  bool changes = false;                 // the reference moves and A with it: eigenvalues are frozen at its time
  std::vector<std::string> depends_on;  // if so: the moving states on which A depends
  std::vector<SampledBlock> sampled;    // in the order in which they are sampled; their loop: spectra/sampled_loop.h
  std::vector<OtherSide> other_sides;   // of states and inputs on a kink, such as the spool of a closed valve
  std::vector<std::string> warnings;    // kinks, spinning bodies that are not symmetric
};

enum class LinearMethod {
  reduced,     // exact, of minimum size
  counterpart  // central differences of all positions, velocities and states, section 4.5: for comparison
};

struct LinearOptions {
  LinearMethod method = LinearMethod::reduced;
  double step = 1e-5;                // h of the counterpart's differences, (100), times the size of a state where that is above 1
  std::vector<std::string> outputs;  // names of channels; empty: all but violations and slips
  /// Coordinates that are to be independent, by their names in LinearPartition; pivoting completes them. Reduced only.
  std::vector<std::string> independent{};
};

/// The linear model about `reference`; only its time, q, v and y are used: dependent positions and velocities are closed to rounding,
/// accelerations, rates and multipliers are computed. At a jump of a signal its right limit is used. The counterpart has no inputs and
/// outputs. Elements of quasistatic circuits of discrete form are linearised in differential_form(), at their p of the reference, with a
/// warning. Throws InputError for unknown outputs and coordinates, SimulationError if the mass matrix is singular on the constraints, or
/// `independent` does not determine the other coordinates.
LinearModel linearise(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference, const LinearOptions& options = {});

/// Velocities of the coordinates with these names. Throws InputError for unknown ones.
std::vector<int> velocities_of(const CompiledModel& model, const std::vector<std::string>& coordinates);

/// The deviation x of `state` from `reference` in the states of `linear`, (94). Not for the counterpart.
Eigen::VectorXd linear_state(const CompiledModel& model, const LinearModel& linear, const StateVector& reference, const StateVector& state);

/// The deviation u of the inputs at `time` from those of `linear`; signals by their limit on `side`.
Eigen::VectorXd linear_inputs(const CompiledModel& model, const LinearModel& linear, double time, Side side);

}  // namespace trunnion
