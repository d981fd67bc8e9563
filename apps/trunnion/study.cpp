// trunnion study: published studies, reproduced with any suitable model.
// formulations   work and precision over treatment, coordinates, integrator and step
// cosimulation   maximum length of communication steps: the sweep of Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation)
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/units.h"
#include "commands.h"
#include "description/integrators.h"
#include "results/files.h"
#include "schema/table.h"
#include "studies/cosimulation_figures.h"
#include "studies/cosimulation_study.h"
#include "studies/formulation_study.h"

namespace trunnion::cli {

namespace {

constexpr double kLongestStep = 1;  // [s] maximum step accepted by an option

struct StudyOptions {
  ModelOptions model;
  std::string folder;
  std::vector<std::string> variables, treatments, oil;
  std::vector<int> orders;
  std::string prediction = "both", coordinates = "cartesian", friction = "hydraulics";
  std::string min_step = "0.2 ms", max_step = "20 ms", limit = "5 mm";
  int mechanism_order = -1, threads = 0;
  bool quick = false, overwrite = false, quiet = false;
};

/// A positive quantity with its unit, or SI.
double quantity(const std::string& text, const Measure& measure, const std::string& option) {
  const QuantityText read = read_quantity(text);
  if (read.quantity && (!read.quantity->has_unit || fits(read.quantity->dimension, measure)) && read.quantity->value > 0 &&
      (&measure != &kTime || read.quantity->value <= kLongestStep))
    return read.quantity->value;
  throw Error(fmt::format("{}: '{}' is not {} greater than 0, such as {}", option, text, measure.name, measure.example));
}

/// `rk4@0.1ms`
OilIntegration oil_of(const std::string& text) {
  const std::size_t at = text.find('@');
  const std::string word = text.substr(0, at);
  OilIntegration oil;
  if (word == "euler")
    oil.integrator = IntegratorKind::euler;
  else if (word == "rk4")
    oil.integrator = IntegratorKind::rk4;
  else if (word == "trapezoidal")
    oil.integrator = IntegratorKind::trapezoidal;
  else
    throw Error(fmt::format("--oil: '{}' is not an oil integrator; expected euler, rk4 or trapezoidal, and its step: rk4@0.1ms", word));
  if (at != std::string::npos) oil.step = quantity(text.substr(at + 1), kTime, "--oil");
  return oil;
}

CosimulationRequest request_of(const StudyOptions& options) {
  CosimulationRequest request;
  request.machine = options.model.read();
  if (!options.variables.empty()) request.variables.clear();
  for (const std::string& word : options.variables)
    request.variables.push_back(word == "velocity_force" ? CouplingVariables::velocity_force : CouplingVariables::velocity_pressure);
  if (!options.treatments.empty()) request.treatments.clear();
  for (const std::string& word : options.treatments)
    request.treatments.push_back(word == "ali1" ? MechanismTreatment::ali1 : MechanismTreatment::ali3p);
  for (const std::string& text : options.oil) request.oil.push_back(oil_of(text));
  request.orders = options.orders;
  request.polynomials = options.prediction != "interface_model";
  request.interface_model = options.prediction != "polynomial";
  request.coordinates = options.coordinates == "relative" ? CoordinateKind::relative : CoordinateKind::cartesian;
  request.friction = options.friction == "mechanism" ? FrictionSide::mechanism : FrictionSide::hydraulics;
  if (options.mechanism_order >= 0) request.mechanism_order = options.mechanism_order;
  request.min_step = quantity(options.min_step, kTime, "--min-step");
  request.max_step = quantity(options.max_step, kTime, "--max-step");
  if (request.min_step > request.max_step)
    throw Error(fmt::format("--max-step: {:g} s is shorter than --min-step, {:g} s", request.max_step, request.min_step));
  request.limit = quantity(options.limit, kLength, "--limit");
  request.quick = options.quick;
  request.threads = options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return request;
}

int study_cosimulation(const StudyOptions& options) {
  const std::string folder = options.folder.empty() ? options.model.stem() + "_cosimulation" : options.folder;
  const bool there = std::filesystem::exists(folder + "/study.json");
  if (there && !options.overwrite)
    throw Error(fmt::format("{} holds the results of a study; --overwrite replaces them, -o DIR writes elsewhere", folder));
  const CosimulationRequest request = request_of(options);
  make_folder(folder);  // before minutes of computation
  StudyProgress progress;
  if (!options.quiet && isatty(STDERR_FILENO) != 0)
    progress = [](int done, int all, const std::string& what) {
      std::fprintf(stderr, "\r\033[K%s %d/%d", what.c_str(), done, all);
      std::fflush(stderr);
    };
  const CosimulationStudy study = cosimulation_study(request, progress);
  clear_progress(options.quiet);
  write_text(limits_csv(study), folder + "/limits.csv");
  write_text(runs_csv(study), folder + "/runs.csv");
  write_text(schemes_csv(study), folder + "/schemes.csv");
  write_text(study_json(study, options.model.file), folder + "/study.json");
  const std::string missing = write_figures(study_figures(study), folder + "/figures", study.request.threads);
  if (!options.quiet) {
    std::fputs(study_text(study).c_str(), stdout);
    std::printf("files%s: %s/limits.csv, runs.csv, schemes.csv, study.json; figures/figures.csv lists the pictures\n",
                there ? ", replacing those of the previous study" : "", folder.c_str());
  }
  if (!missing.empty()) std::fprintf(stderr, "pictures are missing: %s\n", missing.c_str());
  return kDone;
}

// ---------------------------------------------------------------- formulations

struct FormulationOptions {
  ModelOptions model;
  std::string folder;
  std::vector<std::string> treatments, coordinates, integrators, steps;
  int repeats = 3, threads = 1;
  bool overwrite = false, quiet = false;
};

/// The choices named by `words`; empty: all.
template <class Kind>
std::vector<Kind> kinds_of(const std::vector<std::string>& words, const std::vector<const char*>& known) {
  std::vector<Kind> kinds;
  kinds.reserve(words.size());
  for (const std::string& word : words) kinds.push_back(static_cast<Kind>(std::find(known.begin(), known.end(), word) - known.begin()));
  return kinds;
}

int study_formulations(const FormulationOptions& options) {
  const std::string folder = options.folder.empty() ? options.model.stem() + "_formulations" : options.folder;
  if (std::filesystem::exists(folder + "/formulations.csv") && !options.overwrite)
    throw Error(fmt::format("{} holds the results of a study; --overwrite replaces them, -o DIR writes elsewhere", folder));
  FormulationRequest request;
  request.machine = options.model.read();
  request.treatments = kinds_of<ConstraintKind>(options.treatments, constraint_words());
  request.coordinates = kinds_of<CoordinateKind>(options.coordinates, coordinate_words());
  request.integrators = kinds_of<IntegratorKind>(options.integrators, integrator_words());
  for (const std::string& step : options.steps) request.steps.push_back(quantity(step, kTime, "--step"));
  request.repeats = options.repeats;
  request.threads = options.threads;
  make_folder(folder);
  FormulationProgress progress;
  if (!options.quiet && isatty(STDERR_FILENO) != 0)
    progress = [](int done, int all) {
      std::fprintf(stderr, "\r\033[Kruns %d/%d", done, all);
      std::fflush(stderr);
    };
  const FormulationStudy study = formulation_study(request, progress);
  clear_progress(options.quiet);
  write_text(formulations_csv(study), folder + "/formulations.csv");
  write_text(formulation_times_csv(study), folder + "/times.csv");
  const std::string missing = draw(formulations_plot(study), folder + "/formulations.svg");
  if (!options.quiet) {
    std::fputs(formulations_text(study).c_str(), stdout);
    std::printf("files: %s/formulations.csv, times.csv, formulations.svg\n", folder.c_str());
  }
  if (!missing.empty()) std::fprintf(stderr, "the picture is missing: %s\n", missing.c_str());
  return kDone;
}

void add_formulations(CLI::App& command, Action& action) {
  CLI::App* app = command.add_subcommand(
      "formulations", "work and precision over treatment, coordinates, integrator and step, against the variable-step reference");
  auto options = std::make_shared<FormulationOptions>();
  options->model.add_to(*app);
  const auto words = [&](const char* name, auto& values, const char* help, const std::vector<const char*>& known) {
    add_list(*app, name, values, help, "WORD,...")->check(CLI::IsMember(std::vector<std::string>(known.begin(), known.end())));
  };
  std::vector<const char*> fixed;
  for (const Integrator& integrator : kIntegrators)
    if (integrator.has_fixed_step()) fixed.push_back(integrator.word);
  words("--constraints", options->treatments, "treatments of the constraints [all]", constraint_words());
  words("--coordinates", options->coordinates, "relative, cartesian [both]", coordinate_words());
  words("--integrator", options->integrators, "integrators of fixed steps [all]", fixed);
  add_list(*app, "--step", options->steps, "steps, each the longest one divided by a whole number [4, 2, 1, 0.5, 0.25 ms]", "TIME,...");
  app->add_option("--repeats", options->repeats, "runs of each combination, for the least time [3]")->check(positive_count());
  app->add_option("--threads", options->threads, "parallel runs; results do not depend on it, times may [1]")->check(positive_count());
  app->add_option("-o,--output", options->folder, "folder for the results [MODEL_formulations]")->type_name("DIR");
  app->add_flag("--overwrite", options->overwrite, "replace the study in the folder");
  app->add_flag("-q,--quiet", options->quiet, "print errors only");
  app->callback([options, &action] { action = [options] { return study_formulations(*options); }; });
}

}  // namespace

void add_study(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("study", "published studies, reproduced with any suitable model");
  command->require_subcommand(1);
  add_formulations(*command, action);
  CLI::App* cosimulation = command->add_subcommand(
      "cosimulation", "largest stable communication steps of mechanism and oil, by variables, prediction, treatment and integrator");
  auto options = std::make_shared<StudyOptions>();
  options->model.add_to(*cosimulation);
  add_list(*cosimulation, "--variables", options->variables, "velocity_force, velocity_pressure [both]", "WORD,...")
      ->check(CLI::IsMember({"velocity_force", "velocity_pressure"}));
  add_list(*cosimulation, "--order", options->orders, "orders 0 to 3 of the polynomials [2 for one cylinder, 1 for several]", "M,...")
      ->check(CLI::Range(0, 3));
  cosimulation->add_option("--prediction", options->prediction, "polynomial, interface_model, both [both]")
      ->check(CLI::IsMember({"polynomial", "interface_model", "both"}));
  add_list(*cosimulation, "--treatment", options->treatments, "ali1 (semi-implicit Euler), ali3p (penalty, trapezoidal rule) [both]",
           "WORD,...")
      ->check(CLI::IsMember({"ali1", "ali3p"}));
  add_list(*cosimulation, "--oil", options->oil,
           "integrators of the oil and their steps [euler, rk4 and trapezoidal at 0.1 ms, trapezoidal at 0.2, 0.5 and 1 ms]",
           "INTEGRATOR@STEP,...");
  cosimulation->add_option("--coordinates", options->coordinates, "cartesian, relative [cartesian]")
      ->check(CLI::IsMember({"cartesian", "relative"}));
  cosimulation
      ->add_option("--friction", options->friction,
                   "subsystem that evaluates friction, drag and end dampers with velocity_force: hydraulics, mechanism [hydraulics]")
      ->check(CLI::IsMember({"hydraulics", "mechanism"}));
  cosimulation
      ->add_option("--mechanism-order", options->mechanism_order,
                   "order 0 to 3 for the mechanism's own inputs [that of the polynomials; 0 with the interface model]")
      ->check(CLI::Range(0, 3));
  cosimulation->add_option("--min-step", options->min_step, "shortest communication step [0.2 ms]")->type_name("TIME");
  cosimulation->add_option("--max-step", options->max_step, "longest communication step [20 ms]")->type_name("TIME");
  cosimulation->add_option("--limit", options->limit, "error of length at which a run counts as unstable [5 mm]")->type_name("LENGTH");
  cosimulation->add_option("--threads", options->threads, "parallel runs; results do not depend on it [all cores]")
      ->check(positive_count());
  cosimulation->add_flag("--quick", options->quick, "a coarse scan with one integrator of the oil");
  cosimulation->add_option("-o,--output", options->folder, "folder for the results [MODEL_cosimulation]")->type_name("DIR");
  cosimulation->add_flag("--overwrite", options->overwrite, "replace the study in the folder");
  cosimulation->add_flag("-q,--quiet", options->quiet, "print errors only");
  cosimulation->callback([options, &action] { action = [options] { return study_cosimulation(*options); }; });
}

}  // namespace trunnion::cli
