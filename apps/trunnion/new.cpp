// trunnion new: a commented model file to start from.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/diagnostic.h"
#include "commands.h"
#include "embedded.h"
#include "results/files.h"

namespace trunnion::cli {

namespace {

struct NewOptions {
  std::string name, kind = "pendulum";
};

std::string kind_of(const EmbeddedText& file) {
  const std::filesystem::path path(file.name);
  return path.parent_path() == "templates" ? path.stem().string() : "";
}

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const EmbeddedText& file : embedded_texts())
    if (!kind_of(file).empty()) names.push_back(kind_of(file));
  return names;
}

[[noreturn]] void refuse(const std::string& option, const std::string& found, const std::string& expected, const std::string& hint = "") {
  throw InputError({Diagnostic{{option, 0, 0}, "", found, expected, hint}});
}

/// The template, with the new name in its commands.
std::string text_of(const std::string& kind, const std::string& name) {
  for (const EmbeddedText& file : embedded_texts()) {
    if (kind_of(file) != kind) continue;
    std::string text = file.text;
    for (const char* end : {".yaml", "_results"}) {
      const std::string old = kind + end, fresh = name + end;
      for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += fresh.size()) text.replace(at, old.size(), fresh);
    }
    return text;
  }
  const std::string near = nearest_name(kind, kinds());
  refuse("--template", "there is no template `" + kind + "`", fmt::format("one of {}", fmt::join(kinds(), ", ")),
         near.empty() ? "" : "did you mean `" + near + "`?");
}

int write_new(const NewOptions& options) {
  std::filesystem::path path(options.name);
  if (path.extension() == ".yaml") path.replace_extension();
  const std::string name = path.filename().string(), file = path.string() + ".yaml";
  constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (name.empty() || name.front() == '.' || name.find_first_not_of(kAllowed) != std::string::npos)
    refuse("new", "found `" + options.name + "`", "a name of letters, digits, `_`, `-` and `.`, such as my_machine");
  const std::string text = text_of(options.kind, name);
  if (std::filesystem::exists(file)) refuse(file, "the file already exists", "an unused name", "nothing was written");
  if (path.has_parent_path()) make_folder(path.parent_path().string());
  write_text(text, file);
  fmt::print("{0} was written. Read it, then run\n  trunnion run {0}\n  trunnion plot {1} '*.pressure' --unit bar\n  trunnion report {1}\n",
             file, name + "_results");
  return kDone;
}

}  // namespace

void add_new(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("new", "write a commented model file to start from");
  auto options = std::make_shared<NewOptions>();
  command->add_option("NAME", options->name, "of the model; NAME.yaml is written")->required();
  command->add_option("--template", options->kind, fmt::format("{} [pendulum]", fmt::join(kinds(), ", ")))->type_name("TEMPLATE");
  command->callback([options, &action] { action = [options] { return write_new(*options); }; });
}

}  // namespace trunnion::cli
