// MATLAB level 5 files for linear models: matrices and lists of names. Octave and scipy.io.loadmat read them, too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <string>
#include <variant>
#include <vector>

namespace trunnion {

/// A variable of a file: a matrix, or a column of texts (a cell array). Sizes may be zero.
struct MatVariable {
  std::string name;
  std::variant<Eigen::MatrixXd, Eigen::MatrixXcd, std::vector<std::string>> value;
};

/// Writes the variables in their order; the same variables give the same bytes. Throws Error.
void write_mat(const std::vector<MatVariable>& variables, const std::string& path);

}  // namespace trunnion
