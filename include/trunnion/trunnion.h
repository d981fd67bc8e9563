// Trunnion as a library: load a model, step it, set its inputs, read its channels, save and restore its state.
//
//   const auto model = trunnion::Model::load("four_bar.yaml", {"cylinders.lift.friction.model=lugre"});
//   trunnion::Simulation machine(model);
//   const auto angle = model->channel("crank.angle");
//   while (machine.time() < machine.duration()) {
//     machine.step();
//     std::printf("%g %g\n", machine.time(), machine.value(angle));
//   }
//
// SI and radians throughout. A model is immutable and shared by any number of simulations and threads; each other object must be used by
// one thread at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trunnion/batch.h"
#include "trunnion/description.h"
#include "trunnion/linear.h"
#include "trunnion/model.h"
#include "trunnion/run.h"
#include "trunnion/sensitivity.h"
#include "trunnion/simulation.h"

namespace trunnion {

/// `trunnion run`: simulates a model and writes results.csv, results.h5 and summary.json into `folder`. Throws ModelError, or RunError
/// after writing the results until the failure.
void run_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides = {},
                  Start start = Start::given);

/// `trunnion equilibrium`: solves for static equilibrium with signals at `time` [s] and writes equilibrium.json and equilibrium.yaml into
/// `folder`. Throws ModelError if it is undetermined or contradicts locked or given values, RunError if none is found.
void equilibrium_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides = {},
                          double time = 0);

/// `trunnion steady`: solves for steady operation with signals at `time` [s] and writes steady.json and steady.yaml into `folder`. Throws
/// RunError if none exists or is found.
void steady_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides = {},
                     double time = 0);

/// Options of a linearisation, as on the command line.
struct Linearization {
  Start start = Start::given;              ///< location of the reference, or start of the run to it
  std::vector<double> at;                  ///< [s] times of a run; none: the start
  std::vector<std::string> outputs;        ///< channels; all if empty
  std::vector<std::string> vary;           ///< root locus: path=v1,v2,...
  std::vector<std::string> sensitivity;    ///< paths of numbers: derivatives of the eigenvalues
  std::optional<double> simulate;          ///< [s] time from which the linear model is simulated, too
  std::vector<std::string> independent{};  ///< coordinates that are to be independent; pivoting completes them
  std::string pairs{};                     ///< root locus: a CSV file with a column per path, its rows with all combinations of `vary`
  bool folders = false;                    ///< with several times: also a folder for each, at_SECONDS
};

/// `trunnion linearize`: writes linear.json, linear.csv, eigenvalues.csv and linear.mat into `folder`, and other requested results.
/// Throws ModelError, or RunError after writing the available results.
void linearize_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides = {},
                        const Linearization& what = {});

/// `trunnion curve`: force-velocity curves of an actuator of a quasistatic circuit, curve.csv and curve.json, into `folder`. `actuator`
/// may be empty if there is only one; `commands` and `vary` as on the command line, `0.5,1` and `path=v1,v2`. Throws ModelError.
void curve_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides,
                    const std::string& actuator, const std::vector<std::string>& commands = {}, const std::vector<std::string>& vary = {});

/// Options of a sweep, as on the command line.
struct SweepOptions {
  std::vector<std::string> vary{};  ///< `path=v1,v2,...`, `path=a:b:step`, with a sample `path=a:b`
  std::string pairs{};              ///< CSV: a column per path and a row per run; empty: none
  std::string sample{};             ///< `lhs:N,seed` of the ranges; empty: none
  std::vector<std::string> kpi{};   ///< `name=max(lift.force)`
  std::string keep = "kpi";         ///< or "channels", those of record.channels, or "all"
  Start start = Start::given;       ///< of every run
  int threads = 0;                  ///< 0: as many as processors; results do not depend on it
  bool overwrite = false;           ///< replaces another or a finished sweep in the folder; an interrupted one goes on
  std::function<bool(std::size_t done, std::size_t runs)>
      progress{};  ///< after every run, by one thread at a time; false ends the sweep there
};

/// `trunnion sweep`: sweep.h5, sweep.csv, sweep.json and pictures in `folder`, or what an earlier call with the same arguments has left of
/// them. Runs that fail are results. Returns whether all runs are finished. Throws ModelError.
bool sweep_to_files(const std::string& model_file, const std::string& folder, const std::vector<std::string>& overrides,
                    const SweepOptions& options);

/// `trunnion report`: result folders as one self-contained HTML page. `channels`: names or patterns with * and ?, all if empty. Throws
/// ModelError, also if the library was built without the viewer.
void report_to_file(const std::vector<std::string>& folders, const std::string& file, const std::vector<std::string>& channels = {});

/// The number of a text such as `80 mm` in SI units and radians. Throws ModelError if it is none, or if its unit does not measure what
/// `unit` (SI, as in ParameterInfo) measures. A number without a unit is SI.
double to_si(const std::string& text, const std::string& unit = {});

}  // namespace trunnion
