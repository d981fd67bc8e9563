// The table of the model file: for every key its name, meaning, measure, limits and whether it is required.
// `describe` presents each struct of the description to a Visitor, key by key; reader, writer, checks, JSON Schema and reference
// documentation are visitors. Defaults are the values of default-constructed structs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/units.h"
#include "description/description.h"

namespace trunnion {

/// Limits and kinds of a key, combined with `|`.
enum KeyFlags : unsigned {
  kRequired = 1,     // must be given
  kPositive = 2,     // > 0
  kNonNegative = 4,  // >= 0
  kFraction = 8,     // 0 to 1
  kInfinite = 16,    // `.inf` is allowed
  kIncreasing = 32,  // times of points strictly increase
  kNotZero = 64,     // not 0
  kBelowOne = 128,   // at least 0 and below 1
};

/// What a text names.
enum class Names {
  nothing,
  body,
  coordinate,
  node,
  volume,
  signal,      // a signal or an input
  command,     // one of these or a control block
  quantity,    // one of these or a quantity of the machine
  expression,  // of quantities
  condition,   // of quantities and `elapsed`
};

/// One key of the file.
struct Key {
  const char* name;
  const char* doc;
  const Measure& measure = kNumber;
  unsigned flags = 0;
  Names names = Names::nothing;
  const char* old_name = nullptr;  // of earlier versions: read, never written

  bool is(KeyFlags flag) const { return (flags & flag) != 0; }
};

using Points = std::vector<std::array<double, 2>>;

/// Points [signal, value], signals strictly increasing, values of the key's measure.
struct OverSignal {
  Points* points;
  bool optional = false;  // may be empty
};
/// Corners of an outline, three or more.
struct Outline {
  std::vector<Vec2d>* points;
};
/// An axis: x, y, z or a vector; normalised when read.
struct Axis {
  Vec3d* value;
};
/// An axis in each of two bodies.
struct AxisPair {
  std::array<Vec3d, 2>* value;
};
/// An inertia tensor: [Jxx, Jyy, Jzz], or a mapping with xx, yy, zz, xy, xz, yz.
struct InertiaTensor {
  static constexpr std::array kMoments{"xx", "yy", "zz"}, kProducts{"xy", "xz", "yz"};

  Vec3d* moments;
  Vec3d* products;
};
/// A word of earlier versions, which is read as another one and never written.
struct OldWord {
  const char *old_word, *word;
};
/// One of several words.
struct Choice {
  std::vector<const char*> words;
  std::function<std::size_t()> get;  // words.size(): unset; above: not one of them
  std::function<void(std::size_t)> set;
  std::vector<OldWord> old_words{};
};

/// A list of some of several words.
struct Words {
  std::vector<const char*> words;
  std::vector<bool*> chosen;  // per word
};

/// A key that is replaced by other keys before the table is read; see file/expand.h.
struct Composed {
  const char* form;  // "list of files"
  enum class Kind { files, values, templates, parts } kind;
};

/// The value behind a key.
using Slot = std::variant<double*, std::optional<double>*, int*, std::optional<int>*, bool*, std::string*, std::optional<std::string>*,
                          Vec3d*, std::optional<Vec3d>*, std::array<Vec3d, 2>*, Vec2d*, std::optional<Vec2d>*, std::array<std::string, 2>*,
                          std::vector<std::string>*, std::vector<double>*, std::vector<std::vector<double>>*, Points*, OverSignal, Outline,
                          NumberOrSignal*, StartPressure*, Automatic<double>*, Automatic<Vec2d>*, Axis, AxisPair, InertiaTensor, Choice,
                          Words, Composed>;

class Visitor;

/// A mapping nested under a key.
struct Group {
  bool present = true;           // false: optional and absent
  std::function<void()> create;  // creates an absent one
  std::function<void(Visitor&)> describe;
};

/// Items of a list or of a section with named items.
struct Items {
  std::function<std::size_t()> size;
  std::function<std::string(std::size_t)> name;  // empty for lists
  std::function<void(const std::string&)> append;
  std::function<void(Visitor&, std::size_t)> describe;
  std::function<void(Visitor&)> describe_sample;  // of a default-constructed item
};

/// One of several forms of a mapping, recognised by a required key.
struct Alternative {
  const char* key;
  const char* doc;
  bool active;                             // the value has this form
  std::function<void()> activate;          // gives the value this form
  std::function<void(Visitor&)> describe;  // all keys of this form, `key` included
  bool notation = false;  // another notation of the first form: one set by an override keeps what the file gives by the other
};

class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void leaf(const Key& key, const Slot& slot) = 0;
  virtual void group(const Key& key, const Group& group) = 0;
  /// Named items; with `scalar_key` a plain value instead of an item stands for {scalar_key: value}.
  virtual void section(const Key& key, const Items& items, const char* scalar_key) = 0;
  virtual void list(const Key& key, const Items& items) = 0;
  virtual void alternatives(const std::vector<Alternative>& alternatives, bool required) = 0;
};

/// The whole model file.
void describe(Visitor& v, Description& d);

/// Describes the form that the value has, if any.
inline void describe_active(Visitor& v, const std::vector<Alternative>& alternatives) {
  for (const Alternative& a : alternatives)
    if (a.active) return a.describe(v);
}

/// The words of the choices that other modules write into results, in the order of their enumerators.
const std::vector<const char*>& coordinate_words();
const std::vector<const char*>& constraint_words();
const std::vector<const char*>& integrator_words();
const std::vector<const char*>& oil_rule_words();
const std::vector<const char*>& multiplier_words();
const std::vector<const char*>& coupling_words();
const std::vector<const char*>& coupling_scheme_words();
const std::vector<const char*>& coupling_variable_words();
const std::vector<const char*>& coupling_prediction_words();
const std::vector<const char*>& friction_side_words();
const std::vector<const char*>& tangent_words();
const std::vector<const char*>& compiled_words();
const std::vector<const char*>& friction_words();

}  // namespace trunnion
