// SPDX-License-Identifier: BSD-3-Clause
#include "solve/partition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trunnion {

int eliminate_with_full_pivoting(double* A, int rows, int columns, double redundant, int* row_order, int* column_order, double* row_size) {
  std::iota(row_order, row_order + rows, 0);
  std::iota(column_order, column_order + columns, 0);
  for (int i = 0; i < rows; ++i) {
    row_size[i] = 0;
    for (int j = 0; j < columns; ++j) row_size[i] = std::max(row_size[i], std::abs(A[i * columns + j]));
  }
  for (int k = 0; k < std::min(rows, columns); ++k) {
    int row = -1, column = -1;
    double pivot = 0;
    for (int i = k; i < rows; ++i) {
      const double bound = std::max(pivot, redundant * row_size[row_order[i]]);
      int best = -1;
      double size = bound;
      for (int j = k; j < columns; ++j)
        if (const double entry = std::abs(A[row_order[i] * columns + column_order[j]]); entry > size) {
          size = entry;
          best = j;
        }
      if (best < 0) continue;
      row = i;
      column = best;
      pivot = size;
    }
    if (row < 0) return k;
    std::swap(row_order[k], row_order[row]);
    std::swap(column_order[k], column_order[column]);
    const double* pivot_row = A + static_cast<std::ptrdiff_t>(row_order[k]) * columns;
    for (int i = k + 1; i < rows; ++i) {
      double* other = A + static_cast<std::ptrdiff_t>(row_order[i]) * columns;
      const double factor = other[column_order[k]] / pivot_row[column_order[k]];
      for (int j = k; j < columns; ++j) other[column_order[j]] -= factor * pivot_row[column_order[j]];
    }
  }
  return std::min(rows, columns);
}

template <int D>
std::vector<LoopGroup> find_loop_groups(const Mechanism<D>& m) {
  const int n = static_cast<int>(m.constraints.size());
  std::vector<int> group(n), owner(m.tree.nv, -1);  // an earlier constraint of the same group, or itself; first constraint of a velocity
  std::iota(group.begin(), group.end(), 0);
  const auto first_of = [&](int i) {
    for (; group[i] != i; i = group[i]) group[i] = group[group[i]];
    return i;
  };
  for (int i = 0; i < n; ++i)
    for (int k = m.constraints[i].path.begin; k < m.constraints[i].path.end; ++k) {
      int& owning = owner[m.paths[k].dof];
      if (owning < 0) owning = i;
      const int a = first_of(owning), b = first_of(i);
      group[std::max(a, b)] = std::min(a, b);
    }
  std::vector<LoopGroup> groups;
  std::vector<int> place(n, -1);
  for (int i = 0; i < n; ++i) {
    int& at = place[first_of(i)];
    if (at < 0) {
      at = static_cast<int>(groups.size());
      groups.emplace_back();
    }
    LoopGroup& g = groups[at];
    g.constraints.push_back(i);
    for (int row = m.constraints[i].rows.begin; row < m.constraints[i].rows.end; ++row) g.rows.push_back(row);
  }
  for (int v = 0; v < m.tree.nv; ++v)
    if (owner[v] >= 0) groups[place[first_of(owner[v])]].velocities.push_back(v);
  return groups;
}

template std::vector<LoopGroup> find_loop_groups<2>(const Mechanism<2>&);
template std::vector<LoopGroup> find_loop_groups<3>(const Mechanism<3>&);

}  // namespace trunnion
