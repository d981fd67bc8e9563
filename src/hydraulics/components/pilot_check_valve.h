// Pilot-operated check valve: flow from A to B, and reverse flow when its pilot lifts the poppet.
//             X
//             : R            load = p_A - p_B + R max(p_X - p_A, 0)      the piston only pushes; A is behind it
//        A o--|>|--o B       s = (load - p_c) / range                    spring_spool.h
//                            Q = C s f(p_A - p_B)                        f the law of the orifice
// R = area of the pilot piston / area of the seat. With p_A at tank pressure, reverse flow opens for p_X > (p_B + p_c + range) / R.
// Source: elementary balance of forces, as in Murrenhoff, Grundlagen der Fluidtechnik 1 (2011): check valves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/components/spring_spool.h"

namespace trunnion {

template <bool kMoves>
struct PilotCheckValve : SpringSpoolLaw<kMoves> {
  static constexpr int kNodes = 3, kFlows = 1;
  double pilot_ratio = 1;  // [-] R

  static const ComponentInfo& info() {
    static const ComponentInfo info = PilotCheckValve::describe({"A", "B", "X"}, {{"flow", "flow from A to B", 0, 1}});
    return info;
  }
  template <class S>
  TR_INLINE S load(const S* p) const {
    return p[0] - p[1] + pilot_ratio * max(S(p[2] - p[0]), 0.0);
  }
  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S* rate) const {
    Q[0] = this->orifice(this->spool.template position<kMoves>(in, load(in.p), rate), S(in.p[0] - in.p[1]));
  }
  void start(const double* p, const double*, double* x) const { this->spool.start(load(p), x); }
  void edges(const ComponentInputs<>& in, double* g) const { this->spool.template edges<kMoves>(in, load(in.p), g); }
};

}  // namespace trunnion
