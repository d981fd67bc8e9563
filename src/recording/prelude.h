// Included before every file of the core that is compiled a second time, with recording::Number for `double` and all names in namespace
// trunnion_recorded: the equations exist once, and their recording cannot differ from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define TRUNNION_RECORDING
#define TRUNNION_NUMBERS recording

#include "recording/inputs.h"
#include "recording/number.h"
// then
#include "base/other_numbers.h"

#define trunnion trunnion_recorded
