// Sparse LU factorisation of square matrices with a fixed pattern and no strong diagonal: column order with low fill for any pivots,
// partial pivoting in every factorisation. The result depends only on the values. Storage is reused between factorisations.
// Source: Gilbert, Peierls 1988, SIAM Journal on Scientific and Statistical Computing 9(5), as in Davis 2006, Direct Methods for Sparse
// Linear Systems, chapter 6; order by COLAMD.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace trunnion {

class PivotedLu {
 public:
  /// Makes this an n x n matrix with entries at (row[i], column[i]), each once. Allocates.
  void set_pattern(int n, const std::vector<int>& row, const std::vector<int>& column);
  /// values()[slots()[i]] is the i-th entry of set_pattern.
  std::vector<double>& values() { return values_; }
  const std::vector<int>& slots() const { return slots_; }

  /// Factors the current values. False when a pivot is zero or not finite.
  bool factor();
  /// Solve A x = b and A^T x = b in place.
  void solve(double* b) const;
  void solve_transposed(double* b) const;

  /// Of the last factorisation: sign of the determinant; smallest over largest pivot; row of the smallest, also where it is zero.
  int sign() const { return sign_; }
  double pivot_ratio() const { return ratio_; }
  int weakest_row() const { return weakest_row_; }
  /// Number of entries of both factors.
  std::size_t entries() const { return L_.row.size() + U_.row.size(); }

 private:
  /// Columns of a triangle: entries of column k from begin[k] to begin[k + 1].
  struct Triangle {
    std::vector<int> begin, row;
    std::vector<double> value;
    void clear() {
      begin.assign(1, 0);
      row.clear();
      value.clear();
    }
    void close_column() { begin.push_back(static_cast<int>(row.size())); }
  };
  void reach(int k);

  int n_ = 0;
  std::vector<int> begin_, row_;  // compressed columns of A
  std::vector<double> values_;
  std::vector<int> slots_;
  std::vector<int> order_;  // column of A eliminated k-th
  int order_sign_ = 1;
  Triangle L_, U_;              // L without its unit diagonal, U without its diagonal; rows of L those of A, of U elimination steps
  std::vector<double> pivot_;   // diagonal of U, inverted
  std::vector<int> pivot_row_;  // per elimination step
  std::vector<int> step_;       // per row: in which step it was the pivot row, -1: not yet
  std::vector<int> found_, stack_, next_, mark_;  // scratch of reach()
  std::vector<double> x_;                         // zeros between uses
  std::vector<int> reached_begin_, reached_;      // per elimination step: rows of its column of L and U, in the order of elimination
  bool known_ = false;                            // reached_ is that of pivot_row_
  mutable std::vector<double> b_;
  int sign_ = 1, pivot_sign_ = 1, weakest_row_ = 0, stamp_ = 0;
  double ratio_ = 1;
};

}  // namespace trunnion
