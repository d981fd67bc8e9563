// Values of all channels during a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/channel_reader.h"

#include <algorithm>
#include <cmath>

#include "base/finite.h"
#include "run/sampler.h"
#include "solve/motion_rule.h"

namespace trunnion {

namespace {

/// Of the step that ends at the record; zero at the start.
const std::vector<Channel>& solver_channels() {
  static const std::vector<Channel> channels{
      {"solver.iterations", "", "linear solves of the step that ends at the record", true},
      {"solver.position_iterations", "", "solves for dependent positions in that step", true},
      {"solver.violation", "m or 1", "maximum constraint error at the end of the step", true},
      {"solver.velocity_violation", "m/s or 1/s", "maximum constraint rate error at the end of the step", true},
  };
  return channels;
}

}  // namespace

ChannelReader::ChannelReader(std::shared_ptr<const CompiledModel> model)
    : model_(std::move(model)), observer_(make_observer(model_)), channels_{{"time", "s", "time"}}, memory_(coupling_memory(*model_)) {
  channels_.insert(channels_.end(), observer_->channels().begin(), observer_->channels().end());
  channels_.insert(channels_.end(), energy_channels().begin(), energy_channels().end());
  channels_.insert(channels_.end(), solver_channels().begin(), solver_channels().end());
  coupling_begin_ = channels_.size();
  const std::vector<Channel> coupling = monitor_channels(*model_);
  channels_.insert(channels_.end(), coupling.begin(), coupling.end());
  values_.resize(channels_.size());
}

void ChannelReader::begin(const StateVector& state) {
  observer_->observe(state, Side::right);
  time_ = state.time;
  for (const ControlBlock& b : model_->hydraulics.control)  // in the order of dependence: the first one is the cause
    if (!std::isfinite(state.y()[b.output])) throw not_finite_block(*model_, b, state.time, "at the start");
  try {
    check_energies();
  } catch (const SimulationError& error) {
    throw SimulationError(state.time, error.equations(), "the value at the start is not finite", "model parameters of realistic magnitude");
  }
  ledger_.begin(*observer_, state.time, impulse_rule_of(model_->description));
  report_ = {};
  read_coupling(state);
}

void ChannelReader::read_coupling(const StateVector& state) {
  if (coupling_begin_ < values_.size()) monitor_values(memory_, state.coupling(), values_.data() + coupling_begin_);
}

void ChannelReader::at(const StepRecord& step) {
  observer_->observe(step.state, step.side);
  check_energies();
  if (step.side == Side::right) {
    ledger_.jump(*observer_);
    return;
  }
  ledger_.step(*observer_, step.state.time, step.report.oil_rule, step.part || step.report.resolved, step.report.oil_defect);
  time_ = step.state.time;
  report_ = step.report;
  read_coupling(step.state);
}

void ChannelReader::not_finite(double before, const std::string& name) const {
  throw SimulationError(before, name, "the step from here leads to a value that is not finite",
                        "model parameters of realistic magnitude, or a smaller step");
}

/// Checks energies and powers before they enter the ledger, which sums over all elements.
void ChannelReader::check_energies() {
  const StoredEnergy<>& stored = observer_->stored();
  if (all_finite(observer_->powers()) && std::isfinite(stored.kinetic + stored.potential + stored.spring + stored.cylinder)) return;
  for (const auto& [name, value] : {std::pair{"energy.kinetic", stored.kinetic},
                                    {"energy.potential", stored.potential},
                                    {"energy.spring", stored.spring},
                                    {"energy.cylinder", stored.cylinder}})
    if (!std::isfinite(value)) not_finite(time_, name);
  for (std::size_t i = 0; i < observer_->powers().size(); ++i)
    if (!std::isfinite(observer_->powers()[i])) not_finite(time_, "the power of " + observer_->entries()[i].name);
  not_finite(time_, "the sum of energies");
}

const std::vector<double>& ChannelReader::finite_values(double before) {
  const std::vector<double>& all = values();
  if (all_finite(all)) return all;
  const auto wrong = std::find_if(all.begin(), all.end(), [](double value) { return !std::isfinite(value); });
  not_finite(before, channels_[static_cast<std::size_t>(wrong - all.begin())].name);
}

void ChannelReader::stop_at(const StateVector& state) {
  observer_->observe(state, Side::left);
  time_ = state.time;
  read_coupling(state);
}

void ChannelReader::resume(const StateVector& state, const Ledger& ledger) {
  observer_->observe(state, Side::left);
  ledger_ = ledger;
  time_ = state.time;
  report_ = {};
  read_coupling(state);
}

const std::vector<double>& ChannelReader::values() {
  values_.front() = time_;
  observer_->values(values_.data() + 1);
  energy_values(ledger_, values_.data() + 1 + observer_->channels().size());
  double* solver = values_.data() + coupling_begin_ - solver_channels().size();
  *solver++ = report_.iterations;
  *solver++ = report_.position_iterations;
  *solver++ = report_.violation;
  *solver = report_.velocity_violation;
  return values_;
}

}  // namespace trunnion
