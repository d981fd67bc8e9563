// MATLAB level 5 files for linear models: matrices and lists of names. Octave and scipy.io.loadmat read them, too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <string>
#include <variant>
#include <vector>

namespace trunnion {

/// A variable of a file: a matrix, a column of texts (a cell array), or matrices of equal size along a third dimension, at least one. Sizes
/// may be zero.
struct MatVariable {
  std::string name;
  std::variant<Eigen::MatrixXd, Eigen::MatrixXcd, std::vector<std::string>, std::vector<Eigen::MatrixXd>> value;
};

/// Writes the variables in their order; the same variables give the same bytes. Throws Error.
void write_mat(const std::vector<MatVariable>& variables, const std::string& path);

}  // namespace trunnion
