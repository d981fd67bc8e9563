// The compact form: reading back what was written changes nothing, and everything else is refused.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/compact.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>

#include "file/model_file.h"
#include "model/model.h"
#include "run/run.h"
#include "schema/fingerprint.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;

const std::string kPendulum =
    R"({"trunnion":1,"gravity":[0,-9.81,0],"bodies":{"bob":{"point_mass":{"mass":1,"at":[0,-1,0]}}},)"
    R"("joints":{"bob":{"revolute":{"parent":"ground","axis":"z"},"angle":0.1}},"solver":{"step":0.001,"duration":1}})";

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

/// The only finding of a text, as a line.
std::string finding(const std::string& text, const CompactLimits& limits) {
  try {
    parse_compact(text, "model.json", limits);
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().size(), 1u) << error.what();
    return error.diagnostics().front().text();
  }
  ADD_FAILURE() << "accepted: " << text.substr(0, 200);
  return "";
}

void expect_finding(const std::string& text, const std::string& part, const CompactLimits& limits = {}) {
  const std::string found = finding(text, limits);
  EXPECT_NE(found.find(part), std::string::npos) << found << "\nexpected: " << part;
  EXPECT_TRUE(found.starts_with("model.json")) << found;
}

TEST(Compact, ExamplesReadBackBitForBit) {
  int models = 0;
  for (const auto& entry : fs::directory_iterator(std::string(TRUNNION_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path());
    ++models;
    const Description written = without_csv_files(load_model(entry.path().string()));
    const std::string text = compact_text(written);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const Description read = parse_compact(text);
    EXPECT_EQ(write_model(read), write_model(written));  // holds every value of the table
    EXPECT_EQ(compact_text(read), text);
    EXPECT_EQ(fingerprint(read), fingerprint(written));
    EXPECT_EQ(write_model(parse_model(text, "model.json")), write_model(written));  // it is a model file
  }
  EXPECT_GT(models, 15);
}

TEST(Compact, RunsHaveTheSameBits) {
  for (const char* example : {"four_bar.yaml", "crane_single.yaml", "excavator.yaml", "arm_quasistatic.yaml"}) {
    const Description written = load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/" + example);
    Runner one(compile(written)), other(compile(parse_compact(compact_text(written))));
    for (int i = 0; i < 50; ++i) one.step(), other.step();
    EXPECT_EQ(one.state().values(), other.state().values()) << example;
    EXPECT_EQ(one.state().time, other.state().time) << example;
  }
}

TEST(Compact, SignalsOfCsvFilesAreTables) {
  Description d = parse_compact(kPendulum);
  CsvSignal csv;
  csv.file = "nowhere.csv";
  csv.scale = 1e5;
  csv.points = {{0, 1}, {0.5, 2}, {1, -0.3}};
  d.signals.emplace_back("drive", csv);
  const Description read = parse_compact(compact_text(d));
  const auto* table = std::get_if<TableSignal>(&read.signals.front().second);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->points, (std::vector<std::array<double, 2>>{{0, 1e5}, {0.5, 2e5}, {1, -0.3 * 1e5}}));
}

TEST(Compact, NumbersKeepEveryBit) {
  for (const double x : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 0.0, 9007199254740993.0, 1e22, 1e23, -2.5e-9, 1e-5}) {
    Description d = parse_compact(kPendulum);
    d.gravity = {x, 0, 0};
    const double again = parse_compact(compact_text(d)).gravity[0];
    EXPECT_EQ(std::memcmp(&x, &again, sizeof x), 0) << x << " " << again;
  }
}

TEST(Compact, NumbersThatAreNotFiniteAreRefused) {
  for (const double x : {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    Description d = parse_compact(kPendulum);
    d.gravity = {0, x, 0};
    EXPECT_THROW(parse_compact(compact_text(d)), InputError) << x;
  }
  Description d = parse_compact(kPendulum);
  d.gravity[2] = std::nan("");
  try {
    compact_text(d);
    FAIL();
  } catch (const InputError& error) { EXPECT_EQ(error.diagnostics().front().path, "gravity.2"); }
  expect_finding(replaced(kPendulum, "-9.81", "NaN"), "this is not valid JSON");
  expect_finding(replaced(kPendulum, "-9.81", "Infinity"), "this is not valid JSON");
  expect_finding(replaced(kPendulum, "-9.81", "-1e999"), "beyond the largest of double");
  expect_finding(replaced(kPendulum, "-9.81", "\".inf\""), "gravity.1");
  expect_finding(replaced(kPendulum, "-9.81", "\".nan\""), "gravity.1");
}

/// Programs that load the compact form may have chosen a locale with a decimal comma.
TEST(Compact, DoesNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  bool comma = false;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C.UTF-8"})
    if (std::setlocale(LC_NUMERIC, name) != nullptr) {
      comma = *std::localeconv()->decimal_point == ',';
      break;
    }
  const double gravity = parse_compact(kPendulum).gravity[1];
  std::setlocale(LC_NUMERIC, before.c_str());
  EXPECT_EQ(gravity, -9.81);
  if (!comma) GTEST_SKIP() << "no locale with a decimal comma is installed";
}

TEST(Compact, TheSameChecksAsOfModelFiles) {
  expect_finding(replaced(kPendulum, "\"mass\"", "\"mas\""), "the key `mas` is not known; did you mean `mass`?");
  expect_finding(replaced(kPendulum, "\"mass\":1", "\"mass\":-1"), "bodies.bob.point_mass.mass");
  expect_finding(replaced(kPendulum, "\"ground\"", "\"grund\""), "did you mean `ground`?");
  expect_finding(replaced(kPendulum, "\"mass\":1", "\"mass\":true"), "bodies.bob.point_mass.mass");
  expect_finding(replaced(kPendulum, "\"gravity\"", "\"include\":[\"a.yaml\"],\"gravity\""), "include");
  expect_finding(replaced(kPendulum, "\"gravity\"", R"("signals":{"u":{"csv":{"file":"u.csv"}}},"gravity")"),
                 "the compact form reads no files");
  expect_finding("[]", "a mapping");
  expect_finding("null", "the file is empty");
}

TEST(Compact, WhatIsNotJsonIsRefusedWithItsPlace) {
  expect_finding("", "this is not valid JSON");
  expect_finding(kPendulum.substr(0, kPendulum.size() - 1), "this is not valid JSON");
  expect_finding(kPendulum + "{}", "this is not valid JSON");
  expect_finding(replaced(kPendulum, "\"gravity\"", "\n\n  \"gravity\": 1 \"x\""), "model.json:3:");
  expect_finding(replaced(kPendulum, "\"step\"", "\"step\":0.002,\"step\""), "solver.step: the key `step` is repeated here");
  expect_finding(replaced(kPendulum, "ground", "gr\xffund"), "UTF-8");
  expect_finding(replaced(kPendulum, "ground", "gr\\u0001und"), "control character");
  expect_finding(replaced(kPendulum, "\"gravity\"", "\"title\":" + std::string(100, '[') + std::string(100, ']') + ",\"gravity\""),
                 "64 deep");
  EXPECT_NO_THROW(parse_compact(kPendulum, "model.json", {1000, 50, 10}));
  expect_finding(kPendulum, "exceed the limit of 10", {1000, 10, 10});
  expect_finding(kPendulum, "more than 100 bytes", {100, 50, 10});
  expect_finding(kPendulum, "2 deep", {1000, 50, 2});
}

}  // namespace
}  // namespace trunnion
