// trunnion linearize: linear models, eigenvalues, root loci, sensitivities, and comparison with a run.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "commands.h"
#include "studies/linear_study.h"

namespace trunnion::cli {

namespace {

struct LinearizeOptions {
  ModelOptions model;
  LinearStudyRequest request;
  std::vector<std::string> vary;
  std::string folder, method = "reduced";
  std::string find;
  double simulate = 0, step = 0, damping_ratio = 0;
  int mode = 0;
  std::vector<double> frequencies;
  bool quiet = false;
};

/// `PATH=A:B`, with units.
ModeSearchRequest search_request(const LinearizeOptions& options) {
  const bool has_values = options.find.find('=') != std::string::npos;
  const VariedValues read = has_values ? read_variation(options.find, "--find-zero") : VariedValues{};
  if (!read.range)
    throw InputError({Diagnostic{{"--find-zero", 0, 0}, "", "found `" + options.find + "`", "PATH=A:B, the range to search", ""}});
  ModeSearchRequest request{read.path, *read.range, options.damping_ratio, {}};
  if (options.mode != 0) request.mode = options.mode;
  return request;
}

int linearize(const LinearizeOptions& options, bool simulates, bool steps) {
  LinearStudyRequest request = options.request;
  request.model_file = options.model.file;
  request.overrides = options.model.overrides();
  if (options.method == "counterpart") request.options.method = LinearMethod::counterpart;
  for (const std::string& text : options.vary) request.vary.push_back(split_vary(text));
  if (!request.increments.empty()) request.options.step = request.increments.front();
  if (simulates) request.simulate = options.simulate;
  if (!options.find.empty()) request.find = search_request(options);
  if (steps) request.frequency.step = options.step;
  if (options.frequencies.size() == 2) request.frequency.from = options.frequencies[0], request.frequency.to = options.frequencies[1];
  StudyHooks hooks;
  if (!options.quiet) {
    std::printf("%s\n", options.model.file.c_str());
    hooks.print = [](const std::string& text) {
      clear_progress(false);
      std::fputs(text.c_str(), stdout);
    };
  }
  hooks.progress = [&](const std::string& label, double duration) { return terminal_progress(duration, options.quiet, label); };
  const std::string folder = options.folder.empty() ? options.model.stem() + "_results" : options.folder;
  const std::string failure = linear_study(request, folder, hooks);
  if (failure.empty()) return kDone;
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", failure.c_str());
  return kFailed;
}

}  // namespace

void add_linearize(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("linearize", "linear model and eigenvalues about the start, rest, or times of a run");
  auto options = std::make_shared<LinearizeOptions>();
  options->model.add_to(*command);
  add_start(*command, options->request.start, "linearise there, or start the run there");
  add_list(*command, "--at", options->request.at, "linearise at these times of a run; may be repeated", "SECONDS,...")->check(finite());
  add_list(*command, "--output", options->request.options.outputs, "channels that are outputs [all]; may be repeated", "CHANNEL,...");
  command->add_option("--method", options->method, "reduced: exact, minimum size; counterpart: differences of all coordinates [reduced]")
      ->check(CLI::IsMember({"reduced", "counterpart"}));
  add_list(*command, "--difference-step", options->request.increments,
           "increment of the counterpart's differences [1e-5]; errors of the eigenvalues over several; may be repeated", "H,...")
      ->check(finite());
  add_list(*command, "--independent", options->request.options.independent,
           "coordinates that are to be independent [by pivoting]; may be repeated", "NAME,...");
  command->add_option("--vary", options->vary, "root locus: values to try, path=v1,v2,...; may be repeated for all combinations")
      ->type_name("PATH=V1,V2,...")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--pairs", options->request.pairs,
                   "root locus: values to try, a CSV file with a column per path and a row per linear model; with --vary all combinations")
      ->type_name("FILE.csv");
  add_list(*command, "--sensitivity", options->request.sensitivity,
           "sensitivities of the eigenvalues to numbers of the model file; may be repeated", "PATH,...");
  CLI::Option* find = command
                          ->add_option("--find-zero", options->find,
                                       "values of a number in this range at which an eigenvalue reaches Re = 0, or a damping ratio")
                          ->type_name("PATH=A:B");
  command->add_option("--damping-ratio", options->damping_ratio, "of --find-zero [0]")->type_name("ZETA")->needs(find)->check(finite());
  command->add_option("--mode", options->mode, "of --find-zero: follow the eigenvalue of this number [all]")
      ->type_name("NUMBER")
      ->needs(find)
      ->check(positive_count());
  CLI::Option* simulate =
      command->add_option("--simulate", options->simulate, "simulate the machine, and from this time on also the linear model")
          ->type_name("SECONDS")
          ->check(finite());
  add_list(*command, "--input", options->request.frequency.inputs,
           "frequency response, zeros, margins and modes of the paths from these inputs to the outputs; may be repeated", "NAME,...");
  command->add_flag("--bode", options->request.frequency.bode, "Bode plot of these paths");
  command->add_flag("--nyquist", options->request.frequency.nyquist, "Nyquist plot of these paths");
  CLI::Option* step = command->add_option("--step", options->step, "response to a unit step of each input, over this time")
                          ->type_name("SECONDS")
                          ->check(finite());
  command->add_option("--frequencies", options->frequencies, "range of the frequencies [by the eigenvalues]")
      ->type_name("HZ,HZ")
      ->delimiter(',')
      ->expected(2)
      ->check(finite());
  command->add_flag("--folders", options->request.folders, "with several times --at: also a folder for each, as of a single one");
  command->add_option("-o", options->folder, "folder for the results [MODEL_results]")->type_name("DIR");
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, simulate, step, &action] {
    action = [options, simulates = simulate->count() > 0, steps = step->count() > 0] { return linearize(*options, simulates, steps); };
  });
}

}  // namespace trunnion::cli
