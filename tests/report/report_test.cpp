// Reports. Reference: the files written by runs, channels of body centres, cylinder lengths and contacts computed by the machine itself,
// and the required contents of a page.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/diagnostic.h"
#include "report/page.h"
#include "report/result_files.h"
#include "results/files.h"
#include "studies/comparison.h"
#include "studies/curve_family.h"
#include "studies/history.h"
#include "studies/linear_study.h"
#include "support/machines.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;
using test::load_example;
using test::model_from;
using test::Page;
using test::PageJson;
using Rows = std::vector<std::vector<double>>;

const char* const kPendulum = R"(
trunnion: 1
title: Pendulum
bodies: {bob: {rod: {length: 1 m, mass: 2 kg}}}
joints: {bob: {revolute: {parent: ground, at: [0, 0, 0], axis: y}, angle: 10 deg}}
solver: {step: 1 ms, duration: 0.05 s}
)";

class Reports : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string in(const std::string& name) const { return folder_ + "/" + name; }
  /// Runs a model and writes its results.
  std::string run(const std::shared_ptr<const CompiledModel>& model, const std::string& name) const {
    write_case(run_case(model), "model.yaml", in(name), std::chrono::steady_clock::now());
    return in(name);
  }
  static Page page(const ReportRequest& request) { return Page(report_page(make_report(request), test::kTemplate)); }
  static std::string error(const ReportRequest& request) {
    try {
      make_report(request);
    } catch (const InputError& e) { return e.what(); }
    return "no error";
  }
  static std::string message(const std::vector<std::string>& folders) { return error({.folders = folders, .channels = {}}); }

  const std::string folder_ = test::temporary_folder();
};

/// results.csv by strtod: names and columns.
std::pair<std::vector<std::string>, Rows> csv(const std::string& folder) {
  std::ifstream in(folder + "/results.csv");
  std::string line, cell;
  std::getline(in, line);
  std::vector<std::string> names;
  for (std::stringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
  Rows columns(names.size());
  while (std::getline(in, line)) {
    std::stringstream cells(line);
    for (std::size_t k = 0; std::getline(cells, cell, ','); ++k) columns[k].push_back(std::strtod(cell.c_str(), nullptr));
  }
  return {names, columns};
}

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
  const std::string folder = run(model_from(kPendulum), "pendulum");
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

// ---------------------------------------------------------------- the scene

using Point = std::array<double, 3>;

/// A point of a body at an instant, from the page's poses.
Point placed(const Rows& poses, const PageJson& mount, std::size_t instant) {
  const Point at = mount["at"];
  const std::vector<double>& all = poses[mount["body"]];
  if (all.empty()) return at;
  const double* pose = all.data() + 7 * instant;
  const double w = pose[3], x = pose[4], y = pose[5], z = pose[6];
  EXPECT_NEAR(w * w + x * x + y * y + z * z, 1, 1e-6);
  // v + 2 u x (u x v + w v)
  const Point u{x, y, z};
  const auto cross = [](const Point& a, const Point& b) {
    return Point{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  Point inner = cross(u, at);
  for (std::size_t k = 0; k < 3; ++k) inner[k] += w * at[k];
  const Point turned = cross(u, inner);
  return {pose[0] + at[0] + 2 * turned[0], pose[1] + at[1] + 2 * turned[1], pose[2] + at[2] + 2 * turned[2]};
}
double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

struct Machine {
  const char* name;
  std::vector<std::string> set;
  int bodies, cylinders, loops;
};

TEST_F(Reports, DrawThePathOfATracedMarker) {
  const std::string markers =
      "markers: {tip: {body: bob, at: [1 m, 0, 0], trace: true}, own: {body: ground, frame: bob, trace: true}, other: {body: bob}}\n";
  const std::string folder = run(model_from(kPendulum + markers, {"solver.duration=0.7 s", "record.every=10"}), "run");
  const Page p = page({.folders = {folder}, .channels = {}});
  const PageJson &section = p.section("run"), &bodies = section["scene"]["bodies"];
  const auto paths = [](const PageJson& body) {
    std::vector<PageJson> found;
    for (const PageJson& shape : body["shapes"])
      if (shape.contains("trace")) found.push_back(shape);
    return found;
  };
  ASSERT_EQ(paths(bodies[0]).size(), 1U);
  ASSERT_EQ(paths(bodies[1]).size(), 1U);
  EXPECT_EQ(paths(bodies[1])[0]["trace"], "own");
  const PageJson path = paths(bodies[0])[0];
  EXPECT_EQ(path["trace"], "tip");
  const std::vector<double> x = p.channel(section, "tip.position_x"), z = p.channel(section, "tip.position_z");
  ASSERT_EQ(path["points"].size(), x.size() - 1);
  double way = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    for (std::size_t end = 0; end < 2; ++end) {
      const Point point = path["points"][i][end];
      EXPECT_NEAR(distance(point, {x[i + end], 0, z[i + end]}), 0, 1e-6);
      way = std::max(way, distance(point, path["points"][0][0]));
    }
  EXPECT_GT(way, 0.1);
}

TEST_F(Reports, DrawMotorsAndPumpsOnTheJointThatTheyTurnWith) {
  const Page p = page({.folders = {run(load_example("hydrostatic_drive", {"solver.duration=0.02"}), "run")}, .channels = {}});
  const PageJson& motors = p.section("run")["scene"]["motors"];
  ASSERT_EQ(motors.size(), 3U);
  const char *names[] = {"motor", "main", "charge_pump"}, *joints[] = {"flywheel", "engine", "engine"};
  const int beside[] = {0, 0, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(motors[i]["name"], names[i]);
    EXPECT_EQ(motors[i]["joint"], joints[i]);
    EXPECT_EQ(motors[i]["beside"], beside[i]);
    EXPECT_EQ(motors[i]["channels"]["torque"], std::string(names[i]) + ".torque");
  }
  EXPECT_EQ(motors[1]["channels"]["pressure_A"], "side_B.pressure");
  EXPECT_EQ(motors[2]["channels"]["pressure_B"], "charge.pressure");
}

class MovingMachine : public Reports, public testing::WithParamInterface<Machine> {};

TEST_P(MovingMachine, IsWhereItsChannelsSay) {
  std::vector<std::string> set{"record.every=20"};
  set.insert(set.end(), GetParam().set.begin(), GetParam().set.end());
  const Page p = page({.folders = {run(load_example(GetParam().name, set), "run")}, .channels = {}});
  const PageJson &section = p.section("run"), &scene = section["scene"];
  ASSERT_FALSE(scene.is_null()) << section["scene_missing"];
  const std::size_t instants = p.values(section["time"]).size();
  ASSERT_GT(instants, 10U);
  Rows poses;
  int bodies = 0, moved = 0, cylinders = 0, loops = 0;
  for (const PageJson& body : scene["bodies"]) poses.push_back(body["ground"] == true ? std::vector<double>{} : p.values(body["pose"]));
  const double kClose = 2e-6 * 12;  // [m]: floats of positions within 12 m, quaternions
  for (std::size_t b = 1; b < poses.size(); ++b) {
    const PageJson& body = scene["bodies"][b];
    ASSERT_EQ(poses[b].size(), 7 * instants);
    ++bodies;
    const std::string name = body["name"];
    if (!(body["mass"] > 0)) continue;
    const std::vector<double> x = p.channel(section, name + ".center_x"), y = p.channel(section, name + ".center_y"),
                              z = p.channel(section, name + ".center_z");
    double way = 0;
    for (std::size_t i = 0; i < instants; ++i) {
      const Point center = placed(poses, PageJson{{"body", b}, {"at", body["center"]}}, i), truth{x[i], y[i], z[i]};
      ASSERT_NEAR(distance(center, truth), 0, kClose) << name << " " << i;
      way = std::max(way, distance(truth, {x[0], y[0], z[0]}));
    }
    moved += way > 0.01 ? 1 : 0;
  }
  EXPECT_GT(moved, 0);
  for (const PageJson& cylinder : scene["cylinders"]) {
    ++cylinders;
    const std::vector<double> length = p.channel(section, cylinder["channels"]["length"]);
    for (std::size_t i = 0; i < instants; ++i) {
      const double drawn = distance(placed(poses, cylinder["base"], i), placed(poses, cylinder["rod_end"], i));
      ASSERT_NEAR(drawn, length[i], kClose) << cylinder["name"];
      ASSERT_LT(cylinder["barrel_length"], drawn);
    }
    EXPECT_GT(cylinder["bore"], cylinder["rod"]);
    for (const char* chamber : {"pressure_A", "pressure_B"}) EXPECT_EQ(p.channel(section, cylinder["channels"][chamber]).size(), instants);
  }
  for (const PageJson& joint : scene["joints"]) {
    loops += joint["loop"] == true ? 1 : 0;
    if (joint["type"] != "revolute" && joint["type"] != "spherical") continue;
    for (std::size_t i = 0; i < instants; ++i)
      ASSERT_NEAR(distance(placed(poses, joint, i), placed(poses, joint["other"], i)), 0, kClose) << joint["name"];
  }
  for (const PageJson& wheel : scene["wheels"]) {
    Rows contact;
    for (const char* axis : {"contact_x", "contact_y", "contact_z"}) contact.push_back(p.channel(section, wheel["channels"][axis]));
    for (std::size_t i = 0; i < instants; ++i)
      ASSERT_NEAR(distance(placed(poses, wheel, i), {contact[0][i], contact[1][i], contact[2][i]}), wheel["radius"], kClose);
  }
  EXPECT_EQ(bodies, GetParam().bodies);
  EXPECT_EQ(cylinders, GetParam().cylinders);
  EXPECT_EQ(loops, GetParam().loops);
  // all drawn objects are in the box
  for (std::size_t b = 1; b < poses.size(); ++b)
    for (std::size_t i = 0; i < instants; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        ASSERT_GE(poses[b][7 * i + k], scene["box"]["min"][k].get<double>() - 1);
        ASSERT_LE(poses[b][7 * i + k], scene["box"]["max"][k].get<double>() + 1);
      }
}

INSTANTIATE_TEST_SUITE_P(
    All, MovingMachine,
    testing::Values(
        Machine{"four_bar", {"solver.duration=1.5 s"}, 3, 1, 1},
        Machine{"four_bar", {"solver.duration=1.5 s", "solver.coordinates=cartesian", "solver.step=0.5 ms"}, 3, 1, 1},
        Machine{"excavator", {"solver.duration=2.5 s"}, 14, 4, 5}, Machine{"forwarder_crane", {"solver.duration=1 s"}, 14, 3, 3},
        Machine{"forwarder_crane", {"solver.duration=1 s", "solver.coordinates=cartesian"}, 14, 3, 3},
        Machine{"crane_double", {"solver.duration=1 s"}, 2, 2, 0}, Machine{"articulated_loader", {"solver.duration=1.5 s"}, 11, 5, 1},
        Machine{"bicycle", {"solver.duration=0.5 s"}, 4, 0, 0}, Machine{"spatial_slider_crank", {"solver.duration=0.5 s"}, 3, 0, 1}),
    [](const auto& machine) {
      return std::string(machine.param.name) + (machine.param.set.size() > 1 ? "_in_cartesian_coordinates" : "");
    });

TEST_F(Reports, DrawShapesSpringsForcesAndWhereTheyAre) {
  const std::string text = R"(
trunnion: 1
gravity: [0, 0, -9.81]
bodies:
  arm:   {shapes: [{box: {size: [2, 0.2, 0.1], mass: 10, at: [1, 0, 0]}}, {cylinder: {length: 0.4, radius: 0.05, mass: 1, axis: z, at: [2, 0, 0]}}]}
  hand:  {sphere: {radius: 0.2, mass: 3}}
  plate: {mass: 5, center_of_mass: [0, 0, 0.1], inertia: [1, 1, 1]}
joints:
  arm:   {revolute: {parent: ground, at: [0, 0, 1], axis: y}, angle: 90 deg}
  hand:  {fixed: {parent: arm, at: [2, 0, 0]}}
  plate: {free: {parent: ground}}
springs: {coil: {between: [ground, hand], at: [[0, 0, 3], [0, 0, 0.2]], stiffness: 100}}
forces:
  push: {body: arm, at: [2, 0, 0], force: [5, 0, 0], frame: body, signal: half}
  pull: {body: plate, force: [0, 0, 7]}
signals: {half: {steps: [[0, 0.5]], before: 0.5}}
solver: {step: 1 ms, duration: 0.02}
)";
  const Page p = page({.folders = {run(model_from(text), "run")}, .channels = {}});
  const PageJson& scene = p.section("run")["scene"];
  EXPECT_EQ(scene["up"], (PageJson{0, 0, 1}));
  EXPECT_TRUE(scene["planar"].is_null());  // the plate is free
  const PageJson& arm = scene["bodies"][1]["shapes"];
  ASSERT_EQ(arm.size(), 2U);
  EXPECT_EQ(arm[0]["type"], "box");
  EXPECT_EQ(arm[0]["size"], (PageJson{2, 0.2, 0.1}));
  EXPECT_EQ(arm[1]["axis"], (PageJson{0, 0, 1}));
  EXPECT_EQ(scene["bodies"][2]["shapes"][0]["type"], "sphere");
  EXPECT_EQ(scene["bodies"][3]["shapes"][0]["type"], "segments");  // from its position to its centre
  EXPECT_EQ(scene["bodies"][3]["shapes"][0]["points"], (PageJson{{{0, 0, 0}, {0, 0, 0.1}}}));
  EXPECT_EQ(scene["springs"][0]["channel"], "coil.force");
  const std::vector<double> pose = p.values(scene["bodies"][2]["pose"]);  // by its fixed joint
  EXPECT_NEAR(pose[0], 0, 1e-6);
  EXPECT_NEAR(pose[2], -1, 1e-6);
  const std::vector<double> push = p.values(scene["forces"][0]["vector"]), pull = p.values(scene["forces"][1]["vector"]);
  EXPECT_NEAR(push[2], -2.5, 1e-6);  // rotated down by 90 degrees
  EXPECT_NEAR(pull[2], 7, 1e-6);
}

/// The factor of a load that a control block drives is that of its channel; without it there is no arrow.
TEST_F(Reports, DrawALoadThatAControlBlockDrivesWhereItsFactorIsRecorded) {
  const std::string text = std::string(kPendulum) +
                           "forces:\n  wind: {body: bob, force: [0, 0, 4], signal: gust}\n"
                           "  pull: {body: bob, force: [0, 0, 2], signal: both}\n"
                           "control: {gust: {gain: {input: bob.angle, gain: 3}}}\nsignals: {both: {sum: [gust, gust]}}\n";
  for (const bool recorded : {false, true}) {
    const Page p = page({.folders = {run(model_from(text, {recorded ? "record.channels=[\"*\", wind.factor, pull.factor]" : "record={}"}),
                                         recorded ? "recorded" : "plain")},
                         .channels = {}});
    const PageJson& section = p.section("run");
    const PageJson& forces = section["scene"]["forces"];
    ASSERT_EQ(forces.size(), 2U);
    for (const PageJson& force : forces) EXPECT_EQ(force.contains("vector"), recorded);
    if (!recorded) continue;
    const std::vector<double> angle = p.channel(section, "bob.angle"), wind = p.values(forces[0]["vector"]),
                              pull = p.values(forces[1]["vector"]);
    ASSERT_EQ(wind.size(), 3 * angle.size());
    for (std::size_t i = 0; i < angle.size(); ++i) {
      EXPECT_NEAR(wind[3 * i + 2], 4 * 3 * angle[i], 1e-4) << i;
      EXPECT_NEAR(pull[3 * i + 2], 2 * 6 * angle[i], 1e-4) << i;
    }
  }
}

TEST_F(Reports, DrawWhatIsStatedInThePlaceOfShapes) {
  const std::string text = R"(
trunnion: 1
gravity: [0, 0, -9.81]
ground: {drawn: [{box: {size: [4, 4, 0.5], at: [0, 0, -0.25]}}]}
bodies:
  arm:
    mass: 5
    inertia: [1, 1, 1]
    drawn:
      - {plate: {outline: [[0, -0.1], [2, 0], [0, 0.3]], thickness: 0.2, at: [0, 0.5, 0]}}
      - {box: {size: [2, 1, 1], at: [7, 0, 0], orientation: [0, 0, 90 deg]}}
  hand: {sphere: {radius: 0.2, mass: 3}, drawn: [{cylinder: {length: 1, radius: 0.1, axis: z}}]}
joints:
  arm:  {revolute: {parent: ground, at: [0, 0, 1], axis: y}, angle: 0 deg}
  hand: {fixed: {parent: arm, at: [2, 0, 0]}}
solver: {step: 1 ms, duration: 0.002}
)";
  const std::string bare = "trunnion: 1\nbodies: {arm: {mass: 5, inertia: [1, 1, 1]}, hand: {sphere: {radius: 0.2, mass: 3}}}\n" +
                           text.substr(text.find("joints:")) + "gravity: [0, 0, -9.81]\n";
  const std::string folder = run(model_from(text), "run");
  const auto [names, columns] = csv(folder);
  EXPECT_EQ(columns, csv(run(model_from(bare), "bare")).second);  // no effect on the motion
  const Page p = page({.folders = {folder}, .channels = {}});
  const PageJson& scene = p.section("run")["scene"];
  const PageJson &ground = scene["bodies"][0]["shapes"], &arm = scene["bodies"][1]["shapes"], &hand = scene["bodies"][2]["shapes"];
  ASSERT_EQ(ground.size(), 1U);
  EXPECT_FALSE(ground[0].contains("hidden_by_default"));
  ASSERT_EQ(arm.size(), 2U);  // and no bars
  EXPECT_EQ(arm[0]["type"], "plate");
  EXPECT_EQ(arm[0]["outline"], (PageJson{{0, -0.1}, {2, 0}, {0, 0.3}}));
  EXPECT_EQ(arm[0]["axes"], (PageJson{{1, 0, 0}, {0, 0, 1}}));
  EXPECT_EQ(arm[0]["at"], (PageJson{0, 0.5, 0}));
  const std::vector<double> turned = arm[1]["rotation"];
  EXPECT_NEAR(turned[0], std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(turned[3], std::sqrt(0.5), 1e-15);
  ASSERT_EQ(hand.size(), 1U);
  EXPECT_EQ(hand[0]["type"], "cylinder");
  const std::vector<double> most = scene["box"]["max"], least = scene["box"]["min"];
  EXPECT_NEAR(most[0], 7.5, 1e-3);  // the box is transverse
  EXPECT_NEAR(most[1], 2, 1e-9);    // ground
  EXPECT_NEAR(least[2], -0.5, 1e-9);
}

TEST_F(Reports, DrawTheResistanceOfSoilAgainstTheMotion) {
  // a pendulum's tip moving down; the amount is inserted here
  const auto model =
      model_from(std::string(kPendulum) + "forces: {teeth: {body: bob, at: [1, 0, 0], torque: [0, 0, 0]}}", {"joints.bob.rate=-2 rad/s"});
  const CaseResult result = run_case(model);
  Recording r = result.recorder->recording();
  r.channels.push_back({"teeth.resistance", "N", ""});
  r.columns.emplace_back(r.rows(), 30.0);
  fs::create_directories(in("run"));
  write_hdf5(r, write_model(model->description), in("run/results.h5"));
  write_text("{\"status\": \"completed\"}", in("run/summary.json"));
  const Page p = page({.folders = {in("run")}, .channels = {}});
  const PageJson& section = p.section("run");
  const std::vector<double> angle = p.channel(section, "bob.angle"), vector = p.values(section["scene"]["forces"][0]["vector"]);
  ASSERT_EQ(vector.size(), 3 * angle.size());
  for (std::size_t i = 0; i < angle.size(); ++i) {
    // rotating back about y, the tip (cos, 0, -sin) moves along (sin, 0, cos)
    EXPECT_NEAR(vector[3 * i], -30 * std::sin(angle[i]), 0.1) << i;
    EXPECT_NEAR(vector[3 * i + 1], 0, 1e-3);
    EXPECT_NEAR(vector[3 * i + 2], -30 * std::cos(angle[i]), 0.1);
  }
}

TEST_F(Reports, SayWhichCoordinatesAreMissingForAScene) {
  const std::string folder = run(load_example("four_bar", {"solver.duration=0.02 s", "record.channels=[crank.*, v1.pressure]"}), "run");
  const Page p = page({.folders = {folder}, .channels = {}});
  const PageJson& section = p.section("run");
  EXPECT_TRUE(section["scene"].is_null());
  const std::string why = section["scene_missing"];
  EXPECT_NE(why.find("coupler.angle, rocker.angle"), std::string::npos) << why;
  EXPECT_EQ(why.find("crank.angle"), std::string::npos) << why;
  EXPECT_NE(why.find("record.channels"), std::string::npos) << why;
  EXPECT_EQ(p.channel(section, "v1.pressure").size(), 21U);
}

// ---------------------------------------------------------------- runs and channels

TEST_F(Reports, ShowARunThatFailed) {
  const std::string late = run(load_example("four_bar", {"solver.max_iterations=1", "solver.divisions=0"}), "late");
  const std::shared_ptr<const CompiledModel> model = model_from(kPendulum);
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
  const auto model = model_from(kPendulum);
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
  run(model_from(kPendulum), "pendulum");
  run(model_from(kPendulum), "group/first");
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
    const auto model = model_from(kPendulum, {std::string("joints.bob.angle=") + value});
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
  EXPECT_EQ(section["tables"][0]["rows"].size(), 2 * written["eigenvalues"].size());  // root locus
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
  Description d = parse_model(kPendulum, "model.yaml");
  d.title = title;
  const std::string html = report_page(make_report({.folders = {run(compile(d), "run")}, .channels = {}}), test::kTemplate);
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = html.find("</script", at)) != std::string::npos; ++at) ++ends;
  EXPECT_EQ(ends, 2U);  // of the data and of one block
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  EXPECT_EQ(Page(html).data()["title"], title);
  EXPECT_NE(html.find("<p>viewer</p>"), std::string::npos);
}

TEST_F(Reports, NeedATemplateWithAPlaceForData) { EXPECT_THROW(report_page(Report{}, "<html></html>"), Error); }

TEST_F(Reports, ReplaceNothingButReports) {
  const std::string page = report_page(Report{"{}", {}, {}}, test::kTemplate), file = in("new/page.html");
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
  const std::string html = report_page(report, test::kTemplate);
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
}  // namespace trunnion
