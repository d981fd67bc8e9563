// The coordinates that move point or body B relative to body A: the two branches below their last common ancestor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/scalar.h"

namespace trunnion {

/// One coordinate of a path. Branch B first, then branch A, each from the base to the tip.
struct PathDof {
  int dof;   // velocity index
  int node;  // its tree node
  int sign;  // +1 on branch B, -1 on branch A
};

/// A range of a flat list of path coordinates.
struct Range {
  int begin = 0, end = 0;
  int size() const { return end - begin; }
};

/// Rules of the integrator: dv = velocity d(theta), da = acceleration d(theta).
struct IncrementFactors {
  double velocity = 0;      // [1/s]
  double acceleration = 0;  // [1/s2]
};

/// Whether path coordinate `l` moves the axis of `k`: same branch, an earlier node.
/// (Coordinates of one joint do not move each other's axes.)
TR_INLINE bool carries(const PathDof& l, int l_index, const PathDof& k, int k_index) {
  return l.sign == k.sign && l_index < k_index && l.node != k.node;
}

}  // namespace trunnion
