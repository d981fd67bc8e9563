// Values that are possible but implausible: wrong units, steps that are too long. They cause warnings, never errors.
//   units        a displacement without /rev or /rad; moduli, pressures and diameters outside the range of real machines
//   commands     beyond the signal at which a valve is fully open
//   the run      steps longer than a tenth of the duration, excessive number of steps
//   geometry     springs whose ends coincide
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "description/description.h"

namespace trunnion {

/// All findings, those of the reader about units included.
std::vector<Diagnostic> doubtful_values(const Description& description);

/// The texts of the findings as warnings.
std::vector<std::string> plausibility_warnings(const Description& description);

}  // namespace trunnion
