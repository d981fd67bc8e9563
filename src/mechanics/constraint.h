// Constraints of the mechanism as one list of rows. Each kind states its value, its Jacobian along its path, the change of
// that Jacobian contracted with multipliers, and its first and second time derivatives. Treatments see rows only.
//
// Rows that hold for positions:
//   point       Phi_i = a_i . (r_Q - r_P)    axes a_i fixed in A: position rows of revolute, prismatic and spherical joints
//   direction   Phi   = a . b                a fixed in A, b in B: orientation rows
//   distance    Phi   = |r_Q - r_P| - L
//   coordinate  Phi   = q_k - f(t)           a prescribed motion (rheonomic)
//   coupling    Phi   = q_k - i q_l - c      gears, rack and pinion: i the ratio, c as at the start
//   wheel       Phi   = height of a disc's lowest point over a plane: mechanics/wheel.h; the first of its rows
// Rows B(q) v = 0 that hold for velocities alone (nonholonomic): Phi = 0, `jacobian` is B, Phi_dot = B v, Phi_ddot its time derivative:
//   wheel              t_i . u                rolling and lateral slip at the contact, u = (V_B - V_A)(r_c)
//   blade              a . (V_B - V_A)(r_Q)   a fixed in B: a runner that does not slip sideways
//   velocity_coupling  v_k - i v_l
// Generalised forces of multipliers are Phi_q^T lambda and B^T mu alike: the Jacobian's column sums.
//
// Components are expressed in body A so that only coordinates below the common ancestor of A and B appear: loops are local.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "mechanics/line.h"
#include "mechanics/wheel.h"

namespace trunnion {

enum class ConstraintType : unsigned char { point, direction, distance, coordinate, coupling, wheel, blade, velocity_coupling };

/// Rows that share a kind and a path.
template <int D>
struct ConstraintGroup {
  ConstraintType type = ConstraintType::point;
  Range rows;                    // in Phi and the multipliers
  int holonomic = 0;             // number of rows that hold for positions, the first ones; the others: velocities alone
  Range path;                    // in the path list
  int jacobian = 0;              // first entry of the rows x path block, row-major
  Line<D> line;                  // point, distance, blade: the two bodies and points; direction: the bodies; wheel: plane, then centre
  std::array<Vec<D>, 3> axes{};  // point: axes in A; direction: [0] in A, [1] in B; wheel: normal in A, axis in B; blade: [0] in B
  double distance = 0;           // [m]; coupling: c [rad, m]; wheel: radius
  int q = 0;                     // coordinate, coupling: index in q of k
  int q_driver = 0;              // coupling: index in q of l
  double ratio = 1;              // couplings: i [-, m/rad, rad/m]
  int motion = -1;               // coordinate: which prescribed motion
  std::array<bool, 3> idle{};    // rows that no motion of the tree changes: the tree's joints imply them
  bool has_idle = false;
  int joint = 0;  // index of the named constraint it belongs to (CompiledModel::constraints), for messages

  /// Rows that are a coordinate or a ratio of two, without bodies.
  bool of_coordinates() const {
    return type == ConstraintType::coordinate || type == ConstraintType::coupling || type == ConstraintType::velocity_coupling;
  }
  bool holds_velocities_alone() const { return holonomic < rows.size(); }
};

/// Position-stage results of a group.
template <int D, class S = double>
struct ConstraintState {
  LineState<D, S> line;  // point, blade (r_P, r_Q only), wheel (r_Q: contact, u: axis, length: sine of its angle with the plane), distance
  std::array<Vec<D, S>, 3> axes;  // in ground axes: those of the rows; direction: the two
};

/// Value, first and second derivative of a prescribed motion.
template <class S = double>
struct MotionValue {
  S value = S(0.0), rate = S(0.0), acceleration = S(0.0);
};

/// Phi, Jacobian per velocity and Jacobian per position increment (may be null: identical, as without spherical joints) of a group.
/// `work` holds one LineDof per path coordinate.
template <int D, class S>
void update_constraint(const ConstraintGroup<D>& g, const PathDof* path, const TreeState<D, S>& tree, const S* q,
                       const MotionValue<S>* motions, ConstraintState<D, S>& s, LineDof<D, S>* work, S* Phi, S* jacobian, S* jacobian_q);

/// T(k, l) += sum over rows of multiplier_i d(Phi_i,k)/dq_l.
template <int D, class Entries>
void add_constraint_curvature(const ConstraintGroup<D>& g, const PathDof* path, const TreeState<D>& tree, const ConstraintState<D>& s,
                              const LineDof<D>* work, const double* multipliers, Entries& T);

/// d(B v)/dq_l at constant v of a group's velocity rows, rows x path (other rows are unchanged), after the velocity stage.
template <int D>
void set_rate_gradients(const ConstraintGroup<D>& g, const PathDof* path, const TreeState<D>& tree, const ConstraintState<D>& s,
                        double* rate_gradient);

/// d2Phi/dt2 of a group for the velocities and accelerations in the tree state.
template <int D>
void constraint_acceleration(const ConstraintGroup<D>& g, const TreeState<D>& tree, const double* a, const PathDof* path,
                             const MotionValue<>* motions, ConstraintState<D>& s, double* Phi_ddot);

/// The same rows as functions of the motion of their two bodies: rates and second time derivatives, on any scalar. Rows of
/// coordinates have no bodies and are unchanged. `s` holds points and axes; for a distance also its direction and length.
template <int D, class S>
void row_rates(const ConstraintGroup<D>& g, const Motion<D, S>& V_A, const Motion<D, S>& V_B, ConstraintState<D, S>& s, S* Phi_dot);
template <int D, class S>
void row_accelerations(const ConstraintGroup<D>& g, const Motion<D, S>& V_A, const Motion<D, S>& A_A, const Motion<D, S>& V_B,
                       const Motion<D, S>& A_B, ConstraintState<D, S>& s, S* Phi_ddot);

}  // namespace trunnion
