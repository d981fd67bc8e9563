// Spool dynamics.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/spool.h"

#include <cmath>

namespace trunnion {

namespace {

/// Below this a decaying spool is at rest: such small numbers are negligible, and denormal ones slow.
constexpr double kAtRest = 1e-200;

double settled(double x) { return kTangents ? x : select((x < kAtRest) & (x > -kAtRest), 0.0, x); }

void advance_first_order(const Spool& spool, double factor, double offset, double u_end, double* y) {
  const double along = *y + offset / factor, k = 1 / (factor * spool.time_constant);
  const double next = (along + k * u_end) / (1 + k), rate = (u_end - next) / spool.time_constant;
  *y = settled(select(std::abs(rate) > spool.rate_limit, along + spool.limited(rate) / factor, next));
}

void advance_second_order(const Spool& spool, double factor, const double* offset, double u_end, double* y) {
  const double w = spool.frequency, along = y[0] + offset[0] / factor, inertia = factor + 2 * spool.damping * w;
  const auto rate = [&](double x, double share) { return (factor * y[1] + offset[1] + w * w * (u_end - x)) / (inertia + share); };
  double v = rate(along, w * w / factor), x = along + v / factor;
  if (std::abs(v) > spool.rate_limit) {
    x = along + spool.limited(v) / factor;
    v = rate(x, 0);
  }
  y[0] = settled(x);
  y[1] = settled(v);
}

}  // namespace

void advance_spool(const Spool& spool, double factor, const double* offset, double u_end, double* y) {
  if (spool.follows())
    *y = u_end;
  else if (spool.second_order())
    advance_second_order(spool, factor, offset, u_end, y);
  else
    advance_first_order(spool, factor, *offset, u_end, y);
}

}  // namespace trunnion
