// A machine with constraints as a function of its independent coordinates: dependent positions, velocities and accelerations, and the
// derivatives of all of them with respect to the independent ones. Two levels, C: rows that hold for positions, B: for velocities alone
// (nonholonomic), J = [C; B]:
//   x_d    dependent                   positions and velocities follow from the constraints
//   x_ad   dependent in velocity       velocities alone do, from B v = 0; positions are free
//   x_ai   independent                 both are free;  x_d, x_ad: the velocities x_dd with a pivot in J
//   positions       C(q (+) theta) = 0                     by Newton in the increments x_d                          (41), (42)
//   velocities      v_dd = -J_dd^-1 (J_i v_i + Phi_t)                                                               (45)
//   accelerations   d(J v)/dt = 0 for a_dd                                                                          (36)
//   change          theta = R_q x                          C_q R_q = 0, C of position increments (spherical: mechanics/tree.h), (43)
//                   v' = R v_i' - [J_dd^-1 d(J v)/dtheta theta]                                                     (35)
//                   a' = R a_i' - [J_dd^-1 (d(Phi_ddot)/dtheta theta + d(Phi_ddot)/dv v')]                          (38)
// This is the only chain rule through the dependent coordinates. Groups of constraints without shared coordinates are independent; the
// dependent block of a large group is sparse.
// Sources: Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6 (linearisation), section 3: numbers above; Jaiswal, Rahikainen,
// Khadim, Sopanen, Mikkola 2021 (formulations), section 2.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mechanics/directional_derivative.h"
#include "solve/loop_partition.h"

namespace trunnion {

enum class LoopStatus { closed, open, singular_configuration };

template <int D>
class ClosedLoops : public LoopPartition<D> {
  using Base = LoopPartition<D>;

 public:
  explicit ClosedLoops(const Mechanism<D>& m);

  // ---- partition
  /// Selects the partition by the Jacobian of the position stage. `independent`: velocities that are not to be dependent. False at a
  /// singular configuration, or where the others do not follow from them: see `failed_row`.
  bool select_partition(const MechanismState<D>& state, std::span<const int> independent = {});

  // ---- positions, velocities, accelerations
  /// Changes the x_d part of theta until the loops are closed; the position stage of `state` is that of q (+) theta. Factors.
  /// Not `to_rounding`: the last small correction is left to the next call; the position stage is open by its size.
  LoopStatus close(const double* q, double* theta, double* q_end, bool to_rounding, MechanismState<D>& state, int* iterations);
  /// Accepts the positions of a position stage with their violations. Factors. False at a singular configuration.
  bool factor_at(const MechanismState<D>& state);
  /// x_dd -= J_dd^-1 d: dependent rates x that change the pivot rows' d by -d.
  void subtract_dependent(const double* d, double* x) const;
  /// theta_d -= C_d^-1 d: the same of position increments and the rows that hold for positions.
  void remove_positions(const double* d, double* theta) const;
  /// After close(): v_dd for v_i.
  void solve_velocities(double* v, MechanismState<D>& state) const;
  /// After constraint_rates(): whether velocity-level rows without a pivot are satisfied like the others. False: see `failed_row`.
  bool redundant_rates_hold(const MechanismState<D>& state);
  /// After solve_velocities(): a_dd for a_i; the tree's velocity stage is that of the input accelerations (update_accelerations
  /// corrects it).
  void solve_accelerations(const double* v, double* a, MechanismState<D>& state) const;

  // ---- change, after the velocity stage at v, a
  /// R and R_q at the present positions. Their largest entry measures how well the partition fits.
  double reduce();
  /// theta += R_q x for increments x of admissible().
  void add_increment(const double* x, double* theta) const;
  /// v += R x: the rates of all coordinates for rates x of independent().
  void add_rates(const double* x, double* v) const;
  /// Columns (of admissible()) from `first` on, as many as S has lanes: theta, v', a' of all coordinates, those of x_ai by the factors;
  /// `work` then holds their motion. Zero beyond the last column.
  template <class S>
  struct Columns {
    explicit Columns(int nv) : theta(nv), v(nv), a(nv) {}
    std::vector<S> theta, v, a;
  };
  using Column = Columns<double>;
  template <class S>
  void columns(int first, const IncrementFactors& f, const MechanismState<D>& state, DirectionalDerivative<D, S>& work,
               Columns<S>& out) const;
  /// For a change with complete theta and with v' and a' of the independent coordinates: the dependent v' and a' by the constraints;
  /// `work` then holds the motion. `rates`, `accelerations` (per row; null: zero): changes of dPhi/dt and d2Phi/dt2 that do not depend
  /// on the motion, such as those of a prescribed one.
  void complete(const MechanismState<D>& state, DirectionalDerivative<D>& work, Column& change, const double* rates = nullptr,
                const double* accelerations = nullptr) const;
  /// out = R^T r, per entry of independent().
  void project(const double* r, double* out) const;
  /// multipliers += the increments for which the dependent entries of r + J^T d(multipliers) vanish.
  void add_multipliers(const double* r, double* multipliers) const;
  /// The multipliers for which the dependent entries of r + J^T multipliers vanish; zero where a row is redundant.
  void set_multipliers(const double* r, double* multipliers) const;

  /// Ratio of smallest to largest pivot of the factored dependent blocks, 0 at a singular configuration; `failed_row`: the smallest.
  double find_weakest_row();

 private:
  using Base::admissible_, Base::column_in_group_, Base::dependent_, Base::failed_row_, Base::group_of_velocity_, Base::groups_,
      Base::independent_, Base::kDead, Base::m_, Base::row_place_, Base::row_unit_, Base::unit_, Base::velocity_dependent_;
  using typename Base::Block, typename Base::Copy, typename Base::Group;

  bool factor(const Group& g, const std::vector<double>& jacobian, Block& block);
  bool factor_positions(const MechanismState<D>& state);
  bool factor_rates(const MechanismState<D>& state);
  static int weakest_row(const Block& block);
  static void solve(const Block& block, double* x);
  static void solve_transposed(const Block& block, double* x);
  /// R of a block; `columns`: indices of its columns in `velocities`.
  void reduce(const Group& g, const std::vector<int>& columns, const std::vector<int>& velocities, Block& block, double& largest) const;
  static void add_dependent(const Group& g, const Block& block, const std::vector<int>& columns, const double* y, double* x);
  template <class S>
  void complete(const std::array<std::span<const Group>, kLanes<S>>& groups, const MechanismState<D>& state,
                DirectionalDerivative<D, S>& work, Columns<S>& change, const double* rates, const double* accelerations) const;

  double rounding_ = 0;             // [rad, of the extent] negligible correction of positions
  mutable std::vector<double> x_;   // right side of a group
  std::vector<double> correction_;  // of the dependent positions
};

}  // namespace trunnion
