// Springs with dampers, along a line and on a joint coordinate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "mechanics/line.h"

namespace trunnion {

/// Spring and damper against a length or joint coordinate s: load = stiffness (s - rest) + damping sdot + preload.
struct SpringLaw {
  double stiffness = 0, damping = 0, preload = 0, rest = 0;  // of a length [N/m], [N s/m], [N], [m]; of an angle [N m/rad], ...

  template <class S>
  TR_INLINE S load(const S& s, const S& rate) const {
    return stiffness * (s - rest) + damping * rate + preload;
  }
  /// [J] preload included
  template <class S>
  S energy(const S& s) const {
    const S stretch = s - rest;
    return (0.5 * stiffness * stretch + preload) * stretch;
  }
};
/// Along a line, whose tension is its load.
template <int D>
struct PointSpring : SpringLaw {
  std::string name;
  Line<D> line;

  template <class S>
  TR_INLINE S tension(const LineState<D, S>& at) const {
    return load(at.length, at.rate);
  }
};
/// On a joint coordinate.
struct JointSpring : SpringLaw {
  std::string name;
  int q = 0, v = 0;
};
}  // namespace trunnion
