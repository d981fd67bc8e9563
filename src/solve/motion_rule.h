// The time rule of a mechanism in an implicit step: the relations by which velocities and accelerations at the end of a stage follow
// from the increment theta of the configuration since the start of the step, the unknown of Newton's method,
//   v = f_v theta + v_offset,   a = f_a theta + a_offset       per velocity coordinate
// and the predictor of theta. That is y' = gamma (y - y_hat) for q and v, with what the past contributes in the offsets; hydraulics have
// the same form with a rule of their own (hydraulics/oil_rule.h). Treatments of the constraints know a rule by these numbers only.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

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
  /// Starts a step of h [s] from a state: its factors, offsets and predictor.
  virtual void begin(const StateVector& from, double h, MotionRelation& relation) const = 0;
};

/// The implicit trapezoidal rule: v = 2/h theta - v_n, a = 4/h^2 theta - 4/h v_n - a_n; order 2, no damping.
/// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), appendix A.
class TrapezoidalRule final : public MotionRule {
 public:
  void begin(const StateVector& from, double h, MotionRelation& relation) const override {
    relation.factors = {2 / h, 4 / (h * h)};
    for (int i = 0; i < from.layout().nv; ++i) {
      relation.theta[i] = h * (from.v()[i] + h / 2 * from.a()[i]);
      relation.v_offset[i] = -from.v()[i];
      relation.a_offset[i] = -(4 / h * from.v()[i] + from.a()[i]);
    }
  }
};

/// The rule of an implicit integrator.
std::unique_ptr<MotionRule> make_motion_rule(const SolverDescription& solver);

}  // namespace trunnion
