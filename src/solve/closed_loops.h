// A machine with closed loops as a function of its independent coordinates: dependent positions, velocities and accelerations, and
// what a change of the independent ones does to all of them.
//   positions       Phi(q (+) theta) = 0                    by Newton in the dependent increments
//   velocities      v_d = -J_d^-1 (J_i v_i + Phi_t)         (14)
//   accelerations   Phi_ddot(q, v, a) = 0 for a_d           (15)
//   change          theta = R_q x                           J_q R_q = 0, J of position increments (balls: see mechanics/tree.h)
//                   v' = f_v R x - [J_d^-1 d(J v)/dtheta theta]
//                   a' = f_a R x - [J_d^-1 (d(Phi_ddot)/dtheta theta + d(Phi_ddot)/dv v')]
// This is the one chain rule through the dependent coordinates. Groups of loops that share no coordinate do not meet.
// Source: Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations), section 2.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

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
  /// After solve_velocities(): a_d for a_i; the tree's velocity stage is that of the accelerations as they came in.
  void solve_accelerations(const double* v, double* a, MechanismState<D>& state) const;

  // ---- change, after the velocity stage at v, a
  /// R and R_q at this place. The largest entry of R says how well the partition fits.
  double reduce();
  /// theta += R_q x for increments x of the independent coordinates.
  void add_increment(const double* x, double* theta) const;
  /// v += R x: the rates of all coordinates for rates x of the independent ones.
  void add_rates(const double* x, double* v) const;
  /// Column k (of independent()): theta, v', a' of all coordinates, and of v', a' what goes beyond f_v theta, f_a theta.
  /// True if there is any such rest.
  struct Column {
    std::vector<double> theta, v, v_rest, a_rest;
  };
  bool column(int k, const IncrementFactors& f, const MechanismState<D>& state, Variation<D>& work, Column& out);
  /// out = R^T r.
  void project(const double* r, double* out) const;
  /// multipliers += what makes the dependent entries of r + J^T d(multipliers) vanish.
  void add_multipliers(const double* r, double* multipliers) const;

  /// Whether the dependent block of a group has turned over since `partition` was written: a dead point lies between.
  bool turned_over(const double* partition);
  int failed_row() const { return failed_row_; }

 private:
  struct Group : LoopGroup {
    int rank = 0;
    std::vector<int> row, dependent;                          // pivot rows (of Phi) and their velocities, ascending by row
    std::vector<int> free;                                    // independent velocities
    std::vector<int> row_place, dependent_place, free_place;  // the same within the group
    std::vector<double> J, J_q;                               // rows x velocities
    std::vector<double> LU, LU_q;                             // dependent block
    std::vector<int> pivot, pivot_q;
    std::vector<double> R, R_q;  // rank x free, column by column
    int sign = 1;                // of the dependent block's determinant
    double ratio = 1;            // smallest over largest pivot
  };
  void set_partition(Group& g);
  void list_independent();
  void gather(Group& g, const MechanismState<D>& state);
  bool factor(Group& g);
  void columns_of(const Group& g, const std::vector<double>& J, const std::vector<double>& LU, const std::vector<int>& pivot,
                  std::vector<double>& R) const;

  const Mechanism<D>& m_;
  bool same_jacobian_ = true;  // no balls: increments and velocities have one Jacobian
  std::vector<Group> groups_;
  std::vector<int> column_;               // per velocity: within its group
  std::vector<int> independent_;          // velocities
  std::vector<int> group_of_, place_of_;  // per independent: its group or -1, place in `free`
  mutable std::vector<double> x_;         // right side of a group
  std::vector<double> correction_;        // of the dependent positions
  std::vector<double> scratch_, row_size_;
  std::vector<double> scratch_a_;  // zeros between uses
  std::vector<int> row_order_, column_order_;
  int failed_row_ = -1;
};

}  // namespace trunnion
