// Accelerations and multipliers of a mechanism at given positions, velocities and forces, by iteration of the multipliers:
//   (M + J^T alpha J) a = Q - J^T lambda - J^T alpha b,     lambda += alpha e,     e = J a + b                             (2a), (2b)
//   b = gamma + 2 alpha_s dPhi/dt + beta_s^2 Phi,           gamma = d2Phi/dt2 at a = 0
// with alpha_s = xi omega, beta_s = omega in the paper's symbols; velocity rows: b = gamma + alpha_s B v. At the fixed point e = 0 and
// M a + J^T lambda = Q. e shrinks by m/(m + alpha) per iteration, with m = (J M^-1 J^T)^-1 the inertia of a row. The iteration is
// written in increments, so that a large alpha costs no digits:
//   (M + J^T alpha J) da = Q - M a - J^T (lambda + alpha e)
// alpha has a factor per group of rows, from the inertia that the group acts on (mechanics/penalty_factors.h).
// No condition on J: rows may be redundant, or lose rank during the run. M may be singular where the constraints supply the missing
// inertia.
// Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), section 2.1.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/system_matrix.h"
#include "mechanics/mechanism.h"
#include "mechanics/penalty_factors.h"

namespace trunnion {

/// Baumgarte terms added to d2Phi/dt2 = 0: 2 alpha dPhi/dt + beta^2 Phi; alpha B v for velocity-level rows. With beta = alpha both kinds
/// of violation decay like exp(-alpha t). Zero: none.
struct Stabilisation {
  double alpha = 0, beta = 0;  // [1/s]
  /// Factors of dPhi/dt and Phi for a row [1/s], [1/s2].
  struct Factors {
    double rate, position;
  };
  Factors of(bool holonomic) const { return holonomic ? Factors{2 * alpha, beta * beta} : Factors{alpha, 0}; }
};

struct AugmentedLagrangianSettings {
  Stabilisation stabilisation;
  std::optional<double> alpha;  // [kg, kg m2] of all rows; if omitted, proportional to the inertia that each acts on
  double tolerance = 0;         // relative change of the constraint force in the last iteration; 0: iterate to rounding
  int max_iterations = 20;
};

enum class AugmentedLagrangianStatus {
  converged,  // except rows about to lose rank: near a singular configuration
  capped,     // alpha is too small
  singular,
};

template <int D>
class AugmentedLagrangian {
 public:
  AugmentedLagrangian(const Mechanism<D>& m, const AugmentedLagrangianSettings& settings);
  /// `a` and `multipliers` come in as first guesses. `state`: positions without increment, constraint_rates(v), update_rates(v, a), and
  /// inverse dynamics with inertia at `a`; the result including the ports' forces is r = M a - Q (changed). On return the velocity stage
  /// is that of the new a.
  AugmentedLagrangianStatus solve(const double* q, const double* v, const double* port_force, double* a, double* multipliers,
                                  MechanismState<D>& state, double* r);
  /// Change `a` of the accelerations by a generalised force [N, N m per velocity] at the state of the last solve(), on the constraints:
  /// M a + J^T lambda = force,  J a = 0.
  void respond(const double* force, double* a, const MechanismState<D>& state);
  int iterations() const { return iterations_; }               // linear solves of the last call
  int worst_row() const { return worst_row_; }                 // the row of the largest e
  const PenaltyFactors<D>& penalty() const { return alpha_; }  // of the last call

 private:
  template <class Entries>
  void add_matrix(const MechanismState<D>& state, Entries& P) const;
  void set_penalty_factors(const MechanismState<D>& state);
  void set_correction(const double* a, MechanismState<D>& state);

  const Mechanism<D>& m_;
  const AugmentedLagrangianSettings settings_;
  PenaltyFactors<D> alpha_;  // per row
  SystemMatrix P_;
  std::vector<double> inertia_;             // per velocity: its own
  std::vector<double> increment_;           // per velocity
  std::vector<double> force_, correction_;  // J^T lambda, J^T alpha e
  std::vector<double> e_;                   // per row: alpha e
  EffectiveMultipliers effective_;
  int iterations_ = 0, worst_row_ = -1;
};

}  // namespace trunnion
