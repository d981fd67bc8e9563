// The files of a sweep: sweep.h5 and sweep.csv with a row per run, sweep.json, and pictures of the key figures over the varied values.
// Equal sweeps give equal bytes: no times, runs in their order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "studies/plot.h"
#include "studies/sweep_journal.h"
#include "studies/sweep_plan.h"

namespace trunnion {

/// Finished runs, in the order of the sweep.
using SweepResults = std::vector<JournalEntry>;

/// sweep.h5: `parameters` [runs x paths] in SI (NaN: no number), `parameter_names`, `parameter_units`, `parameter_values` as given; `kpi`
/// [runs x key figures], `kpi_names`, `kpi_expressions`; `status`, `messages`, `end_times` [s]; `model`, the reference's; kept channels in
/// `runs/N` as in results.h5. Throws FileError.
void write_sweep_h5(const SweepPlan& plan, const SweepResults& results, const std::string& path);

std::string sweep_csv(const SweepPlan& plan, const SweepResults& results);
/// With the figures' names; `key` identifies the sweep.
std::string sweep_json(const SweepPlan& plan, const SweepResults& results);
/// What a sweep.json says of its sweep; its key is empty if the file is no sweep.json.
struct FinishedSweep {
  std::string key;
  std::size_t completed = 0;          // runs of that status
  std::vector<std::string> pictures;  // names of files beside it
};
FinishedSweep read_sweep_json(const std::string& path);
/// The key of a plan in sweep.json.
std::string key_text(const SweepPlan& plan);
/// Counts, and the extremes of every key figure: lines for a terminal.
std::string sweep_text(const SweepPlan& plan, const SweepResults& results);

struct SweepFigure {
  std::string name;   // of the key figure
  std::string shows;  // one line
  Plot plot;
};
/// One figure per key figure with finite values: over a grid of up to three paths a curve per value of the second and a panel per value of
/// the third, those with most values first; otherwise points over every path. None if no path has numbers.
std::vector<SweepFigure> sweep_figures(const SweepPlan& plan, const SweepResults& results);

}  // namespace trunnion
