// trunnion schema, trunnion reference: the format of a model file, for editors and for people.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "commands.h"

namespace trunnion::cli {

namespace {

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  if (!text.empty() && text.back() != '\n') std::fputc('\n', stdout);
  return kDone;
}

}  // namespace

void add_reference(CLI::App& app, Action& action) {
  app.add_subcommand("schema", "print the JSON Schema of model files")->callback([&action] {
    action = [] { return print(json_schema()); };
  });
  app.add_subcommand("reference", "print the reference of model files")->callback([&action] {
    action = [] { return print(model_file_reference()); };
  });
}

}  // namespace trunnion::cli
