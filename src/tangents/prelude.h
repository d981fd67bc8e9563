// Included before every file of the core that is compiled again with tangents::Number for `double`, and all names in namespace
// trunnion_tangents: the equations exist once, and their derivatives cannot differ from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define TRUNNION_TANGENTS
#define TRUNNION_NUMBERS tangents

#include "tangents/number.h"
// then
#include "base/other_numbers.h"

#define trunnion trunnion_tangents
