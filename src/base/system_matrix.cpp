// Choice of dense or sparse storage for a system matrix.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/system_matrix.h"

namespace trunnion {

namespace {

constexpr int kSmall = 6;             // unknowns up to which a dense matrix is fastest even for a chain of loops
constexpr double kSparsePrice = 3.0;  // cost of an operation on sparse factors relative to one on dense factors

}  // namespace

SystemMatrix::SystemMatrix(int n, const std::vector<Entry>& entries, MatrixStorage storage) : n_(n) {
  if (storage == MatrixStorage::sparse || (storage == MatrixStorage::automatic && n > kSmall)) {
    sparse_.emplace(n, entries);
    const double dense_operations = 2.0 / 3 * n * n * n;
    if (storage == MatrixStorage::automatic && kSparsePrice * sparse_->operations() > dense_operations) sparse_.reset();
  }
  diagonal_.assign(n, -1);
  if (sparse_) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].row == entries[i].column) diagonal_[entries[i].row] = sparse_->slots()[i];
  } else {
    dense_.resize(static_cast<std::size_t>(n) * n);
    pivot_.resize(n);
    for (int k = 0; k < n; ++k) diagonal_[k] = k * n + k;
  }
}

}  // namespace trunnion
