// The spatial slider-crank in one coordinate: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/spatial_slider_crank_reference.h"

#include <Eigen/Dense>
#include <cmath>

#include "problems/radau_iia.h"

namespace trunnion::problems {
namespace {

using Eigen::Vector3d;

constexpr double kGravity = 9.81;
constexpr double kCrankLength = 0.4, kCrankRadius = 0.04, kCrankMass = 10;
constexpr double kRodLength = 1.5, kRodRadius = 0.03, kRodMass = 6;
constexpr double kSliderMass = 8;
const Vector3d kCenter{0, 0.5, 0.6};
const Vector3d kAxis = Vector3d(1, 0.2, -0.1).normalized();

/// Position of a point of the crank on its own y axis at distance y, and two derivatives with respect to the angle.
struct CrankPoint {
  Vector3d r, r1, r2;
  CrankPoint(double x, double y) {
    const Vector3d arm(0, y, 0), along = kAxis * kAxis.dot(arm), across = arm - along, side = kAxis.cross(arm);
    r = kCenter + along + across * std::cos(x) + side * std::sin(x);
    r1 = -across * std::sin(x) + side * std::cos(x);
    r2 = -across * std::cos(x) - side * std::sin(x);
  }
};

/// Moment of inertia of the crank, a solid cylinder along y, about its skew axis of rotation.
double crank_inertia() {
  const double across = kCrankMass * (3 * kCrankRadius * kCrankRadius + kCrankLength * kCrankLength) / 12;
  const double along = kCrankMass * kCrankRadius * kCrankRadius / 2;
  const double y2 = kAxis.y() * kAxis.y();
  return along * y2 + (across + kCrankMass * kCrankLength * kCrankLength / 4) * (1 - y2);
}

struct Mechanism {
  CrankPoint pin;
  double s, s1;        // slider position and derivative
  Vector3d c, n, n1;   // rod: centre, direction and derivative
  double mass, mass1;  // m, m'
  double height, height1;

  Mechanism(double x, double rod_mass) : pin(x, kCrankLength) {
    const double py = pin.r.y(), pz = pin.r.z(), py1 = pin.r1.y(), pz1 = pin.r1.z();
    const double w = std::sqrt(kRodLength * kRodLength - py * py - pz * pz);
    const double w1 = -(py * py1 + pz * pz1) / w;
    const double w2 = -(py1 * py1 + py * pin.r2.y() + pz1 * pz1 + pz * pin.r2.z() + w1 * w1) / w;
    s = pin.r.x() + w;
    s1 = pin.r1.x() + w1;
    const double s2 = pin.r2.x() + w2;
    const Vector3d ex(1, 0, 0);
    c = (pin.r + s * ex) / 2;
    const Vector3d c1 = (pin.r1 + s1 * ex) / 2, c2 = (pin.r2 + s2 * ex) / 2;
    n = (s * ex - pin.r) / kRodLength;
    n1 = (s1 * ex - pin.r1) / kRodLength;
    const Vector3d n2 = (s2 * ex - pin.r2) / kRodLength;
    const double rod_inertia = rod_mass * (3 * kRodRadius * kRodRadius + kRodLength * kRodLength) / 12;
    mass = crank_inertia() + kSliderMass * s1 * s1 + rod_mass * c1.squaredNorm() + rod_inertia * n1.squaredNorm();
    mass1 = 2 * (kSliderMass * s1 * s2 + rod_mass * c1.dot(c2) + rod_inertia * n1.dot(n2));
    const CrankPoint middle(x, kCrankLength / 2);
    height = kGravity * (kCrankMass * middle.r.z() + rod_mass * c.z());
    height1 = kGravity * (kCrankMass * middle.r1.z() + rod_mass * c1.z());
  }
};

double mass_of(RodName rod) { return rod == RodName::massive ? kRodMass : 0; }

OdeSystem slider_crank_system(double rod_mass, double tolerance) {
  OdeSystem ode;
  ode.rate = [rod_mass](double, const Eigen::VectorXd& y, Eigen::VectorXd& f) {
    const Mechanism m(y[0], rod_mass);
    f[0] = y[1];
    f[1] = -(0.5 * m.mass1 * y[1] * y[1] + m.height1) / m.mass;
  };
  // an approximate iteration matrix suffices: without stiffness the iteration converges anyway
  ode.jacobian = [](double, const Eigen::VectorXd&, Eigen::MatrixXd& j) { j << 0, 1, 0, 0; };
  ode.absolute_tolerance = Eigen::VectorXd::Constant(2, 1e-13 * tolerance);
  return ode;
}

}  // namespace

std::vector<SliderCrankSample> spatial_slider_crank_reference(RodName rod, double t_end, double output_step, double tolerance) {
  const double rod_mass = mass_of(rod), start_height = Mechanism(0, rod_mass).height;
  RadauIIA radau(slider_crank_system(rod_mass, tolerance), 0, Eigen::Vector2d(0, 0), 1e-3);
  std::vector<SliderCrankSample> samples;
  radau.record_to(t_end, output_step, [&](double t) {
    const double x = radau.state()[0], rate = radau.state()[1];
    const Mechanism m(x, rod_mass);
    const Vector3d w = m.n.cross(m.n1) * rate;
    samples.push_back({t,
                       x,
                       rate,
                       m.s,
                       m.s1 * rate,
                       {m.pin.r.x(), m.pin.r.y(), m.pin.r.z()},
                       {m.c.x(), m.c.y(), m.c.z()},
                       {w.x(), w.y(), w.z()},
                       0.5 * m.mass * rate * rate,
                       m.height - start_height});
  });
  return samples;
}

}  // namespace trunnion::problems
