// The mechanism of a machine: tree, loops, springs, loads, and its ports. Evaluates
//   r = M(q) a - Q(t, q, v)   (without port forces and constraint forces),   Phi, its Jacobian and derivatives,
// and their exact tangents along increments of the configuration. This is the interface for treatments and integrators.
// Oil is coupled through ports only: (s, sdot) out, F in.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "base/system_matrix.h"
#include "mechanics/constraint.h"
#include "mechanics/load.h"
#include "mechanics/port.h"
#include "mechanics/soil.h"
#include "mechanics/spring.h"
#include "mechanics/tree.h"
#include "signals/signal.h"

namespace trunnion {

/// A prescribed joint coordinate.
struct PrescribedMotion {
  std::string name;
  SignalIndex signal = -1;  // -1: it follows a control block
  int v = 0;
  int state = -1;         // in y, of that block: its value; the next state is its rate over `rate_scale`
  double rate_scale = 1;  // [1/s]
  bool follows_block() const { return signal < 0; }
};

template <int D>
struct Mechanism {
  Tree<D> tree;
  Vec<D> reference = Vec<D>::Zero();  // [m] ground position of the reference point
  std::vector<PathDof> paths;         // all paths, one after the other
  std::vector<Port<D>> ports;
  std::vector<ConstraintGroup<D>> constraints;
  int rows = 0;                 // constraint rows
  std::vector<char> holonomic;  // per row: whether it holds for positions, or for velocities alone
  int velocity_rows = 0;        // number of rows for velocities alone
  bool redundant = false;       // whether rows depend on others, at the start
  int jacobian_size = 0;
  std::vector<PointSpring<D>> springs;
  std::vector<JointSpring> joint_springs;
  std::vector<JointLoad> joint_loads;
  std::vector<BodyLoad<D>> body_loads;
  std::vector<SoilResistance<D>> soils;
  std::vector<PrescribedMotion> motions;
  std::vector<SignalIndex> force_signals;  // signals whose jumps make accelerations jump
  double extent = 1;                       // [m] largest lever of a moving body (largest_lever): reference length
  std::shared_ptr<SystemPatterns> patterns = std::make_shared<SystemPatterns>();  // of matrices over the velocities

  bool follows_blocks() const {
    for (const PrescribedMotion& motion : motions)
      if (motion.follows_block()) return true;
    return false;
  }
  /// Reference size of increments of velocity coordinate k: 1 [rad], or the extent [m].
  double unit(int k) const { return tree.nodes[tree.dof_node[k]].joint == NodeJoint::prismatic ? extent : 1; }
};

/// The largest distance in moving bodies between joints, mounts, points of constraints and the centre of mass [m]; the largest radius of
/// gyration if there is none against that, and 0 without one, as for point masses on prismatic joints: the extent is then 1 m.
template <int D>
double largest_lever(const Mechanism<D>& m);

template <int D, class S = double>
struct MechanismState {
  explicit MechanismState(const Mechanism<D>& m);

  TreeState<D, S> tree;
  std::vector<LineDof<D, S>> dofs;  // per path coordinate
  std::vector<LineState<D, S>> ports, springs;
  std::vector<ConstraintState<D, S>> constraints;
  std::vector<S> s, s_dot;                     // per port [m or rad], [m/s or rad/s]
  std::vector<S> Phi, Phi_dot, Phi_ddot;       // per row; Phi of velocity rows is zero
  std::vector<S> jacobian;                     // per velocity: Phi_q, and B of velocity rows
  std::vector<S> jacobian_q;                   // per position increment (of velocity rows: B); empty if identical, without spherical joints
  std::vector<S> violation;                    // per row: violations closed by the steps of the penalty treatment, see update_violations
  std::vector<double> rate_gradient;           // as jacobian, of velocity rows: d(B v) per position increment at constant v
  std::vector<MotionValue<S>> motion;          // at the current time
  std::vector<S> body_load, joint_load, soil;  // factors at the current time

  const S* increment_jacobian() const { return jacobian_q.empty() ? jacobian.data() : jacobian_q.data(); }
};

/// Signals of loads and motions at time t.
template <int D, class S>
void update_inputs(const Mechanism<D>& m, const Signals& signals, double t, Side side, MechanismState<D, S>& state);

/// Motions that follow control blocks, at the states y of the blocks and their rates.
template <int D, class S>
void update_followed_motions(const Mechanism<D>& m, const S* y, const S* ydot, MechanismState<D, S>& state) {
  for (std::size_t i = 0; i < m.motions.size(); ++i)
    if (const PrescribedMotion& motion = m.motions[i]; motion.follows_block())
      state.motion[i] = {y[motion.state], motion.rate_scale * y[motion.state + 1], motion.rate_scale * ydot[motion.state + 1]};
}

/// Position stage of everything: tree, ports, springs, Phi and its Jacobian. `increment` as in tree.h.
template <int D, class S>
void update_positions(const Mechanism<D>& m, const S* q, const S* increment, MechanismState<D, S>& state);

/// Velocity stage: tree, port and spring rates.
template <int D, class S>
void update_rates(const Mechanism<D>& m, const S* v, const S* a, MechanismState<D, S>& state);

/// The part of it beyond the tree, whose velocity stage is complete.
template <int D, class S>
void update_line_rates(const Mechanism<D>& m, MechanismState<D, S>& state);

/// After update_rates: r = M a - Q without ports and constraints (overwritten); accumulates inertias for the tangent when `with_inertia`.
template <int D, class S>
void inverse_dynamics(const Mechanism<D>& m, const S* q, const S* v, bool with_inertia, MechanismState<D, S>& state, S* r);

/// r -= forces of the loads with factor `signal`, per unit of it.
template <int D>
void add_loads_of(const Mechanism<D>& m, SignalIndex signal, const MechanismState<D>& state, double* r);

/// r -= F s_k for every port from number `first`, r += Phi_q^T multipliers.
template <int D, class S>
void add_port_forces(const Mechanism<D>& m, const S* force, const MechanismState<D, S>& state, S* r, std::size_t first = 0);
template <int D, class S>
void add_constraint_forces(const Mechanism<D>& m, const S* multipliers, const MechanismState<D, S>& state, S* r);
/// As above, and J x (overwritten, per row), with a stored Jacobian: laid out as MechanismState::jacobian.
template <int D, class S>
void add_constraint_forces(const Mechanism<D>& m, const S* multipliers, const S* jacobian, S* r);
template <int D>
void jacobian_product(const Mechanism<D>& m, const double* jacobian, const double* x, double* result);

/// T += dr/d(theta) of inverse_dynamics, nv x nv. Also fills the ports' and springs' rate gradients.
/// Tangents are assembled into any `Entries` of base/system_matrix.h, in an order that does not depend on the state.
template <int D, class Entries>
void inverse_dynamics_tangent(const Mechanism<D>& m, const IncrementFactors& f, MechanismState<D>& state, Entries& T);

/// T -= d(F s_k)/d(theta) of a push F(s, sdot) of a port.
template <int D, class Entries>
void add_port_force_tangent(const Mechanism<D>& m, const Port<D>& port, const LineState<D>& s, const LineDof<D>* dofs, double force,
                            double force_s, double force_v, const IncrementFactors& f, const TreeState<D>& tree, Entries& T);

/// Per row (overwritten): sum over its coordinates of J_k^2 / K_k, the response [m or rad per N or N m] of the row's value to a unit
/// multiplier, if each coordinate were alone with its stiffness K_k. `compliance`: 1 / K_k.
template <int D>
void row_compliances(const Mechanism<D>& m, const double* compliance, const MechanismState<D>& state, double* result);

/// T += Phi_q^T diag(factor) Phi_theta, factor per row: d(Phi_q^T factor Phi)/d(theta) at fixed Phi_q.
template <int D, class Entries>
void add_penalty(const Mechanism<D>& m, const double* factor, const MechanismState<D>& state, Entries& T);
/// As above with stored Jacobians.
template <int D, class Entries>
void add_penalty(const Mechanism<D>& m, const double* factor, const double* jacobian, const double* jacobian_q, Entries& T);
/// T += d(Phi_q^T multipliers)/d(theta) at fixed multipliers.
template <int D, class Entries>
void add_constraint_curvature(const Mechanism<D>& m, const double* multipliers, const MechanismState<D>& state, Entries& T);

/// A row's violation psi for a rule with dv = velocity dtheta: Phi [rad, m], or B v / velocity of velocity rows, in the same
/// units; after update_positions.
template <int D, class S>
void update_violations(const Mechanism<D>& m, const S* v, const IncrementFactors& f, MechanismState<D, S>& state);
/// d(B v) of velocity rows at constant v, after update_rates: rate_gradient.
template <int D>
void update_rate_gradients(const Mechanism<D>& m, MechanismState<D>& state);
/// T += factor Phi_q^T (psi_theta - jacobian_q): the rest, after add_penalty, of the tangent of Phi_q^T factor psi at fixed Phi_q.
/// Velocity rows alone, after update_rate_gradients.
template <int D, class Entries>
void add_velocity_row_penalty(const Mechanism<D>& m, const double* factor, const IncrementFactors& f, const MechanismState<D>& state,
                              Entries& T);
/// psi + psi_theta increment (overwritten, per row), after update_violations and update_rate_gradients.
template <int D>
void linearised_violations(const Mechanism<D>& m, const IncrementFactors& f, const MechanismState<D>& state, const double* increment,
                           double* result);

/// Phi + Phi_theta increment (overwritten, per row), after update_positions.
template <int D>
void linearised_constraints(const Mechanism<D>& m, const MechanismState<D>& state, const double* increment, double* result);

/// The first row of a wheel that lies flat, without a contact point, or will within the time `ahead` [s] at its angular velocity;
/// -1: none. After update_positions; if `ahead` is not zero, also after update_rates.
template <int D>
int singular_wheel_row(const Mechanism<D>& m, const MechanismState<D>& state, double ahead = 0);

/// dPhi/dt = Phi_q v + Phi_t after update_positions; B v of velocity rows.
template <int D, class S>
void constraint_rates(const Mechanism<D>& m, const S* v, MechanismState<D, S>& state);
/// d2Phi/dt2 for the velocities and accelerations of update_rates.
template <int D>
void constraint_accelerations(const Mechanism<D>& m, const double* a, MechanismState<D>& state);

}  // namespace trunnion
