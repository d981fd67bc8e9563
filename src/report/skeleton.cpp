// Bars between points by the Gabriel graph.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/skeleton.h"

#include <algorithm>

namespace trunnion {

std::vector<Vec<3>> distinct(const std::vector<Vec<3>>& points, double distance) {
  std::vector<Vec<3>> kept;
  for (const Vec<3>& p : points)
    if (std::none_of(kept.begin(), kept.end(), [&](const Vec<3>& other) { return (p - other).norm() <= distance; })) kept.push_back(p);
  return kept;
}

std::vector<std::pair<std::size_t, std::size_t>> skeleton(const std::vector<Vec<3>>& points) {
  std::vector<std::pair<std::size_t, std::size_t>> bars;
  for (std::size_t a = 0; a < points.size(); ++a)
    for (std::size_t b = a + 1; b < points.size(); ++b) {
      // a point sees the bar under a right angle or less where (a - p) . (b - p) >= 0: it is outside the sphere
      const bool empty = std::all_of(points.begin(), points.end(), [&](const Vec<3>& p) {
        return &p == &points[a] || &p == &points[b] || (points[a] - p).dot(points[b] - p) >= 0;
      });
      if (empty) bars.emplace_back(a, b);
    }
  return bars;
}

}  // namespace trunnion
