// The value behind a key of the table in words, for the reference and for `trunnion explain`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "schema/table.h"

namespace trunnion {

/// "number [m], > 0", "`penalty`, `double_step`", "3 x number [m/s^2]", ...
std::string value_words(const Key& key, const Slot& slot);

/// The default as it would be written; empty if there is none.
std::string default_words(const Key& key, const Slot& slot);

/// An example value, from the key's measure or the words of a choice; empty if the table has none.
std::string example_words(const Key& key, const Slot& slot);

}  // namespace trunnion
