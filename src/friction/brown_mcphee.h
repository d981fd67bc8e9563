// Brown-McPhee friction: one smooth, odd function of the slip speed, with u = v / v_s:
//   F = F_c tanh(4 u) + (F_s - F_c) u / (u^2 / 4 + 3/4)^2 + sigma2 v tanh(4)
// The first term is Coulomb friction, the second stiction with its maximum F_s - F_c at u = 1, the third viscous.
// Sign: F is positive with positive v. Smooth everywhere; slope at rest (4 F_c + 16/9 (F_s - F_c)) / v_s + sigma2 tanh(4).
// The factor tanh(4) on the viscous term is the paper's; Brown and McPhee's law in other papers has 1 (`viscous_factor`).
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), (24).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "friction/functions.h"

namespace trunnion {

struct BrownMcPhee {
  static constexpr int kStates = 0;

  double coulomb = 0;                         // [N]     F_c, Coulomb friction
  double static_force = 0;                    // [N]     F_s, static friction
  double stribeck_velocity = 0.01;            // [m/s]   v_s, where stiction is maximum
  double viscous = 0;                         // [N s/m] sigma2
  double viscous_factor = 0.999329299739067;  // [-]     tanh(4); 1 in the linearisation paper

  /// Friction force [N] at slip speed v [m/s].
  template <class S>
  S evaluate(const S& v, const std::array<S, 0>&, std::array<S, 0>&) const {
    const S u = v * (1 / stribeck_velocity);
    const S fall = 1 / (0.25 * u * u + 0.75);
    return coulomb * fast_tanh(S(4 * u)) + (static_force - coulomb) * u * fall * fall + (viscous * viscous_factor) * v;
  }
};

}  // namespace trunnion
