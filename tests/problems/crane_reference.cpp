// The cranes in two or three angles: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/crane_reference.h"

#include <algorithm>
#include <cmath>

#include "problems/hydraulics_reference.h"
#include "problems/radau_iia.h"

namespace trunnion::problems {
namespace {

constexpr double kGravity = 9.81;
constexpr int kMost = 3;  // links, cylinders
constexpr double kRodMass = 200;
constexpr double kLink[kMost] = {1, 0.5, 0.8}, kTipMass[kMost] = {250, 100, 50};
// distances of the ends of tilt and fold from their joint, on the inner and the outer link
constexpr double kBefore[kMost] = {0, 0.5, 0.45}, kBehind[kMost] = {0, 0.25, 0.45};
const double kPi = std::acos(-1.0);
const double kBase = std::sqrt(3.0) / 2;  // distance O-B
const double kStart[kMost] = {kPi / 6, 1.5 * kPi, 1.5 * kPi + 105 * kPi / 180};
constexpr double kStartRodSide = 3.5e6;
constexpr double kDrag = 1e5;
constexpr double kStopStiffness = 1e7, kStopDamping = 5e3, kStopLength = 8e-3;
constexpr double kSpoolTime = 4.547284088339867e-3;

// states: angles, rates, then per cylinder its pressures and works
enum { kPressureWork = 3, kDragWork, kStopWork, kPerCylinder };

double square(double x) { return x * x; }

/// Quantities that depend on the angles of `links` links.
template <class S>
struct Geometry {
  int links;
  S M[kMost][kMost];                     // mass matrix
  S gyro[kMost][kMost];                  // load on link i per omega_j^2
  S weight[kMost];                       // -dV/dx
  S length[kMost], slope[kMost][kMost];  // s_i, ds_i/dx_j

  Geometry(int n, const S* theta) : links(n) {
    using std::cos, std::sin, std::sqrt;
    for (int i = 0; i < n; ++i) {
      weight[i] = -kGravity * (kRodMass / 2 * (i == 0 ? 1 : 0) + carried(i, n)) * kLink[i] * cos(theta[i]);
      for (int j = 0; j < n; ++j) {
        // v of a tip is the sum over the inner links of L omega, perpendicular to them
        const double coupling = carried(std::max(i, j), n) * kLink[i] * kLink[j];
        M[i][j] = coupling * cos(theta[j] - theta[i]);
        gyro[i][j] = coupling * sin(theta[j] - theta[i]);
        slope[i][j] = S(0.0);
      }
    }
    M[0][0] = M[0][0] + S(kRodMass * square(kLink[0]) / 3);
    // cosine law in the triangles O-B-P, Q-P-middle of the jib, and of R with the ends of fold
    length[0] = sqrt(square(kBase) + square(kLink[0]) / 4 - kBase * kLink[0] * cos(theta[0]));
    slope[0][0] = kBase * kLink[0] / 2 * sin(theta[0]) / length[0];
    for (int i = 1; i < n; ++i) {
      const S bend = theta[i] - theta[i - 1];
      length[i] = sqrt(square(kBefore[i]) + square(kBehind[i]) + 2 * kBefore[i] * kBehind[i] * cos(bend));
      slope[i][i] = -kBefore[i] * kBehind[i] * sin(bend) / length[i];
      slope[i][i - 1] = -slope[i][i];
    }
  }

  /// Point masses at and beyond the tip of link i [kg].
  static double carried(int i, int n) {
    double mass = 0;
    for (int k = i; k < n; ++k) mass += kTipMass[k];
    return mass;
  }
  static double potential(int n, const double* theta) {
    double energy = kGravity * kRodMass / 2 * kLink[0] * std::sin(theta[0]);
    for (int i = 0; i < n; ++i) energy += kGravity * carried(i, n) * kLink[i] * std::sin(theta[i]);
    return energy;
  }
  double kinetic(const double* omega) const {
    double twice = 0;
    for (int i = 0; i < links; ++i)
      for (int j = 0; j < links; ++j) twice += value_of(M[i][j]) * omega[i] * omega[j];
    return twice / 2;
  }
  /// x = M^-1 x; M is symmetric and positive, so that elimination needs no pivots.
  void solve(S* x) const {
    S A[kMost][kMost];
    for (int i = 0; i < links; ++i)
      for (int j = 0; j < links; ++j) A[i][j] = M[i][j];
    for (int k = 0; k < links; ++k)
      for (int i = k + 1; i < links; ++i) {
        const S factor = A[i][k] / A[k][k];
        for (int j = k; j < links; ++j) A[i][j] = A[i][j] - factor * A[k][j];
        x[i] = x[i] - factor * x[k];
      }
    for (int i = links - 1; i >= 0; --i) {
      for (int j = i + 1; j < links; ++j) x[i] = x[i] - A[i][j] * x[j];
      x[i] = x[i] / A[i][i];
    }
  }
};

struct Problem {
  int cylinders, links;
  CircuitReference circuit[kMost];
  LaggedSignal spool[kMost]{{{{0.5, 0}, {0.8, 10}, {4.7, 10}, {4.9, 0}, {5.3, 0}, {5.6, -10}, {9.3, -10}, {9.5, 0}}, kSpoolTime},
                            {{{0.3, 0}, {0.6, 10}, {4.2, 10}, {4.5, 0}, {4.9, 0}, {5.2, -10}, {9.0, -10}, {9.2, 0}}, kSpoolTime},
                            {{{0.4, 0},
                              {0.7, 10},
                              {2.2, 10},
                              {2.5, 0},
                              {3, 0},
                              {3.3, -10},
                              {4.3, -10},
                              {4.6, 0},
                              {5.2, 0},
                              {5.5, 10},
                              {7, 10},
                              {7.3, 0},
                              {7.8, 0},
                              {8.1, -10},
                              {9.2, -10},
                              {9.5, 0}},
                             kSpoolTime}};
  bool in_stop_a[kMost] = {}, in_stop_b[kMost] = {};  // within the zones; changes between steps only

  explicit Problem(int count) : cylinders(count), links(std::max(count, 2)) {
    const Geometry<double> g(links, kStart);
    for (int i = 0; i < links; ++i) circuit[i] = paper_circuit(0.05, 0.25, g.length[i]);
  }
  int states() const { return at(cylinders); }
  int rates() const { return links; }  // start of the rates
  int at(int cylinder) const { return 2 * links + cylinder * kPerCylinder; }

  /// Remaining oil columns in the chambers, minus the length of an end damper.
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
    f.rate = S(0.0);
    for (int j = 0; j < links; ++j) f.rate = f.rate + g.slope[i][j] * y[rates() + j];
    f.pressure = circuit[i].area_a * p[1] - circuit[i].area_b * p[2];
    f.drag = kDrag * f.rate;
    f.stop = S(0.0);
    if (in_stop_a[i]) f.stop = f.stop - kStopStiffness * before_stop_a(i, g.length[i]) - kStopDamping * f.rate;
    if (in_stop_b[i]) f.stop = f.stop + kStopStiffness * before_stop_b(i, g.length[i]) - kStopDamping * f.rate;
    return f;
  }

  template <class S>
  void operator()(double t, const S* y, S* f) const {
    const Geometry<S> g(links, y);
    S load[kMost];
    for (int i = 0; i < links; ++i) {
      load[i] = g.weight[i];
      for (int j = 0; j < links; ++j) load[i] = load[i] + g.gyro[i][j] * y[rates() + j] * y[rates() + j];
    }
    for (int i = 0; i < cylinders; ++i) {
      const Forces<S> c = forces(i, g, y);
      const S force = c.pressure - c.drag + c.stop;
      for (int j = 0; j < links; ++j) load[j] = load[j] + g.slope[i][j] * force;
      circuit[i].rates(spool[i](t), y + at(i), g.length[i], c.rate, f + at(i));
      f[at(i) + kPressureWork] = c.pressure * c.rate;
      f[at(i) + kDragWork] = c.drag * c.rate;
      f[at(i) + kStopWork] = c.stop * c.rate;
    }
    g.solve(load);
    for (int i = 0; i < links; ++i) {
      f[i] = y[rates() + i];
      f[rates() + i] = load[i];
    }
  }

  /// Equilibrium: starting with the last one, every cylinder balances its outer links; without one, the jib hangs.
  Eigen::VectorXd start() const {
    Eigen::VectorXd y = Eigen::VectorXd::Zero(states());
    std::copy_n(kStart, links, y.data());
    const Geometry<double> g(links, y.data());
    double force[kMost] = {};
    for (int i = cylinders - 1; i >= 0; --i) {
      double load = -g.weight[i];
      if (i + 1 < cylinders) load -= g.slope[i + 1][i] * force[i + 1];
      force[i] = load / g.slope[i][i];
      y[at(i) + 2] = kStartRodSide;
      y[at(i)] = y[at(i) + 1] = (force[i] + circuit[i].area_b * kStartRodSide) / circuit[i].area_a;
    }
    return y;
  }
};

OdeSystem crane_system(Problem& problem, double tolerance) {
  OdeSystem ode = make_ode(problem, problem.states());
  ode.absolute_tolerance.head(problem.at(0)).setConstant(1e-12);
  for (int i = 0; i < problem.cylinders; ++i) {
    ode.absolute_tolerance.segment(problem.at(i), 3).setConstant(1e-5);
    ode.absolute_tolerance.segment(problem.at(i) + kPressureWork, 3).setConstant(1e-8);
  }
  ode.absolute_tolerance *= tolerance;
  ode.relative_tolerance = 1e-11 * tolerance;
  ode.corners = [&problem](const Eigen::VectorXd& y, std::vector<double>& out) {
    out.clear();
    for (int i = 0; i < problem.cylinders; ++i) problem.circuit[i].corners(y.data() + problem.at(i), out);
  };
  const auto borders = [&problem](const Eigen::VectorXd& y, std::vector<double>& out) {
    const Geometry<double> g(problem.links, y.data());
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
  const Geometry<double> g(problem.links, y.data());
  CraneSample out{};
  out.t = t;
  const double* rates = y.data() + problem.rates();
  out.theta.assign(y.data(), y.data() + problem.links);
  out.omega.assign(rates, rates + problem.links);
  for (int i = 0; i < problem.cylinders; ++i) {
    const auto f = problem.forces(i, g, y.data());
    const double* x = y.data() + problem.at(i);
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
  out.kinetic = g.kinetic(rates);
  out.potential = Geometry<double>::potential(problem.links, y.data()) - start_height;
  return out;
}

}  // namespace

std::vector<CraneSample> crane_reference(int cylinders, double t_end, double output_step, double tolerance) {
  Problem problem(cylinders);
  const Eigen::VectorXd start = problem.start();
  const double start_height = Geometry<double>::potential(problem.links, start.data());
  RadauIIA radau(crane_system(problem, tolerance), 0, start, 1e-4);
  std::vector<CraneSample> samples;
  // the ramps' corners coincide with output times
  radau.record_to(t_end, output_step, [&](double t) { samples.push_back(sample(problem, t, radau.state(), start_height)); });
  return samples;
}

}  // namespace trunnion::problems
