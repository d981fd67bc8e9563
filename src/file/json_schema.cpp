// JSON Schema of the model file, by visiting the table. Editors use it to complete and check model files: keys,
// kinds of values and required keys. Units and relations between items are checked by the program.
// Forms of a mapping become the union of their properties plus `oneOf` on their distinguishing keys.
// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "file/model_file.h"
#include "schema/table.h"

namespace trunnion {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSourcePattern = "^([A-Za-z0-9_.-]|\\$\\([^)]*\\))+$";
constexpr const char* kNamePattern = "^([A-Za-z0-9_-]|\\$\\([^)]*\\))+$";
constexpr const char* kQuantityPattern = "^\\s*([-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?\\s*[^,]*|\\$\\(.*\\))$";
constexpr const char* kExpressionPattern = "^\\$\\(.*\\)$";

Json list_of(Json items, std::size_t count) {
  Json list{{"type", "array"}, {"items", std::move(items)}};
  if (count > 0) list["minItems"] = list["maxItems"] = count;
  return list;
}

Json reference(const char* name) { return {{"$ref", std::string("#/$defs/") + name}}; }

/// The schema of the value behind a key.
struct ValueSchema {
  const Key& key;

  Json number() const {
    const bool limited = key.is(kPositive) || key.is(kNonNegative) || key.is(kFraction) || key.is(kBelowOne) || key.is(kNotZero);
    if (!limited) return reference("quantity");
    Json plain{{"type", "number"}};
    if (key.is(kPositive)) plain["exclusiveMinimum"] = 0;
    if (key.is(kNonNegative) || key.is(kFraction) || key.is(kBelowOne)) plain["minimum"] = 0;
    if (key.is(kFraction)) plain["maximum"] = 1;
    if (key.is(kBelowOne)) plain["exclusiveMaximum"] = 1;
    if (key.is(kNotZero)) plain["not"] = {{"const", 0}};
    Json forms = Json::array({std::move(plain), reference("quantity_text")});
    if (key.is(kInfinite)) forms.push_back({{"const", ".inf"}});
    return {{"anyOf", std::move(forms)}};
  }
  Json whole_number() const {
    Json number{{"type", "integer"}};
    if (key.is(kPositive) || key.is(kNonNegative)) number["minimum"] = key.is(kPositive) ? 1 : 0;
    return number;
  }
  Json vector() const { return list_of(number(), 3); }
  static Json name() { return {{"type", Json::array({"string", "number"})}}; }
  Json either(Json a, Json b) const { return {{"anyOf", Json::array({std::move(a), std::move(b)})}}; }

  Json operator()(const double*) const { return number(); }
  Json operator()(const std::optional<double>*) const { return number(); }
  Json operator()(const int*) const { return whole_number(); }
  Json operator()(const std::optional<int>*) const { return whole_number(); }
  Json operator()(const bool*) const { return {{"type", "boolean"}}; }
  Json operator()(const std::string*) const { return name(); }
  Json operator()(const std::optional<std::string>*) const { return name(); }
  Json operator()(const Vec3d*) const { return vector(); }
  Json operator()(const std::optional<Vec3d>*) const { return vector(); }
  Json operator()(const std::array<Vec3d, 2>*) const { return list_of(vector(), 2); }
  Json operator()(const Vec2d*) const { return list_of(number(), 2); }
  Json operator()(const std::optional<Vec2d>*) const { return list_of(number(), 2); }
  Json operator()(const std::array<std::string, 2>*) const { return list_of(name(), 2); }
  Json operator()(const std::vector<std::string>*) const { return list_of(name(), 0); }
  Json operator()(const std::vector<double>*) const { return list_of(number(), 0); }
  Json operator()(const std::vector<std::vector<double>>*) const { return list_of(list_of(number(), 0), 0); }
  Json operator()(const Points*) const {
    Json points = list_of(list_of(reference("quantity"), 2), 0);
    points["minItems"] = 1;
    return points;
  }
  Json operator()(const OverSignal& x) const { return (*this)(x.points); }
  Json operator()(const Outline&) const {
    Json corners = list_of(list_of(number(), 2), 0);
    corners["minItems"] = 3;
    return corners;
  }
  Json operator()(const NumberOrSignal*) const {
    return either(number(), {{"type", "string"},
                             {"pattern", key.names == Names::quantity || key.names == Names::command ? kSourcePattern : kNamePattern}});
  }
  Json operator()(const StartPressure*) const { return either(number(), {{"const", "equilibrium"}}); }
  Json operator()(const Automatic<double>*) const { return either(number(), {{"const", "auto"}}); }
  Json operator()(const Automatic<Vec2d>*) const { return either(list_of(number(), 2), {{"const", "auto"}}); }
  Json operator()(const Axis&) const { return reference("axis"); }
  Json operator()(const AxisPair&) const { return list_of(reference("axis"), 2); }
  Json operator()(const InertiaTensor&) const {
    Json map{{"type", "object"}, {"properties", Json::object()}, {"required", {"xx", "yy", "zz"}}, {"additionalProperties", false}};
    for (const auto& names : {InertiaTensor::kMoments, InertiaTensor::kProducts})
      for (const char* entry : names) map["properties"][entry] = reference("quantity");
    return either(list_of(reference("quantity"), 3), std::move(map));
  }
  Json operator()(const Choice& x) const { return {{"enum", x.words}}; }
  Json operator()(const Words& x) const { return list_of({{"enum", x.words}}, 0); }
  Json operator()(const Composed& x) const {
    const Json texts = either(name(), list_of(name(), 0));
    if (x.kind == Composed::Kind::files) return texts;
    Json map{{"type", Json::array({"object", "null"})}, {"propertyNames", {{"pattern", kNamePattern}}}};
    if (x.kind == Composed::Kind::templates) map["additionalProperties"] = {{"type", "object"}};
    if (x.kind == Composed::Kind::parts) map["additionalProperties"] = {{"type", "object"}, {"required", {"template"}}};
    return map;
  }
};

class SchemaWriter : public Visitor {
 public:
  explicit SchemaWriter(Json& object) : object_(&object) {
    object = {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  }

  void leaf(const Key& key, const Slot& slot) override {
    Json value = std::visit(ValueSchema{key}, slot);
    if (!value.contains("$ref") && !std::holds_alternative<Composed>(slot) && value != ValueSchema::name()) {
      if (!value.contains("anyOf")) value = {{"anyOf", Json::array({std::move(value)})}};
      value["anyOf"].push_back(reference("expression"));
    }
    const std::string unit = key.measure.unit;
    add(key, value, unit.empty() ? "" : " [" + unit + "]");
  }
  void group(const Key& key, const Group& group) override {
    if (!group.present) group.create();
    add(key, object(group.describe), "");
  }
  void section(const Key& key, const Items& items, const char* scalar_key) override {
    Json item = object(items.describe_sample);
    if (scalar_key != nullptr) {
      const bool named = item["properties"][scalar_key].contains("type");  // a name rather than a quantity
      item = {{"anyOf", Json::array({named ? ValueSchema::name() : reference("quantity"), std::move(item)})}};
    }
    Json section{{"type", Json::array({"object", "null"})},
                 {"propertyNames", {{"pattern", kNamePattern}}},
                 {"additionalProperties", std::move(item)}};
    add(key, section, "");
  }
  void list(const Key& key, const Items& items) override {
    Json list = list_of(object(items.describe_sample), 0);
    list["minItems"] = 1;
    add(key, list, "");
  }
  void alternatives(const std::vector<Alternative>& alternatives, bool required) override {
    Json forms = Json::array();
    const bool outer = in_form_;
    for (const Alternative& a : alternatives) {
      in_form_ = true;
      form_required_ = Json::array();
      a.activate();
      a.describe(*this);
      forms.push_back({{"required", form_required_.empty() ? Json::array({a.key}) : form_required_}});
    }
    in_form_ = outer;
    if (required) (*object_)["allOf"].push_back({{"oneOf", std::move(forms)}});
  }

 private:
  static Json object(const std::function<void(Visitor&)>& describe) {
    Json object;
    SchemaWriter writer(object);
    describe(writer);
    return object;
  }

  void add(const Key& key, const Json& value, const std::string& unit) {
    Json described{{"description", key.doc + unit}};
    described.update(value);
    Json& properties = (*object_)["properties"];
    if (!properties.contains(key.name))
      properties[key.name] = std::move(described);
    else if (properties[key.name] != described)
      merge(properties[key.name], std::move(described));
    if (key.is(kRequired)) (in_form_ ? form_required_ : (*object_)["required"]).push_back(key.name);
  }

  // A key that means different things in different forms.
  static void merge(Json& present, Json other) {
    if (!present.contains("anyOf") || present.size() > 1) present = {{"anyOf", Json::array({present})}};
    for (const Json& form : present["anyOf"])
      if (form == other) return;
    present["anyOf"].push_back(std::move(other));
  }

  Json* object_;
  bool in_form_ = false;
  Json form_required_ = Json::array();
};

}  // namespace

std::string json_schema() {
  Json schema;
  SchemaWriter writer(schema);
  Description sample;
  describe(writer, sample);
  Json head{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "Trunnion model file"},
            {"description", "Generated from the table in src/file by `trunnion schema`; do not edit"}};
  head.update(schema);
  head["properties"]["trunnion"] = {{"description", "Version of the file format"}, {"const", 1}};
  const Json text{{"type", "string"}, {"pattern", kQuantityPattern}};
  head["$defs"] = {
      {"quantity_text", text},
      {"expression", Json{{"type", "string"}, {"pattern", kExpressionPattern}}},
      {"quantity", {{"anyOf", Json::array({Json{{"type", "number"}}, reference("quantity_text")})}}},
      {"axis", {{"anyOf", Json::array({Json{{"enum", {"x", "y", "z"}}}, list_of(reference("quantity"), 3), reference("expression")})}}}};
  return head.dump(2) + "\n";
}

}  // namespace trunnion
