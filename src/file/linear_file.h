// Matrices of control blocks from the file linear.json of `trunnion linearize`, or another file of this form: `inputs` and `outputs`, lists of
// names, and `A`, `B`, `C`, `D`, lists of rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "description/description.h"
#include "file/input.h"

namespace trunnion {

/// Replaces `file` and `output` of a block by matrices from its file in `folder`: A, the columns of B, one row of C and D. Its inputs are
/// those of the file in their order. Findings refer to the block's name path and to `span`. `limit`: maximum file size [bytes].
void read_linear_file(StateSpaceBlock& block, const std::string& folder, const std::string& path, const SourceSpan& span,
                      std::vector<Diagnostic>& diagnostics, double limit = InputLimits{}.input_size);

}  // namespace trunnion
