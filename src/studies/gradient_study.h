// Computation of `trunnion sensitivity --gradient`: derivatives of channels at a few instants with respect to all numbers of the model
// file, backwards.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "results/response_sensitivity.h"
#include "studies/sensitivity_study.h"

namespace trunnion {

struct GradientStudy {
  struct Value {
    std::string channel, unit;
    double time = 0, value = 0;    // [s]; SI
    std::vector<double> gradient;  // by each parameter, SI
  };
  std::vector<SensitivityStudy::Named> parameters;
  std::vector<Value> values;  // per channel, its times
  std::string failure;        // why the run ended early, then there are no values; empty: it did not
};

/// `parameters`: patterns of paths; none: all parameters. `channels`: as of a SensitivityRequest. `times` [s], increasing; none: the end.
/// Throws InputError, and Error as response_gradient() does.
GradientStudy gradient_study(const std::shared_ptr<const CompiledModel>& given, const std::vector<std::string>& parameters,
                             const std::vector<std::string>& channels, const std::vector<double>& times);

/// gradient.csv: a row per parameter: `parameter`, `value`, `unit`, and for each channel and time a column `CHANNEL at TIME s`, SI.
std::string gradient_csv(const GradientStudy& study);
/// The parameters with the largest p dy/dp of each value: lines for a terminal.
std::string gradient_text(const GradientStudy& study, std::size_t most);

}  // namespace trunnion
