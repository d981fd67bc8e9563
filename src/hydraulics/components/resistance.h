// Resistance of a filter, a cooler or a hose: a pressure drop with a laminar and a turbulent part.
//        A o--[~~~]--o B       dp = a Q + b Q |Q|,  dp = p_A - p_B,  Q > 0 from A to B
//   Q = 2 dp / (a + sqrt(a^2 + 4 b |dp|))            solved for the flow: smooth, with the slope 1/a at zero
//   a = lambda dp_n / Q_n,  b = (1 - lambda) dp_n / Q_n^2      so that Q_n flows at dp_n; lambda: laminar share there
// Source: Merritt, Hydraulic Control Systems (1967), chapter 3: laminar and turbulent flow through pipes and fittings.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/component.h"

namespace trunnion {

struct Resistance {
  static constexpr int kNodes = 2, kStates = 0, kCommands = 0, kFlows = 1, kPowers = 1;
  double linear = 1;     // [Pa s/m3] a > 0
  double quadratic = 0;  // [Pa s2/m6] b

  static const ComponentInfo& info() {
    static const ComponentInfo info{
        {"A", "B"}, {{"flow", "flow from A to B", 0, 1}}, {}, {{"power_loss", "power turned into heat", PowerKind::heat}}};
    return info;
  }
  double laminar_limit() const { return 0; }
  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S*) const {
    const S dp = in.p[0] - in.p[1];
    Q[0] = 2 * dp / (linear + sqrt(S(linear * linear + 4 * quadratic * abs(dp))));
  }
};

}  // namespace trunnion
