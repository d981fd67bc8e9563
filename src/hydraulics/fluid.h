// Oil: density and compressibility, with free air below the saturation pressure.
//   beta(p) = 1/B_oil                                               p >= p_s
//   beta(p) = 1/B_oil + phi (p_s/p^2 - 1/p_s)                       0 < p < p_s
// p is absolute. Below p_s air comes out of solution; its volume per volume of oil is g(p) = phi (p_s/p - 2 + p/p_s), zero with
// zero slope at p_s and growing like 1/p, so that the modulus is continuous and the pressure stays positive however much is
// drawn. A saturation pressure of 0 stands for the vacuum limit kVacuumLimit.
// Source: lumped fluid theory (Jaiswal, Sopanen, Mikkola 2021 (friction), (13)-(14)); free air by Boyle's law.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "base/dual.h"

namespace trunnion {

/// Saturation pressure [Pa] where none is given: what a technical vacuum leaves.
inline constexpr double kVacuumLimit = 2e3;

struct Fluid {
  double density = 850;                       // [kg/m3]
  double compressibility = 1 / 1.5e9;         // [1/Pa] 1/B_oil
  double saturation_pressure = kVacuumLimit;  // [Pa] absolute
  double free_air = 0.005;                    // [-] phi

  /// Compressibility [1/Pa] at absolute pressure p > 0.
  template <class S>
  TR_INLINE S compressibility_at(const S& p) const {
    const S ratio = saturation_pressure / min(p, saturation_pressure);
    return compressibility + free_air / saturation_pressure * (ratio * ratio - 1);
  }
  /// Strain g(p) of the oil and of walls with compressibility `wall` [1/Pa], the integral of beta + wall from the saturation pressure.
  double strain(double p, double wall) const {
    const double below = min(p, saturation_pressure) / saturation_pressure;
    return (p - saturation_pressure) * (compressibility + wall) - free_air * (1 / below - 2 + below);
  }
  /// Inverse of strain(): below saturation the positive root of a p^2 + b p - phi p_s = 0 that joins it.
  double pressure_at(double strain, double wall) const {
    const double liquid = compressibility + wall;
    if (strain >= 0 || free_air == 0) return saturation_pressure + strain / liquid;
    const double a = liquid - free_air / saturation_pressure, b = 2 * free_air - saturation_pressure * liquid - strain,
                 c = free_air * saturation_pressure;
    return 2 * c / (b + std::sqrt(b * b + 4 * a * c));
  }
  /// Pressure p after a change that would be dp at the compressibility of p, taken as strain: a Newton or predictor step on pressure
  /// that crosses saturation in either direction lands where the capacity puts it, and never below zero.
  double advance(double p, double dp, double wall) const {
    const double moved = p + dp;
    if (!cavitates(p) && !cavitates(moved)) return moved;
    return pressure_at(strain(p, wall) + (compressibility_at(p) + wall) * dp, wall);
  }
  /// Whether free air acts.
  bool cavitates(double p) const { return p < saturation_pressure; }
};

/// How much oil (at pressure) a sub-volume takes up per pressure [m3/Pa]: V (beta + 1/B_wall), one term of V/B_e in (14).
template <class S, class V>
TR_INLINE auto sub_volume_capacity(const V& volume, const S& compressibility, double wall_compressibility) {
  return volume * (compressibility + wall_compressibility);
}

}  // namespace trunnion
