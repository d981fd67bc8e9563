// Everything needed to continue a run bit for bit: time, and in one contiguous array configuration q, velocity v, acceleration a,
// first-order states y and their rates, multipliers, the coordinate partition, the memory of time rules, and the inputs.
// It is saved by copying.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/oil_rule.h"
#include "model/model.h"

namespace trunnion {

class StateVector {
 public:
  StateVector() = default;
  explicit StateVector(const StateLayout& layout)
      : layout_(layout),
        values_(layout.nq + 2 * layout.nv + 2 * layout.ny + 2 * layout.rows + layout.coupling + layout.oil_memory + layout.inputs +
                    layout.motion_memory,
                0.0) {}

  double time = 0;  // [s]

  double* q() { return values_.data(); }                 // nq: configuration
  double* v() { return q() + layout_.nq; }               // nv: velocity
  double* a() { return v() + layout_.nv; }               // nv: acceleration
  double* y() { return a() + layout_.nv; }               // ny: pressures [Pa], friction states, spools
  double* ydot() { return y() + layout_.ny; }            // ny: their rates
  double* multipliers() { return ydot() + layout_.ny; }  // rows: lambda of M a + Phi_q^T lambda = Q
  /// rows: what the row determines in a partition of the coordinates: 1 + its dependent velocity, with the sign of the determinant of
  /// its loops' dependent block; 0: nothing (a redundant row, or no partition yet)
  double* partition() { return multipliers() + layout_.rows; }
  double* coupling() { return partition() + layout_.rows; }  // memory of a co-simulation between communication points
  /// Memory of the oil rule between steps, as read by OilMemory; its first value is 0 if unknown.
  double* oil_memory() { return coupling() + layout_.coupling; }
  /// To be called after a state was advanced by another rule, or changed.
  void forget_history() {
    *oil_memory() = 0;
    if (layout_.motion_memory > 0) *motion_memory() = 0;
  }
  const double* q() const { return values_.data(); }
  const double* v() const { return q() + layout_.nq; }
  const double* a() const { return v() + layout_.nv; }
  const double* y() const { return a() + layout_.nv; }
  const double* ydot() const { return y() + layout_.ny; }
  const double* multipliers() const { return ydot() + layout_.ny; }
  const double* partition() const { return multipliers() + layout_.rows; }
  const double* coupling() const { return partition() + layout_.rows; }

  const double* oil_memory() const { return coupling() + layout_.coupling; }
  /// Courses of the model's inputs, InputCourse::kSize numbers each.
  double* inputs() { return oil_memory() + layout_.oil_memory; }
  const double* inputs() const { return oil_memory() + layout_.oil_memory; }
  /// Memory of the mechanism's rule, if it has one: length of the last step [s], 0 if unknown, and lags per velocity.
  double* motion_memory() { return inputs() + layout_.inputs; }
  const double* motion_memory() const { return inputs() + layout_.inputs; }
  double* motion_lags() { return motion_memory() + 1; }
  const double* motion_lags() const { return motion_memory() + 1; }
  /// Factor of these lags at the start of a step of h [s]; 0: they are unknown.
  double carried_motion(double h) const { return *motion_memory() > 0 ? OilRule::carried(h, *motion_memory()) : 0; }

  const StateLayout& layout() const { return layout_; }
  const std::vector<double>& values() const { return values_; }
  std::vector<double>& values() { return values_; }
  bool operator==(const StateVector& other) const { return time == other.time && values_ == other.values_; }

 private:
  StateLayout layout_;
  std::vector<double> values_;
};

/// The signals of a model at the inputs of a state.
inline Signals signals_at(const CompiledModel& model, const StateVector& state) { return {model.signals, state.inputs()}; }

}  // namespace trunnion
