// Branches of eigenvalues over a parameter or time: which eigenvalue of one point continues which of its neighbour.
// Partners minimise the sum of |lambda_i - mu_j|^0.9 over all assignments (Hungarian method: Kuhn 1955, Munkres 1957). The sum of plain
// distances cannot distinguish an eigenvalue that passes a fixed one (a valve's, a zero one) from one that stops there and pushes the
// other on; the exponent favours passing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <vector>

namespace trunnion {

/// For each eigenvalue of `to` [1/s] the index of its partner in `from`, or -1 where `from` has fewer. Equal input, equal partners.
std::vector<int> match_eigenvalues(const Eigen::VectorXcd& from, const Eigen::VectorXcd& to);

/// Branches over a table whose last parameter changes fastest: `sizes` values per parameter. Entry [point][i]: the branch, from 0, of the
/// i-th eigenvalue of that point. A point continues the previous one along its fastest parameter that has one; empty points (failed) are
/// skipped. An eigenvalue without partner begins a new branch.
std::vector<std::vector<int>> follow_branches(const std::vector<Eigen::VectorXcd>& points, const std::vector<int>& sizes);

}  // namespace trunnion
