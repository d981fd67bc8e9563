// Set-valued friction: a slipping contact behind a viscoelastic element, or several in parallel (generalised Maxwell slip).
//   f_i in a_i g(v) Sgn(w_i),  w_i = v - q_i_dot         contact i: any force within +-a_i g at rest, a_i g against the motion in slip
//   f_i = k_i q_i + b_i q_i_dot                          element i with its deflection q_i;  k_i = c_i sigma0,  b_i = c_i sigma1
//   =>  f_i = proj(k_i q_i + b_i v; -a_i g, a_i g),  q_i_dot = (f_i - k_i q_i) / b_i
//   g(v) = F_c + (F_s - F_c) exp(-(|v| / v_s)^n)
//   F = sum f_i + sigma2 v
// a_i and c_i are shares of the force and of the stiffness, with sums of 1. A contact that holds does not slip at all (q_i_dot = v): no
// creep below F_c, whatever the load does in time, nor below F_s while |v|, elastic motion included, is far below v_s. In slip q_i tends
// to a_i g / k_i with the rate sigma0 / sigma1, the attraction rate C / g of the generalised Maxwell slip. Contact and element are the
// virtual viscoelastic element of quasistatic actuators with another set.
// Sign: F and q_i are positive with positive v. Energy: F v = d(sum k_i q_i^2 / 2)/dt + sum (f_i w_i + b_i q_i_dot^2) + sigma2 v^2; all
// parts of the heat are non-negative.
// Validity: F_s >= F_c > 0, sigma0 > 0, sigma1 > 0. One-sided slopes where a contact begins to slip.
// Sources: Kikuuwe, Takesue, Sano, Mochiyama, Fujimoto, Fixed-time friction simulation, ICRA 2005 (projection); Al-Bender, Lampaert,
// Swevers, The generalized Maxwell-slip model, IEEE Trans. Automatic Control 50 (2005), 1883-1887 (parallel elements).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "description/description.h"
#include "friction/lugre.h"

namespace trunnion {

struct MaxwellSlip {
  static constexpr int kStates = kMaxFrictionElements;  // deflections q_i [m]; see states()

  LuGre bristle;                         //     F_c, F_s, v_s, n, sigma0, sigma1, sigma2
  int elements = 1;                      //     number of elements
  std::array<double, kStates> shares{};  // [-] a_i, of the force
  std::array<double, kStates> parts{};   // [-] c_i, of stiffness and damping

  /// Number of states.
  int states() const { return elements; }
  double stiffness(int i) const { return parts[i] * bristle.stiffness; }
  double damping(int i) const { return parts[i] * bristle.damping; }

  /// f_i [N] where the contact would hold with `trial`, the force without slip, at the slip force g [N].
  template <class S>
  S contact_force(int i, const S& trial, const S& g) const {
    const S limit = shares[i] * g;
    return max(S(min(trial, limit)), S(-limit));
  }
  /// Whether contact i slips.
  template <class S>
  auto slips(int i, const S& trial, const S& g) const {
    return abs(trial) > S(shares[i] * g);
  }

  /// Friction force [N] at slip speed v [m/s] and deflections x; writes rate.
  template <class S>
  [[gnu::noinline]] S evaluate(const S& v, const std::array<S, kStates>& x, std::array<S, kStates>& rate) const {
    const S g = bristle.slip_force(v);
    S force = bristle.viscous * v;
    for (int i = 0; i < elements; ++i) {
      const S trial = stiffness(i) * x[i] + damping(i) * v, f = contact_force(i, trial, g);
      rate[i] = select(slips(i, trial, g), S((f - stiffness(i) * x[i]) * (1 / damping(i))), v);
      force += f;
    }
    return force;
  }
  /// The same at the end of a step, x = base + share rate(v, x): the contact's force is a projection again, of the force without slip.
  template <class S>
  [[gnu::noinline]] S evaluate_step(const S& v, double share, const std::array<double, kStates>& base, std::array<S, kStates>& x,
                                    std::array<S, kStates>& rate) const {
    const S g = bristle.slip_force(v);
    S force = bristle.viscous * v;
    for (int i = 0; i < elements; ++i) {
      const double k = stiffness(i), b = damping(i);
      const S trial = k * (base[i] + share * v) + b * v, f = contact_force(i, trial, g);
      rate[i] = select(slips(i, trial, g), S((f - k * base[i]) * (1 / (b + share * k))), v);
      x[i] = base[i] + share * rate[i];
      force += f;
    }
    return force;
  }
  /// The states of steady sliding at v; zero at rest, where every state that holds is steady.
  template <class S>
  std::array<S, kStates> steady_state(const S& v) const {
    std::array<S, kStates> x{};
    for (int i = 0; i < elements; ++i) x[i] = sign(v) * shares[i] * bristle.slip_force(v) * (1 / stiffness(i));
    return x;
  }
  /// Energy in the elements [J].
  template <class S>
  S stored_energy(const std::array<S, kStates>& x) const {
    S energy(0);
    for (int i = 0; i < elements; ++i) energy += 0.5 * stiffness(i) * x[i] * x[i];
    return energy;
  }
};

}  // namespace trunnion
