// Recording of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/recording.h"

#include <algorithm>
#include <cmath>

#include "base/finite.h"

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

bool matches(const std::string& pattern, const std::string& name) {
  if (!pattern.empty() && pattern.back() == '*') return name.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0;
  return pattern == name;
}

}  // namespace

int Recording::find(const std::string& name) const {
  const auto at = std::find_if(channels.begin(), channels.end(), [&](const Channel& c) { return c.name == name; });
  return at == channels.end() ? -1 : static_cast<int>(at - channels.begin());
}

double expected_rows(const Description& d) { return d.solver.duration / grid_step(d) / d.record.every + 2; }

ChannelReader::ChannelReader(std::shared_ptr<const Model> model)
    : model_(std::move(model)), observer_(make_observer(model_)), channels_{{"time", "s", "time"}}, memory_(coupling_memory(*model_)) {
  channels_.insert(channels_.end(), observer_->channels().begin(), observer_->channels().end());
  channels_.insert(channels_.end(), energy_channels().begin(), energy_channels().end());
  channels_.insert(channels_.end(), solver_channels().begin(), solver_channels().end());
  coupling_begin_ = channels_.size();
  const std::vector<Channel> coupling = monitor_channels(*model_);
  channels_.insert(channels_.end(), coupling.begin(), coupling.end());
  values_.resize(channels_.size());
}

void ChannelReader::begin(const State& state) {
  observer_->observe(state, Side::right);
  time_ = state.time;
  try {
    check_energies();
  } catch (const SimulationError& error) {
    throw SimulationError(state.time, error.equations(), "the value at the start is not finite", "model parameters of realistic magnitude");
  }
  ledger_.begin(*observer_, state.time);
  report_ = {};
  read_coupling(state);
}

void ChannelReader::read_coupling(const State& state) {
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

void ChannelReader::stop_at(const State& state) {
  observer_->observe(state, Side::left);
  time_ = state.time;
  read_coupling(state);
}

void ChannelReader::resume(const State& state, const Ledger& ledger) {
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

void check_recorded_channels(const std::shared_ptr<const Model>& model) {
  if (!model->description.record.channels.empty()) (void)Recorder(model, false, nullptr, false);
}

Recorder::Recorder(std::shared_ptr<const Model> model, bool beside_monolithic, RowSink* sink, bool kept)
    : model_(std::move(model)),
      reader_(model_),
      beside_(beside_monolithic ? std::make_unique<MonolithicBeside>(model_) : nullptr),
      sink_(sink),
      kept_(kept) {
  select(model_->description.record.channels);
  for (std::size_t i : selected_) recording_.channels.push_back(reader_.channels()[i]);
  if (beside_) recording_.channels.insert(recording_.channels.end(), beside_->channels().begin(), beside_->channels().end());
  recording_.columns.resize(recording_.channels.size());
  row_.resize(recording_.channels.size());
  constexpr double kMostReserved = 1e6;  // rows; longer runs reallocate
  const double rows = expected_rows(model_->description);
  for (auto& column : recording_.columns) column.reserve(kept ? static_cast<std::size_t>(std::min(rows, kMostReserved)) : 0);
}

void Recorder::select(const std::vector<std::string>& wanted) {
  std::vector<Diagnostic> findings;
  const std::vector<Channel>& all = reader_.channels();
  std::vector<bool> chosen(all.size(), wanted.empty());
  chosen[0] = true;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (matches(wanted[k], all[i].name)) chosen[i] = found = true;
    if (found) continue;
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const Channel& c : all) names.push_back(c.name);
    const std::string near = nearest_name(wanted[k], names), path = "record.channels." + std::to_string(k);
    findings.push_back({model_->description.span(path), path, "there is no channel '" + wanted[k] + "'",
                        "the name of a channel such as " + all[1 % all.size()].name, near.empty() ? "" : "did you mean '" + near + "'?"});
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen[i]) selected_.push_back(i);
}

void Recorder::record(double before) {
  const std::vector<double>& values = reader_.finite_values(before);
  for (std::size_t i = 0; i < selected_.size(); ++i) row_[i] = values[selected_[i]];
  for (std::size_t i = selected_.size(); i < row_.size(); ++i) row_[i] = beside_->values()[i - selected_.size()];
  for (std::size_t i = 0; i < row_.size() && kept_; ++i) recording_.columns[i].push_back(row_[i]);
  recorded_time_ = reader_.time();
  if (rows_++ == 0 && sink_ != nullptr) sink_->begin(recording_.channels);
  if (sink_ != nullptr) sink_->add(row_.data());
}

void Recorder::begin(const State& state) {
  reader_.begin(state);
  if (beside_) beside_->begin(state);
  record(state.time);
}

void Recorder::at(const StepRecord& step) {
  const double before = reader_.time();
  reader_.at(step);
  if (beside_ && step.side == Side::left) beside_->at(step.state);
  if (step.side == Side::left && step.on_grid && step.grid_index % model_->description.record.every == 0) record(before);
}

void Recorder::finish(const State& last) {
  if (rows_ == 0) return;  // the start could not be recorded
  if (reader_.time() != last.time) reader_.stop_at(last);
  if (reader_.time() != recorded_time_) record(recorded_time_);
}

std::vector<std::pair<std::string, double>> Recorder::last_values() {
  const std::vector<double>& values = reader_.values();
  std::vector<std::pair<std::string, double>> named;
  for (std::size_t i = 0; i < values.size(); ++i) named.emplace_back(reader_.channels()[i].name, values[i]);
  return named;
}

}  // namespace trunnion
