// The parameters of a model: its numbers that can be changed without changing counts, names and lengths of lists. Shapes for
// reports and the sections `solver`, `coupling` and `record` are excepted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "description/description.h"

namespace trunnion {

struct Parameter {
  std::string path;     // as of `--set`: `cylinders.lift.bore`, `gravity.2`
  const char* unit;     // SI; empty for plain numbers
  const char* meaning;  // one line
  double* value;        // in the description
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  bool min_excluded = false;
};

/// All parameters of a description, in the order of the file. Pointers are valid while the structure of the description is unchanged.
std::vector<Parameter> parameters_of(Description& description);

/// Values [SI] of the parameters with these paths; NaN where the description has none.
std::vector<double> values_of(Description description, const std::vector<std::string>& paths);

/// Sets the parameters with these paths [SI].
void set_values(Description& description, const std::vector<std::string>& paths, const std::vector<double>& values);

/// Whether a path with `*` for any letters of a name fits a parameter's path.
bool fits_path(std::string_view pattern, std::string_view path);

}  // namespace trunnion
