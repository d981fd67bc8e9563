// SPDX-License-Identifier: BSD-3-Clause
#include "support/linear_algebra.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace trunnion::test {

Eigenpairs eigen(const Eigen::MatrixXd& A) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A) { return eigen(A).values; }

Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) { return A.fullPivLu().solve(B); }

Eigen::MatrixXcd solve(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B) { return A.fullPivLu().solve(B); }

}  // namespace trunnion::test
