// SPDX-License-Identifier: BSD-3-Clause
#include "front/lane_group.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace trunnion {

namespace {

unsigned bit(int lane) { return 1U << static_cast<unsigned>(lane); }
std::size_t at(int number) { return static_cast<std::size_t>(number); }

}  // namespace

LaneGroup::LaneGroup(std::shared_ptr<const LaneStep> step) : step_(std::move(step)), states_(step_->states()), before_(states_.x) {}

void LaneGroup::gather(int lane, const StateVector& state) {
  const auto k = static_cast<std::size_t>(lane);
  for (std::size_t i = 0; i < states_.x.size(); ++i) states_.x[i].of[k] = state.values()[i];
  states_.time.of[k] = state.time;
  states_.inputs[k] = state.inputs();
}

void LaneGroup::scatter(int lane, StateVector& state) const {
  const auto k = static_cast<std::size_t>(lane);
  for (std::size_t i = 0; i < states_.x.size(); ++i) state.values()[i] = states_.x[i].of[k];
  state.time = states_.time.of[k];
}

unsigned LaneGroup::finite_lanes() const {
  LaneNumbers sum;  // of differences of equal numbers: 0 if all are finite
  for (const LaneNumbers& number : states_.x)
    for (std::size_t k = 0; k < kLaneCount; ++k) sum.of[k] += number.of[k] - number.of[k];
  unsigned lanes = 0;
  for (int k = 0; k < kLaneCount; ++k)
    if (sum.of[at(k)] == 0) lanes |= bit(k);
  return lanes;
}

/// Of machine k in lane k, or of all alike.
void LaneGroup::put_parameters(std::span<const Machine> machines) {
  for (int lane = 0; lane < kLaneCount; ++lane) {
    const std::vector<double>& numbers = *machines[std::min(at(lane), machines.size() - 1)].prepared;
    for (std::size_t i = 0; i < states_.prepared.size(); ++i) states_.prepared[i].of[at(lane)] = numbers[i];
  }
  step_->adopt_parameters(states_);
}

/// The active machines whose next step is an ordinary one.
void LaneGroup::find_due(std::span<const Machine> machines, const StepLoop& loop) {
  due_.clear();
  const auto time_of = [&](int k) { return resident_ ? states_.time.of[at(k)] : machines[at(k)].state->time; };
  int last = -1;  // whose end is known
  for (int k = 0; at(k) < machines.size(); ++k) {
    Status& status = status_[at(k)];
    status.done = false;
    if (!status.active || status.jumped) continue;
    if (last >= 0 && time_of(last) == time_of(k)) {
      status.end = status_[at(last)].end;
    } else {
      const std::optional<double> end = loop.ordinary_end(time_of(k));
      if (!end) continue;
      status.end = *end;
    }
    due_.push_back(k);
    last = k;
  }
}

/// One pass over at most as many machines as there are lanes. Those that are not done are as before.
void LaneGroup::step_lanes(std::span<Machine> machines, std::span<const int> numbers, double h) {
  unsigned lanes = 0;
  std::array<int, kLaneCount> machine_in{};
  machine_in.fill(numbers.back());  // empty lanes: numbers of the last one
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int lane = resident_ ? numbers[i] : static_cast<int>(i);
    machine_in[at(lane)] = numbers[i];
    lanes |= bit(lane);
  }
  for (int lane = 0; lane < kLaneCount && !resident_; ++lane) gather(lane, *machines[at(machine_in[at(lane)])].state);
  if (resident_) before_ = states_.x;
  const LaneResult result = step_->step(states_, lanes, h);
  const unsigned done = result.done & finite_lanes();
  for (int lane = 0; lane < kLaneCount; ++lane) {
    if ((lanes & bit(lane)) == 0) continue;
    const int k = machine_in[at(lane)];
    machines[at(k)].way = states_.ways[at(lane)];
    if ((result.behind & bit(lane)) != 0) {
      behind_.push_back(k);
    } else if ((done & bit(lane)) != 0) {
      status_[at(k)].done = true;
      states_.time.of[at(lane)] = status_[at(k)].end;
      if (!resident_) scatter(lane, *machines[at(k)].state);
    } else if ((result.done & bit(lane)) != 0 && resident_) {
      for (std::size_t i = 0; i < before_.size(); ++i) states_.x[i].of[at(lane)] = before_[i].of[at(lane)];
    }
  }
}

/// Passes until no machine is behind.
void LaneGroup::step_due(std::span<Machine> machines, double h) {
  while (!due_.empty()) {
    if (step_->has_ways() && !resident_)
      std::sort(due_.begin(), due_.end(),
                [&](int a, int b) { return std::pair(machines[at(a)].way, a) < std::pair(machines[at(b)].way, b); });
    behind_.clear();
    for (std::size_t first = 0; first < due_.size(); first += kLaneCount)
      step_lanes(machines, std::span<const int>(due_).subspan(first, std::min<std::size_t>(kLaneCount, due_.size() - first)), h);
    TR_ASSERT(behind_.size() < due_.size());
    due_.swap(behind_);
  }
}

void LaneGroup::advance(std::span<Machine> machines, const StepLoop& loop, int steps, const std::function<bool(int)>& single) {
  resident_ = machines.size() <= kLaneCount;
  status_.resize(machines.size());
  for (std::vector<int>* list : {&due_, &behind_}) list->reserve(machines.size());
  put_parameters(machines);
  for (std::size_t k = 0; k < machines.size(); ++k) status_[k] = {.jumped = inputs_jumped(*machines[k].state)};
  for (int lane = 0; lane < kLaneCount && resident_; ++lane) gather(lane, *machines[std::min(at(lane), machines.size() - 1)].state);
  const double h = loop.schedule().step();
  for (int s = 0; s < steps; ++s) {
    find_due(machines, loop);
    step_due(machines, h);
    for (int k = 0; at(k) < machines.size(); ++k) {
      Status& status = status_[at(k)];
      if (!status.active || status.done) continue;
      StateVector& state = *machines[at(k)].state;
      if (resident_) scatter(k, state);
      status.active = single(k);
      status.jumped = inputs_jumped(state);
      if (resident_) gather(k, state);
    }
  }
  for (int k = 0; at(k) < machines.size() && resident_; ++k) scatter(k, *machines[at(k)].state);
}

}  // namespace trunnion
