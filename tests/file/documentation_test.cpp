// `trunnion explain`. Reference: the schema, which another visitor of the table writes, and the pages in docs.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/documentation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/diagnostic.h"
#include "file/model_file.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;
using Kind = DocumentedKey::Kind;
using Json = nlohmann::json;

const std::string kRoot = TRUNNION_SOURCE_DIR;

void for_each(const DocumentedKey& mapping, const std::function<void(const DocumentedKey&)>& f) {
  for (const DocumentedKey& key : mapping.keys) {
    f(key);
    for_each(key, f);
  }
}

/// Paths of all properties of a schema, names of items as NAME, of lists as N.
void schema_paths(const Json& schema, const std::string& prefix, std::set<std::string>& paths) {
  if (schema.contains("anyOf"))
    for (const Json& one : schema["anyOf"]) schema_paths(one, prefix, paths);
  if (schema.contains("properties"))
    for (const auto& [name, value] : schema["properties"].items()) {
      if (name == "xx" || name == "yy" || name == "zz" || name == "xy" || name == "xz" || name == "yz") continue;  // of a tensor
      paths.insert(prefix + name);
      schema_paths(value, prefix + name + ".", paths);
    }
  if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object() &&
      (schema["additionalProperties"].contains("properties") || schema["additionalProperties"].contains("anyOf")))
    schema_paths(schema["additionalProperties"], prefix + "NAME.", paths);
  if (schema.contains("items")) schema_paths(schema["items"], prefix + "N.", paths);
}

const DocumentedKey& only(const FoundKeys& found) {
  EXPECT_EQ(found.keys.size(), 1u);
  return *found.keys.at(0);
}

TEST(Documentation, HasEveryKeyOfTheSchemaAndNoOther) {
  std::set<std::string> wanted, known;
  schema_paths(Json::parse(json_schema()), "", wanted);
  for_each(documented_file(), [&](const DocumentedKey& key) { known.insert(key.path); });
  EXPECT_GT(wanted.size(), 300u);
  EXPECT_EQ(wanted, known);
}

TEST(Documentation, EveryKeyIsFoundByItsPathAndAsAPatternAndOfAnItem) {
  for_each(documented_file(), [](const DocumentedKey& key) {
    for (const char* item : {"NAME", "*", "an_item"}) {
      std::string path;
      for (const std::string& part : path_parts(key.path)) path += (path.empty() ? "" : ".") + (part == "NAME" ? std::string(item) : part);
      const FoundKeys found = find_documented(path);
      EXPECT_TRUE(std::find(found.keys.begin(), found.keys.end(), &key) != found.keys.end()) << path;
      EXPECT_FALSE(found.by_end) << path;
    }
    EXPECT_FALSE(key.meaning.empty()) << key.path;
    EXPECT_FALSE(key.value.empty()) << key.path;
  });
}

TEST(Documentation, EveryKeyHasAPageInTheFolderDocs) {
  for_each(documented_file(),
           [](const DocumentedKey& key) { EXPECT_TRUE(fs::exists(fs::path(kRoot) / "docs" / documentation_page(key.path))) << key.path; });
  EXPECT_EQ(documentation_page("cylinders.NAME.friction.model"), "elements/friction.md");
  EXPECT_EQ(documentation_page("cylinders.NAME.bore"), "elements/cylinder.md");
  EXPECT_EQ(documentation_page("valves.NAME.directional.ports"), "elements/directional_valve.md");
  // a new valve or section has a page of its own
  const FoundKeys valves = find_documented("valves");
  for (const auto& form : only(valves).own_forms)
    EXPECT_TRUE(documentation_page("valves.NAME." + form.key).starts_with("elements/")) << form.key;
}

TEST(Documentation, SaysMeaningValueUnitDefaultAndExample) {
  const DocumentedKey step = only(find_documented("solver.step"));
  EXPECT_EQ(step.path, "solver.step");
  EXPECT_EQ(step.unit, "s");
  EXPECT_EQ(step.standard, "0.001");
  EXPECT_EQ(step.example, "1 ms");
  EXPECT_FALSE(step.required);
  const DocumentedKey model = only(find_documented("cylinders.lift.friction.model"));
  EXPECT_EQ(model.path, "cylinders.NAME.friction.model");
  EXPECT_NE(model.value.find("brown_mcphee"), std::string::npos);
  EXPECT_TRUE(only(find_documented("fluid.density")).value.find("> 0") != std::string::npos);
}

TEST(Documentation, EveryExampleOfANumberIsOneThatTheFileAccepts) {
  std::size_t examples = 0;
  for (const char* path : {"solver.step", "solver.duration", "fluid.density", "fluid.bulk_modulus", "gravity", "solver.tangent",
                           "cylinders.lift.bore", "cylinders.lift.friction.viscous", "volumes.piston_side.pressure"}) {
    const std::string example = only(find_documented(path)).example;
    ASSERT_FALSE(example.empty()) << path;
    EXPECT_NO_THROW((void)load_model(kRoot + "/examples/lever.yaml", {{path, example}})) << path << ": " << example;
    ++examples;
  }
  EXPECT_EQ(examples, 9u);
}

TEST(Documentation, FindsFormsItemsAndEnds) {
  EXPECT_EQ(only(find_documented("valves.directional")).path, "valves.NAME.directional");
  const FoundKeys wheel = find_documented("bodies.rod");
  EXPECT_EQ(only(wheel).path, "bodies.NAME.rod");
  const FoundKeys item = find_documented("cylinders.boom");
  EXPECT_EQ(only(item).path, "cylinders");
  EXPECT_EQ(item.item, "boom");
  const FoundKeys joints = find_documented("joints.boom.revolute.axis");
  EXPECT_EQ(only(joints).path, "joints.NAME.revolute.axis");
  const FoundKeys end = find_documented("friction.model");
  EXPECT_TRUE(end.by_end);
  std::set<std::string> paths;
  for (const DocumentedKey* key : end.keys) paths.insert(key->path);
  EXPECT_EQ(paths, (std::set<std::string>{"cylinders.NAME.friction.model", "joints.NAME.friction.model", "loops.NAME.friction.model",
                                          "motors.NAME.friction.model"}));
  // only complete parts match
  EXPECT_TRUE(find_documented("odel").keys.empty());
}

TEST(Documentation, SuggestsTheNearestPath) {
  EXPECT_EQ(find_documented("cylindrs.lift.bore").hint, "cylinders.lift.bore");
  EXPECT_EQ(find_documented("cylinders.lift.boer").hint, "cylinders.lift.bore");
  EXPECT_EQ(find_documented("solver.stp").hint, "solver.step");
  EXPECT_EQ(find_documented("cylinders.lift.friction.coulom").hint, "cylinders.lift.friction.coulomb");
  EXPECT_EQ(find_documented("nothing.like.this").hint, "");
  EXPECT_TRUE(find_documented("").keys.empty() || find_documented("").keys.front() != nullptr);
}

TEST(Documentation, ValuesAreThoseOfTheModelWithTheirPlaces) {
  const std::string file = kRoot + "/examples/lever.yaml";
  const Description lever = load_model(file, {{"solver.step", "2 ms"}});
  const auto bore = values_at(lever, "cylinders.lift.bore", file);
  ASSERT_EQ(bore.size(), 1u);
  EXPECT_EQ(bore[0].text, "0.05");
  EXPECT_EQ(bore[0].place.line, 17);
  const auto step = values_at(lever, "solver.step", file);
  ASSERT_EQ(step.size(), 1u);
  EXPECT_EQ(step[0].text, "0.002");
  EXPECT_EQ(step[0].place.file, "--set");
  const auto pressures = values_at(lever, "volumes.*.pressure", file);
  ASSERT_EQ(pressures.size(), 2u);
  EXPECT_EQ(pressures[1].path, "volumes.rod_side.pressure");
  EXPECT_EQ(pressures[1].text, "2e+06");
  const auto tangent = values_at(lever, "solver.tangent", file);
  ASSERT_EQ(tangent.size(), 1u);
  EXPECT_EQ(tangent[0].place.file, "");
  EXPECT_TRUE(values_at(lever, "cylinders.bore", file).empty());
  try {
    (void)values_at(lever, "cylinders.lft.bore", file);
    FAIL() << "there is no such item";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean `lift`?"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace trunnion
