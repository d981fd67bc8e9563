// Sparse LU factorisation of square matrices with a fixed pattern, without allocation after construction: rows and columns in an order
// with low fill (block triangular form, AMD), pivots on the diagonal of that order, pattern of the factors known in advance. The same
// values give the same bits independent of earlier factorisations, with little overhead beyond the arithmetic.
// If those pivots are unsuitable for the current values (zero pivot, growth), others are chosen for one factorisation; this allocates.
// The order and the other pivots come from base/sparse_pivots.h: those of KLU of SuiteSparse, or in the core its own.
// Sources: Davis, Palamadai Natarajan 2010 (Algorithm 907: KLU), ACM Transactions on Mathematical Software 37(3); right-looking
// elimination as in Davis 2006, Direct Methods for Sparse Linear Systems, chapter 6.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/sparse_pivots.h"

namespace trunnion {

/// Row and column of an entry of a matrix.
struct Entry {
  int row, column;
};

class SparseLu {
 public:
  /// An n x n zero matrix with possible nonzeros at `entries`, in any order, repetitions allowed. Throws Error if it is structurally
  /// singular.
  SparseLu(int n, std::span<const Entry> entries);
  /// With the order and the other pivots of `make`.
  SparseLu(int n, std::span<const Entry> entries, MakeSparsePivots make);
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  int size() const { return n_; }
  /// Values of the matrix, one per entry of the pattern.
  std::vector<double>& values() { return values_; }
  const std::vector<double>& values() const { return values_; }
  /// For each of the `entries` of the constructor: its index in values().
  const std::vector<int>& slots() const { return slots_; }
  /// Number of operations of a factorisation.
  double operations() const;

  /// Factors the current values. False when a pivot is zero or not finite.
  bool factor();
  /// Solve A x = b and A^T x = b in place for the last factored values.
  void solve(double* b) const;
  void solve_transposed(double* b) const;
  /// A^T x = b for `count` right-hand sides, faster than one by one.
  void solve_transposed(double* const* b, int count) const;

 private:
  struct Elimination;
  int n_ = 0;
  std::vector<int> column_begin_, row_;  // compressed columns
  std::vector<int> slots_;
  std::vector<double> values_;  // by rows, in the order of elimination
  std::unique_ptr<Elimination> elimination_;
};

}  // namespace trunnion
