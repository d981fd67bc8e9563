// A description as a tree, by visiting the table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schema/table.h"
#include "schema/tree.h"

namespace trunnion {

/// Every value in SI units, defaults included; unset optional values are omitted.
FileTree write_tree(const Description& description);

/// The value of one key as a tree; null if unset.
FileTree write_value(const Key& key, const Slot& slot);

}  // namespace trunnion
