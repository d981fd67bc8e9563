// Line: a pipe or hose of n segments, each with inertia and friction, between volumes of oil.
//
//   A o-[V/2n]---Q_1---[V/n]---Q_2---[V/n]-- ... --Q_n---[V/2n]-o B       V = area L, I = rho L/(n area)
//
//   I Q_dot = p_i - p_i+1 - dp_f(Q)
//   dp_f = max(128 mu L/(n pi d^4) |Q|, 0.3164/2 rho L/(n d^5) (4/pi)^2 Re^-1/4 Q^2) sgn(Q),   Re = 4 rho |Q| / (pi d mu)
// Friction of developed flow, laminar (Hagen-Poiseuille) or turbulent in a smooth pipe (Blasius), whichever is larger: they are equal at
// Re = 1187, where the value is continuous and the slope jumps. Frequency dependence is neglected.
// The chain has waves of speed c = sqrt(B_e / rho), 1/B_e = 1/B_oil + 1/B_wall. A closed line fed by a source has the frequencies
//   f_k = (n c / (pi L)) sin((2k - 1) pi / (4 n)),   k = 1 ... n
// against (2k - 1) c / (4 L) of the pipe: the lowest is 0.1 % low with 10 segments.
// Source: elementary (Hagen-Poiseuille; Blasius 1913); lumped lines: Watton, Fundamentals of Fluid Power Control (2009).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numbers>

#include "hydraulics/component.h"
#include "hydraulics/orifice.h"

namespace trunnion {

/// Oil between two nodes with inertia and friction.
class LineSegment {
 public:
  static constexpr int kNodes = 2, kStates = 1, kCommands = 0, kFlows = 1, kPowers = 2;

  /// Of length and diameter [m], density [kg/m3] and dynamic viscosity [Pa s].
  LineSegment(double length, double diameter, double density, double viscosity)
      : inertia_(density * length / circle_area(diameter)),
        laminar_(128 * viscosity * length / (std::numbers::pi * pow(diameter, 4))),
        turbulent_(0.3164 / 2 * density * length / pow(diameter, 5) * pow(4 / std::numbers::pi, 2) *
                   pow(4 * density / (std::numbers::pi * diameter * viscosity), -0.25)) {}

  static const ComponentInfo& info() {
    static const ComponentInfo info{
        {"A", "B"},
        {{"flow", "flow from A to B", 0, 1}},
        {{"flow_state", "m^3/s", "flow from A to B", 1e-3}},
        {{"power_loss", "power lost by friction", PowerKind::heat}, {"power_stored", "power into the moving oil", PowerKind::store}}};
    return info;
  }
  double laminar_limit() const { return 0; }
  /// Friction pressure drop at flow Q [Pa].
  template <class S>
  S friction(const S& Q) const {
    const S size = abs(Q);
    const S loss = max(S(turbulent_ * pow(size, 1.75)), S(laminar_ * size));
    return select(Q < 0, S(-loss), loss);
  }
  double inertia() const { return inertia_; }  // [Pa s2/m3] I

  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S* rate) const {
    *Q = in.x[0];
    *rate = (in.p[0] - in.p[1] - friction(in.x[0])) / inertia_;
  }
  template <class S>
  void powers(const ComponentInputs<S>& in, const S* Q, const S* rate, S* power) const {
    power[0] = *Q * friction(in.x[0]);
    power[1] = inertia_ * *Q * rate[0];
  }
  /// At rest.
  void start(const double*, const double*, double* x) const { *x = 0; }

 private:
  double inertia_, laminar_, turbulent_;  // [Pa s2/m3], [Pa s/m3], [Pa (s/m3)^1.75]
};

}  // namespace trunnion
