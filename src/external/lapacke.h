// LAPACKE, whose names used here stand for those of the shared library where it is loaded on demand (external/on_demand.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <lapacke.h>

#ifdef TRUNNION_LAPACKE

#include "external/on_demand.h"

#define TR_LAPACKE(X) X(LAPACKE_dgebal) X(LAPACKE_dgeevx)

namespace trunnion {

TR_ON_DEMAND(LapackeLibrary, lapacke, TRUNNION_LAPACKE, TR_LAPACKE)

}  // namespace trunnion

#define LAPACKE_dgebal (*trunnion::lapacke().LAPACKE_dgebal)
#define LAPACKE_dgeevx (*trunnion::lapacke().LAPACKE_dgeevx)

#endif
