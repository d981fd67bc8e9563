// Decompositions of dense matrices by Eigen.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace trunnion {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& K) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(K);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(K, M);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

double spectral_radius(const Eigen::MatrixXd& A) { return A.eigenvalues().cwiseAbs().maxCoeff(); }

Growth fastest_growth(const Eigen::MatrixXd& A) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  Eigen::Index at = 0;
  const double rate = solver.eigenvalues().real().maxCoeff(&at);
  return {rate, solver.eigenvectors().col(at).cwiseAbs()};
}

bool has_positive_determinant(const Eigen::MatrixXd& A) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A);
  const bool odd = (lu.matrixLU().diagonal().array() < 0).count() % 2 != 0;
  return (lu.permutationP().determinant() > 0) != odd;
}

Eigen::VectorXd solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) { return A.partialPivLu().solve(b); }

RightSingular right_singular(const Eigen::MatrixXd& A) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

ColumnSpace column_space(const Eigen::MatrixXd& A, double threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  qr.setThreshold(threshold);
  return {qr.householderQ() * Eigen::MatrixXd::Identity(A.rows(), A.rows()), qr.rank()};
}

Eigen::VectorXd smallest_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double threshold) {
  if (A.size() == 0) return Eigen::VectorXd::Zero(A.cols());
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(threshold);
  solver.compute(A);
  return solver.solve(b);
}

}  // namespace trunnion
