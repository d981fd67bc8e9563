// Priority valve: supplies the controlled flow CF first, with its setting above LS; the excess flows to EF.
//                 .----o CF        load = p_CF - p_LS,  s = (load - p_set) / range, spring_spool.h
//   P o--[===]----|                Q_CF = C (1 - s) f(p_P - p_CF)      open at rest
//      LS :/\/    '----o EF        Q_EF = C s f(p_P - p_EF)            closed at rest
// LS: load pressure of the steering unit behind CF. At standstill its orifice is closed, p_CF rises to p_LS + p_set + range, at which all
// flow goes to EF.
// Source: manufacturers' practice (Danfoss OLS, Eaton VLE/VLC); Murrenhoff, Grundlagen der Fluidtechnik 1 (2011): steering.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/components/spring_spool.h"

namespace trunnion {

template <bool kMoves>
struct PriorityValve : SpringSpoolLaw<kMoves> {
  static constexpr int kNodes = 4, kFlows = 2;

  static const ComponentInfo& info() {
    static const ComponentInfo info =
        PriorityValve::describe({"P", "CF", "EF", "LS"}, {{"flow_CF", "flow from P to CF", 0, 1}, {"flow_EF", "flow from P to EF", 0, 2}});
    return info;
  }
  template <class S>
  TR_INLINE S load(const S* p) const {
    return p[1] - p[3];
  }
  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S* rate) const {
    const S s = this->spool.template position<kMoves>(in, load(in.p), rate);
    Q[0] = this->orifice(S(1 - s), S(in.p[0] - in.p[1]));
    Q[1] = this->orifice(s, S(in.p[0] - in.p[2]));
  }
  void start(const double* p, const double*, double* x) const { this->spool.start(load(p), x); }
  void edges(const ComponentInputs<>& in, double* g) const { this->spool.template edges<kMoves>(in, load(in.p), g); }
};

}  // namespace trunnion
