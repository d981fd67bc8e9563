// A step with its derivatives: the core, compiled with tangents::Number (prelude.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tangents/number.h"

namespace tangents {

/// Numbers of a state (model/state.h) and its time [s].
struct StateNumbers {
  const std::vector<Real>& values;
  Real time;
};

/// The step of h [s] from `before` to `after`. Independent coordinates are those that `reference` selects.
struct StepNumbers {
  StateNumbers reference, before, after;
  Real h;
};

class TangentStep {
 public:
  /// Of a model in its compact form (schema/compact.h); `parameters`: paths of at most kVariables numbers of it. Throws std::exception.
  TangentStep(const std::string& compact, const std::vector<std::string>& parameters);
  ~TangentStep();
  TangentStep(const TangentStep&) = delete;
  TangentStep& operator=(const TangentStep&) = delete;

  /// What varies before the step.
  enum class Kind {
    state,  // of the minimal vector (linearise/minimal_state.h), positions as increments of the tangent space
    input   // of the model
  };
  /// The derivatives of the minimal vector after the step, positions as increments, with respect to `count` states or inputs from `first`
  /// on, at most kVariables: one column each. Throws std::exception where the step does not converge.
  std::vector<std::vector<Real>> columns(const StepNumbers& step, Kind kind, int first, int count);
  /// The same with respect to the parameters, the minimal vector before the step unchanged.
  std::vector<std::vector<Real>> by_parameters(const StepNumbers& step);

 private:
  struct Machine;
  template <class Vary>
  std::vector<std::vector<Real>> follow(const StepNumbers& step, std::size_t variables, Vary&& vary);
  std::unique_ptr<Machine> machine_;
  std::size_t parameters_;
};

}  // namespace tangents
