// trunnion curve: the force-velocity curve of an actuator of a quasistatic circuit, and families of curves.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "commands.h"
#include "results/files.h"
#include "studies/curve_family.h"

namespace trunnion::cli {

namespace {

struct CurveOptions {
  ModelOptions model;
  CurveRequest request;
  std::vector<std::string> vary;
  std::string folder, velocity;
  bool quiet = false;
};

int curve(const CurveOptions& options) {
  CurveRequest request = options.request;
  request.model_file = options.model.file;
  request.overrides = options.model.overrides();
  for (const std::string& text : options.vary) request.vary.push_back(split_vary(text));
  if (!options.velocity.empty()) request.velocity = options.velocity;
  const CurveFamily family = curve_family(request);
  const std::string folder = options.folder.empty() ? options.model.stem() + "_curve" : options.folder;
  make_folder(folder);
  write_text(curve_csv(family), folder + "/curve.csv");
  write_text(curve_json(family, options.model.file), folder + "/curve.json");
  const std::string missing = draw(curve_plot(family), folder + "/curve.svg");
  if (!options.quiet) {
    std::fputs(curve_text(family).c_str(), stdout);
    std::printf("files: %s/curve.csv, curve.json%s\n", folder.c_str(), missing.empty() ? ", curve.svg" : "");
  }
  if (!missing.empty()) std::fprintf(stderr, "the picture is missing: %s\n", missing.c_str());
  return kDone;
}

}  // namespace

void add_curve(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("curve", "force-velocity curve of a quasistatic actuator, or a family of curves");
  auto options = std::make_shared<CurveOptions>();
  options->model.add_to(*command);
  const auto repeated = [&](const char* name, std::vector<std::string>& values, const char* help, const char* type) {
    command->add_option(name, values, help)->type_name(type)->expected(1)->take_all();
  };
  command->add_option("--actuator", options->request.actuator, "name of the cylinder or motor [the only quasistatic one]")
      ->type_name("NAME");
  repeated("--vary", options->vary, "values of the model file to draw curves for, path=v1,v2,...; may be repeated for all combinations",
           "PATH=V1,V2,...");
  repeated("--command", options->request.commands,
           "lever value instead of its signal, of the actuator or of another on the pump; several values make a family; may be repeated",
           "[NAME=]U1,U2,...");
  repeated("--moving", options->request.moving,
           "velocity of another actuator on the pump [at rest]; several values make a family; may be repeated", "NAME=V1,V2,...");
  command->add_option("--at", options->request.at, "time at which signals are read [0 s]")->type_name("TIME");
  command->add_option("--velocity", options->velocity, "range of velocities [between the saturations by the relief valves, plus a margin]")
      ->type_name("FROM,TO");
  command->add_option("--points", options->request.points, "evenly spaced points; zero and breakpoints are added [201]")
      ->type_name("N")
      ->check(not_negative_count());
  command->add_option("-o,--output", options->folder, "folder for the results [MODEL_curve]")->type_name("DIR");
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return curve(*options); }; });
}

}  // namespace trunnion::cli
