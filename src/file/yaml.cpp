// Builds a FileTree from yaml-cpp's events.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>
#include <unordered_set>

#include "base/text.h"
#include "file/input.h"

namespace trunnion {

namespace {

/// Receives the events of one document. The open nodes form a stack: a child is always the last element of its
/// parent's vector, which does not grow while the child is open, so the pointers stay valid.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string file, std::vector<Diagnostic>& diagnostics, InputBudget& budget)
      : file_(std::move(file)), diagnostics_(diagnostics), budget_(budget) {}

  FileTree root;
  YAML::Mark last;          // of the last key or value
  bool duplicates = false;  // a mapping has a key twice

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (key_is_next()) refuse(mark, "a key is missing before `:`");
    keep(anchor, place(mark));
    close_value();
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (key_is_next()) refuse(mark, "an alias cannot be a key");
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) refuse(mark, "an alias refers to a value that contains it");
    budget_.add_copy(it->second, {file_, mark.line + 1, mark.column + 1, no_path_});
    place(mark) = it->second;
    close_value();
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    last = mark;
    if (const std::size_t control = find_control_character(value); control != std::string::npos)  // written as an escape
      refuse(mark, "the text contains the control character " + control_character_at(value, control) + "; write it without that escape");
    if (key_is_next()) return begin_entry(mark, value);
    FileTree& node = place(mark);
    node.kind = FileTree::Kind::scalar;
    node.text = value;
    node.quoted = tag == "!";  // yaml-cpp's tag of quoted scalars
    keep(anchor, node);
    close_value();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(mark, anchor, FileTree::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(mark, anchor, FileTree::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    FileTree* node;
    YAML::anchor_t anchor;
    bool key_read = false;
    std::unordered_set<std::string> keys{};  // of a large mapping
  };

  /// Whether the innermost mapping has this key already; small ones are searched.
  bool is_second(Open& top, const std::string& key) {
    constexpr std::size_t kLarge = 16;
    const std::vector<FileTree::Entry>& entries = top.node->entries;
    if (entries.size() < kLarge) return top.node->find(key) != nullptr;
    if (top.keys.empty())
      for (const FileTree::Entry& entry : entries) top.keys.insert(entry.key);
    return !top.keys.insert(key).second;
  }

  bool key_is_next() const { return !open_.empty() && open_.back().node->kind == FileTree::Kind::map && !open_.back().key_read; }

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& what) const {
    throw InputError({Diagnostic{{file_, mark.line + 1, mark.column + 1}, "", what, "", ""}});
  }

  void begin_entry(const YAML::Mark& mark, const std::string& key) {
    Open& top = open_.back();
    if (is_second(top, key)) {
      duplicates = true;
      const FileTree::Entry* first = top.node->find(key);
      std::string path;
      for (const Open& open : open_)
        if (&open != &top && open.node->kind == FileTree::Kind::map) path += open.node->entries.back().key + ".";
      diagnostics_.push_back({{file_, mark.line + 1, mark.column + 1},
                              path + key,
                              "the key `" + key + "` is repeated here",
                              "each key once",
                              "the first one is in line " + std::to_string(first->line)});
    }
    top.node->entries.push_back({key, {}, mark.line + 1, mark.column + 1, false});
    top.key_read = true;
  }

  // The node that the next value belongs to.
  FileTree& place(const YAML::Mark& mark) {
    budget_.add_values(1, {file_, mark.line + 1, mark.column + 1, no_path_});
    FileTree* node = &root;
    if (!open_.empty()) {
      FileTree& parent = *open_.back().node;
      node = parent.kind == FileTree::Kind::list ? &parent.items.emplace_back() : &parent.entries.back().value;
    }
    node->line = mark.line + 1;
    node->column = mark.column + 1;
    return *node;
  }

  void close_value() {
    if (!open_.empty()) open_.back().key_read = false;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, FileTree::Kind kind) {
    if (key_is_next()) refuse(mark, "a list or a mapping cannot be a key");
    FileTree& node = place(mark);
    node.kind = kind;
    open_.push_back({&node, anchor});
  }

  void close() {
    const YAML::anchor_t anchor = open_.back().anchor;
    const FileTree& node = *open_.back().node;
    open_.pop_back();
    keep(anchor, node);
    close_value();
  }

  void keep(YAML::anchor_t anchor, const FileTree& node) {
    if (anchor == YAML::NullAnchor) return;
    budget_.add_copy(node, {file_, node.line, node.column, no_path_});
    anchors_[anchor] = node;
  }

  std::string file_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Open> open_;
  InputBudget& budget_;
  const std::string no_path_;
  std::map<YAML::anchor_t, FileTree> anchors_;
};

// Drops all but the first of equal keys, so that each is read once.
void drop_duplicates(FileTree& tree) {
  std::unordered_set<std::string> seen;
  std::erase_if(tree.entries, [&](const FileTree::Entry& entry) { return !seen.insert(entry.key).second; });
  for (FileTree::Entry& entry : tree.entries) drop_duplicates(entry.value);
  for (FileTree& item : tree.items) drop_duplicates(item);
}

Diagnostic syntax_error(const std::string& file, const YAML::Mark& mark, const std::string& message) {
  SourceSpan span{file, 0, 0};
  if (!mark.is_null()) span = {file, mark.line + 1, mark.column + 1};
  return {span, "", "this is not valid YAML: " + message, "", ""};
}

}  // namespace

FileTree read_yaml(const std::string& text, const std::string& file, std::vector<Diagnostic>& diagnostics, InputBudget& budget) {
  check_text(text, file);
  TreeBuilder builder(file, diagnostics, budget);
  try {
    std::istringstream stream(text + "\n...\n");  // with an end marker an open quote is an error; without it yaml-cpp closes the quote
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    TreeBuilder second(file, diagnostics, budget);
    if (parser && parser.HandleNextDocument(second))
      throw InputError(
          {Diagnostic{{file, second.root.line, second.root.column}, "", "a second YAML document begins here", "one document", ""}});
    if (builder.duplicates) drop_duplicates(builder.root);
    return std::move(builder.root);
  } catch (const YAML::Exception& error) {
    const bool open_quote = error.msg == YAML::ErrorMsg::DOC_IN_SCALAR;
    if (open_quote) throw InputError({syntax_error(file, builder.last, "a quote after this position is not closed")});
    const std::string unknown_anchor = YAML::ErrorMsg::UNKNOWN_ANCHOR;  // followed by its name, a text of the file
    throw InputError({syntax_error(file, error.mark, error.msg.starts_with(unknown_anchor) ? "an alias without an anchor" : error.msg)});
  }
}

}  // namespace trunnion
