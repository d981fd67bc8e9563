// Oil: density, viscosity and compressibility, with free air below the saturation pressure.
//   beta(p) = 1/B(p)                                                p >= p_s
//   beta(p) = 1/B(p) + phi (p_s/p^2 - 1/p_s)                        0 < p < p_s
//   B(p)    = B_oil + b p                                           b: stiffening, 0 unless given
// p is absolute. Below p_s air comes out of solution; its volume per volume of oil is g(p) = phi (p_s/p - 2 + p/p_s), zero with
// zero slope at p_s and growing like 1/p, so that the modulus is continuous and the pressure stays positive however much is
// drawn. A saturation pressure of 0 stands for the vacuum limit kVacuumLimit.
// Source: lumped fluid theory (Jaiswal, Sopanen, Mikkola 2021 (friction), (13)-(14)); free air by Boyle's law; modulus linear in pressure
// (Murnaghan 1944).
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
  double stiffening = 0;                      // [-] b
  double viscosity = 0.0391;                  // [Pa s] dynamic

  /// 1/B(p) [1/Pa], of the liquid alone.
  template <class S>
  TR_INLINE S liquid_compressibility(const S& p) const {
    return compressibility / (1 + stiffening * compressibility * p);
  }
  /// Compressibility [1/Pa] at absolute pressure p > 0.
  template <class S>
  TR_INLINE S compressibility_at(const S& p) const {
    const S ratio = saturation_pressure / min(p, saturation_pressure);
    const S air = free_air / saturation_pressure * (ratio * ratio - 1);
    if (stiffening == 0) return compressibility + air;
    return liquid_compressibility(p) + air;
  }
  /// Strain g(p) of the oil and of walls with compressibility `wall` [1/Pa], the integral of beta + wall from the saturation pressure.
  double strain(double p, double wall) const {
    const double below = min(p, saturation_pressure) / saturation_pressure, above = p - saturation_pressure;
    const double air = free_air * (1 / below - 2 + below);
    if (stiffening == 0) return above * (compressibility + wall) - air;
    return std::log1p(stiffening * liquid_compressibility(saturation_pressure) * above) / stiffening + above * wall - air;
  }
  /// Inverse of strain().
  double pressure_at(double strain, double wall) const {
    double p = constant_pressure_at(strain, liquid_compressibility(saturation_pressure) + wall);
    if (stiffening == 0) return p;
    // strain() is concave and p not above its root: Newton's method approaches from below
    constexpr int kMost = 50;
    for (int i = 0; i < kMost; ++i) {
      const double more = (strain - this->strain(p, wall)) / (compressibility_at(p) + wall);
      p += more;
      if (!(more > 1e-15 * p)) break;
    }
    return p;
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
  /// Whether compressibility depends on pressure about p, so that rates are those of strain.
  bool varies(double p) const { return stiffening != 0 || cavitates(p); }

 private:
  /// Inverse of strain() where the liquid and the walls have the compressibility `liquid` at any pressure: below saturation the positive
  /// root of a p^2 + b p - phi p_s = 0 that joins it.
  double constant_pressure_at(double strain, double liquid) const {
    if (strain >= 0 || free_air == 0) return saturation_pressure + strain / liquid;
    const double a = liquid - free_air / saturation_pressure, b = 2 * free_air - saturation_pressure * liquid - strain,
                 c = free_air * saturation_pressure;
    return 2 * c / (b + std::sqrt(b * b + 4 * a * c));
  }
};

/// How much oil (at pressure) a sub-volume takes up per pressure [m3/Pa]: V (beta + 1/B_wall), one term of V/B_e in (14).
template <class S, class V>
TR_INLINE auto sub_volume_capacity(const V& volume, const S& compressibility, double wall_compressibility) {
  return volume * (compressibility + wall_compressibility);
}

}  // namespace trunnion
