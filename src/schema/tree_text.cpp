// Trees as YAML and JSON text.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <string_view>

#include "schema/tree.h"

namespace trunnion {

namespace {

// A JSON string, which is also a double-quoted YAML scalar.
std::string quoted(const std::string& text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f)
      out += std::string("\\u00") + kHex[byte >> 4] + kHex[byte & 15];
    else
      out += c;
  }
  return out + "\"";
}

// Words that YAML reads as text without quotes.
bool is_plain_word(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  static constexpr std::array<std::string_view, 9> kTaken{"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  std::string lower = text;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), inner) &&
         std::find(kTaken.begin(), kTaken.end(), lower) == kTaken.end();
}

std::string yaml_scalar(const FileTree& tree) {
  if (tree.kind == FileTree::Kind::null) return "null";
  return tree.quoted && !is_plain_word(tree.text) ? quoted(tree.text) : tree.text;
}

std::string yaml_key(const std::string& key) { return is_plain_word(key) ? key : quoted(key); }

// On one line, in brackets and braces.
std::string flow(const FileTree& tree) {
  std::string out;
  if (tree.kind == FileTree::Kind::list) {
    for (const FileTree& item : tree.items) out += (out.empty() ? "" : ", ") + flow(item);
    return "[" + out + "]";
  }
  if (tree.kind == FileTree::Kind::map) {
    for (const FileTree::Entry& entry : tree.entries) out += (out.empty() ? "" : ", ") + yaml_key(entry.key) + ": " + flow(entry.value);
    return "{" + out + "}";
  }
  return yaml_scalar(tree);
}

void block(const FileTree& map, std::size_t depth, std::string& out) {
  for (const FileTree::Entry& entry : map.entries) {
    out += std::string(2 * depth, ' ') + yaml_key(entry.key) + ":";
    if (entry.value.kind == FileTree::Kind::map && !entry.value.entries.empty()) {
      out += "\n";
      block(entry.value, depth + 1, out);
    } else {
      out += " " + flow(entry.value) + "\n";
    }
  }
}

bool is_json_number(const std::string& text) {
  return !text.empty() && (text[0] == '-' ? text.size() > 1 && text[1] != '.' : text[0] != '.') &&
         text.find_first_not_of("0123456789+-.e") == std::string::npos;
}

std::string json_scalar(const FileTree& tree) {
  if (tree.kind == FileTree::Kind::null) return "null";
  const bool plain = !tree.quoted && (is_json_number(tree.text) || tree.text == "true" || tree.text == "false");
  return plain ? tree.text : quoted(tree.text);
}

}  // namespace

std::string yaml_text(const FileTree& tree) {
  if (tree.kind != FileTree::Kind::map) return flow(tree) + "\n";
  std::string out;
  block(tree, 0, out);
  return out;
}

std::string json_text(const FileTree& tree, int indent) {
  const std::string inner(static_cast<std::size_t>(indent) + 2, ' '), outer(static_cast<std::size_t>(indent), ' ');
  std::string out;
  if (tree.kind == FileTree::Kind::list) {
    for (const FileTree& item : tree.items) out += (out.empty() ? "" : ", ") + json_text(item, indent + 2);
    return "[" + out + "]";
  }
  if (tree.kind != FileTree::Kind::map) return json_scalar(tree);
  for (const FileTree::Entry& entry : tree.entries)
    out += (out.empty() ? "\n" : ",\n") + inner + quoted(entry.key) + ": " + json_text(entry.value, indent + 2);
  return out.empty() ? "{}" : "{" + out + "\n" + outer + "}";
}

}  // namespace trunnion
