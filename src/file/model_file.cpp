// Reading a model: text -> tree -> repeated structure and overrides -> description -> CSV files -> checks; all findings thrown together.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/model_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "base/units.h"
#include "file/check.h"
#include "file/csv.h"
#include "file/expand.h"
#include "file/override.h"
#include "file/plausibility.h"
#include "file/reader.h"
#include "file/writer.h"

namespace trunnion {

namespace {

// Signals from CSV files, relative to the file that names them, or to `file` for names from the command line.
void read_csv_signals(Description& description, const std::string& file, double limit, std::vector<Diagnostic>& diagnostics) {
  for (auto& [name, signal] : description.signals) {
    auto* csv = std::get_if<CsvSignal>(&signal);
    if (csv == nullptr || csv->file.empty()) continue;
    const std::string path = "signals." + name + ".csv";
    const SourceSpan place = description.span(path + ".file");
    const std::filesystem::path beside(place.line > 0 ? place.file : file);
    read_csv_signal(*csv, beside.parent_path().string(), path, place, diagnostics, limit);
  }
}

bool is_within(const std::string& path, const std::string& outer) { return path == outer || path.starts_with(outer + "."); }

// Findings about a value that could not be read are redundant.
bool follows_from(const Diagnostic& finding, const std::vector<Diagnostic>& earlier, const ReadLog& log) {
  return std::any_of(earlier.begin(), earlier.end(),
                     [&](const Diagnostic& e) { return is_within(finding.path, e.path) || is_within(e.path, finding.path); }) ||
         log.unclear.contains(finding.path) ||
         std::any_of(log.unread.begin(), log.unread.end(), [&](const std::string& path) { return is_within(finding.path, path); });
}

void sort_by_place(std::vector<Diagnostic>& diagnostics, const std::string& file) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    const auto rank = [&](const Diagnostic& d) { return std::tuple(d.span.file != file, d.span.file, d.span.line, d.span.column); };
    return rank(a) < rank(b);
  });
}

}  // namespace

Description parse_model(const std::string& text, const std::string& file_name, const std::vector<Override>& overrides) {
  ReadLog log;
  const auto refuse = [&] {
    sort_by_place(log.diagnostics, file_name);
    throw InputError(log.diagnostics);
  };
  const ExpandedTree trees = read_expanded(text, file_name, overrides, log.diagnostics);
  if (!trees.complete) refuse();
  Description description;
  Reader(file_name, log).read(trees.expanded, description);
  description.spans = std::move(log.spans);
  read_csv_signals(description, file_name, limits_of(overrides).input_size, log.diagnostics);

  const std::vector<Diagnostic> earlier = log.diagnostics;
  if (earlier.size() > kListedFindings) refuse();
  for (const Diagnostic& finding : check(description, log.dimensions))
    if (!follows_from(finding, earlier, log)) log.diagnostics.push_back(finding);
  if (!log.diagnostics.empty()) refuse();
  description.unit_warnings = doubtful_units(description, log.dimensions);
  return description;
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

std::vector<Diagnostic> check_description(const Description& description) { return check(description, {}); }

}  // namespace trunnion
