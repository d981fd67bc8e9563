// Piecewise linear response of a rate limiter to a piecewise linear signal, exact: its corners are where it meets or leaves the signal.
// SPDX-License-Identifier: BSD-3-Clause
#include "signals/rate_limit.h"

#include <cmath>

namespace trunnion {

std::vector<std::array<double, 2>> rate_limited(const std::vector<std::array<double, 2>>& points, double rate) {
  std::vector<std::array<double, 2>> out;
  if (points.empty()) return out;
  out.push_back(points.front());
  double y = points.front()[1];
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto [begin, from] = points[i - 1];
    const auto [end, to] = points[i];
    const double h = end - begin, slope = h > 0 ? (to - from) / h : 0;
    if (h <= 0) continue;
    double t = 0;
    if (y != from) {  // approach at the largest rate until it meets the signal
      const double speed = std::copysign(rate, from - y), meeting = (from - y) / (speed - slope);
      t = meeting > 0 && meeting < h ? meeting : h;
      y = t < h ? from + slope * t : y + speed * h;
      out.push_back({t < h ? begin + t : end, y});
    }
    if (t >= h) continue;
    y = std::abs(slope) <= rate ? to : y + std::copysign(rate, slope) * (h - t);
    out.push_back({end, y});
  }
  const auto [last, target] = points.back();
  if (y != target) out.push_back({last + std::abs(target - y) / rate, target});
  return out;
}

}  // namespace trunnion
