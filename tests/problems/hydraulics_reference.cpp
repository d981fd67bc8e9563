// Lagged signals of the reference solutions: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/hydraulics_reference.h"

#include <cstddef>

namespace trunnion::problems {

LaggedSignal::LaggedSignal(std::vector<std::array<double, 2>> points, double tau) : tau_(tau) {
  double level = points.front()[1];  // at rest on the first value
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool last = i + 1 == points.size();
    if (!last && points[i + 1][0] == points[i][0]) continue;  // a jump: its right value counts
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

CircuitReference paper_circuit(double length_a, double length_b, double start) {
  const double pi = std::acos(-1.0);
  constexpr double kBore = 0.080, kRod = 0.035, kThrottle = 6e-3;
  CircuitReference c{};
  c.supply = 7.6e6;
  c.tank = 0.1e6;
  c.valve_c = 24e-3 / 60 / (10 * std::sqrt(35e5));
  c.throttle_c = 0.8 * pi / 4 * kThrottle * kThrottle * std::sqrt(2 / 850.0);
  c.bulk_oil = 1.5e9;
  c.bulk_hose = 0.15e9;
  c.bulk_cylinder = 31.5e9;
  c.hose_1 = 3.14e-5;
  c.hose_2 = 7.85e-5;
  c.hose_3 = 4.71e-5;
  c.area_a = pi / 4 * kBore * kBore;
  c.area_b = pi / 4 * (kBore * kBore - kRod * kRod);
  c.length_a = length_a;
  c.length_b = length_b;
  c.start = start;
  return c;
}

}  // namespace trunnion::problems
