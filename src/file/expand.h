// Repeated structure: what `include`, `parameters`, `templates` and `parts` stand for is put in their place, so that a tree of plain
// sections remains, which the table describes. `$(name)` stands for a parameter, `$(expression)` for a number computed from parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "file/model_file.h"
#include "file/tree.h"

namespace trunnion {

struct ExpandedTree {
  FileTree written;   // with the files that it includes, and the overrides of parameters, templates and parts
  FileTree expanded;  // that with everything put in its place, and all other overrides; no such sections any more
  bool complete;      // nothing was wrong with them
};

/// Reads YAML text into a tree, expands it and applies the overrides. Findings are added to `diagnostics`. A syntax error is thrown as
/// InputError.
ExpandedTree read_expanded(const std::string& text, const std::string& file, const std::vector<Override>& overrides,
                           std::vector<Diagnostic>& diagnostics);

}  // namespace trunnion
