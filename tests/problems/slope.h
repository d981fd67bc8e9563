// A number with its derivative along one direction, propagated exactly through any equation; of slopes: second derivatives. Only the
// arithmetic of the references, and independent of the library on purpose.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <type_traits>

namespace trunnion::problems {

template <class T>
struct SlopeOf {
  T value{};
  T slope{};
  SlopeOf() = default;
  SlopeOf(const T& v) : value(v) {}  // NOLINT: numbers convert freely
  SlopeOf(const T& v, const T& d) : value(v), slope(d) {}
  template <class N>
  requires(std::is_arithmetic_v<N> && !std::is_same_v<N, T>) SlopeOf(N v) : value(static_cast<T>(v)) {}  // NOLINT: numbers convert freely

  friend SlopeOf operator-(const SlopeOf& a) { return {-a.value, -a.slope}; }
  friend SlopeOf operator+(const SlopeOf& a, const SlopeOf& b) { return {a.value + b.value, a.slope + b.slope}; }
  friend SlopeOf operator-(const SlopeOf& a, const SlopeOf& b) { return {a.value - b.value, a.slope - b.slope}; }
  friend SlopeOf operator*(const SlopeOf& a, const SlopeOf& b) { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }
  friend SlopeOf operator/(const SlopeOf& a, const SlopeOf& b) {
    const T q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
  }
  friend SlopeOf& operator+=(SlopeOf& a, const SlopeOf& b) { return a = a + b; }
  friend SlopeOf& operator-=(SlopeOf& a, const SlopeOf& b) { return a = a - b; }
  friend SlopeOf sin(const SlopeOf& a) {
    using std::cos, std::sin;
    return {sin(a.value), cos(a.value) * a.slope};
  }
  friend SlopeOf cos(const SlopeOf& a) {
    using std::cos, std::sin;
    return {cos(a.value), -sin(a.value) * a.slope};
  }
  friend SlopeOf tanh(const SlopeOf& a) {
    using std::tanh;
    const T v = tanh(a.value);
    return {v, (1.0 - v * v) * a.slope};
  }
  friend SlopeOf exp(const SlopeOf& a) {
    using std::exp;
    const T v = exp(a.value);
    return {v, v * a.slope};
  }
  friend SlopeOf sqrt(const SlopeOf& a) {
    using std::sqrt;
    const T v = sqrt(a.value);
    return {v, 0.5 / v * a.slope};
  }
  friend SlopeOf acos(const SlopeOf& a) {
    using std::acos, std::sqrt;
    return {acos(a.value), -a.slope / sqrt(1.0 - a.value * a.value)};
  }
  friend SlopeOf atan2(const SlopeOf& y, const SlopeOf& x) {
    using std::atan2;
    return {atan2(y.value, x.value), (y.slope * x.value - x.slope * y.value) / (x.value * x.value + y.value * y.value)};
  }
};

using Slope = SlopeOf<double>;

inline double value_of(double a) { return a; }
inline double value_of(long double a) { return static_cast<double>(a); }
template <class T>
double value_of(const SlopeOf<T>& a) {
  return value_of(a.value);
}

}  // namespace trunnion::problems
