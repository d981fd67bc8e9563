// A YAML text as a tree with the positions of its values. Duplicate keys and keys that are not plain text are refused here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "schema/tree.h"

namespace trunnion {

class InputBudget;

/// Reads one YAML document. Throws InputError for a syntax error or an exceeded limit of `budget`; duplicate keys are added to
/// `diagnostics`.
FileTree read_yaml(const std::string& text, const std::string& file, std::vector<Diagnostic>& diagnostics, InputBudget& budget);

}  // namespace trunnion
