// A dense linear system whose rows and columns are scaled, for equations and unknowns of different units.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/lu.h"

namespace trunnion {

/// n equations A x = b with several right sides, scaled in rows and columns.
class ScaledSystem {
 public:
  void resize(int n, int columns) {
    n_ = n;
    columns_ = columns;
    A_.resize(static_cast<std::size_t>(n) * n);
    b_.resize(static_cast<std::size_t>(n) * columns);
    x_.resize(n);
    row_.resize(n);
    column_.resize(n);
    pivot_.resize(n);
  }
  /// Entry i of column k of A, of right side k.
  double& A(int i, int k) { return A_[static_cast<std::size_t>(i) * n_ + k]; }
  double& b(int i, int k) { return b_[static_cast<std::size_t>(k) * n_ + i]; }
  const double* solution(int k) const { return b_.data() + static_cast<std::size_t>(k) * n_; }
  bool solve() {
    std::fill(row_.begin(), row_.end(), 1.0);
    std::fill(column_.begin(), column_.end(), 1.0);
    for (int pass = 0; pass < 3; ++pass) {
      for (int i = 0; i < n_; ++i) {
        double size = 0;
        for (int k = 0; k < n_; ++k) size = std::max(size, std::abs(A(i, k)) * column_[k]);
        if (size == 0 || !std::isfinite(size)) return false;
        row_[i] = 1 / size;
      }
      for (int k = 0; k < n_; ++k) {
        double size = 0;
        for (int i = 0; i < n_; ++i) size = std::max(size, std::abs(A(i, k)) * row_[i]);
        if (size == 0) return false;
        column_[k] = 1 / size;
      }
    }
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < n_; ++k) A(i, k) *= row_[i] * column_[k];
    if (!lu_factor(A_.data(), n_, pivot_.data())) return false;
    for (int c = 0; c < columns_; ++c) {
      double* x = b_.data() + static_cast<std::size_t>(c) * n_;
      for (int i = 0; i < n_; ++i) x[i] *= row_[i];
      lu_solve(A_.data(), n_, pivot_.data(), x);
      for (int k = 0; k < n_; ++k) x[k] *= column_[k];
    }
    return true;
  }

 private:
  int n_ = 0, columns_ = 0;
  std::vector<double> A_, b_, x_, row_, column_;
  std::vector<int> pivot_;
};

}  // namespace trunnion
