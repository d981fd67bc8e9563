// Lagged signals of the reference solutions: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/hydraulics_reference.h"

#include <cstddef>

namespace trunnion::problems {

LaggedSignal::LaggedSignal(std::vector<std::array<double, 2>> points, double tau) : tau_(tau) {
  double level = points.front()[1];  // at rest on the first value
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool last = i + 1 == points.size();
    if (!last && points[i + 1][0] == points[i][0]) continue;  // a jump: its right value is used
    const double slope = last ? 0 : (points[i + 1][1] - points[i][1]) / (points[i + 1][0] - points[i][0]);
    pieces_.push_back({points[i][0], points[i][1], slope, level});
    if (last) break;
    const double span = points[i + 1][0] - points[i][0];
    level = points[i][1] + slope * (span - tau) + (level - points[i][1] + slope * tau) * std::exp(-span / tau);
  }
}

double LaggedSignal::operator()(double t) const {
  if (t <= pieces_.front().t0) return pieces_.front().start;
  std::size_t i = pieces_.size() - 1;
  while (pieces_[i].t0 >= t) --i;  // at a joint of pieces both give the same value
  const Piece& piece = pieces_[i];
  const double x = t - piece.t0;
  return piece.a + piece.b * (x - tau_) + (piece.start - piece.a + piece.b * tau_) * std::exp(-x / tau_);
}

}  // namespace trunnion::problems
