// Double-acting cylinder between two points: maps (s, sdot, p_A, p_B, friction states) to the force along its line.
//                +----------------------+
//      base o----|  A  |#|      B       |====o rod end            extension s grows, sdot > 0
//                +--o------------o------+
//   F = p_A A_A - p_B A_B - F_friction - c sdot + F_dampers                         (20); positive pushes the ends apart
//   F_friction = (1 + a p_A + b p_B) F_law(sdot, states)                            friction/friction.h; a = b = 0 unless given
//   l_A = l_A0 + (s - s_0),  l_B = l_B0 - (s - s_0)                                 (44) with the signs that follow from F
//   Q into chamber A = A_A sdot,  out of chamber B = A_B sdot                       (19)
// End dampers, Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), (33)-(34); x = l_d - l the depth of entry into a chamber
// of length l:
//   continuous        F_d = max(0, k x - c l_dot x / l_d) towards the middle: no jump at entry, never pulls
//   rahikainen_2020   F_d = k x - c l_dot: jumps at entry and can pull on exit
//   rigid             F_d = k x - c l_dot, at least e k x and at most k x / e: the limit of a joint, whose k and c follow from the step
// A motor or rotary actuator is the same with angle, angular rate and torque for s, sdot and F, displacements per angle for areas and
// angles for chamber lengths; if its chambers keep their volumes at any angle, l_A = l_A0 and l_B = l_B0. Such a motor may have a variable
// displacement, a fraction e of the full one, and a torque loss in proportion to the pressure drop (displacement.h):
//   T = e (p_A D_A - p_B D_B) - f D_A |p_A - p_B| clamp(phi_dot / w_r, -1, 1),   Q into side A = e D_A phi_dot
// Source of the rest: Jaiswal, Sopanen, Mikkola 2021 (friction), sections 2.2.2 and 5.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/dual.h"
#include "description/description.h"
#include "hydraulics/displacement.h"

namespace trunnion {

/// End damper of both chambers.
struct EndDamper {
  static constexpr double kStiffest = 25;     // [-] times k: bound of a rigid one at a restitution near zero
  static constexpr double kDampingRatio = 4;  // of a rigid one: c = 2 kDampingRatio I w with k = I w^2
  double stiffness = 0;                       // [N/m] k
  double damping = 0;                         // [N s/m] c
  double length = 0;                          // [m] l_d; 0: none
  DamperLaw law = DamperLaw::continuous;
  bool rigid = false;      // limit of a joint
  double restitution = 0;  // [-] e, if rigid
};

/// Force [N] of one end damper towards the middle; l: length left in its chamber, l_dot its rate.
template <class S>
S end_damper_force(const EndDamper& d, const S& l, const S& l_dot) {
  const S x = d.length - l, spring = d.stiffness * x;
  const S share = d.rigid || d.law == DamperLaw::rahikainen_2020 ? S(1) : S(x / d.length);
  const S push = spring - d.damping * share * l_dot;
  if (d.rigid)
    return select(x > 0, min(max(push, S(d.restitution * spring)), S(spring / std::max<double>(d.restitution, 1 / EndDamper::kStiffest))),
                  S(0));
  return select(x > 0, d.law == DamperLaw::rahikainen_2020 ? push : max(push, 0.0), S(0));
}

/// Force [N] of both end dampers in the direction of extension.
template <class S>
S end_dampers_force(const EndDamper& d, const S& l_A, const S& l_B, const S& s_dot) {
  return end_damper_force(d, l_A, s_dot) - end_damper_force(d, l_B, S(-s_dot));
}

/// The port of a cylinder in a circuit; of a motor [m3/rad], [rad], [N m s/rad].
struct Cylinder {
  double area_A = 0, area_B = 0;          // [m2]
  double length_0 = 0;                    // [m] s_0, start length
  double chamber_A0 = 0, chamber_B0 = 0;  // [m] l_A0, l_B0
  double wall_compressibility = 0;        // [1/Pa]
  double viscous = 0;                     // [N s/m] c
  double travel = 1;                      // [-] d(l_A)/ds: 1, or 0 if chambers keep their volumes
  double coulomb = 0;                     // [-] f of a motor
  double friction_A = 0, friction_B = 0;  // [1/Pa] growth of the seals' friction with the pressures
  EndDamper damper;

  template <class S>
  TR_INLINE S chamber_A(const S& s) const {
    return chamber_A0 + travel * (s - length_0);
  }
  template <class S>
  TR_INLINE S chamber_B(const S& s) const {
    return chamber_B0 - travel * (s - length_0);
  }
  /// Force of the oil at displacement fraction e (1 but for variable motors), less the loss in proportion to its pressure drop.
  template <class S>
  TR_INLINE S oil_force(const S& p_A, const S& p_B, const S& e, const S& s_dot) const {
    const S push = e * (p_A * area_A - p_B * area_B);
    return coulomb > 0 ? S(push - drag(p_A, p_B, s_dot)) : push;
  }
  /// That loss, positive with positive rate.
  template <class S>
  S drag(const S& p_A, const S& p_B, const S& s_dot) const {
    return pressure_drag(coulomb, area_A, S(p_A - p_B), s_dot);
  }
  /// Factor of the seals' friction by the pressures on them.
  template <class S>
  TR_INLINE S friction_factor(const S& p_A, const S& p_B) const {
    return 1 + friction_A * p_A + friction_B * p_B;
  }
  TR_INLINE bool has_friction_of_pressure() const { return friction_A > 0 || friction_B > 0; }
  /// Whether both chambers have a positive length. False for NaN.
  TR_INLINE bool holds(double s) const { return travel > 0 ? chamber_A(s) > 0 && chamber_B(s) > 0 : std::isfinite(s); }
  /// Whether the piston is in one of the end dampers.
  TR_INLINE bool touches_damper(double s) const { return chamber_A(s) < damper.length || chamber_B(s) < damper.length; }
};

}  // namespace trunnion
