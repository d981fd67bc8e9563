// Coulomb and viscous friction without stiction, smooth through zero:
//   F = F_c tanh(4 v / v_s) + sigma2 v
// The Coulomb part is that of Brown and McPhee: it reaches 99.93 % of F_c at v_s. Sign: F is positive with positive v.
// Validity: v_s is a regularisation here; below it the law creeps instead of sticking. Slope at rest 4 F_c / v_s + sigma2.
// Source: the Coulomb and viscous terms of Jaiswal, Sopanen, Mikkola 2021 (friction), (24).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "friction/functions.h"

namespace trunnion {

struct CoulombViscous {
  static constexpr int kStates = 0;

  double coulomb = 0;               // [N]     F_c, Coulomb friction
  double stribeck_velocity = 0.01;  // [m/s]   v_s, where the Coulomb part is reached
  double viscous = 0;               // [N s/m] sigma2

  /// Friction force [N] at slip speed v [m/s].
  template <class S>
  S evaluate(const S& v, const std::array<S, 0>&, std::array<S, 0>&) const {
    return coulomb * fast_tanh(S(v * (4 / stribeck_velocity))) + viscous * v;
  }
};

}  // namespace trunnion
