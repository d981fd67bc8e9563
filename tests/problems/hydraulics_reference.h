// Oil and seal laws of the reference solutions, written independently of the library.
//   orifice     Q = C dp / sqrt(dp_l) for |dp| < dp_l, C sign(dp) sqrt|dp| above
//   volume      pdot = inflow / (V_hose (1/B_oil + 1/B_hose) + V_chamber (1/B_oil + 1/B_cylinder))
//   valve       U > 0: P to A, B to T; U < 0: P to B, A to T; spool U' = (u - U)/tau in closed form
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "problems/radau_iia.h"

namespace trunnion::problems {

inline constexpr double kLaminarLimit = 2e5;  // [Pa]

/// Flow from p_from to p_to through an orifice with coefficient c [m3/(s Pa^0.5)], a number or an S.
template <class C, class S>
S reference_orifice(const C& c, const S& p_from, const S& p_to) {
  using std::sqrt;
  const S dp = p_from - p_to;
  if (std::abs(value_of(dp)) < kLaminarLimit) return dp * (c / std::sqrt(kLaminarLimit));
  return value_of(dp) > 0 ? S(c * sqrt(dp)) : S(-c * sqrt(-dp));
}

/// Zero at the kinks of that law.
inline void orifice_corners(double dp, std::vector<double>& corners) {
  corners.push_back(dp - kLaminarLimit);
  corners.push_back(dp + kLaminarLimit);
}

/// A first-order lag of a piecewise linear signal, exact: on a piece u = a + b (t - t0),
/// U = a + b (t - t0 - tau) + (U0 - a + b tau) exp(-(t - t0)/tau). At rest on the first value before the first point.
class LaggedSignal {
 public:
  LaggedSignal(std::vector<std::array<double, 2>> points, double tau);
  double operator()(double t) const;

 private:
  struct Piece {
    double t0, a, b, start;  // start: U at t0
  };
  std::vector<Piece> pieces_;
  double tau_;
};

/// The circuit of all reference machines: 4/3 valve, volume 1, throttle, volume 2 = piston side, volume 3 = rod side. Of numbers P.
template <class P>
struct CircuitReferenceOf {
  P supply, tank;               // [Pa]
  P valve_c, throttle_c;        // [m3/(s V Pa^0.5)], [m3/(s Pa^0.5)]
  P bulk_oil, bulk_cylinder;    // [Pa]
  std::array<P, 3> bulk_hose;   // [Pa] of volumes 1, 2, 3
  std::array<P, 3> hose;        // [m3]
  P area_a, area_b;             // [m2]
  P length_a, length_b, start;  // [m] chamber lengths at the start, cylinder length at the start

  /// pdot[3] from pressures p[3], spool U (a number or an S), cylinder length s and rate v.
  template <class U, class S>
  void rates(const U& spool, const S* p, const S& s, const S& v, S* pdot) const {
    const bool positive = value_of(spool) >= 0;
    const U open = valve_c * (positive ? spool : U(-spool));
    const S into_1 = positive ? reference_orifice(open, S(supply), p[0]) : S(-reference_orifice(open, p[0], S(tank)));
    const S into_3 = positive ? S(-reference_orifice(open, p[2], S(tank))) : reference_orifice(open, S(supply), p[2]);
    const S through = reference_orifice(throttle_c, p[0], p[1]);
    const P chamber = 1 / bulk_oil + 1 / bulk_cylinder;
    const auto stored = [this](std::size_t i) { return hose[i] * (1 / bulk_oil + 1 / bulk_hose[i]); };
    pdot[0] = (into_1 - through) / S(stored(0));
    pdot[1] = (through - area_a * v) / (stored(1) + area_a * (length_a + (s - start)) * chamber);
    pdot[2] = (into_3 + area_b * v) / (stored(2) + area_b * (length_b - (s - start)) * chamber);
  }
  void corners(const double* p, std::vector<double>& out) const {
    for (double end : {supply, tank}) {
      orifice_corners(p[0] - end, out);
      orifice_corners(p[2] - end, out);
    }
    orifice_corners(p[0] - p[1], out);
  }
};
using CircuitReference = CircuitReferenceOf<double>;

/// Parameters of a circuit; values of the circuit shared by the papers on friction, linearisation and co-simulation, from
/// examples/four_bar.yaml.
template <class P>
struct PaperCircuit {
  P supply = 7.6e6, tank = 0.1e6;                      // [Pa]
  P flow = 24e-3 / 60, drop = 35e5, signal = 10;       // [m3/s], [Pa], [V] nominal of the valve
  P throttle = 6e-3, discharge = 0.8;                  // [m], [-]
  P density = 850, bulk_oil = 1.5e9;                   // [kg/m3], [Pa]
  P bulk_cylinder = 31.5e9;                            // [Pa]
  std::array<P, 3> bulk_hose{0.15e9, 0.15e9, 0.15e9};  // [Pa]
  std::array<P, 3> hose{3.14e-5, 7.85e-5, 4.71e-5};    // [m3]
  P bore = 0.080, rod = 0.035;                         // [m]

  /// With the chamber lengths and the length [m] of its cylinder at the start.
  CircuitReferenceOf<P> with(const P& length_a, const P& length_b, const P& start) const {
    using std::sqrt;
    const P quarter = std::acos(-1.0L) / 4;
    return {supply,
            tank,
            flow / (signal * sqrt(drop)),
            discharge * quarter * throttle * throttle * sqrt(2 / density),
            bulk_oil,
            bulk_cylinder,
            bulk_hose,
            hose,
            quarter * bore * bore,
            quarter * (bore * bore - rod * rod),
            length_a,
            length_b,
            start};
  }
};
inline CircuitReference paper_circuit(double length_a, double length_b, double start) {
  return PaperCircuit<double>{}.with(length_a, length_b, start);
}

/// Seal friction of Brown and McPhee, of numbers P.
template <class P>
struct BrownMcPheeReferenceOf {
  P coulomb, static_force, stribeck, viscous;  // [N], [N], [m/s], [N s/m]
  template <class S>
  S operator()(const S& v) const {
    using std::tanh;
    const S x = v / S(stribeck), d = 0.25 * x * x + 0.75;
    return coulomb * tanh(4.0 * x) + (static_force - coulomb) * x / (d * d) + viscous * std::tanh(4.0) * v;
  }
};
using BrownMcPheeReference = BrownMcPheeReferenceOf<double>;

}  // namespace trunnion::problems
