// Overrides from the command line.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/override.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "file/yaml.h"

namespace trunnion {

namespace {

const SourceSpan kCommandLine{"--set", 0, 0};

// Marks a tree as not being in the file.
void forget_places(FileTree& tree) {
  tree.line = tree.column = 0;
  for (FileTree& item : tree.items) forget_places(item);
  for (FileTree::Entry& entry : tree.entries) {
    entry.line = entry.column = 0;
    forget_places(entry.value);
  }
}

// The element of a list, or null if it does not exist.
template <class T>  // FileTree or const FileTree
T* element(T& list, const std::string& segment) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(segment.data(), segment.data() + segment.size(), index);
  if (error != std::errc{} || end != segment.data() + segment.size() || index >= list.items.size()) return nullptr;
  return &list.items[index];
}

// The child of a mapping, created if absent; any other value is replaced by a mapping.
FileTree* child(FileTree& node, const std::string& segment) {
  if (node.kind != FileTree::Kind::map) {
    const int order = node.override_order;
    node = FileTree::map();
    node.override_order = order;
  }
  if (FileTree::Entry* entry = node.find(segment)) return &entry->value;
  FileTree& value = node.add(segment, {});
  node.entries.back().added = true;
  return &value;
}

bool is_pattern(const std::string& segment) { return segment.find('*') != std::string::npos; }

bool is_index(const std::string& segment) { return !segment.empty() && segment.find_first_not_of("0123456789") == std::string::npos; }

// The names of the children that fit a pattern, of the elements of a list their numbers.
std::vector<std::string> children(const FileTree& node, const std::string& pattern) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < node.items.size(); ++i)
    if (matches_pattern(pattern, std::to_string(i))) found.push_back(std::to_string(i));
  for (const FileTree::Entry& entry : node.entries)
    if (matches_pattern(pattern, entry.key)) found.push_back(entry.key);
  return found;
}

const FileTree* existing_child(const FileTree& node, const std::string& segment) {
  if (node.kind == FileTree::Kind::list) return element(node, segment);
  const FileTree::Entry* entry = node.find(segment);
  return entry == nullptr ? nullptr : &entry->value;
}

// An override on its way to the values at its path.
struct Setting {
  const std::string& path;
  std::vector<std::string> segments;
  const FileTree& value;
  int order;
  std::vector<Diagnostic>& diagnostics;

  /// `read`: the same node of the model as read, null if it has none.
  void set(FileTree& node, std::size_t next, const FileTree* read) {
    const bool in_list = next < segments.size() && is_index(segments[next]) && node.kind != FileTree::Kind::list;
    if (in_list && read != nullptr && read->kind == FileTree::Kind::list) node = *read;  // a default, or another notation
    node.override_order = next == 0 ? node.override_order : order;
    if (next == segments.size()) {
      node = value;
      node.override_order = order;
      return;
    }
    const std::string& segment = segments[next];
    const bool list = node.kind == FileTree::Kind::list;
    if (segment.empty()) return refuse("the path is incomplete", "names separated by dots, such as solver.step");
    if (is_pattern(segment)) {
      const std::vector<std::string> found = children(node, segment);
      if (found.empty()) refuse("nothing fits `" + segment + "`", "a pattern of names in the file, such as cylinders.*.friction.model");
      for (const std::string& name : found) set(list ? *element(node, name) : *child(node, name), next + 1, below(read, name));
      return;
    }
    // names before a pattern are not created: nothing would fit it
    const bool before_pattern = std::any_of(segments.begin() + static_cast<std::ptrdiff_t>(next), segments.end(), is_pattern);
    if (before_pattern && !list && node.find(segment) == nullptr)
      return refuse("there is no `" + segment + "`", "a pattern of names in the file, such as cylinders.*.friction.model");
    FileTree* const one = list ? element(node, segment) : child(node, segment);
    if (one == nullptr)
      return refuse("the list has no element `" + segment + "`",
                    node.items.empty() ? "" : "an index from 0 to " + std::to_string(node.items.size() - 1));
    set(*one, next + 1, below(read, segment));
  }
  static const FileTree* below(const FileTree* node, const std::string& segment) {
    return node == nullptr ? nullptr : existing_child(*node, segment);
  }
  void refuse(const std::string& found, const std::string& expected) const {
    diagnostics.push_back({kCommandLine, path, found, expected, ""});
  }
};

}  // namespace

std::vector<std::string> segments_of(const std::string& path) {
  std::vector<std::string> segments;
  std::size_t begin = 0;
  while (true) {
    const std::size_t dot = path.find('.', begin);
    segments.push_back(path.substr(begin, dot == std::string::npos ? dot : dot - begin));
    if (dot == std::string::npos) return segments;
    begin = dot + 1;
  }
}

bool reaches_into_lists(const Override& setting, const FileTree& root) {
  const std::vector<std::string> segments = segments_of(setting.path);
  return std::any_of(segments.begin(), segments.end(), is_index) &&
         (std::any_of(segments.begin(), segments.end(), is_pattern) || value_at(root, setting.path) == nullptr);
}

void apply_override(FileTree& root, const FileTree& read, const Override& setting, int order, std::vector<Diagnostic>& diagnostics,
                    InputBudget& budget) {
  FileTree value;
  try {
    check_text(setting.path, "--set");
    value = read_yaml(setting.value, "--set", diagnostics, budget);
  } catch (const InputError& error) {
    for (Diagnostic d : error.diagnostics()) {
      d.span = kCommandLine;
      d.path = setting.path;
      diagnostics.push_back(d);
    }
    return;
  }
  forget_places(value);
  Setting{setting.path, segments_of(setting.path), value, order, diagnostics}.set(root, 0, &read);
}

Override parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError({Diagnostic{kCommandLine, "", "found `" + text + "`", "path=value, such as solver.step=2ms", ""}});
  return {text.substr(0, equals), text.substr(equals + 1)};
}

const FileTree* value_at(const FileTree& root, const std::string& path) {
  const FileTree* node = &root;
  for (const std::string& segment : segments_of(path)) {
    const std::vector<std::string> found = is_pattern(segment) ? children(*node, segment) : std::vector{segment};
    node = found.empty() ? nullptr : existing_child(*node, found.front());
    if (node == nullptr) return nullptr;
  }
  return node;
}

}  // namespace trunnion
