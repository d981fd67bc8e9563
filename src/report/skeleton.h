// Bars between points, for bodies that have no shape: Gabriel's graph. Two points are joined where the ball over them holds no other, so
// that the bars hang together, none crosses another in a plane, and a body with points around looks like a truss.
// Source: Gabriel, Sokal 1969 (A new statistical approach to geographic variation analysis).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "spatial/spatial.h"

namespace trunnion {

/// The points without those that lie within `distance` of one before.
std::vector<Vec<3>> distinct(const std::vector<Vec<3>>& points, double distance);

/// Pairs of indices of points that a bar joins; points are distinct.
std::vector<std::pair<std::size_t, std::size_t>> skeleton(const std::vector<Vec<3>>& points);

}  // namespace trunnion
