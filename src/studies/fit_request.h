// What a fit is asked for, read before its first run: values of the model file that are fitted, and channels of the recording.
// Part of studies/fit.h.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "studies/fit.h"

namespace trunnion {

/// The model, its parameters at their start values, and the recorded channels. Throws InputError with every finding about the request.
Fit read_fit(const FitRequest& request);

/// Whether all paths are parameters of the model.
bool are_parameters(Description description, const std::vector<std::string>& paths);

}  // namespace trunnion
