// Included before every file of the core that is compiled again with lanes::Number for `double`, and all names in namespace trunnion_lanes:
// the equations exist once, and machines in lanes cannot differ from those alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define TRUNNION_LANES
#define TRUNNION_NUMBERS lanes

// Matrices of these numbers are aligned for whole vectors: functions of Eigen of their own, as those of the core allocate otherwise.
#define EIGEN_MAX_ALIGN_BYTES 64
#define Eigen EigenOfLanes

#include "lanes/number.h"
// then
#include "base/other_numbers.h"

#define trunnion trunnion_lanes
