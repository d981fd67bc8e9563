// A step of the time grid of the public interface, with all its parts, jumps and samples.
// SPDX-License-Identifier: BSD-3-Clause
#include "front/content.h"
#include "hydraulics/quasistatic/command_error.h"

namespace trunnion {

/// The parts of a subdivided step, kept until the step is complete.
class GridStep::Parts final : public PartSink {
 public:
  void part(const StateVector& state, const StepOutcome& report) override { kept.emplace_back(state, report); }
  std::size_t count() const override { return kept.size(); }
  void drop_after(std::size_t count) override { kept.resize(count, {StateVector(), StepOutcome()}); }
  std::vector<std::pair<StateVector, StepOutcome>> kept;
};

GridStep::Result GridStep::advance(StepLoop& loop, double end, RunWatcher* watcher) {
  const StepSchedule& schedule = loop.schedule();
  const StateVector& state = loop.state();
  const double target = loop.grid_point_before(end);
  subdivided = false;
  failure_.reset();
  Parts parts;
  const auto publish = [&](const StateVector& at, const StepOutcome& report, Side side, bool part) {
    if (watcher == nullptr) return;
    const bool on_grid = !part && (schedule.on_grid(at.time) || schedule.reached(at.time, end));
    watcher->at({at, side, report, on_grid, part, schedule.grid_index(at.time), 0});
    valid_ = at;
  };
  if (watcher != nullptr) valid_ = state;
  try {
    do {
      if (loop.restart_due()) {
        if (!loop.restart()) {
          failure_ = loop.failure();
          return Result::failed;
        }
        publish(state, {}, Side::right, false);
      }
      parts.kept.clear();
      const StepOutcome& report = loop.step_within(target, watcher != nullptr ? &parts : nullptr);
      for (const auto& [at, outcome] : parts.kept) publish(at, outcome, Side::left, true);
      if (!report.ok() || !loop.not_finite().empty()) {
        failure_ = loop.failure();
        return Result::failed;
      }
      ++steps;
      iterations += report.iterations;
      violation = report.violation;
      subdivided = subdivided || report.resolved || report.parts > 1;
      publish(state, report, Side::left, false);
    } while (!schedule.reached(state.time, target));
  } catch (const CommandError& error) {
    failure_ = error.at(state.time);
    return Result::failed;
  } catch (const SimulationError& error) {  // of the watcher: values that are not finite; of loads of joints
    if (watcher != nullptr) loop.restore(valid_);
    failure_ = error;
    return Result::failed;
  }
  return Result::done;
}

}  // namespace trunnion
