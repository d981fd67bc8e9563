// Decompositions of dense matrices by Eigen.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace trunnion {

using Eigen::MatrixXd;
using Eigen::VectorXd;

SymmetricEigen symmetric_eigen(const MatrixXd& K) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(K);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricEigen symmetric_eigen(const MatrixXd& K, const MatrixXd& M) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(K, M);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

double spectral_radius(const MatrixXd& A) { return A.eigenvalues().cwiseAbs().maxCoeff(); }

Growth fastest_growth(const MatrixXd& A) {
  const Eigen::EigenSolver<MatrixXd> solver(A);
  Eigen::Index at = 0;
  const double rate = solver.eigenvalues().real().maxCoeff(&at);
  return {rate, solver.eigenvectors().col(at).cwiseAbs()};
}

bool has_positive_determinant(const MatrixXd& A) {
  const Eigen::PartialPivLU<MatrixXd> lu(A);
  const bool odd = (lu.matrixLU().diagonal().array() < 0).count() % 2 != 0;
  return (lu.permutationP().determinant() > 0) != odd;
}

VectorXd solution(const MatrixXd& A, const VectorXd& b) { return A.partialPivLu().solve(b); }

RightSingular right_singular(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

ColumnSpace column_space(const MatrixXd& A, double threshold) {
  Eigen::ColPivHouseholderQR<MatrixXd> qr(A);
  qr.setThreshold(threshold);
  return {qr.householderQ() * MatrixXd::Identity(A.rows(), A.rows()), qr.rank()};
}

VectorXd smallest_solution(const MatrixXd& A, const VectorXd& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(threshold);
  solver.compute(A);
  return solver.solve(b);
}

}  // namespace trunnion
