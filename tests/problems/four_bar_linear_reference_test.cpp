// The reference of the linearised four-bar: consistency (closure, energy, convergence), a solution in forty digits and
// the printed values of the paper; and its tables.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/four_bar_linear_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "problems/reference_table.h"

namespace trunnion::problems {
namespace {

struct Scenario {
  double friction;
  const char* table;
  // eigenvalues except the two zeros and -1/tau; from positions of three bodies in sixty digits, differentiated numerically, loop
  // closed by Newton's method: an independent derivation
  std::array<std::complex<double>, 3> eigenvalues;
};

const Scenario kScenarios[] = {
    {1, "four_bar_linear", {-159.856557003375305, -1445.9149385822586, -11434.0941884508859}},
    {0.1,
     "four_bar_linear_tenth",
     {std::complex<double>{-80.5099512597237421, 473.978531813487527}, {-80.5099512597237421, -473.978531813487527}, -11434.1675471944629}},
    {0.01,
     "four_bar_linear_hundredth",
     {std::complex<double>{-8.27288124647466772, 480.69629977796804}, {-8.27288124647466772, -480.69629977796804}, -11434.1738637887001}},
};

class FourBarLinearReference : public testing::TestWithParam<Scenario> {
 protected:
  const std::vector<FourBarLinearSample>& motion() const {
    static std::map<double, std::vector<FourBarLinearSample>> cache;
    auto& entry = cache[GetParam().friction];
    if (entry.empty()) entry = four_bar_linear_motion(GetParam().friction);
    return entry;
  }
};

TEST_P(FourBarLinearReference, EigenvaluesAreThoseOfFortyDigits) {
  const FourBarLinear r = four_bar_linear_reference(GetParam().friction);
  std::vector<std::complex<double>> expected{0, 0, -1 / 4.547284088339867e-3};
  expected.insert(expected.end(), GetParam().eigenvalues.begin(), GetParam().eigenvalues.end());
  for (const auto& value : expected) {
    double nearest = 1e300;
    for (const auto& own : r.eigenvalues) nearest = std::min(nearest, std::abs(own - value));
    EXPECT_LE(nearest, 2e-14 * std::abs(value)) << value;
  }
  EXPECT_TRUE(std::is_sorted(r.eigenvalues.begin(), r.eigenvalues.end(), [](const auto& a, const auto& b) { return a.real() > b.real(); }));
}

TEST_P(FourBarLinearReference, PressuresAreThoseThePaperPrints) {
  const FourBarLinear r = four_bar_linear_reference(GetParam().friction);
  EXPECT_NEAR(r.p2, 2820478.9709541711, 1e-6);
  EXPECT_NEAR(r.p2_printed, r.p2, 1e-6);
  EXPECT_NEAR(r.p2, 2.82e6, 0.005e6);
  EXPECT_LT(r.rates.cwiseAbs().maxCoeff(), 1e-12);
}

TEST_P(FourBarLinearReference, JacobianHasThePatternOfThePaper) {
  const auto J = four_bar_linear_reference(GetParam().friction).jacobian;
  EXPECT_EQ(J(0, 1), 1);
  EXPECT_EQ(J(2, 3), -J(2, 2));
  EXPECT_EQ(J(3, 3), -J(3, 2));
  for (const auto& [i, j] :
       {std::pair{0, 0}, {0, 2}, {1, 2}, {1, 5}, {2, 0}, {2, 1}, {2, 4}, {3, 0}, {3, 4}, {4, 0}, {4, 2}, {4, 3}, {4, 4}})
    EXPECT_EQ(J(i, j), 0) << i << j;
  // the friction's slope at rest and the paper's numbers: (4 F_c + 16/9 (F_s - F_c)) / v_s + sigma2, at 1/2 m from the crank's pivot
  const double slope = GetParam().friction * ((4 * 210 + 16.0 / 9 * 620) / 1.25e-2 + 330);
  const double mass = -J(1, 3) > 0 ? 0.5 * M_PI / 4 * 0.0064 / -J(1, 3) : 0;  // |s'| A_2 / m
  EXPECT_NEAR(J(1, 1), -0.25 * slope / mass, 1e-9 * std::abs(J(1, 1)));
}

ReferenceTable table_of(const Scenario& scenario, const std::vector<FourBarLinearSample>& samples) {
  ReferenceTable table;
  table.comment =
      "examples/four_bar_linear.yaml with " + std::to_string(scenario.friction).substr(0, 4) +
      " times the friction; tests/problems/four_bar_linear_reference.cpp, Radau IIA of order 9; errors below 1e-13 rad, 1e-5 Pa";
  table.columns = {"time",        "crank.angle", "crank.rate", "v1.pressure",  "v2.pressure",
                   "v3.pressure", "lift.length", "lift.rate",  "lift.friction"};
  for (const FourBarLinearSample& x : samples) table.rows.push_back({x.t, x.phi2, x.omega2, x.p1, x.p2, x.p3, x.s, x.sdot, x.friction});
  return table;
}

TEST_P(FourBarLinearReference, TableComesFromThisCode) {
  const ReferenceTable fresh = table_of(GetParam(), motion());
  if (tables_are_to_be_written()) write_reference_table(GetParam().table, fresh, {2, 16, 16, 7, 7, 7, 16, 16, 11});
  const ReferenceTable stored = read_reference_table(GetParam().table);
  ASSERT_EQ(stored.columns, fresh.columns);
  ASSERT_EQ(stored.rows.size(), 301u);
  for (std::size_t j = 0; j < stored.columns.size(); ++j) {
    const std::string& column = stored.columns[j];
    const double bound = column.ends_with("pressure")   ? 1e-5
                         : column.ends_with("friction") ? 1e-6
                         : column.ends_with("rate")     ? 1e-11
                                                        : 1e-13;
    for (std::size_t i = 0; i < fresh.rows.size(); ++i) ASSERT_NEAR(stored.rows[i][j], fresh.rows[i][j], bound) << column << " row " << i;
  }
}

/// Checks m', V', s' and the friction in the motion against m, V and s in the energies.
TEST_P(FourBarLinearReference, ConservesEnergyInALargerMotion) {
  const auto larger = four_bar_linear_motion(GetParam().friction, 20, 1.6, 0.05);
  double largest = 0;
  for (const FourBarLinearSample& x : larger) {
    ASSERT_NEAR(x.kinetic + x.potential, x.work, 1e-9) << "t = " << x.t;
    largest = std::max(largest, std::abs(x.potential));
  }
  EXPECT_GT(largest, 0.02);
}

TEST_P(FourBarLinearReference, DoesNotDependOnItsTolerance) {
  const auto &fine = motion(), coarse = four_bar_linear_motion(GetParam().friction, 1, 3, 1e-2, 100);
  ASSERT_EQ(fine.size(), coarse.size());
  for (std::size_t i = 0; i < fine.size(); ++i) {
    ASSERT_NEAR(fine[i].phi2, coarse[i].phi2, 1e-13);
    ASSERT_NEAR(fine[i].p1, coarse[i].p1, 1e-5);
    ASSERT_NEAR(fine[i].p3, coarse[i].p3, 1e-5);
  }
}

/// Figures 7 to 12: a rotation with the torque, hold, and back to the equilibrium, without or with oscillation.
TEST_P(FourBarLinearReference, FollowsTheTorqueAndReturns) {
  const double start = motion().front().phi2, locked = motion()[150].phi2 - start;
  EXPECT_NEAR(motion()[50].phi2 - start, locked / 2, 0.02 * locked);
  EXPECT_GT(locked, 4e-5);
  EXPECT_NEAR(motion().back().phi2, start, 1e-9);
  double lowest = 0;
  for (std::size_t i = 150; i < motion().size(); ++i) lowest = std::min(lowest, motion()[i].phi2 - start);
  if (GetParam().friction == 1)
    EXPECT_GT(lowest, -0.001 * locked);
  else
    EXPECT_LT(lowest, -0.1 * locked);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, FourBarLinearReference, testing::ValuesIn(kScenarios),
                         [](const auto& test) { return std::string(test.param.table); });

}  // namespace
}  // namespace trunnion::problems
