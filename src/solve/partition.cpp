// Gaussian elimination with full pivoting, and groups of loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/partition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trunnion {

FullPivoting::FullPivoting(int rows, int columns)
    : cells_(rows), column_rows_(columns), limit_(rows), best_(rows), best_column_(rows), at_(columns, 0) {
  constexpr int kSmall = 4096;  // entries
  if (rows * static_cast<double>(columns) > kSmall) return;
  for (auto& row : cells_) row.reserve(columns);
  for (auto& column : column_rows_) column.reserve(rows);
  heap_.reserve(static_cast<std::size_t>(rows) * (rows + 1));
  pivots_.reserve(rows);
}

void FullPivoting::start(int rows, int columns) {
  rows_ = rows;
  columns_ = columns;
  for (int i = 0; i < rows; ++i) cells_[i].clear();
  for (int i = 0; i < columns; ++i) column_rows_[i].clear();
}

void FullPivoting::set(int row, int column, double value) {
  cells_[row].push_back({column, value});
  column_rows_[column].push_back(row);
}

/// Finds the largest entry of a row and enters it as a candidate for the next pivot, if eligible.
void FullPivoting::offer(int row) {
  Candidate& best = best_[row] = {-1, row};
  int& column = best_column_[row];
  for (const Cell& c : cells_[row])
    if (const double size = std::abs(c.value); size > best.size || (size == best.size && c.column < column)) {
      best.size = size;
      column = c.column;
    }
  if (row >= open_ || !(best.size > limit_[row])) return;
  heap_.push_back(best);
  std::push_heap(heap_.begin(), heap_.end());
}

/// row -= factor pivot_row.
void FullPivoting::subtract(int row, int pivot_row, double factor) {
  std::vector<Cell>& cells = cells_[row];
  for (std::size_t i = 0; i < cells.size(); ++i) at_[cells[i].column] = static_cast<int>(i) + 1;
  const std::size_t own = cells.size();
  for (const Cell& c : cells_[pivot_row]) {
    if (const int at = at_[c.column]; at > 0) {
      cells[at - 1].value -= factor * c.value;
    } else {
      cells.push_back({c.column, -factor * c.value});
      column_rows_[c.column].push_back(row);
    }
  }
  for (std::size_t i = 0; i < own; ++i) at_[cells[i].column] = 0;
}

const std::vector<FullPivoting::Pivot>& FullPivoting::eliminate(double redundant, int leading) {
  pivots_.clear();
  heap_.clear();
  open_ = leading;
  for (int i = 0; i < rows_; ++i) {
    double size = 0;
    for (const Cell& c : cells_[i]) size = std::max(size, std::abs(c.value));
    limit_[i] = redundant * size;
    offer(i);
  }
  for (;;) {
    if (heap_.empty()) {
      if (open_ >= rows_) break;
      for (open_ = rows_; leading < rows_; ++leading) offer(leading);
      continue;
    }
    std::pop_heap(heap_.begin(), heap_.end());
    const Candidate top = heap_.back();
    heap_.pop_back();
    const int row = top.row, column = best_column_[row];
    if (top.size != best_[row].size) continue;  // outdated
    // the pivot leaves its row, so that rows contain only columns without one
    std::vector<Cell>& cells = cells_[row];
    const auto take = [&](std::vector<Cell>& from) -> double {
      const auto cell = std::find_if(from.begin(), from.end(), [&](const Cell& c) { return c.column == column; });
      if (cell == from.end()) return 0;
      const double value = cell->value;
      *cell = from.back();
      from.pop_back();
      return value;
    };
    const double pivot = take(cells);
    pivots_.push_back({row, column, std::abs(pivot)});
    best_[row].size = -1;
    for (int other : column_rows_[column]) {
      if (other == row || best_[other].size < 0) continue;
      const double factor = take(cells_[other]) / pivot;
      if (factor != 0) subtract(other, row, factor);
      offer(other);
    }
  }
  return pivots_;
}

template <int D>
std::vector<LoopGroup> find_loop_groups(const Mechanism<D>& m) {
  const int n = static_cast<int>(m.constraints.size());
  std::vector<int> up(n), owner(m.tree.nv, -1);  // a constraint of the same group with a lower index, or itself; constraint of a velocity
  std::iota(up.begin(), up.end(), 0);
  const auto first_of = [&](int i) {
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
  };
  // a constraint without rows, or with idle ones alone, takes no coordinate
  const auto takes_none = [&](int i) {
    const ConstraintGroup<D>& g = m.constraints[i];
    return std::all_of(g.idle.begin(), g.idle.begin() + g.rows.size(), [](bool idle) { return idle; });
  };
  for (int i = 0; i < n; ++i)
    for (int k = m.constraints[i].path.begin; !takes_none(i) && k < m.constraints[i].path.end; ++k) {
      int& other = owner[m.paths[k].dof];
      if (other < 0) other = i;
      const int a = first_of(i), b = first_of(other);
      up[std::max(a, b)] = std::min(a, b);
    }
  std::vector<LoopGroup> groups;
  std::vector<int> place(n, -1);
  for (int i = 0; i < n; ++i) {
    if (takes_none(i)) continue;
    int& at = place[first_of(i)];
    if (at < 0) {
      at = static_cast<int>(groups.size());
      groups.emplace_back();
    }
    LoopGroup& g = groups[at];
    g.constraints.push_back(i);
    for (int row = m.constraints[i].rows.begin; row < m.constraints[i].rows.end; ++row) g.rows.push_back(row);
  }
  for (LoopGroup& g : groups) {
    const auto velocity_rows = std::stable_partition(g.rows.begin(), g.rows.end(), [&](int row) { return m.holonomic[row] != 0; });
    g.holonomic = static_cast<int>(velocity_rows - g.rows.begin());
  }
  for (int v = 0; v < m.tree.nv; ++v)
    if (owner[v] >= 0) groups[place[first_of(owner[v])]].velocities.push_back(v);
  return groups;
}

template std::vector<LoopGroup> find_loop_groups<2>(const Mechanism<2>&);
template std::vector<LoopGroup> find_loop_groups<3>(const Mechanism<3>&);

}  // namespace trunnion
