// trunnion sensitivity: derivatives of a run with respect to numbers of the model file.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <thread>

#include "commands.h"
#include "results/files.h"
#include "studies/gradient_study.h"
#include "studies/sensitivity_study.h"

namespace trunnion::cli {

namespace {

struct SensitivityOptions {
  ModelOptions model;
  SensitivityRequest request;
  std::string folder;
  bool quiet = false;
  bool gradient = false;
  std::vector<double> at;  // [s]
};

constexpr std::size_t kMostRows = 15;  // of a table on the terminal

int write_gradient(const SensitivityOptions& options) {
  if (options.request.channels.empty()) throw InputError({{{"--gradient", 0, 0}, "", "no channels are given", "--channels NAME,...", ""}});
  const GradientStudy study = gradient_study(options.model.load(), options.request.parameters, options.request.channels, options.at);
  if (!study.failure.empty()) {
    std::fprintf(stderr, "%s\n", study.failure.c_str());
    return kFailed;
  }
  const std::string folder = options.folder.empty() ? options.model.stem() + "_sensitivity" : options.folder;
  make_folder(folder);
  write_text(gradient_csv(study), folder + "/gradient.csv");
  if (!options.quiet) {
    std::fputs(gradient_text(study, kMostRows).c_str(), stdout);
    std::printf("%zu parameters; files: %s/gradient.csv\n", study.parameters.size(), folder.c_str());
  }
  return kDone;
}

int differentiate(const SensitivityOptions& options) {
  if (options.gradient) return write_gradient(options);
  SensitivityRequest request = options.request;
  if (request.threads < 1) request.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const SensitivityStudy study = sensitivity_study(options.model.load(), request);
  const std::string folder = options.folder.empty() ? options.model.stem() + "_sensitivity" : options.folder;
  make_folder(folder);
  write_text(sensitivity_json(study, options.model.file), folder + "/sensitivity.json");
  write_text(sensitivity_csv(study), folder + "/sensitivity.csv");
  const std::string missing = draw(sensitivity_plot(study), folder + "/sensitivity.svg");
  if (!options.quiet) {
    std::fputs(sensitivity_text(study).c_str(), stdout);
    std::printf("files: %s/sensitivity.csv, sensitivity.json%s\n", folder.c_str(), missing.empty() ? ", sensitivity.svg" : "");
  }
  if (!missing.empty()) std::fprintf(stderr, "the picture is missing: %s\n", missing.c_str());
  if (study.response.failure.empty()) return kDone;
  std::fprintf(stderr, "%s\n", study.response.failure.c_str());
  return kFailed;
}

}  // namespace

void add_sensitivity(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("sensitivity", "derivatives of a run with respect to numbers of the model file, over time");
  auto options = std::make_shared<SensitivityOptions>();
  SensitivityRequest& request = options->request;
  request.threads = 0;
  options->model.add_to(*command);
  add_list(*command, "--parameters", request.parameters, "numbers of the model file; may be repeated [with --gradient: all]", "PATH,...");
  add_list(*command, "--channels", request.channels,
           "channels, names or patterns with a final *; may be repeated [those that the model records; with --gradient required]",
           "CHANNEL,...");
  CLI::Option* const points = command->add_option("--points", request.points, "about so many instants, at steps of the run [1000]")
                                  ->type_name("N")
                                  ->check(positive_count());
  CLI::Option* const check = command->add_flag("--check", request.check, "compare with central differences of whole runs");
  CLI::Option* const gradient = command->add_flag(
      "--gradient", options->gradient,
      "instead: of the channels at --at by all numbers, or those that --parameters (with * patterns) names, by one backward run");
  add_list(*command, "--at", options->at, "instants of a gradient [end of the run]", "SECONDS,...")->check(finite())->needs(gradient);
  gradient->excludes(points)->excludes(check);
  command->add_option("--threads", request.threads, "parallel runs; results do not depend on it [all cores]")->check(positive_count());
  command->add_option("-o,--output", options->folder, "folder for the results [MODEL_sensitivity]")->type_name("DIR");
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return differentiate(*options); }; });
}

}  // namespace trunnion::cli
