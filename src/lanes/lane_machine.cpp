// Steps of machines with numbers of several lanes.
// SPDX-License-Identifier: BSD-3-Clause
#include "lanes/lane_machine.h"

#include <algorithm>
#include <exception>

#include "model/model.h"
#include "model/state.h"
#include "schema/compact.h"
#include "schema/parameters.h"
#include "solve/make_monolithic_stepper.h"

namespace lanes {

namespace {

constexpr unsigned kAll = (1U << static_cast<unsigned>(kLanes)) - 1;

trunnion::Description with_values(const std::string& compact, const std::vector<Number>& values) {
  trunnion::Description description = trunnion::parse_compact(compact);
  if (values.empty()) return description;
  const std::vector<trunnion::Parameter> parameters = trunnion::parameters_of(description);
  for (std::size_t i = 0; i < parameters.size(); ++i) *parameters[i].value = values[i];
  return description;
}

class Machine final : public LaneMachine {
 public:
  explicit Machine(const trunnion::Description& description)
      : model_(trunnion::compile(description)),
        stepper_(trunnion::make_monolithic_stepper(model_)),
        state_(model_->layout),
        compiled_(Going::lanes()) {}

  int size() const override { return static_cast<int>(state_.values().size()); }
  Result step(Number* x, const Number& time, Real h, unsigned lanes, std::uint64_t* ways) override;

 private:
  std::shared_ptr<const trunnion::CompiledModel> model_;
  std::unique_ptr<trunnion::Stepper> stepper_;
  trunnion::StateVector state_;
  unsigned compiled_;  // lanes whose parameters give the same lists and decisions
};

LaneMachine::Result Machine::step(Number* x, const Number& time, Real h, unsigned lanes, std::uint64_t* ways) {
  Result result;
  lanes &= compiled_;
  if (lanes == 0) return result;
  Going::start(lanes);
  std::vector<Number>& numbers = state_.values();
  std::copy(x, x + numbers.size(), numbers.begin());
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
  for (std::size_t i = 0; i < numbers.size(); ++i) x[i] = Number(in ? numbers[i].lanes() : x[i].lanes());
  return result;
}

}  // namespace

#if !defined(LANES_MAKE)
#define LANES_MAKE make_lane_machine
#endif

std::unique_ptr<LaneMachine> LANES_MAKE(const std::string& compact, const std::vector<Number>& parameters);
std::unique_ptr<LaneMachine> LANES_MAKE(const std::string& compact, const std::vector<Number>& parameters) {
  Going::start(kAll);
  return std::make_unique<Machine>(with_values(compact, parameters));
}

}  // namespace lanes
