// One run of a sweep.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/sweep_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "front/content.h"

namespace trunnion {

namespace {

/// Passes the states of a run to its key figures, and to the recorder of kept channels.
class KpiWatcher final : public RunWatcher {
 public:
  KpiWatcher(const std::shared_ptr<const CompiledModel>& model, const KpiSet& set, const KpiSource& source, bool keeps)
      : set_(set), source_(source), values_(set), row_(set.channels().size()) {
    if (keeps)
      recorder_ = std::make_unique<Recorder>(model);
    else if (source.reads())
      reader_ = std::make_unique<ChannelReader>(model);
    else if (source.observes())
      observer_ = make_observer(model);
  }

  void begin(const StateVector& state) {
    if (recorder_)
      recorder_->begin(state);
    else if (reader_)
      reader_->begin(state);
    else if (observer_)
      observer_->observe(state, Side::right);
    add(state);
  }
  void at(const StepRecord& step) override {
    if (recorder_)
      recorder_->at(step);
    else if (reader_)
      reader_->at(step);
    else if (observer_)
      observer_->observe(step.state, step.side);
    add(step.state);
  }
  /// After the last state, also of a run that failed.
  void finish(const StateVector& state, SweepRun& run) {
    if (recorder_) {
      recorder_->finish(state);
      run.kept = recorder_->recording();
    }
    if (run.status == RunStatus::completed) run.kpi = values_.results();
  }

 private:
  void add(const StateVector& state) {
    const Observer* observer = recorder_ ? &recorder_->observer() : reader_ ? &reader_->observer() : observer_.get();
    ChannelReader* reader = recorder_ ? &recorder_->reader() : reader_.get();
    const std::vector<double>* all = source_.reads() ? &reader->values() : nullptr;
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const auto [kind, index] = source_.places()[i];
      using Kind = KpiSource::Place::Kind;
      row_[i] = kind == Kind::time       ? state.time
                : kind == Kind::state    ? state.values()[index]
                : kind == Kind::observed ? observer->value(index)
                                         : (*all)[index];
      if (std::isfinite(row_[i])) continue;
      throw SimulationError(before_, set_.channels()[i], "the step from here leads to a value that is not finite",
                            "model parameters of realistic magnitude, or a smaller step");
    }
    before_ = state.time;
    values_.add(state.time, row_.data());
  }

  const KpiSet& set_;
  const KpiSource& source_;
  KpiValues values_;
  std::vector<double> row_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<ChannelReader> reader_;
  std::unique_ptr<Observer> observer_;
  double before_ = 0;  // [s] of the last valid state
};

void fail(SweepRun& run, RunStatus status, const std::string& message) {
  run.status = status;
  run.message = message;
  std::replace(run.message.begin(), run.message.end(), '\n', ' ');
}

/// False: stopped.
bool advance(const std::shared_ptr<const CompiledModel>& model, StartKind start, KpiWatcher& watcher, SweepRun& run,
             const std::atomic<int>* stop) {
  StepLoop loop(model, start_of(model, start));
  const double duration = model->description.solver.duration;
  try {
    watcher.begin(loop.state());
    GridStep grid;
    while (run.status == RunStatus::completed && !loop.schedule().reached(loop.state().time, duration)) {
      if (stop != nullptr && stop->load(std::memory_order_relaxed) != 0) return false;
      if (grid.advance(loop, duration, &watcher) == GridStep::Result::failed) fail(run, RunStatus::failed, grid.error());
    }
  } catch (const SimulationError& error) { fail(run, RunStatus::failed, error.what()); }
  run.end_time = loop.state().time;
  try {
    watcher.finish(loop.state(), run);
  } catch (const SimulationError& error) {
    if (run.status == RunStatus::completed) fail(run, RunStatus::failed, error.what());
  }
  return true;
}

}  // namespace

const char* word(RunStatus status) {
  constexpr const char* kRunWords[] = {"completed", "invalid", "failed", "not_finite"};
  return kRunWords[static_cast<int>(status)];
}

std::unique_ptr<SweepRun> run_without_result(RunStatus status, const std::string& message, std::size_t kpis) {
  auto run = std::make_unique<SweepRun>();
  fail(*run, status, message);
  run->kpi.assign(kpis, std::numeric_limits<double>::quiet_NaN());
  return run;
}

KpiSource::KpiSource(const std::shared_ptr<const CompiledModel>& model, const KpiSet& set) {
  const ChannelReader reader(model);
  const std::vector<Channel>& all = reader.channels();
  const std::size_t observed = reader.observer().channels().size();
  std::vector<Diagnostic> findings;
  for (const std::string& name : set.channels()) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const Channel& c) { return c.name == name; });
    const auto i = static_cast<std::size_t>(at - all.begin());
    if (at == all.end()) {
      findings.push_back({{"--kpi", 0, 0},
                          name,
                          "these values make a model without the channel `" + name + "`",
                          "a channel of every model of the sweep",
                          ""});
    } else if (i == 0) {
      places_.push_back({Place::Kind::time, 0});
    } else if (i > observed) {
      reads_ = true;
      places_.push_back({Place::Kind::read, i});
    } else if (const std::ptrdiff_t place = reader.observer().place_in_state(i - 1); place >= 0) {
      places_.push_back({Place::Kind::state, static_cast<std::size_t>(place)});
    } else {
      observes_ = true;
      places_.push_back({Place::Kind::observed, i - 1});
    }
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

std::vector<std::string> requested_channels(const std::shared_ptr<const CompiledModel>& model, const KpiSet& set) {
  const ChannelReader reader(model);
  std::vector<std::string> names, requested;
  for (const Channel& c : reader.channels()) names.push_back(c.name);
  const std::size_t always = names.size();
  for (const Channel& c : channels_on_request(model)) names.push_back(c.name);
  std::vector<Diagnostic> findings;
  for (const std::string& name : set.channels()) {
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (at >= always && at < names.size()) requested.push_back(name);
    if (at < names.size()) continue;
    const std::string near = nearest_name(name, names);
    findings.push_back({{"--kpi", 0, 0},
                        name,
                        "there is no channel '" + name + "'",
                        "the name of a channel such as " + names[1 % names.size()],
                        near.empty() ? "" : "did you mean '" + near + "'?"});
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  return requested;
}

std::unique_ptr<SweepRun> sweep_run(const std::shared_ptr<const CompiledModel>& model, StartKind start, const KpiSet& set,
                                    const KpiSource& source, bool keeps, const std::atomic<int>* stop) {
  auto run = std::make_unique<SweepRun>();
  try {
    KpiWatcher watcher(model, set, source, keeps);
    if (!advance(model, start, watcher, *run, stop)) return nullptr;
  } catch (const InputError& error) { fail(*run, RunStatus::invalid, error.what()); } catch (const Error& error) {  // there is no start
    fail(*run, RunStatus::failed, error.what());
  }
  if (run->status == RunStatus::completed &&
      !std::all_of(run->kpi.begin(), run->kpi.end(), [](double value) { return std::isfinite(value); })) {
    const auto wrong = std::find_if(run->kpi.begin(), run->kpi.end(), [](double value) { return !std::isfinite(value); });
    fail(*run, RunStatus::not_finite,
         "the key figure " + set.names()[static_cast<std::size_t>(wrong - run->kpi.begin())] + " is not a finite number");
  }
  if (run->status != RunStatus::completed) run->kpi.assign(set.size(), std::numeric_limits<double>::quiet_NaN());
  return run;
}

}  // namespace trunnion
