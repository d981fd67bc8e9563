// Code that was generated for a model, compiled and loaded: a step, or a step of lanes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"

namespace trunnion {

/// A signal in the order of the function's arguments.
struct SignalPart {
  int signal = 0, derivative = 0;
};

/// Loaded code, or why there is none. Both functions have the arguments of recording::c_function() without u.
struct CompiledCode {
  using Step = int (*)(double* x, double t, double h, const double* s, const double* e, const double* k, double* r);
  /// x, t, s, e, k, r: arrays of lanes (LaneNumbers); `lanes`: those to step. Returns those without a step.
  using StepOfLanes = unsigned (*)(double* x, const double* t, double h, const double* s, const double* e, const double* k, double* r,
                                   unsigned lanes);
  using Preparation = int (*)(const double* p, double* k);
  Step step = nullptr;
  StepOfLanes step_of_lanes = nullptr;
  Preparation prepare = nullptr;
  std::size_t prepared = 0;                        // numbers that it gives
  std::vector<std::string> parameters;             // paths of p
  std::array<std::vector<SignalPart>, 2> signals;  // at the start, at the end of the step
  std::string remark;

  /// The numbers that the functions need of a model's parameters. False: they lead to another code.
  bool prepare_for(const CompiledModel& model, std::vector<double>& numbers) const;
};

enum class CodeKind { step, lanes };

/// The model whose code has the steps of this one: the one that it is like, if it differs from that in parameters of the code alone.
std::shared_ptr<const CompiledModel> model_of_code(const std::shared_ptr<const CompiledModel>& model);

/// The code of a model of its own, from the cache or made now.
CompiledCode code_of(const std::shared_ptr<const CompiledModel>& model, CodeKind kind);

}  // namespace trunnion
