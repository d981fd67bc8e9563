// A force at a point of a body and a torque on it, fixed in the ground or in the body: its wrench, and how the wrench moves.
//   W = {(r_P - r_O) x f + n, f},   generalised force of coordinate k: b_k . W
//   dW_l = b_l x* W          in the body
//        = {dr_P x f, 0}     in the ground: the point moves, f and n do not
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <type_traits>

#include "mechanics/node_variation.h"
#include "mechanics/path.h"
#include "mechanics/tree.h"
#include "signals/signal.h"

namespace trunnion {

template <int D>
struct AppliedWrench {
  int node = 0;
  Vec<D> r_BP = Vec<D>::Zero();            // [m] body frame
  Vec<D> force = Vec<D>::Zero();           // [N]
  Angular<D> torque = zero<Angular<D>>();  // [N m]
  bool in_body = false;
};

/// Point, force and torque of a load, ground axes.
template <int D, class S = double>
struct PlacedLoad {
  Vec<D, S> r_P, force;
  Angular<D, S> torque;
  Force<D, S> wrench() const {
    Force<D, S> W{moment(r_P, force), force};
    W.moment += torque;
    return W;
  }
  /// On a body of velocity V.
  S power(const Motion<D, S>& V) const { return force.dot(V.at(r_P)) + dot(torque, V.angular); }
};
template <int D, class S>
TR_INLINE PlacedLoad<D, S> placed_load(const AppliedWrench<D>& load, const std::type_identity_t<S>& factor, const NodeState<D, S>& node) {
  PlacedLoad<D, S> at{Vec<D, S>(node.r + node.R * load.r_BP.template cast<S>()), load.force.template cast<S>() * factor, {}};
  if (load.in_body) at.force = node.R * at.force;
  if constexpr (D == 2) {
    at.torque = load.torque * factor;
  } else {
    at.torque = load.torque.template cast<S>() * factor;
    if (load.in_body) at.torque = node.R * at.torque;
  }
  return at;
}

/// T(k, l) += factor d(b_k . W)/dl of a load placed on the body at the end of a path: its point and the coordinates' axes move.
template <int D, class Entries>
TR_INLINE void add_load_slopes(const PlacedLoad<D>& at, bool in_body, const PathDof* path, int count, const TreeState<D>& tree,
                               double factor, Entries& T) {
  for (int j = 0; j < count; ++j) {
    const DofState<D>& l = tree.dofs[path[j].dof];
    for (int i = 0; i < count; ++i) {
      const DofState<D>& k = tree.dofs[path[i].dof];
      const bool l_carries_k = carries(path[j], j, path[i], i);
      double h = 0;
      if (!in_body) {
        h = at.force.dot(l_carries_k ? cross(l.b_q.angular, k.b.at(at.r_P)) : cross(k.b.angular, l.b_q.at(at.r_P)));
        if (l_carries_k) h += dot(angular_cross(l.b_q.angular, k.b.angular), at.torque);
      } else if (!l_carries_k) {
        h = dot(k.b, cross(l.b_q, at.wrench()));
      }
      T(path[i].dof, path[j].dof) += factor * h;
    }
  }
}

/// Change of the wrench of a load that is fixed in the ground, as its body sees it.
template <int D, class S>
TR_INLINE void differentiate_ground_load(const PlacedLoad<D>& load, NodeVariation<D, S>& n) {
  n.F += at_point<D, S>(spread<S>(load.r_P), cross(n.X.angular, spread<S>(load.force)));
  n.F.moment += angular_cross(n.X.angular, spread<S>(load.torque));
}

/// A load on a joint coordinate.
struct JointLoad {
  std::string name;
  int v = 0;
  double load = 0;          // [N or N m]
  SignalIndex signal = -1;  // factor; -1: 1
};
/// A load on a body.
template <int D>
struct BodyLoad : AppliedWrench<D> {
  std::string name;
  SignalIndex signal = -1;  // factor; -1: 1
  Range path;               // of every coordinate that moves the body
};
}  // namespace trunnion
