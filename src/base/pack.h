// N numbers processed by the same arithmetic: lanes of one vector register. A sweep over a machine along N directions costs little more
// than along one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/scalar.h"

namespace trunnion {

template <int N>
class Pack {
#ifdef TRUNNION_NUMBERS
  struct Lanes {
    std::array<double, N> x{};
    double& operator[](int lane) { return x[lane]; }
    const double& operator[](int lane) const { return x[lane]; }
    friend Lanes combine(const Lanes& a, const Lanes& b, auto&& operation) {
      Lanes r;
      for (int i = 0; i < N; ++i) r.x[i] = operation(a.x[i], b.x[i]);
      return r;
    }
    friend Lanes operator+(const Lanes& a, const Lanes& b) { return combine(a, b, std::plus<>()); }
    friend Lanes operator-(const Lanes& a, const Lanes& b) { return combine(a, b, std::minus<>()); }
    friend Lanes operator*(const Lanes& a, const Lanes& b) { return combine(a, b, std::multiplies<>()); }
    friend Lanes operator/(const Lanes& a, const Lanes& b) { return combine(a, b, std::divides<>()); }
    friend Lanes operator-(const Lanes& a) { return Lanes() - a; }
    friend Lanes operator+(const Lanes&, double b) {
      Lanes r;
      r.x.fill(b);
      return r;
    }
  };
  struct Register {
    using type = Lanes;
  };
#else
  struct Register {
    using type [[gnu::vector_size(N * sizeof(double))]] = double;
  };
#endif
  typename Register::type x_;
  TR_INLINE explicit Pack(const typename Register::type& x) : x_(x) {}

 public:
  static constexpr int kLanes = N;

  Pack() = default;
  TR_INLINE Pack(double x) : x_(typename Register::type{} + x) {}  // NOLINT(google-explicit-constructor): constants mix freely with packs
  TR_INLINE double operator[](int lane) const { return x_[lane]; }
  TR_INLINE void set(int lane, double x) { x_[lane] = x; }

  TR_INLINE Pack& operator+=(const Pack& b) { return *this = *this + b; }
  TR_INLINE Pack& operator-=(const Pack& b) { return *this = *this - b; }
  TR_INLINE Pack& operator*=(const Pack& b) { return *this = *this * b; }
  TR_INLINE Pack& operator/=(const Pack& b) { return *this = *this / b; }
  TR_INLINE friend Pack operator-(const Pack& a) { return Pack(-a.x_); }
  TR_INLINE friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.x_ + b.x_); }
  TR_INLINE friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.x_ - b.x_); }
  TR_INLINE friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.x_ * b.x_); }
  TR_INLINE friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.x_ / b.x_); }
};

/// The lanes of a number: one, or those of a pack.
template <class S>
inline constexpr int kLanes = 1;
template <int N>
inline constexpr int kLanes<Pack<N>> = N;
TR_INLINE double lane(double x, int) { return x; }
TR_INLINE void set_lane(double& x, int, double value) { x = value; }
template <int N>
TR_INLINE double lane(const Pack<N>& x, int i) {
  return x[i];
}
template <int N>
TR_INLINE void set_lane(Pack<N>& x, int i, double value) {
  x.set(i, value);
}

}  // namespace trunnion
