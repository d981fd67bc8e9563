// Counterbalance (overcentre) valve: holds a load, and lowers it only as the other side of its actuator is driven.
//         X .....
//               : R            load = (p_A - p_Y) + R (p_X - p_Y)                       s = (load - p_set) / range, spring_spool.h
//   A o--+--[ |/\/]--+--o B    Q = C s f(p_A - p_B) - check(p_B - p_A)                  f the law of the orifice
//        +----|<|----+         check valve from B to A, cracking at p_c, of the same size (one_way_valve.h)
// A: load side, B: valve side, X: pilot, R: pilot ratio, area of the pilot / area of the relief side. Y: drain of the spring chamber; B if
// it is not vented, so that pressure at B acts against opening with the factor 1 + R, as in common three-port cartridges.
// Source: manufacturers' practice for load-holding cartridges (Sun, Bosch Rexroth, Bucher).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/components/spring_spool.h"
#include "hydraulics/one_way_valve.h"

namespace trunnion {

template <bool kMoves>
struct CounterbalanceValve : SpringSpoolLaw<kMoves> {
  static constexpr int kNodes = 4, kFlows = 1, kEdges = SpringSpoolLaw<kMoves>::kEdges + 1;
  double pilot_ratio = 0;  // [-] R
  OneWayLaw check;         // from B to A

  static const ComponentInfo& info() {
    static const ComponentInfo info = CounterbalanceValve::describe({"A", "B", "X", "drain"}, {{"flow", "flow from A to B", 0, 1}});
    return info;
  }
  template <class S>
  TR_INLINE S load(const S* p) const {
    return p[0] - p[3] + pilot_ratio * (p[2] - p[3]);
  }
  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S* rate) const {
    const S dp = in.p[0] - in.p[1];
    Q[0] = this->orifice(this->spool.template position<kMoves>(in, load(in.p), rate), dp) - one_way_flow(check, S(-dp));
  }
  void start(const double* p, const double*, double* x) const { this->spool.start(load(p), x); }
  void edges(const ComponentInputs<>& in, double* g) const {
    this->spool.template edges<kMoves>(in, load(in.p), g);
    g[kEdges - 1] = (in.p[1] - in.p[0] - check.cracking) / kNearCrack;
  }
};

}  // namespace trunnion
