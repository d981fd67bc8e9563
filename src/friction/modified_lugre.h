// Modified LuGre friction: LuGre's bristles, with static friction lowered by a lubricant film of thickness h that builds up while
// moving and drains at rest.
//   q_dot  = v - sigma0 |v| / g(v, h) q
//   g      = F_c + ((1 - h) F_s - F_c) exp(-(|v| / v_s)^n)
//   h_dot  = (h_ss - h) / tau_h,   tau_h = tau_hp if h <= h_ss (film builds up), tau_hn if h > h_ss, tau_h0 at rest
//   h_ss   = K_f min(|v|, v_b)^(2/3),   K_f = (1 - F_c / F_s) v_b^(-2/3)
//   F      = sigma0 q + sigma1(v) q_dot + sigma2 v
// Sign: F and q are positive with positive v; h is dimensionless, 0 (dry) <= h <= 1 - F_c / F_s (at v_b and faster).
// The paper writes |h|; h cannot become negative (h_dot >= 0 at h = 0), so h is used, and negative iterates see the smooth
// continuation. Rest means |v| < kDwellSpeed. For thickness out of range g is kept above kLeastSlipFraction F_c.
// h_ss has infinite slope at rest: its value is exact, its slope is evaluated at max(|v|, kSlopeFloor v_b). One-sided slopes at rest
// (|v|), at v_b and where h = h_ss. h_dot jumps when v enters or leaves rest unless h = h_ss.
// Validity: F_s >= F_c > 0, v_b > 0, all times > 0. Energy as LuGre with g(v, h).
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), (28)-(34).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "friction/lugre.h"

namespace trunnion {

inline constexpr double kDwellSpeed = 1e-9;        // [m/s] limit of rest
inline constexpr double kLeastSlipFraction = 0.5;  // [-] of F_c; g >= F_c for every thickness in range, so inactive there

struct ModifiedLuGre {
  static constexpr int kStates = 2;  // bristle deflection q [m], film thickness h [-]

  LuGre bristle;             //       F_c, F_s, v_s, n, sigma0, sigma1, sigma2
  double film_velocity = 0;  // [m/s] v_b, where the film is complete and steady friction near its minimum
  double time_up = 0;        // [s]   tau_hp, film builds up
  double time_down = 0;      // [s]   tau_hn, film drains while moving
  double time_dwell = 0;     // [s]   tau_h0, film drains at rest

  /// h_ss [-]: thickness of steady sliding at v.
  template <class S>
  S steady_film(const S& v) const {
    return (1 - bristle.coulomb / bristle.static_force) * two_thirds_power(min(S(abs(v) * (1 / film_velocity)), 1.0));
  }
  /// 1 / tau_h [1/s] for a thickness h that tends to h_ss. `h` may be any number on the same side of h_ss.
  template <class S>
  auto film_rate(const S& v, const S& h, const S& h_ss) const {
    return select(abs(v) < S(kDwellSpeed), 1 / time_dwell, select(h <= h_ss, 1 / time_up, 1 / time_down));
  }
  /// g(v, h) [N], the force at which bristles slip; `fall` is bristle.stribeck_decay(v).
  template <class S>
  S slip_force(const S& h, const S& fall) const {
    const double coulomb = bristle.coulomb, static_force = bristle.static_force;
    return max(S(coulomb + (static_force - coulomb - static_force * h) * fall), kLeastSlipFraction * coulomb);
  }
  /// dg/dh [N].
  double slip_force_h(double h, double fall) const {
    return slip_force(h, fall) > kLeastSlipFraction * bristle.coulomb ? -bristle.static_force * fall : 0;
  }

  /// Friction force [N] at slip speed v [m/s] and x = {q, h}; writes rate = {q_dot, h_dot}.
  template <class S>
  S evaluate(const S& v, const std::array<S, 2>& x, std::array<S, 2>& rate) const {
    const S h_ss = steady_film(v);
    rate[0] = v - bristle.slip_rate(v, slip_force(x[1], bristle.stribeck_decay(v))) * x[0];
    rate[1] = film_rate(v, x[1], h_ss) * (h_ss - x[1]);
    return bristle.force(v, x[0], rate[0]);
  }
  /// The same at the end of a step, x = base + share rate(v, x). The end thickness
  /// lies on the same side of h_ss as base does, which decides tau_h; then h, and with it q, follow from linear equations.
  template <class S>
  S evaluate_step(const S& v, double share, const std::array<double, 2>& base, std::array<S, 2>& x, std::array<S, 2>& rate) const {
    const S h_ss = steady_film(v);
    const auto film = film_rate(v, S(base[1]), h_ss);
    x[1] = (base[1] + share * film * h_ss) * (1 / (1 + share * film));
    rate[1] = film * (h_ss - x[1]);
    const S slip = bristle.slip_rate(v, slip_force(x[1], bristle.stribeck_decay(v)));
    x[0] = (base[0] + share * v) / (1 + share * slip);
    rate[0] = v - slip * x[0];
    return bristle.force(v, x[0], rate[0]);
  }
  /// The state of steady sliding at v; q is zero at rest, where it is not unique.
  template <class S>
  std::array<S, 2> steady_state(const S& v) const {
    const S h = steady_film(v);
    return {S(sign(v) * slip_force(h, bristle.stribeck_decay(v)) * (1 / bristle.stiffness)), h};
  }
  /// Energy in the bristles [J].
  template <class S>
  S stored_energy(const std::array<S, 2>& x) const {
    return 0.5 * bristle.stiffness * x[0] * x[0];
  }
};

}  // namespace trunnion
