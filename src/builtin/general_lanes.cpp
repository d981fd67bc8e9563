// Instead of lanes/general_lanes.cpp: without them.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/general_lanes.h"

namespace trunnion {

MakeGeneralLanes general_lanes_factory() { return nullptr; }

}  // namespace trunnion
