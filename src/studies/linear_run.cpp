// Comparison of a run with its linear model.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/linear_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "machine/observe.h"
#include "results/files.h"
#include "spectra/response.h"
#include "studies/table.h"

namespace trunnion {

namespace {

/// Records the nonlinear model and advances the linear one.
class Companion final : public RunWatcher {
 public:
  Companion(const std::shared_ptr<const CompiledModel>& model, const LinearModel& linear, LinearRun& run)
      : model_(*model), linear_(linear), observer_(make_observer(model)), response_(linear), run_(run) {
    const std::vector<Channel>& channels = observer_->channels();
    values_.resize(channels.size());
    for (const LinearVariable& output : linear.outputs) {
      const auto at = std::find_if(channels.begin(), channels.end(), [&](const Channel& c) { return c.name == output.name; });
      if (at == channels.end()) throw Error("the output " + output.name + " is not a channel of the model");
      sources_.push_back(static_cast<std::size_t>(at - channels.begin()));
      run_.channels.push_back({output, {}, {}});
    }
  }

  /// The linear model starts at x, the current state of the run.
  void start(const Eigen::VectorXd& x, const StateVector& state) {
    response_.start(x);
    started_ = true;
    time_ = state.time;
    if (!run_.times.empty() && run_.times.back() == time_) drop_record();
    const Side side = time_ > 0 ? Side::left : Side::right;  // a run begins with the right limit of its signals
    observer_->observe(state, side);
    record(side);
  }

  void at(const StepRecord& step) override {
    if (step.side == Side::right || step.part) return;
    const double t = step.state.time;
    if (started_) response_.step(t - time_, inputs(time_, Side::right), inputs(t, Side::left));
    time_ = t;
    if (!step.on_grid || step.grid_index % model_.description.record.every != 0) return;
    observer_->observe(step.state, Side::left);
    record(Side::left);
  }

  void begin(const StateVector& state) {
    observer_->observe(state, Side::right);
    time_ = state.time;
    record(Side::right);
  }

 private:
  Eigen::VectorXd inputs(double t, Side side) const { return linear_inputs(model_, linear_, t, side); }

  void record(Side side) {
    observer_->values(values_.data());
    run_.times.push_back(time_);
    const Eigen::VectorXd y = started_ ? response_.outputs(inputs(time_, side)) : Eigen::VectorXd();
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      LinearRunChannel& channel = run_.channels[i];
      channel.nonlinear.push_back(values_[sources_[i]]);
      channel.linear.push_back(started_ ? y[static_cast<Eigen::Index>(i)] : std::numeric_limits<double>::quiet_NaN());
    }
  }
  void drop_record() {
    run_.times.pop_back();
    for (LinearRunChannel& channel : run_.channels) channel.nonlinear.pop_back(), channel.linear.pop_back();
  }

  const CompiledModel& model_;
  const LinearModel& linear_;
  std::unique_ptr<Observer> observer_;
  LinearResponse response_;
  LinearRun& run_;
  std::vector<std::size_t> sources_;  // per output: channel of the observer
  std::vector<double> values_;
  bool started_ = false;
  double time_ = 0;  // [s] of the last state observed
};

void compare(LinearRun& run) {
  for (LinearRunChannel& channel : run.channels) {
    bool first = true;
    for (std::size_t i = 0; i < run.times.size(); ++i) {
      if (std::isnan(channel.linear[i])) continue;
      const double difference = std::abs(channel.linear[i] - channel.nonlinear[i]);
      if (first || difference > channel.largest_difference) channel.largest_difference = difference, channel.difference_time = run.times[i];
      channel.low = first ? channel.nonlinear[i] : std::min(channel.low, channel.nonlinear[i]);
      channel.high = first ? channel.nonlinear[i] : std::max(channel.high, channel.nonlinear[i]);
      first = false;
    }
  }
}

}  // namespace

LinearRun run_beside(const std::shared_ptr<const CompiledModel>& model, const StateVector& start, const LinearModel& linear,
                     const StateVector& reference, double from, const Progress& progress) {
  LinearRun run;
  run.from = from;
  Companion companion(model, linear, run);
  Runner runner(model, start);
  companion.begin(runner.state());
  try {
    runner.advance(from, &companion);
    companion.start(linear_state(*model, linear, reference, runner.state()), runner.state());
    run_to_end(runner, &companion, progress);
  } catch (const SimulationError& error) { run.failure = error; }
  compare(run);
  run.errors = accumulated_errors(*model, runner.statistics());
  run.warnings = error_warnings(run.errors, model->description.solver);
  return run;
}

std::string linear_run_csv(const LinearRun& run) {
  std::string text = "time";
  for (const LinearRunChannel& channel : run.channels) text += "," + channel.variable.name + "," + channel.variable.name + ".linear";
  text += "\n";
  for (std::size_t i = 0; i < run.times.size(); ++i) {
    append_number(text, run.times[i]);
    for (const LinearRunChannel& channel : run.channels) {
      append_number(text += ",", channel.nonlinear[i]);
      text += ",";
      if (!std::isnan(channel.linear[i])) append_number(text, channel.linear[i]);
    }
    text += "\n";
  }
  return text;
}

std::string linear_run_text(const LinearRun& run) {
  std::vector<std::vector<std::string>> lines{{"channel", "largest difference", "at", "its range", ""}};
  for (const LinearRunChannel& channel : run.channels)
    lines.push_back({channel.variable.name, fmt::format("{:.3g}", channel.largest_difference),
                     fmt::format("{:g} s", channel.difference_time), fmt::format("{:.6g} .. {:.6g}", channel.low, channel.high),
                     channel.variable.unit});
  std::string text = aligned(lines, 1) + error_text(run.errors, std::nullopt);
  for (const std::string& warning : run.warnings) text += fmt::format("  WARNING      {}\n", warning);
  return text;
}

}  // namespace trunnion
