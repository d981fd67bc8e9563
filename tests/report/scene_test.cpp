// The scene of a report. Reference: channels of body centres, cylinder lengths and contacts computed by the machine itself.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/diagnostic.h"
#include "report/report.h"
#include "report/reports.h"
#include "support/machines.h"

namespace trunnion::test {
namespace {

namespace fs = std::filesystem;

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
  const std::string folder = run(model_from(kReportedPendulum + markers, {"solver.duration=0.7 s", "record.every=10"}), "run");
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

/// A mesh is in the page with its numbers, moves with its body, and leaves the number of instants alone; without its file the page says so.
TEST_F(Reports, DrawMeshesOfBodies) {
  std::ofstream(in("wedge.obj")) << "v 0 0 0\nv 100 0 0\nv 0 200 0\nv 0 0 50\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const auto with = [&](const std::string& file) {
    std::string text = kReportedPendulum;
    const std::size_t at = text.find("bob: {");
    EXPECT_NE(at, std::string::npos);
    return text.replace(
        at, 6, "bob: {drawn: [{mesh: {file: " + file + ", scale: [1 mm, 1 mm, 1 mm], at: [1, 0, 0], orientation: [0, 0, 90 deg]}}], ");
  };
  const auto section_of = [&](const std::string& text, const char* name) {
    return page({.folders = {run(model_from(text, {"solver.duration=0.2 s"}), name)}, .channels = {}});
  };
  const Page p = section_of(with(in("wedge.obj")), "run");
  const PageJson& shape = p.section("run")["scene"]["bodies"][1]["shapes"].at(0);
  EXPECT_EQ(shape["type"], "mesh");
  const std::vector<double> points = p.values(shape["points"]), triangles = p.values(shape["triangles"]);
  ASSERT_EQ(points.size(), 12U);
  ASSERT_EQ(triangles.size(), 12U);
  EXPECT_NEAR(points[3], 0.1, 1e-7);
  EXPECT_NEAR(shape["box"]["max"][1].get<double>(), 0.2, 1e-7);
  EXPECT_NEAR(shape["rotation"][0].get<double>(), std::sqrt(0.5), 1e-12);
  EXPECT_EQ(shape["at"][0], 1);
  EXPECT_FALSE(p.section("run").contains("warnings") && p.section("run")["warnings"].size() > 0);
  const Page gone = section_of(with("/gone/wedge.stl"), "other");
  EXPECT_NE(gone.section("run")["warnings"].dump().find("/gone/wedge.stl"), std::string::npos);
  EXPECT_NE(gone.section("run")["scene"]["bodies"][1]["shapes"].at(0)["type"], "mesh");
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
  const std::string text = std::string(kReportedPendulum) +
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
  const auto model = model_from(std::string(kReportedPendulum) + "forces: {teeth: {body: bob, at: [1, 0, 0], torque: [0, 0, 0]}}",
                                {"joints.bob.rate=-2 rad/s"});
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

}  // namespace
}  // namespace trunnion::test
