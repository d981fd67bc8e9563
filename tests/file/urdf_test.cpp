// Robots in URDF: conversion of links and joints, listed and rejected features.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/urdf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "file/model_file.h"
#include "model/model.h"
#include "run/run.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

const std::string kRobot = R"xml(<?xml version="1.0"?>
<robot name="two links">
  <link name="world"/>
  <link name="upper arm">
    <inertial><origin xyz="0.5 0.1 0" rpy="0.1 0.2 0.3"/><mass value="3"/>
      <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="-0.02" izz="0.25"/></inertial>
    <visual><origin xyz="0.5 0 0" rpy="0 0 0.3"/><geometry><box size="1 0.1 0.1"/></geometry></visual>
    <collision><geometry><box size="1 0.1 0.1"/></geometry></collision>
  </link>
  <link name="fore"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="finger"><inertial><mass value="0.2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute"><parent link="world"/><child link="upper arm"/><origin xyz="0 0 1" rpy="0 0 1.5"/><axis xyz="0 1 0"/>
    <dynamics damping="0.7" friction="0.1"/><limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper arm"/><child link="fore"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="grip" type="prismatic"><parent link="fore"/><child link="finger"/><mimic joint="elbow" multiplier="0.1" offset="0.02"/></joint>
  <joint name="end" type="fixed"><parent link="finger"/><child link="tip"/><origin xyz="0.1 0 0"/></joint>
  <transmission name="t"/>
</robot>
)xml";

std::string edited(const std::string& from, const std::string& to) {
  std::string text = kRobot;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

bool holds(const std::vector<std::string>& list, const std::string& line) {
  return std::find(list.begin(), list.end(), line) != list.end();
}

TEST(Urdf, LinksAndJointsBecomeBodiesAndJoints) {
  const ImportedModel imported = import_urdf(kRobot, "robot.urdf", false);
  const Description d = parse_model(imported.text, "robot.yaml");
  EXPECT_EQ(d.title, "two links");
  ASSERT_EQ(d.bodies.size(), 4u);
  EXPECT_EQ(d.bodies[0].first, "upper_arm");
  // the tensor about a fixed direction n is the moment about n: n^T R J R^T n, by the rows of R = Rz(0.3) Ry(0.2) Rx(0.1)
  const double cr = std::cos(0.1), sr = std::sin(0.1), cp = std::cos(0.2), sp = std::sin(0.2), cy = std::cos(0.3), sy = std::sin(0.3);
  const double r[3][3] = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                          {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                          {-sp, cp * sr, cp * cr}};
  const double j[3][3] = {{0.1, 0.01, 0}, {0.01, 0.2, -0.02}, {0, -0.02, 0.25}};
  double turned[3][3] = {};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 3; ++c)
        for (int e = 0; e < 3; ++e) turned[a][b] += r[a][c] * j[c][e] * r[b][e];
  const auto& shape = std::get<InertiaShape>(d.bodies[0].second.shapes[0]);
  for (int a = 0; a < 3; ++a) EXPECT_NEAR(shape.moments[a], turned[a][a], 1e-15);
  EXPECT_NEAR(shape.products[0], turned[0][1], 1e-15);
  EXPECT_NEAR(shape.products[1], turned[0][2], 1e-15);
  EXPECT_NEAR(shape.products[2], turned[1][2], 1e-15);
  EXPECT_EQ(shape.center_of_mass[1], 0.1);
  EXPECT_EQ(d.couplings.size(), 1u);
  EXPECT_EQ(d.springs.size(), 1u);
  EXPECT_EQ(d.joints.size(), 4u);
}

TEST(Urdf, WhatIsChangedAndLeftOutIsListed) {
  const ImportedModel imported = import_urdf(kRobot, "robot.urdf", false);
  EXPECT_TRUE(holds(imported.changed, "link `world` is the ground"));
  EXPECT_TRUE(holds(imported.changed, "link `upper arm` is body `upper_arm`"));
  EXPECT_TRUE(holds(imported.changed, "joint `elbow` is joint `fore`, after its child"));
  EXPECT_TRUE(holds(imported.changed, "dry friction of joint `shoulder`, 0.1 N m: smooth below 0.01 rad/s"));
  EXPECT_TRUE(holds(imported.changed, "limits of joint `shoulder`, -1 to 1 rad: elastic, with the default stiffness"));
  for (const char* line : {"1 <collision> shapes", "1 <transmission>"}) {
    EXPECT_TRUE(holds(imported.left_out, line)) << line;
    EXPECT_NE(imported.text.find(std::string("#   ") + line), std::string::npos) << line;
  }
  EXPECT_EQ(imported.left_out.size(), 2u);
}

/// Boxes, cylinders and spheres in any attitude, and meshes where their files are, by each of the ways in which robots name them.
TEST(Urdf, VisualsAreDrawnInReports) {
  namespace fs = std::filesystem;
  const std::string folder = test::temporary_folder();
  fs::create_directories(fs::path(folder) / "arm_description/meshes");
  fs::create_directories(fs::path(folder) / "arm_description/urdf");
  const std::string mesh = (fs::path(folder) / "arm_description/meshes/link.STL").string();
  std::ofstream(mesh) << "solid\nendsolid\n";
  const std::string file = (fs::path(folder) / "arm_description/urdf/arm.urdf").string();
  const auto visuals = [&](const std::string& text, const std::string& from =
                                                        "<visual><origin xyz=\"0.5 0 0\" rpy=\"0 0 0.3\"/>"
                                                        "<geometry><box size=\"1 0.1 0.1\"/></geometry></visual>") {
    return import_urdf(edited(from, text), file, false);
  };
  const auto looks = [&](const ImportedModel& imported) {
    return parse_model(imported.text, folder + "/model.yaml").bodies.find("upper_arm")->drawn;
  };
  const auto box = looks(import_urdf(kRobot, file, false));
  ASSERT_EQ(box.size(), 1u);
  EXPECT_EQ(std::get<BoxLook>(box[0]).size, (Vec3d{1, 0.1, 0.1}));
  EXPECT_EQ(std::get<BoxLook>(box[0]).at, (Vec3d{0.5, 0, 0}));
  EXPECT_EQ(std::get<BoxLook>(box[0]).orientation, (Vec3d{0, 0, 0.3}));
  const auto round =
      looks(visuals("<visual><origin xyz=\"0 0 1\" rpy=\"0 0.3 0\"/><geometry><cylinder radius=\"0.2\" length=\"2\"/></geometry></visual>"
                    "<visual><geometry><sphere radius=\"0.4\"/></geometry></visual>"));
  ASSERT_EQ(round.size(), 2u);
  const auto& cylinder = std::get<CylinderLook>(round[0]);  // about the z axis of its origin
  EXPECT_NEAR(cylinder.axis[0], std::sin(0.3), 1e-12);
  EXPECT_NEAR(cylinder.axis[2], std::cos(0.3), 1e-12);
  EXPECT_EQ(cylinder.length, 2);
  EXPECT_EQ(cylinder.radius, 0.2);
  EXPECT_EQ(cylinder.at[2], 1);
  EXPECT_EQ(std::get<SphereLook>(round[1]).radius, 0.4);
  for (const std::string& name :
       {std::string("package://arm_description/meshes/link.STL"), std::string("../meshes/link.STL"), "file://" + mesh}) {
    const auto found = looks(visuals("<visual><origin rpy=\"0.1 0 0\"/><geometry><mesh filename=\"" + name +
                                     "\" scale=\"0.001 0.001 0.002\"/></geometry></visual>"));
    ASSERT_EQ(found.size(), 1u) << name;
    EXPECT_EQ(std::get<MeshLook>(found[0]).file, fs::path(mesh).lexically_normal().string());
    EXPECT_EQ(std::get<MeshLook>(found[0]).scale, (Vec3d{0.001, 0.001, 0.002}));
    EXPECT_EQ(std::get<MeshLook>(found[0]).orientation, (Vec3d{0.1, 0, 0}));
  }
  const auto mesh_of = [&](const char* name) {
    return visuals(std::string("<visual><geometry><mesh filename=\"") + name + "\"/></geometry></visual>");
  };
  EXPECT_TRUE(holds(mesh_of("package://arm_description/meshes/other.stl").left_out,
                    "a <visual> of link `upper arm`: the mesh `package://arm_description/meshes/other.stl`, a file that was not found"));
  EXPECT_TRUE(
      holds(mesh_of("link.dae").left_out, "a <visual> of link `upper arm`: the mesh `link.dae`, of a format other than STL and OBJ"));
  EXPECT_TRUE(looks(mesh_of("link.dae")).empty());
  const std::string ground =
      visuals("<link name=\"world\"><visual><geometry><sphere radius=\"3\"/></geometry></visual></link>", "<link name=\"world\"/>").text;
  EXPECT_EQ(std::get<SphereLook>(parse_model(ground, "model.yaml").ground.drawn.at(0)).radius, 3);
  fs::remove_all(folder);
}

TEST(Urdf, FrictionAndLimitsOfAJointActInTheModel) {
  const Description d = parse_model(import_urdf(kRobot, "robot.urdf", false).text, "robot.yaml");
  const auto shoulder =
      std::find_if(d.joints.begin(), d.joints.end(), [](const auto& j) { return j.second.elements[0].friction.has_value(); });
  ASSERT_NE(shoulder, d.joints.end());
  const CoordinateElements& on = shoulder->second.elements[0];
  EXPECT_EQ(on.friction->model, FrictionKind::coulomb_viscous);
  EXPECT_EQ(on.friction->coulomb, 0.1);
  ASSERT_TRUE(on.limits);
  EXPECT_EQ(on.limits->minimum, -1);
  EXPECT_EQ(on.limits->maximum, 1);
  EXPECT_FALSE(on.limits->stiffness);
  // limits the wrong way round, and friction of a joint with several coordinates, are listed
  const ImportedModel wrong = import_urdf(edited("lower=\"-1\" upper=\"1\"", "lower=\"1\" upper=\"-1\""), "robot.urdf", false);
  EXPECT_TRUE(holds(wrong.left_out, "limits of joint `shoulder`, 1 to -1 rad"));
}

TEST(Urdf, AJointWhoseLimitsExcludeZeroStartsAtTheNearerOne) {
  const std::string elbow = "type=\"continuous\"><parent link=\"upper arm\"/><child link=\"fore\"/><origin xyz=\"1 0 0\"/>";
  const auto imported_with = [&](const std::string& limit) {
    return import_urdf(edited(elbow, "type=\"revolute\"><parent link=\"upper arm\"/><child link=\"fore\"/><origin xyz=\"1 0 0\"/>" + limit),
                       "robot.urdf", false);
  };
  const auto start = [](const Description& d, const char* joint) {
    return std::find_if(d.joints.begin(), d.joints.end(), [&](const auto& j) { return j.first == joint; })->second.coordinate;
  };
  const ImportedModel above = imported_with("<limit lower=\"0.5\" upper=\"1.5\"/>"),
                      below = imported_with("<limit lower=\"-1.5\" upper=\"-0.5\"/>"),
                      around = imported_with("<limit lower=\"-0.5\" upper=\"0.5\"/>");
  EXPECT_TRUE(
      holds(above.changed, "limits of joint `elbow`, 0.5 to 1.5 rad: elastic, with the default stiffness; the joint starts at 0.5"));
  EXPECT_TRUE(
      holds(below.changed, "limits of joint `elbow`, -1.5 to -0.5 rad: elastic, with the default stiffness; the joint starts at -0.5"));
  EXPECT_TRUE(holds(around.changed, "limits of joint `elbow`, -0.5 to 0.5 rad: elastic, with the default stiffness"));
  const Description d = parse_model(above.text, "robot.yaml"), other = parse_model(below.text, "robot.yaml"),
                    free = parse_model(around.text, "robot.yaml");
  EXPECT_EQ(start(d, "fore"), 0.5);
  EXPECT_EQ(start(other, "fore"), -0.5);
  EXPECT_FALSE(start(free, "fore"));
  // what mimics it starts where its relation demands, which the coupling keeps
  EXPECT_NEAR(start(d, "finger").value_or(0), 0.1 * 0.5 + 0.02, 1e-15);
  EXPECT_NEAR(start(free, "finger").value_or(0), 0.02, 1e-15);
  const auto model = compile(d);
  Runner run(model);
  run.advance(0.1);
  const double *q = run.state().q(), elbow_angle = q[1];
  EXPECT_GT(std::abs(elbow_angle - 0.5), 1e-4);
  EXPECT_NEAR(q[2], 0.1 * elbow_angle + 0.02, 1e-9);
}

// A rod on a pivot whose frame the joint rotates: its small-amplitude period is that of the compound pendulum.
TEST(Urdf, AnImportedPendulumSwingsWithItsPeriod) {
  const std::string robot = R"xml(<robot name="pendulum"><link name="base"><inertial><mass value="1"/></inertial></link>
  <link name="bob"><inertial><origin xyz="0 0.8 0" rpy="0.4 0 0"/><mass value="2"/><inertia ixx="0.15" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="pivot" type="revolute"><parent link="base"/><child link="bob"/><origin xyz="1 2 3" rpy="-1.5607963267948966 0 0"/><axis xyz="1 0 0"/></joint></robot>)xml";
  const auto model = compile(parse_model(import_urdf(robot, "p.urdf", false).text, "p.yaml"));  // released 10 mrad from the vertical
  Runner run(model);
  const double period = 2 * 3.14159265358979323846 * std::sqrt((0.15 + 2 * 0.8 * 0.8) / (2 * 9.81 * 0.8));
  run.advance(period / 2);
  EXPECT_NEAR(std::abs(run.state().q()[0]), 0.02, 2e-6);  // peak to peak: twice the amplitude
}

TEST(Urdf, TheRootMayMoveFreely) {
  const ImportedModel imported =
      import_urdf(edited("<link name=\"world\"/>",
                         "<link name=\"world\"><inertial><mass value=\"5\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>"),
                  "robot.urdf", true);
  const auto model = compile(parse_model(imported.text, "robot.yaml"));
  EXPECT_EQ(model->layout.nv, 6 + 3);
}

TEST(Urdf, RefusesWithLineAndSuggestion) {
  struct Case {
    const char *from, *to, *said;
  };
  for (const Case& c : {
           Case{"<parent link=\"fore\"/>", "<parent link=\"for\"/>",
                "robot.urdf:16: error: grip: there is no link `for`; did you mean `fore`?"},
           Case{"type=\"continuous\"", "type=\"hinge\"", "robot.urdf:15: error: elbow: the joint has the type `hinge`"},
           Case{"<mass value=\"3\"/>", "<mass value=\"heavy\"/>", "found value=\"heavy\""},
           Case{"xyz=\"1 0 0\"", "xyz=\"1 0\"", "found xyz=\"1 0\"; expected 3 numbers"},
           Case{"<child link=\"tip\"/>", "<child link=\"fore\"/>", "already the child of another joint"},
           Case{"<link name=\"tip\"/>", "<link name=\"tip\"/><link name=\"lost\"/>",
                "2 links are not the child of any joint: `world`, `lost`"},
           Case{"<link name=\"tip\"/>", "<link name=\"fore\"/>", "duplicate link `fore`"},
           Case{"name=\"elbow\"", "name=\"grip\"", "duplicate joint `grip`"},
           Case{"joint=\"elbow\"", "joint=\"wrist\"", "it mimics `wrist`"},
           Case{"joint=\"elbow\"", "joint=\"grip\"", "it mimics `grip`, and so itself"},
           Case{"<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 0 0\"/>", "the axis has no direction"},
           Case{"</robot>", "", "this is not valid XML"},
           Case{"<transmission", "<xacro:macro", "this file contains xacro macros"},
       }) {
    SCOPED_TRACE(c.to);
    try {
      (void)import_urdf(edited(c.from, c.to), "robot.urdf", false);
      ADD_FAILURE() << "not refused";
    } catch (const InputError& error) { EXPECT_NE(std::string(error.what()).find(c.said), std::string::npos) << error.what(); }
  }
}

}  // namespace
}  // namespace trunnion
