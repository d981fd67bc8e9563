// Instead of external/multistep.cpp: without SUNDIALS.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/multistep.h"

namespace trunnion {

MakeMultistep multistep_factory() { return nullptr; }

}  // namespace trunnion
