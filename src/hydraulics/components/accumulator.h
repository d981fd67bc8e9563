// Accumulator: oil against gas or a spring, behind a neck.
//
//        P o---)(---( V | gas )        V_dot = Q = C r f(p_P - p)       f: orifice law, Q > 0 into it
//
//   gas      p(V) = p_0 (V_0 / (V_0 - V))^n       n = 1 isothermal, 1.4 adiabatic
//   spring   p(V) = p_e + (p_f - p_e) V / V_max
// r = 1, except that the last 1 % of the oil (of V_0 or V_max) flows out through a poppet that closes in proportion, r = V / (0.01 V_0): an
// empty accumulator supplies nothing, and receives nothing below its precharge. The last 1 % of a spring's travel is filled in the same
// way. Above 99 % of V_0 the gas law continues along its tangent, which keeps the pressure finite for Newton's method; no accumulator
// operates there.
// The oil in it is incompressible. p > 0 is absolute, and so is the stored work p Q.
// Source: elementary (polytropic change of an ideal gas).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydraulics/component.h"
#include "hydraulics/orifice.h"

namespace trunnion {

/// Fraction of its volume over which an accumulator closes.
inline constexpr double kAccumulatorShut = 0.01;

/// Gas behind the oil.
struct GasCharge {
  double volume = 0, precharge = 0;  // [m3] V_0, [Pa] p_0
  double exponent = 1.4;             // [-] n

  template <class S>
  S pressure(const S& oil) const {
    constexpr double kSmallest = 0.01;  // of V_0, of the gas
    const S fraction = 1 - oil / volume, limited = max(fraction, kSmallest);
    return precharge * pow(S(1 / limited), exponent) * (1 + exponent * (limited - fraction) / kSmallest);
  }
  /// Oil in it at a pressure.
  double oil_at(double p) const { return p > precharge ? volume * (1 - pow(precharge / p, 1 / exponent)) : 0; }
  /// Fraction of the neck open to inflow.
  template <class S>
  S entry(const S&) const {
    return S(1);
  }
};

/// Spring behind the oil.
struct SpringCharge {
  double volume = 0, empty = 0, full = 0;  // [m3] V_max, [Pa] p_e, p_f

  template <class S>
  S pressure(const S& oil) const {
    return empty + oil * ((full - empty) / volume);
  }
  double oil_at(double p) const { return min(max((p - empty) / (full - empty), 0.0), 1.0) * volume; }
  template <class S>
  S entry(const S& oil) const {
    return min(max(S((1 - oil / volume) / kAccumulatorShut), 0.0), 1.0);
  }
};

template <class Charge>
class Accumulator {
 public:
  static constexpr int kNodes = 1, kStates = 1, kCommands = 0, kFlows = 1, kPowers = 2;

  Accumulator(const Charge& charge, double coefficient, const LaminarZone& zone)
      : charge_(charge), coefficient_(coefficient), zone_(zone) {}

  static const ComponentInfo& info() {
    static const ComponentInfo info{
        {"P"},
        {{"flow", "flow into it", 0, -1}},
        {{"oil", "m^3", "oil in it", 1e-3}},
        {{"power_loss", "power lost in the neck", PowerKind::heat}, {"power_stored", "power into gas or spring", PowerKind::store}}};
    return info;
  }
  double laminar_limit() const { return zone_.limit; }

  template <class S>
  void evaluate(const ComponentInputs<S>& in, S* Q, S* rate) const {
    const S& oil = in.x[0];
    const S dp = in.p[0] - charge_.pressure(oil);
    const S exit = min(max(S(oil / (kAccumulatorShut * charge_.volume)), 0.0), 1.0);
    *Q = orifice_flow(S(coefficient_ * select(dp < 0, exit, charge_.entry(oil))), dp, zone_);
    *rate = *Q;
  }
  template <class S>
  void powers(const ComponentInputs<S>& in, const S* Q, const S*, S* power) const {
    const S p = charge_.pressure(in.x[0]);
    power[0] = (in.p[0] - p) * *Q;
    power[1] = p * *Q;
  }
  void start(const double* p, const double*, double* x) const { *x = charge_.oil_at(*p); }
  double outside(const double* x) const { return max(-x[0], x[0] - charge_.volume) / charge_.volume; }

 private:
  Charge charge_;
  double coefficient_;  // [m3/(s Pa^0.5)] C
  LaminarZone zone_;
};

}  // namespace trunnion
