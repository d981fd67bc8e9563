// Descriptions by the table of keys (schema/table.h), independent of files: checked, and as text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "description/description.h"

namespace trunnion {

/// Findings of a description beyond the form of its values: unresolved names, joints that form no tree, impossible inertias, friction
/// laws without their parameters, unsupported combinations of solver choices. Functions that read a text include this; for descriptions
/// built in code.
std::vector<Diagnostic> check_description(const Description& description);
/// Those of a description that differs from a checked one in parameters only (schema/parameters.h).
std::vector<Diagnostic> check_parameters(const Description& description);

/// SI unit of the value at `path` (of its elements, where it is a list); empty for plain numbers and unknown paths.
std::string unit_at(const Description& description, const std::string& path);

/// The description with signals from CSV files as tables, except those whose points are not set: so that it can be written to another
/// folder.
Description without_csv_files(Description description);

/// The whole description as YAML in SI units, defaults included; reads back as the same description.
std::string write_model(const Description& description);

/// The same as JSON text.
std::string write_model_json(const Description& description);

}  // namespace trunnion
