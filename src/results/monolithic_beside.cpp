// A monolithic reference run during a co-simulation.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/monolithic_beside.h"

#include <algorithm>
#include <limits>

namespace trunnion {

MonolithicBeside::MonolithicBeside(const std::shared_ptr<const CompiledModel>& model) : observer_(make_observer(model)) {
  Description description = model->description;
  description.solver.coupling = CouplingKind::monolithic;
  monolithic_ = compile(description);
  reference_ = make_observer(monolithic_);
  const std::vector<Channel>& all = observer_->channels();
  for (const Actuator& a : pistons_of(model->hydraulics)) {
    length_.push_back(channel_of(all, a.section, a.name, a.is_rotary ? "angle" : "length"));
    names_.push_back(a.name);
    channels_.push_back({a.name + ".coupling_difference", a.is_rotary ? "rad" : "m",
                         std::string(a.is_rotary ? "angle" : "length") + " minus that of a monolithic run"});
  }
  lengths_.resize(all.size());
  of_reference_.resize(reference_->channels().size());
  values_.resize(length_.size());
  ranges_.resize(length_.size());
}

void MonolithicBeside::begin(const StateVector& start) {
  StateVector state(monolithic_->layout);  // the coupling memory comes last
  std::copy_n(start.values().begin(), state.values().size(), state.values().begin());
  state.time = start.time;
  runner_ = std::make_unique<Runner>(monolithic_, state);
  std::fill(values_.begin(), values_.end(), 0.0);
}

void MonolithicBeside::at(const StateVector& state) {
  if (failure_) return;
  try {
    runner_->advance(state.time);
  } catch (const SimulationError& error) {
    failure_ = error;
    std::fill(values_.begin(), values_.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  observer_->observe(state, Side::left);
  observer_->values(lengths_.data());
  reference_->observe(runner_->state(), Side::left);
  reference_->values(of_reference_.data());
  for (std::size_t i = 0; i < length_.size(); ++i) {
    values_[i] = lengths_[length_[i]] - of_reference_[length_[i]];
    ranges_[i].add(values_[i], state.time);
  }
}

}  // namespace trunnion
