// Changes of the increment of a configuration over a step. With q_1 = q_0 (+) theta, and changes dx0, dx1 of the tangent spaces at both
// ends,
//   one-axis joints      dtheta = dx1 - dx0
//   spherical joints     exp(theta + dtheta) exp(dx0) exp(-theta) = exp(dx1):   dx1 = T(theta) dtheta + exp(theta) dx0
//                        theta_dot = T(theta)^-1 v,   its change T^-1 (dv - dT(dtheta) theta_dot)
// T = exponential_tangent (spatial/rotation3.h). Source: exponential map of SO(3), outer frame.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mechanics/tree.h"
#include "spatial/rotation3.h"

namespace trunnion {

/// Change of exponential_tangent(theta) x along dtheta, at constant x.
inline Vec<3> exponential_tangent_change(const Vec<3>& theta, const Vec<3>& dtheta, const Vec<3>& x) {
  const double t2 = theta.squaredNorm(), along = 2 * theta.dot(dtheta);
  // a = (1 - cos t)/t^2, b = (t - sin t)/t^3 and their derivatives in t^2, by series where they cancel
  double a = 0.5 - t2 / 24 + t2 * t2 / 720, a_t = -1.0 / 24 + t2 / 360 - t2 * t2 / 13440, b = 1.0 / 6 - t2 / 120 + t2 * t2 / 5040,
         b_t = -1.0 / 120 + t2 / 2520 - t2 * t2 / 120960;
  if (t2 > 1e-3) {
    const double t = std::sqrt(t2), s = std::sin(t), half = std::sin(t / 2), versine = 2 * half * half;
    a = versine / t2;
    a_t = (t * s / 2 - versine) / (t2 * t2);
    b = (t - s) / (t2 * t);
    b_t = (versine / 2 - 1.5 * (1 - s / t)) / (t2 * t2);
  }
  const Vec<3> Wx = theta.cross(x), dWx = dtheta.cross(x);
  return a_t * along * Wx + a * dWx + b_t * along * theta.cross(Wx) + b * (dtheta.cross(Wx) + theta.cross(dWx));
}

template <int D>
class RotationStep {
 public:
  explicit RotationStep(const Tree<D>& tree) : tree_(tree) {
    if constexpr (D == 3)
      for (const TreeNode<D>& n : tree.nodes)
        if (n.joint == NodeJoint::spherical && n.dofs == 3) turns_.push_back({n.v, {}, {}, {}, {}});
  }
  bool has_spherical_joints() const { return !turns_.empty(); }

  /// The increment theta of the step, per velocity.
  void set(const double* theta) {
    for (Turn& turn : turns_) {
      turn.theta = vector(theta, turn.v);
      turn.T = exponential_tangent(turn.theta);
      turn.inverse = turn.T.inverse();
      const double one[4] = {1, 0, 0, 0};
      double e[4];
      quaternion_rotate<double>(one, turn.theta, e);
      turn.rotation = quaternion_matrix(e);
    }
  }
  /// dtheta of dx1 and dx0; null: zero.
  void increment_change(const double* x_1, const double* x_0, double* dtheta) const {
    for (int i = 0; i < tree_.nv; ++i) dtheta[i] = (x_1 == nullptr ? 0 : x_1[i]) - (x_0 == nullptr ? 0 : x_0[i]);
    for (const Turn& turn : turns_) {
      Vec<3> x = Vec<3>::Zero();
      if (x_1 != nullptr) x += vector(x_1, turn.v);
      if (x_0 != nullptr) x -= turn.rotation * vector(x_0, turn.v);
      write(turn.inverse * x, dtheta + turn.v);
    }
  }
  /// dx1 of dtheta and dx0; they may not alias.
  void end_change(const double* dtheta, const double* x_0, double* x_1) const {
    for (int i = 0; i < tree_.nv; ++i) x_1[i] = dtheta[i] + x_0[i];
    for (const Turn& turn : turns_) write(turn.T * vector(dtheta, turn.v) + turn.rotation * vector(x_0, turn.v), x_1 + turn.v);
  }
  /// Change of theta_dot by dtheta and dv, at the velocities v.
  void rate_change(const double* v, const double* dtheta, const double* dv, double* rate) const {
    for (int i = 0; i < tree_.nv; ++i) rate[i] = dv[i];
    for (const Turn& turn : turns_) {
      const Vec<3> theta_dot = turn.inverse * vector(v, turn.v);
      write(turn.inverse * (vector(dv, turn.v) - exponential_tangent_change(turn.theta, vector(dtheta, turn.v), theta_dot)), rate + turn.v);
    }
  }
  /// T(theta) x.
  void tangent(const double* x, double* out) const {
    for (int i = 0; i < tree_.nv; ++i) out[i] = x[i];
    for (const Turn& turn : turns_) write(turn.T * vector(x, turn.v), out + turn.v);
  }

 private:
  struct Turn {
    int v;  // first velocity of the joint
    Vec<3> theta;
    Mat<3> T, inverse, rotation;
  };
  static Vec<3> vector(const double* x, int v) { return {x[v], x[v + 1], x[v + 2]}; }
  static void write(const Vec<3>& x, double* out) {
    for (int i = 0; i < 3; ++i) out[i] = x[i];
  }

  const Tree<D>& tree_;
  std::vector<Turn> turns_;
};

}  // namespace trunnion
