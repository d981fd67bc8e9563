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

#include "base/pack.h"
#include "base/sparse_pivots.h"

namespace trunnion {

/// Row and column of an entry of a matrix.
struct Entry {
  int row, column;
  bool operator==(const Entry&) const = default;
};

/// A pattern, its order of elimination and the pattern of its factors: immutable, shared by matrices and threads.
/// P A Q = L U by rows; row i and column i are those eliminated i-th.
class SparsePattern {
 public:
  /// Of size x size matrices with possible nonzeros at `entries`, in any order, repetitions allowed. Throws Error if it is structurally
  /// singular.
  SparsePattern(int size, std::span<const Entry> entries, MakeSparsePivots make_pivots = make_sparse_pivots);

  int n;
  MakeSparsePivots make;                // of the order, and of other pivots
  std::vector<int> column_begin, row;   // compressed columns
  std::vector<int> slots;               // for each of the `entries`: its index in the values, which are by rows in the order of elimination
  std::vector<int> row_of, column_of;   // of A, in the order of elimination
  std::vector<int> given_begin, given;  // rows of A, in the order of the values: indices in the factors
  std::vector<int> fill;                // indices in the factors where A has no entry
  std::vector<int> begin, diagonal, column;  // rows of L and U as one: L without its unit diagonal, the pivot, the rest of U
  std::vector<int> below_begin, below;       // columns of L: indices in the factors
  std::vector<int> target;                   // updated indices: by columns of L, for each entry by the pivot's row of U
  std::vector<int> place;                    // index in the values of the entries by columns of A
  double operations = 0;                     // of a factorisation

 private:
  void find_factors();
};

inline constexpr int kSparseColumns = 8;  // right-hand sides at once: lanes of a register

class SparseLu {
 public:
  /// A zero matrix.
  explicit SparseLu(std::shared_ptr<const SparsePattern> pattern);
  SparseLu(int n, std::span<const Entry> entries, MakeSparsePivots make = make_sparse_pivots)
      : SparseLu(std::make_shared<const SparsePattern>(n, entries, make)) {}
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  int size() const { return pattern_->n; }
  /// Values of the matrix, one per entry of the pattern.
  std::vector<double>& values() { return values_; }
  const std::vector<double>& values() const { return values_; }
  /// For each of the pattern's `entries`: its index in values().
  const std::vector<int>& slots() const { return pattern_->slots; }
  /// Number of operations of a factorisation.
  double operations() const { return pattern_->operations; }

  /// Factors the current values. False when a pivot is zero or not finite.
  bool factor();
  /// Solve A x = b and A^T x = b in place for the last factored values.
  void solve(double* b) const;
  void solve_transposed(double* b) const;
  /// A^T x = b for `count` right-hand sides, faster than one by one.
  void solve_transposed(double* const* b, int count) const;

 private:
  bool grows(int k, double largest_given);
  bool eliminate();
  template <int kCount>
  void solve_several(double* const* b) const;

  std::shared_ptr<const SparsePattern> pattern_;
  std::vector<double> values_;                         // by rows, in the order of elimination
  std::vector<double> factors_, pivot_;                // pivots inverted
  mutable std::vector<double> x_;                      // a solution
  mutable std::vector<Pack<kSparseColumns>> columns_;  // several solutions
  std::vector<double> by_columns_;                     // values
  std::unique_ptr<SparsePivots> pivots_;               // other ones, made when first needed
  bool others_ = false;                                // whether those are in use
};

}  // namespace trunnion
