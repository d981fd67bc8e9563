// trunnion fit: values of a model file fitted to a recording.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "commands.h"
#include "results/files.h"
#include "studies/fit.h"

namespace trunnion::cli {

namespace {

struct FitOptions {
  ModelOptions model;
  FitRequest request;
  std::string folder;
  bool quiet = false;
};

int fit_values(const FitOptions& options) {
  FitRequest request = options.request;
  request.model_file = options.model.file;
  request.overrides = options.model.overrides();
  if (request.threads < 1) request.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  FitProgress progress;
  if (!options.quiet && isatty(STDERR_FILENO) != 0)
    progress = [](int iteration, double rms) {
      std::fprintf(stderr, "\r\033[Kiteration %d, residual %.4g", iteration, rms);
      std::fflush(stderr);
    };
  const Fit result = fit(request, progress);
  clear_progress(options.quiet);
  const std::string folder = options.folder.empty() ? options.model.stem() + "_fit" : options.folder;
  make_folder(folder);
  write_text(fit_json(result, options.model.file, request.reference), folder + "/fit.json");
  write_text(fit_csv(result), folder + "/fit.csv");
  write_text(write_model(without_csv_files(result.model->description)), folder + "/fit.yaml");
  const std::string missing = draw(fit_plot(result), folder + "/fit.svg");
  if (!options.quiet) {
    std::fputs(fit_text(result).c_str(), stdout);
    std::printf("files: %s/fit.yaml, fit.json, fit.csv%s\n", folder.c_str(), missing.empty() ? ", fit.svg" : "");
  }
  if (!missing.empty()) std::fprintf(stderr, "the picture is missing: %s\n", missing.c_str());
  if (result.converged) return kDone;
  std::fprintf(stderr, "not converged: %s; try other start values (--set), or more iterations (--max-iterations)\n", result.status.c_str());
  return kFailed;
}

}  // namespace

void add_fit(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("fit", "fit values of the model file to a recording");
  auto options = std::make_shared<FitOptions>();
  FitRequest& request = options->request;
  request.threads = 0;
  options->model.add_to(*command);
  add_list(*command, "--parameters", request.parameters, "numbers of the model file to fit, starting from their values; may be repeated",
           "PATH,...")
      ->required();
  command->add_option("--reference", request.reference, "the recording: a CSV file with a column of times")
      ->type_name("FILE.csv")
      ->required();
  add_list(*command, "--channels", request.channels, "channels to compare and their columns [columns named like channels]; may be repeated",
           "CHANNEL[=COLUMN[:UNIT]],...");
  command->add_option("--time", request.time, "column of times [`time`, or the first]")->type_name("COLUMN[:UNIT]");
  add_start(*command, options->request.start, "start there");
  command->add_option("--max-iterations", request.max_iterations, "maximum number of iterations [50]")
      ->type_name("N")
      ->check(positive_count());
  command->add_option("--threads", request.threads, "parallel runs; results do not depend on it [all cores]")->check(positive_count());
  command->add_option("-o,--output", options->folder, "folder for the results [MODEL_fit]")->type_name("DIR");
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return fit_values(*options); }; });
}

}  // namespace trunnion::cli
