// A number that remembers how it was computed: the machine's equations, compiled with it instead of `double` (prelude.h), write themselves
// down as they are evaluated. Every number has its plain value beside the operation that gave it, so a recording follows the way that an
// evaluation takes; numbers that depend on constants alone stay plain.
// A comparison gives a Condition. select(condition, a, b) is an operation like any other; a Condition turned into a bool is a branch of the
// recording (recorder.h).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace recording {

using Real = decltype(1.0);

/// Operations, with the number of operands and the text in C, %0 %1 %2 the operands.
enum class Op : std::uint8_t {
  constant,
  input,
  add,
  subtract,
  multiply,
  divide,
  negate,
  absolute,
  square_root,
  sine,
  cosine,
  tangent,
  exponential,
  logarithm,
  logarithm_1p,
  exponential_m1,
  hyperbolic_tangent,
  hyperbolic_sine,
  hyperbolic_cosine,
  arc_tangent,
  arc_sine,
  arc_cosine,
  cube_root,
  floor,
  ceiling,
  round,
  power,
  arc_tangent_2,
  hypotenuse,
  remainder,
  copy_sign,
  less,
  less_equal,
  equal,
  finite,
  inverse,
  select
};

class Number;

/// Result of a comparison.
class Condition {
 public:
  constexpr Condition(bool value) : value_(value) {}  // NOLINT(google-explicit-constructor): plain conditions mix freely
  constexpr Condition(bool value, int node, int path, bool close) : value_(value), close_(close), node_(node), path_(path) {}
  constexpr bool value() const { return value_; }
  constexpr int node() const { return node_; }
  constexpr int path() const { return path_; }
  /// Whether rounding errors may invert it: the compared numbers are nearly equal.
  constexpr bool close() const { return close_; }
  /// A branch of the recording.
  constexpr operator bool() const { return node_ < 0 ? value_ : branch(); }  // NOLINT(google-explicit-constructor)
  constexpr Condition operator!() const { return node_ < 0 ? Condition(!value_) : inverted(); }

 private:
  bool branch() const;
  Condition inverted() const;

  bool value_;
  bool close_ = false;
  int node_ = -1;  // -1: plain
  int path_ = 0;
};

class Number {
 public:
  Number() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Number(T x) : value_(static_cast<Real>(x)) {}  // NOLINT(google-explicit-constructor): constants mix freely
  constexpr Number(Real value, int node, int path) : value_(value), node_(node), path_(path) {}
  explicit constexpr Number(const Condition& c);

  constexpr Real value() const { return value_; }
  constexpr int node() const { return node_; }
  constexpr int path() const { return path_; }
  constexpr bool plain() const { return node_ < 0; }
  /// For indices and texts; the recording does not follow.
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) explicit constexpr operator T() const {
    return static_cast<T>(plain() ? value_ : leave());
  }

  constexpr Number& operator+=(const Number& b) { return *this = *this + b; }
  constexpr Number& operator-=(const Number& b) { return *this = *this - b; }
  constexpr Number& operator*=(const Number& b) { return *this = *this * b; }
  constexpr Number& operator/=(const Number& b) { return *this = *this / b; }
  constexpr Number& operator++() { return *this = *this + Number(1); }
  friend constexpr Number operator+(const Number& a) { return a; }
  friend constexpr Number operator-(const Number& a) { return a.plain() ? Number(-a.value_) : apply(Op::negate, -a.value_, a); }
  friend constexpr Number operator+(const Number& a, const Number& b) { return apply(Op::add, a.value_ + b.value_, a, b); }
  friend constexpr Number operator-(const Number& a, const Number& b) { return apply(Op::subtract, a.value_ - b.value_, a, b); }
  friend constexpr Number operator*(const Number& a, const Number& b) { return apply(Op::multiply, a.value_ * b.value_, a, b); }
  friend constexpr Number operator/(const Number& a, const Number& b) { return apply(Op::divide, a.value_ / b.value_, a, b); }
  friend constexpr Condition operator<(const Number& a, const Number& b) { return compare(Op::less, a.value_ < b.value_, a, b); }
  friend constexpr Condition operator<=(const Number& a, const Number& b) { return compare(Op::less_equal, a.value_ <= b.value_, a, b); }
  friend constexpr Condition operator>(const Number& a, const Number& b) { return b < a; }
  friend constexpr Condition operator>=(const Number& a, const Number& b) { return b <= a; }
  friend constexpr Condition operator==(const Number& a, const Number& b) { return compare(Op::equal, a.value_ == b.value_, a, b); }
  friend constexpr Condition operator!=(const Number& a, const Number& b) { return !(a == b); }

  /// Result `value` of an operation on one or two numbers.
  static constexpr Number apply(Op op, Real value, const Number& a) { return a.plain() ? Number(value) : record(op, value, a, a); }
  static constexpr Number apply(Op op, Real value, const Number& a, const Number& b) {
    return a.plain() && b.plain() ? Number(value) : record(op, value, a, b);
  }
  static constexpr Condition compare(Op op, bool value, const Number& a, const Number& b) {
    return a.plain() && b.plain() ? Condition(value) : record_condition(op, value, a, b);
  }
  static Number choose(const Condition& condition, const Number& a, const Number& b);

 private:
  static Number record(Op op, Real value, const Number& a, const Number& b);
  static Condition record_condition(Op op, bool value, const Number& a, const Number& b);
  Real leave() const;

  Real value_ = 0;
  int node_ = -1;  // of the recording; -1: plain
  int path_ = 0;   // that it belongs to
};

constexpr Number::Number(const Condition& c) : value_(c.value() ? 1 : 0) {
  if (c.node() >= 0) *this = choose(c, Number(1), Number(0));
}

inline Number select(const Condition& condition, const Number& a, const Number& b) {
  return condition.node() < 0 ? (condition.value() ? a : b) : Number::choose(condition, a, b);
}

/// Without a branch.
inline Condition operator|(const Condition& a, const Condition& b) {
  if (a.node() < 0) return a.value() ? a : b;
  if (b.node() < 0) return b.value() ? b : a;
  return Number(0) < select(a, Number(1), select(b, Number(1), Number(0)));
}

inline Condition operator&(const Condition& a, const Condition& b) {
  if (a.node() < 0) return a.value() ? b : a;
  if (b.node() < 0) return b.value() ? a : b;
  return Number(0) < select(a, select(b, Number(1), Number(0)), Number(0));
}

inline bool isfinite(const Number& a) {
  return a.plain() ? std::isfinite(a.value()) : bool(Number::compare(Op::finite, std::isfinite(a.value()), a, a));
}
inline bool isnan(const Number& a) { return a != a; }  // NOLINT(misc-redundant-expression)
inline bool isinf(const Number& a) { return !isfinite(a) && !isnan(a); }
inline bool signbit(const Number& a) { return a < Number(0); }

inline Number abs(const Number& a) { return Number::apply(Op::absolute, std::abs(a.value()), a); }
inline Number fabs(const Number& a) { return abs(a); }
inline Number sqrt(const Number& a) { return Number::apply(Op::square_root, std::sqrt(a.value()), a); }
inline Number sin(const Number& a) { return Number::apply(Op::sine, std::sin(a.value()), a); }
inline Number cos(const Number& a) { return Number::apply(Op::cosine, std::cos(a.value()), a); }
inline Number tan(const Number& a) { return Number::apply(Op::tangent, std::tan(a.value()), a); }
inline Number exp(const Number& a) { return Number::apply(Op::exponential, std::exp(a.value()), a); }
inline Number log(const Number& a) { return Number::apply(Op::logarithm, std::log(a.value()), a); }
inline Number log1p(const Number& a) { return Number::apply(Op::logarithm_1p, std::log1p(a.value()), a); }
inline Number expm1(const Number& a) { return Number::apply(Op::exponential_m1, std::expm1(a.value()), a); }
inline Number tanh(const Number& a) { return Number::apply(Op::hyperbolic_tangent, std::tanh(a.value()), a); }
inline Number sinh(const Number& a) { return Number::apply(Op::hyperbolic_sine, std::sinh(a.value()), a); }
inline Number cosh(const Number& a) { return Number::apply(Op::hyperbolic_cosine, std::cosh(a.value()), a); }
inline Number atan(const Number& a) { return Number::apply(Op::arc_tangent, std::atan(a.value()), a); }
inline Number asin(const Number& a) { return Number::apply(Op::arc_sine, std::asin(a.value()), a); }
inline Number acos(const Number& a) { return Number::apply(Op::arc_cosine, std::acos(a.value()), a); }
inline Number cbrt(const Number& a) { return Number::apply(Op::cube_root, std::cbrt(a.value()), a); }
inline Number floor(const Number& a) { return Number::apply(Op::floor, std::floor(a.value()), a); }
inline Number ceil(const Number& a) { return Number::apply(Op::ceiling, std::ceil(a.value()), a); }
inline Number round(const Number& a) { return Number::apply(Op::round, std::round(a.value()), a); }
inline Number pow(const Number& a, const Number& b) { return Number::apply(Op::power, std::pow(a.value(), b.value()), a, b); }
inline Number atan2(const Number& a, const Number& b) { return Number::apply(Op::arc_tangent_2, std::atan2(a.value(), b.value()), a, b); }
inline Number hypot(const Number& a, const Number& b) { return Number::apply(Op::hypotenuse, std::hypot(a.value(), b.value()), a, b); }
inline Number fmod(const Number& a, const Number& b) { return Number::apply(Op::remainder, std::fmod(a.value(), b.value()), a, b); }
inline Number copysign(const Number& a, const Number& b) { return Number::apply(Op::copy_sign, std::copysign(a.value(), b.value()), a, b); }
inline Number hypot(const Number& a, const Number& b, const Number& c) { return sqrt(a * a + b * b + c * c); }
inline Number fmax(const Number& a, const Number& b) { return select(a < b, b, a); }
inline Number fmin(const Number& a, const Number& b) { return select(b < a, b, a); }
inline Number ldexp(const Number& a, int n) { return a * Number(std::ldexp(1.0, n)); }
// of plain numbers
inline Number log10(const Number& a) { return std::log10(static_cast<Real>(a)); }
inline Number log2(const Number& a) { return std::log2(static_cast<Real>(a)); }
inline Number exp2(const Number& a) { return std::exp2(static_cast<Real>(a)); }
inline Number trunc(const Number& a) { return std::trunc(static_cast<Real>(a)); }
inline Number nearbyint(const Number& a) { return std::nearbyint(static_cast<Real>(a)); }
inline Number nextafter(const Number& a, const Number& b) { return std::nextafter(static_cast<Real>(a), static_cast<Real>(b)); }
inline Number frexp(const Number& a, int* exponent) { return std::frexp(static_cast<Real>(a), exponent); }
inline long lround(const Number& a) { return std::lround(static_cast<Real>(a)); }
inline long long llround(const Number& a) { return std::llround(static_cast<Real>(a)); }

}  // namespace recording
