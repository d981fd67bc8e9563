// Coordinate partitioning into dependent and independent coordinates of a loop. Gaussian elimination with full pivoting of the loop's
// Jacobian; the columns with a pivot are the dependent coordinates, rows without one are redundant. Rows that hold for positions are
// pivoted first, among all coordinates (x_d); those that hold for velocities alone among the remaining ones (x_ad).
// Loops with shared coordinates form one group; groups are independent of each other.
// Sources: Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations), section 2.2; Nonlinear Dynamics 111 (2023), doi
// 10.1007/s11071-023-08345-6 (linearisation), (29), (30), (41).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mechanics/mechanism.h"

namespace trunnion {

/// Gaussian elimination with full pivoting of sparse matrices: the i-th pivot is the largest remaining entry, of equal ones that with the
/// lowest row, then column. Only rows with an entry in the pivot's column are changed, so that the cost scales with the entries, not with
/// rows times columns. Keeps its storage from one matrix to the next.
class FullPivoting {
 public:
  struct Pivot {
    int row, column;
    double size;
  };
  FullPivoting() = default;
  /// For matrices of up to rows x columns; small ones never allocate afterwards.
  FullPivoting(int rows, int columns);

  /// An empty matrix of rows x columns.
  void start(int rows, int columns);
  /// Sets an entry, each position once.
  void set(int row, int column, double value);
  /// Eliminates until the remainder of every row is below `redundant` times the row's initial largest entry. Returns the pivots: those
  /// of the first `leading` rows, then those of the others.
  const std::vector<Pivot>& eliminate(double redundant, int leading);

 private:
  struct Cell {
    int column;
    double value;
  };
  struct Candidate {
    double size;
    int row;
    bool operator<(const Candidate& b) const { return size != b.size ? bool(size < b.size) : row > b.row; }
  };
  void offer(int row);
  void subtract(int row, int pivot_row, double factor);

  int rows_ = 0, columns_ = 0;
  int open_ = 0;                               // rows eligible for pivots
  std::vector<std::vector<Cell>> cells_;       // per row, columns without a pivot
  std::vector<std::vector<int>> column_rows_;  // per column: rows with an entry, and possibly others
  std::vector<double> limit_;                  // per row: entries up to this are rounding
  std::vector<Candidate> best_;                // per row: its largest entry; below zero: none, or the row has a pivot
  std::vector<int> best_column_;
  std::vector<Candidate> heap_;  // largest entries of rows, including outdated ones
  std::vector<int> at_;          // scratch per column: its position in a row, + 1
  std::vector<Pivot> pivots_;
};

/// Constraint rows that share coordinates, and those coordinates.
struct LoopGroup {
  std::vector<int> rows;         // of Phi: those that hold for positions, then those for velocities alone, ascending
  int holonomic = 0;             // number of the first kind
  std::vector<int> velocities;   // ascending; a column of the group's Jacobian each
  std::vector<int> constraints;  // groups of rows of the mechanism
};

/// The connected groups of a mechanism's constraints, by the lowest row.
template <int D>
std::vector<LoopGroup> find_loop_groups(const Mechanism<D>& m);

}  // namespace trunnion
