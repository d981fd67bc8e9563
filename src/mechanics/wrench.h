// Wrenches [N, N m] of lines, ports and constraint rows on bodies, about the reference point, ground axes.
//   line   tension T       T u at Q on the body of Q, -T u at P on that of P
//   port   push F      as a line of tension -F; of an angle a moment F g on B, the opposite on A; of a load F times its wrench on B; of a
//                      tree's coordinate: none, the joint transmits it
//   rows   multipliers     sum lambda_i dPhi_i on body B, the opposite on A, as in r = M a - Q + Phi_q^T lambda
// Used by reactions and directional derivatives. Rows: Phi of constraint.h.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mechanics/constraint.h"
#include "mechanics/port.h"

namespace trunnion {

/// Of the push of a cut joint's displacement or angle, or of a load, on B; the opposite acts on A, which for a load is the ground.
template <int D, class S>
Force<D, S> joint_push(const Port<D>& port, const LineState<D, S>& s, const S& push) {
  if (port.kind == PortKind::displacement) return at_point<D, S>(s.r_Q, s.u * push);
  if (port.is_load()) return load_of(port, s, push).wrench();
  Force<D, S> wrench = Force<D, S>::zero();
  if constexpr (D == 2)
    wrench.moment = push * port.turn;
  else
    wrench.moment = s.u * push;
  return wrench;
}
/// W -= of a port's push.
template <int D, class S>
TR_INLINE void subtract_push(const Port<D>& port, const LineState<D, S>& s, const S& push, Force<D, S>* W) {
  if (port.is_coordinate()) return;
  if (port.kind == PortKind::line) return add_tension<D, S>(port, s, -push, W);
  const Force<D, S> wrench = joint_push(port, s, push);
  W[port.node_B] -= wrench;
  W[port.node_A] += wrench;
}

/// Sum of the rows of a point or contact: one force on B at r_Q.
template <int D, class S>
TR_INLINE Vec<D, S> point_force(const ConstraintGroup<D>& g, const ConstraintState<D, S>& s, const S* multipliers) {
  Vec<D, S> f = s.axes[0] * multipliers[0];
  for (int i = 1; i < g.rows.size(); ++i) f += s.axes[i] * multipliers[i];
  return f;
}

/// Of a group's rows on body B; zero for rows of coordinates.
template <int D, class S>
TR_INLINE Force<D, S> row_wrench(const ConstraintGroup<D>& g, const ConstraintState<D, S>& s, const S* multipliers) {
  Force<D, S> wrench = Force<D, S>::zero();
  switch (g.type) {
    case ConstraintType::point:
    case ConstraintType::wheel:
    case ConstraintType::blade:
      wrench = at_point<D, S>(s.line.r_Q, point_force(g, s, multipliers));
      break;
    case ConstraintType::direction:  // a . (omega x b) = omega . (b x a)
      wrench.moment = moment(s.axes[1], s.axes[0]) * multipliers[0];
      break;
    case ConstraintType::distance:
      wrench = at_point<D, S>(s.line.r_Q, s.line.u * multipliers[0]);
      break;
    case ConstraintType::coordinate:
    case ConstraintType::coupling:
    case ConstraintType::velocity_coupling:
      break;
  }
  return wrench;
}

/// W += of a group's rows on its two bodies.
template <int D, class S>
TR_INLINE void add_row_wrenches(const ConstraintGroup<D>& g, const ConstraintState<D, S>& s, const S* multipliers, Force<D, S>* W) {
  if (g.of_coordinates()) return;
  if (g.type == ConstraintType::distance) return add_tension(g.line, s.line, multipliers[0], W);
  const Force<D, S> wrench = row_wrench(g, s, multipliers);
  W[g.line.node_B] += wrench;
  W[g.line.node_A] -= wrench;
}

}  // namespace trunnion
