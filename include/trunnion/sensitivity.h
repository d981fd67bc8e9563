// Sensitivities of a run: how its channels change with parameters of the model, over time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
};

/// Values of channels and their derivatives, SI.
struct Sensitivities {
  std::vector<double> times;                                  ///< [s] those reached
  std::vector<std::vector<double>> values;                    ///< of each channel, one per time
  std::vector<std::vector<std::vector<double>>> derivatives;  ///< by each parameter, of each channel, one per time
  std::string failure;                                        ///< why the run ended early; empty: it did not
};

/// Runs a model from its start, as it is stated, and differentiates the run as it is computed: exactly, through its start, its steps with their
/// iterations, and the channels. Where a run is not differentiable (a branch that changes, a number of steps that depends on a parameter) it is
/// the derivative on the side that the run took. Not in the core library. Throws ModelError for unknown channels, times that do not increase or
/// lie beyond the end, integrators without fixed steps and co-simulations.
Sensitivities response_sensitivities(const std::shared_ptr<const Model>& model, const SensitivityOptions& options);

}  // namespace trunnion
