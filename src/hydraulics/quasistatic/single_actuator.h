// One actuator with independent metering on its own pump, without regeneration: the map between velocity and force in closed form.
//   f in Gamma(v) = Gamma_h(v) - Gamma_r(v)                                                       (61)-(65)
//   beta v + fbar in Gamma(v)  iff  v = Lambda(beta, fbar)                                        (69), (73), (74)
// Written for a stroke (inlet in, outlet out, speed w > 0; h regularised openings, A the inlet's area, FM relief forces):
//   F_in  = proj_[0, FM_in] (min(A P_M, A^3 / U_b^2 S(Q / A - w)) - w^2 / h_in^2)                 (61b), (62c)
//   F_out = min(w^2 / h_out^2, FM_out)                                                            (61c), (62b)
// (58) and (74) with the pieces of (64) named as in table 1; both directions are the same code. Limits at openings of zero are separate
// branches: a closed inlet sucks, a closed outlet holds until its relief valve opens, a closed bleed valve makes the map vertical at
// w = Q / A.
// Source: Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics), sections 3.3, 4.2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/quasistatic/metering_actuator.h"

namespace trunnion {

/// State of the pump at one time.
struct PumpSupply {
  double flow = 0;    // [m3/s]            Q >= 0
  double bleed = 0;   // [m3/(s Pa^0.5)]   U_b = c_b u_b, (43)
  double relief = 0;  // [Pa]              P_M
  /// P [Pa] while no actuator draws oil; a pump without flow has no pressure.
  double idle_pressure() const { return flow <= 0 ? 0 : bleed > 0 ? min(relief, (flow / bleed) * (flow / bleed)) : relief; }
};

/// Forces of the chambers on the piston at a velocity.
struct ChamberForces {
  Interval h, r;                        // [N] F_h, F_r
  Interval f() const { return h - r; }  // [N] Gamma
};

/// (61)-(63), (65). The regeneration valve counts as closed.
ChamberForces chamber_forces(const MeteringConstants& actuator, const RegularisedOpenings& u, const PumpSupply& supply, double v);

/// The point of the map on a load line.
struct LoadPoint {
  double v = 0, f = 0;  // [m/s], [N]
  double v_fbar = 0;    // [m/(s N)] dv/dfbar <= 0, one-sided at kinks; dv/dbeta = v dv/dfbar, df/dfbar = 1 + beta dv/dfbar
  MeteringSegment segment = MeteringSegment::hold;
};

/// Lambda, (73), (74). beta > 0 [N s/m], fbar [N]. The regeneration valve counts as closed.
LoadPoint point_on_load_line(const MeteringConstants& actuator, const RegularisedOpenings& u, const PumpSupply& supply, double beta,
                             double fbar);

}  // namespace trunnion
