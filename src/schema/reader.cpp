// Reading mappings: keys present, missing and unknown. Values: reader_values.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/reader.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "schema/check.h"

namespace trunnion {

namespace {

/// The keys allowed in a form of a mapping.
class KeyCollector : public Visitor {
 public:
  std::vector<std::string> keys;
  void leaf(const Key& key, const Slot&) override {
    keys.emplace_back(key.name);
    if (key.old_name != nullptr) keys.emplace_back(key.old_name);
  }
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

std::vector<std::string> texts_of(const std::vector<std::string_view>& names) { return {names.begin(), names.end()}; }

std::vector<std::string> names_of(const std::vector<Alternative>& alternatives) {
  std::vector<std::string> names;
  names.reserve(alternatives.size());
  for (const Alternative& a : alternatives) names.emplace_back(a.key);
  return names;
}

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_within(const std::string& path, const std::string& outer) { return path == outer || path.starts_with(outer + "."); }

// Findings about a value that could not be read are redundant.
bool follows_from(const Diagnostic& finding, const std::vector<Diagnostic>& earlier, const ReadLog& log) {
  return std::any_of(earlier.begin(), earlier.end(),
                     [&](const Diagnostic& e) { return is_within(finding.path, e.path) || is_within(e.path, finding.path); }) ||
         log.unclear.contains(finding.path) ||
         std::any_of(log.unread.begin(), log.unread.end(), [&](const std::string& path) { return is_within(finding.path, path); });
}

const std::string kCommandLine = "--set";

std::string did_you_mean(const std::string& name) { return name.empty() ? "" : "did you mean `" + name + "`?"; }

}  // namespace

bool is_item_name(const std::string& name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), allowed);
}

void Reader::read(const FileTree& root, Description& description) {
  log_.spans.set("", file_, 1, 1);
  if (root.kind == FileTree::Kind::null) return report({file_, 1, 1}, "", "the file is empty", "a model that begins with `trunnion: 1`");
  if (!is_mapping(root, "")) return;
  enter(root, "", kNowhere, [&](Visitor& v) { trunnion::describe(v, description); });
}

// ---------------------------------------------------------------- positions and messages

std::string Reader::path_of(const std::string& key) const {
  const std::string& path = frames_.back().path;
  return path.empty() ? key : path + "." + key;
}

SourceSpan Reader::span_of(const FileTree& node) const {
  return node.line > 0 ? SourceSpan{node.file ? *node.file : file_, node.line, node.column} : SourceSpan{kCommandLine, 0, 0};
}

SourceSpan Reader::span_of(const FileTree::Entry& entry) const {
  return entry.line > 0 ? SourceSpan{entry.value.file ? *entry.value.file : file_, entry.line, entry.column}
                        : SourceSpan{kCommandLine, 0, 0};
}

void Reader::set_span(const std::string& path, const FileTree& node) {
  log_.spans.set(path, node.line == 0 ? kCommandLine : node.file ? *node.file : file_, node.line, node.column);
}

void Reader::set_span(const std::string& path, const FileTree::Entry& entry) {
  log_.spans.set(path, entry.line == 0 ? kCommandLine : entry.value.file ? *entry.value.file : file_, entry.line, entry.column);
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

void Reader::enter(const FileTree& node, const std::string& path, std::size_t place, const std::function<void(Visitor&)>& describe) {
  frames_.push_back({&node, path, place});
  describe(*this);
  report_leftovers();
  frames_.pop_back();
}

// The value of a key, and its path; null if absent.
const FileTree* Reader::find(const Key& key, std::string& path) {
  Frame& frame = frames_.back();
  frame.known.emplace_back(key.name);
  visited_.push_back({key.name, frame.place, true});
  const FileTree::Entry* entry = frame.map->find(key.name);
  if (key.old_name != nullptr) entry = old_entry(key, entry);
  if (entry != nullptr) {
    path = path_of(key.name);
    set_span(path, entry->value);
    return &entry->value;
  }
  if (key.is(kRequired)) frame.missing.emplace_back(key.name);
  return nullptr;
}

// The entry of a key that also has an old name: `entry` or that of the old name, the later override if both are set. Both in the
// file, or both by the same override, is an error.
const FileTree::Entry* Reader::old_entry(const Key& key, const FileTree::Entry* entry) {
  Frame& frame = frames_.back();
  frame.old.emplace_back(key.old_name);
  const FileTree::Entry* old = frame.map->find(key.old_name);
  if (old == nullptr) return entry;
  if (entry == nullptr) return old;
  if (old->value.override_order != entry->value.override_order)
    return old->value.override_order > entry->value.override_order ? old : entry;
  report(span_of(*old), path_of(key.name), "`" + std::string(key.old_name) + "` is the old name of `" + key.name + "`, which is also given",
         "only `" + std::string(key.name) + "`");
  return entry;
}

// Reports unknown keys and missing required ones. A misspelt required key is reported once.
void Reader::report_leftovers() {
  const Frame& frame = frames_.back();
  std::set<std::string> meant;
  for (const FileTree::Entry& entry : frame.map->entries)
    if (!contains(frame.known, entry.key) && !contains(frame.old, entry.key)) report_unknown(entry, meant);
  for (const std::string_view missing : frame.missing) {
    const std::string name(missing);
    if (meant.contains(name))
      log_.unread.insert(path_of(name));
    else
      report(span_of(*frame.map), path_of(name), "the key `" + name + "` is missing");
  }
}

// The path, relative to the mapping of `frame`, of a key of this name visited below it; empty if there is no such key.
std::string Reader::below(const Frame& frame, const std::string& key) const {
  const std::size_t begin = frame.place == kNowhere ? 0 : frame.place + 1;
  for (std::size_t i = begin; i < visited_.size(); ++i) {
    if (!visited_[i].is_key || visited_[i].name != key || visited_[i].within == frame.place) continue;
    std::string path = key;
    for (std::size_t at = visited_[i].within; at != frame.place; at = visited_[at].within)
      path = std::string(visited_[at].name) + "." + path;
    return path;
  }
  return "";
}

// Drops what was visited from `begin` on, an item of a section, if another item had the same keys.
void Reader::forget_repeated(std::size_t begin) {
  std::size_t hash = visited_[begin].within;
  for (std::size_t i = begin + 1; i < visited_.size(); ++i) {
    const Visited& v = visited_[i];
    const std::size_t own = v.is_key ? std::hash<const void*>{}(v.name.data()) : std::hash<std::string_view>{}(v.name);
    hash = (hash ^ (own + (v.within - begin))) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  if (!forms_.insert(hash).second) visited_.resize(begin);
}

void Reader::report_unknown(const FileTree::Entry& entry, std::set<std::string>& meant) {
  const Frame& frame = frames_.back();
  const std::string path = path_of(entry.key);
  const auto other =
      std::find_if(frame.elsewhere.begin(), frame.elsewhere.end(), [&](const OtherForm& form) { return contains(*form.keys, entry.key); });
  if (log_.diagnostics.size() > kListedFindings && other == frame.elsewhere.end())
    return report(span_of(entry), path, entry.added ? "there is no such path" : "the key `" + entry.key + "` is not known");
  const std::string deeper = below(frame, entry.key);  // it may belong one level below
  if (other != frame.elsewhere.end()) {
    if (frame.replaced && !entry.added) return;
    const std::string hint = deeper.empty() ? "it belongs to `" + std::string(other->form) + "`" : did_you_mean(path_of(deeper));
    return report(span_of(entry), path, "`" + entry.key + "` cannot be combined with `" + frame.form + "`", "", hint);
  }
  const std::vector<std::string> known = texts_of(frame.known);
  std::string near = nearest_name(entry.key, known);
  meant.insert(near);
  if (near.empty()) near = deeper;
  if (entry.added) return report_unknown_override(entry, path, near);
  report(span_of(entry), path, "the key `" + entry.key + "` is not known", near.empty() && !frame.formless ? "one of " + either(known) : "",
         did_you_mean(near));
}

void Reader::report_unknown_override(const FileTree::Entry& entry, const std::string& path, const std::string& near) {
  std::string rest;
  for (const FileTree* node = &entry.value; node->entries.size() == 1 && node->entries[0].added; node = &node->entries[0].value)
    rest += "." + node->entries[0].key;
  const std::string expected = near.empty() && !frames_.back().known.empty() ? "one of " + either(texts_of(frames_.back().known)) : "";
  report(span_of(entry), path + rest, "there is no such path", expected, did_you_mean(near.empty() ? "" : path_of(near) + rest));
}

void Reader::leaf(const Key& key, const Slot& slot) {
  std::string path;
  if (const FileTree* node = find(key, path)) value(key, *node, path, slot);
}

void Reader::group(const Key& key, const Group& group) {
  std::string path;
  const FileTree* node = find(key, path);
  if (node == nullptr || !is_mapping(*node, path)) return;
  if (!group.present) group.create();
  enter(*node, path, visited_.size() - 1, group.describe);
}

void Reader::list(const Key& key, const Items& items) {
  std::string path;
  const FileTree* node = find(key, path);
  if (node == nullptr) return;
  const std::size_t place = visited_.size() - 1;
  if (node->kind != FileTree::Kind::list || node->items.empty())
    return report(span_of(*node), path, "found " + (node->kind == FileTree::Kind::list ? "an empty list" : node->described()),
                  "a list of mappings");
  for (const FileTree& element : node->items) {
    const std::string& number = numbers_.emplace_back(std::to_string(items.size()));
    const std::string element_path = path + "." + number;
    items.append("");
    set_span(element_path, element);
    if (!is_mapping(element, element_path)) continue;
    visited_.push_back({number, place, false});
    enter(element, element_path, visited_.size() - 1, [&](Visitor& v) { items.describe(v, items.size() - 1); });
  }
}

void Reader::section(const Key& key, const Items& items, const char* scalar_key) {
  std::string path;
  const FileTree* node = find(key, path);
  if (node == nullptr || node->kind == FileTree::Kind::null || !is_mapping(*node, path)) return;
  const std::size_t place = visited_.size() - 1;
  std::unordered_set<std::string_view> names;  // texts have each key once; descriptions built in code need not
  for (const FileTree::Entry& entry : node->entries) {
    if (!names.insert(entry.key).second) {
      report(span_of(entry), path + "." + entry.key, "the name `" + entry.key + "` is repeated", "each name once");
      continue;
    }
    const std::size_t begin = visited_.size();
    item(entry, path, place, items, scalar_key);
    if (frames_.size() == 1 && visited_.size() > begin) forget_repeated(begin);
  }
}

void Reader::item(const FileTree::Entry& entry, const std::string& section, std::size_t place, const Items& items, const char* scalar_key) {
  const std::string path = section + "." + entry.key;
  if (entry.added) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < items.size(); ++i) names.push_back(items.name(i));
    frames_.push_back({&entry.value, section, place, {names.begin(), names.end()}});
    report_unknown_override(entry, path, nearest_name(entry.key, names));
    frames_.pop_back();
    return;
  }
  if (!is_item_name(entry.key))
    return report(span_of(entry), path, "`" + entry.key + "` cannot be a name", "at most 255 letters, digits, `_` and `-`");
  items.append(entry.key);
  set_span(path, entry);
  FileTree wrapped;
  const bool wrap = scalar_key != nullptr && entry.value.kind == FileTree::Kind::scalar;
  if (wrap) {
    wrapped = FileTree::map();
    wrapped.add(scalar_key, entry.value);
    wrapped.line = entry.value.line, wrapped.column = entry.value.column;
  } else if (!is_mapping(entry.value, path)) {
    return;
  }
  visited_.push_back({entry.key, place, false});
  enter(wrap ? wrapped : entry.value, path, visited_.size() - 1, [&](Visitor& v) { items.describe(v, items.size() - 1); });
}

// ---------------------------------------------------------------- forms

// The keys of each form.
const std::vector<std::vector<std::string>>& Reader::keys_of(const std::vector<Alternative>& alternatives) {
  wanted_alternatives_.clear();
  for (const Alternative& a : alternatives) wanted_alternatives_.push_back(a.key);
  const auto known = keys_of_alternatives_.find(wanted_alternatives_);
  if (known != keys_of_alternatives_.end()) return known->second;
  std::vector<std::vector<std::string>>& keys = keys_of_alternatives_[wanted_alternatives_];
  for (const Alternative& a : alternatives) {
    KeyCollector collector;
    a.activate();
    a.describe(collector);
    keys.push_back(std::move(collector.keys));
  }
  return keys;
}

void Reader::alternatives(const std::vector<Alternative>& alternatives, bool required) {
  const Alternative* chosen = choose(alternatives, required);
  const std::vector<std::vector<std::string>>& keys = keys_of(alternatives);
  const Alternative* other = nullptr;  // notation of the same
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    if (&alternatives[i] == chosen) continue;
    if (chosen != nullptr && overrides_mix(*chosen, alternatives[i], keys[i])) {
      other = &alternatives[i];
      continue;
    }
    if (chosen != nullptr) {
      frames_.back().elsewhere.push_back({&keys[i], alternatives[i].key});
      continue;
    }
    for (const std::string& name : keys[i]) frames_.back().known.push_back(name), log_.unread.insert(path_of(name));
  }
  if (chosen == nullptr) {
    log_.unclear.insert(frames_.back().path);
    return alternatives.front().activate();
  }
  frames_.back().form = chosen->key;
  chosen->activate();
  const bool last = frames_.back().map->find(chosen->key)->value.override_order > 0;  // of the two: an override chose it
  if (!last) chosen->describe(*this);
  if (other != nullptr) {
    if (last && any_is_set(keys[static_cast<std::size_t>(other - alternatives.data())]))
      report({"--set", 0, 0}, frames_.back().path,
             "keys of `" + std::string(chosen->key) + "` and of `" + other->key + "` are set together",
             "keys of one of these two notations");
    const std::size_t missing = frames_.back().missing.size();
    other->describe(*this);
    frames_.back().missing.resize(missing);
  }
  if (last) chosen->describe(*this);
}

// Whether overrides set keys of one notation and the file those of the other.
bool Reader::overrides_mix(const Alternative& chosen, const Alternative& other, const std::vector<std::string>& keys) const {
  if (!chosen.notation && !other.notation) return false;
  const FileTree& map = *frames_.back().map;
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return map.find(key) != nullptr; }) &&
         (any_is_set({chosen.key}) || any_is_set(keys));
}

// Whether an override set one of these keys, or one within it.
bool Reader::any_is_set(const std::vector<std::string>& keys) const {
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
    const FileTree::Entry* entry = frames_.back().map->find(key);
    return entry != nullptr && entry->value.override_order > 0;
  });
}

// The form whose key is in the mapping; one set by an override replaces that of the file.
const Alternative* Reader::choose(const std::vector<Alternative>& alternatives, bool required) {
  Frame& frame = frames_.back();
  std::vector<const char*> found;
  const Alternative* chosen = nullptr;
  int order = -1;
  for (const Alternative& a : alternatives) {
    const FileTree::Entry* entry = frame.map->find(a.key);
    if (entry == nullptr) continue;
    found.push_back(a.key);
    if (entry->value.override_order > order) chosen = &a, order = entry->value.override_order;
  }
  if (found.size() > 1 && order == 0) {
    const FileTree::Entry& second = *frame.map->find(found[1]);
    report(span_of(second), frame.path, "`" + std::string(found[0]) + "` and `" + found[1] + "` are mutually exclusive",
           "only one of " + either(names_of(alternatives)));
    return nullptr;
  }
  frame.replaced = frame.replaced || found.size() > 1;
  if (found.empty() && required) {
    const std::vector<std::string> names = names_of(alternatives);
    const bool misspelt = std::any_of(frame.map->entries.begin(), frame.map->entries.end(), [&](const FileTree::Entry& entry) {
      return !nearest_name(entry.key, names).empty() && !contains(names, entry.key);
    });
    if (!misspelt) report(span_of(*frame.map), frame.path, "missing key", "one of " + either(names));
    frame.formless = !misspelt;
  }
  return chosen;
}

// ---------------------------------------------------------------- the whole

void throw_findings(std::vector<Diagnostic> findings, const std::string& file) {
  std::stable_sort(findings.begin(), findings.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    const auto rank = [&](const Diagnostic& d) { return std::tuple(d.span.file != file, d.span.file, d.span.line, d.span.column); };
    return rank(a) < rank(b);
  });
  throw InputError(std::move(findings));
}

Description read_description(const FileTree& tree, const std::string& file, std::vector<Diagnostic> earlier,
                             const std::function<void(Description&, std::vector<Diagnostic>&)>& fill) {
  ReadLog log;
  log.diagnostics = std::move(earlier);
  Description description;
  Reader(file, log).read(tree, description);
  auto source = std::make_shared<DescriptionSource>();
  source->spans = std::move(log.spans);
  description.source = source;
  if (fill) fill(description, log.diagnostics);

  const std::vector<Diagnostic> before = log.diagnostics;
  if (before.size() > kListedFindings) throw_findings(before, file);
  for (const Diagnostic& finding : check(description, log.dimensions))
    if (!follows_from(finding, before, log)) log.diagnostics.push_back(finding);
  if (!log.diagnostics.empty()) throw_findings(std::move(log.diagnostics), file);
  source->unit_warnings = doubtful_units(description, log.dimensions);
  return description;
}

}  // namespace trunnion
