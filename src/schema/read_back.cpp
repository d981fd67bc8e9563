// Description -> tree -> description.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/read_back.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "schema/check.h"
#include "schema/reader.h"
#include "schema/schema.h"
#include "schema/writer.h"

namespace trunnion {

namespace {

/// Reports texts that no file can contain, and makes them printable for messages.
void check_text(std::string& text, const std::string& path, Findings& out) {
  if (find_invalid_utf8(text) != std::string::npos)
    out.push_back({{}, path, "the text is not UTF-8", "a text in UTF-8", ""});
  else if (const std::size_t control = find_control_character(text); control != std::string::npos)
    out.push_back({{},
                   path,
                   "the text contains the control character " + control_character_at(text, control),
                   "a text without control characters",
                   ""});
  else
    return;
  text = printable(text);
}

/// The tree as if from a text in one line.
void prepare(FileTree& tree, const std::string& path, Findings& out) {
  const auto below = [&](const std::string& name) { return path.empty() ? name : path + "." + name; };
  tree.line = tree.column = 1;
  if (tree.quoted) check_text(tree.text, path, out);
  for (std::size_t i = 0; i < tree.items.size(); ++i) prepare(tree.items[i], below(std::to_string(i)), out);
  for (FileTree::Entry& entry : tree.entries) {
    check_text(entry.key, below(printable(entry.key)), out);
    entry.line = entry.column = 1;
    prepare(entry.value, below(entry.key), out);
  }
}

/// A signal of a CSV file that was not read: there is nothing to read it with.
void refuse_csv_files(Description& description, Findings& out) {
  for (const auto& [name, signal] : description.signals)
    if (std::holds_alternative<CsvSignal>(signal))
      out.push_back({{},
                     "signals." + name + ".csv",
                     "the points of the CSV file are not set, and a model built in code reads no files",
                     "points, or a signal of another kind",
                     "load the model file instead"});
}

}  // namespace

Description read_back(const Description& description) {
  FileTree tree = write_tree(without_csv_files(description));
  Findings texts;
  prepare(tree, "", texts);
  check_unused_values(description, texts);
  try {
    Description read = read_description(tree, "", std::move(texts), refuse_csv_files);
    read.source = nullptr;
    return read;
  } catch (const InputError& error) {
    Findings findings = error.diagnostics();
    for (Diagnostic& finding : findings) finding.span = {};
    throw InputError(std::move(findings));
  }
}

}  // namespace trunnion
