// trunnion import: a model file from a robot description.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <filesystem>

#include "commands.h"
#include "file/input.h"
#include "file/urdf.h"
#include "results/files.h"

namespace trunnion::cli {

namespace {

struct ImportOptions {
  std::string file, out;
  bool floating = false;
  double max_size = InputLimits{}.input_size;  // [bytes]
};

int import(const ImportOptions& options) {
  const ImportedModel model =
      import_urdf(file_text(options.file, "robot", options.max_size, "--max-size BYTES"), options.file, options.floating);
  const std::string out = options.out.empty() ? std::filesystem::path(options.file).stem().string() + ".yaml" : options.out;
  if (std::filesystem::exists(out)) throw InputError({Diagnostic{{out, 0, 0}, "", "this file exists already", "a new name with -o", ""}});
  write_text(model.text, out);
  const auto list = [](const char* head, const std::vector<std::string>& lines) {
    if (!lines.empty()) std::printf("%s\n", head);
    for (const std::string& line : lines) std::printf("  %s\n", line.c_str());
  };
  std::printf("%s\n", out.c_str());
  list("changed:", model.changed);
  list("not imported:", model.left_out);
  return kDone;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("import", "write a model file from a robot description (URDF), and list what was not imported");
  auto options = std::make_shared<ImportOptions>();
  command->add_option("ROBOT", options->file, "URDF file")->required();
  command->add_option("-o,--output", options->out, "model file to write [name of the robot's file, .yaml]")->type_name("FILE");
  command->add_flag("--floating", options->floating, "the root link moves freely instead of being fixed to the ground");
  command->add_option("--max-size", options->max_size, "maximum size of the file, in bytes [256e6]")->type_name("BYTES")->check(positive());
  command->callback([options, &action] { action = [options] { return import(*options); }; });
}

}  // namespace trunnion::cli
