// Reading single values: numbers with units, vectors, axes, points, names.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "schema/reader.h"

namespace trunnion {

std::string expectation(const Measure& measure) {
  std::string text = measure.name;
  return text + " such as " + measure.example;
}

bool Reader::wrong_kind(const FileTree& node, const std::string& path, const std::string& expected) {
  if (node.kind == FileTree::Kind::map && node.line == 0)
    report(span_of(node), path, "only `" + path + "` as a whole can be set", expected);
  else
    report(span_of(node), path, "found " + node.described(), expected);
  return false;
}

struct Reader::Dispatch {
  Reader& r;
  const Key& key;
  const FileTree& node;
  const std::string& path;

  void operator()(double* x) { r.number(key, node, path, *x); }
  void operator()(std::optional<double>* x) {
    if (double v = 0; r.number(key, node, path, v)) *x = v;
  }
  void operator()(int* x) { r.integer(key, node, path, *x); }
  void operator()(std::optional<int>* x) {
    if (int v = 0; r.integer(key, node, path, v)) *x = v;
  }
  void operator()(bool* x) { r.boolean(node, path, *x); }
  void operator()(std::string* x) {
    if (key.names == Names::nothing)
      r.text(node, path, "a text", *x);
    else
      r.name(node, path, *x);
  }
  void operator()(std::optional<std::string>* x) {
    if (std::string v; r.name(node, path, v)) *x = v;
  }
  void operator()(Vec3d* x) { r.vector(key, node, path, *x); }
  void operator()(std::optional<Vec3d>* x) {
    if (Vec3d v{}; r.vector(key, node, path, v)) *x = v;
  }
  void operator()(Vec2d* x) { r.pair(key, node, path, *x); }
  void operator()(std::optional<Vec2d>* x) {
    if (Vec2d v{}; r.pair(key, node, path, v)) *x = v;
  }
  void operator()(std::array<Vec3d, 2>* x) {
    if (!r.list_of(node, path, 2, "two points, one in each body's frame")) return;
    for (std::size_t i = 0; i < 2; ++i) r.vector(key, node.items[i], path + "." + std::to_string(i), (*x)[i]);
  }
  void operator()(AxisPair x) {
    if (!r.list_of(node, path, 2, "two axes, one in each body's frame")) return;
    for (std::size_t i = 0; i < 2; ++i) r.axis(node.items[i], path + "." + std::to_string(i), (*x.value)[i]);
  }
  void operator()(std::array<std::string, 2>* x) {
    if (std::vector<std::string> names; r.texts(node, path, 2, names)) *x = {names[0], names[1]};
  }
  void operator()(std::vector<std::string>* x) { r.texts(node, path, 0, *x); }
  void operator()(std::vector<double>* x) { r.numbers(key, node, path, *x); }
  void operator()(std::vector<std::vector<double>>* x) {
    if (node.kind != FileTree::Kind::list) {
      r.wrong_kind(node, path, "a list of rows, each a list of numbers");
      return;
    }
    x->resize(node.items.size());
    for (std::size_t i = 0; i < x->size(); ++i) r.numbers(key, node.items[i], path + "." + std::to_string(i), (*x)[i]);
  }
  void operator()(Points* x) { r.points(key, node, path, {"time", "", kTime, key.flags & kIncreasing}, "[1 s, 10]", *x); }
  void operator()(OverSignal x) {
    Points points;
    if (r.points(key, node, path, {"signal", "", kSignalValue, kIncreasing}, "[-0.5, 1]", points)) *x.points = points;
  }
  void operator()(Outline x) { r.outline(key, node, path, *x.points); }
  void operator()(NumberOrSignal* x) { r.number_or_signal(key, node, path, *x); }
  void operator()(StartPressure* x) {
    bool misspelt = false;
    x->equilibrium = is_word("equilibrium", expectation(key.measure), misspelt);
    if (!x->equilibrium && !misspelt) r.number(key, node, path, x->value);
  }
  /// Whether `word` is given instead of a number or pair; a misspelt word is reported and sets `misspelt`.
  bool is_word(const char* word, const std::string& expected, bool& misspelt) {
    misspelt = false;
    if (node.kind != FileTree::Kind::scalar) return false;
    if (node.text == word) return true;
    misspelt = is_item_name(node.text) && !read_quantity(node.text).quantity;
    if (misspelt)
      r.report(r.span_of(node), path, "found " + node.described(), expected + ", or " + word,
               nearest_name(node.text, {word}).empty() ? "" : fmt::format("did you mean `{}`?", word));
    return false;
  }
  template <class T>
  void operator()(Automatic<T>* x) {
    bool misspelt = false;
    if (is_word("auto", expectation(key.measure), misspelt))
      x->value.reset();
    else if (!misspelt)
      (*this)(&x->value);
  }
  void operator()(Axis x) { r.axis(node, path, *x.value); }
  void operator()(const InertiaTensor& x) { r.inertia(key, node, path, x); }
  void operator()(const Choice& x) { r.choice(node, path, x); }
  void operator()(const Words& x) { r.words(node, path, x); }
  void operator()(const Composed&) { r.report(r.span_of(node), path, "`" + std::string(key.name) + "` is only allowed in a file"); }
};

void Reader::value(const Key& key, const FileTree& node, const std::string& path, const Slot& slot) {
  std::visit(Dispatch{*this, key, node, path}, slot);
}

// ---------------------------------------------------------------- numbers

bool Reader::number(const Key& key, const FileTree& node, const std::string& path, double& out) {
  if (node.kind != FileTree::Kind::scalar) return wrong_kind(node, path, expectation(key.measure));
  if (key.is(kInfinite) && node.text == ".inf") {
    out = std::numeric_limits<double>::infinity();
    return true;
  }
  const QuantityText read = read_quantity(node.text);
  if (!read.quantity) {
    report(span_of(node), path, read.problem, expectation(key.measure), read.hint);
    return false;
  }
  if (read.quantity->has_unit && !fits(read.quantity->dimension, key.measure)) {
    report(span_of(node), path, "found " + node.described() + ", which has a different dimension", expectation(key.measure));
    return false;
  }
  if (!in_range(key, node, path, read.quantity->value)) return false;
  if (read.quantity->has_unit) log_.dimensions[path] = read.quantity->dimension;
  out = read.quantity->value;
  return true;
}

bool Reader::in_range(const Key& key, const FileTree& node, const std::string& path, double value) {
  const char* limit = nullptr;
  if (key.is(kPositive) && !(value > 0)) limit = " greater than 0";
  if (key.is(kNonNegative) && !(value >= 0)) limit = " not less than 0";
  if (key.is(kFraction) && !(value >= 0 && value <= 1)) limit = " from 0 to 1";
  if (key.is(kBelowOne) && !(value >= 0 && value < 1)) limit = " of at least 0 and below 1";
  if (key.is(kNotZero) && value == 0) limit = " other than 0";
  if (limit == nullptr) return true;
  report(span_of(node), path, "found " + node.described(), key.measure.name + std::string(limit));
  return false;
}

bool Reader::integer(const Key& key, const FileTree& node, const std::string& path, int& out) {
  double value = 0;
  if (!number(key, node, path, value)) return false;
  if (value != std::floor(value) || std::abs(value) > std::numeric_limits<int>::max()) {
    report(span_of(node), path, "found " + node.described(), kWholeNumber);
    return false;
  }
  out = static_cast<int>(value);
  return true;
}

bool Reader::numbers(const Key& key, const FileTree& node, const std::string& path, std::vector<double>& out) {
  if (node.kind != FileTree::Kind::list) return wrong_kind(node, path, "a list of numbers");
  out.assign(node.items.size(), 0);
  bool good = true;
  for (std::size_t i = 0; i < out.size(); ++i) good = number(key, node.items[i], path + "." + std::to_string(i), out[i]) && good;
  return good;
}

bool Reader::list_of(const FileTree& node, const std::string& path, std::size_t count, const std::string& what) {
  if (node.kind != FileTree::Kind::list) return wrong_kind(node, path, "a list of " + what);
  if (node.items.size() == count) return true;
  report(span_of(node), path, "found a list of " + std::to_string(node.items.size()), "a list of " + what);
  return false;
}

bool Reader::vector(const Key& key, const FileTree& node, const std::string& path, Vec3d& out) {
  const std::string each = key.measure.unit[0] == '\0' ? "three numbers" : "three numbers, each " + expectation(key.measure);
  if (!list_of(node, path, 3, each)) return false;
  bool good = true;
  for (std::size_t i = 0; i < 3; ++i) good = number(key, node.items[i], path + "." + std::to_string(i), out[i]) && good;
  return good;
}

bool Reader::pair(const Key& key, const FileTree& node, const std::string& path, Vec2d& out) {
  if (!list_of(node, path, 2, "two numbers, each " + expectation(key.measure))) return false;
  const bool first = number(key, node.items[0], path + ".0", out[0]);
  return number(key, node.items[1], path + ".1", out[1]) && first;
}

bool Reader::axis(const FileTree& node, const std::string& path, Vec3d& out) {
  if (node.kind == FileTree::Kind::scalar) {
    if (node.text == "x" || node.text == "y" || node.text == "z") {
      out = {};
      out[static_cast<std::size_t>(node.text[0] - 'x')] = 1;
      return true;
    }
    return wrong_kind(node, path, "x, y, z or a vector [x, y, z]");
  }
  Vec3d a{};
  if (!vector({"axis", ""}, node, path, a)) return false;
  const double length = std::hypot(a[0], a[1], a[2]);
  if (!(length > 0) || !std::isfinite(length)) {
    report(span_of(node), path, "the axis has no direction", "a non-zero vector");
    return false;
  }
  const bool unit = std::abs(length - 1) <= 4 * std::numeric_limits<double>::epsilon();  // reading again must not change it
  for (std::size_t i = 0; i < 3; ++i) out[i] = unit ? a[i] : a[i] / length;
  return true;
}

bool Reader::inertia(const Key& key, const FileTree& node, const std::string& path, const InertiaTensor& out) {
  const Key moment{"moment", "", key.measure, kNonNegative};
  if (node.kind == FileTree::Kind::list) return vector(moment, node, path, *out.moments);
  if (node.kind != FileTree::Kind::map) return wrong_kind(node, path, "[Jxx, Jyy, Jzz] or a mapping with xx, yy, zz, xy, xz, yz");
  enter(node, path, visited_.size() - 1, [&](Visitor& v) {
    for (std::size_t i = 0; i < 3; ++i) v.leaf({InertiaTensor::kMoments[i], "", key.measure, kRequired | kNonNegative}, &(*out.moments)[i]);
    for (std::size_t i = 0; i < 3; ++i) v.leaf({InertiaTensor::kProducts[i], "", key.measure}, &(*out.products)[i]);
  });
  return true;
}

// ---------------------------------------------------------------- points over time or signal

bool Reader::point(const Key& key, const FileTree& node, const std::string& path, const Key& first, const char* both,
                   std::array<double, 2>& out) {
  if (!list_of(node, path, 2, std::string(first.name) + " and value, as in " + both)) return false;
  const bool good = number({first.name, "", first.measure}, node.items[0], path + ".0", out[0]);
  return number({"value", "", key.measure, key.flags & kFraction}, node.items[1], path + ".1", out[1]) && good;
}

bool Reader::points(const Key& key, const FileTree& node, const std::string& path, const Key& first, const char* both, Points& out) {
  const std::string expected = std::string("points [") + first.name + ", value]";
  if (node.kind != FileTree::Kind::list || node.items.empty()) {
    if (node.kind == FileTree::Kind::list) {
      report(span_of(node), path, "found an empty list", expected);
      return false;
    }
    return wrong_kind(node, path, "a list of " + expected);
  }
  bool good = true;
  for (std::size_t i = 0; i < node.items.size() && good; ++i) {
    const std::string item_path = path + "." + std::to_string(i);
    std::array<double, 2> p{};
    good = point(key, node.items[i], item_path, first, both, p);
    if (!good) continue;
    const bool strict = first.is(kIncreasing), time = std::string(first.name) == "time";
    if (!out.empty() && (p[0] < out.back()[0] || (strict && p[0] == out.back()[0]))) {
      report(span_of(node.items[i]), item_path,
             std::string("the ") + first.name + " " + node.items[i].items[0].described() +
                 (!time    ? " is not greater"
                  : strict ? " is not later"
                           : " is earlier") +
                 " than the one before",
             strict ? std::string("strictly increasing ") + first.name + "s" : "times that do not decrease");
      good = false;
    }
    out.push_back(p);
  }
  return good;
}

bool Reader::outline(const Key& key, const FileTree& node, const std::string& path, std::vector<Vec2d>& out) {
  const std::string expected = "a list of three or more corners, each two lengths";
  if (node.kind != FileTree::Kind::list) return wrong_kind(node, path, expected);
  bool good = node.items.size() >= 3;
  if (!good) report(span_of(node), path, "found a list of " + std::to_string(node.items.size()), expected);
  for (std::size_t i = 0; i < node.items.size() && good; ++i)
    good = pair(key, node.items[i], path + "." + std::to_string(i), out.emplace_back());
  return good;
}

// ---------------------------------------------------------------- texts

bool Reader::text(const FileTree& node, const std::string& path, const char* expected, std::string& out) {
  if (node.kind != FileTree::Kind::scalar) return wrong_kind(node, path, expected);
  out = node.text;
  return true;
}

bool Reader::name(const FileTree& node, const std::string& path, std::string& out) {
  if (!text(node, path, "a name", out)) return false;
  if (!out.empty()) return true;
  report(span_of(node), path, "the name is empty", "a name");
  return false;
}

bool Reader::texts(const FileTree& node, const std::string& path, std::size_t count, std::vector<std::string>& out) {
  if (count > 0 && !list_of(node, path, count, std::to_string(count) + " names")) return false;
  if (node.kind != FileTree::Kind::list) return wrong_kind(node, path, "a list of names");
  out.clear();
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string item_path = path + "." + std::to_string(i);
    set_span(item_path, node.items[i]);
    std::string name;
    if (!Reader::name(node.items[i], item_path, name)) return false;
    out.push_back(name);
  }
  return true;
}

bool Reader::boolean(const FileTree& node, const std::string& path, bool& out) {
  if (node.kind != FileTree::Kind::scalar || (node.text != "true" && node.text != "false")) return wrong_kind(node, path, "true or false");
  out = node.text == "true";
  return true;
}

bool Reader::number_or_signal(const Key& key, const FileTree& node, const std::string& path, NumberOrSignal& out) {
  const bool quantity = key.names == Names::quantity || key.names == Names::command;  // `cycle.boom`
  if (node.kind != FileTree::Kind::scalar)
    return wrong_kind(node, path, expectation(key.measure) + (quantity ? ", or the name of a quantity" : ", or the name of a signal"));
  std::string letters = node.text;
  if (quantity) std::replace(letters.begin(), letters.end(), '.', '_');  // `lift.length`
  const bool name = is_item_name(letters) && std::string("0123456789-").find(node.text[0]) == std::string::npos;
  if (name) {
    out = node.text;
    return true;
  }
  double value = 0;
  if (!number(key, node, path, value)) return false;
  out = value;
  return true;
}

bool Reader::words(const FileTree& node, const std::string& path, const Words& out) {
  if (node.kind != FileTree::Kind::list)
    return wrong_kind(node, path, "a list of some of " + fmt::format("{}", fmt::join(out.words, ", ")));
  std::vector<bool> chosen(out.words.size());
  for (std::size_t i = 0; i < node.items.size(); ++i)
    if (!choice(node.items[i], path + "." + std::to_string(i),
                {out.words, [&] { return out.words.size(); }, [&](std::size_t k) { chosen[k] = true; }, {}}))
      return false;
  for (std::size_t k = 0; k < chosen.size(); ++k) *out.chosen[k] = chosen[k];
  return true;
}

bool Reader::choice(const FileTree& node, const std::string& path, const Choice& out) {
  std::vector<std::string> words(out.words.begin(), out.words.end());
  std::string expected;
  for (const std::string& word : words) expected += (expected.empty() ? "" : ", ") + word;
  expected = (words.size() > 1 ? "one of " : "") + expected;
  if (node.kind != FileTree::Kind::scalar) return wrong_kind(node, path, expected);
  const auto old = std::find_if(out.old_words.begin(), out.old_words.end(), [&](const OldWord& o) { return node.text == o.old_word; });
  const std::string text = old == out.old_words.end() ? node.text : old->word;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (text != words[i]) continue;
    out.set(i);
    return true;
  }
  const std::string near = nearest_name(node.text, words);
  report(span_of(node), path, "found " + node.described(), expected, near.empty() ? "" : "did you mean `" + near + "`?");
  return false;
}

}  // namespace trunnion
