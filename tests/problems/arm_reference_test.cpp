// The arms' references compared with their energy, the printed time of the paper, their own tolerance, and their tables.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/arm_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "problems/reference_table.h"

namespace trunnion::problems {
namespace {

/// Every case with its samples, computed once.
struct Solved {
  ArmCase arms;
  std::vector<ArmsSample> samples;
};
const Solved& solved(const std::string& table) {
  static std::map<std::string, Solved> all;
  if (const auto found = all.find(table); found != all.end()) return found->second;
  Solved one;
  one.arms = table == "arm_quasistatic"         ? holding_arm()
             : table == "arm_regeneration"      ? regenerating_arm()
             : table == "arm_regeneration_shut" ? regenerating_arm(false)
             : table == "two_arms_one_pump"     ? two_arms()
                                                : two_arms(false);
  one.samples = arm_reference(one.arms, one.arms.end);
  return all.emplace(table, std::move(one)).first->second;
}

class ArmReference : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Cases, ArmReference,
                         ::testing::Values("arm_quasistatic", "arm_regeneration", "arm_regeneration_shut", "two_arms_one_pump",
                                           "two_arms_one_driven"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(ArmReference, KeepsItsEnergy) {
  const auto& [arms, samples] = solved(GetParam());
  for (std::size_t j = 0; j < arms.arms.size(); ++j)
    for (const ArmsSample& x : samples) {
      const ArmSample& a = x.arms[j];
      ASSERT_NEAR(arm_energy(a) - arm_energy(samples[0].arms[j]), a.work + a.load_work, 1e-4) << "t = " << x.t;  // of 10 kJ
    }
}

TEST_P(ArmReference, PressuresMakeTheForceOfTheElement) {
  const auto& [arms, samples] = solved(GetParam());
  for (const ArmsSample& x : samples)
    for (const ArmSample& a : x.arms) {
      ASSERT_NEAR(a.force, 0.024 * a.pressure_h - 0.012 * a.pressure_r, 1e-6) << "t = " << x.t;
      ASSERT_NEAR(a.force, 5e7 * (a.piston - a.length) + 2.5e6 * (a.piston_rate - a.length_rate), 1e-5) << "t = " << x.t;
    }
}

TEST_P(ArmReference, TableComesFromThisCode) {
  const auto& [arms, samples] = solved(GetParam());
  ReferenceTable fresh;
  fresh.comment = "examples/" + arms.example + ".yaml" + (arms.set.empty() ? "" : " with " + arms.set[0]) +
                  "; tests/problems/arm_reference.cpp, Radau IIA of order 9; errors below 1e-8 rad, 1e-9 m, 10 N, 1 kPa";
  fresh.columns = {"time", "circuit.pressure"};
  std::vector<int> decimals{6, 1};
  std::vector<double> bounds{0, 1e3};
  for (std::size_t j = 0; j < arms.arms.size(); ++j) {
    const std::string which = arms.arms.size() == 1 ? "" : "_" + std::to_string(j + 1);
    for (const char* name : {"arm#.angle", "arm#.rate", "lift#.piston", "lift#.force"}) {
      std::string column = name;
      fresh.columns.push_back(column.replace(column.find('#'), 1, which));
    }
    decimals.insert(decimals.end(), {12, 11, 13, 3});
    bounds.insert(bounds.end(), {1e-8, 1e-7, 1e-9, 10});
  }
  for (const ArmsSample& x : samples) {
    std::vector<double> row{x.t, x.pressure};
    for (const ArmSample& a : x.arms) row.insert(row.end(), {a.angle, a.rate, a.piston, a.force});
    fresh.rows.push_back(std::move(row));
  }
  if (tables_are_to_be_written()) write_reference_table(GetParam(), fresh, decimals);
  const ReferenceTable stored = read_reference_table(GetParam());
  ASSERT_EQ(stored.columns, fresh.columns);
  ASSERT_EQ(stored.rows.size(), fresh.rows.size());
  for (std::size_t i = 0; i < stored.rows.size(); ++i)
    for (std::size_t j = 0; j < stored.columns.size(); ++j)
      ASSERT_NEAR(stored.rows[i][j], fresh.rows[i][j], bounds[j]) << stored.columns[j] << " row " << i;
}

TEST(ArmReferenceTimes, ReliefOpensWhenThePaperSays) {
  const auto saturated = [](const ArmSample& a) { return a.force <= kRodRelief * (1 - 1e-12); };
  const auto fine = arm_reference(holding_arm(), 7.5, 1e-3);
  const auto first = std::find_if(fine.begin() + 7000, fine.end(), [&](const ArmsSample& x) { return saturated(x.arms[0]); });
  ASSERT_NE(first, fine.end());
  EXPECT_NEAR(first->t, 7.404, 1.01e-3);
  for (const ArmsSample& x : fine) EXPECT_GE(x.arms[0].force, kRodRelief - 1e-6);
}

TEST(ArmReferenceTimes, DoNotDependOnTheTolerance) {
  const auto& fine = solved("arm_quasistatic").samples;
  const auto coarse = arm_reference(holding_arm(), 8, 20e-3, 100);
  for (std::size_t i = 0; i < fine.size(); ++i) {
    ASSERT_NEAR(fine[i].arms[0].angle, coarse[i].arms[0].angle, 1e-8) << "t = " << fine[i].t;
    ASSERT_NEAR(fine[i].arms[0].piston, coarse[i].arms[0].piston, 1e-9) << "t = " << fine[i].t;
  }
}

TEST(ArmReferenceTimes, RatesAreDerivatives) {
  constexpr double kStep = 1e-3;
  const auto fine = arm_reference(regenerating_arm(), 1, kStep);
  const auto change = [&](auto get, std::size_t k) { return (8 * (get(k + 1) - get(k - 1)) - get(k + 2) + get(k - 2)) / (12 * kStep); };
  for (std::size_t k = 560; k + 3 < fine.size(); k += 20) {
    const ArmSample& a = fine[k].arms[0];
    ASSERT_NEAR(change([&](std::size_t i) { return fine[i].arms[0].angle; }, k), a.rate, 1e-7);
    ASSERT_NEAR(change([&](std::size_t i) { return fine[i].arms[0].length; }, k), a.length_rate, 1e-7);
    ASSERT_NEAR(change([&](std::size_t i) { return fine[i].arms[0].piston; }, k), a.piston_rate, 1e-7);
  }
}

}  // namespace
}  // namespace trunnion::problems
