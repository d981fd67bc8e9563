// trunnion generate: the step of a model as C code.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <utility>

#include "base/text.h"
#include "commands.h"
#include "file/variation.h"
#include "recording/generated_files.h"
#include "results/files.h"
#include "schema/parameters.h"

namespace trunnion::cli {

namespace {

struct GenerateOptions {
  ModelOptions model;
  std::string folder;
  std::vector<std::string> parameters;
  std::size_t operations = kMostOperations;
  bool quiet = false;
};

/// A C identifier, not that of the host's file.
std::string identifier(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name.empty() || name == "host" || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "m_" + name : name;
}

/// A path or pattern, and values.
VariedPath read_parameter(const std::string& text) {
  if (text.find('=') == std::string::npos) return {text, {}};
  return split_vary(text, "--parameter");
}

/// Of --parameter. Throws InputError.
RecordedParameters recorded_parameters(const GenerateOptions& options) {
  Description description = options.model.read();
  const std::vector<Parameter> all = parameters_of(description);
  RecordedParameters chosen;
  std::vector<Override> others;
  for (const std::string& text : options.parameters) {
    const auto [path, values] = read_parameter(text);
    for (const std::string& value : values) others.push_back({path, value});
    bool found = false;
    std::vector<std::string> paths;
    for (const Parameter& parameter : all) {
      paths.push_back(parameter.path);
      if (!fits_path(path, parameter.path)) continue;
      found = true;
      if (std::find(chosen.paths.begin(), chosen.paths.end(), parameter.path) == chosen.paths.end()) chosen.paths.push_back(parameter.path);
    }
    if (found) continue;
    const std::string near = nearest_name(path, paths);
    throw InputError({Diagnostic{{"--parameter", 0, 0},
                                 path,
                                 "is no number of the model",
                                 "a path as of --set, such as " + (paths.empty() ? std::string("gravity.2") : paths.front()),
                                 near.empty() ? "" : "did you mean `" + near + "`?"}});
  }
  for (const Override& other : others) chosen.rows.push_back(values_of(options.model.read({other}), chosen.paths));
  return chosen;
}

/// Draws it on a terminal, about a hundred times a run.
RecordingProgress recording_progress(double duration, bool quiet) {
  const Progress draw = terminal_progress(duration, quiet, "recorded: ");
  if (!draw) return {};
  return [draw, duration, drawn = -1](double time, const RecordedSteps&) mutable {
    const int now = static_cast<int>(100 * time / duration);
    if (now != drawn) draw(time);
    drawn = now;
  };
}

/// What the code has of the run.
void print_ways(const GeneratedCode& code) {
  const auto part = [&](const char* name, const GeneratedCode::Part& p) {
    fmt::print("{}: {} ways with {} operations, {} in the longest, for {:.4g} % of the steps\n", name, p.ways, p.operations, p.longest,
               code.steps > 0 ? 100.0 * static_cast<double>(p.steps) / static_cast<double>(code.steps) : 0);
  };
  fmt::print("{} steps of the run\n", code.steps);
  part("compiled", code.code);
  if (code.table.ways > 0) part("in tables", code.table);
  if (!code.first_without) return;
  fmt::print("{} steps have no way, the first at t = {:g} s: a host that follows the run stops there\n",
             code.steps - code.code.steps - code.table.steps, *code.first_without);
  if (code.others > 0)
    fmt::print("{} of them are subdivided or do not converge; with solver.oil_rule: alpha no step is subdivided because pressures jump\n",
               code.others);
}

int generate(const GenerateOptions& options) {
  const auto model = options.model.load();
  const std::string stem = options.model.stem();
  const RecordedParameters parameters = recorded_parameters(options);
  const double duration = model->description.solver.duration;
  const GeneratedCode code =
      generate_code(model, identifier(stem), parameters, options.operations, recording_progress(duration, options.quiet));
  clear_progress(options.quiet);
  const std::string folder = options.folder.empty() ? stem + "_c" : options.folder;
  make_folder(folder);
  for (const auto& [name, text] : code.files) write_text(text, folder + "/" + name);
  if (!options.quiet) {
    print_ways(code);
    if (!parameters.paths.empty()) fmt::print("parameters: {}", parameters.paths.size());
    if (!code.without_influence.empty()) fmt::print("; without influence on a step: {}", fmt::join(code.without_influence, ", "));
    fmt::print("{}files in {}:", parameters.paths.empty() ? "" : "\n", folder);
    for (const auto& [name, text] : code.files) fmt::print(" {}", name);
    fmt::print("\n");
  }
  if (!code.failure.empty()) {
    fmt::print(stderr, "{}\nthe code has the steps until then\n", code.failure);
    return kFailed;
  }
  return kDone;
}

}  // namespace

void add_generate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("generate", "write the step of a model as C code");
  auto options = std::make_shared<GenerateOptions>();
  options->model.add_to(*command);
  command->add_option("-o,--output", options->folder, "folder for the code [MODEL_c]")->type_name("DIR");
  command
      ->add_option("--parameter", options->parameters,
                   "a number of the model that the code takes as a parameter; `*` in the path: every name; =VALUES: runs with these values "
                   "are recorded, too; may be repeated")
      ->type_name("PATH[=VALUES]")
      ->expected(1)
      ->take_all();
  command
      ->add_option(
          "--operations", options->operations,
          fmt::format("operations of the ways that become functions, those taken most first; others become tables [{}]", kMostOperations))
      ->type_name("N")
      ->check(not_negative_count());
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return generate(*options); }; });
}

}  // namespace trunnion::cli
