// Relief valves with an opening that takes time.
// With poppet inertia it opens with a delay, overshoots, and chatters if its damping is too low for the volume upstream.
//        A o---|>|---o B      s   poppet travel, load p_A - p_B, setting p_c, range the override pressure (spring_spool.h)
//             ~ p_c           Q = C s f(p_A - p_B)      f the law of the orifice; C gives the nominal flow at p_c + override
// With a volume V at A, q_s = C sqrt(dp), q_p = C s / (2 sqrt(dp)), a = q_p B/V, b = q_s B / (V range), small motions follow
//   (l^2 + 2 zeta w l + w^2)(l + a) + w^2 b = 0
// and are stable for (2 zeta w + a)(w^2 + 2 zeta w a) > w^2 (a + b) (Hurwitz); otherwise the valve chatters.
// With a lag, for a pilot-operated valve, whose main stage is overdamped:
//   s_dot = (clamp((dp - p_c) / range, 0, 1) - s) / tau
// Source: Merritt, Hydraulic Control Systems (1967); Manring, Fales, Hydraulic Control Systems (2020): stability of relief valves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/components/spring_spool.h"

namespace trunnion {

struct ReliefValve : SpringSpoolLaw<true> {
  static constexpr int kNodes = 2, kFlows = 1;
  static const ComponentInfo& info() {
    static const ComponentInfo info = describe({"A", "B"}, {{"flow", "flow from A to B", 0, 1}});
    return info;
  }
  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S* rate) const {
    const S dp = in.p[0] - in.p[1];
    Q[0] = orifice(spool.position<true>(in, dp, rate), dp);
  }
  void start(const double* p, const double*, double* x) const { spool.start(p[0] - p[1], x); }
  void edges(const ComponentInputs<>& in, double* g) const { spool.edges<true>(in, in.p[0] - in.p[1], g); }
};

struct LaggedReliefValve {
  static constexpr int kNodes = 2, kStates = 1, kCommands = 0, kFlows = 1, kPowers = 1, kEdges = 2;
  SpringSpool spool;
  double coefficient = 0;  // [m3/(s Pa^0.5)] of an orifice fully open
  LaminarZone zone;
  double time_constant = 1;  // [s] tau

  static const ComponentInfo& info() {
    static const ComponentInfo info{{"A", "B"},
                                    {{"flow", "flow from A to B", 0, 1}},
                                    {{"spool", "", "opening from 0 to 1"}},
                                    {{"power_loss", "power turned into heat", PowerKind::heat}}};
    return info;
  }
  double laminar_limit() const { return zone.limit; }
  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S* rate) const {
    const S dp = in.p[0] - in.p[1];
    rate[0] = (spool.rest(dp) - in.x[0]) / time_constant;
    Q[0] = orifice_flow(S(coefficient * clamp(in.x[0], 0, spool.travel)), dp, zone);
  }
  void start(const double* p, const double*, double* x) const { x[0] = spool.rest(p[0] - p[1]); }
  void edges(const ComponentInputs<>& in, double* g) const { spool.edges<false>(in, in.p[0] - in.p[1], g); }
};

}  // namespace trunnion
