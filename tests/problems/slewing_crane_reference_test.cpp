// The slewing crane's reference compared with energy, angular momentum, Newton's and Euler's laws of the load, its tolerance and
// its table.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/slewing_crane_reference.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "problems/reference_table.h"

namespace trunnion::problems {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

const std::vector<SlewingCraneSample>& whole() {
  static const std::vector<SlewingCraneSample> kSamples = slewing_crane_reference();
  return kSamples;
}

ReferenceTable crane_table(const std::vector<SlewingCraneSample>& samples, std::vector<int>& decimals) {
  ReferenceTable table;
  table.comment =
      "examples/slewing_crane.yaml; tests/problems/slewing_crane_reference.cpp, Radau IIA of order 9; errors below 1e-11 rad, m, "
      "1e-3 Pa. load.x, .y, .z: its centre of mass; load.q*: load axes to world; load.w*: angular velocity, world";
  table.columns = {"time",    "column.angle", "column.rate", "boom.angle", "boom.rate", "load.x",  "load.y", "load.z",
                   "load.qw", "load.qx",      "load.qy",     "load.qz",    "load.wx",   "load.wy", "load.wz"};
  for (const std::string name : {"lift", "slew"})
    for (const char* channel : {".length", ".rate", ".friction", ".force", "_v1.pressure", "_v2.pressure", "_v3.pressure", "_valve.spool"})
      table.columns.push_back(name + channel);
  decimals.assign(table.columns.size(), 13);
  for (std::size_t i = 0; i < decimals.size(); ++i) {
    const std::string& column = table.columns[i];
    if (column.ends_with("pressure")) decimals[i] = 5;
    if (column.ends_with("force") || column.ends_with("friction")) decimals[i] = 7;
  }
  for (const SlewingCraneSample& x : samples) {
    std::vector<double> row{x.t, x.column_angle, x.column_rate, x.boom_angle, x.boom_rate};
    row.insert(row.end(), x.load_position.begin(), x.load_position.end());
    row.insert(row.end(), x.load_quaternion.begin(), x.load_quaternion.end());
    row.insert(row.end(), x.load_angular_velocity.begin(), x.load_angular_velocity.end());
    for (const CraneCylinderSample& c : {x.lift, x.slew})
      row.insert(row.end(), {c.length, c.rate, c.friction, c.force, c.pressure[0], c.pressure[1], c.pressure[2], c.spool});
    table.rows.push_back(std::move(row));
  }
  return table;
}

TEST(SlewingCraneReference, TableComesFromThisCode) {
  std::vector<int> decimals;
  const ReferenceTable fresh = crane_table(whole(), decimals);
  if (tables_are_to_be_written()) write_reference_table("slewing_crane", fresh, decimals);
  const ReferenceTable stored = read_reference_table("slewing_crane");
  ASSERT_EQ(stored.columns, fresh.columns);
  ASSERT_EQ(stored.rows.size(), fresh.rows.size());
  for (std::size_t j = 0; j < stored.columns.size(); ++j) {
    const std::string& column = stored.columns[j];
    const double bound = column.ends_with("pressure") ? 1e-3 : column.ends_with("force") || column.ends_with("friction") ? 1e-4 : 1e-9;
    for (std::size_t i = 0; i < stored.rows.size(); ++i) ASSERT_NEAR(stored.rows[i][j], fresh.rows[i][j], bound) << column << " row " << i;
  }
}

TEST(SlewingCraneReference, ConservesEnergy) {
  for (const SlewingCraneSample& x : whole())
    ASSERT_NEAR(x.kinetic + x.potential, x.lift.work + x.slew.work, 1e-7) << "t = " << x.t;  // of 9 kJ
}

/// Gyroscopic terms do no work: they do not affect the energy, but the angular momentum.
TEST(SlewingCraneReference, ChangesItsAngularMomentumByTheSlewingMoment) {
  for (const SlewingCraneSample& x : whole()) ASSERT_NEAR(x.angular_momentum_z, x.slewing_impulse, 1e-7) << "t = " << x.t;  // of 4e3
}

/// Sixth-order central first derivative from samples f(k-3) ... f(k+3) at spacing h.
template <class Get>
Vector3d derivative(const Get& get, std::size_t k, double h) {
  return (45 * (get(k + 1) - get(k - 1)) - 9 * (get(k + 2) - get(k - 2)) + (get(k + 3) - get(k - 3))) / (60 * h);
}

/// The load's joint only transmits a force at the tip: moment about the centre of mass = arm x joint force. Uses samples and load data
/// only.
TEST(SlewingCraneReference, LoadObeysNewtonAndEuler) {
  constexpr double kStep = 1e-3;
  const auto fine = slewing_crane_reference(1.6, kStep);
  const CraneLoad load = slewing_crane_load();
  Matrix3d inertia;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) inertia(i, j) = load.inertia[i][j];
  const Vector3d center(load.center_of_mass.data());
  auto rotation = [&](std::size_t k) {
    const auto& q = fine[k].load_quaternion;
    return Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  };
  auto position = [&](std::size_t k) -> Vector3d { return Vector3d(fine[k].load_position.data()); };
  auto omega = [&](std::size_t k) -> Vector3d { return Vector3d(fine[k].load_angular_velocity.data()); };
  auto velocity = [&](std::size_t k) -> Vector3d { return derivative(position, k, kStep); };
  auto spin = [&](std::size_t k) -> Vector3d { return rotation(k) * inertia * rotation(k).transpose() * omega(k); };
  double largest = 0;
  for (std::size_t k = 510; k + 10 < fine.size(); k += 20) {  // both valves are open and no ramp has a corner
    if (std::abs(fine[k].t - 0.9) < 0.02) continue;
    const Matrix3d r = rotation(k);
    // orientation: columns rotate with the angular velocity
    for (int axis = 0; axis < 3; ++axis) {
      auto column = [&](std::size_t i) -> Vector3d { return rotation(i).col(axis); };
      ASSERT_LT((derivative(column, k, kStep) - omega(k).cross(r.col(axis))).norm(), 1e-8) << "t = " << fine[k].t;
    }
    const Vector3d force = load.mass * (derivative(velocity, k, kStep) + Vector3d(0, 0, 9.81));
    const Vector3d moment = derivative(spin, k, kStep), expected = (-(r * center)).cross(force);
    ASSERT_LT((moment - expected).norm(), 0.05) << "t = " << fine[k].t;  // of 600 N m; differences of sixth order at 1 ms
    largest = std::max(largest, moment.norm());
  }
  EXPECT_GT(largest, 100);
}

TEST(SlewingCraneReference, BoomCarriesTheLoadAtItsTip) {
  const CraneLoad load = slewing_crane_load();
  for (const SlewingCraneSample& x : whole()) {
    const auto& q = x.load_quaternion;
    const Vector3d tip = Vector3d(x.load_position.data()) - Quaterniond(q[0], q[1], q[2], q[3]) * Vector3d(load.center_of_mass.data());
    const double b = x.boom_angle, reach = 0.3 + 4 * std::cos(b) - 0.1 * std::sin(b), height = 1.8 + 4 * std::sin(b) + 0.1 * std::cos(b);
    ASSERT_LT((tip - Vector3d(reach * std::cos(x.column_angle), reach * std::sin(x.column_angle), height)).norm(), 1e-12);
  }
}

TEST(SlewingCraneReference, DoesNotDependOnItsTolerance) {
  const auto coarse = slewing_crane_reference(4, 1e-2, 100);
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    const SlewingCraneSample &a = whole()[i], &b = coarse[i];
    ASSERT_NEAR(a.column_angle, b.column_angle, 1e-10) << "t = " << a.t;
    ASSERT_NEAR(a.boom_angle, b.boom_angle, 1e-10) << "t = " << a.t;
    for (int k = 0; k < 3; ++k) {
      ASSERT_NEAR(a.load_position[k], b.load_position[k], 1e-9) << "t = " << a.t;
      ASSERT_NEAR(a.lift.pressure[k], b.lift.pressure[k], 0.05) << "t = " << a.t;
      ASSERT_NEAR(a.slew.pressure[k], b.slew.pressure[k], 0.05) << "t = " << a.t;
    }
  }
}

TEST(SlewingCraneReference, StaysInsideStrokesAndAboveTankPressure) {
  for (const SlewingCraneSample& x : whole()) {
    const double lift = x.lift.length - whole()[0].lift.length, slew = x.slew.length - whole()[0].slew.length;
    ASSERT_TRUE(-0.3 < lift && lift < 0.4 && -0.25 < slew && slew < 0.45) << "t = " << x.t;
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(x.lift.pressure[k] > 1e6 && x.slew.pressure[k] > 1e6) << "t = " << x.t;
  }
}

}  // namespace
}  // namespace trunnion::problems
