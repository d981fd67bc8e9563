// The time rule of a mechanism in an implicit step: the relations by which velocities and accelerations at the end of a stage, most rules
// have one, follow from the increment theta of the configuration since the start of the step, the unknown of Newton's method,
//   v = f_v theta + v_offset,   a = f_a theta + a_offset       per velocity coordinate
// and the predictor of theta. That is y' = gamma (y - y_hat) for q and v, with what the past contributes in the offsets; all states of the
// hydraulics have the same form with a rule of their own (hydraulics/oil_rule.h). Treatments of the constraints use these numbers only.
// What a rule keeps from step to step are lags, per velocity coordinate, in StateVector::motion_memory(): differences that vanish with the
// step. They are kept where accelerations jump, so that the means jump along; where a state was set they are unknown and taken as zero.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "machine/impulse_rule.h"
#include "mechanics/mechanism.h"
#include "model/state.h"

namespace trunnion {

/// The relations of a stage, per velocity coordinate; arrays of the caller.
struct MotionRelation {
  IncrementFactors factors;  // f_v [1/s], f_a [1/s2]
  double* theta;             // the predictor, then the unknown
  double *v_offset, *a_offset;
};

class MotionRule {
 public:
  virtual ~MotionRule() = default;
  /// Stages of a step, 1 ... stages(), one after the other, each solved by Newton's method; the last ends at the end of the step. With
  /// more than one, the hydraulics have the same (Esdirk3).
  virtual int stages() const { return 1; }
  /// End of a stage, of the step.
  virtual double time(int /*stage*/) const { return 1; }
  /// Starts a stage of a step of h [s] from a state: factors, offsets and predictor.
  virtual void begin(int stage, const StateVector& from, double h, MotionRelation& relation) = 0;
  /// A stage but the last is solved.
  virtual void keep(int /*stage*/, const StateVector& /*end*/) {}
  /// Writes the memory of the end of a step, of which all other parts are there.
  virtual void finish(const StateVector& /*from*/, double /*h*/, const double* /*theta*/, StateVector& /*end*/) const {}
  /// Whether positions exceed the integral of the velocities by h^3/12 d2v/dt2 in every step, which stabilised constraints compensate
  /// (solve/baumgarte.h).
  virtual bool is_trapezoidal() const { return false; }
  /// Weights by which forces at the ends of steps change the velocities; none: of states within the step, too.
  virtual std::optional<ImpulseRule> impulse_rule() const { return std::nullopt; }
};

/// The rule of an implicit integrator for nv velocities.
std::unique_ptr<MotionRule> make_motion_rule(const SolverDescription& solver, int nv);

/// That of the steps at whose ends a machine is observed; none: of states within them, too.
std::optional<ImpulseRule> impulse_rule_of(const Description& description);

}  // namespace trunnion
