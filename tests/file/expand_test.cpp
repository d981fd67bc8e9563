// Repeated structure in model files: expansion of includes, parameters, templates and parts, and rejected cases.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "file/model_file.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

const std::string kPlain = R"(trunnion: 1
gravity: [0, -9.81, 0]
bodies:
  link_1: {rod: {length: 2 m, mass: 16 kg}}
  link_2: {rod: {length: 2 m, mass: 32 kg}}
  tool: {rod: {length: 0.5 m, mass: 8 kg}}
joints:
  link_1: {revolute: {parent: ground, at: [1.5, 0, 0], axis: z}, angle: 10 deg}
  link_2: {revolute: {parent: ground, at: [3, 0, 0], axis: z}, angle: 10 deg}
  tool: {revolute: {parent: link_2, at: [2, 0, 0], axis: z}}
springs:
  link_1: {joint: link_1, stiffness: 250}
  link_2: {joint: link_2, stiffness: 500}
solver: {step: 1 ms, duration: 1 s}
)";

const std::string kTemplate = R"yaml(trunnion: 1
gravity: [0, -9.81, 0]
parameters:
  pitch: 1.5 m
  reach: 2 m
  unit: 8 kg
templates:
  link:
    parameters: {length: $(reach), stiffness: 250, mass, x: 0}
    bodies:
      $(part): {rod: {length: $(length), mass: $(mass)}}
    joints:
      $(part): {revolute: {parent: ground, at: [$(x), 0, 0], axis: z}, angle: 10 deg}
    springs:
      $(part): {joint: $(part), stiffness: $(stiffness)}
parts:
  link: {template: link, count: 2, mass: $(2 * unit * index), stiffness: "$(250 * min(index, 2))", x: $(pitch * index)}
bodies:
  tool: {rod: {length: $(reach / 4), mass: $(unit)}}
joints:
  tool: {revolute: {parent: link_2, at: [$(reach), 0, 0], axis: z}}
solver: {step: 1 ms, duration: 1 s}
)yaml";

/// The model in the order of names, as parts follow the items of the file.
std::string sorted(Description d) {
  const auto by_name = [](auto& items) {
    std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  };
  by_name(d.bodies);
  by_name(d.joints);
  return write_model(d);
}

Description parsed(const std::string& text, const std::vector<std::string>& settings = {}) {
  std::vector<Override> overrides;
  for (const std::string& s : settings) overrides.push_back(parse_override(s));
  return parse_model(text, "model.yaml", overrides);
}

std::string edited(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    parsed(text, settings);
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().size(), 1u) << error.what();
    return error.what();
  }
  return "not refused";
}

TEST(Expand, PartsAreWhatTheirTemplatesSay) { EXPECT_EQ(sorted(parsed(kTemplate)), sorted(parsed(kPlain))); }

TEST(Expand, ParametersAndPartsCanBeSet) {
  EXPECT_EQ(sorted(parsed(kTemplate, {"parameters.pitch=2 m"})),
            sorted(parsed(kPlain, {"joints.link_1.revolute.at=[2,0,0]", "joints.link_2.revolute.at=[4,0,0]"})));
  EXPECT_EQ(parsed(kTemplate, {"parts.link.count=3"}).bodies.size(), 4u);
  EXPECT_EQ(std::get<RodShape>(parsed(kTemplate, {"parts.link.mass=5 kg"}).bodies[1].second.shapes[0]).mass, 5);
  EXPECT_EQ(sorted(parsed(kTemplate, {"springs.link_2.stiffness=700"})), sorted(parsed(kPlain, {"springs.link_2.stiffness=700"})));
}

TEST(Expand, TextsAreFilledInNamesAndPlaces) {
  const std::string text = edited(kTemplate, "parent: link_2", "parent: $(which)_2");
  EXPECT_EQ(sorted(parsed(edited(text, "  unit: 8 kg", "  unit: 8 kg\n  which: link"))), sorted(parsed(kPlain)));
}

TEST(Expand, WholeMappingsAreParameters) {
  const std::string text = edited(edited(kTemplate, "  unit: 8 kg", "  unit: 8 kg\n  tool: {length: $(reach / 4), mass: 8 kg}"),
                                  "{rod: {length: $(reach / 4), mass: $(unit)}}", "{rod: $(tool)}");
  EXPECT_EQ(sorted(parsed(text)), sorted(parsed(kPlain)));
}

TEST(Expand, TemplatesUseTemplates) {
  const std::string text =
      edited(edited(kTemplate, "templates:\n", R"yaml(templates:
  pair:
    parameters: {k: 250}
    parts:
      link: {template: link, count: 2, mass: $(2 * unit * index), stiffness: $(k * index), x: $(pitch * index)}
)yaml"),
             "  link: {template: link, count: 2, mass: $(2 * unit * index), stiffness: \"$(250 * min(index, 2))\", x: $(pitch * index)}",
             "  left: {template: pair}");
  const std::string plain = [] {
    std::string t = kPlain;
    for (std::size_t at = 0; (at = t.find("link_", at)) != std::string::npos; at += 10) t.insert(at, "left_");
    return t;
  }();
  EXPECT_EQ(sorted(parsed(edited(text, "parent: link_2", "parent: left_link_2"))), sorted(parsed(plain)));
}

TEST(Expand, ExpressionsComputeInSiUnits) {
  const auto length = [](const std::string& expression) {
    return std::get<RodShape>(parsed(edited(kTemplate, "$(reach / 4)", "\"" + expression + "\"")).bodies[0].second.shapes[0]).length;
  };
  EXPECT_EQ(length("$(sqrt(pitch^2 + reach^2))"), 2.5);
  EXPECT_DOUBLE_EQ(length("$(2 * pi)"), 2 * 3.14159265358979323846);
  EXPECT_EQ(length("$(  reach  )"), 2);
  EXPECT_EQ(length("$(reach > pitch ? 1 : 3)"), 1);
}

TEST(Expand, RefusesWithPlaceAndSuggestion) {
  struct Case {
    const char *from, *to, *said;
  };
  for (const Case& c : {
           Case{"$(reach / 4)", "$(reech / 4)",
                "model.yaml:19:24: error: bodies.tool.rod.length: there is no parameter `reech`; did you mean `reach`?"},
           Case{"mass: $(unit)", "mass: $(unt)", "there is no parameter `unt`; did you mean `unit`?"},
           Case{"pitch: ", "early: $(2 * pitch)\n  pitch: ", "the parameter `pitch` is not defined before `parameters.early`"},
           Case{"mass: $(unit)", "mass: $(unit", "`$(` is not closed"},
           Case{"template: link,", "template: lnk,",
                "model.yaml:17:20: error: parts.link.template: there is no template `lnk`; did you mean `link`?"},
           Case{"template: link, count", "count", "parts.link: the key `template` is missing"},
           Case{"stiffness: \"", "stifness: \"",
                "parts.link.stifness: the template has no parameter `stifness`; did you mean `stiffness`?"},
           Case{"mass: $(2 * unit * index), ", "", "parts.link: the parameter `mass` of the template needs a value"},
           Case{"count: 2", "count: 1.5", "found `1.5`; expected a whole number"},
           Case{"  tool: {rod", "  link_1: {rod", "found `2 m`, and `0.5` in model.yaml, line 19; expected one value"},
           Case{"  pitch: 1.5 m", "  pitch:", "parameters.pitch: the parameter has no value"},
           Case{"  pitch: 1.5 m", "  pi-tch: 1.5 m\n  pitch: 1.5 m", "`pi-tch` is not a valid name of a parameter"},
           Case{"$(reach / 4)", "$(reach / 0)", "is not a finite number"},
           Case{"$(reach / 4)", "\"$(1,5 * reach)\"", "has 2 values, separated by commas; expected one, with a decimal point"},
           Case{"    bodies:", "    parts: {x: {template: link, mass: 1}}\n    bodies:", "the templates refer to each other recursively"},
           Case{"$(x), 0, 0]", "$(x), 0 bar, 0]",
                "model.yaml:13:55: error: joints.link_1.revolute.at.1: found `0 bar`, which has a different dimension"},
       }) {
    SCOPED_TRACE(c.to);
    try {
      parsed(edited(kTemplate, c.from, c.to));
      ADD_FAILURE() << "not refused";
    } catch (const InputError& error) { EXPECT_NE(std::string(error.what()).find(c.said), std::string::npos) << error.what(); }
  }
  EXPECT_NE(refusal(kTemplate, {"parameters.pich=2"}).find("the model has no parameter `pich`; did you mean `pitch`?"), std::string::npos);
  EXPECT_NE(refusal(kTemplate, {"include=other.yaml"}).find("`include` is only allowed in a file"), std::string::npos);
}

class Included : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::temporary_folder();
    std::filesystem::create_directories(folder_ / "parts");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  Description load() const { return load_model((folder_ / "model.yaml").string()); }
  std::string refusal() const {
    try {
      load();
    } catch (const InputError& error) { return error.what(); }
    return "not refused";
  }

  std::filesystem::path folder_;
};

TEST_F(Included, SectionsAreJoinedAndTheIncludingFileDecides) {
  const std::string body = kPlain.substr(0, kPlain.find("solver:"));
  write("parts/links.yaml", body + "signals: {push: {csv: {file: push.csv, value: force}}}\n");
  write("parts/push.csv", "time,force\n0,1\n1,2\n");
  write("model.yaml",
        "trunnion: 1\ninclude: parts/links.yaml\nbodies: {link_1: {rod: {mass: 20 kg}}}\nsolver: {step: 1 ms, duration: 1 s}\n");
  Description d = load();
  EXPECT_EQ(std::get<RodShape>(d.bodies[0].second.shapes[0]).mass, 20);
  EXPECT_EQ(d.bodies.size(), 3u);
  EXPECT_EQ(d.signals.size(), 1u);
  d.signals.clear();
  EXPECT_EQ(sorted(d), sorted(parsed(kPlain, {"bodies.link_1.rod.mass=20 kg"})));
}

TEST_F(Included, FindingsNameTheFileAndFilesDoNotContradictEachOther) {
  write("parts/a.yaml", kPlain);
  write("parts/b.yaml", "trunnion: 1\n\nbodies: {link_1: {rod: {length: 3 m, mass: 16 kg}}}\n");
  write("model.yaml", "trunnion: 1\ninclude: [parts/a.yaml, parts/b.yaml]\n");
  EXPECT_NE(refusal().find("b.yaml:3:33: error: bodies.link_1.rod.length: found `3 m`, and `2 m` in"), std::string::npos) << refusal();
  write("parts/b.yaml", "trunnion: 1\nbodies: {link_1: {rod: {lenght: 3 m}}}\n");
  EXPECT_NE(refusal().find("b.yaml:2:25: error: bodies.link_1.rod.lenght: the key `lenght` is not known"), std::string::npos) << refusal();
  write("parts/b.yaml", "trunnion: 1\ninclude: ../model.yaml\n");
  EXPECT_NE(refusal().find("includes itself"), std::string::npos) << refusal();
  write("model.yaml", "trunnion: 1\ninclude: [parts/a.yaml, parts/none.yaml]\n");
  EXPECT_NE(refusal().find("none.yaml` cannot be used"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace trunnion
