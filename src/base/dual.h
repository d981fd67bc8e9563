// Forward-mode dual numbers: a value and N partial derivatives, propagated exactly through any equation.
// At kinks (abs, max, select) the derivative is the one-sided one of the selected branch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "base/scalar.h"

namespace trunnion {

template <int N>
struct Dual {
  double value = 0;           // the number
  std::array<double, N> d{};  // its partial derivatives

  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT(google-explicit-constructor): constants mix freely with duals

  /// The `index`-th independent variable at `v`.
  TR_INLINE static Dual variable(double v, int index) {
    Dual x(v);
    x.d[index] = 1;
    return x;
  }

  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  TR_INLINE friend Dual operator-(const Dual& a) { return chain(-a.value, -1, a); }
  TR_INLINE friend Dual operator+(const Dual& a, const Dual& b) {
    Dual r(a.value + b.value);
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] + b.d[i];
    return r;
  }
  TR_INLINE friend Dual operator-(const Dual& a, const Dual& b) {
    Dual r(a.value - b.value);
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] - b.d[i];
    return r;
  }
  TR_INLINE friend Dual operator*(const Dual& a, const Dual& b) {
    Dual r(a.value * b.value);
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] * b.value + a.value * b.d[i];
    return r;
  }
  // constants need no full product
  TR_INLINE friend Dual operator+(const Dual& a, double b) {
    Dual r = a;
    r.value += b;
    return r;
  }
  TR_INLINE friend Dual operator+(double a, const Dual& b) { return b + a; }
  TR_INLINE friend Dual operator-(const Dual& a, double b) { return a + (-b); }
  TR_INLINE friend Dual operator-(double a, const Dual& b) { return chain(a - b.value, -1, b); }
  TR_INLINE friend Dual operator*(const Dual& a, double b) { return chain(a.value * b, b, a); }
  TR_INLINE friend Dual operator*(double a, const Dual& b) { return chain(a * b.value, a, b); }
  TR_INLINE friend Dual operator/(const Dual& a, double b) { return a * (1 / b); }
  TR_INLINE friend Dual operator/(double a, const Dual& b) { return Dual(a) / b; }
  TR_INLINE friend Dual operator/(const Dual& a, const Dual& b) {
    const double inv = 1 / b.value;
    Dual r(a.value * inv);
    for (int i = 0; i < N; ++i) r.d[i] = (a.d[i] - r.value * b.d[i]) * inv;
    return r;
  }
  friend Mask operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend Mask operator<(const Dual& a, double b) { return a.value < b; }
  friend Mask operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend Mask operator>(const Dual& a, double b) { return a.value > b; }
  friend Mask operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend Mask operator<=(const Dual& a, double b) { return a.value <= b; }
  friend Mask operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend Mask operator>=(const Dual& a, double b) { return a.value >= b; }
  friend Mask operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend Mask operator==(const Dual& a, double b) { return a.value == b; }
  friend Mask operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }
  friend Mask operator!=(const Dual& a, double b) { return a.value != b; }

  /// f(x) with value `f` and derivative `slope`.
  TR_INLINE static Dual chain(double f, double slope, const Dual& x) {
    Dual r(f);
    for (int i = 0; i < N; ++i) r.d[i] = slope * x.d[i];
    return r;
  }
};

template <int N>
TR_INLINE Dual<N> sqrt(const Dual<N>& x) {
  const double r = std::sqrt(x.value);
  return Dual<N>::chain(r, 0.5 / r, x);
}
template <int N>
TR_INLINE Dual<N> abs(const Dual<N>& x) {
  return Dual<N>::chain(std::abs(x.value), select(x.value < 0, -1.0, 1.0), x);
}
template <int N>
TR_INLINE Dual<N> exp(const Dual<N>& x) {
  const double e = std::exp(x.value);
  return Dual<N>::chain(e, e, x);
}
template <int N>
TR_INLINE Dual<N> tanh(const Dual<N>& x) {
  const double t = std::tanh(x.value);
  return Dual<N>::chain(t, 1 - t * t, x);
}
template <int N>
TR_INLINE Dual<N> sin(const Dual<N>& x) {
  return Dual<N>::chain(std::sin(x.value), std::cos(x.value), x);
}
template <int N>
TR_INLINE Dual<N> cos(const Dual<N>& x) {
  return Dual<N>::chain(std::cos(x.value), -std::sin(x.value), x);
}
template <int N>
TR_INLINE Dual<N> atan2(const Dual<N>& y, const Dual<N>& x) {
  const double square = x.value * x.value + y.value * y.value;
  Dual<N> r(std::atan2(y.value, x.value));
  for (int i = 0; i < N; ++i) r.d[i] = (x.value * y.d[i] - y.value * x.d[i]) / square;
  return r;
}
template <int N>
TR_INLINE Dual<N> pow(const Dual<N>& x, double n) {
  const double p = std::pow(x.value, n);
  return Dual<N>::chain(p, x.value == 0 ? (n == 1 ? 1.0 : 0.0) : n * p / x.value, x);
}
template <int N>
TR_INLINE Dual<N> select(Mask condition, const Dual<N>& a, const Dual<N>& b) {
  Dual<N> r(select(condition, a.value, b.value));
  for (int i = 0; i < N; ++i) r.d[i] = select(condition, a.d[i], b.d[i]);
  return r;
}
template <int N>
TR_INLINE Dual<N> select(Mask condition, const Dual<N>& a, double b) {
  return select(condition, a, Dual<N>(b));
}
template <int N>
TR_INLINE Dual<N> select(Mask condition, double a, const Dual<N>& b) {
  return select(condition, Dual<N>(a), b);
}
template <int N>
TR_INLINE Dual<N> max(const Dual<N>& a, const Dual<N>& b) {
  return select(a > b, a, b);
}
template <int N>
TR_INLINE Dual<N> min(const Dual<N>& a, const Dual<N>& b) {
  return select(a < b, a, b);
}
template <int N>
TR_INLINE Dual<N> max(const Dual<N>& a, double b) {
  return select(a.value > b, a, Dual<N>(b));
}
template <int N>
TR_INLINE Dual<N> min(const Dual<N>& a, double b) {
  return select(a.value < b, a, Dual<N>(b));
}
template <int N>
TR_INLINE double sign(const Dual<N>& x) {
  return sign(x.value);
}
template <int N>
TR_INLINE double value_of(const Dual<N>& x) {
  return x.value;
}

}  // namespace trunnion
