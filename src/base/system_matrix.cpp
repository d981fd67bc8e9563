// Choice of dense or sparse storage for a system matrix.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/system_matrix.h"

namespace trunnion {

namespace {

constexpr int kSmall = 6;             // unknowns up to which a dense matrix is fastest even for a chain of loops
constexpr double kSparsePrice = 3.0;  // cost of an operation on sparse factors relative to one on dense factors

}  // namespace

SystemPattern::SystemPattern(int size, std::vector<Entry> order, MatrixStorage wanted)
    : n(size), entries(std::move(order)), storage(wanted), diagonal(static_cast<std::size_t>(size), -1) {
  if (kRecording) storage = MatrixStorage::sparse;  // with pivots of a fixed order
  if (storage == MatrixStorage::sparse || (storage == MatrixStorage::automatic && n > kSmall)) {
    sparse = std::make_shared<const SparsePattern>(n, entries);
    const double dense_operations = 2.0 / 3 * n * n * n;
    if (storage == MatrixStorage::automatic && kSparsePrice * sparse->operations > dense_operations) sparse.reset();
  }
  if (sparse) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].row == entries[i].column) diagonal[entries[i].row] = sparse->slots[i];
  } else {
    for (int k = 0; k < n; ++k) diagonal[k] = k * n + k;
  }
}

std::shared_ptr<const SystemPattern> SystemPatterns::find(int n, const std::vector<Entry>& entries, MatrixStorage storage) {
  const std::lock_guard lock(access_);
  for (const auto& pattern : known_)
    if (pattern->n == n && pattern->storage == storage && pattern->entries == entries) return pattern;
  return known_.emplace_back(std::make_shared<const SystemPattern>(n, entries, storage));
}

SystemMatrix::SystemMatrix(std::shared_ptr<const SystemPattern> pattern) : n_(pattern->n), pattern_(std::move(pattern)) {
  if (pattern_->sparse) {
    sparse_.emplace(pattern_->sparse);
  } else {
    dense_.resize(static_cast<std::size_t>(n_) * n_);
    pivot_.resize(n_);
  }
}

}  // namespace trunnion
