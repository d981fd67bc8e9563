// What the table says about the paths of a model file, for `trunnion explain`: a tree of its keys, and the search in it.
// A path may be one of a model (`cylinders.lift.bore`), a pattern (`cylinders.*.bore`), one without the names of items
// (`cylinders.bore`), a form (`valves.directional`), or the end of a path (`friction.model`, `bore`).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "file/table.h"

namespace trunnion {

/// A key of the model file.
struct DocumentedKey {
  enum class Kind {
    value,    // a number, a text, a list of them
    mapping,  // keys of its own
    section,  // items by name, each with these keys
    list,     // mappings without names, each with these keys
  };
  /// One of several ways to write a mapping, recognised by a key that it has.
  struct Form {
    std::string key, meaning;
  };

  std::string path;     // cylinders.NAME.bore; items of lists are called N
  std::string name;     // bore
  std::string meaning;  // a sentence without a full stop
  Kind kind = Kind::value;
  std::string value;     // in words: number [m], > 0
  std::string unit;      // SI; empty where it has none
  std::string standard;  // what stands where the file says nothing; empty: nothing does
  std::string example;   // a value as one writes it; may be empty
  bool required = false;
  std::vector<std::string> forms;   // of the mapping it is in: those that have it; empty: all
  std::vector<Form> own_forms;      // of this mapping, or of each item
  std::vector<DocumentedKey> keys;  // of this mapping, or of each item
};

/// The whole file as one mapping.
const DocumentedKey& documented_file();

/// What `find_documented` came to.
struct FoundKeys {
  std::vector<const DocumentedKey*> keys;  // forms may give one path several meanings; empty: there is no such path
  std::string form;                        // the path ends in this form of its key; empty: in the key itself
  std::string item;                        // the path ends in the name of an item of its key; empty: in the key itself
  bool by_end = false;                     // the path is the end of theirs
  std::string hint;                        // the nearest path, where there is none
};

FoundKeys find_documented(const std::string& written);

/// A value that stands in a model.
struct WrittenValue {
  std::string path;  // cylinders.lift.bore
  std::string text;  // as YAML, SI
  SourceSpan place;  // line 0: it does not stand in the file, it is the default
};

/// The values of a description at a path; `*` and NAME in it stand for every item. Throws InputError where it names an item that a section
/// does not have; `file` stands in the finding.
std::vector<WrittenValue> values_at(const Description& description, const std::string& path, const std::string& file);

/// The page about a key of `documented_file()` in the folder docs: `elements/cylinder.md`.
std::string documentation_page(const std::string& path);

/// The parts of a path between its points.
std::vector<std::string> path_parts(const std::string& path);

}  // namespace trunnion
