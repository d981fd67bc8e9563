// The cranes in two angles: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/crane_reference.h"

#include <cmath>

#include "problems/hydraulics_reference.h"
#include "problems/radau_iia.h"

namespace trunnion::problems {
namespace {

constexpr double kGravity = 9.81;
constexpr double kBoom = 1, kBoomMass = 200, kJib = 0.5, kMassQ = 250, kMassR = 100;
constexpr double kLaterMass = kMassQ + kMassR;  // carried by the boom's tip
const double kPi = std::acos(-1.0);
const double kBase = std::sqrt(3.0) / 2;  // distance O-B
const double kStart1 = kPi / 6, kStart2 = 1.5 * kPi;
constexpr double kStartRodSide = 3.5e6;
constexpr double kDrag = 1e5;
constexpr double kStopStiffness = 1e7, kStopDamping = 5e3, kStopLength = 8e-3;
constexpr double kSpoolTime = 4.547284088339867e-3;
constexpr int kMost = 2;  // cylinders

// states: angles, rates, then per cylinder its pressures and works
enum { kTheta, kOmega = 2, kCylinders = 4, kPressureWork = 3, kDragWork, kStopWork, kPerCylinder };

double square(double x) { return x * x; }

CircuitReference crane_circuit(double start) {
  CircuitReference c{};
  c.supply = 7.6e6;
  c.tank = 0.1e6;
  c.valve_c = 24e-3 / 60 / (10 * std::sqrt(35e5));
  c.throttle_c = 0.8 * kPi / 4 * square(6e-3) * std::sqrt(2 / 850.0);
  c.bulk_oil = 1.5e9;
  c.bulk_hose = 0.15e9;
  c.bulk_cylinder = 31.5e9;
  c.hose_1 = 3.14e-5;
  c.hose_2 = 7.85e-5;
  c.hose_3 = 4.71e-5;
  c.area_a = kPi / 4 * square(80e-3);
  c.area_b = kPi / 4 * (square(80e-3) - square(35e-3));
  c.length_a = 0.05;
  c.length_b = 0.25;
  c.start = start;
  return c;
}

/// What follows from the two angles.
template <class S>
struct Geometry {
  S m11, m12, m22, m12_1;                // mass matrix; m12_1: of m12 with respect to theta1
  S weight[2];                           // -dV/dx
  S length[kMost], slope[kMost][kMost];  // s_i, ds_i/dx_j

  explicit Geometry(const S* theta) {
    using std::cos, std::sin, std::sqrt;
    const S bend = theta[1] - theta[0];
    m11 = S(kBoomMass * square(kBoom) / 3 + kLaterMass * square(kBoom));
    m22 = S(kMassR * square(kJib));
    m12 = kMassR * kBoom * kJib * cos(bend);
    m12_1 = kMassR * kBoom * kJib * sin(bend);
    weight[0] = -kGravity * (kBoomMass / 2 + kLaterMass) * kBoom * cos(theta[0]);
    weight[1] = -kGravity * kMassR * kJib * cos(theta[1]);
    // cosine law in the triangles O-B-P and Q-P-middle of the jib
    length[0] = sqrt(square(kBase) + square(kBoom) / 4 - kBase * kBoom * cos(theta[0]));
    slope[0][0] = kBase * kBoom / 2 * sin(theta[0]) / length[0];
    slope[0][1] = S(0.0);
    length[1] = sqrt((square(kBoom) + square(kJib)) / 4 + kBoom * kJib / 2 * cos(bend));
    slope[1][1] = -kBoom * kJib / 4 * sin(bend) / length[1];
    slope[1][0] = -slope[1][1];
  }

  static double potential(const double* theta) {
    return kGravity * ((kBoomMass / 2 + kLaterMass) * kBoom * std::sin(theta[0]) + kMassR * kJib * std::sin(theta[1]));
  }
  double kinetic(const double* omega) const {
    return 0.5 * value_of(m11) * square(omega[0]) + value_of(m12) * omega[0] * omega[1] + 0.5 * value_of(m22) * square(omega[1]);
  }
};

struct Problem {
  int cylinders;
  CircuitReference circuit[kMost];
  LaggedSignal spool[kMost]{{{{0.5, 0}, {0.8, 10}, {4.7, 10}, {4.9, 0}, {5.3, 0}, {5.6, -10}, {9.3, -10}, {9.5, 0}}, kSpoolTime},
                            {{{0.3, 0}, {0.6, 10}, {4.2, 10}, {4.5, 0}, {4.9, 0}, {5.2, -10}, {9.0, -10}, {9.2, 0}}, kSpoolTime}};
  bool in_stop_a[kMost] = {}, in_stop_b[kMost] = {};  // within the zones; changes between steps only

  explicit Problem(int count) : cylinders(count) {
    const double start[] = {kStart1, kStart2};
    const Geometry<double> g(start);
    for (int i = 0; i < kMost; ++i) circuit[i] = crane_circuit(g.length[i]);
  }
  int states() const { return kCylinders + cylinders * kPerCylinder; }
  static int at(int cylinder) { return kCylinders + cylinder * kPerCylinder; }

  /// Oil columns left in the chambers, less the length of an end damper.
  template <class S>
  S before_stop_a(int i, const S& length) const {
    return circuit[i].length_a + (length - circuit[i].start) - kStopLength;
  }
  template <class S>
  S before_stop_b(int i, const S& length) const {
    return circuit[i].length_b - (length - circuit[i].start) - kStopLength;
  }

  template <class S>
  struct Forces {
    S rate, pressure, drag, stop;
  };
  template <class S>
  Forces<S> forces(int i, const Geometry<S>& g, const S* y) const {
    const S* p = y + at(i);
    Forces<S> f;
    f.rate = g.slope[i][0] * y[kOmega] + g.slope[i][1] * y[kOmega + 1];
    f.pressure = circuit[i].area_a * p[1] - circuit[i].area_b * p[2];
    f.drag = kDrag * f.rate;
    f.stop = S(0.0);
    if (in_stop_a[i]) f.stop = f.stop - kStopStiffness * before_stop_a(i, g.length[i]) - kStopDamping * f.rate;
    if (in_stop_b[i]) f.stop = f.stop + kStopStiffness * before_stop_b(i, g.length[i]) - kStopDamping * f.rate;
    return f;
  }

  template <class S>
  void operator()(double t, const S* y, S* f) const {
    const Geometry<S> g(y + kTheta);
    // d/dt of m12 is m12_1 (omega1 - omega2); with its part of the Lagrangian's derivative what is left is m12_1 omega^2
    S load1 = g.weight[0] + g.m12_1 * y[kOmega + 1] * y[kOmega + 1], load2 = g.weight[1] - g.m12_1 * y[kOmega] * y[kOmega];
    for (int i = 0; i < cylinders; ++i) {
      const Forces<S> c = forces(i, g, y);
      const S force = c.pressure - c.drag + c.stop;
      load1 += g.slope[i][0] * force;
      load2 += g.slope[i][1] * force;
      circuit[i].rates(spool[i](t), y + at(i), g.length[i], c.rate, f + at(i));
      f[at(i) + kPressureWork] = c.pressure * c.rate;
      f[at(i) + kDragWork] = c.drag * c.rate;
      f[at(i) + kStopWork] = c.stop * c.rate;
    }
    const S determinant = g.m11 * g.m22 - g.m12 * g.m12;
    f[kTheta] = y[kOmega];
    f[kTheta + 1] = y[kOmega + 1];
    f[kOmega] = (g.m22 * load1 - g.m12 * load2) / determinant;
    f[kOmega + 1] = (g.m11 * load2 - g.m12 * load1) / determinant;
  }

  /// Rest: the tilt cylinder balances the jib (or the jib hangs), the lift cylinder all of it.
  Eigen::VectorXd start() const {
    Eigen::VectorXd y = Eigen::VectorXd::Zero(states());
    y[kTheta] = kStart1;
    y[kTheta + 1] = kStart2;
    const Geometry<double> g(y.data());
    double force[kMost] = {};
    if (cylinders > 1) force[1] = -g.weight[1] / g.slope[1][1];
    force[0] = (-g.weight[0] - g.slope[1][0] * force[1]) / g.slope[0][0];
    for (int i = 0; i < cylinders; ++i) {
      y[at(i) + 2] = kStartRodSide;
      y[at(i)] = y[at(i) + 1] = (force[i] + circuit[i].area_b * kStartRodSide) / circuit[i].area_a;
    }
    return y;
  }
};

OdeSystem crane_system(Problem& problem, double tolerance) {
  OdeSystem ode = make_ode(problem, problem.states());
  ode.absolute_tolerance.head(kCylinders).setConstant(1e-12);
  for (int i = 0; i < problem.cylinders; ++i) {
    ode.absolute_tolerance.segment(Problem::at(i), 3).setConstant(1e-5);
    ode.absolute_tolerance.segment(Problem::at(i) + kPressureWork, 3).setConstant(1e-8);
  }
  ode.absolute_tolerance *= tolerance;
  ode.relative_tolerance = 1e-11 * tolerance;
  ode.corners = [&problem](const Eigen::VectorXd& y, std::vector<double>& out) {
    out.clear();
    for (int i = 0; i < problem.cylinders; ++i) problem.circuit[i].corners(y.data() + Problem::at(i), out);
  };
  const auto borders = [&problem](const Eigen::VectorXd& y, std::vector<double>& out) {
    const Geometry<double> g(y.data() + kTheta);
    out.clear();
    for (int i = 0; i < problem.cylinders; ++i) {
      out.push_back(problem.before_stop_a(i, g.length[i]));
      out.push_back(problem.before_stop_b(i, g.length[i]));
    }
  };
  ode.jumps = borders;
  ode.at_jump = [&problem, borders](const Eigen::VectorXd& y) {
    std::vector<double> left;
    borders(y, left);
    for (int i = 0; i < problem.cylinders; ++i) {
      problem.in_stop_a[i] = left[2 * i] <= 0;
      problem.in_stop_b[i] = left[2 * i + 1] <= 0;
    }
  };
  return ode;
}

CraneSample sample(const Problem& problem, double t, const Eigen::VectorXd& y, double start_height) {
  const Geometry<double> g(y.data() + kTheta);
  CraneSample out{};
  out.t = t;
  out.theta1 = y[kTheta];
  out.theta2 = y[kTheta + 1];
  out.omega1 = y[kOmega];
  out.omega2 = y[kOmega + 1];
  for (int i = 0; i < problem.cylinders; ++i) {
    const auto f = problem.forces(i, g, y.data());
    const double* x = y.data() + Problem::at(i);
    out.cylinder.push_back({g.length[i],
                            f.rate,
                            f.pressure - f.drag + f.stop,
                            f.stop,
                            {x[0], x[1], x[2]},
                            problem.spool[i](t),
                            x[kPressureWork],
                            x[kDragWork],
                            x[kStopWork]});
  }
  out.kinetic = g.kinetic(y.data() + kOmega);
  out.potential = Geometry<double>::potential(y.data() + kTheta) - start_height;
  return out;
}

}  // namespace

std::vector<CraneSample> crane_reference(int cylinders, double t_end, double output_step, double tolerance) {
  Problem problem(cylinders);
  const Eigen::VectorXd start = problem.start();
  const double start_height = Geometry<double>::potential(start.data() + kTheta);
  RadauIIA radau(crane_system(problem, tolerance), 0, start, 1e-4);
  std::vector<CraneSample> samples{sample(problem, 0, start, start_height)};
  const long count = std::lround(t_end / output_step);
  for (long k = 1; k <= count; ++k) {  // the ramps' corners lie on output times
    const double t = static_cast<double>(k) / std::round(1 / output_step);
    radau.advance_to(t);
    samples.push_back(sample(problem, t, radau.state(), start_height));
  }
  return samples;
}

}  // namespace trunnion::problems
