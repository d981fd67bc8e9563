// Steps of machines with numbers of several lanes.
// SPDX-License-Identifier: BSD-3-Clause
#include "lanes/lane_machine.h"

#include <cstring>
#include <exception>

#include "model/model.h"
#include "model/state.h"
#include "schema/compact.h"
#include "schema/parameters.h"
#include "solve/make_monolithic_stepper.h"

namespace lanes {

namespace {

constexpr unsigned kAll = (1U << static_cast<unsigned>(kLanes)) - 1;

static_assert(kMachines % kLanes == 0);

/// Those of a row from machine `first` on.
Number part_of(const Row& row, int first) {
  Number::Lanes lanes;
  std::memcpy(&lanes, row.of.data() + first, sizeof(lanes));
  return Number(lanes);
}

trunnion::Description with_values(const std::string& compact, const std::vector<Row>& values, int first) {
  trunnion::Description description = trunnion::parse_compact(compact);
  if (values.empty()) return description;
  const std::vector<trunnion::Parameter> parameters = trunnion::parameters_of(description);
  for (std::size_t i = 0; i < parameters.size(); ++i) *parameters[i].value = part_of(values[i], first);
  return description;
}

/// As many machines as a vector has lanes.
class Part {
 public:
  explicit Part(const trunnion::Description& description)
      : model_(trunnion::compile(description)),
        stepper_(trunnion::make_monolithic_stepper(model_)),
        state_(model_->layout),
        compiled_(Going::lanes()) {}

  int size() const { return static_cast<int>(state_.values().size()); }
  /// Of the machines from `first` on.
  LaneMachine::Result step(Row* x, int first, const Number& time, Real h, unsigned lanes, std::uint64_t* ways) {
    LaneMachine::Result result;
    lanes &= compiled_;
    if (lanes == 0) return result;
    Going::start(lanes);
    std::vector<Number>& numbers = state_.values();
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = part_of(x[i], first);
    state_.time = time;
    bool done = false;
    try {
      done = stepper_->step(state_, h).status == trunnion::StepStatus::converged;
    } catch (const std::exception&) {
      // left to the machine's own loop, which reports it
    }
    const unsigned went = Going::lanes();
    result.behind = lanes & ~went;
    for (int i = 0; i < kLanes; ++i)
      if ((lanes >> i & 1) != 0) ways[i] = (went >> i & 1) != 0 ? Going::way() : Going::way(i);
    if (!done) return result;
    result.done = went;
    const Condition::Mask in = Condition::of(went).mask();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Number::Lanes now = in ? numbers[i].lanes() : part_of(x[i], first).lanes();
      std::memcpy(x[i].of.data() + first, &now, sizeof(now));
    }
    return result;
  }

 private:
  std::shared_ptr<const trunnion::CompiledModel> model_;
  std::unique_ptr<trunnion::Stepper> stepper_;
  trunnion::StateVector state_;
  unsigned compiled_;  // lanes whose parameters give the same lists and decisions
};

class Machines final : public LaneMachine {
 public:
  Machines(const std::string& compact, const std::vector<Row>& parameters) {
    for (int first = 0; first < kMachines; first += kLanes) {
      Going::start(kAll);
      parts_.push_back(std::make_unique<Part>(with_values(compact, parameters, first)));
    }
  }
  int size() const override { return parts_.front()->size(); }
  Result step(Row* x, const Row& time, Real h, unsigned lanes, std::uint64_t* ways) override {
    Result all;
    int first = 0;
    for (const std::unique_ptr<Part>& part : parts_) {
      const Result result = part->step(x, first, part_of(time, first), h, lanes >> first & kAll, ways + first);
      all.done |= result.done << first;
      all.behind |= result.behind << first;
      first += kLanes;
    }
    return all;
  }

 private:
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace

#if !defined(LANES_MAKE)
#define LANES_MAKE make_lane_machine
#endif

std::unique_ptr<LaneMachine> LANES_MAKE(const std::string& compact, const std::vector<Row>& parameters);
std::unique_ptr<LaneMachine> LANES_MAKE(const std::string& compact, const std::vector<Row>& parameters) {
  return std::make_unique<Machines>(compact, parameters);
}

}  // namespace lanes
