// trunnion explain: the meaning of a path of the model file or of a channel, from the table of the model file and the channels of the
// program.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/diagnostic.h"
#include "base/text.h"
#include "commands.h"
#include "embedded.h"
#include "file/documentation.h"
#include "results/monolithic_beside.h"
#include "results/read_results.h"
#include "results/recording.h"

namespace trunnion::cli {

namespace {

struct ExplainOptions {
  std::string path, model;
  std::vector<std::string> set;
};

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

void line(const std::string& key, const std::string& text) {
  if (!text.empty()) print(fmt::format("  {:<9} {}\n", key, text));
}

std::string sentence(const std::string& text) { return text.empty() || text.back() == '.' ? text : text + "."; }

// ---------------------------------------------------------------- keys

/// Meaning, unit and default on one line.
std::string brief(const DocumentedKey& key) {
  std::string text = key.meaning;
  if (!key.unit.empty()) text += " [" + key.unit + "]";
  if (key.required)
    text += " (required)";
  else if (!key.standard.empty() && key.standard != "\"\"")
    text += " (" + key.standard + ")";
  return text;
}

bool in_form(const DocumentedKey& key, const std::string& form) {
  return form.empty() || key.forms.empty() || std::find(key.forms.begin(), key.forms.end(), form) != key.forms.end();
}

void print_keys(const DocumentedKey& key, const std::string& form) {
  std::size_t width = 0;
  for (const auto& f : key.own_forms) width = std::max(width, f.key.size());
  for (const DocumentedKey& k : key.keys) width = std::max(width, k.name.size());
  if (!key.own_forms.empty() && form.empty()) {
    print("\n  forms, each known by this key\n");
    for (const auto& f : key.own_forms) print(fmt::format("    {:<{}}  {}\n", f.key, width, f.meaning));
  }
  // keys that are only a form's name are already listed
  const auto shown = [&](const DocumentedKey& k) {
    const bool is_form = std::any_of(key.own_forms.begin(), key.own_forms.end(), [&](const auto& f) { return f.key == k.name; });
    return in_form(k, form) && !(form.empty() && is_form && k.kind == DocumentedKey::Kind::mapping);
  };
  if (std::none_of(key.keys.begin(), key.keys.end(), shown)) return;
  print("\n  keys\n");
  for (const DocumentedKey& k : key.keys)
    if (shown(k)) {
      std::string text = brief(k);
      if (form.empty() && !k.forms.empty()) text += fmt::format("; with {}", fmt::join(k.forms, ", "));
      print(fmt::format("    {:<{}}  {}\n", k.name, width, text));
    }
}

/// The mapping that holds the key, and its path.
const DocumentedKey* parent_of(const DocumentedKey& key, const DocumentedKey& from) {
  for (const DocumentedKey& k : from.keys) {
    if (&k == &key) return &from;
    if (const DocumentedKey* found = parent_of(key, k)) return found;
  }
  return nullptr;
}

std::string item_path(const DocumentedKey& key) {
  return key.path + (key.kind == DocumentedKey::Kind::section ? ".NAME" : key.kind == DocumentedKey::Kind::list ? ".N" : "");
}

void print_key(const DocumentedKey& key, const std::string& form) {
  print(item_path(key) + (form.empty() ? "" : ", written with " + form) + "\n  " + sentence(key.meaning) + "\n");
  for (const auto& f : key.own_forms)
    if (f.key == form) print("  " + sentence(f.meaning) + "\n");
  print("\n");
  std::string value = key.value;
  std::erase(value, '`');
  line("value", value);
  const bool is_form = key.forms.size() == 1 && key.forms.front() == key.name;
  const DocumentedKey* parent = parent_of(key, documented_file());
  if (is_form && key.kind == DocumentedKey::Kind::value) {
    std::vector<std::string> others;
    for (const auto& f : parent->own_forms)
      if (f.key != key.name) others.push_back(f.key);
    line("or", fmt::format("{}", fmt::join(others, ", ")));
  } else if (!is_form) {
    line("default", key.required ? "required" : key.standard == "\"\"" ? "" : key.standard);
    line("with", fmt::format("{}", fmt::join(key.forms, ", ")));
  }
  if (!key.example.empty()) {
    line("example", key.name + ": " + key.example);
    line("", fmt::format("--set {}={}", key.path, key.example.find(' ') == std::string::npos ? key.example : "\"" + key.example + "\""));
  }
  if (key.kind != DocumentedKey::Kind::value) print_keys(key, form);
  if (parent != nullptr && key.kind == DocumentedKey::Kind::mapping && !key.forms.empty()) {
    std::string beside;
    for (const DocumentedKey& k : parent->keys)
      if (&k != &key && in_form(k, key.name)) beside += fmt::format("    {}  {}\n", k.name, brief(k));
    if (!beside.empty()) print("\n  other keys of this mapping\n" + beside);
  }
  print("\n");
  line("page", "docs/" + documentation_page(key.path));
}

void print_sections() {
  print("The model file. Use `trunnion explain PATH` for details of\n\n");
  std::size_t width = 0;
  for (const DocumentedKey& key : documented_file().keys) width = std::max(width, key.name.size());
  for (const DocumentedKey& key : documented_file().keys) print(fmt::format("  {:<{}}  {}\n", key.name, width, key.meaning));
  print(
      "\nof keys in them, as cylinders.*.bore, solver.step, valves.directional, friction.model, or with --model FILE of the values in a "
      "file;\n"
      "and of channels, as lift.force, *.pressure or energy.residual.\n");
}

// ---------------------------------------------------------------- values of a model

void print_values(const Description& description, const ExplainOptions& options, const DocumentedKey& key) {
  for (const WrittenValue& value : values_at(description, options.path, options.model)) {
    const bool number = !key.unit.empty() && std::string("-.0123456789").find(value.text.front()) != std::string::npos;
    line("here", value.path + ": " + value.text + (number ? " " + key.unit : "") +
                     (value.place.file.empty() ? "  (default)"
                      : value.place.line == 0  ? "  (" + value.place.file + ")"
                                               : fmt::format("  ({}:{})", value.place.file, value.place.line)));
  }
}

// ---------------------------------------------------------------- channels

void add_channels(const Description& description, std::vector<Channel>& all) {
  const auto model = compile(description);
  std::vector<Channel> own = ChannelReader(model).channels();
  const std::vector<Channel> on_request = channels_on_request(model);
  own.insert(own.end(), on_request.begin(), on_request.end());
  if (description.solver.coupling == CouplingKind::cosimulation) {
    const MonolithicBeside beside(model);
    own.insert(own.end(), beside.channels().begin(), beside.channels().end());
  }
  for (const Channel& c : own)
    if (std::none_of(all.begin(), all.end(), [&](const Channel& a) { return a.name == c.name && a.meaning == c.meaning; }))
      all.push_back(c);
}

/// Of machines that have every element, in all coordinates and couplings.
std::vector<Channel> all_channels() {
  std::vector<Channel> all;
  const auto add = [&](const std::string& name, const std::vector<Override>& overrides) {
    for (const EmbeddedText& file : embedded_texts())
      if (file.name == name) add_channels(parse_model(file.text, name, overrides), all);
  };
  const std::string every = "channels.yaml", plane = "templates/pendulum.yaml";
  const Override cartesian{"solver.coordinates", "cartesian"}, apart{"solver.coupling", "cosimulation"};
  add(every, {});
  add(every, {cartesian});
  add(plane, {});
  add(plane, {cartesian});
  add(plane, {apart});
  add(plane, {apart, {"coupling.variables", "velocity_force"}});
  return all;
}

/// `flow_A` of `lift.flow_A`; names with one part are unchanged.
std::string quantity_of(const std::string& channel) {
  const std::size_t dot = channel.find('.');
  return dot == std::string::npos ? channel : channel.substr(dot + 1);
}

/// With every number set to 1: `multiplier_1` describes `E.multiplier_3`, too.
std::string without_numbers(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      text += c;
    else if (text.empty() || text.back() != '1')
      text += '1';
  }
  return text;
}

std::vector<Channel> channels_meant(const std::vector<Channel>& all, const std::string& query) {
  std::vector<Channel> meant;
  const auto collect_where = [&](const auto& holds) {
    if (meant.empty()) std::copy_if(all.begin(), all.end(), std::back_inserter(meant), [&](const Channel& c) { return holds(c.name); });
  };
  const std::string wanted = quantity_of(query.starts_with(".") ? "*" + query : query);
  collect_where([&](const std::string& name) { return name == query; });
  collect_where([&](const std::string& name) { return quantity_of(name) == wanted; });
  collect_where([&](const std::string& name) { return without_numbers(quantity_of(name)) == without_numbers(wanted); });
  return meant;
}

/// Channels with the same meaning on one line.
void print_channels(const std::vector<Channel>& channels, const std::string& head) {
  print(head + "\n");
  std::vector<bool> done(channels.size(), false);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (done[i]) continue;
    std::string names;
    for (std::size_t k = i; k < channels.size(); ++k)
      if (channels[k].meaning == channels[i].meaning && channels[k].unit == channels[i].unit) {
        done[k] = true;
        if (names.find(channels[k].name) == std::string::npos) names += (names.empty() ? "" : ", ") + channels[k].name;
      }
    print(fmt::format("  {}{}\n      {}\n", names, channels[i].unit.empty() ? "" : " [" + channels[i].unit + "]",
                      sentence(channels[i].meaning)));
  }
  print("\n");
  line("page", "docs/results.md");
}

// ---------------------------------------------------------------- the command

[[noreturn]] void nothing_known(const std::string& path, const std::string& hint, const std::vector<Channel>& channels) {
  std::vector<std::string> names;
  for (const Channel& c : channels) names.push_back(c.name), names.push_back(quantity_of(c.name));
  const std::string wanted = quantity_of(path), near = nearest_name(wanted, names);
  std::string best = hint;
  if (best.empty() && !near.empty()) best = wanted == path ? near : path.substr(0, path.find('.') + 1) + near;
  throw InputError({Diagnostic{{"explain", 0, 0},
                               path,
                               "there is no such key of the model file and no such channel",
                               "a path such as cylinders.*.bore, or a channel such as lift.force",
                               best.empty() ? "" : "did you mean `" + best + "`?"}});
}

int explain(const ExplainOptions& options) {
  std::optional<Description> description;
  if (!options.model.empty()) {
    ModelOptions model;
    model.file = options.model, model.set = options.set;
    description = model.read();
  }
  if (options.path.empty()) return print_sections(), kDone;
  const FoundKeys found = find_documented(options.path);
  std::vector<Channel> channels, meant;
  if (found.keys.empty() || found.by_end) {  // a complete path is not a channel
    if (description)
      add_channels(*description, channels);
    else
      channels = all_channels();
    if (description)
      std::copy_if(channels.begin(), channels.end(), std::back_inserter(meant),
                   [&](const Channel& c) { return matches_pattern(options.path, c.name); });
    else
      meant = channels_meant(channels, options.path);
  }
  if (found.keys.empty() && meant.empty()) nothing_known(options.path, found.hint, channels);
  constexpr std::size_t kMost = 3;  // of keys in full
  const bool many = found.by_end && found.keys.size() > kMost;
  if (many) print("keys of the model file\n");
  for (const DocumentedKey* key : found.keys) {
    if (many) {
      print(fmt::format("  {}\n      {}\n", key->path, sentence(brief(*key))));
      continue;
    }
    if (key != found.keys.front()) print("\n");
    print_key(*key, found.form);
    if (description) print_values(*description, options, *key);
  }
  if (!description && !found.item.empty()) {  // any name may be an item's; a misspelt key looks like one
    std::vector<std::string> names;
    for (const DocumentedKey& k : found.keys.front()->keys) names.push_back(k.name);
    for (const auto& form : found.keys.front()->own_forms) names.push_back(form.key);
    const std::string near = nearest_name(found.item, names);
    if (!near.empty()) line("hint", fmt::format("did you mean `{}.{}`?", found.keys.front()->path, near));
  }
  if (!meant.empty())
    print_channels(meant, std::string(found.keys.empty() ? "" : "\n") + "channels" +
                              (description ? " of " + options.model : "; items are named after their kind here"));
  return kDone;
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("explain", "print what a path of the model file or a channel means");
  auto options = std::make_shared<ExplainOptions>();
  command->add_option("PATH", options->path, "such as cylinders.*.bore, solver.step, valves.directional, lift.force [the sections]");
  command->add_option("--model", options->model, "a model file: its values, and its channels")->type_name("FILE");
  command->add_option("--set", options->set, "set a value of that model, path=value; may be repeated")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  command->callback([options, &action] { action = [options] { return explain(*options); }; });
}

}  // namespace trunnion::cli
