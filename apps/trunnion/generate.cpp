// trunnion generate: the step of a model as C code.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cctype>
#include <cstdio>

#include "commands.h"
#include "recording/generated_files.h"
#include "results/files.h"

namespace trunnion::cli {

namespace {

struct GenerateOptions {
  ModelOptions model;
  std::string folder;
  bool quiet = false;
};

/// A C identifier.
std::string identifier(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "m_" + name : name;
}

int generate(const GenerateOptions& options) {
  const auto model = options.model.load();
  const std::string stem = options.model.stem();
  const GeneratedCode code = generate_code(model, identifier(stem));
  const std::string folder = options.folder.empty() ? stem + "_c" : options.folder;
  make_folder(folder);
  for (const auto& [name, text] : code.files) write_text(text, folder + "/" + name);
  if (!options.quiet) {
    fmt::print("{} steps recorded, {} ways, {} operations", code.steps - code.others, code.ways, code.operations);
    if (code.others > 0) fmt::print("; {} steps of another kind are left to the general step", code.others);
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
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return generate(*options); }; });
}

}  // namespace trunnion::cli
