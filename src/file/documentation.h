// Documentation of the keys of a model file, for `trunnion explain`: a tree of keys, and the search in it.
// A path may be one of a model (`cylinders.lift.bore`), a pattern (`cylinders.*.bore`), one without the names of items
// (`cylinders.bore`), a form (`valves.directional`), or the end of a path (`friction.model`, `bore`).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "schema/table.h"

namespace trunnion {

/// A key of the model file.
struct DocumentedKey {
  enum class Kind {
    value,    // a number, a text, a list of them
    mapping,  // keys of its own
    section,  // items by name, each with these keys
    list,     // mappings without names, each with these keys
  };
  /// One of several ways to write a mapping, recognised by its key.
  struct Form {
    std::string key, meaning;
  };

  std::string path;     // cylinders.NAME.bore; items of lists are called N
  std::string name;     // bore
  std::string meaning;  // a sentence without a full stop
  Kind kind = Kind::value;
  std::string value;     // in words: number [m], > 0
  std::string unit;      // SI; empty where it has none
  std::string standard;  // default; empty: none
  std::string example;   // an example value; may be empty
  bool required = false;
  std::vector<std::string> forms;   // forms of the enclosing mapping that have it; empty: all
  std::vector<Form> own_forms;      // of this mapping, or of each item
  std::vector<DocumentedKey> keys;  // of this mapping, or of each item
};

/// The whole file as one mapping.
const DocumentedKey& documented_file();

/// Result of `find_documented`.
struct FoundKeys {
  std::vector<const DocumentedKey*> keys;  // one path may have several meanings in different forms; empty: no such path
  std::string form;                        // the path ends in this form of its key; empty: in the key itself
  std::string item;                        // the path ends in the name of an item of its key; empty: in the key itself
  bool by_end = false;                     // the path is the end of the found paths
  std::string hint;                        // the nearest path if none was found
};

FoundKeys find_documented(const std::string& written);

/// A value of a model.
struct WrittenValue {
  std::string path;  // cylinders.lift.bore
  std::string text;  // as YAML, SI
  SourceSpan place;  // line 0: not in the file, the default
};

/// The values of a description at a path; `*` and NAME in it stand for every item. Throws InputError if it names an unknown item;
/// `file` is named in the finding.
std::vector<WrittenValue> values_at(const Description& description, const std::string& path, const std::string& file);

/// The page about a key of `documented_file()` in the folder docs: `elements/cylinder.md`.
std::string documentation_page(const std::string& path);

/// The parts of a path between its dots.
std::vector<std::string> path_parts(const std::string& path);

}  // namespace trunnion
