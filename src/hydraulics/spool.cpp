// Spool dynamics.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/spool.h"

#include <cmath>

namespace trunnion {

namespace {

/// Below this a decaying spool is at rest: such small numbers are negligible, and denormal ones slow.
constexpr double kAtRest = 1e-200;

template <class S>
S settled(const S& x) {
  return kTangents ? x : select((x < kAtRest) & (x > -kAtRest), S(0), x);
}

template <class S>
void advance_first_order(const Spool& spool, double factor, double offset, const S& u_end, S* y) {
  const double k = 1 / (factor * spool.time_constant);
  const S along = *y + offset / factor, next = (along + k * u_end) / (1 + k), rate = (u_end - next) / spool.time_constant;
  *y = settled(select(std::abs(value_of(rate)) > spool.rate_limit, S(along + spool.limited(rate) / factor), next));
}

template <class S>
void advance_second_order(const Spool& spool, double factor, const double* offset, const S& u_end, S* y) {
  const double w = spool.frequency, inertia = factor + 2 * spool.damping * w;
  const S along = y[0] + offset[0] / factor;
  const auto rate = [&](const S& x, double share) -> S { return (factor * y[1] + offset[1] + w * w * (u_end - x)) / (inertia + share); };
  S v = rate(along, w * w / factor), x = along + v / factor;
  if (std::abs(value_of(v)) > spool.rate_limit) {
    x = along + spool.limited(v) / factor;
    v = rate(x, 0);
  }
  y[0] = settled(x);
  y[1] = settled(v);
}

}  // namespace

template <class S>
void advance_spool(const Spool& spool, double factor, const double* offset, const S& u_end, S* y) {
  if (spool.follows())
    *y = u_end;
  else if (spool.second_order())
    advance_second_order(spool, factor, offset, u_end, y);
  else
    advance_first_order(spool, factor, *offset, u_end, y);
}
template void advance_spool<double>(const Spool&, double, const double*, const double&, double*);
template void advance_spool<Dual<1>>(const Spool&, double, const double*, const Dual<1>&, Dual<1>*);

}  // namespace trunnion
