// Sparse LU factorisation of square matrices with a fixed pattern, without allocation once made: rows and columns in an order that keeps
// fill low (block triangular form, AMD), pivots on the diagonal of that order, all places of the factors known in advance. So the same
// values give the same bits whatever was factored before, and a factorisation is its arithmetic and little else.
// Where those pivots are of no use for the present values (a zero pivot, growth), others are chosen for this once; that allocates.
// The order and the other pivots are those of KLU of SuiteSparse.
// Sources: Davis, Palamadai Natarajan 2010 (Algorithm 907: KLU), ACM Transactions on Mathematical Software 37(3); right-looking
// elimination as in Davis 2006, Direct Methods for Sparse Linear Systems, chapter 6.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace trunnion {

/// Place of an entry in a matrix.
struct Entry {
  int row, column;
};

class SparseLu {
 public:
  /// An n x n matrix of zeros which may have values at `entries`, in any order; one place may come more than once. Throws Error if
  /// no choice of values would make it regular.
  SparseLu(int n, std::span<const Entry> entries);
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  int size() const { return n_; }
  /// Values of the matrix, one per place of the pattern.
  std::vector<double>& values() { return values_; }
  const std::vector<double>& values() const { return values_; }
  /// For each of the `entries` of the constructor: its index in values().
  const std::vector<int>& slots() const { return slots_; }
  /// Operations of a factorisation.
  double operations() const;

  /// Factors the present values. False when a pivot is zero or not finite.
  bool factor();
  /// Solve A x = b and A^T x = b in place for the values last factored.
  void solve(double* b) const;
  void solve_transposed(double* b) const;
  /// A^T x = b for `count` right sides, at less than one after the other.
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
