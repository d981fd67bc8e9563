// A stepper advances a machine's state by one step and reports the result. One per combination of constraint treatment and
// integrator; it is independent of files, plots and clocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/newton.h"
#include "hydraulics/oil_rule.h"
#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// How a step ended.
enum class StepStatus {
  converged,
  capped,                  // iteration cap reached, accepted by the user's setting
  stalled,                 // iteration cap reached
  diverged,                // an unknown became non-finite
  singular,                // the linear system has no solution
  end_of_stroke,           // a piston went through the end of its cylinder
  wheel_singular,          // a wheel fell flat on its plane
  open_loop,               // the dependent positions were not found
  singular_configuration,  // a loop's equations do not determine its dependent coordinates
  unstable,                // an explicit step was unstable
  below_vacuum,            // an explicit step drew more oil than a volume holds
  gave_up,                 // the variable-step integrator failed
  unresolved,              // pressures moved by more than the oil's rule resolves; the step waits for accept(), or for subdivision
};

/// How a step ends by Newton's method, which was not interrupted; `accept_capped`: the iteration cap bounds the computing time.
constexpr StepStatus status_of(NewtonVerdict verdict, bool accept_capped) {
  switch (verdict) {
    case NewtonVerdict::capped:
      return accept_capped ? StepStatus::capped : StepStatus::stalled;
    case NewtonVerdict::singular:
      return StepStatus::singular;
    case NewtonVerdict::diverged:
      return StepStatus::diverged;
    default:
      return StepStatus::converged;
  }
}

struct StepOutcome {
  StepStatus status = StepStatus::converged;
  int iterations = 0;             // linear solves of the step's Newton, or for the multipliers of ali1; 0: none
  int position_iterations = 0;    // solves for dependent positions
  double violation = 0;           // [m, -] largest |Phi| at the end
  double velocity_violation = 0;  // largest |dPhi/dt| at the end
  /// Unknown with the largest scaled increment, or the cause of failure: one numbering for velocities, then circuit unknowns, cylinders,
  /// loops.
  int worst = -1;
  int parts = 1;                          // substeps made by the run
  bool resolved = false;                  // ... because pressures jumped; or by the oil's subsystem of a co-simulation within the step
  int part_iterations = 0;                // of all substeps but the last, which is in `iterations`
  double penalty = 0;                     // largest factor of a constraint row [N/m, N m/rad]; 0: the treatment has none
  bool penalty_limited = false;           // whether a given one was outside the limits of mechanics/penalty_factors.h
  OilRule oil_rule = {};                  // by which the oil was integrated
  std::optional<double> oil_defect = {};  // [m3] co-simulation: by which the motions of pistons in both subsystems differ since the start
  bool compiled = false;                  // computed by code generated for the model
  bool switched = false;                  // begins or ends where the mode of a control block changes
  int late_block = -1;                    // whose mode changes within the step, but was changed at its end; -1: none
  double longest_step = 0;                // [s] unstable: longest stable step here; 0: unknown
  bool ok() const { return status == StepStatus::converged || status == StepStatus::capped; }
  /// Counts and largest values of a part of this step.
  void add(const StepOutcome& part) {
    resolved = resolved || part.resolved;
    iterations += part.iterations;
    part_iterations += part.part_iterations;
    position_iterations += part.position_iterations;
    violation = std::max(violation, part.violation);
    velocity_violation = std::max(velocity_violation, part.velocity_violation);
    penalty = std::max(penalty, part.penalty);
    penalty_limited = penalty_limited || part.penalty_limited;
  }
};

/// Local errors of a step, estimated by its integrator: sums of their magnitudes over its internal steps.
struct StepErrors {
  std::vector<double> coordinates;  // per velocity [rad, m]; 0 where it is not integrated
  std::vector<double> pressures;    // per volume [Pa]
};

/// Largest magnitude.
inline double largest_of(const std::vector<double>& x) {
  double size = 0;
  for (double value : x) size = std::max(size, std::abs(value));
  return size;
}

class LaneStep;

class Stepper {
 public:
  virtual ~Stepper() = default;
  /// Advances `state` by h [s]; unchanged unless the report is ok. No allocation, except in the variable-step reference.
  virtual StepOutcome step(StateVector& state, double h) = 0;
  /// Recomputes accelerations, rates and multipliers at the right limit of the signals, after a jump. No allocation.
  virtual bool restart(StateVector& state) = 0;
  /// Accepts the step last reported as unresolved.
  virtual void accept(StateVector& /*state*/) {}
  /// Advances `state` by h [s] with the oil alone, in substeps as short as its pressures require, and the mechanism moving by its
  /// accelerations. Calls `part` after every substep but the last, with `state` there. May allocate.
  virtual StepOutcome step_oil(StateVector& /*state*/, double /*h*/, const std::function<void(const StepOutcome&)>& /*part*/) {
    StepOutcome report;
    report.status = StepStatus::unresolved;
    return report;
  }
  /// Of the last step; null: the integrator does not estimate its error.
  virtual const StepErrors* errors() const { return nullptr; }
  /// How steps are computed, for the user; empty: by the general step, as asked.
  virtual std::string remark() const { return {}; }
  /// Compiled steps of this model, and of models that share its steps, by lanes; null: there are none, and `remark` is why, if they were
  /// asked for. The object is the same for all steppers that share their steps.
  virtual std::shared_ptr<const LaneStep> lanes(std::string& remark) const;
  /// Name of the worst unknown of a report.
  virtual std::string unknown_name(int unknown) const = 0;
};

/// The numbers of StepOutcome::worst for a cylinder and for the loop of a constraint row, and the name behind a number.
int unknown_of_cylinder(const CompiledModel& model, int cylinder);
int unknown_of_row(const CompiledModel& model, int row);
/// Of a state that sets a limit, also if it is no unknown of a step: by its index in y.
int unknown_of_state(const CompiledModel& model, int state);
std::string name_of_unknown(const CompiledModel& model, int unknown);
/// Whether every piston is inside its cylinder at lengths s [m] of the ports: chambers of zero length have no equations. The report
/// names the piston that is not.
bool pistons_inside(const CompiledModel& model, const double* s, StepOutcome& report);

/// Whether every wheel is upright, given the first row of one that is not (singular_wheel_row, mechanics/mechanism.h), which the report
/// names.
bool wheels_regular(const CompiledModel& model, int fallen_row, StepOutcome& report);

}  // namespace trunnion
