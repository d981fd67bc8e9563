// Samples of control blocks between two steps (hydraulics/control.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

class Sampler {
 public:
  virtual ~Sampler() = default;
  /// Samples the blocks that are due at the state's time, at the right limits of the signals; `near` [s]: closer times are equal. Rates
  /// have to be recomputed after it. Returns the number of a block whose states have no solution, and then leaves the state as it was; -1:
  /// none. No allocation.
  virtual int sample(double near, StateVector& state) = 0;
};

/// Null if the model has no sampled blocks.
std::unique_ptr<Sampler> make_sampler(const std::shared_ptr<const CompiledModel>& model);

}  // namespace trunnion
