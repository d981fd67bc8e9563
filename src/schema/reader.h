// Fills a description from a tree by visiting the table, and collects all findings.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "schema/table.h"
#include "schema/tree.h"

namespace trunnion {

inline constexpr std::size_t kListedFindings = 200;            // in the text of an InputError; no hints beyond
inline constexpr const char* kWholeNumber = "a whole number";  // as expected in findings

/// Output of reading in addition to the description.
struct ReadLog {
  std::vector<Diagnostic> diagnostics;
  SourceMap spans;
  std::map<std::string, Dimension> dimensions;  // name path -> dimension, of values written with a unit
  // Name paths that checks do not report again, as the key was reported as misspelt or the form as unclear:
  std::set<std::string> unread;   // values and everything within them
  std::set<std::string> unclear;  // mappings themselves, not their content
};

class Reader : public Visitor {
  // Keys of a form of a mapping other than the one found.
  struct OtherForm {
    const std::vector<std::string>* keys;
    const char* form;
  };

 public:
  Reader(std::string file, ReadLog& log) : file_(std::move(file)), log_(log) {}

  void read(const FileTree& root, Description& description);

  void leaf(const Key& key, const Slot& slot) override;
  void group(const Key& key, const Group& group) override;
  void section(const Key& key, const Items& items, const char* scalar_key) override;
  void list(const Key& key, const Items& items) override;
  void alternatives(const std::vector<Alternative>& alternatives, bool required) override;

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  // The mapping being read.
  struct Frame {
    const FileTree* map;
    std::string path;
    std::size_t place = kNowhere;             // index of the mapping in visited_
    std::vector<std::string_view> known{};    // allowed keys
    std::vector<std::string_view> old{};      // their old names
    std::vector<OtherForm> elsewhere{};       // keys of other forms
    std::string form{};                       // the chosen form, for messages
    std::vector<std::string_view> missing{};  // required keys not found
    bool replaced = false;                    // an override chose another form than the file
    bool formless = false;                    // a required form is missing, and reported
  };

  // A key that was looked up, whether found or not; or an item or list element.
  struct Visited {
    std::string_view name;
    std::size_t within;  // index of the mapping that it belongs to
    bool is_key;
  };

  const FileTree* find(const Key& key, std::string& path);
  const FileTree::Entry* old_entry(const Key& key, const FileTree::Entry* entry);
  std::string path_of(const std::string& key) const;
  SourceSpan span_of(const FileTree& node) const;
  SourceSpan span_of(const FileTree::Entry& entry) const;
  void set_span(const std::string& path, const FileTree& node);
  void set_span(const std::string& path, const FileTree::Entry& entry);
  void report(const SourceSpan& span, const std::string& path, const std::string& found, const std::string& expected = "",
              const std::string& hint = "");
  void enter(const FileTree& node, const std::string& path, std::size_t place, const std::function<void(Visitor&)>& describe);
  void item(const FileTree::Entry& entry, const std::string& section, std::size_t place, const Items& items, const char* scalar_key);
  bool is_mapping(const FileTree& node, const std::string& path);

  void report_unknown(const FileTree::Entry& entry, std::set<std::string>& meant);
  void report_unknown_override(const FileTree::Entry& entry, const std::string& path, const std::string& near);
  void report_leftovers();
  std::string below(const Frame& frame, const std::string& key) const;
  void forget_repeated(std::size_t begin);
  const std::vector<std::vector<std::string>>& keys_of(const std::vector<Alternative>& alternatives);
  bool overrides_mix(const Alternative& chosen, const Alternative& other, const std::vector<std::string>& keys) const;
  bool any_is_set(const std::vector<std::string>& keys) const;
  const Alternative* choose(const std::vector<Alternative>& alternatives, bool required);

  struct Dispatch;  // on the kind of slot

  // The value of one key; false: reported.
  void value(const Key& key, const FileTree& node, const std::string& path, const Slot& slot);
  bool number(const Key& key, const FileTree& node, const std::string& path, double& out);
  bool in_range(const Key& key, const FileTree& node, const std::string& path, double value);
  bool integer(const Key& key, const FileTree& node, const std::string& path, int& out);
  bool boolean(const FileTree& node, const std::string& path, bool& out);
  bool text(const FileTree& node, const std::string& path, const char* expected, std::string& out);
  bool name(const FileTree& node, const std::string& path, std::string& out);  // not empty
  bool vector(const Key& key, const FileTree& node, const std::string& path, Vec3d& out);
  bool pair(const Key& key, const FileTree& node, const std::string& path, Vec2d& out);
  bool axis(const FileTree& node, const std::string& path, Vec3d& out);
  bool texts(const FileTree& node, const std::string& path, std::size_t count, std::vector<std::string>& out);
  // `first`: the abscissa of the points; `both`: an example of a point.
  bool points(const Key& key, const FileTree& node, const std::string& path, const Key& first, const char* both, Points& out);
  bool point(const Key& key, const FileTree& node, const std::string& path, const Key& first, const char* both, std::array<double, 2>& out);
  bool outline(const Key& key, const FileTree& node, const std::string& path, std::vector<Vec2d>& out);
  bool inertia(const Key& key, const FileTree& node, const std::string& path, const InertiaTensor& out);
  bool number_or_signal(const Key& key, const FileTree& node, const std::string& path, NumberOrSignal& out);
  bool words(const FileTree& node, const std::string& path, const Words& out);
  bool choice(const FileTree& node, const std::string& path, const Choice& out);
  bool numbers(const Key& key, const FileTree& node, const std::string& path, std::vector<double>& out);
  bool list_of(const FileTree& node, const std::string& path, std::size_t count, const std::string& what);
  bool wrong_kind(const FileTree& node, const std::string& path, const std::string& expected);

  std::string file_;
  ReadLog& log_;
  std::vector<Frame> frames_;
  std::vector<Visited> visited_;           // of items of one section with equal keys only the first
  std::unordered_set<std::size_t> forms_;  // hashes of the keys of items
  std::deque<std::string> numbers_;        // names of elements of lists
  // Keys of alternatives, by their distinguishing keys; they do not depend on the item.
  std::map<std::vector<const char*>, std::vector<std::vector<std::string>>> keys_of_alternatives_;
  std::vector<const char*> wanted_alternatives_;
};

/// The description in a tree, checked as a whole. `earlier`: findings about the text of the tree. `fill` (may be empty) adds what is
/// outside the tree, tables of CSV files, before the checks. Throws InputError with all findings.
Description read_description(const FileTree& tree, const std::string& file, std::vector<Diagnostic> earlier,
                             const std::function<void(Description&, std::vector<Diagnostic>&)>& fill);

/// Throws the findings as InputError, those of `file` first, in the order of their positions.
[[noreturn]] void throw_findings(std::vector<Diagnostic> findings, const std::string& file);

/// "a length such as 80 mm".
std::string expectation(const Measure& measure);

/// Whether `name` is a valid name of an item: letters, digits, _ and -, at most kLongestName.
inline constexpr std::size_t kLongestName = 255;
bool is_item_name(const std::string& name);

}  // namespace trunnion
