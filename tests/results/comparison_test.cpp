// Comparison tables. Truth: the runs they are made of, and a reference written by hand.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/comparison.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "results/files.h"
#include "support/machines.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

using test::load_example;

std::string reference_file(const std::string& text) {
  const std::string path = test::temporary_folder() + "_printed.csv";
  write_text(text, path);
  return path;
}

TEST(Comparison, PutsTheReferenceBeside) {
  Comparison table = make_comparison({"cylinders.lift.friction.model"}, {"crank.angle"});
  table.reference = read_reference(reference_file("# from a book\nmodel,min_work,unknown\nlugre,-1.5,3\n"), 1);
  EXPECT_EQ(table.reference->label, "printed");
  for (const char* law : {"lugre", "brown_mcphee"})
    add_row(table, {law},
            run_case(load_example("four_bar", {std::string("cylinders.lift.friction.model=") + law, "solver.duration=0.02 s"})));
  const nlohmann::json json = nlohmann::json::parse(comparison_json(table));
  ASSERT_EQ(json["rows"].size(), 2U);
  EXPECT_EQ(json["rows"][0]["values"]["cylinders.lift.friction.model"], "lugre");
  EXPECT_EQ(json["rows"][0]["status"], "completed");
  EXPECT_EQ(json["rows"][0]["steps"], 20);
  EXPECT_EQ(json["rows"][0]["printed"]["min_work"], -1.5);
  EXPECT_TRUE(json["rows"][1]["printed"]["min_work"].is_null());
  EXPECT_NEAR(json["rows"][0]["final.crank.angle"].get<double>(), 1.0472, 1e-4);
  const std::string csv = comparison_csv(table);
  EXPECT_EQ(csv.rfind("cylinders.lift.friction.model,status,steps,", 0), 0U);
  EXPECT_NE(csv.find(",min_work,printed.min_work,"), std::string::npos);
  const std::string text = comparison_table(table);
  EXPECT_NE(text.find("printed"), std::string::npos);
  EXPECT_NE(text.find("-1.50"), std::string::npos);
}

TEST(Comparison, AFailedRunKeepsItsRowAndItsReason) {
  Comparison table = make_comparison({"solver.max_iterations"}, {});
  add_row(table, {"1"}, run_case(load_example("four_bar", {"solver.max_iterations=1"})));
  EXPECT_NE(table.rows[0].status.find("no convergence"), std::string::npos);
  EXPECT_NE(comparison_table(table).find("1: simulation failed"), std::string::npos);
  EXPECT_NE(comparison_csv(table).find("\"simulation failed"), std::string::npos);  // quoted, for it has commas
}

TEST(Comparison, WrongReferencesAreRefusedWithTheirLine) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      read_reference(reference_file(text), 1);
    } catch (const Error& error) { return error.what(); }
    return "";
  };
  EXPECT_NE(message("model,min_work\nlugre,much\n").find(":2: 'much' is no number"), std::string::npos);
  EXPECT_NE(message("model,min_work\nlugre\n").find(":2: expected"), std::string::npos);
  EXPECT_THROW(read_reference("/nowhere/at_all.csv", 1), Error);
  Comparison table = make_comparison({"x"}, {"no.channel"});
  EXPECT_THROW(add_row(table, {"1"}, run_case(load_example("four_bar", {"solver.duration=0.01 s"}))), Error);
}

TEST(Comparison, ThePublishedFiguresOfTheFourBarAreReadable) {
  const ComparisonReference r = read_reference(std::string(TRUNNION_SOURCE_DIR) + "/examples/reference/four_bar_friction_paper.csv", 1);
  EXPECT_EQ(r.label, "paper");
  ASSERT_EQ(r.rows.size(), 4U);
  EXPECT_EQ(r.rows[2].values[0], "lugre");
  EXPECT_EQ(r.rows[2].numbers[0], -120.94);
}

}  // namespace
}  // namespace trunnion
