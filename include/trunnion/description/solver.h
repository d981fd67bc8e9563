// Solver and co-simulation of a description.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trunnion/description/values.h"

namespace trunnion {

/// Coordinates of the mechanism.
enum class CoordinateKind { relative, cartesian };
/// Treatments of loop constraints.
enum class ConstraintKind { penalty, double_step, ali1, baumgarte };
/// Time integration methods.
enum class IntegratorKind { trapezoidal, rk4, semi_implicit_euler, euler, cvode, ida, bdf2, generalized_alpha, hht, esdirk3 };
/// How mechanism and hydraulics are solved.
enum class CouplingKind { monolithic, cosimulation };
/// Iteration of the multipliers of the penalty treatment.
enum class MultiplierIteration {
  refined,  ///< the linearised constraints are closed in every iteration, and multipliers belong to the projected accelerations
  plain     ///< lambda += alpha Phi per iteration, as in the papers: convergence and results depend on the penalty
};
/// Derivatives of Newton iterations.
enum class TangentKind { exact, forward_difference };
/// Whether code generated for the model and compiled on this machine computes the steps.
enum class CompiledKind {
  off,
  on,
  automatic,  ///< where such code is cached, or the run takes longer than to make it
};

/// Time rule of the hydraulics in implicit steps.
enum class OilRuleKind {
  automatic,    ///< alpha rule, steps subdivided where pressures jump
  alpha,        ///< the same without subdivision
  trapezoidal,  ///< as in the papers
};

/// Index-1 augmented Lagrangian: d2Phi/dt2 + 2 xi omega dPhi/dt + omega^2 Phi = 0 by iteration of the multipliers.
struct Ali1Description {
  double xi = 1;              ///< [-]
  Automatic<double> omega{};  ///< [1/s]; auto: 3.2 (gravity / extent)^0.5
  Automatic<double> alpha{};  ///< [kg, kg m2] penalty on accelerations; auto: per constraint, 3e8 times its effective inertia
};

/// Generalised-alpha rules: `generalized_alpha` (Chung, Hulbert) and `hht` (Hilber, Hughes, Taylor).
struct GeneralizedAlphaDescription {
  double rho = 0.8;  ///< [-] spectral radius at infinity, 0 ... 1; of `hht` 0.5 ... 1; 1: no damping
};

/// The solver.
struct SolverDescription {
  CoordinateKind coordinates = CoordinateKind::relative;
  ConstraintKind constraints = ConstraintKind::penalty;
  IntegratorKind integrator = IntegratorKind::trapezoidal;
  CouplingKind coupling = CouplingKind::monolithic;
  TangentKind tangent = TangentKind::exact;
  CompiledKind compiled = CompiledKind::off;
  std::vector<std::string> compiled_parameters;  ///< paths of numbers that this code takes as arguments; `*`: any name
  double step = 1e-3;                            ///< [s]
  double duration = 10;                          ///< [s]
  Automatic<double> penalty{};                   ///< [N/m, N m/rad] alpha; auto: per constraint, 3e8 times its effective stiffness
  MultiplierIteration multipliers = MultiplierIteration::refined;
  Ali1Description ali1{};
  GeneralizedAlphaDescription generalized_alpha{};
  Automatic<Vec2d> baumgarte{};        ///< [1/s] alpha, beta of index-1 with stabilisation; auto: both 16 (gravity / extent)^0.5
  double tolerance_position = 1e-7;    ///< [rad, of the mechanism's largest lever] joint coordinates
  double tolerance_pressure = 1e-2;    ///< [Pa]
  double tolerance_other = 1e-7;       ///< bristles [m], films [-] and the rest
  double reference_tolerance = 1e-10;  ///< of the variable-step reference, relative
  int max_iterations = 20;
  int divisions = 6;                ///< halvings of a step that does not converge
  bool accept_capped = false;       ///< real time: accept after max_iterations, and count it
  bool split_jumps = true;          ///< a signal jump inside a step splits it
  bool allow_open_balance = false;  ///< large balance errors are not a failure
  OilRuleKind oil_rule = OilRuleKind::automatic;
};

// ---------------------------------------------------------------- co-simulation

/// Execution order of the subsystems in a communication step, and their inputs.
enum class CouplingScheme {
  jacobi,           ///< all from the same communication point
  gauss_seidel,     ///< in sequence; later ones use the results of earlier ones
  iterated_jacobi,  ///< repeated with interpolated inputs until the outputs agree
  sequential,       ///< hydraulics with the coupled interface model, then the mechanism with the moments of its force
  parallel,         ///< in parallel: hydraulics with the interface model, mechanism with linearised hydraulics
};
/// Variables exchanged with the hydraulic subsystems.
enum class CouplingVariables { velocity_force, velocity_pressure };
/// Prediction of the mechanism's motion between communication points.
enum class CouplingPrediction { polynomial, interface_model };
/// Which subsystem evaluates friction, viscous drag and end dampers of the cylinders.
enum class FrictionSide { mechanism, hydraulics };
/// Quadrature of the residual power of the bonds over a communication step.
enum class ResidualRule { trapezoidal, rectangular };
/// First subsystem of a Gauss-Seidel step.
enum class CouplingOrder { hydraulics_first, mechanism_first };

/// Settings of a hydraulic subsystem: the circuits of the named cylinders and volumes.
struct SubsystemDescription {
  std::vector<std::string> parts{};            ///< cylinders or volumes; their complete circuits belong to it
  std::optional<IntegratorKind> integrator{};  ///< unset: as for all
  std::optional<double> step{};                ///< [s]
};

/// Control of the communication step by the energy residual of the power bonds.
struct CouplingControlDescription {
  double tolerance = 1e-4;  ///< relative to the energy transferred through the bonds in a step
  double min_step = 1e-4;   ///< [s]; `coupling.step` is the largest
  bool corners = true;      ///< communication points at the corners of the command signals
};

/// Co-simulation of mechanism and hydraulics, for `solver.coupling: cosimulation`.
struct CosimulationDescription {
  CouplingScheme scheme = CouplingScheme::jacobi;
  std::optional<double> step{};  ///< [s] communication step; unset: solver.step
  CouplingVariables variables = CouplingVariables::velocity_pressure;
  bool acceleration = false;  ///< the mechanism also publishes accelerations
  FrictionSide friction = FrictionSide::mechanism;
  CouplingPrediction prediction = CouplingPrediction::polynomial;
  int extrapolation = 1;                         ///< order 0 to 3 of the hydraulic inputs
  std::optional<int> mechanism_extrapolation{};  ///< of the mechanism's inputs; unset: the same
  std::optional<IntegratorKind>
      integrator;  ///< of the hydraulics: euler, rk4, trapezoidal; unset: rk4, and trapezoidal where rk4 is unstable
  OilRuleKind oil_rule = OilRuleKind::automatic;  ///< of trapezoidal
  double hydraulic_step = 1e-4;                   ///< [s] of the hydraulics; adjusted to divide the communication step
  /// Of the mechanism per communication step; unset: one; in the schemes sequential and parallel as many as keep each within solver.step.
  std::optional<int> mechanism_steps{};
  CouplingOrder order = CouplingOrder::hydraulics_first;
  ResidualRule residual_rule = ResidualRule::trapezoidal;
  int max_iterations = 20;  ///< iterated Jacobi
  double tolerance = 1e-9;  ///< iterated Jacobi, relative change of outputs
  int threads = 1;
  std::optional<CouplingControlDescription> control{};
  NamedList<SubsystemDescription> subsystems{};  ///< every other circuit is a subsystem
};

}  // namespace trunnion
