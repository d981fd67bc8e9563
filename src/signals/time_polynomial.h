// A quantity over a time interval as a polynomial: input of a subsystem between communication points.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

#include "signals/signal_value.h"

namespace trunnion {

/// sum_k c_k (t - begin)^k.
struct TimePolynomial {
  static constexpr std::size_t kCoefficients = 6;
  double begin = 0;                       // [s]
  std::array<double, kCoefficients> c{};  // [unit / s^k]

  /// Value and first two time derivatives at t [s].
  SignalValue at(double t) const {
    const double tau = t - begin;
    SignalValue x;
    for (std::size_t k = kCoefficients; k-- > 0;) {  // Horner, with derivatives
      x.acceleration = x.acceleration * tau + 2 * x.rate;
      x.rate = x.rate * tau + x.value;
      x.value = x.value * tau + c[k];
    }
    return x;
  }
  double value(double t) const {
    const double tau = t - begin;
    double x = 0;
    for (std::size_t k = kCoefficients; k-- > 0;) x = x * tau + c[k];
    return x;
  }
  /// Integral from t_0 to t_1 [s].
  double integral(double t_0, double t_1) const {
    const double a = t_0 - begin, b = t_1 - begin;
    double to_a = 0, to_b = 0;
    for (std::size_t k = kCoefficients; k-- > 0;) {
      to_a = (to_a + c[k] / static_cast<double>(k + 1)) * a;
      to_b = (to_b + c[k] / static_cast<double>(k + 1)) * b;
    }
    return to_b - to_a;
  }
};

}  // namespace trunnion
