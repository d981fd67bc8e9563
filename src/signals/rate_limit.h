// What follows a piecewise linear signal at a limited rate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace trunnion {

/// Points [t, value] of y with y = u wherever |dy/dt| <= `rate` [1/s] allows it, and |dy/dt| = rate towards u elsewhere; u: linear
/// through `points`, constant outside; two points at the same time define a jump. y begins at the first value.
std::vector<std::array<double, 2>> rate_limited(const std::vector<std::array<double, 2>>& points, double rate);

}  // namespace trunnion
