// A number with its derivatives: the machine's equations, compiled with it instead of `double` (prelude.h), give the derivatives of
// everything that they compute with respect to a few variables, exactly, through every iteration, branch and case as it was taken.
// A number that depends on no variable has no partial derivatives and costs little more than a plain one. Numbers are equal if their
// partial derivatives are, too: a term that is left out because it is zero has no derivative either. Comparisons otherwise are those of the
// values. Where a function has no derivative (a root of 0, the absolute value of 0) the derivative is 0, or that of the side taken.
// Instead of partial derivatives a number can have its place on a tape (tape.h), from which derivatives are found backwards. The partial
// derivatives of such a number are not known: it is equal to no number of another place, and partial() is 0.
// Source: A. Griewank, A. Walther, Evaluating Derivatives (2008), section 3.1 (the forward mode).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <type_traits>

#include "tangents/tape.h"

namespace tangents {

/// Variables at a time.
inline constexpr int kVariables = 4;

class Number {
 public:
  using Partials [[gnu::vector_size(kVariables * sizeof(Real)), gnu::aligned(sizeof(Real))]] = Real;

  constexpr Number() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Number(T x) : value_(static_cast<Real>(x)) {}  // NOLINT(google-explicit-constructor): constants mix freely
  template <class T>
  requires std::is_enum_v<T>
  explicit constexpr Number(T x) : value_(static_cast<Real>(x)) {}
  Number(Real value, const Partials& d) : value_(value), kind_(Kind::differentiated), d_(d) {}

  /// The variable `number` at x.
  static Number variable(Real x, int number) {
    Number a(x, Partials{});
    a.d_[number] = 1;
    return a;
  }

  /// A number at a place of the tape; 0: it depends on variables, but is on none.
  static Number taped(Real x, Place place) {
    Number a(x);
    a.kind_ = Kind::taped;
    a.d_[0] = static_cast<Real>(place);  // exact below 2^53
    return a;
  }
  /// A variable x on the present tape.
  static Number leaf(Real x) { return taped(x, Tape::current()->add(0, 0)); }

  constexpr Real value() const { return value_; }
  /// Whether it may depend on a variable.
  constexpr bool varies() const { return kind_ != Kind::constant; }
  const Partials& partials() const { return d_; }
  Real partial(int variable) const { return kind_ == Kind::differentiated ? d_[variable] : 0; }
  Place place() const { return kind_ == Kind::taped ? static_cast<Place>(d_[0]) : 0; }
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) explicit constexpr operator T() const { return static_cast<T>(value_); }

  constexpr Number& operator+=(const Number& b) { return *this = *this + b; }
  constexpr Number& operator-=(const Number& b) { return *this = *this - b; }
  constexpr Number& operator*=(const Number& b) { return *this = *this * b; }
  constexpr Number& operator/=(const Number& b) { return *this = *this / b; }
  constexpr Number& operator++() { return *this = *this + Number(1); }
  friend constexpr Number operator+(const Number& a) { return a; }
  friend constexpr Number operator-(const Number& a) { return chain(-a.value_, -1, a); }
  friend constexpr Number operator+(const Number& a, const Number& b) { return chain(a.value_ + b.value_, 1, a, 1, b); }
  friend constexpr Number operator-(const Number& a, const Number& b) { return chain(a.value_ - b.value_, 1, a, -1, b); }
  friend constexpr Number operator*(const Number& a, const Number& b) { return chain(a.value_ * b.value_, b.value_, a, a.value_, b); }
  friend constexpr Number operator/(const Number& a, const Number& b) {
    const Real value = a.value_ / b.value_;
    return a.varies() || b.varies() ? chain(value, 1 / b.value_, a, -value / b.value_, b) : Number(value);
  }
  friend constexpr bool operator<(const Number& a, const Number& b) { return a.value_ < b.value_; }
  friend constexpr bool operator<=(const Number& a, const Number& b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>(const Number& a, const Number& b) { return a.value_ > b.value_; }
  friend constexpr bool operator>=(const Number& a, const Number& b) { return a.value_ >= b.value_; }
  friend constexpr bool operator==(const Number& a, const Number& b) {
    return a.value_ == b.value_ && ((!a.varies() && !b.varies()) || same_derivatives(a, b));
  }
  friend constexpr bool operator!=(const Number& a, const Number& b) { return !(a == b); }

  /// A function's value, with its slope at a, or at a and b.
  static constexpr Number chain(Real value, Real slope, const Number& a) {
    if (a.kind_ == Kind::constant) return Number(value);
    return a.kind_ == Kind::differentiated ? Number(value, slope * a.d_) : taped(value, slope, a, 0, a);
  }
  static constexpr Number chain(Real value, Real slope_a, const Number& a, Real slope_b, const Number& b) {
    if (b.kind_ == Kind::constant) return chain(value, slope_a, a);
    if (a.kind_ == Kind::constant) return chain(value, slope_b, b);
    return a.kind_ == Kind::differentiated ? Number(value, slope_a * a.d_ + slope_b * b.d_) : taped(value, slope_a, a, slope_b, b);
  }

 private:
  enum class Kind : unsigned char { constant, differentiated, taped };

  /// What does not change with a and b, such as 0 a or a - a, is a constant.
  [[gnu::noinline]] static Number taped(Real value, Real slope_a, const Number& a, Real slope_b, const Number& b) {
    const Place of_a = a.place(), of_b = b.place();
    if (of_a == of_b && of_a != 0) return slope_a + slope_b == 0 ? Number(value) : taped(value, put(of_a, slope_a + slope_b, 0, 0));
    return slope_a == 0 && slope_b == 0 ? Number(value) : taped(value, put(of_a, slope_a, of_b, slope_b));
  }
  static Place put(Place a, Real slope_a, Place b, Real slope_b) {
    Tape* const tape = Tape::current();
    return tape == nullptr ? 0 : tape->add(a, slope_a, b, slope_b);
  }
  [[gnu::noinline]] static bool same_derivatives(const Number& a, const Number& b) {
    if (a.kind_ == Kind::taped || b.kind_ == Kind::taped) return a.kind_ == b.kind_ && a.place() == b.place();
    for (int i = 0; i < kVariables; ++i)
      if (a.partial(i) != b.partial(i)) return false;
    return true;
  }

  Real value_ = 0;
  Kind kind_ = Kind::constant;
  Partials d_{};
};

inline constexpr Number select(bool condition, const Number& a, const Number& b) { return condition ? a : b; }

inline bool isfinite(const Number& a) { return std::isfinite(a.value()); }
inline bool isnan(const Number& a) { return std::isnan(a.value()); }
inline bool isinf(const Number& a) { return std::isinf(a.value()); }
inline bool signbit(const Number& a) { return std::signbit(a.value()); }

inline Number abs(const Number& a) { return a.value() < 0 ? -a : a; }
inline Number fabs(const Number& a) { return abs(a); }
inline Number sqrt(const Number& a) {
  const Real root = std::sqrt(a.value());
  return Number::chain(root, root == 0 ? 0 : 0.5 / root, a);
}
inline Number sin(const Number& a) { return Number::chain(std::sin(a.value()), std::cos(a.value()), a); }
inline Number cos(const Number& a) { return Number::chain(std::cos(a.value()), -std::sin(a.value()), a); }
inline Number tan(const Number& a) {
  const Real value = std::tan(a.value());
  return Number::chain(value, 1 + value * value, a);
}
inline Number exp(const Number& a) {
  const Real value = std::exp(a.value());
  return Number::chain(value, value, a);
}
inline Number log(const Number& a) { return Number::chain(std::log(a.value()), 1 / a.value(), a); }
inline Number log1p(const Number& a) { return Number::chain(std::log1p(a.value()), 1 / (1 + a.value()), a); }
inline Number expm1(const Number& a) {
  const Real value = std::expm1(a.value());
  return Number::chain(value, 1 + value, a);
}
inline Number tanh(const Number& a) {
  const Real value = std::tanh(a.value());
  return Number::chain(value, 1 - value * value, a);
}
inline Number sinh(const Number& a) { return Number::chain(std::sinh(a.value()), std::cosh(a.value()), a); }
inline Number cosh(const Number& a) { return Number::chain(std::cosh(a.value()), std::sinh(a.value()), a); }
inline Number atan(const Number& a) { return Number::chain(std::atan(a.value()), 1 / (1 + a.value() * a.value()), a); }
inline Number asin(const Number& a) { return Number::chain(std::asin(a.value()), 1 / std::sqrt(1 - a.value() * a.value()), a); }
inline Number acos(const Number& a) { return Number::chain(std::acos(a.value()), -1 / std::sqrt(1 - a.value() * a.value()), a); }
inline Number cbrt(const Number& a) {
  const Real root = std::cbrt(a.value());
  return Number::chain(root, root == 0 ? 0 : 1 / (3 * root * root), a);
}
inline Number floor(const Number& a) { return std::floor(a.value()); }
inline Number ceil(const Number& a) { return std::ceil(a.value()); }
inline Number round(const Number& a) { return std::round(a.value()); }
inline Number trunc(const Number& a) { return std::trunc(a.value()); }
inline Number nearbyint(const Number& a) { return std::nearbyint(a.value()); }
inline Number pow(const Number& a, const Number& b) {
  const Real x = a.value(), n = b.value(), value = std::pow(x, n);
  const Real by_base = x != 0 ? n * value / x : n == 1 ? 1 : 0, by_exponent = b.varies() && x > 0 ? value * std::log(x) : 0;
  return Number::chain(value, by_base, a, by_exponent, b);
}
inline Number hypot(const Number& a, const Number& b) {
  const Real value = std::hypot(a.value(), b.value());
  return value == 0 ? Number::chain(0, 0, a, 0, b) : Number::chain(value, a.value() / value, a, b.value() / value, b);
}
inline Number atan2(const Number& a, const Number& b) {
  const Real y = a.value(), x = b.value(), square = x * x + y * y, value = std::atan2(y, x);
  return square == 0 ? Number::chain(value, 0, a, 0, b) : Number::chain(value, x / square, a, -y / square, b);
}
inline Number fmod(const Number& a, const Number& b) {
  return Number::chain(std::fmod(a.value(), b.value()), 1, a, -std::trunc(a.value() / b.value()), b);
}
inline Number copysign(const Number& a, const Number& b) { return std::signbit(a.value()) == std::signbit(b.value()) ? a : -a; }
inline Number hypot(const Number& a, const Number& b, const Number& c) { return hypot(hypot(a, b), c); }
inline Number fmax(const Number& a, const Number& b) { return a < b ? b : a; }
inline Number fmin(const Number& a, const Number& b) { return b < a ? b : a; }
inline Number ldexp(const Number& a, int n) { return a * Number(std::ldexp(1.0, n)); }
inline Number log10(const Number& a) { return Number::chain(std::log10(a.value()), 1 / (a.value() * std::log(10.0)), a); }
inline Number log2(const Number& a) { return Number::chain(std::log2(a.value()), 1 / (a.value() * std::log(2.0)), a); }
inline Number exp2(const Number& a) {
  const Real value = std::exp2(a.value());
  return Number::chain(value, value * std::log(2.0), a);
}
inline Number nextafter(const Number& a, const Number& b) { return Number::chain(std::nextafter(a.value(), b.value()), 1, a); }
inline Number frexp(const Number& a, int* exponent) {
  const Real value = std::frexp(a.value(), exponent);
  return Number::chain(value, std::ldexp(1.0, -*exponent), a);
}
inline long lround(const Number& a) { return std::lround(a.value()); }
inline long long llround(const Number& a) { return std::llround(a.value()); }

}  // namespace tangents
