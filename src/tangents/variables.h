// Parameters of a model as variables; compiled with tangents::Number (prelude.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "schema/compact.h"
#include "schema/parameters.h"
#include "tangents/number.h"

namespace tangents {

/// The description with parameters as variables.
inline trunnion::Description with_variables(const std::string& compact, const std::vector<std::string>& parameters) {
  trunnion::Description description = trunnion::parse_compact(compact);
  for (const trunnion::Parameter& parameter : trunnion::parameters_of(description))
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i] == parameter.path) *parameter.value = Number::variable(parameter.value->value(), static_cast<int>(i));
  return description;
}

}  // namespace tangents
