// A library of a user that contains the core.
// SPDX-License-Identifier: BSD-3-Clause
#include <trunnion/version.h>

const char* version_of_core() { return trunnion::kVersion; }
