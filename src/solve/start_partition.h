// Independent coordinates of a machine at its start, by the elimination of coordinate partitioning (partition.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace trunnion {

struct StartPartition {
  std::vector<int> independent;         // velocities, ascending, including those outside of all loops
  std::vector<int> velocity_dependent;  // velocities that follow from velocity-level constraints, while their positions are free
  std::string singular_configuration;   // path of the loop that does not determine its dependent coordinates (`loops.E`); empty: none
};

/// Partition at the assembled start.
StartPartition find_start_partition(const CompiledModel& model);

}  // namespace trunnion
