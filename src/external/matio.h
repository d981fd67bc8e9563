// MATIO, whose names used here stand for those of the shared library where it is loaded on demand (external/on_demand.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <matio.h>

#ifdef TRUNNION_MATIO

#include "external/on_demand.h"

#define TR_MATIO(X) X(Mat_Close) X(Mat_CreateVer) X(Mat_VarCreate) X(Mat_VarFree) X(Mat_VarSetCell) X(Mat_VarWrite)

namespace trunnion {

TR_ON_DEMAND(MatioLibrary, matio, TRUNNION_MATIO, TR_MATIO)

}  // namespace trunnion

#define Mat_Close (*trunnion::matio().Mat_Close)
#define Mat_CreateVer (*trunnion::matio().Mat_CreateVer)
#define Mat_VarCreate (*trunnion::matio().Mat_VarCreate)
#define Mat_VarFree (*trunnion::matio().Mat_VarFree)
#define Mat_VarSetCell (*trunnion::matio().Mat_VarSetCell)
#define Mat_VarWrite (*trunnion::matio().Mat_VarWrite)

#endif
