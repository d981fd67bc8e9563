// The slewing crane in minimal coordinates: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/slewing_crane_reference.h"

#include <Eigen/Dense>
#include <cmath>

#include "problems/hydraulics_reference.h"
#include "problems/radau_iia.h"

namespace Eigen {
template <>
struct NumTraits<trunnion::problems::Slope> : NumTraits<double> {
  using Real = trunnion::problems::Slope;
  using NonInteger = trunnion::problems::Slope;
  using Nested = trunnion::problems::Slope;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1, ReadCost = 2, AddCost = 2, MulCost = 4 };
};
}  // namespace Eigen

namespace trunnion::problems {
namespace {

template <class S>
using Vector3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Matrix3 = Eigen::Matrix<S, 3, 3>;
template <class S>
using Jacobian = Eigen::Matrix<S, 3, 5>;  // columns: column, boom, load x, y, z
using Eigen::Vector3d;

constexpr double kGravity = 9.81;
const double kPi = std::acos(-1.0);
const double kColumnStart = -kPi / 6, kBoomStart = kPi / 9;

struct Body {
  double mass;
  Vector3d center;
  Eigen::Matrix3d inertia;
};

Body make_body(double mass, const Vector3d& center, const Vector3d& moments, double xy, double xz, double yz) {
  Eigen::Matrix3d j;
  j << moments.x(), xy, xz, xy, moments.y(), yz, xz, yz, moments.z();
  return {mass, center, j};
}

// geometry in the frames of column, boom and load; the column's frame is the world's at angle 0
const Body kColumn = make_body(900, {-0.3, 0.1, 1.1}, {500, 550, 260}, 10, 20, -5);
const Body kBoom = make_body(400, {1.9, 0.04, 0.06}, {12, 560, 565}, -6, 15, 1);
const Body kLoad = make_body(500, {0, 0, -1.6}, {90, 120, 60}, 8, -5, 4);
const Vector3d kPivot{0.3, 0, 1.8};         // column: axis of the boom
const Vector3d kTip{4, 0, 0.1};             // boom: spherical joint of the load
const Vector3d kLiftBase{0.45, 0, 0.5};     // column
const Vector3d kLiftRod{1.1, 0, -0.15};     // boom
const Vector3d kSlewBase{-1.2, -0.5, 0.9};  // ground
const Vector3d kSlewRod{0.17, -0.41, 0.9};  // column

constexpr double kSpoolTime = 4.547284088339867e-3;
constexpr BrownMcPheeReference kLiftFriction{300, 900, 1.25e-2, 600}, kSlewFriction{210, 830, 1.25e-2, 330};

enum {
  kColumnAngle,
  kBoomAngle,
  kQuaternion,
  kSpeeds = 6,
  kLiftPressure = 11,
  kSlewPressure = 14,
  kLiftWork = 17,
  kSlewWork,
  kImpulse,
  kStates
};

/// Common oil and hoses; the start length is part of the geometry.
CircuitReference crane_circuit(double flow, double throttle, double bore, double rod, double length_a, double length_b, double start) {
  PaperCircuit<double> oil;
  oil.supply = 18e6;
  oil.flow = flow;
  oil.throttle = throttle;
  oil.bore = bore;
  oil.rod = rod;
  return oil.with(length_a, length_b, start);
}

/// Quantities that depend on position and speed.
template <class S>
struct Kinematics {
  Vector3<S> up{S(0.0), S(0.0), S(1.0)};
  Vector3<S> pitch;               // direction of the boom's angular velocity: -y of column and boom
  Matrix3<S> column, boom, load;  // rotations into the world
  Vector3<S> boom_center, tip, load_center;
  Jacobian<S> boom_v, boom_w, load_v, load_w;
  Vector3<S> boom_a, boom_alpha, load_a;       // accelerations at u' = 0
  S lift_length, lift_b, slew_length, slew_a;  // cylinder lengths, derivatives with respect to boom and column angle

  explicit Kinematics(const S* y) {
    using std::cos, std::sin, std::sqrt;
    const S ca = cos(y[kColumnAngle]), sa = sin(y[kColumnAngle]), cb = cos(y[kBoomAngle]), sb = sin(y[kBoomAngle]);
    const S zero(0.0), one(1.0);
    column << ca, -sa, zero, sa, ca, zero, zero, zero, one;
    Matrix3<S> raise;  // about -y by the boom's angle
    raise << cb, zero, -sb, zero, one, zero, sb, zero, cb;
    boom = column * raise;
    pitch = -column.col(1);
    load = rotation(y + kQuaternion);

    const S* u = y + kSpeeds;
    const Vector3<S> w_column = up * u[0], w_boom = w_column + pitch * u[1], w_load(u[2], u[3], u[4]);
    boom_alpha = w_column.cross(pitch) * u[1];
    const Vector3<S> pivot = column * kPivot.cast<S>();
    const Vector3<S> pivot_a = w_column.cross(w_column.cross(pivot));
    auto on_boom = [&](const Vector3d& point, Vector3<S>& r, Jacobian<S>& v, Vector3<S>& a) {
      const Vector3<S> arm = boom * point.cast<S>();
      r = pivot + arm;
      v.setConstant(zero);
      v.col(0) = up.cross(r);
      v.col(1) = pitch.cross(arm);
      a = pivot_a + boom_alpha.cross(arm) + w_boom.cross(w_boom.cross(arm));
    };
    on_boom(kBoom.center, boom_center, boom_v, boom_a);
    boom_w.setConstant(zero);
    boom_w.col(0) = up;
    boom_w.col(1) = pitch;

    Vector3<S> tip_a;
    on_boom(kTip, tip, load_v, tip_a);
    const Vector3<S> arm = load * kLoad.center.cast<S>();
    load_center = tip + arm;
    load_a = tip_a + w_load.cross(w_load.cross(arm));
    load_w.setConstant(zero);
    for (int k = 0; k < 3; ++k) {
      Vector3<S> axis(zero, zero, zero);
      axis[k] = one;
      load_w.col(2 + k) = axis;
      load_v.col(2 + k) = axis.cross(arm);
    }

    // lift: in the column's frame; slew: in the world
    const Vector3<S> lift_arm = raise * kLiftRod.cast<S>(), lift = kPivot.cast<S>() + lift_arm - kLiftBase.cast<S>();
    lift_length = sqrt(lift.dot(lift));
    lift_b = lift.dot(Vector3<S>(zero, -one, zero).cross(lift_arm)) / lift_length;
    const Vector3<S> slew_arm = column * kSlewRod.cast<S>(), slew = slew_arm - kSlewBase.cast<S>();
    slew_length = sqrt(slew.dot(slew));
    slew_a = slew.dot(up.cross(slew_arm)) / slew_length;
  }

  static Matrix3<S> rotation(const S* q) {
    const S w = q[0], x = q[1], y = q[2], z = q[3], n = w * w + x * x + y * y + z * z;
    Matrix3<S> r;
    r << w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),  //
        2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x),   //
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z;
    return r / n;
  }
};

/// Solves the symmetric positive definite system m x = b in place (elimination without pivoting).
template <class S>
void solve_symmetric(Eigen::Matrix<S, 5, 5>& m, Eigen::Matrix<S, 5, 1>& b) {
  for (int k = 0; k < 5; ++k)
    for (int i = k + 1; i < 5; ++i) {
      const S factor = m(i, k) / m(k, k);
      for (int j = k + 1; j < 5; ++j) m(i, j) -= factor * m(k, j);
      b[i] -= factor * b[k];
    }
  for (int i = 4; i >= 0; --i) {
    for (int j = i + 1; j < 5; ++j) b[i] -= m(i, j) * b[j];
    b[i] = b[i] / m(i, i);
  }
}

struct Problem {
  CircuitReference lift, slew;
  LaggedSignal lift_spool{{{0.2, 0}, {0.5, 8}, {1.7, 8}, {2.0, 0}, {2.6, 0}, {2.8, -6}, {3.3, -6}, {3.5, 0}}, kSpoolTime};
  LaggedSignal slew_spool{{{0.3, 0}, {0.9, 6}, {1.8, 6}, {2.6, 0}, {2.8, 0}, {3.4, -4}, {4.0, -4}}, kSpoolTime};

  /// Momentum balance m u' = rhs without the cylinders.
  template <class S>
  static void balance(const Kinematics<S>& k, const S* u, Eigen::Matrix<S, 5, 5>& m, Eigen::Matrix<S, 5, 1>& rhs) {
    m.setConstant(S(0.0));
    rhs.setConstant(S(0.0));
    // the column only rotates about z, and gravity has no moment about it
    m(0, 0) = S(kColumn.inertia(2, 2) + kColumn.mass * kColumn.center.head<2>().squaredNorm());
    const Vector3<S> gravity(S(0.0), S(0.0), S(-kGravity));
    const Eigen::Map<const Eigen::Matrix<S, 5, 1>> speeds(u);
    auto add = [&](const Body& body, const Matrix3<S>& r, const Jacobian<S>& v, const Jacobian<S>& w, const Vector3<S>& a,
                   const Vector3<S>& alpha) {
      const S mass(body.mass);
      const Matrix3<S> inertia = r * body.inertia.cast<S>() * r.transpose();
      const Vector3<S> omega = w * speeds, spin = inertia * omega;
      const Vector3<S> force = (gravity - a) * mass, torque = -(inertia * alpha) - omega.cross(spin);
      m += v.transpose() * v * mass + w.transpose() * (inertia * w);
      rhs += v.transpose() * force + w.transpose() * torque;
    };
    const Vector3<S> none(S(0.0), S(0.0), S(0.0));
    add(kBoom, k.boom, k.boom_v, k.boom_w, k.boom_a, k.boom_alpha);
    add(kLoad, k.load, k.load_v, k.load_w, k.load_a, none);
  }

  template <class S>
  void operator()(double t, const S* y, S* f) const {
    const Kinematics<S> k(y);
    const S* u = y + kSpeeds;
    Eigen::Matrix<S, 5, 5> m;
    Eigen::Matrix<S, 5, 1> rhs;
    balance(k, u, m, rhs);
    const S lift_rate = k.lift_b * u[1], slew_rate = k.slew_a * u[0];
    const S lift_force = lift.area_a * y[kLiftPressure + 1] - lift.area_b * y[kLiftPressure + 2] - kLiftFriction(lift_rate);
    const S slew_force = slew.area_a * y[kSlewPressure + 1] - slew.area_b * y[kSlewPressure + 2] - kSlewFriction(slew_rate);
    rhs[0] += k.slew_a * slew_force;
    rhs[1] += k.lift_b * lift_force;
    solve_symmetric(m, rhs);

    f[kColumnAngle] = u[0];
    f[kBoomAngle] = u[1];
    const S *q = y + kQuaternion, *w = u + 2;  // q' = (0, w) q / 2
    f[kQuaternion] = -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3]);
    f[kQuaternion + 1] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
    f[kQuaternion + 2] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
    f[kQuaternion + 3] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
    for (int i = 0; i < 5; ++i) f[kSpeeds + i] = rhs[i];
    lift.rates(lift_spool(t), y + kLiftPressure, k.lift_length, lift_rate, f + kLiftPressure);
    slew.rates(slew_spool(t), y + kSlewPressure, k.slew_length, slew_rate, f + kSlewPressure);
    f[kLiftWork] = lift_force * lift_rate;
    f[kSlewWork] = slew_force * slew_rate;
    f[kImpulse] = k.slew_a * slew_force;
  }
};

Eigen::VectorXd start_angles() {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(kStates);
  y[kColumnAngle] = kColumnStart;
  y[kBoomAngle] = kBoomStart;
  y[kQuaternion] = std::cos(kColumnStart / 2);  // the load hangs straight down, rotated with the column
  y[kQuaternion + 3] = std::sin(kColumnStart / 2);
  return y;
}

Problem make_problem() {
  const Eigen::VectorXd y = start_angles();
  const Kinematics<double> k(y.data());
  return {crane_circuit(60e-3 / 60, 8e-3, 0.090, 0.050, 0.35, 0.45, k.lift_length),
          crane_circuit(50e-3 / 60, 8e-3, 0.100, 0.056, 0.30, 0.50, k.slew_length)};
}

Eigen::VectorXd start_state(const Problem& problem) {
  Eigen::VectorXd y = start_angles();
  const Kinematics<double> k(y.data());
  Eigen::Matrix<double, 5, 5> m;
  Eigen::Matrix<double, 5, 1> rhs;
  Problem::balance(k, y.data() + kSpeeds, m, rhs);
  auto fill = [&](int at, const CircuitReference& circuit, double rod_side, double force) {
    y[at + 2] = rod_side;
    y[at] = y[at + 1] = (force + circuit.area_b * rod_side) / circuit.area_a;
  };
  fill(kLiftPressure, problem.lift, 3.5e6, -rhs[1] / k.lift_b);
  fill(kSlewPressure, problem.slew, 6e6, 0);
  return y;
}

OdeSystem crane_system(const Problem& problem, double tolerance) {
  OdeSystem ode = make_ode(problem, kStates);
  ode.absolute_tolerance.head(kLiftPressure).setConstant(1e-11);
  ode.absolute_tolerance.segment(kLiftPressure, 6).setConstant(1e-4);
  ode.absolute_tolerance.tail(3).setConstant(1e-7);
  ode.absolute_tolerance *= tolerance;
  ode.relative_tolerance = 1e-10 * tolerance;
  ode.corners = [&problem](const Eigen::VectorXd& y, std::vector<double>& out) {
    out.clear();
    problem.lift.corners(y.data() + kLiftPressure, out);
    problem.slew.corners(y.data() + kSlewPressure, out);
  };
  return ode;
}

SlewingCraneSample sample(const Problem& problem, double t, const Eigen::VectorXd& y, double start_height) {
  const Kinematics<double> k(y.data());
  const double* u = y.data() + kSpeeds;
  const Eigen::Map<const Eigen::Matrix<double, 5, 1>> speeds(u);
  SlewingCraneSample out{};
  out.t = t;
  out.column_angle = y[kColumnAngle];
  out.column_rate = u[0];
  out.boom_angle = y[kBoomAngle];
  out.boom_rate = u[1];
  const double norm = y.segment<4>(kQuaternion).norm();
  for (int i = 0; i < 4; ++i) out.load_quaternion[i] = y[kQuaternion + i] / norm;
  for (int i = 0; i < 3; ++i) {
    out.load_position[i] = k.load_center[i];
    out.load_angular_velocity[i] = u[2 + i];
  }
  auto cylinder = [&](const CircuitReference& circuit, const BrownMcPheeReference& friction, int at, double length, double rate,
                      double work, double spool) {
    const double seal = friction(rate);
    return CraneCylinderSample{
        length, rate, circuit.area_a * y[at + 1] - circuit.area_b * y[at + 2] - seal, seal, work, spool, {y[at], y[at + 1], y[at + 2]}};
  };
  out.lift = cylinder(problem.lift, kLiftFriction, kLiftPressure, k.lift_length, k.lift_b * u[1], y[kLiftWork], problem.lift_spool(t));
  out.slew = cylinder(problem.slew, kSlewFriction, kSlewPressure, k.slew_length, k.slew_a * u[0], y[kSlewWork], problem.slew_spool(t));

  // energies and momentum from the bodies' velocities
  const double column = kColumn.inertia(2, 2) + kColumn.mass * kColumn.center.head<2>().squaredNorm();
  out.kinetic = 0.5 * column * u[0] * u[0];
  out.angular_momentum_z = column * u[0];
  auto add = [&](const Body& body, const Eigen::Matrix3d& r, const Vector3d& center, const Jacobian<double>& jv,
                 const Jacobian<double>& jw) {
    const Vector3d v = jv * speeds, w = jw * speeds, spin = r * (body.inertia * (r.transpose() * w));
    out.kinetic += 0.5 * body.mass * v.squaredNorm() + 0.5 * w.dot(spin);
    out.angular_momentum_z += (center.cross(body.mass * v) + spin).z();
  };
  add(kBoom, k.boom, k.boom_center, k.boom_v, k.boom_w);
  add(kLoad, k.load, k.load_center, k.load_v, k.load_w);
  out.potential = kGravity * (kBoom.mass * k.boom_center.z() + kLoad.mass * k.load_center.z()) - start_height;
  out.slewing_impulse = y[kImpulse];
  return out;
}

}  // namespace

CraneLoad slewing_crane_load() {
  CraneLoad load{kLoad.mass, {kLoad.center.x(), kLoad.center.y(), kLoad.center.z()}, {}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) load.inertia[i][j] = kLoad.inertia(i, j);
  return load;
}

std::vector<SlewingCraneSample> slewing_crane_reference(double t_end, double output_step, double tolerance) {
  const Problem problem = make_problem();
  RadauIIA radau(crane_system(problem, tolerance), 0, start_state(problem), 1e-4);
  const double start_potential = sample(problem, 0, radau.state(), 0).potential;
  std::vector<SlewingCraneSample> samples;
  // the ramps' corners coincide with output times
  radau.record_to(t_end, output_step, [&](double t) { samples.push_back(sample(problem, t, radau.state(), start_potential)); });
  return samples;
}

}  // namespace trunnion::problems
