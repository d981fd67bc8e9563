// Sparse LU factorisation with partial pivoting.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/pivoted_lu.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace trunnion {

namespace {

/// Sign of the permutation that puts p[i] at i.
int sign_of(const std::vector<int>& p, std::vector<int>& seen, int stamp) {
  int sign = 1;
  for (std::size_t i = 0; i < p.size(); ++i)
    for (int j = static_cast<int>(i), length = 0; seen[j] != stamp; j = p[j], ++length) {
      seen[j] = stamp;
      if (length > 0) sign = -sign;
    }
  return sign;
}

}  // namespace

[[gnu::cold]] void PivotedLu::set_pattern(int n, const std::vector<int>& row, const std::vector<int>& column) {
  n_ = n;
  // compressed columns, rows ascending
  std::vector<int> by_place(row.size());
  std::iota(by_place.begin(), by_place.end(), 0);
  std::sort(by_place.begin(), by_place.end(),
            [&](int i, int j) { return column[i] != column[j] ? column[i] < column[j] : row[i] < row[j]; });
  begin_.assign(n + 1, 0);
  row_.clear();
  slots_.resize(row.size());
  for (int i : by_place) {
    slots_[i] = static_cast<int>(row_.size());
    row_.push_back(row[i]);
    ++begin_[column[i] + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  values_.assign(row_.size(), 1.0);

  const Eigen::Map<const Eigen::SparseMatrix<double>> A(n, n, static_cast<Eigen::Index>(row_.size()), begin_.data(), row_.data(),
                                                        values_.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::COLAMDOrdering<int>()(Eigen::SparseMatrix<double>(A), permutation);
  order_.resize(n);
  for (int i = 0; i < n; ++i) order_[permutation.indices()[i]] = i;

  for (auto* x : {&pivot_, &b_}) x->resize(n);
  x_.assign(n, 0.0);
  for (auto* x : {&pivot_row_, &step_, &found_, &stack_, &next_}) x->resize(n);
  mark_.assign(n, 0);
  stamp_ = 0;
  reached_begin_.assign(n + 1, 0);
  reached_.clear();
  reached_.reserve(8 * row_.size());
  known_ = false;
  for (Triangle* t : {&L_, &U_}) {
    t->begin.reserve(n + 1);
    t->row.reserve(4 * row_.size());
    t->value.reserve(4 * row_.size());
  }
  order_sign_ = sign_of(order_, mark_, ++stamp_);
}

/// Nonzero rows of L^-1 times the column of A eliminated k-th, in topological order: reached_.
void PivotedLu::reach(int k) {
  reached_.resize(reached_begin_[k]);
  const int column = order_[k];
  ++stamp_;
  int first = n_;
  for (int p = begin_[column]; p < begin_[column + 1]; ++p) {
    if (mark_[row_[p]] == stamp_) continue;
    int depth = 0;
    stack_[0] = row_[p];
    next_[0] = -1;
    mark_[row_[p]] = stamp_;
    while (depth >= 0) {
      const int row = stack_[depth], step = step_[row];
      int& at = next_[depth];
      if (at < 0) at = step < 0 ? 0 : L_.begin[step];
      const int end = step < 0 ? 0 : L_.begin[step + 1];
      while (at < end && mark_[L_.row[at]] == stamp_) ++at;
      if (at < end) {
        const int deeper = L_.row[at++];
        mark_[deeper] = stamp_;
        stack_[++depth] = deeper;
        next_[depth] = -1;
      } else {
        found_[--first] = row;
        --depth;
      }
    }
  }
  reached_.insert(reached_.end(), found_.begin() + first, found_.end());
  reached_begin_[k + 1] = static_cast<int>(reached_.size());
}

bool PivotedLu::factor() {
  L_.clear();
  U_.clear();
  std::fill(step_.begin(), step_.end(), -1);
  std::fill(mark_.begin(), mark_.end(), stamp_ = 0);
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  bool negative = false, same = known_;  // `same`: pivots to date, and hence the reach of columns, are those of the previous factorisation
  known_ = false;
  for (int k = 0; k < n_; ++k) {
    const int column = order_[k];
    if (!same) reach(k);
    const int *begin = reached_.data() + reached_begin_[k], *end = reached_.data() + reached_begin_[k + 1];
    for (int p = begin_[column]; p < begin_[column + 1]; ++p) x_[row_[p]] = values_[p];
    int best = -1;
    double size = 0;
    for (const int* row = begin; row != end; ++row) {
      const int step = step_[*row];
      const double x = x_[*row];
      if (step < 0) {
        if (std::abs(x) > size || best < 0) {
          size = std::abs(x);
          best = *row;
        }
        continue;
      }
      U_.row.push_back(step);
      U_.value.push_back(x);
      for (int p = L_.begin[step]; p < L_.begin[step + 1]; ++p) x_[L_.row[p]] -= L_.value[p] * x;
      x_[*row] = 0;
    }
    U_.close_column();
    if (best < 0) best = static_cast<int>(std::find(step_.begin(), step_.end(), -1) - step_.begin());
    if (!(size >= smallest)) {
      smallest = size;
      weakest_row_ = best;
    }
    largest = std::max(largest, size);
    if (!(size > 0) || !std::isfinite(size)) {
      for (const int* row = begin; row != end; ++row) x_[*row] = 0;
      ratio_ = 0;
      return false;
    }
    const double inverse = 1 / x_[best];
    negative ^= inverse < 0;
    same = same && pivot_row_[k] == best;
    pivot_[k] = inverse;
    pivot_row_[k] = best;
    step_[best] = k;
    x_[best] = 0;
    for (const int* row = begin; row != end; ++row) {
      if (step_[*row] >= 0) continue;
      L_.row.push_back(*row);
      L_.value.push_back(x_[*row] * inverse);
      x_[*row] = 0;
    }
    L_.close_column();
  }
  if (!same) pivot_sign_ = order_sign_ * sign_of(pivot_row_, mark_, ++stamp_);
  known_ = true;
  sign_ = negative ? -pivot_sign_ : pivot_sign_;
  ratio_ = smallest / largest;
  return true;
}

void PivotedLu::solve(double* b) const {
  for (int k = 0; k < n_; ++k) {
    const double x = b_[k] = b[pivot_row_[k]];
    for (int p = L_.begin[k]; p < L_.begin[k + 1]; ++p) b[L_.row[p]] -= L_.value[p] * x;
  }
  for (int k = n_ - 1; k >= 0; --k) {
    const double x = b_[k] *= pivot_[k];
    for (int p = U_.begin[k]; p < U_.begin[k + 1]; ++p) b_[U_.row[p]] -= U_.value[p] * x;
  }
  for (int k = 0; k < n_; ++k) b[order_[k]] = b_[k];
}

void PivotedLu::solve_transposed(double* b) const {
  for (int k = 0; k < n_; ++k) {
    double x = b[order_[k]];
    for (int p = U_.begin[k]; p < U_.begin[k + 1]; ++p) x -= U_.value[p] * b_[U_.row[p]];
    b_[k] = x * pivot_[k];
  }
  for (int k = n_ - 1; k >= 0; --k) {
    double x = b_[k];
    for (int p = L_.begin[k]; p < L_.begin[k + 1]; ++p) x -= L_.value[p] * b[L_.row[p]];
    b[pivot_row_[k]] = x;
  }
}

}  // namespace trunnion
