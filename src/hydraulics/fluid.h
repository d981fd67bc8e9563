// Oil: density, viscosity and compressibility, with free air below the saturation pressure.
//   chi(p)  = 1 / (1 + a(p)),   a(p) = phi (p_s/p - 2 + p/p_s)      0 < p < p_s; 1 and 0 above
//   beta(p) = 1/B(p) + dchi/dp
//   B(p)    = B_oil + b p                                           b: stiffening, 0 unless given
// p is absolute. Below p_s air comes out of solution, the volume a per volume of oil: zero with zero slope at p_s and growing like 1/p, so
// that the modulus is continuous and the pressure stays positive however much oil is drawn. chi is the liquid fraction of a volume. Valves
// and pumps pass liquid, so the balance of a volume V is that of its liquid, (13) below saturation:
//   V beta p_dot + chi V_dot = sum Q,   on the left the derivative of V chi plus the compression of the liquid itself
// A saturation pressure of 0 means the vacuum limit kVacuumLimit.
// Source: lumped fluid theory (Jaiswal, Sopanen, Mikkola 2021 (friction), (13)-(14)); free air by Boyle's law; modulus linear in pressure
// (Murnaghan 1944).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "base/dual.h"

namespace trunnion {

/// Default saturation pressure [Pa]: that of a technical vacuum.
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
    const S liquid = stiffening == 0 ? S(compressibility) : liquid_compressibility(p);
    if (!cavitates(value_of(p))) return liquid;
    const S x = p / saturation_pressure, share = liquid_fraction(p) / x;
    return liquid + free_air / saturation_pressure * (1 - x * x) * share * share;
  }
  /// chi(p) [-], the liquid fraction of a volume.
  template <class S>
  TR_INLINE S liquid_fraction(const S& p) const {
    if (!cavitates(value_of(p))) return S(1);
    const S x = p / saturation_pressure, gap = 1 - x;
    return x / (x + free_air * gap * gap);
  }
  /// Strain g(p) of the oil and of walls with compressibility `wall` [1/Pa], the integral of beta + wall from the saturation pressure.
  double strain(double p, double wall) const {
    const double above = p - saturation_pressure, air = 1 - liquid_fraction(p);
    if (!(stiffening > 0)) {
      const double linear = above * (compressibility + wall) - air;
      return kTangents ? linear - stiffening * compressibility * compressibility * above * (saturation_pressure + above / 2) : linear;
    }
    return std::log1p(stiffening * liquid_compressibility(saturation_pressure) * above) / stiffening + above * wall - air;
  }
  /// Inverse of strain(); below the strain of all pressures, a pressure close to 0.
  double pressure_at(double strain, double wall) const {
    const bool cavity = strain < 0 && free_air != 0;
    double p = cavity ? saturation_pressure * share_at(1 + strain)
                      : saturation_pressure + strain / (liquid_compressibility(saturation_pressure) + wall);
    if (stiffening == 0 && !cavity) return p;
    // strain() is concave and p not above its root: Newton's method approaches from below
    constexpr int kMost = 50;
    for (int i = 0; i < kMost; ++i) {
      const double more = (strain - this->strain(p, wall)) / (compressibility_at(p) + wall);
      p += more;
      if (!(more > 1e-15 * p)) break;
    }
    return cavity ? std::max(p, kLeast * saturation_pressure) : p;
  }
  /// Pressure p after a change that would be dp at the compressibility of p, interpreted as strain: a Newton or predictor step on pressure
  /// that crosses saturation in either direction uses the capacity on both sides, and never removes the last tenth of the liquid.
  double advance(double p, double dp, double wall) const {
    constexpr double kTaken = 0.9;
    const double moved = p + dp;
    if (!cavitates(p) && !cavitates(moved)) return moved;
    const double from = strain(p, wall);
    return pressure_at(std::max(from + (compressibility_at(p) + wall) * dp, min(from, 0.0) - kTaken * liquid_fraction(p)), wall);
  }
  /// Whether free air contributes.
  bool cavitates(double p) const { return p < saturation_pressure; }
  /// Whether compressibility depends on pressure near p, so that rates are those of strain.
  bool varies(double p) const { return stiffening != 0 || cavitates(p); }

 private:
  static constexpr double kLeast = 1e-12;  // relative to the saturation pressure, and liquid fraction of a volume

  /// p / p_s at a liquid fraction, the smaller root of phi (1/x - 2 + x) = 1/chi - 1.
  double share_at(double fraction) const {
    const double b = 1 + (1 / std::max(fraction, kLeast) - 1) / (2 * free_air);
    return 1 / (b + std::sqrt(b * b - 1));
  }
};

/// Oil volume (at pressure) absorbed by a sub-volume per pressure [m3/Pa]: V (beta + 1/B_wall), one term of V/B_e in (14).
template <class S, class V>
TR_INLINE auto sub_volume_capacity(const V& volume, const S& compressibility, double wall_compressibility) {
  return volume * (compressibility + wall_compressibility);
}

}  // namespace trunnion
