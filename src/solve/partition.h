// Coordinate partitioning: which coordinates of a loop depend on the others. Gaussian elimination with full pivoting of the loop's
// Jacobian; the columns with a pivot are the dependent coordinates, rows without one are redundant.
// Loops that share coordinates are one group; groups are independent of each other.
// Source: Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations), section 2.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mechanics/mechanism.h"

namespace trunnion {

/// Gaussian elimination with full pivoting of the rows x columns matrix A (row-major, overwritten). The i-th pivot, the largest entry
/// left, stands in row row_order[i] and column column_order[i]; both lists are permutations of all rows and columns. Stops where
/// what is left of every row is below `redundant` times the row's largest entry at first (written to row_size). Returns the number of
/// pivots.
int eliminate_with_full_pivoting(double* A, int rows, int columns, double redundant, int* row_order, int* column_order, double* row_size);

/// Constraint rows that share coordinates, and those coordinates.
struct LoopGroup {
  std::vector<int> rows;         // of Phi, ascending
  std::vector<int> velocities;   // ascending; a column of the group's Jacobian each
  std::vector<int> constraints;  // groups of rows of the mechanism
};

/// The connected groups of a mechanism's constraints, by the lowest row.
template <int D>
std::vector<LoopGroup> find_loop_groups(const Mechanism<D>& m);

}  // namespace trunnion
