// Reference: backward stability of elimination with partial pivoting; systems whose solution is known exactly.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/lu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace trunnion {
namespace {

constexpr int kLargest = 35;  // several blocks of rows and a remainder

struct System {
  int n;
  std::vector<double> A, x, b, b_transposed;
  double size = 0;  // sum of |A_ij x_j|, the scale of a residual

  System(int order, unsigned seed) : n(order), A(static_cast<std::size_t>(order) * order), x(order), b(order), b_transposed(order) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> entry(-1, 1);
    for (double& a : A) a = entry(random);
    for (double& value : x) value = entry(random);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        b[i] += A[i * n + j] * x[j];
        b_transposed[j] += A[i * n + j] * x[i];
        size += std::abs(A[i * n + j]);
      }
  }
  double residual(const std::vector<double>& solution, bool transposed) const {
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      double r = transposed ? -b_transposed[i] : -b[i];
      for (int j = 0; j < n; ++j) r += (transposed ? A[j * n + i] : A[i * n + j]) * solution[j];
      worst = std::max(worst, std::abs(r));
    }
    return worst;
  }
};

TEST(Lu, SolvesRandomSystemsAndTheirTransposes) {
  for (int n = 1; n <= kLargest; ++n)
    for (unsigned seed = 0; seed < 50; ++seed) {
      const System s(n, 100 * n + seed);
      std::vector<double> A = s.A, x = s.b, y = s.b_transposed;
      std::vector<int> pivot(n);
      ASSERT_TRUE(lu_factor(A.data(), n, pivot.data()));
      lu_solve(A.data(), n, pivot.data(), x.data());
      lu_solve_transposed(A.data(), n, pivot.data(), y.data());
      // residuals are small at any condition number; the solution's growth enters through its largest entry
      const auto largest = [](const std::vector<double>& v) {
        return *std::max_element(v.begin(), v.end(), [](double p, double q) { return std::abs(p) < std::abs(q); });
      };
      EXPECT_LT(s.residual(x, false), 1e-15 * s.size * (1 + std::abs(largest(x)))) << n;
      EXPECT_LT(s.residual(y, true), 1e-15 * s.size * (1 + std::abs(largest(y)))) << n;
    }
}

/// A permutation has zeros wherever elimination looks first; without pivoting it would fail.
TEST(Lu, PermutationsAreSolvedExactly) {
  for (int n = 1; n <= kLargest; ++n) {
    std::vector<double> A(static_cast<std::size_t>(n) * n), b(n), c(n);
    for (int i = 0; i < n; ++i) {
      A[i * n + (i + 1) % n] = 2;
      b[i] = i + 1;
      c[i] = i + 1;
    }
    std::vector<int> pivot(n);
    ASSERT_TRUE(lu_factor(A.data(), n, pivot.data()));
    lu_solve(A.data(), n, pivot.data(), b.data());
    lu_solve_transposed(A.data(), n, pivot.data(), c.data());
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(b[(i + 1) % n], (i + 1) / 2.0);
      EXPECT_EQ(c[i], ((i + 1) % n + 1) / 2.0);
    }
  }
}

TEST(Lu, ASmallPivotIsNotTaken) {
  double A[] = {1e-20, 1, 1, 1}, b[] = {1, 2};
  int pivot[2];
  ASSERT_TRUE(lu_factor(A, 2, pivot));
  EXPECT_EQ(pivot[0], 1);
  lu_solve(A, 2, pivot, b);
  EXPECT_EQ(b[0], 1);
  EXPECT_EQ(b[1], 1);
}

TEST(Lu, SingularMatricesAreRefused) {
  int pivot[kLargest];
  for (int n = 1; n <= kLargest; ++n) {
    std::vector<double> zero(static_cast<std::size_t>(n) * n);
    EXPECT_FALSE(lu_factor(zero.data(), n, pivot));
    std::vector<double> column(static_cast<std::size_t>(n) * n);  // identity except for a column of zeros
    for (int i = 0; i + 1 < n; ++i) column[i * n + i] = 1;
    EXPECT_FALSE(lu_factor(column.data(), n, pivot));
  }
  double twice[] = {1, 2, 4, 2, 4, 8, 3, 5, 7};  // small integers: elimination is exact
  EXPECT_FALSE(lu_factor(twice, 3, pivot));
}

TEST(Lu, NumbersThatAreNoneAreRefused) {
  for (double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()})
    for (int n = 1; n <= kLargest; ++n)
      for (int place = 0; place < n * n; ++place) {
        System s(n, 7 * n);
        s.A[place] = bad;
        int pivot[kLargest];
        EXPECT_FALSE(lu_factor(s.A.data(), n, pivot)) << n << " " << place;
      }
}

}  // namespace
}  // namespace trunnion
