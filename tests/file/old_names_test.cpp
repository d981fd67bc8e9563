// Old names of keys and of choices: read as the new ones, never written or documented; both names at once are an error.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "file/model_file.h"

namespace trunnion {
namespace {

std::string pump(const std::string& control) {
  return "trunnion: 1\n"
         "volumes: {line: {volume: 1 L, pressure: 20 bar}}\n"
         "sources: {tank: {pressure: 1 bar}}\n"
         "pumps:\n"
         "  main: {S: tank, P: line, displacement: 110 cm^3/rev, speed: 1800 rpm, losses: {leakage: 0},\n"
         "         control: {pressure: 320 bar, " +
         control + "}}\n";
}

std::string cylinder(const std::string& law) {
  return "trunnion: 1\n"
         "bodies: {arm: {rod: {length: 1 m, mass: 1 kg}}}\n"
         "joints: {arm: {revolute: {parent: ground}}}\n"
         "sources: {tank: {pressure: 1 bar}}\n"
         "cylinders:\n"
         "  c: {base: {body: ground, at: [0, -1, 0]}, rod_end: {body: arm, at: [1, 0, 0]}, A: tank, B: tank, bore: 80 mm, rod: 40 mm,\n"
         "      chamber_length_A: 0.5 m, chamber_length_B: 0.5 m, end_damper: {length: 1 cm, law: " +
         law + "}}\n";
}

double min_fraction(const std::string& text, const std::vector<std::string>& settings = {}) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  return parse_model(text, "model.yaml", overrides).pumps.at(0).second.control.value().min_fraction;
}

TEST(OldNames, OfAKeyIsReadAsTheNewOneAndNotWritten) {
  EXPECT_EQ(min_fraction(pump("min_fraction: 0.1")), 0.1);
  EXPECT_EQ(min_fraction(pump("least: 0.1")), 0.1);
  const std::string written = write_model(parse_model(pump("least: 0.1"), "model.yaml"));
  EXPECT_EQ(written, write_model(parse_model(pump("min_fraction: 0.1"), "model.yaml")));
  EXPECT_NE(written.find("min_fraction: 0.1"), std::string::npos);
  EXPECT_EQ(written.find("least"), std::string::npos);
}

TEST(OldNames, ItsValueIsCheckedAtItsPosition) {
  try {
    parse_model(pump("least: 2"), "model.yaml");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1u) << error.what();
    EXPECT_EQ(error.diagnostics()[0].path, "pumps.main.control.min_fraction");
    EXPECT_EQ(error.diagnostics()[0].span.line, 6);
  }
}

TEST(OldNames, BothNamesOfAKeyAreAnError) {
  for (const char* both : {"least: 0.1, min_fraction: 0.1", "min_fraction: 0.1, least: 0.2"}) {
    try {
      parse_model(pump(both), "model.yaml");
      FAIL() << "accepted: " << both;
    } catch (const InputError& error) {
      ASSERT_EQ(error.diagnostics().size(), 1u) << error.what();
      EXPECT_EQ(error.diagnostics()[0].path, "pumps.main.control.min_fraction");
      EXPECT_EQ(error.diagnostics()[0].span.line, 6);
      EXPECT_NE(error.diagnostics()[0].found.find("`least` is the old name of `min_fraction`"), std::string::npos) << error.what();
    }
  }
}

TEST(OldNames, AnOverrideReplacesTheValueOfTheFileUnderEitherName) {
  EXPECT_EQ(min_fraction(pump("least: 0.1"), {"pumps.main.control.min_fraction=0.2"}), 0.2);
  EXPECT_EQ(min_fraction(pump("min_fraction: 0.1"), {"pumps.main.control.least=0.2"}), 0.2);
}

TEST(OldNames, OfAChoiceIsReadAsTheNewOneAndNotWritten) {
  for (const char* word : {"rahikainen_2020", "printed"}) {
    const Description d = parse_model(cylinder(word), "model.yaml");
    EXPECT_EQ(d.cylinders.at(0).second.end_damper.value().law, DamperLaw::rahikainen_2020) << word;
    EXPECT_NE(write_model(d).find("law: rahikainen_2020"), std::string::npos) << write_model(d);
  }
}

TEST(OldNames, AreNotDocumented) {
  for (const std::string& text : {json_schema(), model_file_reference()}) {
    EXPECT_NE(text.find("min_fraction"), std::string::npos);
    EXPECT_NE(text.find("rahikainen_2020"), std::string::npos);
    for (const char* old_name : {"least\"", "least`", "\"printed\"", "`printed`"})
      EXPECT_EQ(text.find(old_name), std::string::npos) << old_name;
  }
}

}  // namespace
}  // namespace trunnion
