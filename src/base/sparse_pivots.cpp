// Order of elimination and pivots by Eigen.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/sparse_pivots.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <optional>

namespace trunnion {

namespace {

using ColumnMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

/// For each column the row matched with it; -1 where there is none. Augmenting paths by depth-first search, without recursion.
std::vector<int> maximum_transversal(int n, const int* begin, const int* row) {
  std::vector<int> row_of_column(n, -1), column_of_row(n, -1);
  for (int k = 0; k < n; ++k)
    if (std::find(row + begin[k], row + begin[k + 1], k) != row + begin[k + 1]) row_of_column[k] = column_of_row[k] = k;
  std::vector<int> seen(n, -1), next(n), path;  // of columns
  for (int start = 0; start < n; ++start) {
    if (row_of_column[start] >= 0) continue;
    path = {start};
    seen[start] = start;
    next[start] = begin[start];
    while (!path.empty()) {
      const int k = path.back();
      if (next[k] == begin[k + 1]) {
        path.pop_back();
        continue;
      }
      const int r = row[next[k]++], other = column_of_row[r];
      if (other >= 0) {
        if (seen[other] == start) continue;
        seen[other] = start;
        next[other] = begin[other];
        path.push_back(other);
        continue;
      }
      for (int column : path) {  // each takes the row it was left by
        const int taken = row[next[column] - 1];
        row_of_column[column] = taken;
        column_of_row[taken] = column;
      }
      break;
    }
  }
  return row_of_column;
}

class OwnSparsePivots final : public SparsePivots {
 public:
  [[gnu::cold]] OwnSparsePivots(int n, const int* begin, const int* row) : n_(n), begin_(begin), row_(row) {
    const std::vector<int> row_of_column = maximum_transversal(n, begin, row);
    if (std::find(row_of_column.begin(), row_of_column.end(), -1) != row_of_column.end()) return;
    std::vector<int> column_of_row(n);
    for (int k = 0; k < n; ++k) column_of_row[row_of_column[k]] = k;
    ColumnMatrix pattern(n, n);  // with the matched rows on the diagonal
    std::vector<Eigen::Triplet<double, int>> entries;
    entries.reserve(static_cast<std::size_t>(begin[n]));
    for (int k = 0; k < n; ++k)
      for (int i = begin[k]; i < begin[k + 1]; ++i) entries.emplace_back(column_of_row[row[i]], k, 1.0);
    pattern.setFromTriplets(entries.begin(), entries.end());
    Eigen::AMDOrdering<int>::PermutationType order;
    Eigen::AMDOrdering<int>()(pattern, order);
    column_of.assign(order.indices().data(), order.indices().data() + n);
    row_of.resize(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) row_of[i] = row_of_column[column_of[i]];
  }

  bool factor(const double* values) override {
    scale_.assign(static_cast<std::size_t>(n_), 0);
    for (int i = 0; i < begin_[n_]; ++i) scale_[row_[i]] = std::max(scale_[row_[i]], std::abs(values[i]));
    for (double& s : scale_) {
      if (!(s > 0) || !std::isfinite(s)) return false;
      s = 1 / s;
    }
    ColumnMatrix A = Eigen::Map<const ColumnMatrix>(n_, n_, begin_[n_], begin_, row_, values);
    for (int i = 0; i < begin_[n_]; ++i) A.valuePtr()[i] *= scale_[row_[i]];
    lu_.emplace();
    lu_->analyzePattern(A);
    lu_->factorize(A);
    return lu_->info() == Eigen::Success && std::isfinite(lu_->logAbsDeterminant());
  }

  void solve(double* b) override {
    Eigen::Map<Eigen::VectorXd> x(b, n_);
    for (int i = 0; i < n_; ++i) b[i] *= scale_[i];
    x = lu_->solve(Eigen::VectorXd(x));
  }

  void solve_transposed(double* b) override {
    Eigen::Map<Eigen::VectorXd> x(b, n_);
    x = lu_->transpose().solve(Eigen::VectorXd(x));
    for (int i = 0; i < n_; ++i) b[i] *= scale_[i];
  }

  void forget() override { lu_.reset(); }

 private:
  int n_;
  const int *begin_, *row_;
  std::vector<double> scale_;  // of rows
  std::optional<Eigen::SparseLU<ColumnMatrix, Eigen::COLAMDOrdering<int>>> lu_;
};

}  // namespace

std::unique_ptr<SparsePivots> make_own_sparse_pivots(int n, const int* column_begin, const int* row) {
  return std::make_unique<OwnSparsePivots>(n, column_begin, row);
}

}  // namespace trunnion
