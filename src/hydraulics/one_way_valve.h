// One-way valves that open at a pressure drop: check and relief valves.
//        A o---|>|---o B      x = max(dp - p_c, 0),   dp = p_A - p_B,   p_c the cracking pressure
//   Q = G x                   relief valve: nominal flow at the override pressure above p_c
//   Q = C f(x)                check valve: an orifice with a spring-loaded poppet; f the orifice law with its laminar zone
// Continuous and never negative; at x = 0 a kink: slope 0 below and at it, above G or C / sqrt(p_lam). Oil never gains energy: Q dp >= 0.
// Source: elementary; the ideal valves of Kikuuwe et al. (quasistatic), (39l)-(39o), are the limit of large G and C.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/orifice.h"

namespace trunnion {

struct OneWayLaw {
  double cracking = 0;     // [Pa] p_c, not negative
  double gradient = 0;     // [m3/(s Pa)] G
  double coefficient = 0;  // [m3/(s Pa^0.5)] C
  LaminarZone zone;
};

/// Excess x of a pressure drop over the cracking pressure by `above` [Pa].
/// With derivatives the kink is a parabola between -w and w. At rest the excess is 0 to rounding, and a slope that is now that of an open,
/// now that of a closed valve would multiply derivatives by 1 - h s/2 (s the reciprocal time constant of the open valve) from one step to
/// the next.
template <class S>
TR_INLINE S one_way_excess(const S& above) {
  const S x = max(above, 0.0);
  constexpr double w = 0.01;  // [Pa]
  return kTangents ? select(abs(above) < w, S((above + w) * (above + w) / (4 * w)), x) : x;
}

/// Flow [m3/s] at pressure drop dp [Pa].
template <class S>
TR_INLINE S one_way_flow(const OneWayLaw& law, const S& dp) {
  const S x = one_way_excess(S(dp - law.cracking));
  return law.gradient * x + orifice_flow(S(law.coefficient), x, law.zone);
}

}  // namespace trunnion
