// Spatial algebra in 2 or 3 dimensions, written once: motions, forces, inertias, all referred to one fixed point (the
// reference point of the machine, coordinates in the ground frame). No transformations between bodies are needed:
// accumulation along the tree is addition, and the derivative of a quantity that moves with joint k is a cross product with b_k.
//
//   motion  V = (omega, v)   v: velocity of the body point that passes the reference point       [rad/s, m/s]
//   force   F = (n, f)       n: moment about the reference point                                 [N m, N]
//   V1 x V2  = (w1 x w2, w1 x v2 - w2 x v1)          V x* F = (w x n + v x f, w x f)
//   inertia I V = (J w + mc x v, m v + w x mc)       J about the reference point                 [kg m2, kg m, kg]
//
// In the plane (D = 2) angular quantities are scalars about the plane's normal and the same formulas hold.
// Source: semirecursive formulation, Jaiswal, Sopanen, Mikkola 2021 (friction), (1)-(8); R. Featherstone, Rigid Body Dynamics
// Algorithms, 2008, for the notation of spatial cross products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <type_traits>

#include "base/dual.h"
#include "base/pack.h"

namespace Eigen {
template <int N>
struct NumTraits<trunnion::Dual<N>> : NumTraits<double> {
  using Real = trunnion::Dual<N>;
  using NonInteger = trunnion::Dual<N>;
  using Nested = trunnion::Dual<N>;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1, ReadCost = 1 + N, AddCost = 1 + N, MulCost = 3 * N };
};
template <int N, typename BinaryOp>
struct ScalarBinaryOpTraits<trunnion::Dual<N>, double, BinaryOp> {
  using ReturnType = trunnion::Dual<N>;
};
template <int N, typename BinaryOp>
struct ScalarBinaryOpTraits<double, trunnion::Dual<N>, BinaryOp> {
  using ReturnType = trunnion::Dual<N>;
};
template <int N>
struct NumTraits<trunnion::Pack<N>> : NumTraits<double> {
  using Real = trunnion::Pack<N>;
  using NonInteger = trunnion::Pack<N>;
  using Nested = trunnion::Pack<N>;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 0, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
}  // namespace Eigen

namespace trunnion {

template <int D, class S = double>
using Vec = Eigen::Matrix<S, D, 1>;
template <int D, class S = double>
using Mat = Eigen::Matrix<S, D, D>;
/// Angular vector: a scalar in the plane.
template <int D, class S = double>
using Angular = std::conditional_t<D == 2, S, Eigen::Matrix<S, 3, 1>>;
/// Linear map of angular vectors, such as an inertia tensor: a scalar in the plane.
template <int D, class S = double>
using Tensor = std::conditional_t<D == 2, S, Eigen::Matrix<S, 3, 3>>;

// ---- products of angular and linear vectors; in the plane restrictions of those in space
template <class S>
TR_INLINE Vec<2, S> cross(const S& w, const Vec<2, S>& v) {
  return {-w * v.y(), w * v.x()};
}
template <class S>
TR_INLINE Vec<3, S> cross(const Vec<3, S>& w, const Vec<3, S>& v) {
  return w.cross(v);
}
/// Moment r x f.
template <class S>
TR_INLINE S moment(const Vec<2, S>& r, const Vec<2, S>& f) {
  return r.x() * f.y() - r.y() * f.x();
}
template <class S>
TR_INLINE Vec<3, S> moment(const Vec<3, S>& r, const Vec<3, S>& f) {
  return r.cross(f);
}
/// Cross product of two angular vectors; zero in the plane.
template <class S>
TR_INLINE Vec<3, S> angular_cross(const Vec<3, S>& a, const Vec<3, S>& b) {
  return a.cross(b);
}
TR_INLINE double angular_cross(double, double) { return 0; }
template <int N>
TR_INLINE Dual<N> angular_cross(const Dual<N>&, const Dual<N>&) {
  return {};
}
template <int N>
TR_INLINE Pack<N> angular_cross(const Pack<N>&, const Pack<N>&) {
  return Pack<N>(0);
}
TR_INLINE double dot(double a, double b) { return a * b; }
template <int N>
TR_INLINE Dual<N> dot(const Dual<N>& a, const Dual<N>& b) {
  return a * b;
}
template <int N>
TR_INLINE Pack<N> dot(const Pack<N>& a, const Pack<N>& b) {
  return a * b;
}
template <class S, int D>
TR_INLINE S dot(const Eigen::Matrix<S, D, 1>& a, const Eigen::Matrix<S, D, 1>& b) {
  return a.dot(b);
}

/// Zero of a scalar, vector or matrix type.
template <class T>
TR_INLINE T zero() {
  if constexpr (requires { T::Zero(); })
    return T::Zero();
  else
    return T(0);
}

/// Rotation from a body's frame to the ground frame: cosine and sine in the plane, a matrix in space.
template <int D, class S = double>
struct Rotation;

template <class S>
struct Rotation<2, S> {
  S c = S(1), s = S(0);
  TR_INLINE static Rotation about(const S& angle) { return {cos(angle), sin(angle)}; }
  TR_INLINE Vec<2, S> operator*(const Vec<2, S>& v) const { return {c * v.x() - s * v.y(), s * v.x() + c * v.y()}; }
  TR_INLINE Rotation operator*(const Rotation& b) const { return {c * b.c - s * b.s, s * b.c + c * b.s}; }
  TR_INLINE Rotation inverse() const { return {c, -s}; }
  template <class T>
  TR_INLINE Rotation<2, T> cast() const {
    return {T(c), T(s)};
  }
};

template <class S>
struct Rotation<3, S> {
  Mat<3, S> m = Mat<3, S>::Identity();
  TR_INLINE Vec<3, S> operator*(const Vec<3, S>& v) const { return m * v; }
  TR_INLINE Rotation operator*(const Rotation& b) const { return {m * b.m}; }
  TR_INLINE Rotation inverse() const { return {m.transpose()}; }
  template <class T>
  TR_INLINE Rotation<3, T> cast() const {
    return {m.template cast<T>()};
  }
};

/// Spatial motion vector about the reference point.
template <int D, class S = double>
struct Motion {
  Angular<D, S> angular;  // [rad/s]
  Vec<D, S> linear;       // [m/s] of the body point at the reference point

  TR_INLINE static Motion zero() { return {trunnion::zero<Angular<D, S>>(), Vec<D, S>::Zero()}; }
  TR_INLINE Motion operator+(const Motion& b) const { return {angular + b.angular, linear + b.linear}; }
  TR_INLINE Motion operator-(const Motion& b) const { return {angular - b.angular, linear - b.linear}; }
  TR_INLINE Motion operator*(const S& k) const { return {angular * k, linear * k}; }
  TR_INLINE Motion& operator+=(const Motion& b) {
    angular += b.angular;
    linear += b.linear;
    return *this;
  }
  /// Velocity of the point of this motion at r (from the reference point).
  TR_INLINE Vec<D, S> at(const Vec<D, S>& r) const { return linear + cross(angular, r); }
};

/// Spatial force vector about the reference point.
template <int D, class S = double>
struct Force {
  Angular<D, S> moment;  // [N m]
  Vec<D, S> linear;      // [N]

  TR_INLINE static Force zero() { return {trunnion::zero<Angular<D, S>>(), Vec<D, S>::Zero()}; }
  TR_INLINE Force operator+(const Force& b) const { return {moment + b.moment, linear + b.linear}; }
  TR_INLINE Force operator-(const Force& b) const { return {moment - b.moment, linear - b.linear}; }
  TR_INLINE Force& operator+=(const Force& b) {
    moment += b.moment;
    linear += b.linear;
    return *this;
  }
  TR_INLINE Force& operator-=(const Force& b) {
    moment -= b.moment;
    linear -= b.linear;
    return *this;
  }
};

/// A force f at point r.
template <int D, class S>
TR_INLINE Force<D, S> at_point(const Vec<D, S>& r, const Vec<D, S>& f) {
  return {moment(r, f), f};
}

/// Power of a force on a motion [W].
template <int D, class S>
TR_INLINE S dot(const Motion<D, S>& v, const Force<D, S>& f) {
  return dot(v.angular, f.moment) + dot(v.linear, f.linear);
}
/// a x b: rate of change of motion b moving with a.
template <int D, class S>
TR_INLINE Motion<D, S> cross(const Motion<D, S>& a, const Motion<D, S>& b) {
  return {angular_cross(a.angular, b.angular), cross(a.angular, b.linear) - cross(b.angular, a.linear)};
}
/// a x* f: rate of change of force f moving with a.
template <int D, class S>
TR_INLINE Force<D, S> cross(const Motion<D, S>& a, const Force<D, S>& f) {
  return {angular_cross(a.angular, f.moment) + moment(a.linear, f.linear), cross(a.angular, f.linear)};
}

/// Rigid-body inertia about the reference point.
template <int D, class S = double>
struct Inertia {
  S mass;                  // [kg]
  Vec<D, S> first_moment;  // [kg m] mass times centre of mass
  Tensor<D, S> second;     // [kg m2]

  TR_INLINE static Inertia zero() { return {S(0), Vec<D, S>::Zero(), trunnion::zero<Tensor<D, S>>()}; }
  TR_INLINE Inertia& operator+=(const Inertia& b) {
    mass += b.mass;
    first_moment += b.first_moment;
    second += b.second;
    return *this;
  }
  TR_INLINE Force<D, S> operator*(const Motion<D, S>& v) const {
    return {second * v.angular + moment(first_moment, v.linear), v.linear * mass + cross(v.angular, first_moment)};
  }
  /// Inertia of a body with centre of mass at r_c and tensor J_c about it, both in ground axes.
  TR_INLINE static Inertia of(const S& m, const Vec<D, S>& r_c, const Tensor<D, S>& J_c) {
    if constexpr (D == 2)
      return {m, r_c * m, J_c + m * r_c.squaredNorm()};
    else
      return {m, r_c * m, J_c + m * (r_c.squaredNorm() * Mat<3, S>::Identity() - r_c * r_c.transpose())};
  }
};

/// The bilinear inertia force B(V) w = V x* (I w) + w x* (I V) + I (w x V). It acts on w through its angular part only:
///   B w = (angular omega_w, 2 omega_w x p),  p = linear momentum.
/// Composite bodies add up. It makes the derivatives of the inverse dynamics O(1) per joint.
template <int D, class S = double>
struct Coriolis {
  Tensor<D, S> angular;  // [kg m2/s]
  Vec<D, S> momentum;    // [kg m/s]

  TR_INLINE static Coriolis zero() { return {trunnion::zero<Tensor<D, S>>(), Vec<D, S>::Zero()}; }
  TR_INLINE Coriolis& operator+=(const Coriolis& b) {
    angular += b.angular;
    momentum += b.momentum;
    return *this;
  }
  TR_INLINE Force<D, S> operator*(const Motion<D, S>& w) const { return {angular * w.angular, cross(w.angular, momentum) * S(2)}; }
  /// B^T b, whose only nonzero part is angular.
  TR_INLINE Angular<D, S> transpose_times(const Motion<D, S>& b) const {
    const Angular<D, S> m = moment(momentum, b.linear);
    if constexpr (D == 2)
      return angular * b.angular + S(2) * m;
    else
      return angular.transpose() * b.angular + S(2) * m;
  }
  /// B of inertia I moving with V; h = I V.
  TR_INLINE static Coriolis of(const Inertia<D, S>& I, const Motion<D, S>& V, const Force<D, S>& h) {
    const Vec<D, S>&u = V.linear, &mc = I.first_moment;
    if constexpr (D == 2)
      return {S(2) * u.dot(mc), h.linear};
    else {
      const Mat<3, S> W = skew(V.angular);
      Mat<3, S> m = W * I.second - I.second * W - skew(h.moment) - mc * u.transpose() - u * mc.transpose();
      m.diagonal().array() += S(2) * u.dot(mc);
      return {m, h.linear};
    }
  }
  TR_INLINE static Mat<3, S> skew(const Vec<3, S>& w) {
    Mat<3, S> m;
    m << S(0), -w.z(), w.y(), w.z(), S(0), -w.x(), -w.y(), w.x(), S(0);
    return m;
  }
};

}  // namespace trunnion
