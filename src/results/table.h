// Tables as text, for terminals and CSV files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace trunnion {

/// Pads every column to its widest cell; the first `left` columns to the left, the others, numbers, to the right.
std::string aligned(const std::vector<std::vector<std::string>>& lines, std::size_t left);

/// A text as a cell of a CSV file, in quotes where it needs them.
std::string quoted(const std::string& text);

}  // namespace trunnion
