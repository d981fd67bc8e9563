// The state of a machine as a minimal vector, in the states of linear models:
//   x = (x_ai, v_ai, x_ad, y)     independent positions and velocities, positions whose velocities the velocity-level constraints give,
//                                 first-order states; SI units
// Everything else of a state follows from x, the time and the branch of the loops: dependent positions and velocities from the
// constraints (solve/closed_loops.h), accelerations, rates and multipliers from the equations of motion, and the memory of the oil's rule
// starts anew.
// A position is the value of its coordinate. A spherical joint has no coordinates: its positions are components of the rotation vector
// theta in the parent's axes that turns it from its orientation in the reference state to the present one, exp(theta) R_ref = R, at
// most half a turn.
// The independent coordinates are those selected at the reference until selected anew, also where the steps of a run choose others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linearise/linear_model.h"

namespace trunnion {

class MinimalState {
 public:
  /// Selects the independent coordinates at `reference` by pivoting. Throws SimulationError at a singular configuration.
  MinimalState(std::shared_ptr<const CompiledModel> model, const StateVector& reference);
  /// Of a machine of the same structure as that of `like`, with its coordinates and the orientations from which it counts; selected anew at
  /// `reference` if these cannot be.
  MinimalState(std::shared_ptr<const CompiledModel> model, const StateVector& reference, const MinimalState& like);
  ~MinimalState();
  MinimalState(const MinimalState&) = delete;
  MinimalState& operator=(const MinimalState&) = delete;

  /// Selects the independent coordinates, and the orientations from which spherical joints are counted, anew. May allocate.
  void select(const StateVector& reference);

  int size() const { return static_cast<int>(variables_.size()); }
  /// Names, units and meanings of the states; their values at the reference.
  const std::vector<LinearVariable>& variables() const { return variables_; }
  const LinearPartition& partition() const { return partition_; }
  const std::vector<int>& independent() const;         // velocity indices of x_ai
  const std::vector<int>& velocity_dependent() const;  // of x_ad
  const std::vector<int>& first_order() const;         // indices in y
  const StateVector& reference() const;                // at the last selection
  /// The independent coordinates as StateVector::partition has them.
  void write_partition(double* partition) const;

  /// The minimal vector of a state. No allocation. Throws Error for a wrong size.
  void read(const StateVector& state, std::span<double> x) const;
  /// Moves `state` to x at its time, signals by their right limit. Dependent positions are followed from the present ones, in increments
  /// short enough that the loops keep their branch; velocities, accelerations, rates and multipliers are consistent; spools without
  /// dynamics have the value of their signal; the memory of the oil's rule is forgotten, and a partition of the state becomes this one.
  /// The memory of a co-simulation is not changed: it begins anew with the stepper's restart(). No allocation after the first call.
  /// Throws Error for a wrong size, non-finite values and pressures outside their range, SimulationError if the loops do not close there or
  /// a singular configuration lies between; `state` is then unchanged.
  void set(std::span<const double> x, StateVector& state);

 private:
  struct Work;
  template <int D>
  struct WorkIn;
  friend void close_loops(const std::shared_ptr<const CompiledModel>&, const std::shared_ptr<const CompiledModel>&, const MinimalState*,
                          StateVector&);
  static std::unique_ptr<Work> make_work(const std::shared_ptr<const CompiledModel>& model);
  void name_states();
  std::unique_ptr<Work> work_;
  std::shared_ptr<const CompiledModel> model_;
  std::vector<LinearVariable> variables_;
  LinearPartition partition_;
};

/// Closes the loops of a machine at a state that was set in another one, `before`, of the same structure, unless they are as open in that
/// one: as MinimalState::set() at the positions and velocities of the state, with the coordinates of `like`; null: selected there.
void close_loops(const std::shared_ptr<const CompiledModel>& model, const std::shared_ptr<const CompiledModel>& before,
                 const MinimalState* like, StateVector& state);

}  // namespace trunnion
