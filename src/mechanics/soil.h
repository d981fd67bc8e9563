// Resistance of soil, or any other material that fills a half space of the ground, to the motion of a point of a body:
//
//   F = -c R sigma(d / d_0) v / sqrt(|v|^2 + v_0^2),     d = n . (o - r_P),     sigma(x) = x^2 (3 - 2 x), 0 below x = 0 and 1 above x = 1
//
// o, n    a point of the surface and its unit normal out of the ground; d [m] is the depth of the point in it
// v       velocity of the point; the force opposes it, in any direction
// R       [N] the full resistance, reached at depth d_0 and well above the speed v_0; c is the factor of a signal
//         or of a control block, which has a port of its own (port.h)
// v_0     [m/s] below it the resistance is viscous: no stiction, no force on a resting point
//
// The regularised dry friction of a cutting edge drawn through soil of constant strength. Cut soil is not removed: the surface is fixed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "mechanics/node_variation.h"
#include "mechanics/path.h"
#include "mechanics/tree.h"
#include "signals/signal.h"

namespace trunnion {

template <int D>
struct SoilLaw {
  int node = 0;
  Vec<D> r_BP = Vec<D>::Zero();  // [m] its point, body frame
  double force = 0;              // [N] R
  double depth = 0;              // [m] d_0
  double speed = 0;              // [m/s] v_0
  Vec<D> r_O = Vec<D>::Zero();   // [m] o
  Vec<D> normal = Vec<D>::Unit(D - 1);
};
/// A resistance over time.
template <int D>
struct SoilResistance : SoilLaw<D> {
  std::string name;
  SignalIndex signal = -1;  // factor; -1: 1
  Range path;               // of every coordinate that moves the body
};

/// The law at one state.
template <int D, class S = double>
struct SoilState {
  Vec<D, S> r_P, v_P;  // [m], [m/s] of the point
  S depth;             // [m] negative above the surface
  S strength;          // [N] c R sigma
  S slowness;          // [s/m] 1 / sqrt(|v|^2 + v_0^2)
  Vec<D, S> force;     // [N] on the body
};

/// After the velocity stage.
template <int D, class S>
[[gnu::noinline]] SoilState<D, S> soil_state(const SoilLaw<D>& soil, const std::type_identity_t<S>& factor, const NodeState<D, S>& node) {
  using std::sqrt;
  SoilState<D, S> s;
  s.r_P = node.r + node.R * soil.r_BP.template cast<S>();
  s.v_P = node.V.at(s.r_P);
  s.depth = soil.normal.template cast<S>().dot(Vec<D, S>(soil.r_O.template cast<S>() - s.r_P));
  const S x = min(max(S(s.depth / soil.depth), 0.0), 1.0);
  s.strength = factor * soil.force * x * x * (3.0 - 2.0 * x);
  s.slowness = 1.0 / sqrt(S(s.v_P.squaredNorm() + soil.speed * soil.speed));
  s.force = s.v_P * S(-s.strength * s.slowness);
  return s;
}

/// Its wrench about the reference point.
template <int D, class S>
TR_INLINE Force<D, S> soil_wrench(const SoilState<D, S>& s) {
  return {moment(s.r_P, s.force), s.force};
}

/// dF for changes of the point's position and velocity. S: of the changes.
template <int D, class S>
TR_INLINE Vec<D, S> soil_force_change(const SoilLaw<D>& soil, double factor, const SoilState<D>& s, const Vec<D, S>& dr,
                                      const Vec<D, S>& dv) {
  const double x = std::clamp(s.depth / soil.depth, 0.0, 1.0), slope = 6 * x * (1 - x) / soil.depth;
  const Vec<D, S> v = s.v_P.template cast<S>();
  const S d_strength = dr.dot(soil.normal.template cast<S>()) * S(factor * soil.force * slope * s.slowness);
  const S along = v.dot(dv) * S(s.strength * s.slowness * s.slowness * s.slowness);
  return v * (d_strength + along) - dv * S(s.strength * s.slowness);
}

/// T -= its change beyond moving with its body, for the path to the body; x, y of the coordinates as in tree.h.
template <int D, class Entries>
[[gnu::noinline]] void add_soil_slopes(const SoilLaw<D>& soil, double factor, const PathDof* path, int count, const TreeState<D>& tree,
                                       Entries& T) {
  const SoilState<D> s = soil_state(soil, factor, tree.nodes[soil.node]);
  for (int j = 0; j < count; ++j) {
    const DofState<D>& l = tree.dofs[path[j].dof];
    const Vec<D> dr = l.b_q.at(s.r_P), dv = cross(l.b_q.angular, s.v_P) + l.y.at(s.r_P);
    const Vec<D> df = soil_force_change<D, double>(soil, factor, s, dr, dv) - cross(l.b_q.angular, s.force);
    for (int i = 0; i < count; ++i) T(path[i].dof, path[j].dof) -= tree.dofs[path[i].dof].b.at(s.r_P).dot(df);
  }
}

/// Change of a resistance of soil, as its body sees it.
template <int D, class S>
[[gnu::noinline]] void differentiate_soil(const SoilLaw<D>& soil, double factor, const TreeState<D>& tree,
                                          std::vector<NodeVariation<D, S>>& nodes) {
  NodeVariation<D, S>& n = nodes[soil.node];
  const SoilState<D> s = soil_state(soil, factor, tree.nodes[soil.node]);
  const Vec<D, S>&r_P = spread<S>(s.r_P), &v_P = spread<S>(s.v_P), &f = spread<S>(s.force);
  const Vec<D, S> place = n.X.at(r_P), velocity = cross(n.X.angular, v_P) + n.Y.at(r_P);
  n.F -= at_point<D, S>(r_P, soil_force_change<D, S>(soil, factor, s, place, velocity) - cross(n.X.angular, f));
}

}  // namespace trunnion
