// Derivative of a step: of the map from the state before a fixed step h to the state after it,
//   dx1 = F dx0 + G du     in the minimal vector of linear models (minimal_state.h), increments of the tangent space at both ends
// x0 is the state before as it is set: dependent positions, velocities, accelerations, rates, multipliers and the memory of the oil's rule
// are its consistent functions, as MinimalState::set makes them. What a running state has beside them is held: the lag of the oil's rule
// (zero with `oil_rule: trapezoidal`) and departures of its accelerations from consistency. x1 is read in the same independent
// coordinates. An input is that of the linear model; its change du is added to the signal at both ends of the step, the start included. An
// input of the model acts through all signals that depend on it; where it is multiplied by a function of time, by the mean over the step.
// Rotations of spherical joints are increments theta in the parent's axes, exp(theta) R.
//
// The discrete equations of the step are differentiated at the states before and after it; every tangent is evaluated anew there. With
// c = T(theta)^-1 (dx1 - exp(theta) dx0) the change of the increment theta over the step (one-axis joints: dx1 - dx0):
//   double-step   c - h/2 (v0' + v1') = 0,  v1' - v0' - h/2 (a0' + a1') = 0 in the independent coordinates of the step,
//                 c - h/2 (v0' + v1') = 0 in velocity-dependent ones; all changes by the chain rule of solve/closed_loops.h
//   penalty       R^T dr = 0, dPhi = 0, d(B v) = 0 for v' = 2/h c - v0', a' = 4/h^2 c - 4/h v0' - a0' of all coordinates; then the
//                 projection of the velocities, W (v - v1) = J^T mu, J v1 + Phi_t = 0:
//                   (R^T W R) w' = R^T W (v' - v1'|w'=0) - R^T (d(J^T) mu - dW (v - v1)),   v1' = v1'|w'=0 + R w'
//                 in the last term, of the size of the violation v - v1, J^T mu - W (v - v1) is differentiated by central differences
//                 and likewise c = 1/2 W^-1 (dM w - dJ^T kappa), by which the mean of the directions at both ends changes v1
//   baumgarte     without constraints only: the correction of its positions, solve/baumgarte.h, is not differentiated
//   oil           f d(dN) - ((1 - rho^2)/2 + rho) dQ0 - dQ1 = 0 for every volume, the same with y for all other states (oil_rule.h); the
//                 change of a content is antisymmetric in the two ends of a step, so that its derivatives at the start are those of the
//                 reversed step
//   explicit      the chain rule over the stages, each with the derivative of the rates at its state
// Steps with control blocks, of the other implicit rules, and of Baumgarte's trapezoidal rule with constraints are differentiated by
// numbers that have derivatives (step_columns.h), which also give those with respect to parameters, P. There the inputs are those of the
// model alone; lags of a rule are held.
// The equations of each rule: step_derivative.h and the files that it names. Derivation: docs/theory.md, "Derivative of a step".
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "linearise/linear_model.h"
#include "linearise/minimal_state.h"
#include "solve/stepper.h"

namespace trunnion {

class StepDerivative;

class TransitionMap {
 public:
  /// Independent coordinates are selected at `reference`. Throws Error for integrators and couplings without a fixed monolithic step, for
  /// discrete quasistatic circuits, and in the core library for what is not differentiated by equations.
  TransitionMap(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference);
  ~TransitionMap();
  TransitionMap(const TransitionMap&) = delete;
  TransitionMap& operator=(const TransitionMap&) = delete;

  /// The coordinates of F and G; select() on them takes effect at the next evaluation.
  MinimalState& coordinates() { return coordinates_; }
  const std::vector<LinearVariable>& states() const { return coordinates_.variables(); }
  /// Names, units and meanings of the inputs; values at the start of the step evaluated last.
  const std::vector<LinearVariable>& inputs() const { return inputs_; }

  /// Of the step of h [s] from `before` to `after` that the stepper of the model's settings made in one part with `report`. Throws Error if
  /// it was not such a step (subdivided, another rule), SimulationError at a singular configuration. No allocation after the first call
  /// with the same coordinates, except with ali1 and by numbers with derivatives.
  void evaluate(const StateVector& before, const StateVector& after, double h, const StepOutcome& report);
  const Eigen::MatrixXd& F() const { return F_; }  // states x states
  const Eigen::MatrixXd& G() const { return G_; }  // states x inputs

  /// F and G of two steps in a row: of the second after the first.
  static void chain(const TransitionMap& second, Eigen::MatrixXd& F, Eigen::MatrixXd& G) {
    F = (second.F_ * F).eval();
    G = (second.F_ * G + second.G_).eval();
  }

 private:
  std::shared_ptr<const CompiledModel> model_;
  MinimalState coordinates_;
  std::unique_ptr<StepDerivative> work_;
  bool by_equations_ = true;
  std::vector<LinearInput>
      signals_;  // of the inputs: those that are read, and inputs of the model that act through sums and products alone
  std::vector<LinearVariable> inputs_;
  Eigen::MatrixXd F_, G_, alone_;  // alone_: G of the signals that are read, each alone
};

}  // namespace trunnion
