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

// The children that fit a pattern, the elements of a list by their numbers.
template <class T>  // FileTree or const FileTree
std::vector<T*> children(T& node, const std::string& pattern) {
  std::vector<T*> found;
  if (node.kind == FileTree::Kind::list)
    for (std::size_t i = 0; i < node.items.size(); ++i)
      if (matches_pattern(pattern, std::to_string(i))) found.push_back(&node.items[i]);
  for (auto& entry : node.entries)
    if (matches_pattern(pattern, entry.key)) found.push_back(&entry.value);
  return found;
}

// An override on its way to the values at its path.
struct Setting {
  const std::string& path;
  std::vector<std::string> segments;
  const FileTree& value;
  int order;
  std::vector<Diagnostic>& diagnostics;

  void set(FileTree& node, std::size_t next) {
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
      const std::vector<FileTree*> found = children(node, segment);
      if (found.empty()) refuse("nothing fits `" + segment + "`", "a pattern of names in the file, such as cylinders.*.friction.model");
      for (FileTree* one : found) set(*one, next + 1);
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
    set(*one, next + 1);
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

void apply_override(FileTree& root, const Override& setting, int order, std::vector<Diagnostic>& diagnostics, InputBudget& budget) {
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
  Setting{setting.path, segments_of(setting.path), value, order, diagnostics}.set(root, 0);
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
    if (is_pattern(segment)) {
      const std::vector<const FileTree*> found = children(*node, segment);
      node = found.empty() ? nullptr : found.front();
    } else if (node->kind == FileTree::Kind::list) {
      node = element(*node, segment);
    } else {
      const FileTree::Entry* entry = node->find(segment);
      node = entry == nullptr ? nullptr : &entry->value;
    }
    if (node == nullptr) return nullptr;
  }
  return node;
}

}  // namespace trunnion
