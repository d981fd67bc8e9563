// Flow divider and combiner: splits a flow in a fixed ratio, independent of the pressures of the two sides.
//                  .--)(--[= =]--o A     metering orifice C_m each, behind it an edge of the spool, C_m 2 sigma
//         P o------|      |   |          sigma_A = s, sigma_B = 1 - s; half open at s = 1/2
//                  '--)(--[= =]--o B     s: share of the spool
//   Q_i     = C_i f(p_P - p_i),     C_i = C_m,i 2 sigma_i / sqrt(1 + 4 sigma_i^2)         orifice and edge in series
//   D_i     = (p_P - p_i) 4 sigma_i^2 / (1 + 4 sigma_i^2)                                   drop over the metering orifice
//   tau s_d = clamp(1/2 - (|D_A| - |D_B|) / (2 range), 0, 1) - s                            the larger drop closes its own edge
// The metering coefficients are proportional to the desired flows: equal drops give these shares; centring springs (range) leave a small
// error. Reverse flow is combined in the same ratio, the two halves of the spool hooked together.
// Source: Murrenhoff, Grundlagen der Fluidtechnik 1 (2011): flow dividers; spool of first order as its damping outweighs its inertia.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/components/spring_spool.h"

namespace trunnion {

struct FlowDivider {
  static constexpr int kNodes = 3, kStates = 1, kCommands = 0, kFlows = 2, kPowers = 1;
  double metering_A = 0, metering_B = 0;  // [m3/(s Pa^0.5)] C_m
  LaminarZone zone;
  double range = 1;          // [Pa]
  double time_constant = 1;  // [s] tau

  static const ComponentInfo& info() {
    static const ComponentInfo info{{"P", "A", "B"},
                                    {{"flow_A", "flow from P to A", 0, 1}, {"flow_B", "flow from P to B", 0, 2}},
                                    {{"spool", "", "share of the spool: 1 opens A, 0 opens B"}},
                                    {{"power_loss", "power turned into heat", PowerKind::heat}}};
    return info;
  }
  double laminar_limit() const { return zone.limit; }

  /// Steady position of the spool for the drops at s.
  template <class S>
  TR_INLINE S rest(const S* p, const S& s) const {
    const auto drop = [&](const S& dp, const S& sigma) { return abs(dp) * (4 * sigma * sigma / (1 + 4 * sigma * sigma)); };
    return clamp(S(0.5 - (drop(p[0] - p[1], s) - drop(p[0] - p[2], 1 - s)) / (2 * range)), 0, 1);
  }
  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S* rate) const {
    const S s = clamp(in.x[0], 0, 1);
    const auto flow = [&](double metering, const S& dp, const S& sigma) {
      return orifice_flow(S(metering * 2 * sigma / sqrt(S(1 + 4 * sigma * sigma))), dp, zone);
    };
    Q[0] = flow(metering_A, in.p[0] - in.p[1], s);
    Q[1] = flow(metering_B, in.p[0] - in.p[2], 1 - s);
    rate[0] = (rest(in.p, s) - in.x[0]) / time_constant;
  }
  /// Spool at rest: rest(s) - s decreases from s = 0 to s = 1; bisection to rounding.
  void start(const double* p, const double*, double* x) const {
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
      const double s = (low + high) / 2;
      (rest(p, s) > s ? low : high) = s;
    }
    x[0] = (low + high) / 2;
  }
};

}  // namespace trunnion
