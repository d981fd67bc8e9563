// A machine as an ordinary differential equation, for explicit integrators and the variable-step reference: accelerations, rates of the
// first-order states and multipliers for given positions, velocities and states. Three treatments of the constraints:
//   closed       theta_i, theta_ad, v_i of independent coordinates are given (closed_loops.h); theta_d from Phi = 0, v_d, v_ad from
//                dPhi/dt = 0 and B v = 0                                                                              (14), (15)
//   stabilised   all theta, v are given; index 1 with direct multipliers (Baumgarte),
//                    M a + J^T lambda = Q,     J a + gamma + 2 alpha dPhi/dt + beta^2 Phi = 0
//                and, where a row holds for velocities alone, J a + gamma + alpha B v = 0: both decay like exp(-alpha t) for beta = alpha
//   augmented    the same equations by iteration of the multipliers (machine/augmented_lagrangian.h), from those of the state: no
//                partition, all rows participate, singular configurations can be passed
// The first two are solved in the independent coordinates of the present partition,
//   R^T M R a_i = R^T (Q - M a_rest),   a = R a_i + a_rest,   lambda = J_d^-T (Q - M a)_d,   R = [-J_d^-1 J_i; 1]
// where a_rest, zero in the independent coordinates, satisfies the constraint equation. Redundant rows have no pivot in the partition, do
// not participate, and have no multiplier.
// Sources: Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations), section 2.2; Nonlinear Dynamics 111 (2023), doi
// 10.1007/s11071-023-08345-6, (89); Baumgarte 1972; Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), (2a), (2b).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "machine/evaluate.h"
#include "solve/partition_keeper.h"
#include "solve/reduced_inertia.h"

namespace trunnion {

enum class ConstraintTreatment { closed, stabilised, augmented };

/// Stabilisation of the constraints by the model's solver settings; none for treatments that have none.
Stabilisation stabilisation_of(const CompiledModel& model);

template <int D>
class MachineRates {
 public:
  /// The treatment is that of the model's solver settings: `double_step`: closed, `baumgarte`: stabilised, `ali1`: augmented.
  explicit MachineRates(std::shared_ptr<const CompiledModel> model);
  /// An explicit treatment that overrides the settings: closed, or stabilised; without stabilisation: plain index 1.
  MachineRates(std::shared_ptr<const CompiledModel> model, ConstraintTreatment treatment, const Stabilisation& stabilisation = {});

  const CompiledModel& model() const { return *model_; }
  const Mechanism<D>& mechanism() const { return m_; }
  ConstraintTreatment treatment() const { return treatment_; }
  ClosedLoops<D>& loops() { return loops_; }
  const ClosedLoops<D>& loops() const { return loops_; }
  PartitionKeeper<D>& keeper() { return keeper_; }
  /// Factors of dPhi/dt and Phi in the stabilised equation of a row.
  Stabilisation::Factors stabilisation(int row) const { return stabilisation_.of(m_.holonomic[row] != 0); }
  MachineState<D>& work() { return work_; }

  /// Positions and velocities of `at`, whose time, v and y are set, at increments theta from `q`. Closed: the dependent part of theta and v
  /// follows from the independent one (its value is the first guess). Spools without a time constant are set. False: see the report.
  bool place(const double* q, double* theta, Side side, StateVector& at, StepOutcome& report);
  /// After place(): a, ydot and multipliers of `at`; augmented: the input a and multipliers are the first guess.
  bool accelerate(StateVector& at, StepOutcome& report);
  /// After place(): ydot only.
  void set_state_rates(StateVector& at);
  /// After place(): states of quasistatic circuits in `at`, at the end of a step of h [s] from `begin`, where `at` has all other states:
  /// discrete ones; those of the differential form, too, if `implicit`.
  void advance_quasistatic_states(const StateVector& begin, double h, bool implicit, StateVector& at) {
    const MechanismState<D>& mech = work_.mechanism;
    trunnion::advance_quasistatic_states(netlist_, mech.s.data(), implicit ? mech.s_dot.data() : nullptr, h, begin.y(), at.y(),
                                         work_.hydraulics);
  }
  /// After accelerate(): x = (R^T M R)^-1 x.
  void solve_reduced(double* x) const { inertia_.solve(x); }
  /// Both at the state itself, as after a jump.
  bool restart(StateVector& state, StepOutcome& report);
  /// Runs attempt(), which makes a step from `state` and returns a StepOutcome, with a partition if the treatment has one.
  template <class Attempt>
  StepOutcome step(const StateVector& state, Attempt&& attempt) {
    if (treatment_ == ConstraintTreatment::augmented) return attempt();
    return keeper_.step(state, work_.mechanism, std::forward<Attempt>(attempt));
  }
  /// At the end of a step, after accelerate(): checks it, and that no wheel falls flat within the time `ahead` [s]; sets violations and
  /// the partition of `at`.
  bool finish(StateVector& at, double ahead, StepOutcome& report);

  /// After place(): residual r = M a - Q - F ds/dq + J^T lambda (per velocity) and of the constraint equation (per row) for given a and
  /// multipliers; ydot of `at` from the equations.
  void residual(StateVector& at, double* r, double* constraint);

 private:
  void set_inputs(Side side, StateVector& at);
  bool take_positions(const double* theta, const StateVector& at, StepOutcome& report);
  bool accelerate_reduced(StateVector& at, StepOutcome& report);
  bool accelerate_augmented(StateVector& at, StepOutcome& report);
  void evaluate_at(StateVector& at);

  std::shared_ptr<const CompiledModel> model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
  const ConstraintTreatment treatment_;
  const Stabilisation stabilisation_;
  MachineState<D> work_;
  ClosedLoops<D> loops_;
  PartitionKeeper<D> keeper_;
  ReducedInertia<D> inertia_;
  std::vector<double> x_, a_i_;  // accelerations: of the independent coordinates only, R times them
  std::vector<double> d_;        // per row
  double fit_ = 0;               // largest entry of R
  std::optional<AugmentedLagrangian<D>> lagrangian_;
};

/// theta_dot for velocities v at the increment theta: v itself for one-axis joints, T(theta)^-1 v for spherical joints.
template <int D>
void increment_rates(const Tree<D>& tree, const double* theta, const double* v, double* rates);

}  // namespace trunnion
