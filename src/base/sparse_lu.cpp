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
constexpr int kColumns = 8;  // right-hand sides at once: lanes of a register

}  // namespace

/// P A Q = L U by rows; row i and column i are those eliminated i-th.
struct SparseLu::Elimination {
  std::vector<int> row_of, column_of;        // of A, in the order of elimination
  std::vector<int> given_begin, given;       // rows of A, in the order of values(): indices in `factors`
  std::vector<int> fill;                     // indices in `factors` where A has no entry
  std::vector<int> begin, diagonal, column;  // rows of L and U as one: L without its unit diagonal, the pivot, the rest of U
  std::vector<int> below_begin, below;       // columns of L: indices in `factors`
  std::vector<int> target;                   // updated indices: by columns of L, for each entry by the pivot's row of U
  std::vector<double> factors, pivot;        // pivots inverted
  std::vector<double> x;                     // a solution
  std::vector<Pack<kColumns>> columns;       // several solutions
  std::vector<int> place;                    // index in values() of the entries by columns of A
  std::vector<double> by_columns;            // values
  double operations = 0;
  std::unique_ptr<SparsePivots> pivots;  // the order, and other pivots
  bool others = false;                   // whether those are in use

  void find_factors(const std::vector<int>& column_begin, const std::vector<int>& row);
  bool factor(const double* values);
  void solve(double* b);
  void solve_transposed(double* b);
  template <int kCount>
  void solve_transposed(double* const* b);
};

/// Pattern of the factors: row i has the entries of A, and for every k of its L those of row k of U.
void SparseLu::Elimination::find_factors(const std::vector<int>& column_begin, const std::vector<int>& row) {
  const int n = static_cast<int>(row_of.size());
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
  factors.resize(column.size());
  pivot.resize(n);
  x.resize(n);
  columns.resize(n);
  by_columns.resize(row.size());
}

/// False if the pivots of the order are unsuitable.
bool SparseLu::Elimination::factor(const double* values) {
  const int n = static_cast<int>(row_of.size());
  double* lu = factors.data();
  for (int k : fill) lu[k] = 0;
  for (std::size_t k = 0; k < given.size(); ++k) lu[given[k]] = values[k];
  const int *to = target.data(), *entry = below.data();
  bool good = true;
  for (int k = 0; k < n; ++k) {
    const double inverse = pivot[k] = 1 / lu[diagonal[k]];
    const double* U = lu + diagonal[k] + 1;
    const int right = begin[k + 1] - diagonal[k] - 1;
    double largest_given = 0, largest = std::abs(U[-1]);
    for (int j = given_begin[k]; j < given_begin[k + 1]; ++j) largest_given = std::max(largest_given, std::abs(values[j]));
    for (int j = 0; j < right; ++j) largest = std::max(largest, std::abs(U[j]));
    good &= std::isfinite(inverse) && inverse != 0 && largest_given > kGrowth * largest;
    for (const int* end = below.data() + below_begin[k + 1]; entry < end; ++entry) {
      const double ratio = lu[*entry] *= inverse;
      for (int j = 0; j < right; ++j) lu[to[j]] -= ratio * U[j];
      to += right;
    }
  }
  return good;
}

void SparseLu::Elimination::solve(double* b) {
  const int n = static_cast<int>(row_of.size());
  for (int i = 0; i < n; ++i) {
    double s = b[row_of[i]];
    for (int k = begin[i]; k < diagonal[i]; ++k) s -= factors[k] * x[column[k]];
    x[i] = s;
  }
  for (int i = n - 1; i >= 0; --i) {
    double s = x[i];
    for (int k = diagonal[i] + 1; k < begin[i + 1]; ++k) s -= factors[k] * x[column[k]];
    b[column_of[i]] = x[i] = s * pivot[i];
  }
}

void SparseLu::Elimination::solve_transposed(double* b) {
  const int n = static_cast<int>(row_of.size());
  for (int i = 0; i < n; ++i) x[i] = b[column_of[i]];
  for (int i = 0; i < n; ++i) {
    const double s = x[i] *= pivot[i];
    for (int k = diagonal[i] + 1; k < begin[i + 1]; ++k) x[column[k]] -= factors[k] * s;
  }
  for (int i = n - 1; i >= 0; --i) {
    const double s = b[row_of[i]] = x[i];
    for (int k = begin[i]; k < diagonal[i]; ++k) x[column[k]] -= factors[k] * s;
  }
}

/// Several right-hand sides at once: the factors are read once.
template <int kCount>
void SparseLu::Elimination::solve_transposed(double* const* b) {
  static_assert(kCount <= kColumns);
  const int n = static_cast<int>(row_of.size());
  for (int i = 0; i < n; ++i) {
    Pack<kColumns> row(0);
    for (int c = 0; c < kCount; ++c) row.set(c, b[c][column_of[i]]);
    columns[i] = row;
  }
  for (int i = 0; i < n; ++i) {
    const Pack<kColumns> s = columns[i] *= pivot[i];
    for (int k = diagonal[i] + 1; k < begin[i + 1]; ++k) columns[column[k]] -= factors[k] * s;
  }
  for (int i = n - 1; i >= 0; --i) {
    const Pack<kColumns> s = columns[i];
    for (int c = 0; c < kCount; ++c) b[c][row_of[i]] = s[c];
    for (int k = begin[i]; k < diagonal[i]; ++k) columns[column[k]] -= factors[k] * s;
  }
}

SparseLu::SparseLu(int n, std::span<const Entry> entries) : SparseLu(n, entries, make_sparse_pivots) {}

SparseLu::SparseLu(int n, std::span<const Entry> entries, MakeSparsePivots make)
    : n_(n), column_begin_(static_cast<std::size_t>(n) + 1, 0), slots_(entries.size()), elimination_(std::make_unique<Elimination>()) {
  std::vector<int> order(entries.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) { return std::pair(entries[i].column, entries[i].row); };
  std::sort(order.begin(), order.end(), [&](int i, int j) { return key(i) < key(j); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Entry& e = entries[order[i]];
    if (i == 0 || key(order[i - 1]) != key(order[i])) {
      row_.push_back(e.row);
      ++column_begin_[static_cast<std::size_t>(e.column) + 1];
    }
    slots_[order[i]] = static_cast<int>(row_.size()) - 1;
  }
  std::partial_sum(column_begin_.begin(), column_begin_.end(), column_begin_.begin());
  values_.assign(row_.size(), 0.0);

  Elimination& e = *elimination_;
  e.pivots = make(n_, column_begin_.data(), row_.data());
  e.row_of = e.pivots->row_of;
  e.column_of = e.pivots->column_of;
  if (static_cast<int>(e.row_of.size()) < n_)
    throw Error("the linear system is structurally singular: an unknown has no equation of its own");
  e.find_factors(column_begin_, row_);
  for (int& slot : slots_) slot = e.place[slot];
}

SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;

double SparseLu::operations() const { return elimination_->operations; }

bool SparseLu::factor() {
  Elimination& e = *elimination_;
  if (std::exchange(e.others, false)) e.pivots->forget();
  if (e.factor(values_.data())) return true;
  for (std::size_t i = 0; i < values_.size(); ++i) e.by_columns[i] = values_[e.place[i]];
  return e.others = e.pivots->factor(e.by_columns.data());
}

void SparseLu::solve(double* b) const {
  Elimination& e = *elimination_;
  if (!e.others)
    e.solve(b);
  else
    e.pivots->solve(b);
}

void SparseLu::solve_transposed(double* const* b, int count) const {
  Elimination& e = *elimination_;
  const auto solve_some = [&]<int... k>(int some, std::integer_sequence<int, k...>) {
    (void)((some == k + 1 && (e.solve_transposed<k + 1>(b), true)) || ...);
  };
  while (count > 1 && !e.others) {
    const int some = std::min(count, kColumns);
    solve_some(some, std::make_integer_sequence<int, kColumns>());
    b += some;
    count -= some;
  }
  for (int i = 0; i < count; ++i) solve_transposed(b[i]);
}

void SparseLu::solve_transposed(double* b) const {
  Elimination& e = *elimination_;
  if (!e.others)
    e.solve_transposed(b);
  else
    e.pivots->solve_transposed(b);
}

}  // namespace trunnion
