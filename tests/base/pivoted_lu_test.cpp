// Sparse LU with its own pivots, compared with Eigen's dense factorisation.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/pivoted_lu.h"
#include "support/linear_algebra.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

namespace trunnion {
namespace {

/// A random sparse pattern with a regular matrix: a permutation and further entries.
struct Pattern {
  Pattern(std::mt19937& random, int n, int more) {
    std::vector<int> permutation(n);
    for (int i = 0; i < n; ++i) permutation[i] = i;
    std::shuffle(permutation.begin(), permutation.end(), random);
    Eigen::MatrixXi has = Eigen::MatrixXi::Zero(n, n);
    for (int i = 0; i < n; ++i) has(i, permutation[i]) = 1;
    std::uniform_int_distribution<int> any(0, n - 1);
    for (int i = 0; i < more; ++i) has(any(random), any(random)) = 1;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (has(i, j) != 0) {
          row.push_back(i);
          column.push_back(j);
        }
  }
  std::vector<int> row, column;
};

TEST(PivotedLu, SolvesAndKnowsTheSignOfTheDeterminant) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  PivotedLu LU;
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 1 + trial % 30;
    const Pattern pattern(random, n, 2 * n);
    LU.set_pattern(n, pattern.row, pattern.column);
    for (int values = 0; values < 3; ++values) {  // pivots change from one to the next
      Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
      for (std::size_t i = 0; i < pattern.row.size(); ++i)
        LU.values()[LU.slots()[i]] = A(pattern.row[i], pattern.column[i]) = uniform(random);
      ASSERT_TRUE(LU.factor());
      EXPECT_EQ(LU.sign(), A.determinant() > 0 ? 1 : -1);
      EXPECT_GT(LU.pivot_ratio(), 0);
      Eigen::VectorXd b(n);
      for (double& x : b) x = uniform(random);
      const double scale = 1e-12 * (1 + test::solve(A, Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff());
      Eigen::VectorXd x = b;
      LU.solve(x.data());
      EXPECT_LT((A * x - b).cwiseAbs().maxCoeff(), scale);
      x = b;
      LU.solve_transposed(x.data());
      EXPECT_LT((A.transpose() * x - b).cwiseAbs().maxCoeff(), scale);
    }
  }
}

/// Column structures are kept while pivots are unchanged: identical bits with the same pivots, with changed ones, and after a failure.
TEST(PivotedLu, TheSameValuesGiveTheSameBitsWhateverCameBefore) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  constexpr int n = 40;
  const Pattern pattern(random, n, 3 * n);
  PivotedLu used;
  used.set_pattern(n, pattern.row, pattern.column);
  const auto solution = [](PivotedLu& LU, const std::vector<double>& values) {
    LU.values() = values;
    EXPECT_TRUE(LU.factor());
    std::vector<double> x(n, 1.0);
    LU.solve(x.data());
    x.push_back(LU.sign());
    return x;
  };
  std::vector<double> values(pattern.row.size());
  for (int trial = 0; trial < 30; ++trial) {
    for (double& x : values) x = trial % 3 == 0 ? uniform(random) : x * (1 + 1e-3 * uniform(random));
    PivotedLu fresh;
    fresh.set_pattern(n, pattern.row, pattern.column);
    EXPECT_EQ(solution(used, values), solution(fresh, values)) << trial;
    if (trial % 5 != 0) continue;
    std::fill(used.values().begin(), used.values().end(), 0.0);
    EXPECT_FALSE(used.factor());
  }
}

TEST(PivotedLu, PivotsWhereTheDiagonalIsZero) {
  PivotedLu LU;
  LU.set_pattern(3, {0, 0, 1, 1, 2, 2}, {0, 1, 0, 2, 1, 2});
  const double values[] = {0, 2, 3, 0, 0, 4};  // a cyclic permutation
  for (int i = 0; i < 6; ++i) LU.values()[LU.slots()[i]] = values[i];
  ASSERT_TRUE(LU.factor());
  EXPECT_EQ(LU.sign(), -1);  // one exchange
  EXPECT_DOUBLE_EQ(LU.pivot_ratio(), 0.5);
  double b[] = {2, 6, 12};
  LU.solve(b);
  EXPECT_DOUBLE_EQ(b[0], 2);
  EXPECT_DOUBLE_EQ(b[1], 1);
  EXPECT_DOUBLE_EQ(b[2], 3);
}

TEST(PivotedLu, NamesTheRowThatDeterminesNothing) {
  PivotedLu LU;
  LU.set_pattern(3, {0, 0, 1, 2, 2}, {0, 1, 2, 0, 1});
  const double values[] = {1, 2, 5, 2, 4};  // row 2 is twice row 0
  for (int i = 0; i < 5; ++i) LU.values()[LU.slots()[i]] = values[i];
  EXPECT_FALSE(LU.factor());
  EXPECT_NE(LU.weakest_row(), 1);
  LU.values()[LU.slots()[4]] = 4.5;  // regular again
  EXPECT_TRUE(LU.factor());
}

TEST(PivotedLu, KeepsAChainSparse) {
  constexpr int n = 2000;
  std::vector<int> row, column;
  for (int i = 0; i < n; ++i)
    for (int j = std::max(0, i - 2); j < std::min(n, i + 3); ++j) {
      row.push_back(i);
      column.push_back(j);
    }
  PivotedLu LU;
  LU.set_pattern(n, row, column);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& x : LU.values()) x = uniform(random);
  ASSERT_TRUE(LU.factor());
  EXPECT_LT(LU.entries(), 10 * row.size());
}

}  // namespace
}  // namespace trunnion
