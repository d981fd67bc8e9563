// Joint coordinates computed from the motion of two bodies.
// SPDX-License-Identifier: BSD-3-Clause
#include "mechanics/joint_reading.h"

#include <cmath>

#include "mechanics/constraint.inl.h"
#include "mechanics/joint_angle.h"

namespace trunnion {

namespace {

/// Entry of a vector per coordinate; zero of the ground, which has none.
template <class S>
S entry(const S* x, int i) {
  return i < 0 ? S(0) : x[i];
}

/// Value, rate and acceleration of the rows of `place`.
template <class S>
struct Rows {
  std::array<S, 3> value{}, rate{}, acceleration{};
};
template <int D, class S>
Rows<S> rows_of(const ConstraintGroup<D>& g, const TreeState<D, S>& tree) {
  Rows<S> rows;
  ConstraintState<D, S> s;
  update_constraint<D, S>(g, nullptr, tree, nullptr, nullptr, s, nullptr, rows.value.data(), nullptr, nullptr);
  const NodeState<D, S>&A = tree.nodes[g.line.node_A], &B = tree.nodes[g.line.node_B];
  row_rates<D, S>(g, A.V, B.V, s, rows.rate.data());
  row_accelerations<D, S>(g, A.V, A.A, B.V, B.A, s, rows.acceleration.data());
  return rows;
}

/// Product of unit quaternions a* b.
template <class T, class S>
std::array<S, 4> relative_quaternion(const std::array<T, 4>& a, const std::array<S, 4>& b) {
  return {a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
          a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3], a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]};
}
template <class S>
std::array<S, 4> quaternion_at(const S* q, int i) {
  if (i < 0) return {S(1), S(0), S(0), S(0)};
  return {q[i], q[i + 1], q[i + 2], q[i + 3]};
}

template <class S>
JointValue<S> read_angle(const JointReading<3>& reading, const TreeState<3, S>& tree, double near) {
  const NodeState<3, S>&A = tree.nodes[reading.place.line.node_A], &B = tree.nodes[reading.place.line.node_B];
  const NodeState<3, S>& carrier = reading.axis_in_B ? B : A;
  const Vec<3, S> c = carrier.R * Vec<3, S>(reading.axis.cast<S>()), a = A.R * Vec<3, S>(reading.from.cast<S>()),
                  b = B.R * Vec<3, S>(reading.to.cast<S>());
  const Vec<3, S> turn = B.V.angular - A.V.angular, turn_dot = B.A.angular - A.A.angular;
  JointValue<S> value;
  value.position[0] = unwrapped<S>(atan2(c.dot(a.cross(b)), a.dot(b)), near);
  value.rate[0] = c.dot(turn);
  value.acceleration[0] = c.dot(turn_dot) + cross(carrier.V.angular, c).dot(turn);
  return value;
}

template <class S>
JointValue<S> read_spherical(const JointReading<3>& reading, const TreeState<3, S>& tree, const S* q) {
  const NodeState<3, S>&A = tree.nodes[reading.place.line.node_A], &B = tree.nodes[reading.place.line.node_B];
  const Vec<3, S> turn = B.V.angular - A.V.angular;
  const Vec<3, S> turn_dot = B.A.angular - A.A.angular - cross(A.V.angular, turn);
  const Mat<3, S> R_J = A.R.m * reading.R_AJ.m.template cast<S>();
  const Vec<3, S> rate = R_J.transpose() * turn, acceleration = R_J.transpose() * turn_dot;
  JointValue<S> value;
  value.position = relative_quaternion(reading.e_AJ, relative_quaternion(quaternion_at(q, reading.q_A), quaternion_at(q, reading.q_B)));
  for (int i = 0; i < 3; ++i) {
    value.rate[i] = rate[i];
    value.acceleration[i] = acceleration[i];
  }
  return value;
}

template <class S>
JointValue<S> read_pointing(const JointReading<2>& reading, const TreeState<2, S>& tree, double near) {
  const Rows<S> d = rows_of(reading.place, tree);
  const auto& [x, y, z] = d.value;
  const auto& [x_t, y_t, z_t] = d.rate;
  const auto& [x_tt, y_tt, z_tt] = d.acceleration;
  const S square = x * x + y * y, rate = (x * y_t - y * x_t) / square;
  JointValue<S> value;
  value.position[0] = unwrapped<S>(atan2(y, x) * reading.turn, near);
  value.rate[0] = rate * reading.turn;
  value.acceleration[0] = ((x * y_tt - y * x_tt - S(2) * (x * x_t + y * y_t) * rate) / square) * reading.turn;
  return value;
}

}  // namespace

template <int D, class S>
JointValue<S> read_joint(const JointReading<D>& reading, const TreeState<D, S>& tree, const S* q, const S* v, const S* a, double near) {
  if (reading.kind == JointReadingKind::displacement) {
    const Rows<S> x = rows_of(reading.place, tree);
    JointValue<S> value;
    value.position[0] = x.value[0];
    value.rate[0] = x.rate[0];
    value.acceleration[0] = x.acceleration[0];
    return value;
  }
  if constexpr (D == 2) {
    if (reading.kind == JointReadingKind::pointing) return read_pointing(reading, tree, near);
    JointValue<S> value;
    value.position[0] = (entry(q, reading.q_B) - entry(q, reading.q_A)) * reading.turn;
    value.rate[0] = (entry(v, reading.v_B) - entry(v, reading.v_A)) * reading.turn;
    value.acceleration[0] = (entry(a, reading.v_B) - entry(a, reading.v_A)) * reading.turn;
    return value;
  } else {
    if (reading.kind == JointReadingKind::spherical) return read_spherical(reading, tree, q);
    return read_angle(reading, tree, near);
  }
}

#define TR_INSTANTIATE(D, S) \
  template JointValue<S> read_joint<D, S>(const JointReading<D>&, const TreeState<D, S>&, const S*, const S*, const S*, double);
TR_INSTANTIATE(2, double)
TR_INSTANTIATE(3, double)
TR_INSTANTIATE(2, Dual<1>)
TR_INSTANTIATE(3, Dual<1>)

}  // namespace trunnion
