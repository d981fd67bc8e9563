// Steps of several machines side by side (lanes): each operation of a step is one instruction for all of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/model.h"

namespace trunnion {

constexpr int kLaneCount = 8;

/// The same number of every lane.
struct alignas(sizeof(double) * kLaneCount) LaneNumbers {
  std::array<double, kLaneCount> of{};
};

/// What steps by lanes keep of a group of machines.
struct LaneScratch {
  virtual ~LaneScratch() = default;
};

/// The machines in the lanes. Sized by LaneStep::states().
struct LaneStates {
  std::vector<LaneNumbers> x;                       // numbers of their states (StateVector::values())
  LaneNumbers time;                                 // [s]
  std::array<const double*, kLaneCount> inputs{};   // courses of their inputs
  std::vector<LaneNumbers> prepared;                // LaneStep::prepare() of each
  std::array<std::uint64_t, kLaneCount> ways{};     // numbers that are equal for equal decisions in the last step
  std::array<std::vector<LaneNumbers>, 2> signals;  // scratch: at the start, at the end of a step
  std::vector<LaneNumbers> report;                  // scratch
  std::unique_ptr<LaneScratch> scratch;
};

/// How lanes (bit k: lane k) made a step; those that are in neither have none.
struct LaneResult {
  unsigned done = 0;
  unsigned behind = 0;  // decided otherwise than the first of them: another pass has their step
};

class LaneStep {
 public:
  virtual ~LaneStep() = default;
  virtual LaneStates states() const = 0;
  /// Whether lanes stay behind others, so that machines that decide alike belong side by side.
  virtual bool has_ways() const { return false; }
  /// What the steps need of a model's parameters; empty: the model has others than the steps.
  virtual std::optional<std::vector<double>> prepare(const CompiledModel& model) const = 0;
  /// After `prepared` changed. May allocate.
  virtual void adopt_parameters(LaneStates& /*states*/) const {}
  /// Advances the machines in `lanes`, which start on ordinary steps (StepLoop::ordinary_end), by h [s]; not their time. Those that are not
  /// done are unchanged. The numbers in a lane do not depend on those in others. No allocation.
  virtual LaneResult step(LaneStates& states, unsigned lanes, double h) const = 0;
};

}  // namespace trunnion
