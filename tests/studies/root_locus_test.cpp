// Root loci of linear models over parameters: tables, pictures, sensitivities and runs of every combination, searches.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "support/linear_studies.h"
#include "support/machines.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;
using test::cells_of;
using test::text_of;
using Complex = std::complex<double>;
using Json = nlohmann::json;

class RootLocusStudy : public test::LinearStudyFolder {};

TEST_F(RootLocusStudy, RootLocusFollowsEigenvaluesThroughTheTable) {
  request_.vary = {{"springs.spring.stiffness", {"200", "800 N/m"}}, {"springs.spring.damping", {"10", "30", "70", "100", "200"}}};
  EXPECT_EQ(run(), "");
  const Json j = json("root_locus.json");
  ASSERT_EQ(j["points"].size(), 10U);
  EXPECT_EQ(j["points"][6]["values"]["springs.spring.stiffness"], "800 N/m");
  EXPECT_EQ(j["points"][6]["values"]["springs.spring.damping"], "30");
  const auto rows = cells_of(out("root_locus.csv"));
  ASSERT_EQ(rows.size(), 21U);
  EXPECT_EQ(rows[0][0], "springs.spring.stiffness");
  for (const Json& point : j["points"]) {
    EXPECT_EQ(point["status"], "completed");
    const double k = point["values"]["springs.spring.stiffness"] == "200" ? 200 : 800,
                 c = std::stod(point["values"]["springs.spring.damping"].get<std::string>());
    const Complex root = std::sqrt(Complex(c * c - 4 * k * kMass));
    const double low = std::abs(((-c - root) / (2 * kMass)).real());
    EXPECT_NEAR(-std::min(point["eigenvalues"][0]["re"].get<double>(), point["eigenvalues"][1]["re"].get<double>()), low, 1e-11 * low);
    EXPECT_NE(point["eigenvalues"][0]["branch"], point["eigenvalues"][1]["branch"]);
  }
}

TEST_F(RootLocusStudy, EveryPointOfARootLocusHasItsSensitivitiesAndItsRun) {
  request_.vary = {{"springs.spring.stiffness", {"200", "800 N/m"}}, {"springs.spring.damping", {"10"}}};
  request_.sensitivity = {"springs.spring.damping"};
  request_.simulate = 1;
  EXPECT_EQ(run(), "");
  const auto rows = cells_of(out("root_locus_sensitivity.csv"));
  ASSERT_EQ(rows.size(), 1U + 2 * 2);
  EXPECT_EQ(rows[0][0], "springs.spring.stiffness");
  EXPECT_EQ(rows[0][2], "parameter");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], i < 3 ? "200" : "800 N/m");
    EXPECT_EQ(rows[i][1], "10");
    EXPECT_NEAR(std::stod(rows[i][7]), -1 / (2 * kMass), 1e-6);  // d Re / d damping, whatever the stiffness
  }
  const auto runs = cells_of(out("root_locus_simulate.csv"));
  EXPECT_EQ(runs[1][2], "simulate_1.csv");
  EXPECT_EQ(runs.back()[2], "simulate_2.csv");
  EXPECT_EQ(runs.back()[0], "800 N/m");
  for (const char* file : {"simulate_1.csv", "simulate_2.csv", "simulate.csv", "sensitivity.csv"})
    EXPECT_TRUE(fs::exists(out(file))) << file;
  EXPECT_NE(text_of(out("simulate_1.csv")), text_of(out("simulate_2.csv")));
}

TEST_F(RootLocusStudy, CombinationsWithoutSensitivitiesKeepTheirPoint) {
  request_.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/lever.yaml";
  request_.overrides = {{"volumes.piston_side.pressure", "3 MPa"}, {"solver.duration", "0.1"}};
  request_.vary = {{"volumes.piston_side.pressure", {"3 MPa", "equilibrium", "4 MPa"}}};
  request_.sensitivity = {"volumes.piston_side.pressure"};
  request_.simulate = 0.05;
  const std::string failure = run();
  EXPECT_NE(failure.find("combination 2: "), std::string::npos) << failure;
  EXPECT_EQ(failure.find("no linear model"), std::string::npos) << failure;
  EXPECT_EQ(json("root_locus.json")["points"].size(), 3U);
  const std::string table = text_of(out("root_locus_sensitivity.csv"));
  EXPECT_NE(table.find("\nequilibrium,volumes.piston_side.pressure,nan,1,"), std::string::npos) << table;
  EXPECT_NE(table.find("\n4 MPa,volumes.piston_side.pressure,4000000,1,"), std::string::npos) << table;
  EXPECT_TRUE(fs::exists(out("simulate_3.csv")));
  request_.vary = {{"solver.duration", {"0.1", "0.02"}}};
  EXPECT_NE(refusal().find("--simulate: error: 0.05 s is not within the run, which lasts from 0 to 0.02 s"), std::string::npos)
      << refusal();
}

TEST_F(RootLocusStudy, RootLocusKeepsWhatThereIsWhenAPointFails) {
  use_four_bar();
  request_.vary = {{"volumes.v3.pressure", {"3.4 MPa", "3.6 MPa"}},
                   {"cylinders.lift.chamber_length_B", {"1 m", "0.01 m", "1.2 m"}}};  // the piston leaves the short one
  request_.at = {1.2};
  EXPECT_NE(run().find("2 of 6 points of the root locus have no linear model"), std::string::npos);
  const Json j = json("root_locus.json");
  ASSERT_EQ(j["points"].size(), 6U);
  EXPECT_EQ(j["points"][0]["status"], "completed");
  EXPECT_NE(j["points"][1]["status"], "completed");
  EXPECT_EQ(j["points"][1]["eigenvalues"].size(), 0U);
  EXPECT_EQ(j["points"][5]["status"], "completed");
  EXPECT_EQ(j["points"][5]["eigenvalues"].size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(j["points"][2]["eigenvalues"][i]["branch"], j["points"][0]["eigenvalues"][i]["branch"]);
  EXPECT_TRUE(fs::exists(out("linear.json")));
}

TEST_F(RootLocusStudy, FindsWhereAnOscillatorHasADampingRatio) {
  // zeta = c / (2 sqrt(k m))
  request_.find = ModeSearchRequest{"springs.spring.damping", {1, 20, "N s/m"}, 0.1, {}};
  EXPECT_EQ(run(), "");
  Json found = json("find_zero.json")["crossings"];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0]["value"], 0.2 * std::sqrt(kStiffness * kMass), 1e-9);
  EXPECT_EQ(found[0]["better"], "above");
  EXPECT_NEAR(found[0]["damping_ratio"], 0.1, 1e-10);
  EXPECT_LE(double(found[0]["between"][0]), double(found[0]["value"]));
  EXPECT_GE(double(found[0]["between"][1]), double(found[0]["value"]));

  request_.find = ModeSearchRequest{"springs.spring.stiffness", {0.05, 0.3, "kN/m"}, 0.1, {}};
  EXPECT_EQ(run(), "");
  found = json("find_zero.json")["crossings"];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0]["value"], std::pow(kDamping / 0.2, 2) / kMass, 1e-6);
  EXPECT_EQ(found[0]["better"], "below");

  request_.find->range = {0.2, 0.3, "kN/m"};
  EXPECT_NE(run().find("no crossing"), std::string::npos);
  EXPECT_TRUE(json("find_zero.json")["crossings"].empty());
}

/// Two oscillators; the frequency of the second passes that of the first within the range.
TEST_F(RootLocusStudy, FollowsAModeThroughCrossingFrequencies) {
  request_.model_file = write("two.yaml", R"(trunnion: 1
gravity: [0, 0, 0]
bodies: {one: {point_mass: {mass: 1 kg}}, two: {point_mass: {mass: 1 kg}}}
joints: {one: {prismatic: {parent: ground, axis: x}, position: 0.1 m}, two: {prismatic: {parent: ground, axis: y}, position: 0.1 m}}
springs:
  one: {joint: one, stiffness: 100 N/m, damping: 1 N s/m, rest: 0 m}
  two: {joint: two, stiffness: 25 N/m, damping: 1 N s/m, rest: 0 m}
solver: {step: 1 ms, duration: 1 s}
)");
  // zeta of the second: 0.1 at 25 N/m, 0.0125 at 1600 N/m; 0.05 at 100 N/m like the first; 0.025 at 400 N/m
  const auto search = [&](double ratio, std::optional<int> mode) {
    request_.find = ModeSearchRequest{"springs.two.stiffness", {25, 1600, "N/m"}, ratio, mode};
    (void)run();
    std::vector<double> values;
    const Json found = json("find_zero.json");
    for (const Json& c : found["crossings"]) values.push_back(c["value"]);
    return values;
  };
  EXPECT_EQ(run(), "");
  const auto states = [&](int i) { return json("linear.json")["eigenvalues"][i]["main_states"][0].get<std::string>(); };
  int first = 0, second = 0;  // the numbers of their modes
  for (int i = 0; i < 4; ++i) (states(i).starts_with("one") ? first : second) = i + 1;
  ASSERT_EQ(search(0.025, {}).size(), 1U);
  ASSERT_EQ(search(0.025, second).size(), 1U);
  EXPECT_NEAR(search(0.025, second)[0], 400, 1e-6);
  EXPECT_TRUE(search(0.025, first).empty());  // its own stays 0.05
}

TEST_F(RootLocusStudy, WrongSearchesAreRefused) {
  const auto refuses = [&](const ModeSearchRequest& request, const std::string& text) {
    request_.find = request;
    EXPECT_NE(refusal().find(text), std::string::npos) << refusal();
  };
  refuses({"springs.spring.damping", {1, 1, "N s/m"}, 0, {}}, "range");
  refuses({"springs.spring.damping", {1, 2, "N"}, 0, {}}, "--find-zero: error: springs.spring.damping: found `1 N`");
  refuses({"springs.spring.dumping", {1, 2, ""}, 0, {}}, "damping");
  refuses({"springs.spring.joint", {1, 2, ""}, 0, {}}, "number");
  refuses({"springs.spring.damping", {1, 2, "N s/m"}, 1.5, {}}, "--damping-ratio");
  refuses({"springs.spring.damping", {1, 2, "N s/m"}, 0, 3}, "1 to 2");
}

TEST_F(RootLocusStudy, RootLociArePictures) {
  request_.vary = {{"springs.spring.damping", {"1", "20", "200"}}};
  EXPECT_EQ(run(), "");
  EXPECT_NE(text_of(out("root_locus.svg")).find("</svg>"), std::string::npos);
  const Plot plot = root_locus_plot(root_locus(request_));
  ASSERT_EQ(plot.panels.size(), 1U);
  const PlotPanel& panel = plot.panels[0];
  // axes of the oscillations: the fast real eigenvalue at 200 N s/m, -97.4/s, is outside, and a note says so
  EXPECT_NEAR(*panel.y.max, 1.15 * std::sqrt(kStiffness / kMass - 1.0 / 16), 1e-9);
  EXPECT_GT(*panel.x.min, -50);
  ASSERT_EQ(plot.notes.size(), 1U);
  EXPECT_NE(plot.notes[0].find("picture: 1"), std::string::npos) << plot.notes[0];
  std::size_t points = 0;
  for (const PlotCurve& curve : panel.curves)
    if (curve.look == CurveLook::points) points += curve.x.size();
  EXPECT_EQ(points, 3U);  // one of each pair, and the slow real one
}

}  // namespace
}  // namespace trunnion
