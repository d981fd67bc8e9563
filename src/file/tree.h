// A YAML text as a tree of maps, lists and scalars with their positions.
// Maps keep the order of the file. Duplicate keys and keys that are not plain text are refused here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace trunnion {

class InputBudget;

struct FileTree {
  enum class Kind { null, scalar, list, map };
  struct Entry;

  Kind kind = Kind::null;
  std::string text;                           // of a scalar
  bool quoted = false;                        // the scalar was quoted
  std::vector<FileTree> items;                // of a list
  std::vector<Entry> entries;                 // of a map, in file order
  int line = 0, column = 0;                   // from 1; 0: not from the file but from an override
  std::shared_ptr<const std::string> file{};  // that contains it; null: the model file itself
  int override_order = 0;                     // number of the override that set it or something in it; 0: as in the file

  const Entry* find(std::string_view key) const;
  Entry* find(std::string_view key);
  /// The value for messages: "`text`", "a list", "a mapping", "nothing".
  std::string described() const;

  static FileTree scalar(std::string text, bool quoted = false);
  static FileTree list();
  static FileTree map();
  /// The node without items and entries.
  FileTree without_children() const;
  /// Appends a map entry and returns its value.
  FileTree& add(const std::string& key, FileTree value);

 private:
  static FileTree of_kind(Kind kind);
};

struct FileTree::Entry {
  std::string key;
  FileTree value;
  int line = 0, column = 0;  // of the key
  bool added = false;        // by an override; the file has no such key
};

/// Reads one YAML document. Throws InputError for a syntax error or an exceeded limit of `budget`; duplicate keys are added to
/// `diagnostics`.
FileTree read_yaml(const std::string& text, const std::string& file, std::vector<Diagnostic>& diagnostics, InputBudget& budget);

/// Block-style YAML of a tree; lists of scalars and small maps within lists are written on one line.
std::string yaml_text(const FileTree& tree);

/// The tree as JSON text, two blanks per level; plain scalars that are numbers or booleans are not quoted.
std::string json_text(const FileTree& tree, int indent = 0);

}  // namespace trunnion
