// Tables as text, for terminals and CSV files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace trunnion {

/// Pads every column to its widest cell; the first `left` columns are left-aligned, the others, numbers, right-aligned.
std::string aligned(const std::vector<std::vector<std::string>>& lines, std::size_t left);

/// A text as a cell of a CSV file, quoted if necessary.
std::string quoted(const std::string& text);

}  // namespace trunnion
