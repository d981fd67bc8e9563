// Includes, parameters, templates and parts: text -> tree of plain sections.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/expand.h"

#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "base/text.h"
#include "base/units.h"
#include "file/override.h"
#include "file/yaml.h"
#include "schema/reader.h"
#include "schema/table.h"
#include "schema/writer.h"

namespace trunnion {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 20;  // parts within templates, files within files
constexpr std::array kComposing{"parameters", "templates", "parts"};

bool is_composing(const std::string& key) { return std::find(kComposing.begin(), kComposing.end(), key) != kComposing.end(); }

SourceSpan span_of(const FileTree& node, const std::string& main_file) {
  if (node.line == 0) return {"--set", 0, 0};
  return {node.file ? *node.file : main_file, node.line, node.column};
}

const std::string kCommandLine = "--set", kInclude = "include", kNoPath;

struct Findings {
  std::string main_file;
  std::vector<Diagnostic>& list;

  InputPlace place(const FileTree& node, const std::string& path) const {
    return {node.line == 0 ? kCommandLine : node.file ? *node.file : main_file, node.line, node.column, path};
  }

  void add(const FileTree& at, const std::string& path, const std::string& found, const std::string& expected = "",
           const std::string& hint = "") {
    list.push_back({span_of(at, main_file), path, found, expected, hint});
  }
};

/// The top-level keys of a model file.
class Sections : public Visitor {
 public:
  std::vector<std::string> names;
  void leaf(const Key& key, const Slot&) override { names.emplace_back(key.name); }
  void group(const Key& key, const Group&) override { names.emplace_back(key.name); }
  void section(const Key& key, const Items&, const char*) override { names.emplace_back(key.name); }
  void list(const Key& key, const Items&) override { names.emplace_back(key.name); }
  void alternatives(const std::vector<Alternative>&, bool) override {}
};

std::vector<std::string> section_names() {
  Sections sections;
  Description description;
  describe(sections, description);
  return sections.names;
}

/// Merges mappings. Values of `top` take precedence; with `once`, different values are a finding.
void lay_over(FileTree& base, const FileTree& top, const std::string& path, bool once, Findings& findings) {
  if (top.kind == FileTree::Kind::null) return;
  if (base.kind != FileTree::Kind::map || top.kind != FileTree::Kind::map) {
    if (once && base.kind != FileTree::Kind::null && yaml_text(base) != yaml_text(top)) {
      const SourceSpan other = span_of(base, findings.main_file);
      findings.add(top, path,
                   "found " + top.described() + ", and " + base.described() + " in " + other.file + ", line " + std::to_string(other.line),
                   "one value");
    }
    base = top;
    return;
  }
  std::unordered_map<std::string, std::size_t> numbers;  // of large mappings
  constexpr std::size_t kLarge = 4096;
  const bool large = base.entries.size() * top.entries.size() > kLarge;
  if (large)
    for (std::size_t i = 0; i < base.entries.size(); ++i) numbers.emplace(base.entries[i].key, i);
  const auto find = [&](const std::string& key) -> FileTree::Entry* {
    if (!large) return base.find(key);
    const auto number = numbers.find(key);
    return number == numbers.end() ? nullptr : &base.entries[number->second];
  };
  for (const FileTree::Entry& entry : top.entries) {
    const std::string inner = path.empty() ? entry.key : path + "." + entry.key;
    if (FileTree::Entry* present = find(entry.key)) {
      lay_over(present->value, entry.value, inner, once && inner != "title", findings);
    } else {
      if (large) numbers.emplace(entry.key, base.entries.size());
      base.entries.push_back(entry);
    }
  }
}

// ---------------------------------------------------------------- included files

void set_file(FileTree& tree, const std::shared_ptr<const std::string>& file) {
  tree.file = file;
  for (FileTree& item : tree.items) set_file(item, file);
  for (FileTree::Entry& entry : tree.entries) set_file(entry.value, file);
}

class Inclusion {
 public:
  Inclusion(Findings& findings, InputBudget& budget) : findings_(findings), budget_(budget) {}

  /// Merges the files of `include` into the tree; values of the tree take precedence.
  void resolve(FileTree& root, const std::string& file) {
    const FileTree::Entry* entry = root.find("include");
    if (entry == nullptr) return;
    const FileTree files = entry->value;
    std::erase_if(root.entries, [](const FileTree::Entry& e) { return e.key == "include"; });
    if (files.kind == FileTree::Kind::map || files.kind == FileTree::Kind::null)
      return report(files, "found " + files.described(), "the name of a file, or a list of names");
    FileTree below = FileTree::map();
    for (const FileTree& name : files.kind == FileTree::Kind::list ? files.items : std::vector<FileTree>{files}) {
      const FileTree other = read(name, file);
      lay_over(below, other, "", true, findings_);
    }
    below.line = root.line, below.column = root.column, below.file = root.file;
    lay_over(below, root, "", false, findings_);
    root = std::move(below);
  }

 private:
  void report(const FileTree& at, const std::string& found, const std::string& expected = "") {
    findings_.add(at, "include", found, expected);
  }

  FileTree read(const FileTree& name, const std::string& from) {
    if (name.kind != FileTree::Kind::scalar || name.text.empty())
      return report(name, "found " + name.described(), "the name of a file"), FileTree::map();
    const std::string path = (fs::path(from).parent_path() / name.text).lexically_normal().string();
    if (open_.size() >= kDeepest || path == fs::path(findings_.main_file).lexically_normal() ||
        std::find(open_.begin(), open_.end(), path) != open_.end())
      return report(name, "the file `" + path + "` includes itself"), FileTree::map();
    budget_.add_include(findings_.place(name, kInclude));
    FileTree tree;
    std::vector<Diagnostic> within;
    try {
      const std::string text = file_text(path, "file", budget_.limits().input_size);
      budget_.add_input(text.size(), findings_.place(name, kInclude));
      tree = read_yaml(text, path, within, budget_);
    } catch (const InputError& error) {
      findings_.list.insert(findings_.list.end(), error.diagnostics().begin(), error.diagnostics().end());
      return report(name, "the file `" + path + "` cannot be used"), FileTree::map();
    }
    if (tree.kind == FileTree::Kind::null) return FileTree::map();
    if (tree.kind != FileTree::Kind::map)
      return report(name, "`" + path + "` is not a model file", "a mapping of sections"), FileTree::map();
    if (!is_model(tree, path)) return report(name, "the file `" + path + "` cannot be used"), FileTree::map();
    findings_.list.insert(findings_.list.end(), within.begin(), within.end());
    set_file(tree, std::make_shared<const std::string>(path));
    open_.push_back(path);
    resolve(tree, path);
    open_.pop_back();
    return tree;
  }

  /// Whether all top-level keys are sections of a model. The content is not quoted, as it may be any file of this computer.
  bool is_model(const FileTree& tree, const std::string& path) {
    bool good = true;
    for (const FileTree::Entry& entry : tree.entries) {
      if (std::find(sections_.begin(), sections_.end(), entry.key) != sections_.end()) continue;
      const std::string near = nearest_name(entry.key, sections_);
      good = false;
      findings_.list.push_back({{path, entry.line, entry.column},
                                "",
                                "this key is not a section of a model file",
                                "",
                                near.empty() ? "" : "did you mean `" + near + "`?"});
      if (findings_.list.size() >= kMostWrongSections) break;
    }
    return good;
  }

  static constexpr std::size_t kMostWrongSections = 20;

  Findings& findings_;
  InputBudget& budget_;
  const std::vector<std::string> sections_ = section_names();
  std::vector<std::string> open_;  // files being read
};

// ---------------------------------------------------------------- parameters, templates and parts

/// Names and values with fast look-up.
class Scope {
 public:
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

  void add(const std::string& name, FileTree value) {
    values_.emplace_back(name, std::move(value));
    if (values_.size() <= kFew) return;
    for (std::size_t i = numbers_.size(); i < values_.size(); ++i) numbers_.emplace(values_[i].first, i);
  }
  const FileTree* find_here(const std::string& name) const {
    if (values_.size() > kFew) {
      const auto number = numbers_.find(name);
      return number == numbers_.end() ? nullptr : &values_[number->second].second;
    }
    for (const auto& [key, value] : values_)
      if (key == name) return &value;
    return nullptr;
  }
  const FileTree* find(const std::string& name) const {
    const FileTree* here = find_here(name);
    return here != nullptr || outer_ == nullptr ? here : outer_->find(name);
  }
  void names(std::vector<std::string>& into) const {
    for (const auto& [key, value] : values_) into.push_back(key);
    if (outer_ != nullptr) outer_->names(into);
  }

 private:
  static constexpr std::size_t kFew = 16;

  const Scope* outer_;
  std::vector<std::pair<std::string, FileTree>> values_;
  std::unordered_map<std::string, std::size_t> numbers_;  // if there are many values
};

bool is_identifier(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// The words of an expression: each begins with a letter or _, and is not part of a number.
std::vector<std::string> words_of(const std::string& expression) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::vector<std::string> words;
  for (std::size_t i = 0; i < expression.size();) {
    std::size_t end = i;
    while (end < expression.size() && (letter(expression[end]) || digit(expression[end]))) ++end;
    if (end > i && letter(expression[i])) words.push_back(expression.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return words;
}

class Expansion {
 public:
  Expansion(Findings& findings, InputBudget& budget) : findings_(findings), budget_(budget) {}

  FileTree expand(const FileTree& root) {
    if (root.kind != FileTree::Kind::map) return root;
    if (const FileTree* parameters = section(root, "parameters")) declare(*parameters, "parameters", global_, true);
    templates_ = section(root, "templates");
    if (templates_ != nullptr)
      for (const FileTree::Entry& entry : templates_->entries) templates_by_name_.emplace(entry.key, &entry);
    FileTree plain = FileTree::map();
    plain.line = root.line, plain.column = root.column, plain.file = root.file, plain.override_order = root.override_order;
    for (const FileTree::Entry& entry : root.entries)
      if (!is_composing(entry.key)) plain.entries.push_back(filled(entry, global_, ""));
    if (const FileTree* parts = section(root, "parts")) add_parts(plain, *parts, "parts", "", global_, 0);
    return plain;
  }

 private:
  void report_unknown(const FileTree& at, const std::string& path, const std::string& found, const std::string& name,
                      const std::vector<std::string>& known) {
    if (findings_.list.size() > kListedFindings) return findings_.add(at, path, found);
    const std::string near = nearest_name(name, known);
    std::string all;
    for (const std::string& k : known) all += (all.empty() ? "" : ", ") + ("`" + k + "`");
    findings_.add(at, path, found, all.empty() || !near.empty() ? "" : "one of " + all, near.empty() ? "" : "did you mean `" + near + "`?");
  }

  const FileTree* section(const FileTree& map, const std::string& key) {
    const FileTree::Entry* entry = map.find(key);
    if (entry == nullptr || entry->value.kind == FileTree::Kind::null) return nullptr;
    if (entry->value.kind == FileTree::Kind::map) return &entry->value;
    findings_.add(entry->value, key, "found " + entry->value.described(), "a mapping of names");
    return nullptr;
  }

  /// Parameters in the order of the file, each computed from earlier ones. Values already in the scope are kept.
  void declare(const FileTree& parameters, const std::string& path, Scope& scope, bool values_required) {
    for (const FileTree::Entry& entry : parameters.entries) {
      const std::string at = path + "." + entry.key;
      if (!is_identifier(entry.key)) {
        findings_.add(entry.value, at, "`" + entry.key + "` is not a valid name of a parameter",
                      "letters, digits and _, the first one not a digit");
        continue;
      }
      if (entry.added && values_required) {
        std::vector<std::string> known;
        for (const FileTree::Entry& e : parameters.entries)
          if (!e.added) known.push_back(e.key);
        report_unknown(entry.value, at, "the model has no parameter `" + entry.key + "`", entry.key, known);
        continue;
      }
      if (scope.find_here(entry.key) != nullptr) continue;  // given
      if (entry.value.kind == FileTree::Kind::null) {
        if (values_required) findings_.add(entry.value, at, "the parameter has no value");
        continue;
      }
      declared_ = &parameters;
      scope.add(entry.key, filled(entry.value, scope, at));
      declared_ = nullptr;
    }
  }

  /// Adds the expanded parts to the sections of `root`.
  void add_parts(FileTree& root, const FileTree& parts, const std::string& path, const std::string& owner, const Scope& scope, int depth) {
    for (const FileTree::Entry& written : parts.entries) {
      const FileTree::Entry entry{filled_text(written.key, written.value, scope, path), written.value, written.line, written.column,
                                  written.added};
      const std::string at = path + "." + entry.key;
      if (entry.value.kind != FileTree::Kind::map) {
        findings_.add(entry.value, at, "found " + entry.value.described(), "a mapping such as {template: NAME}");
        continue;
      }
      const FileTree* which = template_of(entry.value, at);
      if (which == nullptr) continue;
      if (depth == kDeepest) return findings_.add(entry.value, at, "the templates refer to each other recursively");
      const FileTree::Entry* count = entry.value.find("count");
      int copies = 1;
      if (count != nullptr && !whole_number(filled(count->value, scope, at + ".count"), at + ".count", copies)) continue;
      for (int index = 1; index <= copies; ++index) {
        budget_.add_part(findings_.place(entry.value, at));
        const std::string name = owner + entry.key + (count != nullptr ? "_" + std::to_string(index) : "");
        Scope counted(&scope);
        counted.add("part", FileTree::scalar(name));
        if (count != nullptr) {
          counted.add("index", FileTree::scalar(std::to_string(index)));
          counted.add("count", FileTree::scalar(std::to_string(copies)));
        }
        const std::size_t findings = findings_.list.size();
        add_part(root, *which, entry.value, at, name, counted, depth);
        if (findings_.list.size() > findings) break;  // the other copies have the same findings
      }
    }
  }

  const FileTree* template_of(const FileTree& part, const std::string& at) {
    const FileTree::Entry* name = part.find("template");
    if (name == nullptr) return findings_.add(part, at, "the key `template` is missing"), nullptr;
    const auto known_template = templates_by_name_.find(name->value.text);
    const FileTree::Entry* found =
        name->value.kind == FileTree::Kind::scalar && known_template != templates_by_name_.end() ? known_template->second : nullptr;
    if (found == nullptr) {
      std::vector<std::string> known;
      if (templates_ != nullptr)
        for (const FileTree::Entry& t : templates_->entries) known.push_back(t.key);
      report_unknown(name->value, at + ".template", "there is no template " + name->value.described(), name->value.text, known);
      return nullptr;
    }
    if (found->value.kind == FileTree::Kind::map) return &found->value;
    findings_.add(found->value, "templates." + found->key, "found " + found->value.described(), "a mapping of sections");
    return nullptr;
  }

  void add_part(FileTree& root, const FileTree& which, const FileTree& part, const std::string& at, const std::string& name,
                const Scope& caller, int depth) {
    Scope scope(&global_);
    for (const char* key : {"part", "index", "count"})
      if (const FileTree* value = caller.find(key)) scope.add(key, *value);
    const FileTree* parameters = section(which, "parameters");
    for (const FileTree::Entry& argument : part.entries) {
      if (argument.key == "template" || argument.key == "count") continue;
      if (parameters == nullptr || parameters->find(argument.key) == nullptr) {
        std::vector<std::string> known;
        if (parameters != nullptr)
          for (const FileTree::Entry& p : parameters->entries) known.push_back(p.key);
        report_unknown(argument.value, at + "." + argument.key, "the template has no parameter `" + argument.key + "`", argument.key,
                       known);
      } else {
        scope.add(argument.key, filled(argument.value, caller, at + "." + argument.key));
      }
    }
    if (parameters != nullptr) {
      declare(*parameters, at, scope, false);
      for (const FileTree::Entry& parameter : parameters->entries)
        if (parameter.value.kind == FileTree::Kind::null && part.find(parameter.key) == nullptr)
          findings_.add(part, at, "the parameter `" + parameter.key + "` of the template needs a value");
    }
    for (const FileTree::Entry& entry : which.entries) {
      if (entry.key == "parameters") continue;
      if (entry.key == "templates" || entry.key == "include") {
        findings_.add(entry.value, at, "a template cannot contain `" + entry.key + "`");
      } else if (entry.key == "parts") {
        if (const FileTree* inner = section(which, "parts")) add_parts(root, *inner, at + ".parts", name + "_", scope, depth + 1);
      } else {
        add_to_section(root, filled(entry, scope, ""));
      }
    }
  }

  /// Merges a section of a part into that of the model, with fast look-up of names.
  void add_to_section(FileTree& root, FileTree::Entry part) {
    FileTree::Entry* present = root.find(part.key);
    if (present == nullptr) {
      root.entries.push_back({part.key, {}, part.line, part.column, part.added});
      present = &root.entries.back();
      if (part.value.kind != FileTree::Kind::map) return void(present->value = std::move(part.value));
      std::vector<FileTree::Entry> entries = std::move(part.value.entries);
      part.value.entries.clear();
      present->value = part.value;
      part.value.entries = std::move(entries);
    }
    FileTree& section = present->value;
    if (section.kind != FileTree::Kind::map || part.value.kind != FileTree::Kind::map)
      return lay_over(section, part.value, part.key, part.key != "title", findings_);
    std::unordered_map<std::string, std::size_t>& known = numbers_[part.key];
    for (std::size_t i = known.size(); i < section.entries.size(); ++i) known.emplace(section.entries[i].key, i);
    for (FileTree::Entry& entry : part.value.entries) {
      const auto [number, is_new] = known.emplace(entry.key, section.entries.size());
      if (is_new)
        section.entries.push_back(std::move(entry));
      else
        lay_over(section.entries[number->second].value, entry.value, part.key + "." + entry.key, true, findings_);
    }
  }

  // ---------------------------------------------------------------- $(...)

  FileTree::Entry filled(const FileTree::Entry& entry, const Scope& scope, const std::string& path) {
    FileTree::Entry out{filled_text(entry.key, entry.value, scope, path), {}, entry.line, entry.column, entry.added};
    out.value = filled(entry.value, scope, path.empty() ? out.key : path + "." + out.key);
    return out;
  }

  FileTree filled(const FileTree& node, const Scope& scope, const std::string& path) {
    budget_.add_values(1, findings_.place(node, path));
    if (&scope != &global_) budget_.add_text(node.text.size(), findings_.place(node, path));
    if (node.kind == FileTree::Kind::scalar) {
      const std::size_t begin = node.text.find("$(");
      if (begin == std::string::npos) return node;
      const std::size_t end = closing(node.text, begin + 2);
      if (begin == 0 && end == node.text.size() - 1) return value(node.text.substr(2, end - 2), node, scope, path);
      FileTree out = node;
      out.text = filled_text(node.text, node, scope, path);
      return out;
    }
    FileTree out = node.without_children();
    out.items.reserve(node.items.size());
    out.entries.reserve(node.entries.size());
    for (const FileTree& item : node.items) out.items.push_back(filled(item, scope, path));
    for (const FileTree::Entry& entry : node.entries) out.entries.push_back(filled(entry, scope, path));
    return out;
  }

  std::string filled_text(const std::string& text, const FileTree& at, const Scope& scope, const std::string& path) {
    std::string out;
    std::size_t done = 0;
    while (true) {
      const std::size_t begin = text.find("$(", done);
      if (begin == std::string::npos) return out + text.substr(done);
      const std::size_t end = closing(text, begin + 2);
      if (end == std::string::npos)
        return findings_.add(at, path, "`$(` is not closed in " + FileTree::scalar(text).described(), "`$(name)`"), text;
      out += text.substr(done, begin - done);
      const FileTree piece = value(text.substr(begin + 2, end - begin - 2), at, scope, path);
      if (piece.kind == FileTree::Kind::list || piece.kind == FileTree::Kind::map)
        findings_.add(at, path, FileTree::scalar(text).described() + " contains " + piece.described(), "a name or a number");
      out += piece.text;
      done = end + 1;
    }
  }

  /// Position of the bracket that closes one opened before `from`.
  static std::size_t closing(const std::string& text, std::size_t from) {
    int depth = 1;
    for (std::size_t at = from; at < text.size(); ++at) {
      depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
      if (depth == 0) return at;
    }
    return std::string::npos;
  }

  /// The value of `$(inside)`: a parameter as written, or a number.
  FileTree value(const std::string& inside, const FileTree& at, const Scope& scope, const std::string& path) {
    const std::string expression(trimmed(inside, " \t"));
    if (const FileTree* parameter = scope.find(expression)) {
      budget_.add_copy(*parameter, findings_.place(at, path));
      return *parameter;
    }
    FileTree out = at;
    try {
      parser_.ClearConst();
      parser_.InitConst();
      parser_.DefineConst("pi", std::numbers::pi);
      for (const std::string& name : words_of(expression)) {
        const FileTree* parameter = scope.find(name);
        const bool scalar = parameter != nullptr && parameter->kind == FileTree::Kind::scalar;
        if (const QuantityText read = scalar ? read_quantity(parameter->text) : QuantityText{}; read.quantity)
          parser_.DefineConst(name, read.quantity->value);
      }
      parser_.SetExpr(expression);
      int values = 1;
      const double number = parser_.Eval(values)[0];
      if (values > 1)
        findings_.add(
            at, path,
            "`$(" + expression + ")` has " + std::to_string(values) + " values, separated by commas; expected one, with a decimal point");
      if (!std::isfinite(number)) findings_.add(at, path, "`$(" + expression + ")` is not a finite number");
      out.text = number_text(number);
      out.quoted = false;
    } catch (const mu::Parser::exception_type& error) {
      const std::string& token = error.GetToken();
      const FileTree* parameter = scope.find(token);
      if (parameter == nullptr && is_identifier(token) && error.GetCode() == mu::ecUNASSIGNABLE_TOKEN) {
        std::vector<std::string> known;
        scope.names(known);
        const FileTree::Entry* later = declared_ != nullptr ? declared_->find(token) : nullptr;
        if (later != nullptr && later->value.kind != FileTree::Kind::null)
          findings_.add(at, path, "the parameter `" + token + "` is not defined before `" + path + "`",
                        "parameters in the order of their use");
        else
          report_unknown(at, path, "there is no parameter `" + token + "`", token, known);
        return out;
      }
      const std::string why =
          parameter != nullptr ? "parameter `" + token + "` is " + parameter->described() + ", not a number" : error.GetMsg();
      findings_.add(at, path, "`$(" + expression + ")` cannot be computed: " + why.substr(0, why.find_last_not_of(". \n") + 1));
    }
    return out;
  }

  bool whole_number(const FileTree& node, const std::string& path, int& out) {
    const QuantityText read = node.kind == FileTree::Kind::scalar ? read_quantity(node.text) : QuantityText{};
    const double number = read.quantity ? read.quantity->value : -1;
    if (number >= 0 && number <= budget_.limits().parts && number <= std::numeric_limits<int>::max() && number == std::floor(number)) {
      out = static_cast<int>(number);
      return true;
    }
    findings_.add(node, path, "found " + node.described(),
                  "a whole number from 0 to " + std::to_string(static_cast<long long>(std::min(budget_.limits().parts, 1e15))),
                  number > budget_.limits().parts ? "`--set limits.parts=NUMBER` allows more" : "");
    return false;
  }

  Findings& findings_;
  InputBudget& budget_;
  Scope global_;
  const FileTree* declared_ = nullptr;  // parameters of which one is computed
  const FileTree* templates_ = nullptr;
  std::unordered_map<std::string, const FileTree::Entry*> templates_by_name_;
  std::unordered_map<std::string, std::unordered_map<std::string, std::size_t>> numbers_;  // section -> name -> index
  mu::Parser parser_;
};

}  // namespace

ExpandedTree read_expanded(const std::string& text, const std::string& file, const std::vector<Override>& overrides,
                           std::vector<Diagnostic>& diagnostics) {
  ExpandedTree trees;
  InputBudget budget(limits_of(overrides));
  budget.add_input(text.size(), {file, 0, 0, kNoPath});
  trees.written = read_yaml(text, file, diagnostics, budget);
  const std::size_t earlier = diagnostics.size();
  Findings findings{file, diagnostics};
  Inclusion(findings, budget).resolve(trees.written, file);
  trees.complete = diagnostics.size() == earlier;
  const auto apply = [&](FileTree& root, bool composing) {
    int order = 0;
    for (const Override& setting : overrides) {
      ++order;
      if (setting.path.starts_with(kLimitsPrefix)) continue;
      if (is_composing(setting.path.substr(0, setting.path.find('.'))) != composing) continue;
      FileTree read;
      if (!composing && reaches_into_lists(setting, root)) {
        ReadLog ignored;
        Description description;
        Reader(file, ignored).read(root, description);
        read = write_tree(description);
      }
      apply_override(root, read, setting, order, diagnostics, budget);
    }
  };
  apply(trees.written, true);
  const std::size_t before = diagnostics.size();
  trees.expanded = Expansion(findings, budget).expand(trees.written);
  trees.complete = trees.complete && diagnostics.size() == before;
  apply(trees.expanded, false);
  return trees;
}

}  // namespace trunnion
