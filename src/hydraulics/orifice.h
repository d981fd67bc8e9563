// Orifice: flow by the square-root law of turbulent flow, linear within the laminar limit.
//   Q = C sqrt|dp| sgn(dp)      |dp| >= p_lam                       C = C_d A sqrt(2/rho)          (15), (16)
//   Q = C dp / sqrt(p_lam)      |dp| <  p_lam                       continuous, finite slope at zero
//          A o---)(---o B       Q > 0 from A to B, dp = p_A - p_B
// With a command, as a metering edge of a valve, C is multiplied by the opening, a curve over the command.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 2.2.1.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <numbers>
#include <vector>

#include "base/dual.h"

namespace trunnion {

/// Laminar zone of an orifice.
struct LaminarZone {
  double limit = 2e5;                            // [Pa] p_lam
  double inverse_root = 1 / 447.21359549995793;  // [Pa^-0.5] 1/sqrt(p_lam)
  LaminarZone() = default;
  explicit LaminarZone(double p_lam) : limit(p_lam), inverse_root(1 / std::sqrt(p_lam)) {}
};

/// Flow [m3/s] of coefficient C [m3/(s Pa^0.5)] at pressure drop dp [Pa].
template <class S>
TR_INLINE S orifice_flow(const S& C, const S& dp, const LaminarZone& zone) {
  const S size = abs(dp);
  const S root = sqrt(max(size, zone.limit));
  return C * select(size < zone.limit, dp * zone.inverse_root, sign(dp) * root);
}

/// C of a sharp-edged hole [m3/(s Pa^0.5)], (16).
TR_INLINE double orifice_coefficient(double discharge, double area, double density) { return discharge * area * std::sqrt(2 / density); }

/// C from a nominal flow [m3/s] at a pressure drop [Pa].
TR_INLINE double nominal_coefficient(double flow, double pressure_drop) { return flow / std::sqrt(pressure_drop); }

TR_INLINE double circle_area(double diameter) { return std::numbers::pi / 4 * diameter * diameter; }

/// Opening from 0 to 1 over a command: piecewise linear, constant outside. At a point its slope is that to the right.
struct OpeningCurve {
  std::vector<std::array<double, 2>> points{{0, 0}, {1, 1}};  // [command, opening], commands strictly increasing

  template <class S>
  S operator()(const S& command) const {
    S value(points.front()[1]);
    for (std::size_t k = 1; k < points.size(); ++k) {
      const auto& [x_0, u_0] = points[k - 1];
      const auto& [x_1, u_1] = points[k];
      if (!kRecording && !(!(command < x_0) && command < x_1)) continue;
      value = select(command < x_0, value, u_0 + (command - x_0) * ((u_1 - u_0) / (x_1 - x_0)));
    }
    return select(command < points.back()[0], value, S(points.back()[1]));
  }
};

}  // namespace trunnion
