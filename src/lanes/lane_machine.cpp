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

}  // namespace

struct LaneMachine::Machine {
  explicit Machine(const trunnion::Description& description)
      : model(trunnion::compile(description)),
        stepper(trunnion::make_monolithic_stepper(model)),
        state(model->layout),
        compiled(Going::lanes()) {}

  std::shared_ptr<const trunnion::CompiledModel> model;
  std::unique_ptr<trunnion::Stepper> stepper;
  trunnion::StateVector state;
  unsigned compiled;  // lanes whose parameters give the same lists and decisions
};

LaneMachine::LaneMachine(const std::string& compact, const std::vector<Number>& parameters) {
  Going::start(kAll);
  machine_ = std::make_unique<Machine>(with_values(compact, parameters));
}
LaneMachine::~LaneMachine() = default;

int LaneMachine::size() const { return static_cast<int>(machine_->state.values().size()); }

LaneMachine::Result LaneMachine::step(Number* x, const Number& time, Real h, unsigned lanes, std::uint64_t* ways) {
  Machine& m = *machine_;
  Result result;
  lanes &= m.compiled;
  if (lanes == 0) return result;
  Going::start(lanes);
  std::vector<Number>& numbers = m.state.values();
  std::copy(x, x + numbers.size(), numbers.begin());
  m.state.time = time;
  bool done = false;
  try {
    done = m.stepper->step(m.state, h).status == trunnion::StepStatus::converged;
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

}  // namespace lanes
