// Elementary functions of the friction laws: tanh, the 2/3 power and a general power, each with a finite slope.
// fast_tanh:        rational (Lambert's continued fraction, 8 levels) for |x| < 0.625, else 1 - 2 / (exp(2 |x|) + 1);
//                   relative error below 4e-16 (std::tanh: 3e-16), about half the time of std::tanh.
// two_thirds_power: u^(2/3) = u * u^(-1/3) by two fourth-order steps without division; relative error below 3e-16,
//                   two thirds of the time of std::cbrt squared, including its slope.
//                   Its slope 2/3 u^(-1/3) is infinite at rest: the value stays exact, the slope is that at max(u, kSlopeFloor).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/dual.h"
#include "base/scalar.h"

namespace trunnion {

/// Slopes unbounded at zero are evaluated at this argument (as a fraction of the law's own speed).
inline constexpr double kSlopeFloor = 1e-4;
/// exp(-kGreatestExponent) is still a normal number; larger exponents are negligible and would overflow.
inline constexpr double kGreatestExponent = 700;

/// tanh(x).
inline double fast_tanh(double x) {
  constexpr double kRational = 0.625;  // the fraction is exact to rounding below, 1 - 2 / (exp + 1) loses no digit above
  constexpr double kSaturated = 20;    // 1 - tanh(20) = 8.5e-18
  const double u = std::abs(x);
  const auto rational = [&] {
    const double z = x * x;
    return x * (2027025 + z * (270270 + z * (6930 + z * 36))) / (2027025 + z * (945945 + z * (51975 + z * (630 + z))));
  };
  const auto exponential = [&] { return std::copysign(1 - 2 / (std::exp(2 * u) + 1), x); };
  if (kRecording) return select(u < kRational, rational(), exponential());
  if (u < kRational) return rational();
  if (!(u < kSaturated)) return x != x ? x : std::copysign(double(1), x);
  return exponential();
}
template <int N>
Dual<N> fast_tanh(const Dual<N>& x) {
  const double t = fast_tanh(x.value);
  return Dual<N>::chain(t, 1 - t * t, x);
}

/// u^(-1/3) for u > 0; finite at 0.
inline double inverse_cube_root(double u) {
#ifdef TRUNNION_NUMBERS
  constexpr double at_rest = kTangents ? 0 : 1e4;  // of derivatives 0 at a root of 0
  return select(u > 0, 1 / std::cbrt(u), at_rest);
#else
  // First guess from the exponent bits: within 4 % (the constant is 4/3 of the bits of 1, lowered to centre the error).
  double r = std::bit_cast<double>(std::uint64_t{0x553EF0FF289DD796} - std::bit_cast<std::uint64_t>(u) / 3);
  for (int i = 0; i < 2; ++i) {
    const double e = 1 - (u * r) * (r * r);  // r (1 - e)^(-1/3), series to e^3
    r += r * e * (1.0 / 3 + e * (2.0 / 9 + e * (14.0 / 81)));
  }
  return r;
#endif
}
/// u^(2/3) for u >= 0.
inline double two_thirds_power(double u) { return u * inverse_cube_root(u); }
template <int N>
Dual<N> two_thirds_power(const Dual<N>& u) {
  const double greatest_slope = 14.362897933545888;  // 2/3 kSlopeFloor^(-1/3)
  const double r = inverse_cube_root(u.value);
  return Dual<N>::chain(u.value * r, min(2.0 / 3 * r, greatest_slope), u);
}

/// u^n for u >= 0, n > 0; n = 1 and 2 cost nothing.
inline double rising_power(double u, double n) { return n == 2 ? u * u : n == 1 ? u : std::pow(u, n); }
template <int N>
Dual<N> rising_power(const Dual<N>& u, double n) {
  const double p = rising_power(u.value, n);
  if (n == 2) return Dual<N>::chain(p, 2 * u.value, u);
  if (n == 1) return u;
  if (n > 1) return Dual<N>::chain(p, u.value > 0 ? n * p / u.value : 0, u);
  return Dual<N>::chain(p, n * std::pow(max(u.value, kSlopeFloor), n - 1), u);
}

/// exp(-(u)^n) for u >= 0, with zero slope and a finite value for large u.
template <class S>
S decay(const S& u, double n) {
  return exp(-min(rising_power(u, n), kGreatestExponent));
}

}  // namespace trunnion
