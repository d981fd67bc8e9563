// Counts allocations of the test program, to show that a piece of code makes none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace trunnion::test {

/// Calls of operator new since the program started.
long allocations();

/// False if another operator new is in use (a sanitizer's, say), so that nothing is counted.
bool allocations_are_counted();

}  // namespace trunnion::test
