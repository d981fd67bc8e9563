// Shuttle valve: connects Z with the one of X and Y that has the higher pressure.
//            Z
//            |             s = clamp(1/2 + (p_X - p_Y) / (2 range), 0, 1)      position of the ball: 1 closes Y, 0 closes X
//   X o---[ (o) ]---o Y    r_X = clamp((p_Z - p_Y) / range, 0, 1)              reverse flow to X: lift of the ball by p_Z - p_Y
//                          Q_X = C s f(p_X - p_Z)      where p_X > p_Z         f the law of the orifice
//                          Q_X = C r_X f(p_X - p_Z)    elsewhere               Y alike, with 1 - s and p_X
// A dead end at Z therefore has exactly the higher pressure, and falls with it. If Z is above both, the ball floats and oil returns to
// both: a ball governed only by the pressures of its ends would be pulled open by its own flow, and could rest on either side.
// Source: elementary; the ball without inertia.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/components/spring_spool.h"

namespace trunnion {

struct ShuttleValve {
  static constexpr int kNodes = 3, kStates = 0, kCommands = 0, kFlows = 2, kPowers = 1, kEdges = 6;
  double coefficient = 0;  // [m3/(s Pa^0.5)] C
  LaminarZone zone;
  double range = 1;  // [Pa]

  static const ComponentInfo& info() {
    static const ComponentInfo info{{"X", "Y", "Z"},
                                    {{"flow_X", "flow from X to Z", 0, 2}, {"flow_Y", "flow from Y to Z", 1, 2}},
                                    {},
                                    {{"power_loss", "power turned into heat", PowerKind::heat}}};
    return info;
  }
  double laminar_limit() const { return zone.limit; }
  /// From one end with pressure p, the other at `other`, to Z.
  template <class S>
  TR_INLINE S flow(const S& p, const S& other, const S& z) const {
    const S ahead = clamp(S(0.5 + (p - other) / (2 * range)), 0, 1), back = clamp(S((z - other) / range), 0, 1);
    return orifice_flow(S(coefficient * select(p > z, ahead, back)), S(p - z), zone);
  }
  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S*) const {
    Q[0] = flow(in.p[0], in.p[1], in.p[2]);
    Q[1] = flow(in.p[1], in.p[0], in.p[2]);
  }
  void edges(const ComponentInputs<>& in, double* g) const {
    const double near = kNearEdge * range, apart = in.p[0] - in.p[1];
    g[0] = (range + apart) / near, g[1] = (range - apart) / near;
    for (int i = 0; i < 2; ++i) g[2 + i] = (in.p[i] - in.p[2]) / kNearCrack, g[4 + i] = (in.p[2] - in.p[i]) / near;
  }
};

}  // namespace trunnion
