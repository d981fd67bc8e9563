// Branches of eigenvalues.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/branches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace trunnion {
namespace {

using Complex = std::complex<double>;

Eigen::VectorXcd vector_of(const std::vector<Complex>& list) {
  return Eigen::Map<const Eigen::VectorXcd>(list.data(), static_cast<Eigen::Index>(list.size()));
}

double cost(const Eigen::VectorXcd& from, const Eigen::VectorXcd& to, const std::vector<int>& partner) {
  double sum = 0;
  for (std::size_t i = 0; i < partner.size(); ++i) sum += std::pow(std::abs(to[static_cast<Eigen::Index>(i)] - from[partner[i]]), 0.9);
  return sum;
}

TEST(Branches, PartnersHaveTheLeastCostOfAllAssignments) {
  std::mt19937 random(3);
  std::normal_distribution<double> number;
  for (int trial = 0; trial < 50; ++trial) {
    Eigen::VectorXcd from(6), to(6);
    for (int i = 0; i < 6; ++i) from[i] = {number(random), number(random)}, to[i] = {number(random), number(random)};
    std::vector<int> order(6);
    std::iota(order.begin(), order.end(), 0);
    double least = 1e9;
    do least = std::min(least, cost(from, to, order));
    while (std::next_permutation(order.begin(), order.end()));
    const std::vector<int> partner = match_eigenvalues(from, to);
    EXPECT_NEAR(cost(from, to, partner), least, 1e-12);
    std::vector<int> each = partner;
    std::sort(each.begin(), each.end());
    EXPECT_EQ(each, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  }
}

TEST(Branches, PassOthersThatStandStill) {
  std::vector<Eigen::VectorXcd> points;  // one crosses two null ones and one at 1/s
  for (int k = -5; k <= 25; ++k) points.push_back(vector_of({0.0, 0.1 * k - 0.03, 1.0, 0.0}));
  for (const auto& branch : follow_branches(points, {31})) {
    EXPECT_EQ(branch[1], 1);
    EXPECT_EQ(branch[2], 2);
  }
}

TEST(Branches, MayBeginAndEnd) {
  const Eigen::VectorXcd two = vector_of({-1.0, -5.0}), three = vector_of({-5.1, -100.0, -1.1});
  EXPECT_EQ(match_eigenvalues(two, three), (std::vector<int>{1, -1, 0}));
  EXPECT_EQ(match_eigenvalues(three, two), (std::vector<int>{2, 0}));
  EXPECT_EQ(match_eigenvalues(Eigen::VectorXcd(), two), (std::vector<int>{-1, -1}));
  EXPECT_TRUE(match_eigenvalues(two, Eigen::VectorXcd()).empty());
}

TEST(Branches, FollowEigenvaluesWhateverTheirOrder) {
  // one far away, one that crosses the pair's frequency, one pair that becomes real and separates again
  std::mt19937 random(5);
  std::vector<Eigen::VectorXcd> points;
  for (int k = 0; k <= 100; ++k) {
    const double p = 0.01 * k;
    const Complex root = std::sqrt(Complex(4 * p * p - 1, 0));
    std::vector<Complex> list{-1e5 * (1 + p), Complex(-3, 0.3 + 2 * p), Complex(-3, -0.3 - 2 * p), -2 * p + root, -2 * p - root};
    std::shuffle(list.begin(), list.end(), random);
    points.push_back(k == 40 ? Eigen::VectorXcd() : vector_of(list));  // one point has failed
  }
  const auto branches = follow_branches(points, {101});
  EXPECT_TRUE(branches[40].empty());
  for (std::size_t k = 1; k < points.size(); ++k) {
    if (k == 40 || k == 41) continue;
    for (std::size_t i = 0; i < 5; ++i) {
      const auto before = std::find(branches[k - 1].begin(), branches[k - 1].end(), branches[k][i]) - branches[k - 1].begin();
      ASSERT_LT(before, 5);
      const Complex here = points[k][static_cast<Eigen::Index>(i)], there = points[k - 1][before];
      EXPECT_LT(std::abs(here - there), std::abs(here) > 1e4 ? 2e3 : 0.3) << k;
    }
  }
}

TEST(Branches, OfATableContinueAlongItsRowsAndFirstColumn) {
  // over (p, q): fast and slow eigenvalues close to each other between the end of a row and the start of the next, not along the table
  std::vector<Eigen::VectorXcd> points;
  for (int p = 0; p < 4; ++p)
    for (int q = 0; q < 11; ++q) points.push_back(vector_of({Complex(-1 - 0.1 * p - q, 0), Complex(-1.5 - 0.1 * p - q, 1)}));
  const auto branches = follow_branches(points, {4, 11});
  for (const auto& branch : branches) EXPECT_EQ(branch, (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace trunnion
