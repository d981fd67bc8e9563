// Steps of several machines side by side (lanes): each operation of a step is one instruction for all of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "model/model.h"

namespace trunnion {

constexpr int kLaneCount = 8;

/// The same number of every lane.
struct alignas(sizeof(double) * kLaneCount) LaneNumbers {
  std::array<double, kLaneCount> of{};
};

/// The machines in the lanes. Sized by LaneStep::states().
struct LaneStates {
  std::vector<LaneNumbers> x;                       // numbers of their states (StateVector::values())
  LaneNumbers time;                                 // [s]
  std::array<const double*, kLaneCount> inputs{};   // courses of their inputs
  std::vector<LaneNumbers> prepared;                // LaneStep::prepare() of each
  std::array<std::vector<LaneNumbers>, 2> signals;  // scratch: at the start, at the end of a step
  std::vector<LaneNumbers> report;                  // scratch
};

class LaneStep {
 public:
  virtual ~LaneStep() = default;
  virtual LaneStates states() const = 0;
  /// What the steps need of a model's parameters; empty: the model has others than the steps.
  virtual std::optional<std::vector<double>> prepare(const CompiledModel& model) const = 0;
  /// Advances the machines in `lanes` (bit k: lane k), which start on ordinary steps (StepLoop::ordinary_end), by h [s]; not their time.
  /// Returns the lanes of these without a step, which are unchanged. The numbers in a lane do not depend on those in others. No allocation.
  virtual unsigned step(LaneStates& states, unsigned lanes, double h) const = 0;
};

}  // namespace trunnion
