// Derivatives of a step by numbers that have derivatives, dx1 = F dx0 + G du + P dp: P, and F and G where linearise/step_derivative.h does
// not differentiate the equations of the step. The core asks for them here; the whole library has them (tangents/step_columns.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "linearise/minimal_state.h"

namespace trunnion {

/// The step of h [s] from `before`, which is on the independent coordinates of `coordinates`, to `after`.
struct StepEnds {
  const MinimalState& coordinates;
  const StateVector &before, &after;
  double h;
};

/// Columns in the states of the coordinates. Dependent coordinates of the state before, its accelerations and rates follow from what
/// varies; what a running state has beside them is held. All throw Error.
class StepColumns {
 public:
  virtual ~StepColumns() = default;
  virtual void by_states(const StepEnds& step, Eigen::MatrixXd& F) = 0;
  /// Of the inputs of the model, in their order.
  virtual void by_inputs(const StepEnds& step, Eigen::MatrixXd& G) = 0;
  /// Of the parameters, the minimal vector before the step unchanged.
  virtual void by_parameters(const StepEnds& step, Eigen::MatrixXd& P) = 0;
};

/// Of a model at its values; `parameters`: paths (schema/parameters.h).
using MakeStepColumns = std::unique_ptr<StepColumns> (*)(const CompiledModel& model, const std::vector<std::string>& parameters);

/// Null in the core library.
MakeStepColumns step_columns_factory();

}  // namespace trunnion
