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
  bool quiet = false;
};

/// A C identifier.
std::string identifier(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "m_" + name : name;
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

int generate(const GenerateOptions& options) {
  const auto model = options.model.load();
  const std::string stem = options.model.stem();
  const RecordedParameters parameters = recorded_parameters(options);
  const GeneratedCode code = generate_code(model, identifier(stem), parameters);
  const std::string folder = options.folder.empty() ? stem + "_c" : options.folder;
  make_folder(folder);
  for (const auto& [name, text] : code.files) write_text(text, folder + "/" + name);
  if (!options.quiet) {
    fmt::print("{} steps recorded, {} ways, {} operations", code.steps - code.others, code.ways, code.operations);
    if (code.others > 0) fmt::print("; {} steps of another kind are left to the general step", code.others);
    if (!parameters.paths.empty()) fmt::print("\nparameters: {}", parameters.paths.size());
    if (!code.without_influence.empty()) fmt::print("; without influence on a step: {}", fmt::join(code.without_influence, ", "));
    fmt::print("\nfiles in {}:", folder);
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
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return generate(*options); }; });
}

}  // namespace trunnion::cli
