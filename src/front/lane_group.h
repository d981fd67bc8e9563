// Machines of a batch that step side by side, in lanes; a step that the lanes do not have is made by the machine's own loop.
// Where lanes stay behind others that decide otherwise (LaneStep::has_ways), they step in further passes, and machines that decided alike in
// the last step are put side by side.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
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
    std::uint64_t way = 0;                          // of its last step (LaneStates::ways)
  };

  explicit LaneGroup(std::shared_ptr<const LaneStep> step);
  /// Advances the machines by `steps` points of their time grid, which is that of `loop`; more than kLaneCount of them only if all have the
  /// same parameters. `single(k)` advances machine k by one point, from its state and to it; where it is false the machine stays there. What
  /// a machine does depends on its own state alone. No allocation besides that of `single`, after the first call for as many machines.
  void advance(std::span<Machine> machines, const StepLoop& loop, int steps, const std::function<bool(int)>& single);

 private:
  /// What is known of a machine during advance().
  struct Status {
    bool active = true, jumped = false;
    bool done = false;  // its present step
    double end = 0;     // [s] of the step
  };

  void put_parameters(std::span<const Machine> machines);
  void find_due(std::span<const Machine> machines, const StepLoop& loop);
  void step_due(std::span<Machine> machines, double h);
  void step_lanes(std::span<Machine> machines, std::span<const int> numbers, double h);
  void gather(int lane, const StateVector& state);
  void scatter(int lane, StateVector& state) const;
  unsigned finite_lanes() const;

  std::shared_ptr<const LaneStep> step_;
  LaneStates states_;
  std::vector<LaneNumbers> before_;  // the states before a step
  bool resident_ = false;            // no more machines than lanes: they stay there for all steps, machine k in lane k
  std::vector<Status> status_;       // of the machines
  std::vector<int> due_, behind_;    // machines with a step to make, and those that stayed behind
};

}  // namespace trunnion
