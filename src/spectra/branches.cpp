// Matching eigenvalues between neighbouring points by minimum-cost assignment.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/branches.h"

#include <cmath>
#include <limits>

namespace trunnion {

namespace {

constexpr double kPower = 0.9;  // exponent of the distance; below 1: one long step costs less than two shorter ones of equal total

/// The column of each row in the minimum-cost assignment; no more rows than columns. Rows are added one at a time, each along the
/// shortest augmenting path in costs reduced by the potentials of rows and columns.
std::vector<int> assign(const Eigen::MatrixXd& cost) {
  const auto rows = static_cast<int>(cost.rows()), columns = static_cast<int>(cost.cols());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // row and column 0 are the start of paths
  std::vector<double> row_potential(static_cast<std::size_t>(rows) + 1), column_potential(static_cast<std::size_t>(columns) + 1);
  std::vector<int> row_of(static_cast<std::size_t>(columns) + 1), way(static_cast<std::size_t>(columns) + 1);
  for (int row = 1; row <= rows; ++row) {
    std::vector<double> shortest(static_cast<std::size_t>(columns) + 1, kInfinity);
    std::vector<bool> seen(static_cast<std::size_t>(columns) + 1, false);
    row_of[0] = row;
    int at = 0;
    while (row_of[at] != 0) {
      seen[at] = true;
      int nearest = 0;
      double step = kInfinity;
      for (int c = 1; c <= columns; ++c) {
        if (seen[c]) continue;
        const double reduced = cost(row_of[at] - 1, c - 1) - row_potential[row_of[at]] - column_potential[c];
        if (reduced < shortest[c]) shortest[c] = reduced, way[c] = at;
        if (shortest[c] < step) step = shortest[c], nearest = c;
      }
      for (int c = 0; c <= columns; ++c) {
        if (seen[c])
          row_potential[row_of[c]] += step, column_potential[c] -= step;
        else
          shortest[c] -= step;
      }
      at = nearest;
    }
    for (; at != 0; at = way[at]) row_of[at] = row_of[way[at]];
  }
  std::vector<int> column_of(static_cast<std::size_t>(rows), -1);
  for (int c = 1; c <= columns; ++c)
    if (row_of[c] != 0) column_of[row_of[c] - 1] = c - 1;
  return column_of;
}

}  // namespace

std::vector<int> match_eigenvalues(const Eigen::VectorXcd& from, const Eigen::VectorXcd& to) {
  const bool more = to.size() > from.size();  // rows are the smaller set
  const Eigen::VectorXcd &rows = more ? from : to, &columns = more ? to : from;
  Eigen::MatrixXd cost(rows.size(), columns.size());
  for (Eigen::Index i = 0; i < rows.size(); ++i)
    for (Eigen::Index j = 0; j < columns.size(); ++j) cost(i, j) = std::pow(std::abs(rows[i] - columns[j]), kPower);
  std::vector<int> partner = assign(cost);
  if (!more) return partner;
  std::vector<int> inverse(static_cast<std::size_t>(to.size()), -1);
  for (std::size_t i = 0; i < partner.size(); ++i) inverse[static_cast<std::size_t>(partner[i])] = static_cast<int>(i);
  return inverse;
}

std::vector<std::vector<int>> follow_branches(const std::vector<Eigen::VectorXcd>& points, const std::vector<int>& sizes) {
  // the nearest previous point along the fastest parameter that has eigenvalues; otherwise any previous one
  const auto before = [&](int point) {
    int stride = 1;
    for (std::size_t k = sizes.size(); k-- > 0;) {
      const int index = point / stride % sizes[k];
      for (int i = 1; i <= index; ++i)
        if (points[static_cast<std::size_t>(point - i * stride)].size() > 0) return point - i * stride;
      stride *= sizes[k];
    }
    for (int i = point - 1; i >= 0; --i)
      if (points[static_cast<std::size_t>(i)].size() > 0) return i;
    return -1;
  };
  std::vector<std::vector<int>> branches(points.size());
  int next = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const int from = before(static_cast<int>(p));
    const std::vector<int> partner = match_eigenvalues(from < 0 ? Eigen::VectorXcd() : points[static_cast<std::size_t>(from)], points[p]);
    for (int i : partner) branches[p].push_back(i < 0 ? next++ : branches[static_cast<std::size_t>(from)][static_cast<std::size_t>(i)]);
  }
  return branches;
}

}  // namespace trunnion
