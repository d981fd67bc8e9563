// Dense linear algebra of the tests' own solutions, compiled once, as its templates are expensive to instantiate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace trunnion::test {

struct Eigenpairs {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  // columns
};
/// Eigenvalues of a square matrix and their vectors.
Eigenpairs eigen(const Eigen::MatrixXd& A);
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);

/// X of A X = B for a square A, by complete pivoting.
Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::MatrixXcd solve(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B);

}  // namespace trunnion::test
