// The motion is independent of the description: world rotated or moved, order of items, units.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "model/machines.h"

namespace trunnion {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Vec3d turned(const Matrix3d& R, const Vec3d& v) {
  const Vector3d r = R * Vector3d(v[0], v[1], v[2]);
  return {r.x(), r.y(), r.z()};
}

/// The same machine with all quantities in ground axes rotated by `rpy`, then moved by `shift`.
Description placed(Description d, const Vec3d& rpy, const Vec3d& shift) {
  const Matrix3d R = roll_pitch_yaw(rpy);
  const auto point = [&](Vec3d& p) {
    p = turned(R, p);
    for (int i = 0; i < 3; ++i) p[i] += shift[i];
  };
  d.gravity = turned(R, d.gravity);
  for (auto& [name, joint] : d.joints)
    if (joint.parent == "ground") {
      point(joint.at);
      const Vector3d angles = (R * roll_pitch_yaw(joint.orientation)).eulerAngles(2, 1, 0);  // yaw, pitch, roll
      joint.orientation = {angles[2], angles[1], angles[0]};
    }
  for (auto& [name, loop] : d.loops)
    for (int i = 0; i < 2; ++i)
      if (loop.between[i] == "ground") {
        point(loop.at[i]);
        loop.axis[i] = turned(R, loop.axis[i]);
      }
  for (auto& [name, spring] : d.springs)
    for (int i = 0; i < 2; ++i)
      if (spring.between[i] == "ground") point(spring.at[i]);
  for (auto& [name, force] : d.forces)
    if (force.frame == ForceFrame::world) {
      if (force.force) force.force = turned(R, *force.force);
      if (force.torque) force.torque = turned(R, *force.torque);
    }
  for (auto& [name, cylinder] : d.cylinders)
    for (MountDescription* mount : {&cylinder.base, &cylinder.rod_end})
      if (mount->body == "ground") point(mount->at);
  return d;
}

/// Joint coordinates and pressures after `end`, by name, for comparison in any order.
void expect_same_motion(const Description& a, const Description& b, double end, double tolerance, double tolerance_pressure) {
  const auto A = compile(a), B = compile(b);
  const StateVector s = test::run(A, end), t = test::run(B, end);
  double moved = 0;
  for (const JointInfo& j : A->joints)
    for (int i = 0; i < j.nq; ++i) {
      const double x = s.q()[j.q + i];
      moved = std::max(moved, std::abs(x - A->q_start[j.q + i]));
      EXPECT_NEAR(x, t.q()[test::joint(*B, j.name).q + i], tolerance) << j.name;
    }
  EXPECT_GT(moved, 0.05);
  for (const std::string& name : A->state_names)
    EXPECT_NEAR(test::value(*A, s, name), test::value(*B, t, name), name.ends_with("pressure") ? tolerance_pressure : tolerance * 1e3)
        << name;
}

/// The four-bar with a spring and a load, to include all quantities that depend on axes. Spatial: with one more body.
Description four_bar() {
  Description d = test::example("four_bar");
  d.springs.emplace_back("s", SpringDescription{{}, {"ground", "rocker"}, {{{10, 3, 1}, {2, 0.1, 0}}}, 500, 20, 10, 4.0});
  ForceDescription f;
  f.body = "coupler";
  f.at = {3, 0.2, 0};
  f.force = Vec3d{30, -40, 5};
  f.torque = Vec3d{0, 0, 25};
  d.forces.emplace_back("f", f);
  for (const char* name : {"v1", "v2"}) test::item(d.volumes, name).pressure = {false, 2.9e6};
  d.solver.tolerance_position = 1e-10;  // the solution of the step's equations is compared
  d.solver.tolerance_pressure = 1e-4;
  return d;
}

constexpr double kTolerance = 1e-8;        // [rad, m] rounding over a thousand steps, through a penalty of 3e8 times the stiffness
constexpr double kPressureTolerance = 10;  // [Pa] relative to MPa

TEST(Invariance, PlanarMachinesMoveAlikeInAnyPlane) {
  const Description d = four_bar();
  for (const Vec3d& rpy : {Vec3d{37 * M_PI / 180, 0, 0}, Vec3d{0, M_PI / 2, 0}, Vec3d{M_PI, 0, 0}, Vec3d{-2.2, 0.7, 1.9}}) {
    const Description turned = placed(d, rpy, {});
    EXPECT_TRUE(compile(turned)->planar);
    expect_same_motion(d, turned, 1.5, kTolerance, kPressureTolerance);
  }
}

TEST(Invariance, SpatialMachinesMoveAlikeHoweverTheWorldIsTurned) {
  for (const char* name : {"slewing_crane", "spatial_slider_crank"}) {
    Description d = test::example(name);
    d.solver.tolerance_position = 1e-10;
    d.solver.tolerance_pressure = 1e-4;
    expect_same_motion(d, placed(d, {-2.2, 0.7, 1.9}, {}), 1, kTolerance, kPressureTolerance);
  }
}

TEST(Invariance, AMachineFarAwayLosesNoDigits) {
  const Vec3d far{1e4, -1e4, 1e4};
  expect_same_motion(four_bar(), placed(four_bar(), {}, far), 1.5, kTolerance, kPressureTolerance);
  // the position of the ground itself is rounded to 2e-12 m, of cylinders too: 1e-11 of their length
  Description crane = test::example("slewing_crane");
  crane.solver.tolerance_position = 1e-10;
  crane.solver.tolerance_pressure = 1e-4;
  expect_same_motion(crane, placed(crane, {}, far), 1, kTolerance, kPressureTolerance);
}

TEST(Invariance, OrderInTheFileDoesNotMatter) {
  Description d = four_bar(), reversed = d;
  std::reverse(reversed.bodies.begin(), reversed.bodies.end());
  std::reverse(reversed.joints.begin(), reversed.joints.end());
  std::reverse(reversed.volumes.begin(), reversed.volumes.end());
  std::reverse(reversed.valves.begin(), reversed.valves.end());
  std::reverse(reversed.sources.begin(), reversed.sources.end());
  expect_same_motion(d, reversed, 1.5, kTolerance, kPressureTolerance);
  Description crane = test::example("slewing_crane");
  crane.solver.tolerance_position = 1e-10;
  crane.solver.tolerance_pressure = 1e-4;
  reversed = crane;
  std::rotate(reversed.joints.begin(), reversed.joints.begin() + 2, reversed.joints.end());
  std::reverse(reversed.cylinders.begin(), reversed.cylinders.end());
  std::reverse(reversed.volumes.begin(), reversed.volumes.end());
  std::reverse(reversed.signals.begin(), reversed.signals.end());
  expect_same_motion(crane, reversed, 1, kTolerance, kPressureTolerance);
}

TEST(Invariance, EndsOfACylinderAndALoopMayBeToldInEitherOrder) {
  Description d = four_bar(), swapped = d;
  std::swap(test::item(swapped.cylinders, "lift").base, test::item(swapped.cylinders, "lift").rod_end);
  LoopDescription& loop = test::item(swapped.loops, "E");
  std::swap(loop.between[0], loop.between[1]);
  std::swap(loop.at[0], loop.at[1]);
  SpringDescription& spring = test::item(swapped.springs, "s");
  std::swap(spring.between[0], spring.between[1]);
  std::swap(spring.at[0], spring.at[1]);
  expect_same_motion(d, swapped, 1.5, kTolerance, kPressureTolerance);
}

TEST(Invariance, UnitsInTheFileDoNotMatter) {
  const auto text = [](bool other) {
    const auto choose = [&](const char* si, const char* practical) { return std::string(other ? practical : si); };
    return "gravity: [0, " + choose("-9.81", "-981 cm/s^2") + R"(, 0]
bodies: {a: {rod: {length: )" +
           choose("1.5", "1500 mm") + ", mass: " + choose("250", "0.25 t") + R"(}}}
joints: {a: {revolute: {parent: ground, axis: z}, angle: )" +
           choose("0.5235987755982988", "30 deg") + R"(}}
volumes:
  va: {hose: {volume: )" +
           choose("2e-4", "0.2 L") + ", bulk_modulus: " + choose("1.5e8", "1500 bar") + R"(}, pressure: equilibrium}
  vb: {hose: {volume: )" +
           choose("3e-4", "300 cm^3") + R"(}, pressure: )" + choose("2e6", "20 bar") + R"(}
sources: {pump: {pressure: )" +
           choose("9e6", "9 MPa") + "}, tank: {pressure: " + choose("1e5", "1 bar") + R"(}}
valves: {v: {directional_4_3: {P: pump, T: tank, A: va, B: vb, flow: )" +
           choose("2e-4", "12 L/min") + ", at_pressure_drop: " + choose("35e5", "3.5 MPa") +
           ", at_signal: 10, time_constant: " + choose("5e-3", "5 ms") + R"(}, signal: u}}
cylinders: {c: {base: {body: ground, at: [0, )" +
           choose("-1", "-1 m") + ", 0]}, rod_end: {body: a, at: [" + choose("0.5", "50 cm") +
           ", 0, 0]}, A: va, B: vb, bore: " + choose("0.06", "60 mm") + ", rod: " + choose("0.03", "3 cm") +
           R"(, chamber_length_A: 0.4, chamber_length_B: 0.6,
  friction: {model: brown_mcphee, coulomb: )" +
           choose("210", "0.21 kN") + R"(, static: 830, stribeck_velocity: )" + choose("0.0125", "12.5 mm/s") + R"(, viscous: 330}}}
signals: {u: {steps: [[0.1, 8], [0.6, -4]]}}
solver: {step: )" +
           choose("1e-3", "1 ms") + ", tolerance_position: 1e-10, tolerance_pressure: 1e-4}\n";
  };
  expect_same_motion(test::description(text(false)), test::description(text(true)), 1, 1e-11, 0.1);
}

}  // namespace
}  // namespace trunnion
