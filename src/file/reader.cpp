// Reading mappings: which keys stand there, which are missing, which are not known. Values: reader_values.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/reader.h"

#include <algorithm>

#include "file/input.h"

namespace trunnion {

namespace {

/// The keys that a form of a mapping may have.
class KeyCollector : public Visitor {
 public:
  std::vector<std::string> keys;
  void leaf(const Key& key, const Slot&) override { keys.emplace_back(key.name); }
  void group(const Key& key, const Group&) override { keys.emplace_back(key.name); }
  void section(const Key& key, const Items&, const char*) override { keys.emplace_back(key.name); }
  void list(const Key& key, const Items&) override { keys.emplace_back(key.name); }
  void alternatives(const std::vector<Alternative>& alternatives, bool) override {
    for (const Alternative& a : alternatives) {
      a.activate();
      a.describe(*this);
    }
  }
};

// "`rod`, `box` or `sphere`"
std::string either(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "`" : i + 1 == names.size() ? " or `" : ", `") + names[i] + "`";
  return text;
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string did_you_mean(const std::string& name) { return name.empty() ? "" : "did you mean `" + name + "`?"; }

}  // namespace

bool is_item_name(const std::string& name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), allowed);
}

void Reader::read(const FileTree& root, Description& description) {
  log_.spans[""] = {file_, 1, 1};
  if (root.kind == FileTree::Kind::null) return report({file_, 1, 1}, "", "the file is empty", "a model that begins with `trunnion: 1`");
  if (!is_mapping(root, "")) return;
  enter(root, "", [&](Visitor& v) { trunnion::describe(v, description); });
}

// ---------------------------------------------------------------- places and messages

std::string Reader::path_of(const std::string& key) const {
  const std::string& path = frames_.back().path;
  return path.empty() ? key : path + "." + key;
}

SourceSpan Reader::span_of(const FileTree& node) const {
  return node.line > 0 ? SourceSpan{node.file ? *node.file : file_, node.line, node.column} : SourceSpan{"--set", 0, 0};
}

SourceSpan Reader::span_of(const FileTree::Entry& entry) const {
  return entry.line > 0 ? SourceSpan{entry.value.file ? *entry.value.file : file_, entry.line, entry.column} : SourceSpan{"--set", 0, 0};
}

void Reader::report(const SourceSpan& span, const std::string& path, const std::string& found, const std::string& expected,
                    const std::string& hint) {
  log_.diagnostics.push_back({span, path, found, expected, hint});
}

bool Reader::is_mapping(const FileTree& node, const std::string& path) {
  if (node.kind == FileTree::Kind::map) return true;
  report(span_of(node), path, "found " + node.described(), "a mapping of keys to values");
  return false;
}

// ---------------------------------------------------------------- one mapping

void Reader::enter(const FileTree& node, const std::string& path, const std::function<void(Visitor&)>& describe) {
  frames_.push_back({&node, path, {}, {}, "", {}, false});
  describe(*this);
  report_leftovers();
  frames_.pop_back();
}

const FileTree* Reader::find(const Key& key) {
  Frame& frame = frames_.back();
  frame.known.emplace_back(key.name);
  known_paths_.push_back(path_of(key.name));
  if (const FileTree::Entry* entry = frame.map->find(key.name)) {
    log_.spans[path_of(key.name)] = span_of(entry->value);
    return &entry->value;
  }
  if (key.is(kRequired)) frame.missing.emplace_back(key.name);
  return nullptr;
}

// Keys that nothing asked for, and required keys that are not there. A misspelt required key is reported once.
void Reader::report_leftovers() {
  const Frame& frame = frames_.back();
  std::set<std::string> meant;
  for (const FileTree::Entry& entry : frame.map->entries)
    if (!contains(frame.known, entry.key)) report_unknown(entry, meant);
  for (const std::string& name : frame.missing) {
    if (meant.contains(name))
      log_.unread.insert(path_of(name));
    else
      report(span_of(*frame.map), path_of(name), "the key `" + name + "` is missing");
  }
}

void Reader::report_unknown(const FileTree::Entry& entry, std::set<std::string>& meant) {
  const Frame& frame = frames_.back();
  const std::string path = path_of(entry.key);
  if (log_.diagnostics.size() > kListedFindings && !frame.elsewhere.contains(entry.key))
    return report(span_of(entry), path, entry.added ? "there is no such path" : "the key `" + entry.key + "` is not known");
  // perhaps it belongs one level below
  const auto is_below = [&](const std::string& known) { return known.starts_with(path_of("")) && known.ends_with("." + entry.key); };
  const auto below = std::find_if(known_paths_.begin(), known_paths_.end(), is_below);
  const std::string deeper = below == known_paths_.end() ? "" : below->substr(path_of("").size());
  if (const auto other = frame.elsewhere.find(entry.key); other != frame.elsewhere.end()) {
    if (frame.replaced && !entry.added) return;
    const std::string hint = deeper.empty() ? "it belongs to `" + other->second + "`" : did_you_mean(path_of(deeper));
    return report(span_of(entry), path, "`" + entry.key + "` does not go with `" + frame.form + "`", "", hint);
  }
  std::string near = nearest_name(entry.key, frame.known);
  meant.insert(near);
  if (near.empty()) near = deeper;
  if (entry.added) return report_unknown_override(entry, path, near);
  report(span_of(entry), path, "the key `" + entry.key + "` is not known", near.empty() ? "one of " + either(frame.known) : "",
         did_you_mean(near));
}

void Reader::report_unknown_override(const FileTree::Entry& entry, const std::string& path, const std::string& near) {
  std::string rest;
  for (const FileTree* node = &entry.value; node->entries.size() == 1 && node->entries[0].added; node = &node->entries[0].value)
    rest += "." + node->entries[0].key;
  const std::string expected = near.empty() && !frames_.back().known.empty() ? "one of " + either(frames_.back().known) : "";
  report(span_of(entry), path + rest, "there is no such path", expected, did_you_mean(near.empty() ? "" : path_of(near) + rest));
}

void Reader::leaf(const Key& key, const Slot& slot) {
  if (const FileTree* node = find(key)) value(key, *node, path_of(key.name), slot);
}

void Reader::group(const Key& key, const Group& group) {
  const FileTree* node = find(key);
  if (node == nullptr || !is_mapping(*node, path_of(key.name))) return;
  if (!group.present) group.create();
  enter(*node, path_of(key.name), group.describe);
}

void Reader::list(const Key& key, const Items& items) {
  const FileTree* node = find(key);
  if (node == nullptr) return;
  const std::string path = path_of(key.name);
  if (node->kind != FileTree::Kind::list || node->items.empty())
    return report(span_of(*node), path, "found " + (node->kind == FileTree::Kind::list ? "an empty list" : node->described()),
                  "a list of mappings");
  for (const FileTree& element : node->items) {
    const std::string element_path = path + "." + std::to_string(items.size());
    items.append("");
    log_.spans[element_path] = span_of(element);
    if (!is_mapping(element, element_path)) continue;
    enter(element, element_path, [&](Visitor& v) { items.describe(v, items.size() - 1); });
  }
}

void Reader::section(const Key& key, const Items& items, const char* scalar_key) {
  const FileTree* node = find(key);
  if (node == nullptr || node->kind == FileTree::Kind::null || !is_mapping(*node, path_of(key.name))) return;
  for (const FileTree::Entry& entry : node->entries) item(entry, key, items, scalar_key);
}

void Reader::item(const FileTree::Entry& entry, const Key& key, const Items& items, const char* scalar_key) {
  const std::string path = path_of(key.name) + "." + entry.key;
  if (entry.added) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < items.size(); ++i) names.push_back(items.name(i));
    frames_.push_back({&entry.value, path_of(key.name), names, {}, "", {}, false});
    report_unknown_override(entry, path, nearest_name(entry.key, names));
    frames_.pop_back();
    return;
  }
  if (!is_item_name(entry.key))
    return report(span_of(entry), path, "`" + entry.key + "` cannot be a name", "at most 255 letters, digits, `_` and `-`");
  items.append(entry.key);
  log_.spans[path] = span_of(entry);
  FileTree wrapped = FileTree::map();
  const bool wrap = scalar_key != nullptr && entry.value.kind == FileTree::Kind::scalar;
  if (wrap) {
    wrapped.add(scalar_key, entry.value);
    wrapped.line = entry.value.line, wrapped.column = entry.value.column;
  } else if (!is_mapping(entry.value, path)) {
    return;
  }
  enter(wrap ? wrapped : entry.value, path, [&](Visitor& v) { items.describe(v, items.size() - 1); });
}

// ---------------------------------------------------------------- forms

void Reader::alternatives(const std::vector<Alternative>& alternatives, bool required) {
  const Alternative* chosen = choose(alternatives, required);
  for (const Alternative& other : alternatives) {
    if (&other == chosen) continue;
    KeyCollector collector;
    other.activate();
    other.describe(collector);
    for (const std::string& name : collector.keys) {
      if (chosen != nullptr)
        frames_.back().elsewhere.emplace(name, other.key);
      else
        frames_.back().known.push_back(name), log_.unread.insert(path_of(name));
    }
  }
  if (chosen == nullptr) {
    log_.unclear.insert(frames_.back().path);
    return alternatives.front().activate();
  }
  frames_.back().form = chosen->key;
  chosen->activate();
  chosen->describe(*this);
}

// The form whose key stands in the mapping; one set by an override replaces that of the file.
const Alternative* Reader::choose(const std::vector<Alternative>& alternatives, bool required) {
  Frame& frame = frames_.back();
  std::vector<std::string> names, found;
  const Alternative* chosen = nullptr;
  int order = -1;
  for (const Alternative& a : alternatives) {
    names.emplace_back(a.key);
    const FileTree::Entry* entry = frame.map->find(a.key);
    if (entry == nullptr) continue;
    found.emplace_back(a.key);
    if (entry->value.override_order > order) chosen = &a, order = entry->value.override_order;
  }
  if (found.size() > 1 && order == 0) {
    const FileTree::Entry& second = *frame.map->find(found[1]);
    report(span_of(second), frame.path, "`" + found[0] + "` and `" + found[1] + "` stand side by side", "only one of " + either(names));
    return nullptr;
  }
  frame.replaced = frame.replaced || found.size() > 1;
  if (found.empty() && required) {
    const bool misspelt = std::any_of(frame.map->entries.begin(), frame.map->entries.end(), [&](const FileTree::Entry& entry) {
      return !nearest_name(entry.key, names).empty() && !contains(names, entry.key);
    });
    if (!misspelt) report(span_of(*frame.map), frame.path, "there is none of " + either(names));
  }
  return chosen;
}

}  // namespace trunnion
