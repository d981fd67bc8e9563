// Virtual viscoelastic element between a quasistatic actuator and its mechanism; it makes the set-valued map usable in a simulation.
//        mechanism o--[K, B]--o actuator       l, l_dot: length of the port and its rate, given;  p: length of the actuator, the state
//   f = K (p - l) + B (p_dot - l_dot) in Gamma(p_dot)                                             (68)
// Eliminating f gives a load line f = beta v + fbar for the actuator, v = p_dot, which Lambda solves:
//   as an ordinary differential equation   beta = B,         fbar = K (p - l) - B l_dot                       (70)
//   by the implicit Euler rule             beta = B + h K,   fbar = K (p_old - l) - B (l - l_old) / h         (72);  p = p_old + h v
// With the actuator at rest, p - l yields to a force as exp(-t K / B): K defines how far, B / K how fast.
// Rotary actuators: the same per radian.
// Source: Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics), section 4.1, remark 2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/scalar.h"
#include "description/description.h"

namespace trunnion {

/// A line f = beta v + fbar in the plane of velocity and force.
struct LoadLine {
  double beta = 0;  // [N s/m]
  double fbar = 0;  // [N]
};

struct VirtualElement {
  double stiffness = 0;  // [N/m]   K
  double damping = 0;    // [N s/m] B

  /// (70), where beta is B.
  template <class S>
  TR_INLINE S fbar(const S& p, const S& l, const S& l_dot) const {
    return stiffness * (p - l) - damping * l_dot;
  }
  TR_INLINE LoadLine load_line(double p, double l, double l_dot) const { return {damping, fbar(p, l, l_dot)}; }
  /// (72), over a step of h from p_old and l_old.
  TR_INLINE LoadLine implicit_load_line(double p_old, double l_old, double l, double h) const {
    return {damping + h * stiffness, stiffness * (p_old - l) - damping * ((l - l_old) / h)};
  }

  /// B / K [s]. (72) adds h K to the damping: for longer steps more than B itself.
  double relaxation_time() const { return damping / stiffness; }
  /// Longest stable step [s] of an integrator of mechanism and element, infinity if unlimited; inverse_mass [1/kg]: of the mechanism
  /// along the port, 0: its motion is given. With b = B inverse_mass, k = K inverse_mass and the actuator holding, which is the worst case
  /// (if it yields freely, p alone relaxes at K / B: h < 2 B/K by euler, 2.785 B/K by rk4, any step with implicit p):
  ///   euler                  (70)   b / k = B / K, or 4 / (b + sqrt(b^2 - 4 k)) where b^2 > 4 k
  ///                          (72)   b / (k + b^2)
  ///   semi_implicit_euler    both   4 / (b + sqrt(b^2 + 4 k)): h^2 k + 2 h b < 4, as section 4.3 has it
  ///   rk4                    (70)   |1 + z + z^2/2 + z^3/6 + z^4/24| < 1 at z = h lambda, lambda^2 + b lambda + k = 0
  ///                          (72)   4 b / (k + b^2 + sqrt((k + b^2)^2 + 4 b^2 k))
  /// In (72) the force acts on the mechanism one step late. Others are stable with any step, including the trapezoidal rule with (72).
  double longest_stable_step(IntegratorKind integrator, bool discrete, double inverse_mass) const;
};

/// K [N/m] of oil trapped in both chambers: areas [m2], capacities [m3/Pa] of chambers with their lines, V / B_e. It is smallest near
/// mid-stroke.
inline double oil_stiffness(double area_h, double capacity_h, double area_r, double capacity_r) {
  return area_h * area_h / capacity_h + area_r * area_r / capacity_r;
}

/// B [N s/m] for which the element is within 2 % of its deflection after settling_time [s]: exp(-t K / B) = 0.02.
inline double settling_damping(double stiffness, double settling_time) {
  constexpr double log_50 = 3.912023005428146;
  return stiffness * settling_time / log_50;
}

}  // namespace trunnion
