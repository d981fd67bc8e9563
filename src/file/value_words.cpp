// Values, defaults and examples of the table in words.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/value_words.h"

#include <type_traits>

#include "schema/tree.h"
#include "schema/writer.h"

namespace trunnion {

namespace {

std::string code(const std::string& text) { return "`" + text + "`"; }

std::string named(Names names) {
  switch (names) {
    case Names::body:
      return "body";
    case Names::coordinate:
      return "joint coordinate";
    case Names::node:
      return "node";
    case Names::volume:
      return "volume";
    case Names::signal:
      return "signal";
    case Names::command:
      return "signal or control block";
    case Names::quantity:
      return "quantity";
    case Names::expression:
    case Names::condition:
      return "expression";
    case Names::nothing:
      break;
  }
  return "text";
}

/// The kind of value in words.
struct ValueKind {
  const Key& key;

  std::string number() const {
    std::string text = key.measure.unit[0] == '\0' ? "number" : std::string("number [") + key.measure.unit + "]";
    if (key.is(kPositive)) text += ", > 0";
    if (key.is(kNonNegative)) text += ", >= 0";
    if (key.is(kFraction)) text += ", 0 to 1";
    if (key.is(kBelowOne)) text += ", >= 0, < 1";
    if (key.is(kNotZero)) text += ", not 0";
    return text;
  }
  std::string vector() const { return "3 x " + number(); }

  std::string whole_number() const {
    return std::string("whole number") + (key.is(kPositive) ? ", > 0" : key.is(kNonNegative) ? ", >= 0" : "");
  }
  std::string operator()(const double*) const { return number(); }
  std::string operator()(const std::optional<double>*) const { return number(); }
  std::string operator()(const int*) const { return whole_number(); }
  std::string operator()(const std::optional<int>*) const { return whole_number(); }
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const std::string*) const { return named(key.names); }
  std::string operator()(const std::optional<std::string>*) const { return named(key.names); }
  std::string operator()(const Vec3d*) const { return vector(); }
  std::string operator()(const std::optional<Vec3d>*) const { return vector(); }
  std::string operator()(const std::array<Vec3d, 2>*) const { return "2 x " + vector(); }
  std::string operator()(const Vec2d*) const { return "2 x " + number(); }
  std::string operator()(const std::optional<Vec2d>*) const { return "2 x " + number(); }
  std::string operator()(const std::array<std::string, 2>*) const { return "2 x " + named(key.names); }
  std::string operator()(const std::vector<std::string>*) const {
    if (key.names == Names::command) return "list of signals or control blocks";
    return "list of " + (key.names == Names::quantity ? "quantities" : named(key.names) + "s");
  }
  std::string operator()(const std::vector<double>*) const { return "list of numbers"; }
  std::string operator()(const std::vector<std::vector<double>>*) const { return "list of rows of numbers"; }
  std::string operator()(const Points*) const { return "list of [time, value]"; }
  std::string operator()(const OverSignal&) const { return "list of [signal, value]"; }
  std::string operator()(const Outline&) const { return "list of 2 x " + number(); }
  std::string operator()(const NumberOrSignal*) const { return number() + ", or " + named(key.names); }
  std::string operator()(const StartPressure*) const { return number() + ", or `equilibrium`"; }
  std::string operator()(const Automatic<double>*) const { return number() + ", or `auto`"; }
  std::string operator()(const Automatic<Vec2d>*) const { return "2 x " + number() + ", or `auto`"; }
  std::string operator()(const Axis&) const { return "`x`, `y`, `z` or 3 x number"; }
  std::string operator()(const AxisPair&) const { return "2 x axis"; }
  std::string operator()(const InertiaTensor&) const { return "3 x number [kg m^2], or a mapping"; }
  std::string operator()(const Composed& x) const { return x.form; }
  static std::string all(const std::vector<const char*>& words) {
    std::string text;
    for (const char* word : words) text += (text.empty() ? "" : ", ") + code(word);
    return text;
  }
  std::string operator()(const Words& x) const { return "list of " + all(x.words); }
  std::string operator()(const Choice& x) const { return all(x.words); }
};

/// An example value, different from the default of a choice.
struct Example {
  const Key& key;

  template <class T>
  std::string operator()(const T& x) const {
    constexpr bool kIsNumber = std::is_same_v<T, double*> || std::is_same_v<T, std::optional<double>*> ||
                               std::is_same_v<T, NumberOrSignal*> || std::is_same_v<T, StartPressure*> ||
                               std::is_same_v<T, Automatic<double>*>;
    constexpr bool kIsVector = std::is_same_v<T, Vec3d*> || std::is_same_v<T, std::optional<Vec3d>*>;
    const std::string number = key.measure.example;
    if constexpr (kIsNumber) return number;
    if constexpr (kIsVector) return "[0, 0, " + number + "]";
    if constexpr (std::is_same_v<T, Points*>) return "[[0 s, 0], [0.5 s, " + number + "]]";
    if constexpr (std::is_same_v<T, std::vector<double>*>) return "[1, 0.5]";
    if constexpr (std::is_same_v<T, std::vector<std::vector<double>>*>) return "[[0, 1], [-1, -2]]";
    if constexpr (std::is_same_v<T, Outline>) return "[[0, 0], [1 m, 0], [0, 0.5 m]]";
    if constexpr (std::is_same_v<T, bool*>) return *x ? "false" : "true";
    if constexpr (std::is_same_v<T, Axis>) return "y";
    if constexpr (std::is_same_v<T, Choice>) return x.words[x.get() == 0 && x.words.size() > 1 ? 1 : 0];
    if constexpr (std::is_same_v<T, Words>) return std::string("[") + x.words[0] + "]";
    return "";
  }
};

}  // namespace

std::string value_words(const Key& key, const Slot& slot) { return std::visit(ValueKind{key}, slot); }

std::string default_words(const Key& key, const Slot& slot) {
  const FileTree value = write_value(key, slot);
  if (value.kind == FileTree::Kind::null) return "";
  std::string text = yaml_text(value);
  text.pop_back();
  return text;
}

std::string example_words(const Key& key, const Slot& slot) { return std::visit(Example{key}, slot); }

}  // namespace trunnion
