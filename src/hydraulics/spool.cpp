// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/spool.h"

#include <cmath>

namespace trunnion {

namespace {

/// Below this a decaying spool is at rest: numbers that small are slow and mean nothing.
constexpr double kAtRest = 1e-200;

double settled(double x) { return x < kAtRest && x > -kAtRest ? 0 : x; }

void advance_first_order(const Spool& spool, double u_begin, double u_end, double h, double* y) {
  const double k = h / (2 * spool.time_constant), U = *y;
  double next = (U * (1 - k) + k * (u_begin + u_end)) / (1 + k);
  if (std::isfinite(spool.rate_limit)) {
    const double begin = spool.limited((u_begin - U) / spool.time_constant);
    next = (U + h / 2 * begin + k * u_end) / (1 + k);
    const double end = (u_end - next) / spool.time_constant;
    if (std::abs(end) > spool.rate_limit) next = U + h / 2 * (begin + spool.limited(end));
  }
  *y = settled(next);
}

void advance_second_order(const Spool& spool, double u_begin, double u_end, double h, double* y) {
  double begin[2];
  spool_rates(spool, u_begin, y, begin);
  const double w = spool.frequency, along = y[0] + h / 2 * begin[0], inertia = 1 + spool.damping * w * h;
  const auto rate = [&](double x, double share) { return (y[1] + h / 2 * (begin[1] + w * w * (u_end - x))) / (inertia + share); };
  double v = rate(along, w * w * h * h / 4), x = along + h / 2 * v;
  if (std::abs(v) > spool.rate_limit) {
    x = along + h / 2 * spool.limited(v);
    v = rate(x, 0);
  }
  y[0] = settled(x);
  y[1] = settled(v);
}

}  // namespace

void advance_spool(const Spool& spool, double u_begin, double u_end, double h, double* y) {
  if (spool.follows())
    *y = u_end;
  else if (spool.second_order())
    advance_second_order(spool, u_begin, u_end, h, y);
  else
    advance_first_order(spool, u_begin, u_end, h, y);
}

}  // namespace trunnion
