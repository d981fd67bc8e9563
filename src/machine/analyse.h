// Analysis of a machine before a run: degrees of freedom, redundant constraints, missing inertia.
//   rank of Phi_q by elimination row by row, loops in file order: a row that vanishes after elimination of the rows before it is redundant;
//   position-level rows first, then velocity-level rows
//   degrees of freedom = velocities - rank;  of positions: velocities - rank of the position-level rows
//   inertia is missing at a coordinate whose pivot in M = L^T D L (tips first: the articulated inertia) vanishes; an error where the
//   constraints do not hold it either: no force then determines its acceleration
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace trunnion {

/// Redundant equations of one loop or motion.
struct RedundantRows {
  std::string path;            // loops.E
  std::vector<int> equations;  // of that loop, from 1; as in its channels multiplier_1, ...
};

struct Analysis {
  int velocities = 0, rows = 0, rank = 0;
  int degrees_of_freedom = 0;           // of velocities
  int position_degrees_of_freedom = 0;  // larger than that if velocity-level rows exist
  std::vector<RedundantRows> redundant;
};

/// Constraints at the assembled start.
Analysis analyse(const CompiledModel& model);

struct MissingInertia {
  std::vector<std::string> velocities;  // `rod.rate_x`: nothing resists its acceleration
  bool singular = false;                // the machine cannot be simulated
};

/// Inertia at the assembled start.
MissingInertia find_missing_inertia(const CompiledModel& model);

}  // namespace trunnion
