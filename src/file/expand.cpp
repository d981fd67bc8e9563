// Includes, parameters, templates and parts: text -> tree of plain sections.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/expand.h"

#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "base/units.h"
#include "file/override.h"

namespace trunnion {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 20;         // parts within templates, files within files
constexpr int kMostCopies = 100000;  // of a part
constexpr std::array kComposing{"parameters", "templates", "parts"};

bool is_composing(const std::string& key) { return std::find(kComposing.begin(), kComposing.end(), key) != kComposing.end(); }

SourceSpan span_of(const Tree& node, const std::string& main_file) {
  if (node.line == 0) return {"--set", 0, 0};
  return {node.file ? *node.file : main_file, node.line, node.column};
}

struct Findings {
  std::string main_file;
  std::vector<Diagnostic>& list;

  void add(const Tree& at, const std::string& path, const std::string& found, const std::string& expected = "",
           const std::string& hint = "") {
    list.push_back({span_of(at, main_file), path, found, expected, hint});
  }
};

/// Joins mappings. Where both trees have a value, that of `top` stays; with `once` it is a finding if they differ.
void lay_over(Tree& base, const Tree& top, const std::string& path, bool once, Findings& findings) {
  if (top.kind == Tree::Kind::null) return;
  if (base.kind != Tree::Kind::map || top.kind != Tree::Kind::map) {
    if (once && base.kind != Tree::Kind::null && yaml_text(base) != yaml_text(top)) {
      const SourceSpan other = span_of(base, findings.main_file);
      findings.add(top, path,
                   "found " + top.described() + ", and " + base.described() + " in " + other.file + ", line " + std::to_string(other.line),
                   "one value");
    }
    base = top;
    return;
  }
  for (const Tree::Entry& entry : top.entries) {
    const std::string inner = path.empty() ? entry.key : path + "." + entry.key;
    if (Tree::Entry* present = base.find(entry.key))
      lay_over(present->value, entry.value, inner, once && inner != "title", findings);
    else
      base.entries.push_back(entry);
  }
}

// ---------------------------------------------------------------- included files

void set_file(Tree& tree, const std::shared_ptr<const std::string>& file) {
  tree.file = file;
  for (Tree& item : tree.items) set_file(item, file);
  for (Tree::Entry& entry : tree.entries) set_file(entry.value, file);
}

class Inclusion {
 public:
  explicit Inclusion(Findings& findings) : findings_(findings) {}

  /// Puts what the files of `include` hold below what stands in the tree itself.
  void resolve(Tree& root, const std::string& file) {
    const Tree::Entry* entry = root.find("include");
    if (entry == nullptr) return;
    const Tree files = entry->value;
    std::erase_if(root.entries, [](const Tree::Entry& e) { return e.key == "include"; });
    if (files.kind == Tree::Kind::map || files.kind == Tree::Kind::null)
      return report(files, "found " + files.described(), "the name of a file, or a list of names");
    Tree below = Tree::map();
    for (const Tree& name : files.kind == Tree::Kind::list ? files.items : std::vector<Tree>{files}) {
      const Tree other = read(name, file);
      lay_over(below, other, "", true, findings_);
    }
    below.line = root.line, below.column = root.column, below.file = root.file;
    lay_over(below, root, "", false, findings_);
    root = std::move(below);
  }

 private:
  void report(const Tree& at, const std::string& found, const std::string& expected = "") { findings_.add(at, "include", found, expected); }

  Tree read(const Tree& name, const std::string& from) {
    if (name.kind != Tree::Kind::scalar || name.text.empty())
      return report(name, "found " + name.described(), "the name of a file"), Tree::map();
    const std::string path = (fs::path(from).parent_path() / name.text).lexically_normal().string();
    if (open_.size() >= kDeepest || path == fs::path(findings_.main_file).lexically_normal() ||
        std::find(open_.begin(), open_.end(), path) != open_.end())
      return report(name, "the file `" + path + "` includes itself"), Tree::map();
    Tree tree;
    try {
      tree = read_yaml(file_text(path, "file"), path, findings_.list);
    } catch (const InputError& error) {
      findings_.list.insert(findings_.list.end(), error.diagnostics().begin(), error.diagnostics().end());
      return report(name, "the file `" + path + "` cannot be used"), Tree::map();
    }
    if (tree.kind == Tree::Kind::null) return Tree::map();
    if (tree.kind != Tree::Kind::map) return report(name, "`" + path + "` holds " + tree.described(), "a mapping of sections"), Tree::map();
    set_file(tree, std::make_shared<const std::string>(path));
    open_.push_back(path);
    resolve(tree, path);
    open_.pop_back();
    return tree;
  }

  Findings& findings_;
  std::vector<std::string> open_;  // files being read
};

// ---------------------------------------------------------------- parameters, templates and parts

struct Scope {
  const Scope* outer = nullptr;
  std::vector<std::pair<std::string, Tree>> values{};

  const Tree* find(const std::string& name) const {
    for (const auto& [key, value] : values)
      if (key == name) return &value;
    return outer == nullptr ? nullptr : outer->find(name);
  }
  void names(std::vector<std::string>& into) const {
    for (const auto& [key, value] : values) into.push_back(key);
    if (outer != nullptr) outer->names(into);
  }
};

bool is_identifier(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

class Expansion {
 public:
  explicit Expansion(Findings& findings) : findings_(findings) {}

  Tree expand(const Tree& root) {
    if (root.kind != Tree::Kind::map) return root;
    if (const Tree* parameters = section(root, "parameters")) declare(*parameters, "parameters", global_, true);
    templates_ = section(root, "templates");
    Tree plain = Tree::map();
    plain.line = root.line, plain.column = root.column, plain.file = root.file, plain.override_order = root.override_order;
    for (const Tree::Entry& entry : root.entries)
      if (!is_composing(entry.key)) plain.entries.push_back(filled(entry, global_, ""));
    if (const Tree* parts = section(root, "parts")) add_parts(plain, *parts, "parts", "", global_, 0);
    return plain;
  }

 private:
  void report_unknown(const Tree& at, const std::string& path, const std::string& found, const std::string& name,
                      const std::vector<std::string>& known) {
    const std::string near = nearest_name(name, known);
    std::string all;
    for (const std::string& k : known) all += (all.empty() ? "" : ", ") + ("`" + k + "`");
    findings_.add(at, path, found, all.empty() || !near.empty() ? "" : "one of " + all, near.empty() ? "" : "did you mean `" + near + "`?");
  }

  const Tree* section(const Tree& map, const std::string& key) {
    const Tree::Entry* entry = map.find(key);
    if (entry == nullptr || entry->value.kind == Tree::Kind::null) return nullptr;
    if (entry->value.kind == Tree::Kind::map) return &entry->value;
    findings_.add(entry->value, key, "found " + entry->value.described(), "a mapping of names");
    return nullptr;
  }

  /// Parameters in the order of the file, each from those before it. What the scope has already stays.
  void declare(const Tree& parameters, const std::string& path, Scope& scope, bool values_required) {
    for (const Tree::Entry& entry : parameters.entries) {
      const std::string at = path + "." + entry.key;
      if (!is_identifier(entry.key)) {
        findings_.add(entry.value, at, "`" + entry.key + "` cannot name a parameter", "letters, digits and _, the first one not a digit");
        continue;
      }
      if (entry.added && values_required) {
        std::vector<std::string> known;
        for (const Tree::Entry& e : parameters.entries)
          if (!e.added) known.push_back(e.key);
        report_unknown(entry.value, at, "the model has no parameter `" + entry.key + "`", entry.key, known);
        continue;
      }
      const bool given = std::any_of(scope.values.begin(), scope.values.end(), [&](const auto& v) { return v.first == entry.key; });
      if (given) continue;
      if (entry.value.kind == Tree::Kind::null) {
        if (values_required) findings_.add(entry.value, at, "the parameter has no value");
        continue;
      }
      scope.values.emplace_back(entry.key, filled(entry.value, scope, at));
    }
  }

  /// Adds what parts stand for to the sections of `root`.
  void add_parts(Tree& root, const Tree& parts, const std::string& path, const std::string& owner, const Scope& scope, int depth) {
    for (const Tree::Entry& written : parts.entries) {
      const Tree::Entry entry{filled_text(written.key, written.value, scope, path), written.value, written.line, written.column,
                              written.added};
      const std::string at = path + "." + entry.key;
      if (entry.value.kind != Tree::Kind::map) {
        findings_.add(entry.value, at, "found " + entry.value.described(), "a mapping such as {template: NAME}");
        continue;
      }
      const Tree* which = template_of(entry.value, at);
      if (which == nullptr) continue;
      if (depth == kDeepest) return findings_.add(entry.value, at, "the templates use each other without end");
      const Tree::Entry* count = entry.value.find("count");
      int copies = 1;
      if (count != nullptr && !whole_number(filled(count->value, scope, at + ".count"), at + ".count", copies)) continue;
      for (int index = 1; index <= copies; ++index) {
        const std::string name = owner + entry.key + (count != nullptr ? "_" + std::to_string(index) : "");
        Scope counted{&scope};
        counted.values.emplace_back("part", Tree::scalar(name));
        if (count != nullptr) {
          counted.values.emplace_back("index", Tree::scalar(std::to_string(index)));
          counted.values.emplace_back("count", Tree::scalar(std::to_string(copies)));
        }
        const std::size_t findings = findings_.list.size();
        add_part(root, *which, entry.value, at, name, counted, depth);
        if (findings_.list.size() > findings) break;  // the other copies have the same
      }
    }
  }

  const Tree* template_of(const Tree& part, const std::string& at) {
    const Tree::Entry* name = part.find("template");
    if (name == nullptr) return findings_.add(part, at, "the key `template` is missing"), nullptr;
    const Tree::Entry* found =
        templates_ != nullptr && name->value.kind == Tree::Kind::scalar ? templates_->find(name->value.text) : nullptr;
    if (found == nullptr) {
      std::vector<std::string> known;
      if (templates_ != nullptr)
        for (const Tree::Entry& t : templates_->entries) known.push_back(t.key);
      report_unknown(name->value, at + ".template", "there is no template " + name->value.described(), name->value.text, known);
      return nullptr;
    }
    if (found->value.kind == Tree::Kind::map) return &found->value;
    findings_.add(found->value, "templates." + found->key, "found " + found->value.described(), "a mapping of sections");
    return nullptr;
  }

  void add_part(Tree& root, const Tree& which, const Tree& part, const std::string& at, const std::string& name, const Scope& caller,
                int depth) {
    Scope scope{&global_};
    for (const char* key : {"part", "index", "count"})
      if (const Tree* value = caller.find(key)) scope.values.emplace_back(key, *value);
    const Tree* parameters = section(which, "parameters");
    for (const Tree::Entry& argument : part.entries) {
      if (argument.key == "template" || argument.key == "count") continue;
      if (parameters == nullptr || parameters->find(argument.key) == nullptr) {
        std::vector<std::string> known;
        if (parameters != nullptr)
          for (const Tree::Entry& p : parameters->entries) known.push_back(p.key);
        report_unknown(argument.value, at + "." + argument.key, "the template has no parameter `" + argument.key + "`", argument.key,
                       known);
      } else {
        scope.values.emplace_back(argument.key, filled(argument.value, caller, at + "." + argument.key));
      }
    }
    if (parameters != nullptr) {
      declare(*parameters, at, scope, false);
      for (const Tree::Entry& parameter : parameters->entries)
        if (parameter.value.kind == Tree::Kind::null && part.find(parameter.key) == nullptr)
          findings_.add(part, at, "the parameter `" + parameter.key + "` of the template needs a value");
    }
    for (const Tree::Entry& entry : which.entries) {
      if (entry.key == "parameters") continue;
      if (entry.key == "templates" || entry.key == "include") {
        findings_.add(entry.value, at, "a template cannot hold `" + entry.key + "`");
      } else if (entry.key == "parts") {
        if (const Tree* inner = section(which, "parts")) add_parts(root, *inner, at + ".parts", name + "_", scope, depth + 1);
      } else {
        Tree section = Tree::map();
        section.entries.push_back(filled(entry, scope, ""));
        lay_over(root, section, "", true, findings_);
      }
    }
  }

  // ---------------------------------------------------------------- $(...)

  Tree::Entry filled(const Tree::Entry& entry, const Scope& scope, const std::string& path) {
    Tree::Entry out{filled_text(entry.key, entry.value, scope, path), {}, entry.line, entry.column, entry.added};
    out.value = filled(entry.value, scope, path.empty() ? out.key : path + "." + out.key);
    return out;
  }

  Tree filled(const Tree& node, const Scope& scope, const std::string& path) {
    if (node.kind == Tree::Kind::scalar) {
      const std::size_t begin = node.text.find("$(");
      if (begin == std::string::npos) return node;
      const std::size_t end = closing(node.text, begin + 2);
      if (begin == 0 && end == node.text.size() - 1) return value(node.text.substr(2, end - 2), node, scope, path);
      Tree out = node;
      out.text = filled_text(node.text, node, scope, path);
      return out;
    }
    Tree out = node;
    out.entries.clear();
    std::transform(node.items.begin(), node.items.end(), out.items.begin(), [&](const Tree& item) { return filled(item, scope, path); });
    for (const Tree::Entry& entry : node.entries) out.entries.push_back(filled(entry, scope, path));
    return out;
  }

  std::string filled_text(const std::string& text, const Tree& at, const Scope& scope, const std::string& path) {
    std::string out;
    std::size_t done = 0;
    while (true) {
      const std::size_t begin = text.find("$(", done);
      if (begin == std::string::npos) return out + text.substr(done);
      const std::size_t end = closing(text, begin + 2);
      if (end == std::string::npos) return findings_.add(at, path, "`$(` is not closed in `" + text + "`", "`$(name)`"), text;
      out += text.substr(done, begin - done);
      const Tree piece = value(text.substr(begin + 2, end - begin - 2), at, scope, path);
      if (piece.kind == Tree::Kind::list || piece.kind == Tree::Kind::map)
        findings_.add(at, path, "`" + text + "` holds " + piece.described(), "a name or a number");
      out += piece.text;
      done = end + 1;
    }
  }

  /// Place of the bracket that closes one opened before `from`.
  static std::size_t closing(const std::string& text, std::size_t from) {
    int depth = 1;
    for (std::size_t at = from; at < text.size(); ++at) {
      depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
      if (depth == 0) return at;
    }
    return std::string::npos;
  }

  /// What `$(inside)` stands for: a parameter as it was written, or a number.
  Tree value(const std::string& inside, const Tree& at, const Scope& scope, const std::string& path) {
    const std::string expression = trimmed(inside);
    if (const Tree* parameter = scope.find(expression)) return *parameter;
    Tree out = at;
    try {
      mu::Parser parser;
      parser.DefineConst("pi", std::numbers::pi);
      std::vector<std::string> defined;
      for (const Scope* s = &scope; s != nullptr; s = s->outer) {
        for (const auto& [name, tree] : s->values) {
          const QuantityText read = tree.kind == Tree::Kind::scalar ? read_quantity(tree.text) : QuantityText{};
          if (!read.quantity || std::find(defined.begin(), defined.end(), name) != defined.end()) continue;
          parser.DefineConst(name, read.quantity->value);
          defined.push_back(name);
        }
      }
      parser.SetExpr(expression);
      const double number = parser.Eval();
      if (!std::isfinite(number)) findings_.add(at, path, "`$(" + expression + ")` is no finite number");
      out.text = number_text(number);
      out.quoted = false;
    } catch (const mu::Parser::exception_type& error) {
      const std::string& token = error.GetToken();
      const Tree* parameter = scope.find(token);
      if (parameter == nullptr && is_identifier(token) && error.GetCode() == mu::ecUNASSIGNABLE_TOKEN) {
        std::vector<std::string> known;
        scope.names(known);
        report_unknown(at, path, "there is no parameter `" + token + "`", token, known);
        return out;
      }
      const std::string why =
          parameter != nullptr ? "parameter `" + token + "` is " + parameter->described() + ", not a number" : error.GetMsg();
      findings_.add(at, path, "`$(" + expression + ")` cannot be computed: " + why.substr(0, why.find_last_not_of(". \n") + 1));
    }
    return out;
  }

  bool whole_number(const Tree& node, const std::string& path, int& out) {
    const QuantityText read = node.kind == Tree::Kind::scalar ? read_quantity(node.text) : QuantityText{};
    const double number = read.quantity ? read.quantity->value : -1;
    if (number >= 0 && number <= kMostCopies && number == std::floor(number)) {
      out = static_cast<int>(number);
      return true;
    }
    findings_.add(node, path, "found " + node.described(), "a whole number from 0 to " + std::to_string(kMostCopies));
    return false;
  }

  Findings& findings_;
  Scope global_;
  const Tree* templates_ = nullptr;
};

}  // namespace

ExpandedTree read_expanded(const std::string& text, const std::string& file, const std::vector<Override>& overrides,
                           std::vector<Diagnostic>& diagnostics) {
  ExpandedTree trees;
  trees.written = read_yaml(text, file, diagnostics);
  const std::size_t earlier = diagnostics.size();
  Findings findings{file, diagnostics};
  Inclusion(findings).resolve(trees.written, file);
  trees.complete = diagnostics.size() == earlier;
  const auto apply = [&](Tree& root, bool composing) {
    int order = 0;
    for (const Override& setting : overrides) {
      ++order;
      if (is_composing(setting.path.substr(0, setting.path.find('.'))) == composing) apply_override(root, setting, order, diagnostics);
    }
  };
  apply(trees.written, true);
  const std::size_t before = diagnostics.size();
  trees.expanded = Expansion(findings).expand(trees.written);
  trees.complete = trees.complete && diagnostics.size() == before;
  apply(trees.expanded, false);
  return trees;
}

}  // namespace trunnion
