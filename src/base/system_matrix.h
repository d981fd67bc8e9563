// The matrix of a linear system whose pattern is fixed by the order in which its assembly adds entries: dense (base/lu.h) if
// small or mostly full, sparse (base/sparse_lu.h) otherwise.
// Assembly is a template on the destination of entries: `T(i, k) += x` on
//   DenseEntries      an array, row-major
//   RecordedEntries   a list of indices and values: one run of the assembly gives the pattern
//   ReplayedEntries   values of a sparse matrix, in the order of the recording
// so the pattern is defined by the assembly alone. The order must not depend on values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/lu.h"
#include "base/scalar.h"
#include "base/sparse_lu.h"

namespace trunnion {

/// A dense row-major matrix with leading dimension `ld`.
struct DenseEntries {
  double* values;
  int ld;
  TR_INLINE double& operator()(int row, int column) const { return values[row * ld + column]; }
};

/// Records indices and added values in the order of use.
struct RecordedEntries {
  std::vector<Entry> entries;
  std::vector<double> values;
  double& operator()(int row, int column) {
    entries.push_back({row, column});
    return values.emplace_back(0.0);
  }
};

/// Values at the recorded indices, in order.
struct ReplayedEntries {
  double* values;
  const int* slot;
  TR_INLINE double& operator()(int, int) { return values[*slot++]; }
};

enum class MatrixStorage { automatic, dense, sparse };

/// What matrices with the same entries share: immutable.
struct SystemPattern {
  SystemPattern(int size, std::vector<Entry> order, MatrixStorage wanted);

  int n;
  std::vector<Entry> entries;                   // in the order of assembly
  MatrixStorage storage;                        // as asked for
  std::vector<int> diagonal;                    // per row: index of its diagonal entry in the values, or -1
  std::shared_ptr<const SparsePattern> sparse;  // null: dense
};

/// The patterns of a machine's matrices, each found once, with its order of elimination. Shared by threads, and by machines that differ in
/// numbers only.
class SystemPatterns {
 public:
  std::shared_ptr<const SystemPattern> find(int n, const std::vector<Entry>& entries, MatrixStorage storage = MatrixStorage::automatic);

 private:
  std::mutex access_;
  std::vector<std::shared_ptr<const SystemPattern>> known_;
};

class SystemMatrix {
 public:
  SystemMatrix() = default;
  explicit SystemMatrix(std::shared_ptr<const SystemPattern> pattern);
  /// An n x n matrix with possible nonzeros at `entries`, in the order of assembly.
  SystemMatrix(int n, std::vector<Entry> entries, MatrixStorage storage = MatrixStorage::automatic)
      : SystemMatrix(std::make_shared<const SystemPattern>(n, std::move(entries), storage)) {}

  int size() const { return n_; }
  const std::shared_ptr<const SystemPattern>& pattern() const { return pattern_; }
  const std::vector<Entry>& entries() const { return pattern_->entries; }
  bool sparse() const { return sparse_.has_value(); }

  /// Sets all values to zero and calls body(T), which adds entries `T(row, column) += x` in the order of the recording, or the first
  /// of them.
  template <class Body>
  TR_INLINE void assemble(Body&& body) {
    std::vector<double>& values = this->values();
    std::fill(values.begin(), values.end(), 0.0);
    if (!sparse_) {
      DenseEntries T{values.data(), n_};
      body(T);
    } else {
      ReplayedEntries T{values.data(), sparse_->slots().data()};
      body(T);
    }
  }
  /// Adds entries to the current values: those of the recording from `first` on.
  template <class Body>
  void add(std::size_t first, Body&& body) {
    if (!sparse_) {
      DenseEntries T{dense_.data(), n_};
      body(T);
    } else {
      ReplayedEntries T{sparse_->values().data(), sparse_->slots().data() + first};
      body(T);
    }
  }
  /// Direct access to the entries of a dense matrix.
  DenseEntries dense() { return {dense_.data(), n_}; }
  /// Assembled value at (k, k); NaN if the pattern has no such entry. Before factor().
  double diagonal(int k) const {
    const int at = pattern_->diagonal[k];
    return at < 0 ? std::numeric_limits<double>::quiet_NaN() : values()[at];
  }
  /// Values of a matrix made from the same entries.
  void copy_values(const SystemMatrix& other) { values() = other.values(); }

  /// Factors the matrix; a dense one in place. False when a pivot is zero or not finite.
  TR_INLINE bool factor() { return sparse_ ? sparse_->factor() : lu_factor(dense_.data(), n_, pivot_.data()); }
  /// Solve A x = b and A^T x = b in place for the factored matrix.
  TR_INLINE void solve(double* b) const { sparse_ ? sparse_->solve(b) : lu_solve(dense_.data(), n_, pivot_.data(), b); }
  TR_INLINE void solve_transposed(double* b) const {
    sparse_ ? sparse_->solve_transposed(b) : lu_solve_transposed(dense_.data(), n_, pivot_.data(), b);
  }
  /// A^T x = b for `count` right-hand sides.
  TR_INLINE void solve_transposed(double* const* b, int count) const {
    if (sparse_) return sparse_->solve_transposed(b, count);
    for (int i = 0; i < count; ++i) lu_solve_transposed(dense_.data(), n_, pivot_.data(), b[i]);
  }

 private:
  std::vector<double>& values() { return sparse_ ? sparse_->values() : dense_; }
  const std::vector<double>& values() const { return sparse_ ? sparse_->values() : dense_; }

  int n_ = 0;
  std::shared_ptr<const SystemPattern> pattern_;
  std::vector<double> dense_;
  std::vector<int> pivot_;
  std::optional<SparseLu> sparse_;
};

}  // namespace trunnion
