// Repeated structure: `include`, `parameters`, `templates` and `parts` are expanded to a tree of plain sections as described by the
// table. `$(name)` stands for a parameter, `$(expression)` for a number computed from parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "file/model_file.h"
#include "schema/tree.h"

namespace trunnion {

struct ExpandedTree {
  FileTree written;   // with included files and the overrides of parameters, templates and parts
  FileTree expanded;  // expanded, with all other overrides; without those sections
  bool complete;      // expanded without findings
};

/// Reads YAML text into a tree, expands it and applies the overrides. Findings are added to `diagnostics`. A syntax error is thrown as
/// InputError.
ExpandedTree read_expanded(const std::string& text, const std::string& file, const std::vector<Override>& overrides,
                           std::vector<Diagnostic>& diagnostics);

}  // namespace trunnion
