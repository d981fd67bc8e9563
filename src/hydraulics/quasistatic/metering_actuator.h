// Actuator with independent metering: a cylinder (or rotary actuator) behind four main valves, with relief and suction check valves at
// its chambers and an optional regeneration valve.
//
//                 P   junction at the pump
//                 |
//                 V   pump check valve: only towards the actuator, P_c >= P                       (39m)
//           +-----+-----+ P_c
//           ph          pr                    ph, pr, th, tr: Q = c u sgn(dp) sqrt|dp|            (39h)-(39k)
//           |           |                     a: the same, only from the rod to the head side     (91)
//       P_h +----<-a----+ P_r                 at P_h, P_r not drawn: a relief valve to the tank and a suction check valve from
//         / |           | \                   it keep 0 <= P_h <= P_hM and 0 <= P_r <= P_rM       (39n), (39o)
//       th  | +-------+ |  tr
//       |   +-|  A |==|=+==|==== rod          v > 0: extends
//       T     +-------+    T                  f = A_h P_h - A_r P_r > 0: pushes                   (39r)
//
// Pressures are relative to the tank. Rotary actuators: areas are displacements [m3/rad], v [rad/s], f [N m].
// Admissible openings: all main valves closed (U_0); ph and tr, either of which may be closed (U_+); pr and th (U_-); beyond the source
// also th and tr (float). The regeneration valve may be open only while pr and th are closed. The source requires A_h >= A_r and an open tr
// with it; neither is required here.
// Source: Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics), sections 3.1, 5.1, 6.1.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hydraulics/quasistatic/set_valued.h"

namespace trunnion {

/// Constants of an actuator and its valves.
struct MeteringActuator {
  double area_h = 0, area_r = 0;      // [m2]            A_h, A_r
  double relief_h = 0, relief_r = 0;  // [Pa]            P_hM, P_rM
  double c_ph = 0, c_tr = 0;          // [m3/(s Pa^0.5)] fully open valves, C a sqrt(2/rho): pump to head side, rod side to tank
  double c_pr = 0, c_th = 0;          // [m3/(s Pa^0.5)] pump to rod side, head side to tank
  double c_a = 0;                     // [m3/(s Pa^0.5)] regeneration, rod side to head side
};

/// Openings of an actuator's valves relative to their maximum areas, 0: closed, 1: open.
struct MeteringOpenings {
  double ph = 0, tr = 0, pr = 0, th = 0;  // [-] main valves
  double a = 0;                           // [-] regeneration valve
};

/// What is invalid in these constants or openings; empty if nothing.
std::string fault_of(const MeteringActuator& actuator);
std::string fault_of(const MeteringOpenings& openings);
/// Whether they are valid.
bool admissible(const MeteringOpenings& openings);

/// The pump with its relief valve and the bleed valve.
struct MeteringPump {
  double relief = 0;   // [Pa]            P_M
  double c_bleed = 0;  // [m3/(s Pa^0.5)] c_b
};
std::string fault_of(const MeteringPump& pump);

/// Segment of the set-valued map: pieces of (64) by the states of the valves (table 1). p extends, m retracts. 0: the relief valve
/// of the chamber fed by the pump is open; 1: metering, the pump's relief valve is closed; 2: metering, it is open; 3: the chamber sucks;
/// a, b: the relief valve of the other chamber is closed, open. rM, hM: one chamber sucks while the other's relief valve is open.
enum class MeteringSegment : unsigned char { hold, p0a, p0b, p1a, p1b, p2a, p2b, p3, rM, m0a, m0b, m1a, m1b, m2a, m2b, m3, hM };

/// "hold", "+0a" ... "+3", "-FrM", "-0a" ... "-3", "FhM".
const char* name_of(MeteringSegment segment);

/// Every quantity of (39) at one actuator, and the regeneration flow. Flows are positive in the direction of their index: ph from the pump
/// to the head side, th from the head side to the tank, ho and ro from a chamber to the tank, a from the rod to the head side.
struct MeteringFlows {
  double v = 0, f = 0;                             // [m/s], [N]
  double P_c = 0, P_h = 0, P_r = 0;                // [Pa]
  double Q_ph = 0, Q_pr = 0, Q_th = 0, Q_tr = 0;   // [m3/s] main valves
  double Q_ho = 0, Q_ro = 0;                       // [m3/s] relief (positive) and suction (negative) of the chambers
  double Q_a = 0;                                  // [m3/s] regeneration
  double Q_p = 0;                                  // [m3/s] from the pump, Q_ph + Q_pr
  double Q_h = 0, Q_r = 0;                         // [m3/s] into the chambers, A_h v and -A_r v
  double Q_hn = 0, Q_rn = 0;                       // [m3/s] from the main valves to the sides, Q_ph - Q_th and Q_pr - Q_tr
  double Q_t = 0;                                  // [m3/s] from the main valves to the tank, Q_th + Q_tr
  bool head_relief = false, head_suction = false;  // whether a valve is open: hR, hSC of table 1,
  bool rod_relief = false, rod_suction = false;    // rR, rSC,
  bool pump_check = false;                         // and the pump check valve
  MeteringSegment segment = MeteringSegment::hold;
};

/// Distribution of the power Q_p P drawn by an actuator from the pump: losses, none of them negative, and work.
struct MeteringPowers {
  double ph = 0, pr = 0, th = 0, tr = 0, a = 0;  // [W] lost in the valves
  double head_relief = 0, rod_relief = 0;        // [W] lost in the relief valves; suction at tank pressure is lossless
  double work = 0;                               // [W] f v, done on the mechanism
};
MeteringPowers powers(const MeteringFlows& flows);

/// Flows at the pump. Its power P Q is P Q_p + P Q_bleed + P Q_relief.
struct PumpFlows {
  double P = 0;                                      // [Pa]
  double Q = 0, Q_p = 0, Q_bleed = 0, Q_relief = 0;  // [m3/s] delivered = to the actuators + through the bleed and the relief valve
  bool relief_open = false;
};

/// Openings with the constants of an actuator in them, c u / A^(3/2) [m/(s N^0.5)], (40), (41): a chamber's flow through a valve, divided
/// by the chamber's area, is this times the root of the force that the pressure drop exerts on the area.
struct RegularisedOpenings {
  double ph = 0, tr = 0, pr = 0, th = 0, a = 0;
};

/// An actuator seen from the chamber that the pump may feed, its inlet: the same equations for both directions. Speeds w and forces g are
/// positive in the direction in which the inlet pushes.
struct Stroke {
  double sign = 1;                      // [-] w = sign v, g = sign f; 1: the head side is the inlet, -1: the rod side
  double area_in = 0, area_out = 0;     // [m2]
  double F_in_max = 0, F_out_max = 0;   // [N] relief forces of inlet and outlet
  double h_in = 0, h_out = 0, h_a = 0;  // [m/(s N^0.5)] regularised openings: pump to inlet, outlet to tank, outlet to inlet
};

/// Constants of regularisation and relief forces, computed once.
struct MeteringConstants {
  explicit MeteringConstants(const MeteringActuator& actuator);
  RegularisedOpenings regularise(const MeteringOpenings& u) const {
    return {h.ph * u.ph, h.tr * u.tr, h.pr * u.pr, h.th * u.th, h.a * u.a};
  }
  /// v > 0 with ph, tr, a.
  Stroke extension(const RegularisedOpenings& u) const { return {1, area_h, area_r, F_hM, F_rM, u.ph, u.tr, u.a}; }
  /// v < 0 with pr, th.
  Stroke retraction(const RegularisedOpenings& u) const { return {-1, area_r, area_h, F_rM, F_hM, u.pr, u.th, 0}; }

  double area_h, area_r;  // [m2]
  double F_hM, F_rM;      // [N] (42)
  RegularisedOpenings h;  // fully open
};

}  // namespace trunnion
