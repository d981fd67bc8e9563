// Branches of eigenvalues over a parameter or over time: which eigenvalue of one point continues which of its neighbour.
// Partners are those with the least sum of |lambda_i - mu_j|^0.9 of all assignments (Hungarian method: Kuhn 1955, Munkres 1957), so
// that the whole decides and no single eigenvalue takes another's partner. The sum of the distances themselves does not tell one that
// passes another that stands still (a valve's, a null one) from one that stops there and pushes the other on; the power decides for the
// former. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <vector>

namespace trunnion {

/// For each eigenvalue of `to` [1/s] its partner in `from`, an index, or -1 where `from` has fewer. Equal input, equal partners.
std::vector<int> match_eigenvalues(const Eigen::VectorXcd& from, const Eigen::VectorXcd& to);

/// Branches over a table whose last parameter changes fastest: `sizes` values per parameter. Entry [point][i]: the branch, from 0, of the
/// i-th eigenvalue of that point. A point continues the one before along its fastest parameter that has such; empty points (failed) are
/// passed over. An eigenvalue without partner begins a new branch.
std::vector<std::vector<int>> follow_branches(const std::vector<Eigen::VectorXcd>& points, const std::vector<int>& sizes);

}  // namespace trunnion
