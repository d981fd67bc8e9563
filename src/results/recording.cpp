// Recording of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/recording.h"

#include <algorithm>
#include <cmath>

namespace trunnion {

namespace {

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

void check_recorded_channels(const std::shared_ptr<const CompiledModel>& model) {
  if (!model->description.record.channels.empty()) (void)Recorder(model, false, nullptr, false);
}

Recorder::Recorder(std::shared_ptr<const CompiledModel> model, bool beside_monolithic, RowSink* sink, bool kept)
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

void Recorder::begin(const StateVector& state) {
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

void Recorder::finish(const StateVector& last) {
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
