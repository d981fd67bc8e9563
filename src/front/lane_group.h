// Machines of a batch that step side by side, in lanes; a step that the lanes do not have is made by the machine's own loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "model/state.h"
#include "run/step_loop.h"
#include "solve/lane_step.h"

namespace trunnion {

class LaneGroup {
 public:
  struct Machine {
    StateVector* state = nullptr;
    const std::vector<double>* prepared = nullptr;  // LaneStep::prepare()
  };

  explicit LaneGroup(std::shared_ptr<const LaneStep> step);
  /// Advances at most kLaneCount machines by `steps` points of their time grid, which is that of `loop`. `single(k)` advances machine k by
  /// one point, from its state and to it; where it is false the machine stays there. What a machine does depends on its own state alone. No
  /// allocation besides that of `single`.
  void advance(std::span<const Machine> machines, const StepLoop& loop, int steps, const std::function<bool(int)>& single);

 private:
  void gather(int lane, const Machine& machine);
  void scatter(int lane, const Machine& machine) const;
  unsigned finite_lanes() const;

  std::shared_ptr<const LaneStep> step_;
  LaneStates states_;
  std::vector<LaneNumbers> before_;  // the states before a step
  std::array<bool, kLaneCount> jumped_{};
};

}  // namespace trunnion
