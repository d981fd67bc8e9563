// Step histories of runs and their files.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/history.h"

#include <algorithm>
#include <limits>

#include "results/files.h"

namespace trunnion {

namespace {

constexpr double kSame = 1e-6;  // of the shortest step: times closer than this are equal

}  // namespace

void History::at(const StepRecord& step) {
  if (step.side == Side::right || step.part) return;  // not a step: the same time, after a jump; or inside one
  const StepOutcome& r = step.report;
  rows_.push_back({step.state.time, r.violation, r.velocity_violation, r.iterations, r.position_iterations, step.step_seconds});
}

namespace {

/// The rows of all runs by time; `columns` names the cells of a run, `append` writes them, each after a comma.
template <class Append>
std::string joined_csv(const std::vector<History>& runs, const std::vector<const char*>& columns, Append append) {
  std::string text = "time";
  double shortest = std::numeric_limits<double>::infinity();
  for (const History& run : runs) {
    for (const char* name : columns) text += "," + run.label() + "." + name;
    shortest = std::min(shortest, run.step());
  }
  text += "\n";
  std::vector<std::size_t> next(runs.size(), 0);
  while (true) {
    double time = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (next[i] < runs[i].rows().size()) time = std::min(time, runs[i].rows()[next[i]].time);
    if (time == std::numeric_limits<double>::infinity()) return text;
    append_number(text, time);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto& rows = runs[i].rows();
      if (next[i] >= rows.size() || rows[next[i]].time > time + kSame * shortest)
        text += std::string(columns.size(), ',');
      else
        append(text, rows[next[i]++]);
    }
    text += "\n";
  }
}

}  // namespace

std::string history_csv(const std::vector<History>& runs) {
  return joined_csv(runs, {"violation", "velocity_violation", "iterations", "position_iterations"},
                    [](std::string& text, const History::Row& row) {
                      append_number(text += ",", row.violation);
                      append_number(text += ",", row.velocity_violation);
                      text += "," + std::to_string(row.iterations) + "," + std::to_string(row.position_iterations);
                    });
}

std::string history_times_csv(const std::vector<History>& runs) {
  return joined_csv(runs, {"step_seconds"},
                    [](std::string& text, const History::Row& row) { append_number(text += ",", row.step_seconds); });
}

}  // namespace trunnion
