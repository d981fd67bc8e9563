// What can be said about a machine before it runs: degrees of freedom, redundant constraints, missing inertia.
//   rank of Phi_q by elimination row by row, loops in file order: a row of which the rows before it leave nothing is redundant
//   rows that hold for positions first, then those that hold for velocities alone
//   degrees of freedom = velocities - rank;  of positions: velocities - rank of the first
//   inertia is missing at a coordinate whose pivot in M = L^T D L (tips first: the articulated inertia) vanishes; fatal where the
//   constraints do not hold it either, for then no force decides its acceleration
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
  int position_degrees_of_freedom = 0;  // more than that where rows hold for velocities alone
  std::vector<RedundantRows> redundant;
};

/// Constraints at the assembled start.
Analysis analyse(const Model& model);

struct MissingInertia {
  std::vector<std::string> velocities;  // `rod.rate_x`: nothing resists its acceleration
  bool singular = false;                // so that the machine cannot be simulated
};

/// Inertia at the assembled start.
MissingInertia find_missing_inertia(const Model& model);

}  // namespace trunnion
