// Pressure-reducing valve: limits the pressure downstream to its setting; a relieving one also drains excess oil to T.
//             T :/\/\/            load = p_B - p_T,  s = (load - p_set) / range           spring_spool.h
//               : [ ]             Q   = C clamp(1 - s, 0, 1) f(p_A - p_B)                 open at rest, closed at s = 1
//   A o---------[===]------o B    Q_T = C clamp(s - 1 - overlap/range, 0, 1) f(p_B - p_T) if relieving: travel up to there
// It begins to throttle at p_set above T, where its spring chamber drains, and is closed at p_set + range.
// Source: Merritt, Hydraulic Control Systems (1967); Murrenhoff, Grundlagen der Fluidtechnik 1 (2011): pressure-reducing valves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/components/spring_spool.h"

namespace trunnion {

template <bool kMoves>
struct ReducingValve : SpringSpoolLaw<kMoves> {
  static constexpr int kNodes = 3, kFlows = 2, kEdges = SpringSpoolLaw<kMoves>::kEdges + 2;
  double relief_from = 1;  // [-] spool travel at which B to T opens; beyond its travel: never

  static const ComponentInfo& info() {
    static const ComponentInfo info =
        ReducingValve::describe({"A", "B", "T"}, {{"flow", "flow from A to B", 0, 1}, {"flow_T", "flow from B to T", 1, 2}});
    return info;
  }
  template <class S>
  TR_INLINE S load(const S* p) const {
    return p[1] - p[2];
  }
  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S* rate) const {
    const S s = this->spool.template position<kMoves>(in, load(in.p), rate);
    Q[0] = this->orifice(max(S(1 - s), 0.0), S(in.p[0] - in.p[1]));
    Q[1] = this->orifice(max(S(s - relief_from), 0.0), load(in.p));
  }
  void start(const double* p, const double*, double* x) const { this->spool.start(load(p), x); }
  void edges(const ComponentInputs<>& in, double* g) const {
    this->spool.template edges<kMoves>(in, load(in.p), g);
    const double s = kMoves ? in.x[0] : (load(in.p) - this->spool.preload) / this->spool.range;
    g[kEdges - 2] = (1 - s) / kNearEdge, g[kEdges - 1] = (s - relief_from) / kNearEdge;  // closed, and to T
  }
};

}  // namespace trunnion
