// Values that are possible but hardly meant: units mixed up, steps that resolve nothing. They are warned of, never refused.
//   units        a displacement without /rev or /rad; moduli, pressures and diameters far beyond any machine's
//   commands     beyond the signal at which a valve is fully open
//   the run      steps longer than a tenth of the duration, more steps than anyone waits for
//   geometry     springs whose ends coincide
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "description/description.h"

namespace trunnion {

/// Doubtful units, by the dimension of each value that was written with a unit: what the values in SI no longer show.
std::vector<Diagnostic> doubtful_units(const Description& description, const std::map<std::string, Dimension>& dimensions);

/// All findings, those of units included.
std::vector<Diagnostic> doubtful_values(const Description& description);

/// Their texts as warnings.
std::vector<std::string> plausibility_warnings(const Description& description);

}  // namespace trunnion
