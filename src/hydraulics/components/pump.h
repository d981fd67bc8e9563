// Displacement pump with losses, control and drive.
//
//            P             Q   = chi e D w - G dp                   dp = p_P - p_S, positive out of P
//            ^             M   = chi e D dp + c w + f D |dp| r(w)   torque on the shaft, r(w) = clamp(w / w_r, -1, 1)
//        w  (^)~ e         heat = G dp^2 + (c w + f D |dp| r(w)) w
//            |
//            S             e: displacement fraction, -1 to 1; w: shaft speed
//                          chi: liquid fraction on the inlet side, 1 unless there is a cavity (fluid.h)
//
// G, c and f from the efficiencies at one point (w_n, dp_n), e = 1; s is the viscous share of the torque loss there:
//   G = (1 - eta_v) D w_n / dp_n,   c = s (1/eta_m - 1) D dp_n / w_n,   f = (1 - s) (1/eta_m - 1)
//
// Control. Without it e is its command u. With it e follows the minimum of the control functions with a first-order lag and limited rates,
//   e_dot = clamp((e_target - e) / tau, -1/t_down, 1/t_up),   e_target = clamp(min(e_p, e_LS, e_M), e_min, u)
//   e_p  = (p_max - p_P) / band                 cut-off: no displacement at p_max, full at p_max - band
//   e_LS = (p_LS + margin - p_P) / band         load sensing: p_P - p_LS is the margin at no displacement, margin - band at full
//   e_M  = M_max / (D dp)                       torque limit
// e stays within its limits because its target does.
//
// Shaft. Without a prime mover w is its command. With one
//   J w_dot = M_e - M,   M_e = clamp((w_set - w) M_full / droop, 0, M_limit(w))
//
// All laws are continuous; slopes at kinks are one-sided.
// Source: Wilson 1946, Schloesser 1961 (losses); controls and governor: first-order forms of manufacturers' descriptions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "hydraulics/component.h"
#include "hydraulics/displacement.h"
#include "hydraulics/fluid.h"
#include "hydraulics/orifice.h"

namespace trunnion {

enum class PumpControl { none, pressure, load_sensing };

struct PumpConstants {
  double displacement = 0;  // [m3/rad] D
  double leakage = 0;       // [m3/(s Pa)] G
  double viscous = 0;       // [N m s/rad] c
  double coulomb = 0;       // [-] f
  Fluid fluid{.saturation_pressure = 0};
  // control
  double cut_off = std::numeric_limits<double>::infinity();  // [Pa] p_max
  double margin = 0, band = 1;                               // [Pa]
  double torque = std::numeric_limits<double>::infinity();   // [N m] M_max
  double least = 0;                                          // [-] e_min
  double time_constant = 1;                                  // [s] tau
  double up_rate = std::numeric_limits<double>::infinity();  // [1/s] 1/t_up
  double down_rate = std::numeric_limits<double>::infinity();
  // prime mover
  double inertia = 1;         // [kg m2] J
  double full_torque = 0;     // [N m] M_full
  double droop = 1;           // [rad/s]
  OpeningCurve torque_limit;  // M_limit over w

  /// G, c and f from efficiencies.
  void set_losses(double volumetric, double mechanical, double speed, double pressure, double viscous_share) {
    const double torque_loss = 1 / mechanical - 1;
    leakage = (1 - volumetric) * displacement * speed / pressure;
    viscous = viscous_share * torque_loss * displacement * pressure / speed;
    coulomb = (1 - viscous_share) * torque_loss;
  }
};

template <PumpControl control, bool driven>
class Pump {
 public:
  static constexpr int kNodes = control == PumpControl::load_sensing ? 3 : 2, kStates = int(control != PumpControl::none) + int(driven),
                       kCommands = 2, kFlows = 1, kPowers = driven ? 3 : 2;

  explicit Pump(PumpConstants constants) : c_(std::move(constants)) {}

  static const ComponentInfo& info() {
    static const ComponentInfo info = [] {
      ComponentInfo i;
      i.nodes = {"S", "P"};
      if (control == PumpControl::load_sensing) i.nodes.push_back("LS");
      i.flows = {{"flow", "flow out of P", 0, 1}};
      if (control != PumpControl::none) i.states.push_back({"fraction", "", "displacement over the full one"});
      if (driven) i.states.push_back({"speed", "rad/s", "speed of the shaft", 100});
      i.powers = {{"shaft_power", driven ? "power of the prime mover" : "power of the shaft on the pump", PowerKind::supply},
                  {"power_loss", "power lost by leakage and friction", PowerKind::heat}};
      if (driven) i.powers.push_back({"power_stored", "power into the motion of the shaft", PowerKind::store});
      return i;
    }();
    return info;
  }
  double laminar_limit() const { return 0; }

  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S* rate) const {
    const S e = fraction(in), w = speed(in);
    *Q = e * w * displacement(in) - c_.leakage * drop(in);
    if constexpr (control != PumpControl::none) *rate++ = max(S(min(S((target(in) - e) / c_.time_constant), c_.up_rate)), -c_.down_rate);
    if constexpr (driven) *rate = (prime_torque(in.u[1], w) - e * displacement(in) * drop(in) - friction(in, w)) / c_.inertia;
  }

  template <class S>
  void powers(const ComponentInputs<S>& in, const S*, const S* rate, S* power) const {
    const S w = speed(in), dp = drop(in), loss = friction(in, w);
    power[1] = c_.leakage * dp * dp + loss * w;
    if constexpr (driven) {
      power[0] = prime_torque(in.u[1], w) * w;
      power[2] = c_.inertia * w * rate[kStates - 1];
    } else {
      power[0] = (fraction(in) * displacement(in) * dp + loss) * w;
    }
  }

  /// Displacement on its target; shaft at the balance of governor and pump, or at its set speed if there is none.
  void start(const double* p, const double* u, double* x) const {
    const ComponentInputs<> in{p, x, u};
    double e = u[0];
    if constexpr (control != PumpControl::none) e = x[0] = target(in);
    if constexpr (driven) {
      const double constant = e * c_.displacement * drop(in) + c_.coulomb * c_.displacement * abs(drop(in));
      const double w = (c_.full_torque * u[1] - c_.droop * constant) / (c_.full_torque + c_.droop * c_.viscous);
      const double torque = constant + c_.viscous * w;
      x[kStates - 1] = w > kShaftRest && torque >= 0 && torque <= c_.torque_limit(w) ? w : u[1];
    }
  }

 private:
  template <class S>
  static S drop(const ComponentInputs<S>& in) {
    return in.p[1] - in.p[0];
  }
  template <class S>
  static S fraction(const ComponentInputs<S>& in) {
    if constexpr (control == PumpControl::none) return in.u[0];
    return in.x[0];
  }
  template <class S>
  static S speed(const ComponentInputs<S>& in) {
    if constexpr (driven) return in.x[kStates - 1];
    return in.u[1];
  }
  /// Displaced flow.
  template <class S>
  S displacement(const ComponentInputs<S>& in) const {
    const bool forward = value_of(S(fraction(in) * speed(in))) >= 0;
    return c_.displacement * c_.fluid.liquid_fraction(in.p[forward ? 0 : 1]);
  }
  /// Torque of friction.
  template <class S>
  S friction(const ComponentInputs<S>& in, const S& w) const {
    return c_.viscous * w + pressure_drag(c_.coulomb, c_.displacement, drop(in), w);
  }
  template <class S>
  S prime_torque(const S& w_set, const S& w) const {
    const S governed = (w_set - w) * (c_.full_torque / c_.droop);
    return max(S(min(governed, c_.torque_limit(w))), 0.0);
  }
  template <class S>
  S target(const ComponentInputs<S>& in) const {
    S e = in.u[0];
    e = min(e, S((c_.cut_off - in.p[1]) / c_.band));
    if constexpr (control == PumpControl::load_sensing) e = min(e, S((in.p[2] + c_.margin - in.p[1]) / c_.band));
    if (c_.torque < std::numeric_limits<double>::infinity()) e = min(e, S(c_.torque / max(S(c_.displacement * drop(in)), c_.torque)));
    return max(e, c_.least);
  }

  PumpConstants c_;
};

}  // namespace trunnion
