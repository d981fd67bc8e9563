// SPDX-License-Identifier: BSD-3-Clause
#include "front/lane_group.h"

#include <algorithm>
#include <utility>

namespace trunnion {

namespace {

unsigned bit(int lane) { return 1U << static_cast<unsigned>(lane); }

}  // namespace

LaneGroup::LaneGroup(std::shared_ptr<const LaneStep> step) : step_(std::move(step)), states_(step_->states()), before_(states_.x) {}

void LaneGroup::gather(int lane, const Machine& machine) {
  const auto k = static_cast<std::size_t>(lane);
  for (std::size_t i = 0; i < states_.x.size(); ++i) states_.x[i].of[k] = machine.state->values()[i];
  states_.time.of[k] = machine.state->time;
  jumped_[k] = inputs_jumped(*machine.state);
}

void LaneGroup::scatter(int lane, const Machine& machine) const {
  const auto k = static_cast<std::size_t>(lane);
  for (std::size_t i = 0; i < states_.x.size(); ++i) machine.state->values()[i] = states_.x[i].of[k];
  machine.state->time = states_.time.of[k];
}

unsigned LaneGroup::finite_lanes() const {
  LaneNumbers sum;  // of differences of equal numbers: 0 if all are finite
  for (const LaneNumbers& number : states_.x)
    for (std::size_t k = 0; k < kLaneCount; ++k) sum.of[k] += number.of[k] - number.of[k];
  unsigned lanes = 0;
  for (int k = 0; k < kLaneCount; ++k)
    if (sum.of[static_cast<std::size_t>(k)] == 0) lanes |= bit(k);
  return lanes;
}

void LaneGroup::advance(std::span<const Machine> machines, const StepLoop& loop, int steps, const std::function<bool(int)>& single) {
  const auto count = static_cast<int>(machines.size());
  for (int lane = 0; lane < kLaneCount; ++lane) {
    const Machine& machine = machines[static_cast<std::size_t>(std::min(lane, count - 1))];  // empty lanes: numbers of the last one
    const auto k = static_cast<std::size_t>(lane);
    gather(lane, machine);
    for (std::size_t i = 0; i < states_.prepared.size(); ++i) states_.prepared[i].of[k] = (*machine.prepared)[i];
    states_.inputs[k] = machine.state->inputs();
  }
  const double h = loop.schedule().step();
  unsigned active = bit(count) - 1;
  for (int s = 0; s < steps && active != 0; ++s) {
    unsigned ordinary = 0;
    std::array<double, kLaneCount> ends{};
    int last = -1;  // whose end is known
    for (int lane = 0; lane < count; ++lane) {
      const auto k = static_cast<std::size_t>(lane), known = static_cast<std::size_t>(last);
      if ((active & bit(lane)) == 0 || jumped_[k]) continue;
      if (last >= 0 && states_.time.of[known] == states_.time.of[k]) {
        ends[k] = ends[known];
      } else {
        const std::optional<double> end = loop.ordinary_end(states_.time.of[k]);
        if (!end) continue;
        ends[k] = *end;
      }
      ordinary |= bit(lane);
      last = lane;
    }
    before_ = states_.x;
    unsigned done = ordinary == 0 ? 0 : ordinary & ~step_->step(states_, ordinary, h);
    const unsigned wrong = done & ~finite_lanes();
    done &= ~wrong;
    for (int lane = 0; lane < count; ++lane) {
      const auto k = static_cast<std::size_t>(lane);
      if ((done & bit(lane)) != 0) states_.time.of[k] = ends[k];
      if ((active & ~done & bit(lane)) == 0) continue;
      if ((wrong & bit(lane)) != 0)
        for (std::size_t i = 0; i < before_.size(); ++i) states_.x[i].of[k] = before_[i].of[k];
      scatter(lane, machines[k]);
      if (single(lane))
        gather(lane, machines[k]);
      else
        active &= ~bit(lane);
    }
  }
  for (int lane = 0; lane < count; ++lane)
    if ((active & bit(lane)) != 0) scatter(lane, machines[static_cast<std::size_t>(lane)]);
}

}  // namespace trunnion
