// Numbers of several machines, processed by the same arithmetic: the machine's equations, compiled with them instead of `double`
// (prelude.h), step as many machines as there are lanes.
// A comparison gives a Condition, true in some lanes and false in others. select(condition, a, b) takes from each lane what is right there.
// A Condition turned into a bool is a branch, which all lanes take as the first of them that goes on does: lanes in which it is otherwise
// stay behind (Going), and what they have from there on has no meaning. A lane that goes on to the end went its own way, as if it had been
// alone, so that its numbers do not depend on those in others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

// Of the C library's functions for vectors: errors of at most 4 units in the last place.
#if defined(__GLIBC__) && defined(__AVX512F__)
extern "C" __m512d _ZGVeN8v_exp(__m512d);
extern "C" __m512d _ZGVeN8v_log(__m512d);
#define LANES_OF_LIBRARY(name) \
  inline Number name(const Number& a) { return Number(static_cast<Number::Lanes>(_ZGVeN8v_##name(a.lanes()))); }
#elif defined(__GLIBC__) && defined(__AVX2__)
extern "C" __m256d _ZGVdN4v_exp(__m256d);
extern "C" __m256d _ZGVdN4v_log(__m256d);
#define LANES_OF_LIBRARY(name) \
  inline Number name(const Number& a) { return Number(static_cast<Number::Lanes>(_ZGVdN4v_##name(a.lanes()))); }
#endif

namespace lanes {

using Real = decltype(1.0);
#if defined(__AVX512F__)
inline constexpr int kLanes = 8;
#else
inline constexpr int kLanes = 4;  // longer vectors than the processor's are slow: compilers take them apart
#endif

/// The lanes that go on (bit k: lane k), of this thread, and their way: a number that differs where branches differ.
class Going {
 public:
  static void start(unsigned lanes) { now() = {.lanes = lanes}; }
  static unsigned lanes() { return now().lanes; }
  /// Number of the first lane that goes on.
  static int first() { return std::countr_zero(now().lanes); }
  /// A branch, of which `bits` are the lanes that take it.
  static bool decide(unsigned bits) {
    Now& of = now();
    const unsigned go = of.lanes;
    const bool side = (bits & go & (0U - go)) != 0;
    of.lanes = go & (side ? bits : ~bits);
    const std::uint64_t before = of.way;
    of.way = next(before, side);
    if (of.lanes != go) leave(of, go & ~of.lanes, next(before, !side));
    return side;
  }
  static std::uint64_t way() { return now().way; }
  /// That of a lane which stayed behind, as far as it is known.
  static std::uint64_t way(int lane) { return now().left[lane]; }

 private:
  struct Now {
    unsigned lanes = 1;
    std::uint64_t way = 1;
    std::uint64_t left[kLanes] = {};
  };
  static std::uint64_t next(std::uint64_t way, bool side) { return (way ^ static_cast<std::uint64_t>(side)) * 0x9e3779b97f4a7c15U; }
  [[gnu::noinline]] static void leave(Now& of, unsigned lanes, std::uint64_t way) {
    for (unsigned i = 0; i < kLanes; ++i)
      if ((lanes >> i & 1U) != 0) of.left[i] = way;
  }
  /// Once in a function that branches.
  [[gnu::noinline, gnu::const]] static Now& now() {
    static constinit thread_local Now now;
    return now;
  }
};

class Condition {
 public:
  using Mask [[gnu::vector_size(kLanes * sizeof(std::int64_t))]] = std::int64_t;

  constexpr Condition(bool value) : Condition(value ? -1L : 0L) {}  // NOLINT(google-explicit-constructor): plain conditions mix freely
  explicit constexpr Condition(const Mask& mask) : mask_(mask) {}
  /// True in these lanes.
  static Condition of(unsigned bits) {
    Mask mask;
    for (unsigned i = 0; i < kLanes; ++i) mask[i] = (bits >> i & 1U) != 0 ? -1 : 0;
    return Condition(mask);
  }

  constexpr const Mask& mask() const { return mask_; }
  unsigned bits() const {
#if defined(__AVX512DQ__)
    return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask_));
#elif defined(__AVX2__)
    return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask_)));
#else
    unsigned bits = 0;
    for (int i = 0; i < kLanes; ++i) bits |= static_cast<unsigned>(mask_[i] & 1) << static_cast<unsigned>(i);
    return bits;
#endif
  }
  /// A branch.
  constexpr operator bool() const {  // NOLINT(google-explicit-constructor)
    return std::is_constant_evaluated() ? mask_[0] != 0 : Going::decide(bits());
  }
  constexpr Condition operator!() const { return Condition(~mask_); }

 private:
  explicit constexpr Condition(std::int64_t value) : mask_(value - Mask{}) {}

  Mask mask_;
};

/// Without a branch.
constexpr Condition operator|(const Condition& a, const Condition& b) { return Condition(a.mask() | b.mask()); }
constexpr Condition operator&(const Condition& a, const Condition& b) { return Condition(a.mask() & b.mask()); }

class Number {
 public:
  using Lanes [[gnu::vector_size(kLanes * sizeof(Real))]] = Real;

  constexpr Number() : x_{} {}
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Number(T x) : Number(static_cast<Real>(x), 0) {}  // NOLINT(google-explicit-constructor): constants mix freely
  template <class T>
  requires std::is_enum_v<T>
  explicit constexpr Number(T x) : Number(static_cast<Real>(x), 0) {}
  explicit constexpr Number(const Condition& c) : x_(c.mask() ? Number(1).x_ : Lanes{}) {}
  explicit constexpr Number(const Lanes& x) : x_(x) {}

  constexpr const Lanes& lanes() const { return x_; }
  constexpr Lanes& lanes() { return x_; }
  /// Of the first lane that goes on; for texts.
  Real value() const { return x_[Going::first()]; }
  /// For indices: lanes with other ones stay behind.
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) explicit constexpr operator T() const {
    if (std::is_constant_evaluated()) return static_cast<T>(x_[0]);
    const T here = static_cast<T>(value());
    unsigned bits = 0;
    for (int i = 0; i < kLanes; ++i)
      if (static_cast<T>(x_[i]) == here) bits |= 1U << static_cast<unsigned>(i);
    Going::decide(bits);
    return here;
  }

  constexpr Number& operator+=(const Number& b) { return *this = *this + b; }
  constexpr Number& operator-=(const Number& b) { return *this = *this - b; }
  constexpr Number& operator*=(const Number& b) { return *this = *this * b; }
  constexpr Number& operator/=(const Number& b) { return *this = *this / b; }
  constexpr Number& operator++() { return *this = *this + Number(1); }
  friend constexpr Number operator+(const Number& a) { return a; }
  friend constexpr Number operator-(const Number& a) { return Number(-a.x_); }
  friend constexpr Number operator+(const Number& a, const Number& b) { return Number(a.x_ + b.x_); }
  friend constexpr Number operator-(const Number& a, const Number& b) { return Number(a.x_ - b.x_); }
  friend constexpr Number operator*(const Number& a, const Number& b) { return Number(a.x_ * b.x_); }
  friend constexpr Number operator/(const Number& a, const Number& b) { return Number(a.x_ / b.x_); }
  friend constexpr Condition operator<(const Number& a, const Number& b) { return Condition(a.x_ < b.x_); }
  friend constexpr Condition operator<=(const Number& a, const Number& b) { return Condition(a.x_ <= b.x_); }
  friend constexpr Condition operator>(const Number& a, const Number& b) { return Condition(a.x_ > b.x_); }
  friend constexpr Condition operator>=(const Number& a, const Number& b) { return Condition(a.x_ >= b.x_); }
  friend constexpr Condition operator==(const Number& a, const Number& b) { return Condition(a.x_ == b.x_); }
  friend constexpr Condition operator!=(const Number& a, const Number& b) { return Condition(a.x_ != b.x_); }

  /// A function of each lane.
  template <class F>
  static Number each(F&& f, const Number& a) {
    Number r;
    for (int i = 0; i < kLanes; ++i) r.x_[i] = f(a.x_[i]);
    return r;
  }
  template <class F>
  static Number each(F&& f, const Number& a, const Number& b) {
    Number r;
    for (int i = 0; i < kLanes; ++i) r.x_[i] = f(a.x_[i], b.x_[i]);
    return r;
  }

 private:
  constexpr Number(Real x, int) : x_(x - Lanes{}) {}  // a sum would make 0 of -0

  Lanes x_;
};

constexpr Number select(const Condition& condition, const Number& a, const Number& b) {
  return Number(condition.mask() ? a.lanes() : b.lanes());
}

constexpr Number abs(const Number& a) { return select(a < Number(0), -a, a + Number(0)); }
inline Condition is_finite(const Number& a) { return abs(a) <= Number(std::numeric_limits<Real>::max()); }
inline bool isfinite(const Number& a) { return is_finite(a); }
inline Condition is_nan(const Number& a) { return a != a; }  // NOLINT(misc-redundant-expression)
inline bool isnan(const Number& a) { return is_nan(a); }
inline bool isinf(const Number& a) { return (!is_finite(a)) & (!is_nan(a)); }
inline bool signbit(const Number& a) {
  return Number::each([](Real x) { return std::signbit(x) ? 1 : 0; }, a) > Number(0);
}

constexpr Number fabs(const Number& a) { return abs(a); }
inline Number sqrt(const Number& a) {
#if defined(__AVX512F__)
  return Number(static_cast<Number::Lanes>(_mm512_sqrt_pd(a.lanes())));
#elif defined(__AVX2__)
  return Number(static_cast<Number::Lanes>(_mm256_sqrt_pd(a.lanes())));
#else
  return Number::each([](Real x) { return std::sqrt(x); }, a);
#endif
}
#define LANES_EACH(name)                                         \
  [[gnu::noinline]] inline Number name(const Number& a) {        \
    return Number::each([](Real x) { return std::name(x); }, a); \
  }
#define LANES_EACH_2(name)                                                     \
  [[gnu::noinline]] inline Number name(const Number& a, const Number& b) {     \
    return Number::each([](Real x, Real y) { return std::name(x, y); }, a, b); \
  }
LANES_EACH(sin)
LANES_EACH(cos)
LANES_EACH(tan)
LANES_EACH(exp2)
LANES_EACH(expm1)
LANES_EACH(log10)
LANES_EACH(log1p)
LANES_EACH(log2)
LANES_EACH(tanh)
LANES_EACH(sinh)
LANES_EACH(cosh)
LANES_EACH(atan)
LANES_EACH(asin)
LANES_EACH(acos)
LANES_EACH(cbrt)
LANES_EACH(floor)
LANES_EACH(ceil)
LANES_EACH(round)
LANES_EACH(trunc)
LANES_EACH(nearbyint)
LANES_EACH_2(pow)
LANES_EACH_2(atan2)
LANES_EACH_2(hypot)
LANES_EACH_2(fmod)
LANES_EACH_2(copysign)
LANES_EACH_2(nextafter)
#if defined(LANES_OF_LIBRARY)
LANES_OF_LIBRARY(exp)
LANES_OF_LIBRARY(log)
#undef LANES_OF_LIBRARY
#else
LANES_EACH(exp)
LANES_EACH(log)
#endif
#undef LANES_EACH
#undef LANES_EACH_2
inline Number hypot(const Number& a, const Number& b, const Number& c) { return sqrt(a * a + b * b + c * c); }
constexpr Number fmax(const Number& a, const Number& b) { return select(a < b, b, a); }
constexpr Number fmin(const Number& a, const Number& b) { return select(b < a, b, a); }
inline Number ldexp(const Number& a, int n) { return a * Number(std::ldexp(1.0, n)); }
/// Lanes with another exponent stay behind.
inline Number frexp(const Number& a, int* exponent) {
  const Number found = Number::each(
      [](Real x) {
        int n = 0;
        std::frexp(x, &n);
        return n;
      },
      a);
  *exponent = static_cast<int>(found);
  return Number::each(
      [](Real x) {
        int n = 0;
        return std::frexp(x, &n);
      },
      a);
}
inline long lround(const Number& a) { return static_cast<long>(round(a)); }
inline long long llround(const Number& a) { return static_cast<long long>(round(a)); }

}  // namespace lanes
