// Sparse LU factorisation with a fixed pivot order.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/sparse_lu.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "base/diagnostic.h"
#include "base/pack.h"

namespace trunnion {

namespace {

/// Largest entry of a row of A over the largest of that row of U: below this ratio other pivots are chosen. It bounds the loss of digits;
/// a matrix with a strong diagonal loses none.
constexpr double kGrowth = 1e-5;

}  // namespace

/// Pattern of the factors: row i has the entries of A, and for every k of its L those of row k of U.
[[gnu::cold]] void SparsePattern::find_factors() {
  std::vector<int> order_of_row(n);
  for (int i = 0; i < n; ++i) order_of_row[row_of[i]] = i;
  given_begin.assign(n + 1, 0);
  for (int r : row) ++given_begin[order_of_row[r] + 1];
  std::partial_sum(given_begin.begin(), given_begin.end(), given_begin.begin());
  given.resize(row.size());
  place.resize(row.size());
  std::vector<int> next(given_begin.begin(), given_begin.end() - 1);
  for (int k = 0; k < n; ++k)
    for (int i = column_begin[column_of[k]]; i < column_begin[column_of[k] + 1]; ++i) {
      place[i] = next[order_of_row[row[i]]]++;
      given[place[i]] = k;
    }
  begin = {0};
  std::vector<std::vector<int>> rows_below(n);  // of every pivot
  for (int i = 0; i < n; ++i) {
    const std::set<int> there(given.begin() + given_begin[i], given.begin() + given_begin[i + 1]);
    std::set<int> all = there;
    for (auto k = all.begin(); *k < i; ++k) {
      all.insert(column.begin() + diagonal[*k] + 1, column.begin() + begin[*k + 1]);
      operations += 2.0 * (begin[*k + 1] - diagonal[*k]) - 1;
      rows_below[*k].push_back(i);
    }
    diagonal.push_back(begin[i] + static_cast<int>(std::distance(all.begin(), all.find(i))));
    column.insert(column.end(), all.begin(), all.end());
    begin.push_back(static_cast<int>(column.size()));
    for (int k = begin[i]; k < begin[i + 1]; ++k)
      if (!there.contains(column[k])) fill.push_back(k);
  }
  const auto place_of = [&](int i, int k) {
    return static_cast<int>(std::lower_bound(column.begin() + begin[i], column.begin() + begin[i + 1], k) - column.begin());
  };
  for (int i = 0; i < n; ++i)
    for (int k = given_begin[i]; k < given_begin[i + 1]; ++k) given[k] = place_of(i, given[k]);
  below_begin = {0};
  for (int k = 0; k < n; ++k) {
    for (int i : rows_below[k]) {
      below.push_back(place_of(i, k));
      for (int j = diagonal[k] + 1; j < begin[k + 1]; ++j) target.push_back(place_of(i, column[j]));
    }
    below_begin.push_back(static_cast<int>(below.size()));
  }
}

SparsePattern::SparsePattern(int size, std::span<const Entry> entries, MakeSparsePivots make_pivots)
    : n(size), make(make_pivots), column_begin(static_cast<std::size_t>(n) + 1, 0), slots(entries.size()) {
  std::vector<int> order(entries.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) { return std::pair(entries[i].column, entries[i].row); };
  std::sort(order.begin(), order.end(), [&](int i, int j) { return key(i) < key(j); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Entry& e = entries[order[i]];
    if (i == 0 || key(order[i - 1]) != key(order[i])) {
      row.push_back(e.row);
      ++column_begin[static_cast<std::size_t>(e.column) + 1];
    }
    slots[order[i]] = static_cast<int>(row.size()) - 1;
  }
  std::partial_sum(column_begin.begin(), column_begin.end(), column_begin.begin());
  const std::unique_ptr<SparsePivots> pivots = make(n, column_begin.data(), row.data());
  row_of = pivots->row_of;
  column_of = pivots->column_of;
  if (static_cast<int>(row_of.size()) < n) throw Error("the linear system is structurally singular: an unknown has no equation of its own");
  find_factors();
  for (int& slot : slots) slot = place[slot];
}

SparseLu::SparseLu(std::shared_ptr<const SparsePattern> pattern)
    : pattern_(std::move(pattern)),
      values_(pattern_->row.size(), 0.0),
      factors_(pattern_->column.size()),
      pivot_(pattern_->row_of.size()),
      x_(pattern_->row_of.size()),
      columns_(pattern_->row_of.size()),
      by_columns_(pattern_->row.size()) {}
SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;

/// Whether an entry of row k of U is large against the given entries of its row, `largest_given`, and of its column: columns of unknowns in
/// small units have large entries.
bool SparseLu::grows(int k, double largest_given) {
  const SparsePattern& p = *pattern_;
  for (int j = p.diagonal[k]; j < p.begin[k + 1]; ++j) {
    const double size = std::abs(factors_[j]);
    if (largest_given > kGrowth * size) continue;
    double given_in_column = 0;
    const int* const column = p.column_begin.data() + p.column_of[p.column[j]];
    for (int i = column[0]; i < column[1]; ++i) given_in_column = std::max(given_in_column, std::abs(values_[p.place[i]]));
    if (!(given_in_column > kGrowth * size)) return true;
  }
  return false;
}

/// False if the pivots of the order are unsuitable.
bool SparseLu::eliminate() {
  const SparsePattern& p = *pattern_;
  const double* values = values_.data();
  double* lu = factors_.data();
  for (int k : p.fill) lu[k] = 0;
  for (std::size_t k = 0; k < p.given.size(); ++k) lu[p.given[k]] = values[k];
  const int *to = p.target.data(), *entry = p.below.data();
  bool good = true;
  for (int k = 0; k < p.n; ++k) {
    const double inverse = pivot_[k] = 1 / lu[p.diagonal[k]];
    const double* U = lu + p.diagonal[k] + 1;
    const int right = p.begin[k + 1] - p.diagonal[k] - 1;
    double largest_given = 0, largest = std::abs(U[-1]);
    for (int j = p.given_begin[k]; j < p.given_begin[k + 1]; ++j) largest_given = std::max(largest_given, std::abs(values[j]));
    for (int j = 0; j < right; ++j) largest = std::max(largest, std::abs(U[j]));
    good &= std::isfinite(inverse) && inverse != 0 && (largest_given > kGrowth * largest || !grows(k, largest_given));
    for (const int* end = p.below.data() + p.below_begin[k + 1]; entry < end; ++entry) {
      const double ratio = lu[*entry] *= inverse;
      for (int j = 0; j < right; ++j) lu[to[j]] -= ratio * U[j];
      to += right;
    }
  }
  return good;
}

bool SparseLu::factor() {
  if (std::exchange(others_, false)) pivots_->forget();
  if (eliminate()) return true;
  const SparsePattern& p = *pattern_;
  if (!pivots_) pivots_ = p.make(p.n, p.column_begin.data(), p.row.data());
  for (std::size_t i = 0; i < values_.size(); ++i) by_columns_[i] = values_[p.place[i]];
  return others_ = pivots_->factor(by_columns_.data());
}

void SparseLu::solve(double* b) const {
  if (others_) return pivots_->solve(b);
  const SparsePattern& p = *pattern_;
  const double* lu = factors_.data();
  double* x = x_.data();
  for (int i = 0; i < p.n; ++i) {
    double s = b[p.row_of[i]];
    for (int k = p.begin[i]; k < p.diagonal[i]; ++k) s -= lu[k] * x[p.column[k]];
    x[i] = s;
  }
  for (int i = p.n - 1; i >= 0; --i) {
    double s = x[i];
    for (int k = p.diagonal[i] + 1; k < p.begin[i + 1]; ++k) s -= lu[k] * x[p.column[k]];
    b[p.column_of[i]] = x[i] = s * pivot_[i];
  }
}

void SparseLu::solve_transposed(double* b) const {
  if (others_) return pivots_->solve_transposed(b);
  const SparsePattern& p = *pattern_;
  const double* lu = factors_.data();
  double* x = x_.data();
  for (int i = 0; i < p.n; ++i) x[i] = b[p.column_of[i]];
  for (int i = 0; i < p.n; ++i) {
    const double s = x[i] *= pivot_[i];
    for (int k = p.diagonal[i] + 1; k < p.begin[i + 1]; ++k) x[p.column[k]] -= lu[k] * s;
  }
  for (int i = p.n - 1; i >= 0; --i) {
    const double s = b[p.row_of[i]] = x[i];
    for (int k = p.begin[i]; k < p.diagonal[i]; ++k) x[p.column[k]] -= lu[k] * s;
  }
}

/// Several right-hand sides at once: the factors are read once.
template <int kCount>
void SparseLu::solve_several(double* const* b) const {
  static_assert(kCount <= kSparseColumns);
  const SparsePattern& p = *pattern_;
  const double* lu = factors_.data();
  Pack<kSparseColumns>* x = columns_.data();
  for (int i = 0; i < p.n; ++i) {
    Pack<kSparseColumns> row(0);
    for (int c = 0; c < kCount; ++c) row.set(c, b[c][p.column_of[i]]);
    x[i] = row;
  }
  for (int i = 0; i < p.n; ++i) {
    const Pack<kSparseColumns> s = x[i] *= pivot_[i];
    for (int k = p.diagonal[i] + 1; k < p.begin[i + 1]; ++k) x[p.column[k]] -= lu[k] * s;
  }
  for (int i = p.n - 1; i >= 0; --i) {
    const Pack<kSparseColumns> s = x[i];
    for (int c = 0; c < kCount; ++c) b[c][p.row_of[i]] = s[c];
    for (int k = p.begin[i]; k < p.diagonal[i]; ++k) x[p.column[k]] -= lu[k] * s;
  }
}

void SparseLu::solve_transposed(double* const* b, int count) const {
  const auto solve_some = [&]<int... k>(int some, std::integer_sequence<int, k...>) {
    (void)((some == k + 1 && (solve_several<k + 1>(b), true)) || ...);
  };
  while (count > 1 && !others_) {
    const int some = std::min(count, kSparseColumns);
    solve_some(some, std::make_integer_sequence<int, kSparseColumns>());
    b += some;
    count -= some;
  }
  for (int i = 0; i < count; ++i) solve_transposed(b[i]);
}

}  // namespace trunnion
