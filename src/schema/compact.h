// The compact form of a model: one JSON text without files, includes, templates, parts and units, from which the core makes a description
// with the same checks as from a model file. It is a model file itself, as YAML contains JSON; numbers are read back bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "description/description.h"

namespace trunnion {

/// Limits of reading.
struct CompactLimits {
  std::size_t bytes = 256'000'000;
  std::size_t values = 4'000'000;  // numbers, texts, lists and mappings
  std::size_t depth = 64;          // mappings and lists within each other
};

/// The description in one line: every value in SI units, defaults included, signals of CSV files as tables. Positions in files and doubts
/// about units (DescriptionSource) are not part of it. Throws InputError for numbers that are not finite, except where
/// the file allows `.inf`.
std::string compact_text(const Description& description);

/// Reads it back. Throws InputError with all findings; `name` stands for the file in them. Refused with the position: texts that are not
/// JSON in UTF-8, control characters, repeated keys, numbers beyond those of double, more than the limits, and what needs files.
Description parse_compact(std::string_view text, const std::string& name = "compact form", const CompactLimits& limits = {});

}  // namespace trunnion
