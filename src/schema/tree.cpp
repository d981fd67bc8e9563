// Nodes of trees.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/tree.h"

namespace trunnion {

const FileTree::Entry* FileTree::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

FileTree::Entry* FileTree::find(std::string_view key) { return const_cast<Entry*>(static_cast<const FileTree*>(this)->find(key)); }

std::string FileTree::described() const {
  constexpr std::size_t kLongest = 60;
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a mapping";
    case Kind::scalar:
      break;
  }
  return "`" + (text.size() <= kLongest ? text : text.substr(0, kLongest) + "...") + "`";
}

FileTree FileTree::scalar(std::string text, bool quoted) {
  FileTree tree = of_kind(Kind::scalar);
  tree.text = std::move(text);
  tree.quoted = quoted;
  return tree;
}

FileTree FileTree::list() { return of_kind(Kind::list); }

FileTree FileTree::map() { return of_kind(Kind::map); }

FileTree FileTree::of_kind(Kind kind) {
  FileTree tree;
  tree.kind = kind;
  return tree;
}

FileTree FileTree::without_children() const {
  FileTree tree = of_kind(kind);
  tree.text = text, tree.quoted = quoted;
  tree.line = line, tree.column = column, tree.file = file, tree.override_order = override_order;
  return tree;
}

FileTree& FileTree::add(const std::string& key, FileTree value) {
  entries.push_back({key, std::move(value)});
  return entries.back().value;
}

}  // namespace trunnion
