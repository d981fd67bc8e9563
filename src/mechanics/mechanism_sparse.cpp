// Instantiations of the mechanics assembled into sparse matrices. A separate file: together with the others they exceed
// the compiler's inlining limits, which would slow down small machines.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/mechanism.inl.h"

namespace trunnion {

TR_INSTANTIATE_ENTRIES(2, RecordedEntries)
TR_INSTANTIATE_ENTRIES(2, ReplayedEntries)
TR_INSTANTIATE_ENTRIES(3, RecordedEntries)
TR_INSTANTIATE_ENTRIES(3, ReplayedEntries)

}  // namespace trunnion
