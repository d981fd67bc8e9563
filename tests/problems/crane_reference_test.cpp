// The cranes' reference compared with energy, its tolerance, statics, an independently written solution of the crane with one
// cylinder (tests/data/crane_single.csv), and its tables of the cranes with two and three.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/crane_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "problems/reference_table.h"

namespace trunnion::problems {
namespace {

class CraneReference : public testing::TestWithParam<int> {
 protected:
  const std::vector<CraneSample>& samples() const {
    static std::vector<CraneSample> cache[3];
    auto& entry = cache[GetParam() - 1];
    if (entry.empty()) entry = crane_reference(GetParam());
    return entry;
  }
};

ReferenceTable table_of(const std::string& name, const std::vector<CraneSample>& samples) {
  static const char* const bodies[] = {"boom", "jib", "stick"};
  static const char* const cylinders[] = {"lift", "tilt", "fold"};
  static const char* const volumes[] = {"v", "w", "u"};
  ReferenceTable table;
  table.comment =
      "examples/" + name + ".yaml; tests/problems/crane_reference.cpp, Radau IIA of order 9; errors below 1e-11 rad, m, 1e-3 Pa";
  const std::size_t links = samples[0].theta.size(), count = samples[0].cylinder.size();
  table.columns = {"time"};
  for (std::size_t i = 0; i < links; ++i) table.columns.push_back(std::string(bodies[i]) + ".angle");
  table.columns.emplace_back("boom.rate");
  for (std::size_t i = 0; i < count; ++i) {
    for (const char* channel : {".length", ".rate", ".force"}) table.columns.push_back(std::string(cylinders[i]) + channel);
    for (const char* volume : {"1.pressure", "2.pressure", "3.pressure"}) table.columns.push_back(std::string(volumes[i]) + volume);
  }
  for (std::size_t i = 0; i < count; ++i) table.columns.push_back(std::string(cylinders[i]) + "_valve.spool");
  for (const CraneSample& x : samples) {
    std::vector<double> row{x.t, x.theta[0]};
    for (std::size_t i = 1; i < links; ++i) row.push_back(x.theta[i] - x.theta[i - 1]);
    row.push_back(x.omega[0]);
    for (const StoppedCylinderSample& c : x.cylinder)  // piston side, rod side, valve to throttle
      row.insert(row.end(), {c.length, c.rate, c.force, c.pressure[1], c.pressure[2], c.pressure[0]});
    for (const StoppedCylinderSample& c : x.cylinder) row.push_back(c.spool);
    table.rows.push_back(std::move(row));
  }
  return table;
}

int decimals_of(const std::string& column) { return column.ends_with("pressure") ? 4 : column.ends_with("force") ? 6 : 13; }

TEST_P(CraneReference, ConservesEnergy) {
  for (const CraneSample& x : samples()) {
    double work = 0;
    for (const StoppedCylinderSample& c : x.cylinder) work += c.pressure_work - c.drag_work + c.end_damper_work;
    ASSERT_NEAR(x.kinetic + x.potential, work, 1e-7) << "t = " << x.t;  // of 1.6 kJ
  }
}

constexpr double kLink[] = {1, 0.5, 0.8}, kTipMass[] = {250, 100, 50};

TEST_P(CraneReference, KineticEnergyIsTheSumOverTheBodies) {
  for (const CraneSample& x : samples()) {
    double vx = 0, vy = 0, sum = 200 / 3.0 * x.omega[0] * x.omega[0];
    for (std::size_t i = 0; i < x.theta.size(); ++i) {
      vx -= kLink[i] * x.omega[i] * std::sin(x.theta[i]);
      vy += kLink[i] * x.omega[i] * std::cos(x.theta[i]);
      sum += kTipMass[i] * (vx * vx + vy * vy);
    }
    ASSERT_NEAR(x.kinetic, sum / 2, 1e-12 * (1 + sum)) << "t = " << x.t;
  }
}

/// Lengths from the points, rates as their differences.
TEST_P(CraneReference, CylindersJoinTheirPoints) {
  for (std::size_t k = 0; k < samples().size(); ++k) {
    const CraneSample& x = samples()[k];
    const auto c = [&](std::size_t i) { return std::cos(x.theta[i]); };
    const auto s = [&](std::size_t i) { return std::sin(x.theta[i]); };
    ASSERT_NEAR(x.cylinder[0].length, std::hypot(c(0) / 2 - std::sqrt(3) / 2, s(0) / 2), 1e-14);
    if (x.cylinder.size() > 1) ASSERT_NEAR(x.cylinder[1].length, std::hypot(c(0) / 2 + c(1) / 4, s(0) / 2 + s(1) / 4), 1e-14);
    if (x.cylinder.size() > 2) ASSERT_NEAR(x.cylinder[2].length, 0.45 * std::hypot(c(1) + c(2), s(1) + s(2)), 1e-14);
    if (k % 100 != 50 || k + 1 >= samples().size()) continue;
    for (std::size_t i = 0; i < x.cylinder.size(); ++i) {
      const double mean = (samples()[k + 1].cylinder[i].length - samples()[k - 1].cylinder[i].length) / 0.02;
      ASSERT_NEAR(x.cylinder[i].rate, mean, 1e-3) << "t = " << x.t;  // second order at 10 ms
    }
  }
}

/// Lift and tilt; fold remains between its ends.
TEST_P(CraneReference, StartsAtRestAndRunsIntoEveryEndDamper) {
  for (std::size_t i = 0; i < samples()[0].cylinder.size(); ++i) {
    double shortest = 1, longest = 0;
    for (const CraneSample& x : samples()) {
      if (x.t <= 0.3) ASSERT_NEAR(x.cylinder[i].length, samples()[0].cylinder[i].length, 1e-13);
      shortest = std::min(shortest, x.cylinder[i].length - samples()[0].cylinder[i].length);
      longest = std::max(longest, x.cylinder[i].length - samples()[0].cylinder[i].length);
      for (double p : x.cylinder[i].pressure) ASSERT_GT(p, 5e4) << "t = " << x.t;
    }
    if (i == 2) {
      EXPECT_GT(0.05 + shortest, 8e-3) << shortest;
      EXPECT_TRUE(longest > 0.15 && longest < 0.242) << longest;
      continue;
    }
    EXPECT_TRUE(0.05 + shortest > 0 && 0.05 + shortest < 8e-3) << shortest;
    EXPECT_TRUE(0.25 - longest > 0 && 0.25 - longest < 8e-3) << longest;
  }
}

TEST_P(CraneReference, DoesNotDependOnItsTolerance) {
  const auto coarse = crane_reference(GetParam(), 10, 1e-2, 100);
  for (std::size_t k = 0; k < coarse.size(); ++k) {
    const CraneSample &a = samples()[k], &b = coarse[k];
    for (std::size_t i = 0; i < a.theta.size(); ++i) ASSERT_NEAR(a.theta[i], b.theta[i], 1e-11) << "t = " << a.t;
    for (std::size_t i = 0; i < a.cylinder.size(); ++i)
      for (int j = 0; j < 3; ++j) ASSERT_NEAR(a.cylinder[i].pressure[j], b.cylinder[i].pressure[j], 5e-3) << "t = " << a.t;
  }
}

INSTANTIATE_TEST_SUITE_P(Cylinders, CraneReference, testing::Values(1, 2, 3), [](const auto& test) {
  return std::string(test.param == 1 ? "single" : test.param == 2 ? "double" : "triple");
});

/// Moments of the weights about Q and R, forces along the lines of tilt and fold.
TEST(CraneReferenceStart, ThreeCylindersBalanceTheWeight) {
  const CraneSample start = crane_reference(3, 0.01)[0];
  const double g = 9.81, bend = 105 * M_PI / 180, at_R = 50 * g * 0.8 * std::cos(start.theta[2]);
  EXPECT_NEAR(start.cylinder[2].length, 0.9 * std::sin((M_PI - bend) / 2), 1e-14);
  EXPECT_NEAR(start.cylinder[2].force, -at_R / (0.45 * std::sin(bend / 2)), 1e-8);  // the arm in an isosceles triangle
  const double moment = (100 + 50) * g * 0.5 * std::cos(start.theta[1]) + at_R;     // about Q; the jib hangs
  EXPECT_NEAR(start.cylinder[1].force * 0.5 * 0.25 * std::sin(2 * M_PI / 3) / start.cylinder[1].length, moment, 1e-8);
  for (const StoppedCylinderSample& c : start.cylinder) EXPECT_EQ(c.rate, 0);
}

/// 8829.0 N and the start pressure 4.58655 MPa of the case; the jib hangs straight down, so the second cylinder is unloaded.
TEST(CraneReferenceStart, BalancesTheWeight) {
  const CraneSample one = crane_reference(1, 0.01)[0], two = crane_reference(2, 0.01)[0];
  EXPECT_NEAR(one.cylinder[0].force, 8829.0, 1e-8);
  EXPECT_NEAR(one.cylinder[0].pressure[0], 4.58655e6, 10);
  EXPECT_NEAR(two.cylinder[0].force, 8829.0, 1e-8);
  EXPECT_NEAR(two.cylinder[1].force, 0, 1e-8);
  EXPECT_NEAR(two.cylinder[1].length, 0.4330127, 1e-7);
}

/// The table of the crane with one cylinder has another author.
TEST(CraneReferenceTables, AgreeWithAnIndependentSolution) {
  const ReferenceTable table = read_reference_table("crane_single");
  const auto samples = crane_reference(1);
  ASSERT_EQ(table.rows.size(), samples.size());
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const CraneSample& x = samples[k];
    const StoppedCylinderSample& c = x.cylinder[0];
    SCOPED_TRACE("t = " + std::to_string(x.t));
    ASSERT_NEAR(table.at(k, "boom.angle"), x.theta[0], 2e-11);
    ASSERT_NEAR(table.at(k, "jib.angle"), x.theta[1] - x.theta[0], 2e-11);
    ASSERT_NEAR(table.at(k, "boom.rate"), x.omega[0], 1e-9);
    ASSERT_NEAR(table.at(k, "lift.length"), c.length, 5e-12);
    ASSERT_NEAR(table.at(k, "lift.rate"), c.rate, 1e-9);
    ASSERT_NEAR(table.at(k, "v1.pressure"), c.pressure[1], 5e-3);
    ASSERT_NEAR(table.at(k, "v2.pressure"), c.pressure[2], 5e-3);
    ASSERT_NEAR(table.at(k, "v3.pressure"), c.pressure[0], 5e-3);
    ASSERT_NEAR(table.at(k, "valve.spool"), c.spool, 1e-8);
  }
}

class CraneTable : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Cylinders, CraneTable, testing::Values(2, 3));

TEST_P(CraneTable, ComesFromThisCode) {
  const std::string name = GetParam() == 2 ? "crane_double" : "crane_triple";
  const ReferenceTable fresh = table_of(name, crane_reference(GetParam()));
  if (tables_are_to_be_written()) {
    std::vector<int> decimals;
    for (const std::string& column : fresh.columns) decimals.push_back(decimals_of(column));
    write_reference_table(name, fresh, decimals);
  }
  const ReferenceTable stored = read_reference_table(name);
  ASSERT_EQ(stored.columns, fresh.columns);
  ASSERT_EQ(stored.rows.size(), fresh.rows.size());
  for (std::size_t j = 0; j < stored.columns.size(); ++j) {
    const std::string& column = stored.columns[j];
    const double bound = column.ends_with("pressure") ? 1e-3 : column.ends_with("force") ? 1e-3 : 1e-9;
    for (std::size_t i = 0; i < stored.rows.size(); ++i) ASSERT_NEAR(stored.rows[i][j], fresh.rows[i][j], bound) << column << " row " << i;
  }
}

}  // namespace
}  // namespace trunnion::problems
