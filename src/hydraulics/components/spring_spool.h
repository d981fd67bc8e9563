// A spool or poppet between a spring and pressures: its position and motion.
//        p ->|====|<-/\/\/-      s from 0 (at rest, on its stop) to its travel
//   s_ss = clamp((load - p_set) / range, 0, travel)     load: sum of weights times pressures, the weights those of the areas
//   s = s_ss                                            without inertia, or as a mass on its spring
//   s_dd = w^2 (s_ss - s) - 2 zeta w s_d                w = sqrt(k/m), zeta = d / (2 sqrt(k m)); effective: clamp(s, 0, travel)
// p_set is the spring's preload over the area, range its rate times the travel over the area. Stops absorb the excess: the force
// on the spool never exceeds that of its travel, and if it passes a stop its own spring returns it. Flow forces are neglected, or included
// in the range.
// Source: Merritt, Hydraulic Control Systems (1967); Manring, Fales, Hydraulic Control Systems (2020): pressure control valves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numbers>

#include "hydraulics/component.h"
#include "hydraulics/orifice.h"

namespace trunnion {

/// x held between two bounds.
template <class S>
TR_INLINE S clamp(const S& x, double low, double high) {
  return min(max(x, low), high);
}

/// Distance beyond an edge at which Newton's method stops: of a travel, of a pressure drop [Pa].
inline constexpr double kNearEdge = 1e-3, kNearCrack = 100;

struct SpringSpool {
  double preload = 0;  // [Pa] p_set
  double range = 1;    // [Pa] for s from 0 to 1
  double travel = 1;   // [-]
  double omega = 0;    // [rad/s] w; unused where the spool follows at once
  double damping = 0;  // [-] zeta

  /// Its steady position.
  template <class S>
  TR_INLINE S rest(const S& load) const {
    return clamp(S((load - preload) / range), 0, travel);
  }
  /// Its position; also sets the rates of its states, if any.
  template <bool kMoves, class S>
  TR_INLINE S position(const ComponentInputs<S>& in, const S& load, S* rate) const {
    if constexpr (kMoves) {
      rate[0] = in.x[1];
      rate[1] = omega * omega * (rest(load) - in.x[0]) - 2 * damping * omega * in.x[1];
      return clamp(in.x[0], 0, travel);
    } else {
      return rest(load);
    }
  }
  void start(double load, double* x) const { x[0] = rest(load), x[1] = 0; }
  /// Edges of its travel, of the load and of the spool itself: start of motion, up and down.
  template <bool kMoves>
  void edges(const ComponentInputs<>& in, double load, double* g) const {
    const double s = (load - preload) / range;
    g[0] = s / kNearEdge, g[1] = (travel - s) / kNearEdge;
    if constexpr (kMoves) g[2] = in.x[0] / kNearEdge, g[3] = (travel - in.x[0]) / kNearEdge;
  }
};

/// Common part of laws with a spring-loaded spool and orifices; kMoves: the spool has inertia.
template <bool kMoves>
struct SpringSpoolLaw {
  static constexpr int kStates = kMoves ? 2 : 0, kCommands = 0, kPowers = 1, kEdges = kMoves ? 4 : 2;

  SpringSpool spool;
  double coefficient = 0;  // [m3/(s Pa^0.5)] of an orifice fully open
  LaminarZone zone;

  double laminar_limit() const { return zone.limit; }
  template <class S>
  TR_INLINE S orifice(const S& opening, const S& dp) const {
    return orifice_flow(S(coefficient * opening), dp, zone);
  }
  static ComponentInfo describe(std::vector<const char*> nodes, std::vector<ComponentFlow> flows) {
    constexpr double kRate = 100;  // [1/s] of travels in 10 ms
    ComponentInfo info{std::move(nodes), std::move(flows), {}, {{"power_loss", "power turned into heat", PowerKind::heat}}};
    if (kMoves) info.states = {{"spool", "", "spool displacement from its rest position"}, {"spool_rate", "1/s", "its rate", kRate, true}};
    return info;
  }
};

}  // namespace trunnion
