// Reading a model: text -> tree -> repeated structure and overrides -> description -> CSV files and linear models -> checks; all findings thrown together.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/model_file.h"

#include <cmath>
#include <filesystem>

#include "base/units.h"
#include "file/csv.h"
#include "file/expand.h"
#include "file/linear_file.h"
#include "file/mesh_file.h"
#include "file/override.h"
#include "schema/reader.h"
#include "schema/writer.h"

namespace trunnion {

namespace {

// Signals from CSV files, relative to the file that names them, or to `file` for names from the command line.
void read_csv_signals(Description& description, const std::string& file, double limit, std::vector<Diagnostic>& diagnostics) {
  for (auto& [name, signal] : description.signals) {
    auto* csv = std::get_if<CsvSignal>(&signal);
    if (csv == nullptr || csv->file.empty()) continue;
    const std::string path = "signals." + name + ".csv";
    const SourceSpan place = span_of(description, path + ".file");
    const std::filesystem::path beside(place.line > 0 ? place.file : file);
    read_csv_signal(*csv, beside.parent_path().string(), path, place, diagnostics, limit);
  }
}

// Likewise, matrices of control blocks.
void read_linear_files(Description& description, const std::string& file, double limit, std::vector<Diagnostic>& diagnostics) {
  for (auto& [name, block] : description.control) {
    auto* system = std::get_if<StateSpaceBlock>(&block.law);
    if (system == nullptr || system->file.empty()) continue;
    const std::string path = "control." + name + ".state_space";
    const SourceSpan place = span_of(description, path + ".file");
    const std::filesystem::path beside(place.line > 0 ? place.file : file);
    read_linear_file(*system, beside.parent_path().string(), path, place, diagnostics, limit);
  }
}

}  // namespace

Description parse_model(const std::string& text, const std::string& file_name, const std::vector<Override>& overrides) {
  std::vector<Diagnostic> findings;
  const ExpandedTree trees = read_expanded(text, file_name, overrides, findings);
  if (!trees.complete) throw_findings(std::move(findings), file_name);
  return read_description(trees.expanded, file_name, std::move(findings), [&](Description& description, std::vector<Diagnostic>& more) {
    read_csv_signals(description, file_name, limits_of(overrides).input_size, more);
    read_linear_files(description, file_name, limits_of(overrides).input_size, more);
    locate_mesh_files(description, file_name, more);
  });
}

Description load_model(const std::string& path, const std::vector<Override>& overrides) {
  return parse_model(file_text(path, "model file", limits_of(overrides).input_size), path, overrides);
}

double number_at(const std::string& file, const std::vector<Override>& overrides, const std::string& path, const std::string& option) {
  const Description description = load_model(file, overrides);
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError({Diagnostic{{option, 0, 0}, path, found, expected, ""}});
  };
  std::vector<Diagnostic> ignored;  // load_model has reported them
  const ExpandedTree trees = read_expanded(file_text(file, "model file", limits_of(overrides).input_size), file, overrides, ignored);
  const FileTree defaults = write_tree(description), *node = value_at(trees.expanded, path);
  if (node == nullptr) node = value_at(trees.written, path);
  if (node == nullptr) node = value_at(defaults, path);
  const auto as_override = [&](const std::string& value) {
    std::vector<Override> with = overrides;
    with.push_back({path, value});
    try {
      return load_model(file, with);
    } catch (const InputError& error) {
      std::vector<Diagnostic> findings = error.diagnostics();
      for (Diagnostic& d : findings)
        if (d.span.file == "--set") d.span.file = option;
      throw InputError(std::move(findings));
    }
  };
  if (node == nullptr) {
    (void)as_override("1");  // throws if the path is wrong
    refuse("there is no value", "a number");
  }
  const QuantityText read = node->kind == FileTree::Kind::scalar ? read_quantity(node->text) : QuantityText{};
  if (!read.quantity) refuse("found " + node->described(), "a number");
  const double value = read.quantity->value;
  if (write_model(as_override(number_text(value))) != write_model(description)) refuse("this number cannot be set on its own", "");
  try {
    if (value == std::round(value)) (void)as_override(number_text(value + 0.5));
  } catch (const InputError& error) {
    for (const Diagnostic& d : error.diagnostics())
      if (d.expected == kWholeNumber) refuse("found " + node->described() + ", which can only be a whole number", "a number");
  }
  return value;
}

}  // namespace trunnion
