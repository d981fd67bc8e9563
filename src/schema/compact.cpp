// Compact form: JSON <-> tree <-> description.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/compact.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "base/text.h"
#include "schema/reader.h"
#include "schema/schema.h"
#include "schema/writer.h"

namespace trunnion {

namespace {

using Json = nlohmann::json;

// ---------------------------------------------------------------- writing

void append(const FileTree& tree, const std::string& path, std::string& out);

void append_text(const std::string& text, const std::string& path, std::string& out) {
  try {
    out += Json(text).dump();
  } catch (const Json::exception&) { throw InputError({{{}, path, "the text is not UTF-8", "a text in UTF-8", ""}}); }
}

/// Plain scalars of a written tree are numbers, `true`, `false`, and `.inf` where the key allows it.
void append_plain(const std::string& text, const std::string& path, std::string& out) {
  if (text == ".nan" || text == "-.inf") throw InputError({{{}, path, "the number is not finite", "a finite number", ""}});
  if (text == ".inf")
    out += "\".inf\"";
  else
    out += text == "-0" ? "-0.0" : text;  // an integer of JSON has no negative zero
}

template <class List, class F>
void append_list(const List& list, char open, char close, std::string& out, F each) {
  out += open;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    each(list[i], i);
  }
  out += close;
}

std::string joined(const std::string& path, const std::string& name) { return path.empty() ? name : path + "." + name; }

void append(const FileTree& tree, const std::string& path, std::string& out) {
  switch (tree.kind) {
    case FileTree::Kind::null:
      out += "null";
      break;
    case FileTree::Kind::scalar:
      if (tree.quoted)
        append_text(tree.text, path, out);
      else
        append_plain(tree.text, path, out);
      break;
    case FileTree::Kind::list:
      append_list(tree.items, '[', ']', out,
                  [&](const FileTree& item, std::size_t i) { append(item, joined(path, std::to_string(i)), out); });
      break;
    case FileTree::Kind::map:
      append_list(tree.entries, '{', '}', out, [&](const FileTree::Entry& entry, std::size_t) {
        append_text(entry.key, path, out);
        out += ':';
        append(entry.value, joined(path, entry.key), out);
      });
      break;
  }
}

// ---------------------------------------------------------------- reading

/// Iterates over the text and shares its position, which is near the value that the reader of JSON reports.
class Place {
 public:
  Place(const char* at, const char** seen) : at_(at), seen_(seen) {}
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char& operator*() const { return *at_; }
  Place& operator++() {
    *seen_ = ++at_;
    return *this;
  }
  bool operator==(const Place& other) const { return at_ == other.at_; }
  bool operator!=(const Place& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** seen_;
};

/// Receives the events of nlohmann's reader. A child is always the last element of its parent's vector, which does not grow while the child
/// is open, so the pointers stay valid.
class TreeReader : public nlohmann::json_sax<Json> {
 public:
  TreeReader(std::string_view text, std::string name, const CompactLimits& limits)
      : name_(std::move(name)), limits_(limits), last_(text.data()), seen_(text.data()) {}

  FileTree root;

  const char** seen() { return &seen_; }

  bool null() override { return place(FileTree{}); }
  bool boolean(bool value) override { return place(FileTree::scalar(value ? "true" : "false")); }
  bool number_integer(number_integer_t value) override { return place(FileTree::scalar(std::to_string(value))); }
  bool number_unsigned(number_unsigned_t value) override { return place(FileTree::scalar(std::to_string(value))); }
  bool number_float(number_float_t, const string_t& text) override {
    std::string plain = text;  // with the decimal point of the process's locale
    for (char& c : plain)
      if (std::string_view("0123456789+-eE").find(c) == std::string_view::npos) c = '.';
    return place(FileTree::scalar(std::move(plain)));
  }
  bool string(string_t& text) override {
    check(text);
    return place(FileTree::scalar(std::move(text), true));
  }
  bool binary(binary_t&) override { return false; }  // not in JSON
  bool start_object(std::size_t) override { return open(FileTree::map()); }
  bool start_array(std::size_t) override { return open(FileTree::list()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& text) override {
    check(text);
    advance();
    Open& top = open_.back();
    if (!top.keys.insert(text).second) {
      std::string path;
      for (const Open& outer : open_)
        if (&outer != &top && outer.node->kind == FileTree::Kind::map) path += outer.node->entries.back().key + ".";
      refuse("the key `" + text + "` is repeated here", "each key once", path + text);
    }
    top.node->entries.push_back({std::move(text), {}, line_, column_, false});
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    advance();
    const auto* number = dynamic_cast<const Json::out_of_range*>(&error);
    if (number != nullptr) refuse("a number here is beyond the largest of double", "a finite number");
    const std::string what =
        error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...; ..."
    const std::size_t begin = what.find(": ");
    refuse("this is not valid JSON: " + printable(begin == std::string::npos ? what : what.substr(begin + 2)), "");
  }

 private:
  struct Open {
    FileTree* node;
    std::unordered_set<std::string> keys{};
  };

  /// Line and column of what was read last.
  void advance() {
    for (; last_ < seen_; ++last_) {
      ++column_;
      if (*last_ == '\n') ++line_, column_ = 0;
    }
  }

  [[noreturn]] void refuse(const std::string& found, const std::string& expected, const std::string& path = "") const {
    throw InputError({{{name_, line_, std::max(column_, 1)}, path, found, expected, ""}});
  }

  void check(const std::string& text) {
    const std::size_t control = find_control_character(text);
    if (control == std::string::npos) return;
    advance();
    refuse("the text contains the control character " + printable(text.substr(control, 1)), "a text without control characters");
  }

  FileTree& add(FileTree node) {
    advance();
    if (++values_ > limits_.values) refuse("the values of the model exceed the limit of " + std::to_string(limits_.values), "");
    node.line = line_;
    node.column = std::max(column_, 1);
    if (open_.empty()) return root = std::move(node);
    FileTree& parent = *open_.back().node;
    if (parent.kind == FileTree::Kind::list) return parent.items.emplace_back(std::move(node));
    return parent.entries.back().value = std::move(node);
  }
  bool place(FileTree node) {
    add(std::move(node));
    return true;
  }
  bool open(FileTree node) {
    if (open_.size() == limits_.depth) {
      advance();
      refuse("mappings and lists are nested more than " + std::to_string(limits_.depth) + " deep", "");
    }
    open_.push_back({&add(std::move(node))});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string name_;
  CompactLimits limits_;
  const char *last_, *seen_;  // up to which line_ and column_ are; up to which the text is read
  int line_ = 1, column_ = 0;
  std::size_t values_ = 0;
  std::vector<Open> open_;
};

}  // namespace

std::string compact_text(const Description& description) {
  std::string out;
  append(write_tree(without_csv_files(description)), "", out);
  return out;
}

Description parse_compact(std::string_view text, const std::string& name, const CompactLimits& limits) {
  if (text.size() > limits.bytes)
    throw InputError({{{name, 0, 0}, "", "the text has more than " + std::to_string(limits.bytes) + " bytes, the limit", "", ""}});
  TreeReader reader(text, name, limits);
  Json::sax_parse(Place(text.data(), reader.seen()), Place(text.data() + text.size(), reader.seen()), &reader);
  return read_description(reader.root, name, {}, [](Description& description, std::vector<Diagnostic>& findings) {
    for (const auto& [signal, value] : description.signals) {
      const std::string path = "signals." + signal + ".csv";
      if (std::holds_alternative<CsvSignal>(value))
        findings.push_back(
            {span_of(description, path), path, "the compact form reads no files", "the points of the signal in a `table`", ""});
    }
  });
}

}  // namespace trunnion
