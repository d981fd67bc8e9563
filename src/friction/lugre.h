// LuGre friction: elastic bristles that deflect by q and slip once the force reaches the Stribeck curve g.
//   q_dot = v - sigma0 |v| / g(v) q
//   g(v)  = F_c + (F_s - F_c) exp(-(|v| / v_s)^n)
//   F     = sigma0 q + sigma1(v) q_dot + sigma2 v,   sigma1 constant or sigma1 exp(-(v / v_d)^2)
// Sign: F and q are positive with positive v. At rest a spring sigma0; sliding steadily q = g / sigma0 sgn v, F = g sgn v + sigma2 v.
// Energy: F v = d(sigma0 q^2 / 2)/dt + sigma0^2 |v| q^2 / g + sigma1 v q_dot + sigma2 v^2. The last three sum to a non-negative power
// for every q while |v| <= 4 g (sigma1 + sigma2) / sigma1^2, and for every v within |q| <= F_s / sigma0 (where the bristle stays)
// if sigma2 >= sigma1 (F_s / F_c - 1); beyond both, a constant sigma1 may briefly return energy, a decreasing one (v_d) less.
// Validity: F_c > 0. |v| has a kink at rest; slopes in v are one-sided there if q is not zero.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), (25)-(27).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>

#include "friction/functions.h"

namespace trunnion {

struct LuGre {
  static constexpr int kStates = 1;  // bristle deflection q [m]

  double coulomb = 0;                      // [N]     F_c, Coulomb friction
  double static_force = 0;                 // [N]     F_s, static friction
  double stribeck_velocity = 0.01;         // [m/s]   v_s
  double exponent = 2;                     // [-]     n
  double viscous = 0;                      // [N s/m] sigma2
  double stiffness = 0;                    // [N/m]   sigma0, of the bristles
  double damping = 0;                      // [N s/m] sigma1, of the bristles
  std::optional<double> damping_velocity;  // [m/s]   v_d; unset: sigma1 is constant

  /// exp(-(|v| / v_s)^n) [-].
  template <class S>
  S stribeck_decay(const S& v) const {
    return decay(S(abs(v) * (1 / stribeck_velocity)), exponent);
  }
  /// g(v) [N]: the force at which bristles slip.
  template <class S>
  S slip_force(const S& v) const {
    return coulomb + (static_force - coulomb) * stribeck_decay(v);
  }
  /// sigma0 |v| / g [1/s]: the rate at which deflected bristles slip.
  template <class S>
  S slip_rate(const S& v, const S& g) const {
    return stiffness * abs(v) / g;
  }
  /// sigma1(v) [N s/m].
  template <class S>
  S damping_at(const S& v) const {
    return damping_velocity ? S(damping * decay(S(abs(v) * (1 / *damping_velocity)), 2)) : S(damping);
  }
  /// Friction force [N] for given deflection [m] and its rate [m/s].
  template <class S>
  S force(const S& v, const S& q, const S& q_dot) const {
    return stiffness * q + damping_at(v) * q_dot + viscous * v;
  }

  /// Friction force [N] at slip speed v [m/s] and deflection x = {q}; writes rate = {q_dot}.
  template <class S>
  S evaluate(const S& v, const std::array<S, 1>& x, std::array<S, 1>& rate) const {
    rate[0] = v - slip_rate(v, slip_force(v)) * x[0];
    return force(v, x[0], rate[0]);
  }
  /// The same at the end of a step, x = base + share rate(v, x): linear in q.
  template <class S>
  S evaluate_step(const S& v, double share, const std::array<double, 1>& base, std::array<S, 1>& x, std::array<S, 1>& rate) const {
    const S slip = slip_rate(v, slip_force(v));
    x[0] = (base[0] + share * v) / (1 + share * slip);
    rate[0] = v - slip * x[0];
    return force(v, x[0], rate[0]);
  }
  /// The state of steady sliding at v; zero at rest, where every |q| <= F_s / sigma0 is steady.
  template <class S>
  std::array<S, 1> steady_state(const S& v) const {
    return {S(sign(v) * slip_force(v) * (1 / stiffness))};
  }
  /// Energy in the bristles [J].
  template <class S>
  S stored_energy(const std::array<S, 1>& x) const {
    return 0.5 * stiffness * x[0] * x[0];
  }
};

}  // namespace trunnion
