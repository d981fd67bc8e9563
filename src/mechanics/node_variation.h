// The change of a body's motion and of the forces at it along a direction, in which elements state the change of their effect
// (mechanics/directional_derivative.h). S: one direction (double), or several that are swept together (Pack).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "base/pack.h"
#include "spatial/spatial.h"

namespace trunnion {

/// Data of a node in the sweep.
template <int D, class S = double>
struct NodeVariation {
  Motion<D, S> x, y, z;  // share of its own joint
  Motion<D, S> X, Y, Z;  // with all before it
  Force<D, S> F;         // change of the forces W at the node
};

/// A number, vector or body of numbers on the lanes of S.
template <class S>
struct Broadcast {
  TR_INLINE static S of(double x) { return S(x); }
  template <int Rows, int Columns>
  TR_INLINE static Eigen::Matrix<S, Rows, Columns> of(const Eigen::Matrix<double, Rows, Columns>& x) {
    return x.template cast<S>();
  }
  template <int D>
  TR_INLINE static Motion<D, S> of(const Motion<D>& x) {
    return {of(x.angular), of(x.linear)};
  }
  template <int D>
  TR_INLINE static Force<D, S> of(const Force<D>& x) {
    return {of(x.moment), of(x.linear)};
  }
  template <int D>
  TR_INLINE static Inertia<D, S> of(const Inertia<D>& x) {
    return {of(x.mass), of(x.first_moment), of(x.second)};
  }
  template <int D>
  TR_INLINE static Coriolis<D, S> of(const Coriolis<D>& x) {
    return {of(x.angular), of(x.momentum)};
  }
};
template <class S, class T>
TR_INLINE decltype(auto) spread(const T& x) {
  if constexpr (std::is_same_v<S, double>)
    return static_cast<const T&>(x);
  else
    return Broadcast<S>::of(x);
}

}  // namespace trunnion
