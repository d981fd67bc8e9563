// Recording of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/recording.h"

#include <algorithm>
#include <cmath>

namespace trunnion {

int Recording::find(const std::string& name) const {
  const auto at = std::find_if(channels.begin(), channels.end(), [&](const Channel& c) { return c.name == name; });
  return at == channels.end() ? -1 : static_cast<int>(at - channels.begin());
}

double expected_rows(const Description& d) { return d.solver.duration / grid_step(d) / d.record.every + 2; }

Recorder::Recorder(std::shared_ptr<const CompiledModel> model, bool beside_monolithic, RowSink* sink, bool kept)
    : model_(std::move(model)),
      reader_(model_),
      beside_(beside_monolithic ? std::make_unique<MonolithicBeside>(model_) : nullptr),
      sink_(sink),
      kept_(kept) {
  selected_ = recorded_channels(model_, reader_);
  for (std::size_t i : selected_) recording_.channels.push_back(reader_.channels()[i]);
  if (beside_) recording_.channels.insert(recording_.channels.end(), beside_->channels().begin(), beside_->channels().end());
  recording_.columns.resize(recording_.channels.size());
  row_.resize(recording_.channels.size());
  constexpr double kMostReserved = 1e6;  // rows; longer runs reallocate
  const double rows = expected_rows(model_->description);
  for (auto& column : recording_.columns) column.reserve(kept ? static_cast<std::size_t>(std::min(rows, kMostReserved)) : 0);
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
