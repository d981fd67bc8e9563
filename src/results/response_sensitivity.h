// Derivatives of the channels of a run with respect to parameters of its model: dy(t)/dp of the run as it is computed, exact through its
// start, its steps with their iterations, jumps and subdivided steps, and the channels, by forward differentiation
// (tangents/tangent_run.h). They are those of the discrete run. Where the number of its steps or their lengths depends on a parameter,
// where a branch changes, or a sampled block reacts at its next instant, the run is not differentiable: a derivative is then that on the
// side that was taken. Gradients of a few sums of values with respect to any number of parameters by backward differentiation
// (tangents/gradient_run.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "model/model.h"
#include "run/channel_samples.h"
#include "trunnion/sensitivity.h"

namespace trunnion {

struct ResponseSensitivity {
  std::vector<std::vector<double>> values;                    // per channel and time, SI; shorter if the run ended early
  std::vector<std::vector<std::vector<double>>> derivatives;  // per parameter, channel and time, SI
  std::string failure;                                        // why the run ended early; empty: it did not
};

/// Of which one run gives the derivatives.
inline constexpr int kParametersOfRun = 4;

/// Why runs of the model have no derivatives; none: they have.
std::vector<Diagnostic> sensitivity_findings(const CompiledModel& model);

/// Of a run from the model's start. `parameters`: paths of numbers of the model (schema/parameters.h), each once. The result does not
/// depend on `threads`. `watch` (may be null) is called with the time [s] every few steps, by any of the threads; what it throws ends the
/// runs. Throws InputError for an unknown parameter and for a model without derivatives, Error for an unknown channel and for a start
/// without solution.
ResponseSensitivity response_sensitivity(const CompiledModel& model, const std::vector<std::string>& parameters,
                                         const std::vector<SampledChannel>& channels, int threads = 1,
                                         const std::function<void(double)>& watch = {});

struct ResponseGradient {
  std::vector<std::vector<double>> values;     // per channel and time, SI; shorter if the run ended early
  std::vector<std::vector<double>> gradients;  // per sum and parameter, SI; none if the run ended early
  std::string failure;                         // why the run ended early; empty: it did not
};

/// Of a run from the model's start: `weigh` receives the values and returns the weights of the sums. Throws what response_sensitivity
/// throws, and InputError for channels that sum over the run (energies) or describe its steps.
ResponseGradient response_gradient(const CompiledModel& model, const std::vector<std::string>& parameters,
                                   const std::vector<SampledChannel>& channels,
                                   const std::function<SumWeights(const std::vector<std::vector<double>>& values)>& weigh,
                                   const std::function<void(double)>& watch = {});

}  // namespace trunnion
