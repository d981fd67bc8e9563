// Checks of descriptions built in code: the description is written as a tree and read back by the reader of model files, so that it is
// subject to the same rules.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "description/description.h"

namespace trunnion {

/// The description as it reads back: checked, axes normalised, signals of CSV files as tables. Throws InputError with all findings,
/// without positions.
Description read_back(const Description& description);

}  // namespace trunnion
