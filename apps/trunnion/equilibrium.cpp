// trunnion equilibrium: solve for rest; print it, write it, and a model file that starts there.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "commands.h"
#include "results/equilibrium_files.h"

namespace trunnion::cli {

namespace {

struct EquilibriumOptions {
  ModelOptions model;
  std::string folder;
  double time = 0;
  bool quiet = false;
};

int equilibrium(const EquilibriumOptions& options) {
  const auto model = options.model.load();
  const Equilibrium e = solve_equilibrium(*model, options.time);
  const std::string folder = options.folder.empty() ? options.model.stem() + "_results" : options.folder;
  write_equilibrium(model, e, options.model.file, folder);
  if (options.quiet) return kDone;
  std::printf("%s%s%s\n%s", options.model.file.c_str(), model->title.empty() ? "" : ": ", model->title.c_str(),
              equilibrium_text(model, e).c_str());
  std::printf("  %-22s %s/equilibrium.json, equilibrium.yaml\n", "files", folder.c_str());
  return kDone;
}

}  // namespace

void add_equilibrium(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("equilibrium", "solve for rest: coordinates, loops, loads and pressures together");
  auto options = std::make_shared<EquilibriumOptions>();
  options->model.add_to(*command);
  command->add_option("-o,--output", options->folder, "folder for the results [MODEL_results]")->type_name("DIR");
  command->add_option("--at", options->time, "time of the signals' values [0]")->type_name("SECONDS")->check(finite());
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return equilibrium(*options); }; });
}

}  // namespace trunnion::cli
