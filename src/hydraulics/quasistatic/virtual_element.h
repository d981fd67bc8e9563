// Virtual viscoelastic element between a quasistatic actuator and its mechanism: makes the set-valued map usable in a simulation.
//      mechanism o--[K, B]--o actuator         l, ldot: length of the port and its rate; p: length of the actuator, the state
//   f = K (p - l) + B (pdot - ldot) in Gamma(pdot)                                               (68)
// As an ordinary differential equation:  pdot = Lambda(B, K (p - l) - B ldot)                    (70)
// Implicit Euler:  v = Lambda(B + h K, K (p_old - l) - B (l - l_old) / h),  p = p_old + h v       (71), (72)
// Source: paper "nonsmooth quasistatic hydraulics", section 4.1.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/scalar.h"

namespace trunnion {

/// Line f = beta v + fbar of the element in the plane of v and f; rotary actuators: per rad.
struct LoadLine {
  double beta = 0;  // [N s/m]
  double fbar = 0;  // [N]
};

struct VirtualElement {
  double stiffness = 0;  // [N/m]   K
  double damping = 0;    // [N s/m] B

  /// (70): beta is B.
  template <class S>
  TR_INLINE S fbar(const S& p, const S& l, const S& l_dot) const {
    return stiffness * (p - l) - damping * l_dot;
  }
  /// (72) over a step h from p_old, l_old.
  TR_INLINE LoadLine implicit_line(double p_old, double l_old, double l, double h) const {
    return {damping + h * stiffness, stiffness * (p_old - l) - damping * (l - l_old) / h};
  }
};

}  // namespace trunnion
