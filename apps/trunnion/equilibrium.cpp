// trunnion equilibrium, trunnion steady: solve for equilibrium or steady operation; print it, write it, and a model file that starts
// there.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "commands.h"
#include "studies/equilibrium_files.h"
#include "studies/steady_study.h"

namespace trunnion::cli {

namespace {

struct PointOptions {
  ModelOptions model;
  std::string folder;
  double time = 0;
  bool quiet = false;
};

/// solve(model, time), write(model, solution, model file, folder), text(model, solution): of the files `name`.json and `name`.yaml.
template <class Solve, class Write, class Text>
void add_point(CLI::App& app, Action& action, const char* name, const char* help, Solve solve, Write write, Text text) {
  CLI::App* command = app.add_subcommand(name, help);
  auto options = std::make_shared<PointOptions>();
  options->model.add_to(*command);
  command->add_option("-o,--output", options->folder, "folder for the results [MODEL_results]")->type_name("DIR");
  command->add_option("--at", options->time, "time of the signals' values [0]")->type_name("SECONDS")->check(not_negative());
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([=, &action] {
    action = [=] {
      const auto model = options->model.load();
      const auto solution = solve(model, options->time);
      const std::string folder = options->folder.empty() ? options->model.stem() + "_results" : options->folder;
      write(model, solution, options->model.file, folder);
      if (options->quiet) return kDone;
      std::printf("%s%s%s\n%s", options->model.file.c_str(), model->title.empty() ? "" : ": ", model->title.c_str(),
                  text(model, solution).c_str());
      std::printf("  %-22s %s/%s.json, %s.yaml\n", "files", folder.c_str(), name, name);
      return kDone;
    };
  });
}

}  // namespace

void add_equilibrium(CLI::App& app, Action& action) {
  add_point(
      app, action, "equilibrium", "solve for static equilibrium: coordinates, loops, loads and pressures together",
      [](const auto& model, double time) { return solve_equilibrium(*model, time); }, write_equilibrium, equilibrium_text);
}

void add_steady(CLI::App& app, Action& action) {
  add_point(app, action, "steady", "solve for steady operation: pumps run, oil flows, nothing changes", steady_operation, write_steady,
            steady_text);
}

}  // namespace trunnion::cli
