// What a sparse elimination (base/sparse_lu.h) needs besides itself: an order with low fill, and other pivots where those on the diagonal
// of the order are unsuitable for the values. The whole library takes both from KLU of SuiteSparse (external/klu_pivots.cpp), the core
// and builds without KLU from make_own_sparse_pivots; their orders differ, and with them the last digits of solutions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

namespace trunnion {

/// For one pattern: n x n, compressed columns, which outlives the object.
class SparsePivots {
 public:
  virtual ~SparsePivots() = default;
  SparsePivots() = default;
  SparsePivots(const SparsePivots&) = delete;
  SparsePivots& operator=(const SparsePivots&) = delete;

  /// The row and column eliminated i-th; empty if the pattern is structurally singular.
  std::vector<int> row_of, column_of;

  /// Factors with pivots chosen by the values (by columns, as the pattern). False if a pivot is zero or not finite. Allocates.
  virtual bool factor(const double* values) = 0;
  /// A x = b and A^T x = b in place for the last factored values.
  virtual void solve(double* b) = 0;
  virtual void solve_transposed(double* b) = 0;
  /// Frees the factors.
  virtual void forget() = 0;
};

using MakeSparsePivots = std::unique_ptr<SparsePivots> (*)(int n, const int* column_begin, const int* row);

/// Those of this build: defined by external/klu_pivots.cpp or by builtin/sparse_pivots.cpp, whichever is linked.
std::unique_ptr<SparsePivots> make_sparse_pivots(int n, const int* column_begin, const int* row);

/// Without KLU: a maximum transversal of the pattern, diagonal entries first, so that every pivot is an entry (Duff 1981, algorithm 575),
/// then approximate minimum degree on the pattern of the permuted matrix and its transpose (Amestoy, Davis, Duff 1996; Eigen::AMDOrdering).
/// Other pivots: partial pivoting by Eigen::SparseLU on rows scaled by their largest entry.
std::unique_ptr<SparsePivots> make_own_sparse_pivots(int n, const int* column_begin, const int* row);

}  // namespace trunnion
