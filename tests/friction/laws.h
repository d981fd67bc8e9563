// Shared friction parameters: the seal of the four-bar machine's cylinder, and central differences.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "friction/friction.h"

namespace trunnion::test {

inline FrictionDescription seal(FrictionKind model) {
  FrictionDescription d;
  d.model = model;
  d.coulomb = 210;
  d.static_force = 830;
  d.stribeck_velocity = 0.0125;
  d.viscous = 330;
  d.decay = 80;
  d.bristle_stiffness = 5.77e6;
  d.bristle_damping = 2.28e4;
  d.film_velocity = 0.032;
  d.film_time_up = 0.05;
  d.film_time_down = 0.2;
  d.film_time_dwell = 20;
  d.element_forces = {1, 2, 3};
  d.element_stiffnesses = {5, 3, 2};
  return d;
}
inline FrictionLaw seal_law(FrictionKind model) { return make_friction(seal(model)); }

/// Force [N] of a law without states.
inline double static_force(const FrictionLaw& law, double v) {
  const FrictionStateValues x{};
  FrictionStateValues rate;
  return force_and_rates(law, v, x.data(), rate.data());
}

/// (f(x + step) - f(x - step)) / (2 step).
template <class F>
double central_difference(F f, double x, double step) {
  return (f(x + step) - f(x - step)) / (2 * step);
}

inline constexpr FrictionKind kAllLaws[] = {FrictionKind::none,         FrictionKind::coulomb_viscous, FrictionKind::bengisu_akay,
                                            FrictionKind::brown_mcphee, FrictionKind::lugre,           FrictionKind::modified_lugre,
                                            FrictionKind::dahl,         FrictionKind::set_valued,      FrictionKind::maxwell_slip};
inline constexpr FrictionKind kStaticLaws[] = {FrictionKind::none, FrictionKind::coulomb_viscous, FrictionKind::bengisu_akay,
                                               FrictionKind::brown_mcphee};
/// Laws that are solved at the end of a step.
inline constexpr FrictionKind kLawsWithStates[] = {FrictionKind::lugre, FrictionKind::modified_lugre, FrictionKind::dahl,
                                                   FrictionKind::set_valued, FrictionKind::maxwell_slip};
inline constexpr FrictionKind kBristleLaws[] = {FrictionKind::lugre, FrictionKind::modified_lugre};

}  // namespace trunnion::test
