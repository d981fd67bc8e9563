// Torque loss of a displacement machine in proportion to its pressure drop, the same for pumps and motors:
//   M = f D |dp| clamp(w / w_r, -1, 1)
// Continuous at standstill; its slope at |w| = w_r is one-sided.
// Source: Wilson 1946.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/dual.h"

namespace trunnion {

/// Speed below which the friction of a pump or motor falls to zero [rad/s].
inline constexpr double kShaftRest = 1;

/// That torque [N m], positive with positive speed w; coulomb f [-], displacement D [m3/rad].
template <class S>
S pressure_drag(double coulomb, double displacement, const S& dp, const S& w) {
  const S slides = max(S(min(S(w / kShaftRest), 1.0)), -1.0);
  return coulomb * displacement * abs(dp) * slides;
}

}  // namespace trunnion
