// Loads, stiffness and constraints of a machine at rest, as static equilibrium needs them; part of machine/equilibrium.h, which has the
// equations. All vectors per velocity are scaled by the square root of the coordinate's inertia at the start, w: x = theta w for
// increments, f / w for loads; norms are then independent of the coordinates' units.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <vector>

#include "machine/evaluate.h"
#include "machine/hydrostatic_groups.h"

namespace trunnion::rest {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kUnit = 1e6;                // [Pa] pressures are in MPa
constexpr double kRedundantRow = 1e-9;       // of a normalised row: remainder of a redundant one
constexpr double kLeastInertia = 1e-9;       // of the largest: scale of coordinates without inertia
constexpr double kLargestViolation = 1e-11;  // [m, -] constraints after a step
constexpr double kSameStep = 1e-12;          // [rad, m] a step without effect
constexpr double kLargestStep = 0.5;         // [rad, m]

/// Orthonormal bases of the row space of a matrix and of its orthogonal complement.
struct RangeNullSpace {
  Matrix range, null;
};
RangeNullSpace range_null_space(Matrix rows);
/// Minimum-norm least-squares solution.
Vector smallest(const Matrix& A, const Vector& b, double threshold = kRedundantRow);
inline double largest(const Vector& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0; }
Matrix hstack(const Matrix& A, const Matrix& B);
Matrix vstack(const Matrix& A, const Matrix& B);

template <int D>
class StaticLoads {
 protected:
  StaticLoads(const CompiledModel& model, double time);

  // ---------------------------------------------------------------- evaluation

  static MachineState<D> inputs(const CompiledModel& model, double time);
  MechanismState<D>& mech() { return work_.mechanism; }
  /// Elements of quasistatic circuits as differential equations: their discrete states belong to a step.
  static Hydraulics with_equations(Hydraulics hydraulics);
  void place(const std::vector<double>& q) { update_positions<D, double>(m_, q.data(), nullptr, mech()); }

  /// Loads -Q/w at the current configuration, without constraints, under pressures p; records their magnitude.
  Vector loads(const Vector& p, const std::vector<double>* q = nullptr);

  /// Phi_q, columns per scaled increment.
  Matrix jacobian();

  /// Loads of unit pressures per group, d(sum F s_k)/dp, from a list of pistons.
  Matrix pressure_loads(const std::vector<HydrostaticGroups::Piston>& pistons, int groups);
  Matrix pressure_loads() { return kUnit * pressure_loads(oil_.pistons(), np_) * unit_.asDiagonal(); }

  /// Displaced volumes of the unknown groups, in the units of pressure_loads.
  Vector volumes();

  /// After loads(): K, rows and columns scaled.
  Matrix stiffness(const Vector& multipliers);

  Matrix columns(const Matrix& A) const;
  Vector entries(const Vector& x) const;
  /// q (+) x / w for increments x of the moving coordinates.
  std::vector<double> moved(const std::vector<double>& q, const Vector& x) const;
  double size_of(const Vector& x) const;

  void set_scales();
  /// After loads().
  RowMajor inertia();

  // ---------------------------------------------------------------- constraints on positions

  /// Phi_q and the locked volumes' gradients, moving columns.
  Matrix position_rows() { return columns(vstack(jacobian(), locked_.transpose() * pressure_loads().transpose())); }
  Vector position_errors();

  /// Projects q onto the constraints by minimum-norm steps.
  bool close(std::vector<double>& q);

  /// Combinations of unknown pressures that no locked coordinate determines: their oil is trapped. Reports those that equilibrium never
  /// determines.
  void choose_locked();
  /// Row space without scaling up small rows: a locked coordinate that the loops also fix has a row of rounding.
  static Matrix hold_directions(const Matrix& rows);
  /// Combinations of columns with and without effect. Columns have a norm of at most 1.
  static RangeNullSpace column_range_null_space(const Matrix& B);

  const CompiledModel& model_;
  const Mechanism<D>& m_;
  const Hydraulics netlist_;
  MachineState<D> work_;
  const HydrostaticGroups oil_;
  const int nv_, np_;
  std::vector<int> moving_;  // velocities that are not locked
  std::vector<double> q_, y_;
  std::vector<double> still_, r_;
  Vector w_;     // per velocity: scale
  Vector unit_;  // per unknown pressure: its unit [MPa], so that its loads have norm 1 at the start
  Vector volumes_start_;
  Matrix decided_, locked_;            // combinations of unknown pressures: determined by locked coordinates, reactions of trapped oil
  double load_ = 0, scaled_load_ = 0;  // maximum during the search
};

extern template class StaticLoads<2>;
extern template class StaticLoads<3>;

}  // namespace trunnion::rest
