// The equations of a machine, evaluated together.
//   r = M a - Q - sum F_i ds_i/dq + Phi_q^T (lambda + alpha psi)         mechanism with ports and constraints, (9), (35)
//       psi = Phi, and B v / (rule's dv/dtheta) of velocity rows
//   R = E ydot - f                                                       circuits and friction states, (13), (36), (37)
// Hydraulics and mechanism are coupled only by (s, sdot) and F of each port.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 4.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hydraulics/circuit.h"
#include "machine/augmented_lagrangian.h"
#include "machine/friction_load.h"
#include "mechanics/mechanism.h"
#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// Scratch of one evaluation, sized once; nothing in it is needed by the next evaluation.
template <int D>
struct MachineState {
  MechanismState<D> mechanism;
  HydraulicState hydraulics;
  std::vector<double> r;            // nv: mechanism residual
  std::vector<double> force;        // per port [N]
  std::vector<double> multipliers;  // per row: lambda + alpha psi

  explicit MachineState(const CompiledModel& model)
      : mechanism(std::get<Mechanism<D>>(model.mechanism)),
        hydraulics(model.hydraulics),
        r(model.layout.nv),
        force(model.hydraulics.actuators.size()),
        multipliers(model.layout.rows) {}
};

/// Signals and prescribed motions at time t.
template <int D>
void update_inputs(const CompiledModel& model, const Signals& signals, double t, Side side, MachineState<D>& state);

/// The point of an evaluation; pointers into the caller's arrays.
struct Point {
  const double* q;
  const double* v;
  const double* a;
  double* y;  // friction states that are integrated locally are written
  double* ydot;
  const double* lambda;
};

/// Velocity stage and residual at a point whose position stage is done: r with the multipliers' forces, R and, inside the parts, all
/// local derivatives.
template <int D>
void evaluate(const CompiledModel& model, const Mechanism<D>& m, const Point& at, const RateRelation& rule, MachineState<D>& state);
/// The same without the constraints, for a point whose velocity stage is done, too.
template <int D>
void evaluate_forces(const CompiledModel& model, const Mechanism<D>& m, const Point& at, const RateRelation& rule, MachineState<D>& state);

/// After the velocity stage at v, a and constraint_rates: rates of the first-order states, forces of the ports, and r = M a - Q - F ds/dq,
/// with the inertias of the subtrees.
template <int D>
void evaluate_motion(const CompiledModel& model, const Mechanism<D>& m, StateVector& at, MachineState<D>& state);

/// Accelerations, multipliers and rates of first-order states that satisfy the equations at (t, q, v, y):
/// M a + Phi_q^T lambda = Q,  Phi_q a = -gamma   by augmented Lagrangian iterations, which allow redundant rows.
/// Writes a, ydot, multipliers, and the loads of joints that friction follows, which agree with them. Does not allocate. False if the mass
/// matrix on the constraints is singular; throws SimulationError where friction grows with the load by more than it may.
template <int D>
class ConsistentRates {
 public:
  explicit ConsistentRates(const CompiledModel& model);
  bool solve(StateVector& state, Side side, MachineState<D>& work);
  /// The loads of joints that friction follows, in a step.
  FrictionLoads& loads() { return loads_; }
  /// Change of the accelerations by a generalised force, after solve(): see AugmentedLagrangian::respond().
  void respond(const double* force, double* a, const MachineState<D>& work) { lagrangian_.respond(force, a, work.mechanism); }

 private:
  /// With the friction of the loads in the state.
  bool solve_at_loads(StateVector& state, Side side, MachineState<D>& work);

  const CompiledModel& model_;
  const Mechanism<D>& m_;
  AugmentedLagrangian<D> lagrangian_;
  FrictionLoads loads_;
};

}  // namespace trunnion
