// Reference documentation of the model file in Markdown, by visiting the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/model_file.h"
#include "file/value_words.h"
#include "schema/reader.h"
#include "schema/table.h"

namespace trunnion {

namespace {

// Text in a table cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

std::string code(const std::string& text) { return "`" + text + "`"; }

constexpr const char* kTableHead = "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";

class ReferenceWriter : public Visitor {
 public:
  std::string text;   // finished sections
  std::string table;  // rows of the keys outside of sections

  void leaf(const Key& key, const Slot& slot) override {
    const std::string standard = default_words(key, slot);
    row(code(prefix_ + key.name), value_words(key, slot), key.is(kRequired) ? "required" : standard.empty() ? "" : code(standard), key.doc);
  }
  void group(const Key& key, const Group& group) override {
    const bool absent = !group.present;
    if (absent) group.create();
    if (prefix_.empty() && !in_section_) return heading(key, "", group.describe);
    const bool announced = table.ends_with(form_row(prefix_ + key.name, key.doc));
    if (!announced) row(code(prefix_ + key.name), "mapping", key.is(kRequired) ? "required" : absent ? "none" : "", key.doc);
    within(key.name + std::string("."), group.describe);
  }
  void section(const Key& key, const Items& items, const char*) override { heading(key, ".NAME", items.describe_sample); }
  void list(const Key& key, const Items& items) override {
    row(code(prefix_ + key.name), "list of mappings", key.is(kRequired) ? "required" : "none", key.doc);
    if (!key.is(kRequired)) heading(key, ".N", items.describe_sample);  // of forms of its own
  }
  void alternatives(const std::vector<Alternative>& alternatives, bool) override {
    for (const Alternative& a : alternatives) {
      drop_closing_row();
      table += form_row(prefix_ + a.key, a.doc);
      a.activate();
      a.describe(*this);
    }
    drop_closing_row();
    table += kClosingRow;
  }

 private:
  void row(const std::string& key, const std::string& kind, const std::string& standard, const std::string& doc) {
    table += "| " + key + " | " + cell(kind) + " | " + cell(standard) + " | " + cell(doc) + " |\n";
  }

  static std::string form_row(const std::string& key, const std::string& doc) {
    return "| *with* " + code(key) + " |  |  | **" + cell(doc) + "** |\n";
  }

  // The keys that follow belong to every form; omitted if none follow.
  static constexpr const char* kClosingRow = "| *with any of these* |  |  |  |\n";
  void drop_closing_row() {
    if (table.ends_with(kClosingRow)) table.resize(table.size() - std::string(kClosingRow).size());
  }

  template <class F>
  void within(const std::string& name, F describe) {
    const std::string outer = prefix_;
    prefix_ += name;
    describe(*this);
    prefix_ = outer;
  }

  void heading(const Key& key, const std::string& ending, const std::function<void(Visitor&)>& describe) {
    const std::string outer_table = std::move(table), before = std::move(text), outer_path = path_, outer_prefix = std::move(prefix_);
    const bool nested = in_section_;
    const std::string path = path_ + outer_prefix + key.name + ending;
    table.clear(), text.clear(), prefix_.clear();
    path_ = path + ".";
    in_section_ = true;
    describe(*this);
    in_section_ = nested;
    drop_closing_row();
    text = before + "\n## `" + path + "`\n\n" + key.doc + ".\n\n" + kTableHead + table + text;  // sections within it follow
    table = outer_table, path_ = outer_path, prefix_ = outer_prefix;
  }

  std::string path_;    // of the section
  std::string prefix_;  // of the key in it
  bool in_section_ = false;
};

constexpr const char* kIntroduction = R"(# The model file

Generated from the table in `src/schema` by `trunnion reference`; do not edit.

A model file is YAML. A number may have a unit (`7.6 MPa`, `-37.90 deg`, `330 N s/m`, `1e-13 m^3/(s Pa)`); a plain
number is SI, angles in radians. The SI unit of each value is given in brackets. Every value has a name path, such as
`cylinders.lift.friction.model`, used by `--set` and in messages; list elements are counted from 0. Names of items consist of
letters, digits, `_` and `-`; bodies, volumes, sources, valves and cylinders share one namespace, as they name result channels.
`ground` is the world.

Rows between *with* lines apply only to that form of the item; a form is recognised by the key after *with*.

)";

std::string unit_paragraph() {
  std::string text =
      "\n## Units\n\nProducts are written with a space, `*` or `·`, quotients with `/`, parentheses, powers as in `m^3`, `m3` or `s^-1`. "
      "Known units:";
  for (const std::string& name : unit_names()) text += (text.back() == ':' ? " " : ", ") + code(name);
  return text + ".\n";
}

}  // namespace

std::string model_file_reference() {
  ReferenceWriter writer;
  Description sample;
  describe(writer, sample);
  return kIntroduction + (kTableHead + writer.table) + writer.text + unit_paragraph();
}

}  // namespace trunnion
