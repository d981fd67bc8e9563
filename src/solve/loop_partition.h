// The partition of the loops as closed loops use it: groups of constraints without shared coordinates, the rows with a pivot of each and
// the entries of their blocks J = [J_d J_i], and the velocities of every kind (part of solve/closed_loops.h; how pivots are found:
// solve/partition.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/pivoted_lu.h"
#include "mechanics/directional_derivative.h"
#include "solve/partition.h"

namespace trunnion {

template <int D>
class LoopPartition {
 public:
  /// Loads the partition of a state (StateVector::partition). False if it has none for some loop.
  bool load_partition(const double* partition);
  /// Writes the partition for a state; after factor().
  void write(double* partition) const;
  /// Velocities, ascending: x_ai; x_ai and x_ad, whose positions are free; x_ad; x_d.
  const std::vector<int>& independent() const { return independent_; }
  const std::vector<int>& admissible() const { return admissible_; }
  const std::vector<int>& velocity_dependent() const { return velocity_dependent_; }
  const std::vector<int>& dependent() const { return dependent_; }

  /// Whether the determinant of a group's dependent block has changed sign since `partition` was written: a singular configuration lies
  /// between.
  bool determinant_changed_sign(const double* partition);
  int failed_row() const { return failed_row_; }

 protected:
  static constexpr double kDead = 1e-6;  // relative to the largest pivot: singular below

  struct Copy {
    int from, to;
  };
  /// Rows with a pivot and one of their Jacobians, [J_d J_i]: the first `rank` of the group's pivots.
  struct Block {
    int rank = 0;
    std::vector<int> place;       // per velocity of the group: index among the dependent ones, or -1 - index among the others
    std::vector<Copy> dependent;  // J_d: entry of the Jacobian (MechanismState::jacobian), and where it goes in LU or sparse
    std::vector<Copy> rest;       // J_i, by column; `to`: which row
    std::vector<int> rest_begin;  // per column of J_i, and the end
    bool is_sparse = false;       // how J_d is factored
    std::vector<double> LU;
    std::vector<int> pivot;
    PivotedLu sparse;
    std::vector<double> rest_values;
    std::vector<double> R;  // -J_d^-1 J_i: rank x others, column by column
    int sign = 1;           // of the determinant of J_d
  };
  struct Group : LoopGroup {
    std::vector<int> row, dependent;           // rows with a pivot, in the order of `rows`, and their velocities: x_d, then x_ad
    std::vector<int> independent, admissible;  // its other velocities: which of independent(), of admissible(); ascending
    std::vector<Copy> driven;                  // prescribed motions with a pivot: index of motion and row
    bool has_spherical = false;
    bool two_blocks = false;  // spherical joints, or velocity rows with a pivot
    Block velocity_block;     // rates: all rows with a pivot
    Block position_block;     // position increments: those that hold for positions; with two_blocks
    const Block& positions() const { return two_blocks ? position_block : velocity_block; }
  };

  explicit LoopPartition(const Mechanism<D>& m);
  /// Without factors; otherwise as ClosedLoops::select_partition.
  bool select(const MechanismState<D>& state, std::span<const int> independent);

  const Mechanism<D>& m_;
  std::vector<Group> groups_;
  std::vector<int> group_of_velocity_;                                          // -1: in no loop
  std::vector<int> row_place_;                                                  // per row: its pivot row in the group, -1: redundant
  std::vector<int> column_in_group_;                                            // per velocity in a loop
  std::vector<int> independent_, admissible_, velocity_dependent_, dependent_;  // velocities
  std::vector<double> unit_, row_unit_;  // per velocity, per row: reference size, 1 [rad, -] or the mechanism's extent [m]
  int failed_row_ = -1;

 private:
  const std::vector<FullPivoting::Pivot>& eliminate(const Group& g, const MechanismState<D>& state, std::span<const int> independent);
  void set_partition(Group& g);
  void set_block(Group& g, int rank, Block& block);
  void list_coordinates();
  /// Sign stored in the partition with a group's i-th pivot.
  static int sign_of(const Group& g, int i) { return i < g.positions().rank ? g.positions().sign : g.velocity_block.sign; }

  std::vector<int> row_in_group_;  // per row
  std::vector<int> chosen_;        // scratch of select(): per row of a group, its dependent velocity or -1
  FullPivoting elimination_;
};

extern template class LoopPartition<2>;
extern template class LoopPartition<3>;

}  // namespace trunnion
