// Folders of results with one file to be written by a fuzz target.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace trunnion::fuzz {

/// Makes a report of valid results in which one file, such as `compare.csv`, contains `text`.
void report_with(const std::string& file, std::string_view text);

}  // namespace trunnion::fuzz
