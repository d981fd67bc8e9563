// A machine with closed loops as a function of its independent coordinates: dependent positions, velocities and accelerations, and
// what a change of the independent ones does to all of them.
//   positions       Phi(q (+) theta) = 0                    by Newton in the dependent increments
//   velocities      v_d = -J_d^-1 (J_i v_i + Phi_t)         (14)
//   accelerations   Phi_ddot(q, v, a) = 0 for a_d           (15)
//   change          theta = R_q x                           J_q R_q = 0, J of position increments (balls: see mechanics/tree.h)
//                   v' = f_v R x - [J_d^-1 d(J v)/dtheta theta]
//                   a' = f_a R x - [J_d^-1 (d(Phi_ddot)/dtheta theta + d(Phi_ddot)/dv v')]
// This is the one chain rule through the dependent coordinates. Groups of loops that share no coordinate do not meet; the dependent
// block of a large group is sparse.
// Source: Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations), section 2.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/pivoted_lu.h"
#include "mechanics/variation.h"
#include "solve/partition.h"

namespace trunnion {

enum class LoopStatus { closed, open, dead_point };

template <int D>
class ClosedLoops {
 public:
  explicit ClosedLoops(const Mechanism<D>& m);

  // ---- partition
  /// Takes the partition of a state (State::partition). False if it has none for some loop.
  bool adopt(const double* partition);
  /// Finds the partition by the Jacobian of the position stage. False at a dead point: see `failed_row`.
  bool choose(const MechanismState<D>& state);
  /// Writes the partition for a state; after factor().
  void write(double* partition) const;
  const std::vector<int>& independent() const { return independent_; }

  // ---- positions, velocities, accelerations
  /// Moves the dependent part of theta until the loops are closed; the position stage of `state` is that of q (+) theta. Factors.
  /// Not `to_rounding`: the last small correction is left to the next call; the position stage is open by its size.
  LoopStatus close(const double* q, double* theta, double* q_end, bool to_rounding, MechanismState<D>& state, int* iterations);
  /// Takes the positions of a position stage as they are, open as they may be. Factors. False at a dead point.
  bool take(const MechanismState<D>& state);
  /// x_d -= J_d^-1 d: dependent rates x that change the pivot rows' d by -d.
  void remove(const double* d, double* x) const;
  /// After close(): v_d for v_i.
  void solve_velocities(double* v, MechanismState<D>& state) const;
  /// After solve_velocities(): a_d for a_i; the tree's velocity stage is that of the accelerations as they came in (update_accelerations
  /// mends it).
  void solve_accelerations(const double* v, double* a, MechanismState<D>& state) const;

  // ---- change, after the velocity stage at v, a
  /// R and R_q at this place. The largest entry of R says how well the partition fits.
  double reduce();
  /// theta += R_q x for increments x of the independent coordinates.
  void add_increment(const double* x, double* theta) const;
  /// v += R x: the rates of all coordinates for rates x of the independent ones.
  void add_rates(const double* x, double* v) const;
  /// Column k (of independent()): theta, v', a' of all coordinates; `work` then holds the motion they make.
  struct Column {
    explicit Column(int nv) : theta(nv), v(nv), a(nv) {}
    std::vector<double> theta, v, a;
  };
  void column(int k, const IncrementFactors& f, const MechanismState<D>& state, Variation<D>& work, Column& out) const;
  /// For a change whose theta is complete and whose v' and a' are those of the independent coordinates: the dependent v' and a', as the
  /// constraints demand them; `work` then holds the motion they make.
  void complete(const MechanismState<D>& state, Variation<D>& work, Column& change) const;
  /// out = R^T r.
  void project(const double* r, double* out) const;
  /// multipliers += what makes the dependent entries of r + J^T d(multipliers) vanish.
  void add_multipliers(const double* r, double* multipliers) const;
  /// The multipliers that make the dependent entries of r + J^T multipliers vanish; zero where a row is redundant.
  void set_multipliers(const double* r, double* multipliers) const;

  /// Whether the dependent block of a group has turned over since `partition` was written: a dead point lies between.
  bool turned_over(const double* partition);
  int failed_row() const { return failed_row_; }

 private:
  /// An entry of the Jacobian (MechanismState::jacobian) and where it goes.
  struct Copy {
    int from, to;
  };
  /// What a group needs of one Jacobian.
  struct Block {
    std::vector<double> LU;  // J_d, dense
    std::vector<int> pivot;
    PivotedLu sparse;          // J_d, sparse
    std::vector<double> rest;  // J_i, as in Group::rest
    std::vector<double> R;     // rank x free, column by column
  };
  struct Group : LoopGroup {
    int rank = 0;
    std::vector<int> row, dependent;  // pivot rows (of Phi) and their velocities, ascending by row
    std::vector<int> free_order;      // the others: which of independent(), ascending
    std::vector<Copy> block;          // J_d, and where it goes in LU or sparse
    std::vector<Copy> rest;           // J_i, by column; `to`: which pivot row
    std::vector<int> rest_begin;      // per independent velocity, and the end
    std::vector<int> driven;          // prescribed motions among the pivot rows
    bool sparse = false;
    Block of_v, of_q;  // of velocities; of position increments, where that differs
    int sign = 1;      // of the dependent block's determinant
  };
  void set_partition(Group& g);
  void list_independent();
  bool factor(Group& g, const MechanismState<D>& state);
  bool factor(const Group& g, const std::vector<double>& jacobian, Block& block);
  void solve(const Group& g, const Block& block, double* x) const;
  void solve_transposed(const Group& g, double* x) const;
  void reduce(const Group& g, Block& block) const;
  const Block& block_q(const Group& g) const { return same_jacobian_ ? g.of_v : g.of_q; }
  void add_all(bool of_q, const double* y, double* x) const;
  void complete(std::span<const Group> groups, const MechanismState<D>& state, Variation<D>& work, Column& change) const;

  const Mechanism<D>& m_;
  double rounding_ = 0;        // [rad, m] correction of positions that changes nothing
  bool same_jacobian_ = true;  // no balls: increments and velocities have one Jacobian
  std::vector<Group> groups_;
  std::vector<int> group_of_velocity_;  // -1: in no loop
  std::vector<int> place_;              // per velocity in a loop: which dependent one, or -1 - which independent one of its group
  std::vector<int> row_place_;          // per row: which pivot row of its group, -1: redundant
  std::vector<int> row_in_group_, column_in_group_;  // per row, per velocity in a loop
  std::vector<int> chosen_;                          // scratch of choose(): per row of a group, its dependent velocity or -1
  std::vector<int> independent_;                     // velocities
  mutable std::vector<double> x_;                    // right side of a group
  std::vector<double> correction_;                   // of the dependent positions
  FullPivoting elimination_;
  int failed_row_ = -1;
};

}  // namespace trunnion
