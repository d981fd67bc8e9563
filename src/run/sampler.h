// Samples and modes of control blocks between two steps (hydraulics/control.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "base/diagnostic.h"
#include "model/model.h"
#include "model/state.h"

namespace trunnion {

class Sampler {
 public:
  virtual ~Sampler() = default;
  /// Whether a sample is due or takes effect at the state's time, or a mode changes; `near` [s]: closer times are equal.
  virtual bool due(double near, const StateVector& state) = 0;
  /// Whether continuous blocks have modes, which change within steps.
  virtual bool has_modes() const = 0;
  /// How far each block is from a change of a mode at the state, with signals at that side; returns whether one would change
  /// (find_margins()).
  virtual bool find_margins(const StateVector& state, Side side, double* margins) = 0;
  /// Samples the blocks that are due at the state's time, at the right limits of the signals, and sets the modes of all. Rates
  /// have to be recomputed after it. Returns the number of a block whose states have no solution, and then leaves the state as it was; -1:
  /// none. No allocation.
  virtual int sample(double near, StateVector& state) = 0;
  /// The first block, in the order of dependence, whose value or rates are not finite at the state, with positions as its velocities move
  /// them and signals as they are after the time `ahead` [s]; -1: none.
  virtual int not_finite(StateVector state, double ahead) = 0;
};

/// Null if the model has no sampled blocks and no modes.
std::unique_ptr<Sampler> make_sampler(const std::shared_ptr<const CompiledModel>& model);
/// Of any model.
std::unique_ptr<Sampler> make_any_sampler(const std::shared_ptr<const CompiledModel>& model);

/// The end of a run at time t [s], as a value of `block` is no finite number; `when`: at the start, in the step that follows.
SimulationError not_finite_block(const CompiledModel& model, const ControlBlock& block, double t, const char* when);

}  // namespace trunnion
