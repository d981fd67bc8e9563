// Instantiations of the mechanics that is assembled into sparse matrices. In a file of their own: together with the others they reach
// the compiler's limits of inlining, and small machines would pay.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/mechanism.inl.h"

namespace trunnion {

TR_INSTANTIATE_ENTRIES(2, RecordedEntries)
TR_INSTANTIATE_ENTRIES(2, ReplayedEntries)
TR_INSTANTIATE_ENTRIES(3, RecordedEntries)
TR_INSTANTIATE_ENTRIES(3, ReplayedEntries)

}  // namespace trunnion
