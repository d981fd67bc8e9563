// The value behind a key of the table in words, for the reference and for `trunnion explain`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "file/table.h"

namespace trunnion {

/// "number [m], > 0", "`penalty`, `double_step`", "3 x number [m/s^2]", ...
std::string value_words(const Key& key, const Slot& slot);

/// What stands there where the file says nothing, as it would be written; empty where nothing does.
std::string default_words(const Key& key, const Slot& slot);

/// A value as one would write it, by the example of the key's measure or the first word of a choice; empty where the table has none.
std::string example_words(const Key& key, const Slot& slot);

}  // namespace trunnion
