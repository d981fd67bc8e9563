// Folders of results with one file left open for a fuzz target to write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace trunnion::fuzz {

/// Makes a report of sound results in which one file, such as `compare.csv`, holds `text`.
void report_with(const std::string& file, std::string_view text);

}  // namespace trunnion::fuzz
