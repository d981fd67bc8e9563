// Writing a description and reading it back changes nothing; the generated schema and reference equal the committed ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "file/model_file.h"

namespace trunnion {
namespace {

const std::filesystem::path kSource = TRUNNION_SOURCE_DIR;

std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "examples"))
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  return paths;
}

// The written text holds every value of the table, so equal texts are equal descriptions.
void expect_round_trip(const Description& d, const std::string& folder) {
  const std::string text = write_model(d);
  const Description again = parse_model(text, folder + "/model.yaml");
  EXPECT_EQ(write_model(again), text);
  EXPECT_EQ(write_model_json(again), write_model_json(d));
}

TEST(Write, ExamplesReadBackAsWritten) {
  ASSERT_FALSE(examples().empty());
  for (const auto& path : examples()) {
    SCOPED_TRACE(path);
    expect_round_trip(load_model(path.string()), path.parent_path().string());
  }
}

TEST(Write, EveryFormReadsBackAsWritten) {
  const std::string text = R"(trunnion: 1
title: "quotes \" and: colons # and\ttabs"
gravity: [0.1, 0.2, -9.80665]
ground: {drawn: [{cylinder: {length: 0.1, diameter: 70 mm, axis: [1, 2, 3]}}]}
bodies:
  yes: {point_mass: {mass: 1}}
  "1": {shapes: [{sphere: {radius: 0.1, mass: 1}}, {cylinder: {length: 1, diameter: 0.07, mass: 3, axis: [1, 2, 3]}}]}
  c-d: {mass: 5, center_of_mass: [0.1, 0, 0], inertia: {xx: 1, yy: 2, zz: 2, xy: 0.1}}
  e: {mass: 5, inertia: [1, 2, 2]}
  f: {box: {size: [1, 2, 3], mass: 1}, drawn: [{box: {size: [0.1, 0.7, 0.3], at: [1, 2, 3], orientation: [10 deg, 20 deg, 33 deg]}},
      {plate: {outline: [[0, 0], [0.1, 0], [0.3, 0.7]], thickness: 7 mm, normal: z, at: [0.1, 0, 0]}}, {sphere: {radius: 0.3}}]}
  g: {point_mass: {mass: 1}}
  h: {point_mass: {mass: 1}}
  i: {point_mass: {mass: 1}}
  j: {point_mass: {mass: 1}}
joints:
  yes: {free: {parent: ground}, rotation: [33 deg, 0, 0], velocity: [1, 2, 3]}
  "1": {revolute: {parent: yes, axis: [1, 1, 1]}, angle: -37.9 deg}
  c-d: {prismatic: {parent: "1", axis: [0.3, 0.4, 0.5]}, position: 1, speed: 2, hold: true}
  e: {spherical: {parent: c-d}, rotation: [0, 0, 1]}
  f: {fixed: {parent: e, at: [0.1, 0.7, 0.3]}}
  g: {cylindrical: {parent: e, axis: [1, 1, 0]}, angle: 10 deg, rate: 2, position: 0.3, speed: 4}
  h: {universal: {parent: g, axes: [[1, 1, 0], z]}, angles: [33 deg, 0.1], rates: [1, 2]}
  i: {planar: {parent: ground, normal: [3, 4, 0]}, position: [0.1, 0.7], velocity: [1, 2], angle: 0.3, rate: 4, hold: true}
  j: {point_on_line: {parent: i, axis: [0, 3, 4]}, position: 0.3, speed: 4, rotation: [1, 2, 3], angular_velocity: [0.1, 0.2, 0.7]}
loops:
  p: {prismatic: {between: [e, f], at: [[0, 0, 0], [1, 0, 0]], axes: [x, [0, 2, 1]]}}
  d: {distance: {between: [e, ground], at: [[0, 0, 0], [1, 0, 0]], distance: 0.2}}
  c: {cylindrical: {between: [e, g], at: [[0, 0, 0], [1, 0, 0]], axis: [1, 2, 2]}}
  u: {universal: {between: [e, h], at: [[0, 0, 0], [1, 0, 0]], axes: [[1, 2, 3], y]}}
  n: {planar: {between: [e, i], at: [[0, 0, 0], [1, 0, 0]], normals: [[1, 2, 3], y]}}
  o: {planar: {between: [e, j], at: [[0, 0, 0], [1, 0, 0]], normal: y}}
  l: {point_on_line: {between: [e, j], at: [[0, 0, 0], [1, 0, 0]], axis: [1, 2, 3]}}
couplings: {k: {joints: [c-d, "1"], ratio: 40 mm/rad}}
motions: {m: {joint: c-d, signal: wave}}
springs:
  turn: {joint: "1", stiffness: 3 N m/rad, rest: 30 deg}
  line: {between: [e, ground], at: [[0, 0, 0], [1, 0, 0]], stiffness: 2000}
forces: {push: {body: e, force: [1, 0, 0], torque: [0, 1, 0], frame: body, signal: wave}, load: {joint: "1", load: 3}}
volumes: {v: {volume: 1 L, pressure: 0.3 bar}, w: {hose: {volume: 2 L, bulk_modulus: 150 MPa}}}
sources: {p: {pressure: supply}, q: {flow: 3 L/min, to: v}}
valves: {a1: {orifice: {A: p, B: v, area: 3 mm^2}, signal: wave}, a2: {orifice: {A: p, B: w, flow: 1 L/min, at_pressure_drop: 10 bar}},
  a3: {orifice: {A: v, B: w, diameter: 1 mm, opening: [[-1, 0.3], [0.7, 0]], time_constant: 3 ms}, signal: wave},
  c1: {check: {A: v, B: w, cracking_pressure: 0.7 bar, diameter: 1 mm}}, c2: {check: {A: v, B: w, flow: 1 L/min, at_pressure_drop: 1 bar}},
  r1: {relief: {A: v, B: w, cracking_pressure: 70 bar, flow: 1 L/min, override: 1 bar}},
  r2: {relief: {A: v, B: w, cracking_pressure: 70 bar, gradient: 0.1 L/min/bar}}}
motors:
  one: {joint: "1", A: v, B: w, displacement: 7 cm^3/rev, volume: 3 mL, leakage: 1e-13}
  two: {joint: g.angle, A: v, B: w, displacement_A: 7 cm^3/rad, displacement_B: 3 cm^3/rad, chamber_angle_A: 0.3, chamber_angle_B: 33 deg,
        friction: {model: lugre, coulomb: 1, static: 2, bristle_stiffness: 1e5}, end_damper: {length: 3 deg}}
cylinders:
  lift: {base: {body: e}, rod_end: {body: f}, A: v, B: w, area_A: 20 cm^2, area_B: 10 cm^2, chamber_length_A: 1, chamber_length_B: 1,
         friction: {model: lugre, coulomb: 1, static: 2, bristle_stiffness: 1e5, bristle_damping_velocity: 0.1}, end_damper: {length: 0.1}}
signals:
  supply: 7.3
  wave: {sine: {amplitude: 0.1, frequency: 3}}
  steps: {steps: [[0.1, 1], [0.7, 2]], before: 5}
  ramps: {ramps: [[0, 0], [1, 1], [1, 2]]}
  table: {table: [[0, 1], [1, 2]], smooth: true}
  sum: {sum: [wave, steps]}
  product: {product: [wave, sum]}
record: {every: 3, channels: ["lift.*", v.pressure]}
)";
  expect_round_trip(parse_model(text, "model.yaml"), ".");
}

TEST(Write, JsonIsJson) {
  const auto json = nlohmann::json::parse(write_model_json(load_model((kSource / "examples/four_bar.yaml").string())));
  EXPECT_EQ(json["solver"]["step"], 0.001);
  EXPECT_EQ(json["cylinders"]["lift"]["friction"]["model"], "brown_mcphee");
  EXPECT_EQ(json["joints"]["crank"]["hold"], true);
  EXPECT_EQ(json["bodies"]["crank"]["rod"]["length"], 2);
  EXPECT_EQ(json["signals"]["command"]["steps"][2][1], -10);
}

TEST(Generated, TheCommittedSchemaIsUpToDate) {
  EXPECT_TRUE(content(kSource / "schema/trunnion.schema.json") == json_schema())
      << "the table of keys has changed; run: trunnion schema > schema/trunnion.schema.json";
}

TEST(Generated, TheCommittedReferenceIsUpToDate) {
  EXPECT_TRUE(content(kSource / "docs/model_file.md") == model_file_reference())
      << "the table of keys has changed; run: trunnion reference > docs/model_file.md";
}

// The possible forms of a value, including nested forms.
void add_forms(const nlohmann::json& schema, std::vector<nlohmann::json>& forms) {
  if (!schema.contains("anyOf")) return forms.push_back(schema);
  for (const auto& form : schema["anyOf"]) add_forms(form, forms);
}

// Every key of `value` is a property of `schema`, or an item where the schema allows any name.
void expect_known(const nlohmann::json& root, const nlohmann::json& value, nlohmann::json schema, const std::string& path) {
  if (schema.contains("$ref")) schema = root["$defs"][schema["$ref"].get<std::string>().substr(8)];
  if (schema.contains("anyOf")) {
    const char* kind = value.is_object() ? "object" : "array";
    std::vector<nlohmann::json> forms;
    add_forms(schema, forms);
    for (const auto& form : forms) {
      if (form.contains("$ref")) continue;
      if (form.contains("type") && form["type"] == kind) return expect_known(root, value, form, path);
    }
    if (value.is_structured()) ADD_FAILURE() << path << " may not be structured";
    return;
  }
  if (!value.is_object()) return;
  for (const auto& [key, item] : value.items()) {
    const std::string item_path = path + "." + key;
    if (schema.contains("properties") && schema["properties"].contains(key))
      expect_known(root, item, schema["properties"][key], item_path);
    else if (schema["additionalProperties"].is_object())
      expect_known(root, item, schema["additionalProperties"], item_path);
    else
      ADD_FAILURE() << item_path << " is not in the schema";
  }
}

TEST(Generated, TheSchemaKnowsEveryKeyOfTheExamples) {
  const auto schema = nlohmann::json::parse(json_schema());
  for (const auto& path : examples()) {
    SCOPED_TRACE(path);
    expect_known(schema, nlohmann::json::parse(write_model_json(load_model(path.string()))), schema, "");
  }
}

TEST(Generated, TheSchemaRefusesUnknownKeysEverywhere) {
  int objects = 0;
  const std::function<void(const nlohmann::json&)> walk = [&](const nlohmann::json& node) {
    if (node.is_object() && node.contains("properties") && node.contains("type")) {
      ++objects;
      EXPECT_EQ(node["additionalProperties"], false);
    }
    if (node.is_structured())
      for (const auto& child : node) walk(child);
  };
  walk(nlohmann::json::parse(json_schema()));
  EXPECT_GT(objects, 20);
}

TEST(Generated, EveryKeyIsDocumented) {
  const std::string reference = model_file_reference();
  for (const char* key :
       {"`cylinders.NAME`", "`friction.film_time_dwell`", "`tolerance_pressure`", "`sine.phase`", "`orifice.at_pressure_drop`"})
    EXPECT_NE(reference.find(key), std::string::npos) << key;
  EXPECT_EQ(reference.find("|  |  |  |  |"), std::string::npos);
}

}  // namespace
}  // namespace trunnion
