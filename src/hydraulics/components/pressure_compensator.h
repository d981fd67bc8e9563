// Pressure compensator: a spool that keeps the pressure drop over a metering edge, and so its flow, independent of the load.
//                                                             s = (load - p_set) / range, spring_spool.h
//   pre    A o--[===]--o B --)(-- load --.                    load = p_B - p_LS,   Q = C (1 - s) f(p_A - p_B)     open at rest
//                 LS <--------------------'                   keeps p_B - p_LS at p_set + range s
//   post   supply --)(-- A o--[===]--o B -- load              load = p_A - p_LS,   Q = C s f(p_A - p_B)           closed at rest
//                                LS <-- highest load          keeps p_A - p_LS at p_set + range s
// With a load check there is no reverse flow: max(p_A - p_B, 0). Without it, a pre-compensator whose supply falls below its outlet opens
// further as it loses oil, and the load drops.
// With post-compensators on one LS line all metering edges have the same drop, also where the pump cannot keep it: the flows shrink in
// proportion (flow sharing, LUDV). Upstream of them, a pre-compensator opens fully when the pump saturates, and the
// lightest load takes the flow.
// Source: Murrenhoff, Grundlagen der Fluidtechnik 1 (2011): load sensing; Bosch Rexroth: LUDV.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/components/spring_spool.h"

namespace trunnion {

template <bool kMoves>
struct PressureCompensator : SpringSpoolLaw<kMoves> {
  static constexpr int kNodes = 3, kFlows = 1, kEdges = SpringSpoolLaw<kMoves>::kEdges + 1;
  bool post = false, load_check = true;

  static const ComponentInfo& info() {
    static const ComponentInfo info = PressureCompensator::describe({"A", "B", "LS"}, {{"flow", "flow from A to B", 0, 1}});
    return info;
  }
  template <class S>
  TR_INLINE S load(const S* p) const {
    return p[post ? 0 : 1] - p[2];
  }
  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S* rate) const {
    const S s = this->spool.template position<kMoves>(in, load(in.p), rate);
    const S dp = in.p[0] - in.p[1];
    Q[0] = this->orifice(post ? s : S(1 - s), load_check ? max(dp, 0.0) : dp);
  }
  void start(const double* p, const double*, double* x) const { this->spool.start(load(p), x); }
  void edges(const ComponentInputs<>& in, double* g) const {
    this->spool.template edges<kMoves>(in, load(in.p), g);
    g[kEdges - 1] = load_check ? (in.p[0] - in.p[1]) / kNearCrack : 1;
  }
};

}  // namespace trunnion
