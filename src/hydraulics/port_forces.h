// Forces of a cylinder or motor at its port, without friction: pressure, viscous and damper forces on any scalar, and their derivatives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/circuit.h"

namespace trunnion {

/// Force of the dampers at the ends of the stroke, positive when pushing.
template <class S>
TR_INLINE S dampers_force(const Cylinder& c, const S& s, const S& s_dot) {
  return c.damper.length > 0 ? end_dampers_force(c.damper, c.chamber_A(s), c.chamber_B(s), s_dot) : S(0);
}
/// Pressure, viscous and damper forces of a cylinder.
template <class S>
TR_INLINE void set_cylinder_force(const Actuator& a, const S& s, const S& s_dot, const OilValues<S>& state, PortForces<S>& port) {
  const Cylinder& c = a.cylinder;
  port.viscous = c.viscous * s_dot;
  port.damper = dampers_force(c, s, s_dot);
  port.oil = a.A < 0 ? S(0) : c.oil_force(state.pressure[a.A], state.pressure[a.B], fraction_of(a, state.spool), s_dot);
  port.force = port.oil - port.viscous + port.damper;
  if (a.drive >= 0) port.force += a.gain * state.signal[a.drive];
}
/// Derivatives of the force in the pressures of both chambers and the displacement fraction; that of the drag in sdot is added.
inline void set_pressure_slopes(const Actuator& a, double s_dot, HydraulicState& state, std::size_t i) {
  const Cylinder& c = a.cylinder;
  const double e = fraction_of(a, state.spool);
  state.force_p[i] = {e * c.area_A, -e * c.area_B};
  if (a.spool >= 0) state.by_fraction[i].force = state.pressure[a.A] * c.area_A - state.pressure[a.B] * c.area_B;
  if (c.coulomb <= 0) return;
  using S = Dual<3>;
  const S drag = c.drag(S::variable(state.pressure[a.A], 0), S::variable(state.pressure[a.B], 1), S::variable(s_dot, 2));
  for (std::size_t k = 0; k < 2; ++k) state.force_p[i][k] -= drag.d[k];
  state.force_v[i] -= drag.d[2];
}
/// Direct derivatives of these forces.
TR_INLINE void set_direct_slopes(const Actuator& a, double s, double s_dot, HydraulicState& state, std::size_t i) {
  const Cylinder& c = a.cylinder;
  state.force_s[i] = 0;
  state.force_v[i] = -c.viscous;
  if (a.A >= 0) set_pressure_slopes(a, s_dot, state, i);
  if (!c.touches_damper(s)) return;
  using S = Dual<2>;
  const S F = dampers_force(c, S::variable(s, 0), S::variable(s_dot, 1));
  state.force_s[i] += F.d[0];
  state.force_v[i] += F.d[1];
}

}  // namespace trunnion
