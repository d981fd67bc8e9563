// Comparison tables. Reference: the underlying runs, and a handwritten reference.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
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
  table.reference = read_reference(reference_file("# from a book\nmodel,cylinders.lift.friction.model,min_work,unknown\n"
                                                  "lever,lugre,-7,2\nfour_bar,lugre,-1.5,3\n"),
                                   "four_bar", table.paths);
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
  add_row(table, {"1"}, run_case(load_example("four_bar", {"solver.max_iterations=1", "solver.divisions=0"})));
  EXPECT_NE(table.rows[0].status.find("no convergence"), std::string::npos);
  EXPECT_NE(comparison_table(table).find("1: simulation failed"), std::string::npos);
  EXPECT_NE(comparison_csv(table).find("\"simulation failed"), std::string::npos);  // quoted because of commas
}

TEST(Comparison, AnImpossibleCombinationIsARowWithoutNumbersAndNoReferenceOfDifferences) {
  Comparison table = make_comparison({"solver.step"}, {}, {"crank.angle"});
  add_impossible(table, {"-1"}, "found `-1`");
  for (const char* step : {"1 ms", "2 ms"})
    add_row(table, {step}, run_case(load_example("four_bar", {std::string("solver.step=") + step, "solver.duration=0.02 s"})));
  EXPECT_EQ(impossible_rows(table), 1U);
  EXPECT_EQ(table.rows[0].status, "impossible: found `-1`");
  EXPECT_EQ(table.rows[0].numbers.size(), table.columns.size());
  EXPECT_EQ(table.rows[1].numbers.back(), 0);
  EXPECT_TRUE(std::isfinite(table.rows[2].numbers.back()));
  const std::string text = comparison_table(table);
  EXPECT_NE(text.find("-1: impossible: found `-1`"), std::string::npos) << text;
  EXPECT_EQ(text.find("FAILED"), std::string::npos) << text;
  const nlohmann::json json = nlohmann::json::parse(comparison_json(table));
  EXPECT_TRUE(json["rows"][0]["steps"].is_null());
}

TEST(Comparison, WrongReferencesAreRefusedWithTheirLine) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      read_reference(reference_file(text), "four_bar", {"solver.constraints", "solver.step"});
    } catch (const Error& error) { return error.what(); }
    return "";
  };
  EXPECT_NE(message("solver.step,min_work\n1 ms,much\n").find(":2: 'much' is not a number"), std::string::npos);
  EXPECT_NE(message("solver.step,min_work\n1 ms\n").find(":2: expected 2 cells, found 1"), std::string::npos);
  EXPECT_NE(message("solver.penalty,min_work\n1e9,3\n").find("`solver.penalty`, which is not varied here"), std::string::npos);
  EXPECT_NE(message("model,min_work\nlever,3\n").find("no values for the model `four_bar`"), std::string::npos);
  EXPECT_EQ(message("model,min_work\nfour_bar,3\n"), "");
  EXPECT_THROW(read_reference("/nowhere/at_all.csv", "four_bar", {"x"}), Error);
  Comparison table = make_comparison({"x"}, {"no.channel"});
  EXPECT_THROW(add_row(table, {"1"}, run_case(load_example("four_bar", {"solver.duration=0.01 s"}))), Error);
}

TEST(Comparison, ThePublishedFiguresAreReadable) {
  const std::string folder = std::string(TRUNNION_SOURCE_DIR) + "/examples/reference/";
  const ComparisonReference r =
      read_reference(folder + "four_bar_friction_paper.csv", "four_bar", {"solver.step", "cylinders.lift.friction.model"});
  EXPECT_EQ(r.label, "paper");
  ASSERT_EQ(r.rows.size(), 4U);
  EXPECT_EQ(r.rows[2].values, (std::vector<std::string>{"", "lugre"}));  // for any step
  EXPECT_EQ(r.rows[2].numbers[0], -120.94);
  for (const char* model : {"four_bar_lift", "quick_return"})
    EXPECT_EQ(read_reference(folder + "formulations_paper.csv", model, {"solver.constraints"}).rows.size(), 2U) << model;
}

TEST(Comparison, ReferencesHoldForEqualQuantities) {
  Comparison table = make_comparison({"solver.step"}, {});
  table.reference = read_reference(reference_file("solver.step,steps\n1 ms,17\n"), "four_bar", table.paths);
  for (const char* step : {"0.001 s", "2 ms"})
    add_row(table, {step}, run_case(load_example("four_bar", {std::string("solver.step=") + step, "solver.duration=0.02 s"})));
  const nlohmann::json rows = nlohmann::json::parse(comparison_json(table))["rows"];
  EXPECT_EQ(rows[0]["printed"]["steps"], 17);
  EXPECT_TRUE(rows[1]["printed"]["steps"].is_null());
}

/// Reference: the recordings themselves.
TEST(Comparison, DifferencesAreThoseOfTheRecordings) {
  Comparison table = make_comparison({"solver.step"}, {}, {"crank.angle", "v2.pressure"});
  std::vector<CaseResult> results;
  for (const char* step : {"1 ms", "0.5 ms"}) {
    results.push_back(run_case(load_example("four_bar", {std::string("solver.step=") + step, "solver.duration=1.1 s"})));
    add_row(table, {step}, results.back());
  }
  const auto column = [&](int i, const char* name) {
    const Recording& r = results[static_cast<std::size_t>(i)].recorder->recording();
    return r.columns[static_cast<std::size_t>(r.find(name))];
  };
  double greatest = 0;
  for (std::size_t i = 0; i < column(0, "time").size(); ++i)
    greatest = std::max(greatest, std::abs(column(0, "v2.pressure")[i] - column(1, "v2.pressure")[2 * i]));
  const nlohmann::json rows = nlohmann::json::parse(comparison_json(table))["rows"];
  EXPECT_EQ(rows[0]["difference.v2.pressure"], 0.0);
  EXPECT_GT(greatest, 1);
  EXPECT_EQ(rows[1]["difference.v2.pressure"], greatest);
  EXPECT_GT(rows[1]["difference.crank.angle"], 0.0);
  EXPECT_NE(comparison_table(table).find("crank.angle differs by"), std::string::npos);
  Comparison thin = make_comparison({"x"}, {}, {"v2.pressure"});
  EXPECT_THROW(add_row(thin, {"1"}, run_case(load_example("four_bar", {"solver.duration=0.01 s", "record.channels=[crank.angle]"}))),
               Error);
}

/// A run that ended early had no time to differ.
TEST(Comparison, FailedRunsAreMarkedAndHaveNoDifferences) {
  const auto failing = [] { return load_example("four_bar", {"solver.max_iterations=1", "solver.divisions=0", "solver.duration=1.1 s"}); };
  const auto sound = [](const char* step) {
    return load_example("four_bar", {std::string("solver.step=") + step, "solver.duration=1.1 s"});
  };
  Comparison table = make_comparison({"run"}, {}, {"crank.angle"});
  add_row(table, {"sound"}, run_case(sound("1 ms")));
  add_row(table, {"failing"}, run_case(failing()));
  add_row(table, {"fine"}, run_case(sound("0.5 ms")));
  const nlohmann::json rows = nlohmann::json::parse(comparison_json(table))["rows"];
  EXPECT_TRUE(rows[1]["difference.crank.angle"].is_null());
  EXPECT_GT(rows[2]["difference.crank.angle"], 0.0);
  EXPECT_NE(comparison_table(table).find("FAILED"), std::string::npos);
  Comparison first_failed = make_comparison({"run"}, {}, {"crank.angle"});
  add_row(first_failed, {"failing"}, run_case(failing()));
  add_row(first_failed, {"sound"}, run_case(sound("1 ms")));
  EXPECT_TRUE(nlohmann::json::parse(comparison_json(first_failed))["rows"][1]["difference.crank.angle"].is_null());
  EXPECT_NE(comparison_table(first_failed).find("no differences: the first run"), std::string::npos);
}

TEST(Comparison, TheTableShowsWhatSaysSomething) {
  Comparison table = make_comparison({"solver.constraints"}, {});
  add_row(table, {"penalty"}, run_case(load_example("four_bar", {"solver.duration=1.02 s"})));
  EXPECT_EQ(comparison_table(table).find("position"), std::string::npos);  // no dependent positions
  EXPECT_EQ(comparison_table(table).find("capped"), std::string::npos);
  add_row(table, {"double_step"}, run_case(load_example("four_bar", {"solver.duration=1.02 s", "solver.constraints=double_step"})));
  EXPECT_NE(comparison_table(table).find("position"), std::string::npos);
  const nlohmann::json rows = nlohmann::json::parse(comparison_json(table))["rows"];
  EXPECT_TRUE(rows[0]["independent"].is_null());
  EXPECT_EQ(rows[1]["independent"].size(), 1U);
  EXPECT_EQ(rows[1]["repartitions"], 0);
  EXPECT_EQ(rows[1]["steps"], 1020);
  long counted = 0;
  for (const auto& [iterations, steps] : rows[1]["iterations_histogram"].items()) counted += steps.get<long>();
  EXPECT_EQ(counted, 1020);
}

}  // namespace
}  // namespace trunnion
