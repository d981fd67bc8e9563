// Documentation of keys: built by visiting the table, and searched by path.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/documentation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/diagnostic.h"
#include "file/value_words.h"
#include "schema/tree.h"
#include "schema/writer.h"

namespace trunnion {

namespace {

using Kind = DocumentedKey::Kind;

class DocumentationWriter : public Visitor {
 public:
  explicit DocumentationWriter(DocumentedKey& mapping, std::string prefix) : mapping_(mapping), prefix_(std::move(prefix)) {}

  void leaf(const Key& key, const Slot& slot) override {
    DocumentedKey own = started(key, Kind::value);
    own.value = value_words(key, slot);
    own.unit = key.measure.unit;
    own.standard = default_words(key, slot);
    own.example = example_words(key, slot);
    add(std::move(own));
  }
  void group(const Key& key, const Group& group) override {
    if (!group.present) group.create();
    DocumentedKey own = started(key, Kind::mapping);
    own.value = "mapping";
    fill(own, own.path + ".", group.describe);
    add(std::move(own));
  }
  void section(const Key& key, const Items& items, const char*) override {
    DocumentedKey own = started(key, Kind::section);
    own.value = "items by name";
    fill(own, own.path + ".NAME.", items.describe_sample);
    add(std::move(own));
  }
  void list(const Key& key, const Items& items) override {
    DocumentedKey own = started(key, Kind::list);
    own.value = "list of mappings";
    fill(own, own.path + ".N.", items.describe_sample);
    add(std::move(own));
  }
  void alternatives(const std::vector<Alternative>& alternatives, bool) override {
    const std::string outer = form_;
    for (const Alternative& a : alternatives) {
      form_ = a.key;
      mapping_.own_forms.push_back({a.key, a.doc});
      a.activate();
      a.describe(*this);
    }
    form_ = outer;
  }

 private:
  DocumentedKey started(const Key& key, Kind kind) const {
    DocumentedKey own;
    own.path = prefix_ + key.name, own.name = key.name, own.meaning = key.doc, own.kind = kind;
    own.required = key.is(kRequired);
    if (!form_.empty()) own.forms = {form_};
    return own;
  }
  static void fill(DocumentedKey& own, const std::string& prefix, const std::function<void(Visitor&)>& describe) {
    DocumentationWriter within(own, prefix);
    describe(within);
  }
  /// A key that is the same in several forms is listed once.
  void add(DocumentedKey own) {
    const auto at = std::find_if(mapping_.keys.begin(), mapping_.keys.end(), [&](const DocumentedKey& k) { return alike(k, own); });
    if (at == mapping_.keys.end())
      mapping_.keys.push_back(std::move(own));
    else if (!own.forms.empty() && !at->forms.empty())
      at->forms.push_back(own.forms.front());
  }

  static bool alike(const DocumentedKey& a, const DocumentedKey& b) {
    return a.name == b.name && a.meaning == b.meaning && a.value == b.value && a.standard == b.standard && a.required == b.required &&
           std::equal(a.keys.begin(), a.keys.end(), b.keys.begin(), b.keys.end(), alike);
  }

  DocumentedKey& mapping_;
  std::string prefix_;
  std::string form_;  // being described
};

bool names_items(const DocumentedKey& key) { return key.kind == Kind::section || key.kind == Kind::list; }

bool has_form(const DocumentedKey& key, const std::string& form) {
  return std::any_of(key.own_forms.begin(), key.own_forms.end(), [&](const auto& f) { return f.key == form; });
}

/// Follows `parts` from index i below `key` and adds the keys found. The names of items may be omitted.
void follow(const DocumentedKey& key, const std::vector<std::string>& parts, std::size_t i, FoundKeys& found) {
  if (i == parts.size()) {
    found.keys.push_back(&key);
    return;
  }
  const std::size_t before = found.keys.size();
  for (const DocumentedKey& k : key.keys)
    if (k.name == parts[i]) follow(k, parts, i + 1, found);
  if (found.keys.size() > before) return;
  if (i + 1 == parts.size() && has_form(key, parts[i])) {
    found.keys.push_back(&key);
    found.form = parts[i];
    return;
  }
  if (!names_items(key)) return;
  for (const DocumentedKey& k : key.keys)  // the part is an item's name
    if (i + 1 < parts.size() && k.name == parts[i + 1]) follow(k, parts, i + 2, found);
  if (found.keys.size() > before) return;
  if (i + 2 == parts.size() && has_form(key, parts[i + 1])) {
    found.keys.push_back(&key);
    found.form = parts[i + 1];
  } else if (i + 1 == parts.size()) {
    found.keys.push_back(&key);
    found.item = parts[i];
  }
}

bool stands_for_any(const std::string& part) { return part == "*" || part == "NAME" || part == "N"; }

/// Values of the tree at the parts from index i.
void collect(const FileTree& tree, const std::vector<std::string>& parts, std::size_t i, const std::string& path,
             const Description& description, std::vector<WrittenValue>& found) {
  if (i == parts.size()) {
    if (tree.kind == FileTree::Kind::map) return;
    std::string text = yaml_text(tree);
    text.pop_back();
    found.push_back({path, text, source_of(description).spans.find(path).value_or(SourceSpan{})});
    return;
  }
  const auto descend = [&](const std::string& name, const FileTree& value) {
    if (stands_for_any(parts[i]) || name == parts[i])
      collect(value, parts, i + 1, path.empty() ? name : path + "." + name, description, found);
  };
  for (const FileTree::Entry& entry : tree.entries) descend(entry.key, entry.value);
  for (std::size_t k = 0; k < tree.items.size(); ++k) descend(std::to_string(k), tree.items[k]);
}

/// The longest matching prefix of a key's path applies.
constexpr std::array<std::array<const char*, 2>, 47> kPages{{
    {"", "model_file.md"},
    {"include", "repeated_structure.md"},
    {"parameters", "repeated_structure.md"},
    {"templates", "repeated_structure.md"},
    {"parts", "repeated_structure.md"},
    {"ground", "elements/bodies.md"},
    {"bodies", "elements/bodies.md"},
    {"joints", "elements/joints.md"},
    {"loops", "elements/loops.md"},
    {"motions", "elements/motions.md"},
    {"couplings", "elements/couplings.md"},
    {"wheels", "elements/wheels.md"},
    {"blades", "elements/blades.md"},
    {"markers", "elements/markers.md"},
    {"springs", "elements/springs.md"},
    {"forces", "elements/forces.md"},
    {"fluid", "elements/fluid.md"},
    {"volumes", "elements/volume.md"},
    {"sources", "elements/sources.md"},
    {"pumps", "elements/pump.md"},
    {"accumulators", "elements/accumulator.md"},
    {"lines", "elements/line.md"},
    {"valves", "README.md"},
    {"valves.NAME.orifice", "elements/orifice.md"},
    {"valves.NAME.check", "elements/check_valve.md"},
    {"valves.NAME.relief", "elements/relief_valve.md"},
    {"valves.NAME.directional_4_3", "elements/directional_valve.md"},
    {"valves.NAME.directional", "elements/directional_valve.md"},
    {"valves.NAME.resistance", "elements/resistance.md"},
    {"valves.NAME.laminar", "elements/resistance.md"},
    {"valves.NAME.pilot_check", "elements/pilot_check_valve.md"},
    {"valves.NAME.counterbalance", "elements/counterbalance_valve.md"},
    {"valves.NAME.shuttle", "elements/shuttle_valve.md"},
    {"valves.NAME.reducing", "elements/reducing_valve.md"},
    {"valves.NAME.compensator", "elements/pressure_compensator.md"},
    {"valves.NAME.flow_divider", "elements/flow_divider.md"},
    {"valves.NAME.priority", "elements/priority_valve.md"},
    {"cylinders", "elements/cylinder.md"},
    {"cylinders.NAME.friction", "elements/friction.md"},
    {"motors", "elements/motor.md"},
    {"motors.NAME.friction", "elements/friction.md"},
    {"quasistatic", "elements/quasistatic.md"},
    {"signals", "elements/signals.md"},
    {"control", "elements/control.md"},
    {"solver", "theory.md"},
    {"coupling", "cosimulation.md"},
    {"record", "results.md"},
}};

/// Every key, depth first.
template <class F>
void for_each_key(const DocumentedKey& mapping, const F& f) {
  for (const DocumentedKey& key : mapping.keys) {
    f(key);
    for_each_key(key, f);
  }
}

/// `cylinders.NAME.friction.model` ends in `friction.model`.
bool ends_in(const std::string& path, const std::string& end) {
  return path == end || (path.size() > end.size() && path.ends_with(end) && path[path.size() - end.size() - 1] == '.');
}

/// The nearest path: the known parts, then the nearest key.
std::string near_path(const std::vector<std::string>& parts) {
  const auto near = [](const DocumentedKey& key, const std::string& part) {
    std::vector<std::string> names;
    for (const DocumentedKey& k : key.keys) names.push_back(k.name);
    for (const auto& form : key.own_forms) names.push_back(form.key);
    return nearest_name(part, names);
  };
  std::string known;
  const DocumentedKey* key = &documented_file();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto at = std::find_if(key->keys.begin(), key->keys.end(), [&](const DocumentedKey& k) { return k.name == parts[i]; });
    const bool item = at == key->keys.end() && names_items(*key) && i + 1 < parts.size();
    const std::string next = at != key->keys.end() || item ? parts[i] : near(*key, parts[i]);
    if (next.empty()) return "";
    known += (known.empty() ? "" : ".") + next;
    const auto known_key = std::find_if(key->keys.begin(), key->keys.end(), [&](const DocumentedKey& k) { return k.name == next; });
    if (known_key != key->keys.end()) {
      key = &*known_key;
      continue;
    }
    if (!item) return known;  // a form
    const std::string after = near(*key, parts[++i]);
    if (after.empty()) return "";
    known += "." + after;
    const auto below = std::find_if(key->keys.begin(), key->keys.end(), [&](const DocumentedKey& k) { return k.name == after; });
    if (below == key->keys.end()) return known;
    key = &*below;
  }
  return known;
}

}  // namespace

const DocumentedKey& documented_file() {
  static const DocumentedKey file = [] {
    DocumentedKey whole;
    whole.kind = Kind::mapping;
    DocumentationWriter writer(whole, "");
    Description sample;
    describe(writer, sample);
    return whole;
  }();
  return file;
}

std::vector<WrittenValue> values_at(const Description& description, const std::string& path, const std::string& file) {
  const FileTree tree = write_tree(description);
  const std::vector<std::string> parts = path_parts(path);
  const FileTree::Entry* section = tree.find(parts[0]);
  const auto& sections = documented_file().keys;
  const bool named =
      std::any_of(sections.begin(), sections.end(), [&](const DocumentedKey& k) { return k.name == parts[0] && k.kind == Kind::section; });
  if (named && section != nullptr && parts.size() > 1 && !stands_for_any(parts[1]) && section->value.find(parts[1]) == nullptr) {
    std::vector<std::string> items;
    for (const FileTree::Entry& item : section->value.entries) items.push_back(item.key);
    // a path without the item name refers to no item
    const bool left_out = find_documented(path).item.empty() &&
                          find_documented(parts[0] + ".*" + path.substr(parts[0].size())).keys == find_documented(path).keys;
    if (left_out) return {};
    const std::string near = nearest_name(parts[1], items);
    std::string expected;
    for (const std::string& item : items) expected += (expected.empty() ? "" : ", ") + item;
    throw InputError({Diagnostic{{file, 0, 0},
                                 parts[0],
                                 "there is no item `" + parts[1] + "`",
                                 items.empty() ? "" : "one of " + expected,
                                 near.empty() ? "" : "did you mean `" + near + "`?"}});
  }
  std::vector<WrittenValue> found;
  collect(tree, parts, 0, "", description, found);
  return found;
}

std::string documentation_page(const std::string& path) {
  std::string page, longest;
  for (const auto& [of, name] : kPages) {
    const std::string beginning = of;
    const bool within = beginning.empty() || path == beginning || path.starts_with(beginning + ".");
    if (within && beginning.size() >= longest.size()) longest = beginning, page = name;
  }
  return page;
}

std::vector<std::string> path_parts(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path)
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

FoundKeys find_documented(const std::string& written) {
  FoundKeys found;
  const std::string path = written.starts_with("*.") ? written.substr(2) : written;
  const std::vector<std::string> parts = path_parts(path);
  follow(documented_file(), parts, 0, found);
  if (!found.keys.empty()) return found;
  found.by_end = true;
  for_each_key(documented_file(), [&](const DocumentedKey& key) {
    if (ends_in(key.path, path)) found.keys.push_back(&key);
  });
  if (!found.keys.empty()) return found;
  found.hint = near_path(parts);
  if (!found.hint.empty() || parts.size() > 1) return found;
  std::vector<std::string> names;
  for_each_key(documented_file(), [&](const DocumentedKey& key) { names.push_back(key.name); });
  found.hint = nearest_name(path, names);
  return found;
}

}  // namespace trunnion
