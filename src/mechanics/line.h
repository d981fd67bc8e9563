// The straight line between a point P of body A and a point Q of body B: length s, rate, and their exact derivatives.
// Used by every actuator, point-to-point spring and constant distance.
//   d = r_Q - r_P,  s = |d|,  u = d / s,  sdot = u . ddot                     Jaiswal, Sopanen, Mikkola 2021 (friction), (45)
//   s_k = u . e_k,  e_k = b_k(r_Q) on branch B, -b_k(r_P) on branch A;  s_kl = (e_k . e_l - s_k s_l)/s + u . d_kl
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mechanics/node_variation.h"
#include "mechanics/path.h"
#include "mechanics/tree.h"

namespace trunnion {

template <int D>
struct Line {
  int node_A = 0, node_B = 0;
  Vec<D> r_AP = Vec<D>::Zero(), r_BQ = Vec<D>::Zero();  // [m] node frames
  double depth = 0;                                     // [m] constant offset across the plane (D = 2)
  Range path;                                           // of the machine's path list
};

/// Contribution of a path coordinate to the line.
template <int D, class S = double>
struct LineDof {
  Vec<D, S> e;      // change of d per velocity
  Vec<D, S> e_q;    // change of d per position increment
  S gradient;       // s_k: change of s per velocity; generalised force of a unit push
  S gradient_q;     // change of s per position increment
  S rate_gradient;  // change of sdot per position increment at constant v
};

template <int D, class S = double>
struct LineState {
  Vec<D, S> r_P, r_Q;  // [m] from the reference point
  Vec<D, S> u;         // direction; shorter than 1 if `depth` is not zero
  Vec<D, S> d_dot;     // [m/s]
  S length;            // s [m]
  S rate;              // sdot [m/s]
};

/// Position stage: s, u and the gradients.
template <int D, class S>
TR_INLINE void update_line(const Line<D>& line, const PathDof* path, const TreeState<D, S>& tree, LineState<D, S>& s, LineDof<D, S>* dofs) {
  const NodeState<D, S>&A = tree.nodes[line.node_A], &B = tree.nodes[line.node_B];
  s.r_P = A.r + A.R * line.r_AP.template cast<S>();
  s.r_Q = B.r + B.R * line.r_BQ.template cast<S>();
  const Vec<D, S> d = s.r_Q - s.r_P;
  s.length = sqrt(d.squaredNorm() + line.depth * line.depth);
  s.u = d / s.length;
  for (int i = 0; i < line.path.size(); ++i) {
    const PathDof& k = path[line.path.begin + i];
    const DofState<D, S>& axis = tree.dofs[k.dof];
    LineDof<D, S>& c = dofs[i];
    const Vec<D, S>& point = k.sign > 0 ? s.r_Q : s.r_P;
    c.e = axis.b.at(point) * S(k.sign);
    c.e_q = axis.b_q.at(point) * S(k.sign);
    c.gradient = s.u.dot(c.e);
    c.gradient_q = s.u.dot(c.e_q);
  }
}

/// Velocity stage: sdot.
template <int D, class S>
TR_INLINE void update_line_rate(const Line<D>& line, const TreeState<D, S>& tree, LineState<D, S>& s) {
  s.d_dot = tree.nodes[line.node_B].V.at(s.r_Q) - tree.nodes[line.node_A].V.at(s.r_P);
  s.rate = s.u.dot(s.d_dot);
}

/// Velocity stage: change of sdot per position increment.
template <int D>
TR_INLINE void update_line_rate_gradient(const Line<D>& line, const PathDof* path, const TreeState<D>& tree, const LineState<D>& s,
                                         LineDof<D>* dofs) {
  for (int i = 0; i < line.path.size(); ++i) {
    const PathDof& l = path[line.path.begin + i];
    LineDof<D>& c = dofs[i];
    const bool on_B = l.sign > 0;
    const Vec<D>& point = on_B ? s.r_Q : s.r_P;
    const Motion<D>&tip = tree.nodes[on_B ? line.node_B : line.node_A].V, &V_l = tree.nodes[l.node].V;
    // velocity of the end point: the part beyond joint l rotates with it; the part before sees the point move by e_l
    const Vec<D> beyond = cross(tree.dofs[l.dof].b_q.angular, Vec<D>(tip.at(point) - V_l.at(point))) * double(l.sign);
    const Vec<D> d_dot_l = beyond + cross(V_l.angular, c.e_q);
    c.rate_gradient = (c.e_q.dot(s.d_dot) - c.gradient_q * s.rate) / s.length + s.u.dot(d_dot_l);
  }
}

/// T(k, l) += factor s_kl: change of the gradient by position increments.
template <int D, class Entries>
TR_INLINE void add_line_curvature(const Line<D>& line, const PathDof* path, const TreeState<D>& tree, const LineState<D>& s,
                                  const LineDof<D>* dofs, double factor, Entries& T) {
  const int n = line.path.size();
  for (int i = 0; i < n; ++i) {
    const PathDof& k = path[line.path.begin + i];
    for (int j = 0; j < n; ++j) {
      const PathDof& l = path[line.path.begin + j];
      double s_kl = (dofs[i].e.dot(dofs[j].e_q) - dofs[i].gradient * dofs[j].gradient_q) / s.length;
      if (k.sign == l.sign)
        // u . (w x e) = w . (e x u)
        s_kl += carries(l, j, k, i) ? dot(tree.dofs[l.dof].b_q.angular, moment(dofs[i].e, s.u))
                                    : dot(tree.dofs[k.dof].b.angular, moment(dofs[j].e_q, s.u));
      T(k.dof, l.dof) += factor * s_kl;
    }
  }
}

/// Change of a push along its path: T -= gradient^T (force_s ds + force_v dsdot).
template <int D, class Entries>
TR_INLINE void add_push_slopes(const PathDof* path, const Range& range, const LineDof<D>* dofs, double force_s, double force_v,
                               const IncrementFactors& f, Entries& T) {
  const int n = range.size();
  for (int l = 0; l < n; ++l) {
    const double change = force_s * dofs[l].gradient_q + force_v * (dofs[l].rate_gradient + f.velocity * dofs[l].gradient);
    for (int k = 0; k < n; ++k) T(path[range.begin + k].dof, path[range.begin + l].dof) -= dofs[k].gradient * change;
  }
}

/// T -= d(F s_k)/d(theta) of a push F(s, sdot) along a line. After update_line_rate_gradient.
template <int D, class Entries>
TR_INLINE void add_line_slopes(const Line<D>& line, const PathDof* path, const LineState<D>& s, const LineDof<D>* dofs, double force,
                               double force_s, double force_v, const IncrementFactors& f, const TreeState<D>& tree, Entries& T) {
  add_push_slopes<D>(path, line.path, dofs, force_s, force_v, f, T);
  add_line_curvature(line, path, tree, s, dofs, -force, T);
}

/// W += of a tension along a line; W per node.
template <int D, class S>
TR_INLINE void add_tension(const Line<D>& line, const LineState<D, S>& s, const S& tension, Force<D, S>* W) {
  const Vec<D, S> f = s.u * tension;
  W[line.node_B] += at_point<D, S>(s.r_Q, f);
  W[line.node_A] -= at_point<D, S>(s.r_P, f);
}

/// Effect of a tension along a line on its two bodies: its forces, and the changes of length and rate.
template <class S>
struct LineDerivative {
  S s, s_dot;
};
template <int D, class S>
TR_INLINE LineDerivative<S> differentiate_line(const Line<D>& line, const LineState<D>& s, const TreeState<D>& tree,
                                               const std::vector<NodeVariation<D, S>>& nodes, Vec<D, S>& du) {
  const NodeVariation<D, S>&A = nodes[line.node_A], &B = nodes[line.node_B];
  const Vec<D, S>&r_Q = spread<S>(s.r_Q), &r_P = spread<S>(s.r_P), &u = spread<S>(s.u);
  const Vec<D, S> dd = B.X.at(r_Q) - A.X.at(r_P);
  LineDerivative<S> out;
  out.s = u.dot(dd);
  du = (dd - u * out.s) / S(s.length);
  // points move with their bodies, d(v_Q) = omega_X x v_Q + Y(r_Q)
  const Vec<D> v_Q = tree.nodes[line.node_B].V.at(s.r_Q), v_P = tree.nodes[line.node_A].V.at(s.r_P);
  out.s_dot = du.dot(spread<S>(s.d_dot)) +
              u.dot(cross(B.X.angular, spread<S>(v_Q)) + B.Y.at(r_Q) - cross(A.X.angular, spread<S>(v_P)) - A.Y.at(r_P));
  return out;
}
/// d(tension u) at both ends, as their bodies see it.
template <int D, class S>
TR_INLINE void differentiate_tension(const Line<D>& line, const LineState<D>& s, double tension, const S& d_tension, const Vec<D, S>& du,
                                     std::vector<NodeVariation<D, S>>& nodes) {
  NodeVariation<D, S>&A = nodes[line.node_A], &B = nodes[line.node_B];
  const Vec<D, S>& u = spread<S>(s.u);
  const Vec<D, S> f = u * S(tension), df = du * S(tension) + u * d_tension;
  B.F += at_point<D, S>(spread<S>(s.r_Q), df - cross(B.X.angular, f));
  A.F -= at_point<D, S>(spread<S>(s.r_P), df - cross(A.X.angular, f));
}

/// sddot for the velocities and accelerations of its two bodies.
template <int D, class S>
TR_INLINE S line_acceleration(const Motion<D, S>& V_A, const Motion<D, S>& A_A, const Motion<D, S>& V_B, const Motion<D, S>& A_B,
                              const LineState<D, S>& s) {
  const Vec<D, S> d_ddot = A_B.at(s.r_Q) + cross(V_B.angular, V_B.at(s.r_Q)) - A_A.at(s.r_P) - cross(V_A.angular, V_A.at(s.r_P));
  return s.u.dot(d_ddot) + (s.d_dot.squaredNorm() - s.rate * s.rate) / s.length;
}
/// sddot for the accelerations in the tree state.
template <int D>
TR_INLINE double line_acceleration(const Line<D>& line, const TreeState<D>& tree, const LineState<D>& s) {
  const NodeState<D>&A = tree.nodes[line.node_A], &B = tree.nodes[line.node_B];
  return line_acceleration<D, double>(A.V, A.A, B.V, B.A, s);
}

}  // namespace trunnion
