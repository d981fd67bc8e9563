// The spatial slider-crank's reference compared with its constraint, its energy, differences of its positions, and its tables.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/spatial_slider_crank_reference.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <vector>

#include "problems/reference_table.h"

namespace trunnion::problems {
namespace {

using Eigen::Vector3d;

class SpatialSliderCrankReference : public testing::TestWithParam<RodName> {};

ReferenceTable slider_crank_table(RodName rod, std::vector<int>& decimals) {
  ReferenceTable table;
  table.comment =
      std::string(rod == RodName::massive ? "examples/spatial_slider_crank.yaml" : "tests/data/spatial_slider_crank_distance.yaml") +
      "; tests/problems/spatial_slider_crank_reference.cpp, Radau IIA of order 9; errors below 1e-12";
  table.columns = {"time", "crank.angle", "crank.rate", "slider.position", "slider.speed"};
  if (rod == RodName::massive)  // centre of mass and angular velocity in the world
    table.columns.insert(table.columns.end(), {"rod.x", "rod.y", "rod.z", "rod.wx", "rod.wy", "rod.wz"});
  decimals.assign(table.columns.size(), 14);
  for (const SliderCrankSample& x : spatial_slider_crank_reference(rod)) {
    std::vector<double> row{x.t, x.crank_angle, x.crank_rate, x.slider_position, x.slider_speed};
    row.insert(row.end(), x.rod_center.begin(), x.rod_center.end());
    row.insert(row.end(), x.rod_angular_velocity.begin(), x.rod_angular_velocity.end());
    row.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

TEST_P(SpatialSliderCrankReference, TableComesFromThisCode) {
  const std::string name = GetParam() == RodName::massive ? "spatial_slider_crank" : "spatial_slider_crank_distance";
  std::vector<int> decimals;
  const ReferenceTable fresh = slider_crank_table(GetParam(), decimals);
  if (tables_are_to_be_written()) write_reference_table(name, fresh, decimals);
  const ReferenceTable stored = read_reference_table(name);
  ASSERT_EQ(stored.columns, fresh.columns);
  ASSERT_EQ(stored.rows.size(), 301u);
  for (std::size_t i = 0; i < stored.rows.size(); ++i)
    for (std::size_t j = 0; j < stored.columns.size(); ++j)
      ASSERT_NEAR(stored.rows[i][j], fresh.rows[i][j], 1e-11) << stored.columns[j] << " row " << i;
}

TEST_P(SpatialSliderCrankReference, KeepsRodLengthAndEnergy) {
  for (const SliderCrankSample& x : spatial_slider_crank_reference(GetParam())) {
    ASSERT_NEAR((Vector3d(x.slider_position, 0, 0) - Vector3d(x.pin.data())).norm(), 1.5, 1e-14);
    ASSERT_NEAR(x.kinetic + x.potential, 0, 1e-11) << "t = " << x.t;  // of 31 J and 20 J
  }
}

/// Speeds and kinetic energy again, from differences of positions only.
TEST_P(SpatialSliderCrankReference, SpeedsAreDerivativesOfPositions) {
  constexpr double kStep = 1e-3;
  const auto fine = spatial_slider_crank_reference(GetParam(), 1, kStep);
  auto derivative = [&](auto get, std::size_t k) -> decltype(get(k)) {
    return (45 * (get(k + 1) - get(k - 1)) - 9 * (get(k + 2) - get(k - 2)) + (get(k + 3) - get(k - 3))) / (60 * kStep);
  };
  auto slider = [&](std::size_t k) { return fine[k].slider_position; };
  auto angle = [&](std::size_t k) { return fine[k].crank_angle; };
  auto pin = [&](std::size_t k) { return Eigen::Array3d(fine[k].pin.data()); };
  auto direction = [&](std::size_t k) -> Eigen::Array3d { return (Eigen::Array3d(fine[k].slider_position, 0, 0) - pin(k)) / 1.5; };
  for (std::size_t k = 10; k + 10 < fine.size(); k += 10) {
    const SliderCrankSample& x = fine[k];
    ASSERT_NEAR(derivative(angle, k), x.crank_rate, 1e-9);
    ASSERT_NEAR(derivative(slider, k), x.slider_speed, 1e-9);
    const auto evaluated = [&](auto get) {
      return Vector3d(derivative([&](std::size_t i) -> Eigen::Array3d { return get(i); }, k).matrix());
    };
    const Vector3d pin_speed = evaluated(pin), n = direction(k).matrix(), n1 = evaluated(direction), w = n.cross(n1);
    ASSERT_LT((w - Vector3d(x.rod_angular_velocity.data())).norm(), 1e-8);
    // crank: a rod of radius 40 mm about the skew axis; its pin's speed gives the part across, the axis the part along
    const Vector3d axis = Vector3d(1, 0.2, -0.1).normalized();
    const double along = axis.y() * x.crank_rate, across2 = (1 - axis.y() * axis.y()) * x.crank_rate * x.crank_rate;
    const double crank = 10 * pin_speed.squaredNorm() / 4 + 10 * (3 * 0.0016 + 0.16) / 12 * across2 + 10 * 0.0016 / 2 * along * along;
    const double slider_part = 8 * x.slider_speed * x.slider_speed;
    const Vector3d center = (pin_speed + Vector3d(x.slider_speed, 0, 0)) / 2;
    const double rod = GetParam() == RodName::massive ? 6 * center.squaredNorm() + 6 * (3 * 0.0009 + 2.25) / 12 * w.squaredNorm() : 0;
    ASSERT_NEAR((crank + slider_part + rod) / 2, x.kinetic, 1e-7) << "t = " << x.t;
  }
}

TEST_P(SpatialSliderCrankReference, DoesNotDependOnItsTolerance) {
  const auto fine = spatial_slider_crank_reference(GetParam()), coarse = spatial_slider_crank_reference(GetParam(), 3, 1e-2, 1000);
  for (std::size_t i = 0; i < fine.size(); ++i) {
    ASSERT_NEAR(fine[i].crank_angle, coarse[i].crank_angle, 1e-11) << "t = " << fine[i].t;
    ASSERT_NEAR(fine[i].slider_position, coarse[i].slider_position, 1e-11) << "t = " << fine[i].t;
  }
}

INSTANTIATE_TEST_SUITE_P(Rods, SpatialSliderCrankReference, testing::Values(RodName::massive, RodName::massless),
                         [](const auto& test) { return std::string(test.param == RodName::massive ? "massive" : "massless"); });

}  // namespace
}  // namespace trunnion::problems
