// The subcommands of the program `trunnion`, one file each. Exit codes: 0 success, 1 the simulation failed or a file could not be
// written, 2 invalid input, 128 + n terminated by signal n.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "file/variation.h"
#include "model/model.h"
#include "results/run_case.h"

namespace trunnion::cli {

inline constexpr int kDone = 0, kFailed = 1, kWrongInput = 2;

/// Runs the selected subcommand after the command line is parsed; returns the exit code.
using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_equilibrium(CLI::App& app, Action& action);
void add_steady(CLI::App& app, Action& action);
void add_linearize(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_friction(CLI::App& app, Action& action);
void add_curve(CLI::App& app, Action& action);
void add_fit(CLI::App& app, Action& action);
void add_sensitivity(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_study(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_new(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_reference(CLI::App& app, Action& action);

// ---------------------------------------------------------------- shared by the subcommands

/// For `check` of numeric options: a message that names the value and what is expected, as for values that are no numbers, NaN or infinite.
CLI::Validator finite();
CLI::Validator positive();
CLI::Validator not_negative();
/// Whole numbers that an int can hold.
CLI::Validator positive_count();
CLI::Validator not_negative_count();

/// An option with a list of values: `--name a,b`, and again `--name c`.
template <class T>
CLI::Option* add_list(CLI::App& command, const char* name, std::vector<T>& values, const char* help, const char* type) {
  return command.add_option(name, values, help)->type_name(type)->delimiter(',')->expected(1)->take_all();
}

/// MODEL and --set.
struct ModelOptions {
  std::string file;
  std::vector<std::string> set;

  void add_to(CLI::App& command);
  /// The --set values. Throws InputError.
  std::vector<Override> overrides() const;
  /// Reads and compiles the model, with `more` after the --set values. Throws InputError.
  std::shared_ptr<const CompiledModel> load(const std::vector<Override>& more = {}) const;
  /// The same before it is compiled. Throws InputError.
  Description read(const std::vector<Override>& more = {}) const;
  /// `examples/four_bar.yaml` -> `four_bar`.
  std::string stem() const;
};

/// --equilibrium and --steady, mutually exclusive; `then` ends their help: what is done at the solution.
void add_start(CLI::App& command, StartKind& start, const std::string& then);

/// From now on SIGINT and SIGTERM set the returned number instead of terminating the program; a second signal of the same kind terminates
/// it at once.
const std::atomic<int>& catch_signals();

/// Start time of the program.
std::chrono::steady_clock::time_point program_start();
double seconds_since_start();

/// Draws the progress of a run on a terminal; does nothing in a pipe or when `quiet`.
Progress terminal_progress(double duration, bool quiet, const std::string& label = "");
/// Removes the output of terminal_progress.
void clear_progress(bool quiet);

}  // namespace trunnion::cli
