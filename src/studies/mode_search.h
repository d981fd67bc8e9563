// Values of a parameter at which eigenvalues of a linear model reach a damping ratio: where g(lambda) = Re lambda + zeta |lambda| is zero,
// which for zeta = 0 is the limit of stability. g is followed over a grid of the range, for all eigenvalues together (their largest g) or
// along the branch of one mode, and every change of its sign is refined by the Illinois method.
// Source: root locus, branches of spectra/branches.h; M. Dowell, P. Jarratt, BIT 11 (1971) (Illinois method).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "file/variation.h"
#include "studies/linear_case.h"

namespace trunnion {

struct ModeSearchRequest {
  std::string path;          // of a number in the model file
  ValueRange range;          // of its values; [SI] in find_crossings
  double damping_ratio = 0;  // [-] zeta, below 1
  std::optional<int> mode;   // number of the followed eigenvalue at the model's own value, from 1; otherwise all
};

struct ModeCrossing {
  double value = 0;             // [SI] of the parameter
  double below = 0, above = 0;  // values that enclose it
  bool better_below = true;     // more damping than zeta at smaller values
  Eigenvalue eigenvalue;
  std::vector<std::string> states;  // main ones
};

struct ModeSearch {
  ModeSearchRequest of;
  std::vector<ModeCrossing> crossings;  // by increasing value
  /// Evaluated values, ascending, and g [1/s] there.
  std::vector<double> values, g;
  std::vector<std::string> failures;  // values of the grid without linear model, and why
};

/// `linear_case_at`: the linear model with the parameter at a value [SI]. `own`: the linear model as it is, whose parameter
/// has the value `own_value` [SI]. Throws InputError if there is no such mode.
ModeSearch find_crossings(const ModeSearchRequest& request, const LinearCase& own, double own_value,
                          const std::function<LinearCase(double value)>& linear_case_at);

std::string mode_search_json(const ModeSearch& search);
/// One line per crossing.
std::string mode_search_text(const ModeSearch& search);

}  // namespace trunnion
