// Resistance of soil compared with closed forms, and its energy dissipation.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/machines.h"
#include "trunnion/trunnion.h"

namespace trunnion {
namespace {

constexpr double kMass = 20, kForce = 3000, kSpeed = 0.25, kDepth = 0.4;

Simulation machine(const std::string& joint, const std::string& rest) {
  return Simulation::from_text("trunnion: 1\ngravity: [0, 0, 0]\nbodies: {tool: {point_mass: {mass: 20 kg}}}\njoints:\n  tool: " + joint +
                               "\n" + rest);
}
const std::string kSoil = "forces: {edge: {body: tool, soil: {force: 3 kN, depth: 0.4 m, speed: 0.25 m/s}}}\n";

/// m v dv = -R v / sqrt(v^2 + v_0^2) dx: the distance from v to rest is m / R (v w + v_0^2 asinh(v / v_0)) / 2, w^2 = v^2 + v_0^2.
TEST(Soil, ABodyThrownIntoItStopsAfterTheClosedFormsWay) {
  Simulation s = machine("{prismatic: {parent: ground, at: [0, 0, -2 m], axis: x}, speed: 3 m/s}",
                         kSoil + "solver: {step: 0.02 ms, duration: 0.1 s, tolerance_position: 1e-13}");
  while (s.time() < s.duration()) s.step();
  const double v = 3, w = std::hypot(v, kSpeed), way = kMass / kForce * (v * w + kSpeed * kSpeed * std::asinh(v / kSpeed)) / 2;
  EXPECT_NEAR(s.value(s.find("tool.position")), way, 1e-6 * way);
  EXPECT_LT(std::abs(s.value(s.find("tool.speed"))), 1e-9);
  EXPECT_DOUBLE_EQ(s.value(s.find("edge.depth")), 2);
  EXPECT_NEAR(s.value(s.find("energy.damping")), kMass * v * v / 2, 1e-6 * kMass * v * v);
  EXPECT_NEAR(s.value(s.find("energy.external")), 0, 1e-12);
}

TEST(Soil, ItGrowsWithDepthAsSmoothAsItEndsAtTheSurface) {
  Simulation s = machine("{prismatic: {parent: ground, at: [0, 0, 0.1 m], axis: [0, 0, -1]}}",
                         kSoil +
                             "motions: {dip: {joint: tool, signal: down}}\nsignals: {down: {ramps: [[0, 0], [1 s, 0.7 m]]}}\n"
                             "solver: {step: 10 ms, duration: 1 s}");
  const int depth = s.find("edge.depth"), resistance = s.find("edge.resistance");
  int above = 0, within = 0, below = 0;
  while (s.time() < s.duration() - 1e-9) {
    s.step();
    const double d = 0.7 * s.time() - 0.1, x = std::clamp(d / kDepth, 0.0, 1.0), v = 0.7;
    EXPECT_NEAR(s.value(depth), d, 1e-12);
    EXPECT_NEAR(s.value(resistance), kForce * x * x * (3 - 2 * x) * v / std::hypot(v, kSpeed), 1e-8 * kForce);
    ++(x <= 0 ? above : x < 1 ? within : below);
  }
  EXPECT_GT(above, 5);
  EXPECT_GT(within, 5);
  EXPECT_GT(below, 5);
}

/// On a slope, in a plane across the ground's, and with a time-dependent factor.
TEST(Soil, SurfaceAndFactorMayBeAny) {
  Simulation s =
      machine("{prismatic: {parent: ground, axis: [0.6, 0.8, 0]}}",
              "forces: {edge: {body: tool, at: [0.1 m, 0, 0], signal: hardness, soil: {force: 3 kN, depth: 0.4 m, speed: 0.25 m/s, "
              "at: [0, 1 m, 0], normal: [0.8, 0.6, 0]}}}\nmotions: {draw: {joint: tool, signal: out}}\n"
              "signals: {out: {ramps: [[0, 0], [1 s, -0.5 m]]}, hardness: {ramps: [[0, 0], [1 s, 2]]}}\n"
              "solver: {step: 10 ms, duration: 0.5 s}");
  while (s.time() < s.duration() - 1e-9) s.step();
  const double out = -0.25, d = 0.6 * 1 - (0.8 * (0.6 * out + 0.1) + 0.6 * 0.8 * out);
  EXPECT_NEAR(s.value(s.find("edge.depth")), d, 1e-12);
  EXPECT_NEAR(s.value(s.find("edge.resistance")), 1 * kForce * 0.5 / std::hypot(0.5, kSpeed), 1e-8 * kForce);
}

TEST(Soil, MachinesOverASlantedSurfaceAreComputedInSpace) {
  const auto planar = [](const std::string& normal) {
    return test::model_from(
               "trunnion: 1\nbodies: {arm: {rod: {length: 2 m, mass: 2 kg}}}\njoints: {arm: {revolute: {parent: ground, axis: z}}}\n"
               "gravity: [0, -9.81, 0]\nforces: {edge: {body: arm, soil: {force: 1 kN, depth: 0.1 m, speed: 0.1 m/s, normal: " +
               normal + "}}}\n")
        ->planar;
  };
  EXPECT_TRUE(planar("y"));
  EXPECT_FALSE(planar("[0, 0.6, 0.8]"));
}

}  // namespace
}  // namespace trunnion
