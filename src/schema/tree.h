// A text as a tree of maps, lists and scalars with their positions: what YAML (file/yaml.h) and the compact form (schema/compact.h)
// have in common. Maps keep the order of the text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

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

/// Block-style YAML of a tree; lists of scalars and small maps within lists are written on one line.
std::string yaml_text(const FileTree& tree);

/// The tree as JSON text, two blanks per level; plain scalars that are numbers or booleans are not quoted.
std::string json_text(const FileTree& tree, int indent = 0);

}  // namespace trunnion
