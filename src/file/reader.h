// Fills a description from a tree by visiting the table, and collects everything that is wrong on the way.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "file/table.h"
#include "file/tree.h"

namespace trunnion {

inline constexpr const char* kWholeNumber = "a whole number";  // what findings about one expect

/// What reading leaves besides the description.
struct ReadLog {
  std::vector<Diagnostic> diagnostics;
  std::map<std::string, SourceSpan> spans;      // name path -> place
  std::map<std::string, Dimension> dimensions;  // name path -> dimension, of values written with a unit
  // Name paths of which checks shall not speak again, as it is reported that the key is misspelt or the form unclear:
  std::set<std::string> unread;   // values, and all within them
  std::set<std::string> unclear;  // mappings as such, not what is in them
};

class Reader : public Visitor {
 public:
  Reader(std::string file, ReadLog& log) : file_(std::move(file)), log_(log) {}

  void read(const FileTree& root, Description& description);

  void leaf(const Key& key, const Slot& slot) override;
  void group(const Key& key, const Group& group) override;
  void section(const Key& key, const Items& items, const char* scalar_key) override;
  void list(const Key& key, const Items& items) override;
  void alternatives(const std::vector<Alternative>& alternatives, bool required) override;

 private:
  // The mapping being read.
  struct Frame {
    const FileTree* map;
    std::string path;
    std::vector<std::string> known;                // keys that may stand here
    std::map<std::string, std::string> elsewhere;  // keys of other forms -> the key of their form
    std::string form;                              // the chosen form, for messages
    std::vector<std::string> missing;              // required keys not found
    bool replaced = false;                         // an override chose another form than the file
  };

  const FileTree* find(const Key& key);
  std::string path_of(const std::string& key) const;
  SourceSpan span_of(const FileTree& node) const;
  SourceSpan span_of(const FileTree::Entry& entry) const;
  void report(const SourceSpan& span, const std::string& path, const std::string& found, const std::string& expected = "",
              const std::string& hint = "");
  void enter(const FileTree& node, const std::string& path, const std::function<void(Visitor&)>& describe);
  void item(const FileTree::Entry& entry, const Key& key, const Items& items, const char* scalar_key);
  bool is_mapping(const FileTree& node, const std::string& path);

  void report_unknown(const FileTree::Entry& entry, std::set<std::string>& meant);
  void report_unknown_override(const FileTree::Entry& entry, const std::string& path, const std::string& near);
  void report_leftovers();
  const Alternative* choose(const std::vector<Alternative>& alternatives, bool required);

  struct Dispatch;  // by the kind of slot

  // The value of one key; false: reported.
  void value(const Key& key, const FileTree& node, const std::string& path, const Slot& slot);
  bool number(const Key& key, const FileTree& node, const std::string& path, double& out);
  bool in_range(const Key& key, const FileTree& node, const std::string& path, double value);
  bool integer(const Key& key, const FileTree& node, const std::string& path, int& out);
  bool boolean(const FileTree& node, const std::string& path, bool& out);
  bool text(const FileTree& node, const std::string& path, const char* expected, std::string& out);
  bool name(const FileTree& node, const std::string& path, std::string& out);  // of something, so not empty
  bool vector(const Key& key, const FileTree& node, const std::string& path, Vec3d& out);
  bool pair(const Key& key, const FileTree& node, const std::string& path, Vec2d& out);
  bool axis(const FileTree& node, const std::string& path, Vec3d& out);
  bool texts(const FileTree& node, const std::string& path, std::size_t count, std::vector<std::string>& out);
  // `first`: what the points are over; `both`: a point as it should stand in the file.
  bool points(const Key& key, const FileTree& node, const std::string& path, const Key& first, const char* both, Points& out);
  bool point(const Key& key, const FileTree& node, const std::string& path, const Key& first, const char* both, std::array<double, 2>& out);
  bool outline(const Key& key, const FileTree& node, const std::string& path, std::vector<Vec2d>& out);
  bool inertia(const Key& key, const FileTree& node, const std::string& path, const InertiaTensor& out);
  bool number_or_signal(const Key& key, const FileTree& node, const std::string& path, NumberOrSignal& out);
  bool words(const FileTree& node, const std::string& path, const Words& out);
  bool choice(const FileTree& node, const std::string& path, const Choice& out);
  bool list_of(const FileTree& node, const std::string& path, std::size_t count, const std::string& what);
  bool wrong_kind(const FileTree& node, const std::string& path, const std::string& expected);

  std::string file_;
  ReadLog& log_;
  std::vector<Frame> frames_;
  std::vector<std::string> known_paths_;  // of every key visited so far
};

/// "a length such as 80 mm".
std::string expectation(const Measure& measure);

/// Whether `name` may name an item: letters, digits, _ and -, at most kLongestName.
inline constexpr std::size_t kLongestName = 255;
bool is_item_name(const std::string& name);

}  // namespace trunnion
