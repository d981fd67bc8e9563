// Sensitivities of a run: how its channels change with parameters of the model, over time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trunnion/model.h"

namespace trunnion {

struct SensitivityOptions {
  std::vector<ParameterIndex> parameters{};
  std::vector<std::string> channels{};  ///< names
  std::vector<double> times{};  ///< [s] increasing; values between steps are interpolated linearly, at a jump they are those before it
  int threads = 1;              ///< the result does not depend on it
  std::function<bool(double time)>
      progress{};  ///< called with the time [s] every few steps, by any of the threads; false ends the run by a RunError
};

/// Values of channels and their derivatives, SI.
struct Sensitivities {
  std::vector<double> times;                                  ///< [s] those reached
  std::vector<std::vector<double>> values;                    ///< of each channel, one per time
  std::vector<std::vector<std::vector<double>>> derivatives;  ///< by each parameter, of each channel, one per time
  std::string failure;                                        ///< why the run ended early; empty: it did not
};

/// Runs a model from its start, as it is stated, and differentiates the run as it is computed: exactly, through its start, its steps with
/// their iterations, and the channels. Where a run is not differentiable (a branch that changes, a number of steps that depends on a
/// parameter) it is the derivative on the side that the run took. Not in the core library. Throws ModelError for unknown channels, times
/// that do not increase or lie beyond the end, integrators without fixed steps and co-simulations.
Sensitivities response_sensitivities(const std::shared_ptr<const Model>& model, const SensitivityOptions& options);

/// Of each sum: the weights of the values of each channel, one per time.
using SumWeights = std::vector<std::vector<std::vector<double>>>;

/// Values of channels and the gradients of weighted sums of them, SI.
struct Gradients {
  std::vector<double> times;                   ///< [s] those reached
  std::vector<std::vector<double>> values;     ///< of each channel, one per time
  std::vector<std::vector<double>> gradients;  ///< of each sum, by each parameter; none if the run ended early
  std::string failure;                         ///< why the run ended early; empty: it did not
};

/// The gradients of sums of channel values with respect to any number of parameters, backwards: the time does not depend on their number,
/// only a little on that of the sums. `options.parameters` empty: all parameters of the model. `weigh` receives the values and returns the
/// weights, d sum / d value, and so the gradient of any function of the values, such as 2 (y - y_wanted). The result is that of
/// response_sensitivities(), to rounding. Throws as that, for channels that sum over the run (`energy.` but kinetic, potential, spring,
/// cylinder), and for weights of other sizes.
Gradients response_gradients(const std::shared_ptr<const Model>& model, const SensitivityOptions& options,
                             const std::function<SumWeights(const std::vector<std::vector<double>>& values)>& weigh);

}  // namespace trunnion
