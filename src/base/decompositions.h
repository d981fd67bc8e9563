// Decompositions of dense matrices outside the step, compiled once, as their templates are expensive to instantiate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace trunnion {

/// Eigenvalues in ascending order, and their vectors as columns.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
/// Of a symmetric matrix; vectors are orthonormal.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& K);
/// K x = value M x of symmetric K and positive definite M; x^T M x = 1.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M);

/// Largest magnitude of the eigenvalues of a square matrix.
double spectral_radius(const Eigen::MatrixXd& A);

/// Largest real part of the eigenvalues of a square matrix, and the magnitudes of its vector's entries.
struct Growth {
  double rate;
  Eigen::VectorXd share;
};
Growth fastest_growth(const Eigen::MatrixXd& A);

bool has_positive_determinant(const Eigen::MatrixXd& A);

/// x of A x = b for a square A; not finite where A is singular.
Eigen::VectorXd solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

/// A = U S V^T: singular values in descending order, and all of V.
struct RightSingular {
  Eigen::VectorXd values;
  Eigen::MatrixXd V;
};
RightSingular right_singular(const Eigen::MatrixXd& A);

/// Orthonormal basis Q, the first `rank` columns of which span the columns of A; pivots below `threshold` of the largest count as zero.
struct ColumnSpace {
  Eigen::MatrixXd Q;
  Eigen::Index rank;
};
ColumnSpace column_space(const Eigen::MatrixXd& A, double threshold);

/// The minimum-norm least-squares solution of A x = b; pivots below `threshold` of the largest count as zero.
Eigen::VectorXd smallest_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double threshold);

}  // namespace trunnion
