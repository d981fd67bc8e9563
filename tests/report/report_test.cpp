// Reports: runs, channels, and other sections. Reference: the files written by runs, and the required contents of a page.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/diagnostic.h"
#include "report/reports.h"
#include "report/result_files.h"
#include "results/files.h"
#include "studies/comparison.h"
#include "studies/curve_family.h"
#include "studies/history.h"
#include "studies/linear_study.h"
#include "support/machines.h"

namespace trunnion::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Reports, HoldEveryNumberOfTheResultsAsAFloat) {
  const std::string folder = run(load_example("four_bar", {"solver.duration=0.3 s", "signals.command.steps=[[0.1, 10]]"}), "four_bar");
  const Page p = page({.folders = {folder}, .channels = {}});
  const auto [names, columns] = csv(folder);
  const PageJson& section = p.section("run", "four_bar");
  EXPECT_EQ(p.values(section["time"]), columns[0]);
  ASSERT_EQ(section["channels"].size(), names.size() - 1);
  for (std::size_t k = 1; k < names.size(); ++k) {
    const PageJson& channel = section["channels"][k - 1];
    EXPECT_EQ(channel["name"], names[k]);  // in the order of the file
    const std::vector<double> values = p.values(channel["values"]);
    ASSERT_EQ(values.size(), columns[k].size());
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], static_cast<double>(static_cast<float>(columns[k][i]))) << names[k] << " " << i;
  }
  EXPECT_EQ(section["instants"]["chosen"], "all");
  EXPECT_EQ(section["instants"]["records"], 301);
  EXPECT_EQ(section["channels"][0]["unit"], "rad");
  EXPECT_EQ(section["channels"][0]["description"], "joint angle, not wrapped");
  EXPECT_EQ(section["channels"][0]["group"], "crank");
  EXPECT_EQ(section["status"], "completed");
  EXPECT_EQ(section["summary"]["steps"], 300);
  EXPECT_FALSE(section["summary"].contains("settings"));
  EXPECT_NE(section["model"].get<std::string>().find("brown_mcphee"), std::string::npos);
  EXPECT_EQ(p.data()["title"], "Four-bar mechanism driven by a double-acting cylinder");
}

TEST_F(Reports, AreTheSameFromTheCsvFileButForUnits) {
  const std::string folder = run(model_from(kReportedPendulum), "pendulum");
  const Page whole = page({.folders = {folder}, .channels = {}});
  fs::remove(folder + "/results.h5");
  const Page from_csv = page({.folders = {folder}, .channels = {}});
  const PageJson &a = whole.section("run"), &b = from_csv.section("run");
  ASSERT_EQ(a["channels"].size(), b["channels"].size());
  for (std::size_t k = 0; k < a["channels"].size(); ++k) {
    EXPECT_EQ(a["channels"][k]["name"], b["channels"][k]["name"]);
    EXPECT_EQ(whole.values(a["channels"][k]["values"]), from_csv.values(b["channels"][k]["values"]));
  }
  EXPECT_EQ(b["channels"][0]["unit"], "");
  // the model is then taken from the summary's settings
  EXPECT_EQ(whole.values(a["scene"]["bodies"][1]["pose"]), from_csv.values(b["scene"]["bodies"][1]["pose"]));
}

// ---------------------------------------------------------------- runs and channels

TEST_F(Reports, ShowARunThatFailed) {
  const std::string late = run(load_example("four_bar", {"solver.max_iterations=1", "solver.divisions=0"}), "late");
  const std::shared_ptr<const CompiledModel> model = model_from(kReportedPendulum);
  CaseResult nothing;  // as for a run without a start
  nothing.model = model;
  nothing.recorder = std::make_unique<Recorder>(model);
  nothing.failure = SimulationError(0, "bob", "nothing converges", "");
  nothing.ended = true;
  write_case(nothing, "model.yaml", in("never"), std::chrono::steady_clock::now());
  const Page p = page({.folders = {late, in("never")}, .channels = {}});
  EXPECT_EQ(p.section("run", "late")["status"], "failed");
  EXPECT_NE(p.section("run", "late")["message"], "");
  EXPECT_GT(p.values(p.section("run", "late")["time"]).size(), 10U);
  EXPECT_FALSE(p.section("run", "late")["scene"].is_null());
  EXPECT_EQ(p.section("run", "never")["status"], "failed");
  EXPECT_TRUE(p.section("run", "never")["channels"].empty());
  EXPECT_EQ(p.section("run", "never")["scene_missing"], "the run recorded nothing");
  EXPECT_NE(p.section("run", "never")["model"], "");
}

TEST_F(Reports, NameRunsApartByTheFoldersAbove) {
  const auto model = model_from(kReportedPendulum);
  run(model, "heavy/results");
  run(model, "light/results");
  run(model, "other");
  const Page p = page({.folders = {in("heavy/results/"), in("light/results"), in("other")}, .channels = {}});
  std::vector<std::string> names;
  for (const PageJson& section : p.data()["sections"]) names.push_back(section["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"heavy/results", "light/results", "other"}));
}

TEST_F(Reports, TakeChannelsAndRecordsAsAsked) {
  const std::string folder = run(load_example("four_bar", {"solver.duration=0.1 s"}), "run");
  const Page p = page({.folders = {folder}, .every = 30, .channels = {"*.pressure", "lift.force"}});
  const PageJson& section = p.section("run");
  std::vector<std::string> names;
  for (const PageJson& channel : section["channels"]) names.push_back(channel["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"lift.force", "v1.pressure", "v2.pressure", "v3.pressure", "pump.pressure", "tank.pressure"}));
  const std::vector<double> time = p.values(section["time"]);
  ASSERT_EQ(time.size(), 5U);
  EXPECT_EQ(time[1], 0.03);
  EXPECT_EQ(time.back(), 0.1);  // the end, for any stride
  EXPECT_FALSE(section["scene"].is_null());
  EXPECT_FALSE(section["scene"]["cylinders"][0]["channels"].contains("length"));  // it is not in the page
  EXPECT_EQ(section["scene"]["cylinders"][0]["channels"]["pressure_A"], "v2.pressure");
  const std::string found = error({.folders = {folder}, .channels = {"lift.forc"}});
  EXPECT_NE(found.find("no run recorded a channel 'lift.forc'"), std::string::npos) << found;
  EXPECT_NE(found.find("did you mean 'lift.force'?"), std::string::npos) << found;
}

TEST_F(Reports, SayWhatIsWrongWithAFolder) {
  run(model_from(kReportedPendulum), "pendulum");
  run(model_from(kReportedPendulum), "group/first");
  fs::create_directories(in("empty"));
  fs::create_directories(in("rest"));
  fs::create_directories(in("torn"));
  fs::create_directories(in("bad"));
  write_text("{}", in("rest/equilibrium.json"));
  write_text("{\"status\": ", in("torn/summary.json"));
  write_text("trunnion: 1", in("model.yaml"));
  fs::copy(in("pendulum/summary.json"), in("bad/summary.json"));
  write_text("no HDF5", in("bad/results.h5"));
  struct Case {
    std::vector<std::string> folders;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases{
      {{in("pendulun")}, {"there is no such folder", "did you mean '" + in("pendulum") + "'?"}},
      {{in("model.yaml")}, {"it is a file", "`trunnion run " + in("model.yaml") + "` first"}},
      {{in("pendulum/results.csv")}, {"it is a file", "did you mean its folder '" + in("pendulum") + "'?"}},
      {{in("group")}, {"it holds no results", "did you mean '" + in("group") + "/first'?"}},
      {{in("rest")}, {"static solution", "equilibrium.yaml"}},
      {{in("empty"), in("gone")}, {"it holds no results; expected a folder written by `trunnion run`", "there is no such folder"}},
      {{in("pendulum"), in("group/../pendulum/")}, {"given twice"}},
      {{in("torn")}, {"torn/summary.json", "not complete JSON"}},
      {{in("bad")}, {"bad/results.h5", "not an HDF5 file"}},
  };
  for (const Case& c : cases)
    for (const std::string& part : c.parts)
      EXPECT_NE(message(c.folders).find(part), std::string::npos) << message(c.folders) << "\n" << part;
}

// ---------------------------------------------------------------- other sections

TEST_F(Reports, ShowAComparisonWithItsRunsInOrder) {
  Comparison table = make_comparison({"joints.bob.angle"}, {});
  std::vector<History> histories;
  add_impossible(table, {"none"}, "found `none`");
  for (const char* value : {"30 deg", "10 deg"}) {
    const auto model = model_from(kReportedPendulum, {std::string("joints.bob.angle=") + value});
    histories.emplace_back(std::string(value, 2) + "-deg", 1e-3);
    const CaseResult result = run_case(model, {}, StartKind::given, &histories.back());
    write_case(result, "model.yaml", in("both/" + histories.back().label()), std::chrono::steady_clock::now());
    add_row(table, {value}, result);
  }
  write_text(comparison_csv(table), in("both/compare.csv"));
  write_text(comparison_times_csv(table), in("both/compare_times.csv"));
  write_text(history_times_csv(histories), in("both/history_times.csv"));
  write_text(comparison_json(table), in("both/compare.json"));
  write_text(history_csv(histories), in("both/history.csv"));
  const Page p = page({.folders = {in("both")}, .channels = {}});
  const PageJson& section = p.section("compare", "both");
  EXPECT_EQ(section["runs"], (PageJson{nullptr, "30-deg", "10-deg"}));
  EXPECT_EQ(section["columns"][0], (PageJson{{"name", "joints.bob.angle"}, {"label", "angle"}}));
  EXPECT_EQ(section["rows"][2][0], "10 deg");
  EXPECT_EQ(section["rows"][2][2], 50);  // steps
  ASSERT_EQ(p.data()["sections"].size(), 3U);
  EXPECT_EQ(p.data()["sections"][1]["name"], "30-deg");
  EXPECT_NEAR(p.channel(p.section("run", "10-deg"), "bob.angle")[0], 10 * M_PI / 180, 1e-7);
  EXPECT_EQ(section["history"]["channels"][0]["name"], "30-deg.violation");
}

TEST_F(Reports, ShowLinearModelsAndCurves) {
  LinearStudyRequest linear;
  linear.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";
  linear.start = StartKind::equilibrium;
  linear.vary = {{"cylinders.lift.friction.viscous", {"100", "200"}}};
  linear.options.outputs = {"lever.angle", "lift.force"};
  linear.frequency = {.inputs = {"valve.signal"}, .bode = true, .nyquist = true, .step = 0.5};
  linear_study(linear, in("linear"));
  CurveRequest request;
  request.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/arm_quasistatic.yaml";
  request.commands = {"0.5,1"};
  const CurveFamily family = curve_family(request);
  fs::create_directories(in("curve"));
  write_text(curve_csv(family), in("curve/curve.csv"));
  write_text(curve_json(family, request.model_file), in("curve/curve.json"));
  const Page p = page({.folders = {in("linear"), in("curve")}, .channels = {}});

  const PageJson written = PageJson::parse(std::ifstream(in("linear/linear.json"))), &section = p.section("linearize");
  EXPECT_EQ(section["A"], written["A"]);
  ASSERT_EQ(section["eigenvalues"].size(), written["eigenvalues"].size());
  for (std::size_t i = 0; i < written["eigenvalues"].size(); ++i) {
    EXPECT_EQ(section["eigenvalues"][i]["re"], written["eigenvalues"][i]["re"]);
    EXPECT_EQ(section["eigenvalues"][i]["states"][0][1], 1.0);  // the largest
    EXPECT_EQ(section["eigenvalues"][i]["states"][0][0], written["eigenvalues"][i]["main_states"][0]);
  }
  EXPECT_EQ(section["stability"], written["stability"]["verdict"]);
  const PageJson paths = PageJson::parse(std::ifstream(in("linear/frequency.json")))["paths"];
  EXPECT_EQ(section["tables"][0]["rows"].size(), paths.size());
  EXPECT_EQ(section["tables"][0]["rows"][0][2], paths[0]["static_gain"]);
  EXPECT_EQ(section["tables"][1]["rows"].size(), paths.size() * written["eigenvalues"].size());
  EXPECT_EQ(section.value("figures", PageJson::array()).size(), std::filesystem::exists(in("linear/bode.svg")) ? 3U : 0U);
  EXPECT_EQ(section["tables"][2]["rows"].size(), 2 * written["eigenvalues"].size());  // root locus
  EXPECT_EQ(section["locus"]["parameter"], "cylinders.lift.friction.viscous");
  ASSERT_EQ(section["locus"]["points"].size(), 2 * written["eigenvalues"].size());
  EXPECT_EQ(section["locus"]["points"][0]["value"], "100");

  const PageJson& curves = p.section("curve")["curves"];
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[1]["name"], "command 1");
  EXPECT_TRUE(p.section("curve")["figures"].empty());  // the same
  EXPECT_EQ(p.section("curve")["tables"][0]["columns"][1], (PageJson{{"name", "velocity"}, {"label", "velocity"}, {"unit", "m/s"}}));
  EXPECT_EQ(curves[1]["x_label"], "velocity [m/s]");
  EXPECT_EQ(p.values(curves[1]["x"]).size(), family.curves[1].points.size());
  EXPECT_EQ(p.values(curves[1]["x"]).front(), family.curves[1].points.front().at.v);
}

TEST_F(Reports, ShowFits) {
  // of two channels, as `trunnion fit` writes them
  fs::create_directories(in("fit"));
  write_text(R"({"model": "arm.yaml", "converged": true, "status": "the sum of squares falls no further", "iterations": 4, "runs": 21,
    "parameters": {"cylinders.lift.friction.viscous": {"start": 330, "value": 495.5, "standard_error": 2.5, "unit": "N s/m"},
                   "gravity.2": {"start": -9, "value": -9.8, "standard_error": null, "unit": "m/s^2"}},
    "correlation": {"cylinders.lift.friction.viscous": {"cylinders.lift.friction.viscous": 1.0, "gravity.2": 0.25},
                    "gravity.2": {"cylinders.lift.friction.viscous": 0.25, "gravity.2": 1.0}},
    "channels": {"arm.angle": {"column": "1", "points": 2, "scale": 0.5, "rms_start": 0.1, "rms": 0.001, "unit": "rad"},
                 "lift.force": {"column": "2", "points": 2, "scale": 900, "rms_start": 50, "rms": 2, "unit": "N"}},
    "warnings": ["gravity.2 has no effect"]})",
             in("fit/fit.json"));
  write_text(
      "channel,time,recorded,start,fitted\narm.angle,0,1,1.5,1.1\narm.angle,0.5,2,2.5,2.1\nlift.force,0,10,15,11\nlift.force,0.5,20,25,"
      "21\n",
      in("fit/fit.csv"));
  const Page p = page({.folders = {in("fit")}, .channels = {}});
  const PageJson& section = p.section("study", "fit");
  EXPECT_EQ(section["message"], "Converged: the sum of squares falls no further. 4 iterations, 21 runs.");
  EXPECT_EQ(section["title"], "Fit of arm");
  EXPECT_EQ(section["warnings"], (PageJson{"gravity.2 has no effect"}));
  ASSERT_EQ(section["tables"].size(), 3U);
  EXPECT_EQ(section["tables"][0]["rows"][0], (PageJson{"cylinders.lift.friction.viscous", 330, 495.5, 2.5, "N s/m"}));
  EXPECT_TRUE(section["tables"][0]["rows"][1][3].is_null());
  EXPECT_EQ(section["tables"][1]["rows"][1], (PageJson{"lift.force", 50, 2, 900, "N", 2}));
  EXPECT_EQ(section["tables"][2]["columns"][2], "gravity.2");
  EXPECT_EQ(section["tables"][2]["rows"][1], (PageJson{"gravity.2", 0.25, 1.0}));
  ASSERT_EQ(section["curves"].size(), 6U);
  EXPECT_EQ(section["curves"][0]["name"], "recorded");
  EXPECT_EQ(section["curves"][0]["style"], "points");
  EXPECT_EQ(section["curves"][3]["panel"], "lift.force");
  EXPECT_EQ(section["curves"][3]["y_label"], "lift.force [N]");
  EXPECT_EQ(p.values(section["curves"][5]["y"]), (std::vector<double>{11, 21}));
}

// ---------------------------------------------------------------- the page

TEST_F(Reports, HoldTextsThatLookLikeTagsSafely) {
  const std::string title = "</script><script>alert(1)</script><!-- \"quoted\" & more";
  Description d = parse_model(kReportedPendulum, "model.yaml");
  d.title = title;
  const std::string html = report_page(make_report({.folders = {run(compile(d), "run")}, .channels = {}}), kTemplate);
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = html.find("</script", at)) != std::string::npos; ++at) ++ends;
  EXPECT_EQ(ends, 2U);  // of the data and of one block
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  EXPECT_EQ(Page(html).data()["title"], title);
  EXPECT_NE(html.find("<p>viewer</p>"), std::string::npos);
}

TEST_F(Reports, NeedATemplateWithAPlaceForData) { EXPECT_THROW(report_page(Report{}, "<html></html>"), Error); }

TEST_F(Reports, ReplaceNothingButReports) {
  const std::string page = report_page(Report{"{}", {}, {}}, kTemplate), file = in("new/page.html");
  write_report(page, file);
  write_report(page, file);
  write_text("trunnion: 1", in("model.yaml"));
  EXPECT_THROW(write_report(page, in("model.yaml")), InputError);
  EXPECT_EQ(file_text(in("model.yaml")), "trunnion: 1");
  EXPECT_THROW(write_report(page, in("new")), InputError);
}

/// 350 channels over 10 s at 1 ms, rougher than any machine: sums of oscillations, steps and noise.
TEST_F(Reports, OfALongRunWithManyChannelsStayBelowFiveMegabytes) {
  Recording r;
  std::mt19937 random(3);
  std::normal_distribution<double> noise;
  constexpr std::size_t kRows = 10001, kChannels = 350;
  r.channels.push_back({"time", "s", "time"});
  r.columns.emplace_back();
  for (std::size_t i = 0; i < kRows; ++i) r.columns[0].push_back(1e-3 * static_cast<double>(i));
  for (std::size_t k = 1; k <= kChannels; ++k) {
    r.channels.push_back({"item" + std::to_string(k) + ".pressure", "Pa", "a pressure"});
    std::vector<double>& values = r.columns.emplace_back();
    const double f = 0.1 * static_cast<double>(k), rough = k % 10 == 0 ? 0.1 : 1e-6;
    for (const double t : r.columns[0])
      values.push_back(1e6 * (std::sin(f * t) + (t > 4.2 ? std::exp(4.2 - t) : 0) + rough * noise(random)));
  }
  const std::size_t peak = 7777;
  r.columns[5][peak] = 3e7;  // a single record
  fs::create_directories(in("run"));
  write_hdf5(r, "", in("run/results.h5"));
  write_text("{\"status\": \"completed\"}", in("run/summary.json"));
  const Report report = make_report({.folders = {in("run")}, .channels = {}});
  constexpr std::size_t kViewer = 900'000, kMost = 5'000'000;
  const std::string html = report_page(report, kTemplate);
  EXPECT_LT(html.size() + kViewer, kMost);
  EXPECT_GT(html.size(), 2'000'000U);  // the budget is used
  const Page p(html);
  const PageJson& section = p.section("run");
  const std::vector<double> time = p.values(section["time"]), values = p.channel(section, "item5.pressure");
  EXPECT_GT(time.size(), 500U);
  EXPECT_EQ(section["instants"]["records"], kRows);
  EXPECT_EQ(section["instants"]["kept"], time.size());
  EXPECT_EQ(time.front(), 0);
  EXPECT_EQ(time.back(), r.columns[0].back());
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 3e7);
  EXPECT_NE(report.notes[0].find(" of 10001 records"), std::string::npos);
}

TEST_F(Reports, ShareTheRoomAmongRuns) {
  const std::string folder = run(load_example("four_bar", {"solver.duration=2 s"}), "a");
  fs::copy(folder, in("b"), fs::copy_options::recursive);
  const Report report = make_report({.folders = {folder, in("b")}, .bytes = 0, .channels = {}});  // the minimum of a run
  ASSERT_EQ(report.blocks.size(), 2U);
  for (const std::string& block : report.blocks) EXPECT_LE(block.size(), 600'000U);
}

}  // namespace
}  // namespace trunnion::test
