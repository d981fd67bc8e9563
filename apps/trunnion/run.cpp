// trunnion run: simulate a model and write its results.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "commands.h"
#include "file/csv.h"

namespace trunnion::cli {

namespace {

struct RunOptions {
  ModelOptions model;
  std::string folder, inputs;
  StartKind start = StartKind::given;
  bool beside_monolithic = false;
  bool estimate_error = false;
  bool quiet = false;
};

/// Printed in addition to the summary.
std::string file_names(const RecordDescription& record) {
  return std::string(record.csv ? ", results.csv" : "") + (record.hdf5 ? ", results.h5" : "");
}

int run(const RunOptions& options) {
  Description description = options.model.read();
  if (!options.inputs.empty()) read_input_courses(description, options.inputs, limits_of(options.model.overrides()).input_size);
  const std::shared_ptr<const CompiledModel> model = compile(std::move(description));
  check_recorded_channels(model);
  if (options.beside_monolithic && model->description.solver.coupling == CouplingKind::monolithic)
    throw InputError({{span_of(model->description, "solver.coupling"), "solver.coupling",
                       "the run is monolithic: there is nothing to compare", "`cosimulation`", "--set solver.coupling=cosimulation"}});
  if (options.estimate_error) check_measurable(*model);
  const std::string folder = options.folder.empty() ? options.model.stem() + "_results" : options.folder;
  const ResultFolder lock(folder);
  const std::atomic<int>& signal = catch_signals();
  CaseFiles files(model, options.model.file, folder, program_start());
  const Progress progress = terminal_progress(model->description.solver.duration, options.quiet);
  CaseResult result = run_case(model, progress, options.start, nullptr, options.beside_monolithic, &signal, &files, options.estimate_error);
  if (options.estimate_error) measure_errors(result, options.start, progress, &signal);
  clear_progress(options.quiet);
  files.finish(result);
  if (!options.quiet) {
    std::fputs(summary_text(result, seconds_since_start()).c_str(), stdout);
    std::printf("  files        %s/summary.json%s\n", folder.c_str(),
                result.recorder->rows() > 0 ? file_names(model->description.record).c_str() : "");
  }
  if (!result.failure) return result.signal != 0 ? 128 + result.signal : kDone;  // the second run of an estimate was interrupted
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", result.failure->what());
  if (result.recorder->rows() > 0) std::fprintf(stderr, "the results up to %g s are in %s\n", result.end_time, folder.c_str());
  return result.signal != 0 ? 128 + result.signal : kFailed;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "simulate a model; write results.csv, results.h5 and summary.json");
  auto options = std::make_shared<RunOptions>();
  options->model.add_to(*command);
  command->add_option("-o,--output", options->folder, "folder for the results [MODEL_results]")->type_name("DIR");
  command
      ->add_option("--input", options->inputs,
                   "values of the model's inputs: a CSV file with a column `time` and columns named like inputs, linear between rows")
      ->type_name("FILE.csv");
  add_start(*command, options->start, "start there");
  command->add_flag("--beside-monolithic", options->beside_monolithic,
                    "for a co-simulation: also solve the machine monolithically; differences as channels and in the summary");
  command->add_flag("--estimate-error", options->estimate_error,
                    "run again with half the step; estimated error of every channel in the summary");
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace trunnion::cli
