// Independent metering actuator: a cylinder (or rotary actuator) behind four main valves, with the relief and suction check valves of its
// chambers and an optional regeneration valve.
//
//                 P (junction at the pump, shared)
//                 |
//                 V  pump check valve          P_c >= P, flow only towards the actuator
//        +---ph---+---pr---+
//        |                 |                   valves ph, pr, th, tr and a: Q = c u sqrt(dp), u in [0, 1]        (39h)-(39k)
//     P_h (+)----<a<------(+) P_r              a: only from the rod side to the head side                         (91)
//      |  |                |  |                (+): relief valve to the tank at P_hM, P_rM and suction check      (39n), (39o)
//      th |   +-----+      |  tr                    valve from the tank, so 0 <= P_h <= P_hM, 0 <= P_r <= P_rM
//      |  +---|  |==|======|==|==> rod          v > 0: extends; f > 0: compressed, the actuator pushes
//      T      +-----+      T                    f = A_h P_h - A_r P_r                                             (39r)
//
// Pressures count from the pressure of the tank. Rotary actuators: areas are displacements in m3/rad, v in rad/s, f in N m.
// The main valves are all shut (U_0), or head side from the pump and rod side to the tank (U_+, either may be shut), or the other way
// round (U_-); beyond the source also th and tr open together (float). The regeneration valve is shut unless pr and th are (the source
// opens it in U_+ only and wants A_h >= A_r and tr > 0; neither is needed here).
// Source: paper "nonsmooth quasistatic hydraulics", sections 3.1, 5.1 and 6.1; numbers of its equations in parentheses throughout this
// folder. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace trunnion {

/// Constants of an actuator and its valves.
struct MeteringActuator {
  double area_h = 0, area_r = 0;      // [m2]            A_h, A_r; rotary: [m3/rad]
  double relief_h = 0, relief_r = 0;  // [Pa]            P_hM, P_rM
  double c_ph = 0, c_tr = 0;          // [m3/(s Pa^0.5)] fully open valves, C a sqrt(2/rho): pump to head side, rod side to tank
  double c_pr = 0, c_th = 0;          // [m3/(s Pa^0.5)] pump to rod side, head side to tank
  double c_a = 0;                     // [m3/(s Pa^0.5)] regeneration, rod side to head side
};

/// Openings of an actuator's valves as shares of their greatest areas, 0: shut, 1: open.
struct MeteringOpenings {
  double ph = 0, tr = 0, pr = 0, th = 0;  // [-] main valves
  double a = 0;                           // [-] regeneration
};

/// Why these openings cannot be; empty if they can.
std::string openings_fault(const MeteringOpenings& openings);

/// The pump with its relief valve and the bleed valve.
struct MeteringPump {
  double relief = 0;   // [Pa]            P_M
  double c_bleed = 0;  // [m3/(s Pa^0.5)] c_b
};

/// Where the solution is on the set-valued map: segments of (64) by the states of the valves (table 1). + extends, - retracts. 0: the
/// relief valve of the chamber at the pump is open, 1: metering with the pump's relief valve shut, 2: metering with it open, 3: the chamber
/// sucks; a, b: the relief valve of the other chamber is shut, open.
enum class MeteringSegment : unsigned char { hold, p0a, p0b, p1a, p1b, p2a, p2b, p3, f_rM, m0a, m0b, m1a, m1b, m2a, m2b, m3, f_hM };

/// Name of a segment as in table 1: "hold", "+0a" ... "+3", "-FrM", "-0a" ... "-3", "FhM".
const char* name_of(MeteringSegment segment);

/// Every quantity of (39) at one actuator, and the regeneration flow. Flows count in the direction of their index: ph from pump to head
/// side, th from head side to tank, ho, ro from the chamber to the tank (negative: suction), a from rod side to head side.
struct MeteringFlows {
  double v = 0, f = 0;                             // [m/s], [N]
  double P_c = 0, P_h = 0, P_r = 0;                // [Pa]
  double Q_ph = 0, Q_pr = 0, Q_th = 0, Q_tr = 0;   // [m3/s] main valves
  double Q_ho = 0, Q_ro = 0;                       // [m3/s] relief (positive) and suction (negative) of the chambers
  double Q_a = 0;                                  // [m3/s] regeneration
  double Q_p = 0;                                  // [m3/s] from the pump, Q_ph + Q_pr
  double Q_h = 0, Q_r = 0;                         // [m3/s] into the chambers, A_h v and -A_r v
  double Q_hn = 0, Q_rn = 0;                       // [m3/s] from the main valves to the chambers' nodes, Q_ph - Q_th and Q_pr - Q_tr
  double Q_t = 0;                                  // [m3/s] from the main valves to the tank, Q_th + Q_tr
  bool head_relief = false, head_suction = false;  // which valves are open: table 1's hR, hSC,
  bool rod_relief = false, rod_suction = false;    // rR, rSC,
  bool pump_check = false;                         // and the pump check valve
  MeteringSegment segment = MeteringSegment::hold;
};

/// What becomes of the pump's power at one actuator; losses are never negative. Q_p P = sum of losses + work.
struct MeteringPowers {
  double ph = 0, pr = 0, th = 0, tr = 0, a = 0;  // [W] lost in the valves
  double head_relief = 0, rod_relief = 0;        // [W]
  double work = 0;                               // [W] f v, done on the mechanism
};
MeteringPowers powers(const MeteringFlows& flows);

/// Flows at the pump.
struct PumpFlows {
  double P = 0;                                      // [Pa]
  double Q = 0, Q_p = 0, Q_bleed = 0, Q_relief = 0;  // [m3/s] delivered; to the actuators; to the tank through bleed and relief valve
  bool relief_open = false;
};

}  // namespace trunnion
