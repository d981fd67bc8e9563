// Bengisu-Akay friction: a parabola from rest up to the static force at v_s, exponential decay to F_c beyond.
//   |v| <  v_s:  F = (F_s - F_s / v_s^2 (|v| - v_s)^2) sgn v            [+ sigma2 v]
//   |v| >= v_s:  F = (F_c + (F_s - F_c) exp(-xi (|v| - v_s))) sgn v  +  sigma2 v
// The parabola is F_s u (2 - |u|) with u = v / v_s, odd without a sign function. Sign: F is positive with positive v.
// The paper's (22) has the viscous term in the upper branch only and jumps by sigma2 v_s at |v| = v_s;
// continuous by default (`viscous_below_stribeck`), (22) as an option. The slope has a kink at v_s (0 below, -xi (F_s - F_c)
// above); at v_s the upper branch applies. Slope at rest 2 F_s / v_s.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), (21)-(23).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "friction/functions.h"

namespace trunnion {

struct BengisuAkay {
  static constexpr int kStates = 0;

  double coulomb = 0;                  // [N]     F_c, Coulomb friction
  double static_force = 0;             // [N]     F_s, static friction, reached at v_s
  double stribeck_velocity = 0.01;     // [m/s]   v_s
  double decay = 0;                    // [s/m]   xi, decay of the Stribeck branch
  double viscous = 0;                  // [N s/m] sigma2
  bool viscous_below_stribeck = true;  // viscous term in both branches; false: as in (22)

  /// Friction force [N] at slip speed v [m/s].
  template <class S>
  S evaluate(const S& v, const std::array<S, 0>&, std::array<S, 0>&) const {
    const S u = v * (1 / stribeck_velocity);
    const S speed = abs(v);
    const S below = static_force * u * (2 - abs(u));
    const S excess = max(S(speed - stribeck_velocity), 0.0);
    const S above = sign(v) * (coulomb + (static_force - coulomb) * exp(S(-decay * excess)));
    const S force = select(speed < S(stribeck_velocity), below, above);
    if (viscous_below_stribeck) return force + viscous * v;
    return force + select(speed < S(stribeck_velocity), 0.0, S(viscous * v));
  }
};

}  // namespace trunnion
