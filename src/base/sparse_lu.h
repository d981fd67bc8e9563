// Sparse LU factorisation of square matrices with a fixed pattern, without allocation once made. By KLU of SuiteSparse: block triangular
// form, fill-reducing ordering (AMD), and a factorisation that repeats the one before with new values.
// Pivots are chosen in advance, those of a matrix with a dominant diagonal, so that the same values give the same bits whatever was
// factored before. Where they are of no use for the present values (a zero pivot, growth), others are chosen for this once; that
// allocates.
// Source: Davis, Palamadai Natarajan 2010 (Algorithm 907: KLU), ACM Transactions on Mathematical Software 37(3).
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
  /// Operations of a factorisation, as the ordering expects them.
  double operations() const;

  /// Factors the present values. False when a pivot is zero or not finite.
  bool factor();
  /// Chooses, from the present values, the pivots of this and of every later factorisation. Allocates. False as above.
  bool choose_pivots();
  /// Solve A x = b and A^T x = b in place for the values last factored.
  void solve(double* b) const;
  void solve_transposed(double* b) const;

 private:
  struct Klu;
  int n_ = 0;
  std::vector<int> column_begin_, row_;  // compressed columns
  std::vector<int> slots_;
  std::vector<double> values_;
  std::unique_ptr<Klu> klu_;
};

}  // namespace trunnion
