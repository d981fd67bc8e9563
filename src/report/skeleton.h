// Bars between points, for bodies without a shape, by the Gabriel graph: two points are joined if the sphere on their segment as diameter
// contains no other. The bars are connected, none crosses another in a plane, and the body looks like a truss.
// Source: Gabriel, Sokal 1969 (A new statistical approach to geographic variation analysis).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "spatial/spatial.h"

namespace trunnion {

/// The points without those within `distance` of a previous one.
std::vector<Vec<3>> distinct(const std::vector<Vec<3>>& points, double distance);

/// Pairs of indices of points joined by a bar; points are distinct.
std::vector<std::pair<std::size_t, std::size_t>> skeleton(const std::vector<Vec<3>>& points);

}  // namespace trunnion
