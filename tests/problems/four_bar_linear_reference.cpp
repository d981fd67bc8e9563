// The linearised four-bar in one coordinate: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/four_bar_linear_reference.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "problems/hydraulics_reference.h"
#include "problems/radau_iia.h"

namespace trunnion::problems {
namespace {

constexpr double kGravity = 9.81;
constexpr double kL1 = 10, kL2 = 2, kL3 = 8, kL4 = 5, kD1 = 1;
constexpr double kM2 = 2, kM3 = 8, kM4 = 5;
const double kPi = std::acos(-1.0);
const double kStartAngle = kPi / 3;
constexpr double kStartRodSide = 3.5e6;
constexpr double kSpoolTime = 4.547284088339867e-3;
constexpr double kRampEnd = 1, kPulseEnd = 1.5, kPulse = 250;  // [s], [s], [N m]

enum { kAngle, kRate, kP1, kP2, kP3, kSpool, kWork, kStates };

template <class S>
struct Vector2 {
  S x, y;
};
template <class S>
S dot(const Vector2<S>& a, const Vector2<S>& b) {
  return a.x * b.x + a.y * b.y;
}
template <class S>
S cross(const Vector2<S>& a, const Vector2<S>& b) {
  return a.x * b.y - a.y * b.x;
}

/// Everything of the mechanism that depends on the crank angle.
template <class S>
struct Linkage {
  Vector2<S> u2, u3, u4;  // along crank, coupler, rocker
  S mass, mass_x;         // m, m'
  S height, height_x;     // V, V'
  S s, s_x;               // cylinder length and its derivative

  explicit Linkage(const S& x) {
    using std::cos, std::sin, std::sqrt;
    u2 = {cos(x), sin(x)};
    // the coupler's end lies on circles about the crank's tip and about the rocker's pivot, on the upper side of the line between them
    const Vector2<S> r{kL1 - kL2 * u2.x, -kL2 * u2.y};
    const S d2 = dot(r, r), along = ((kL3 * kL3 - kL4 * kL4) + d2) / (2.0 * d2), across = sqrt(kL3 * kL3 / d2 - along * along);
    u3 = {(along * r.x - across * r.y) / kL3, (along * r.y + across * r.x) / kL3};
    u4 = {(r.x - kL3 * u3.x) / kL4, (r.y - kL3 * u3.y) / kL4};
    // angular velocities per rate of the crank, and their derivatives, from the loop along rocker and coupler
    const S c23 = dot(u2, u3), s23 = cross(u2, u3), c34 = dot(u3, u4), s34 = cross(u3, u4);
    const S k3 = -kL2 * cross(u2, u4) / (kL3 * s34), k4 = kL2 * s23 / (kL4 * s34);
    const S k3_x = (kL2 * dot(u2, u4) + kL3 * k3 * k3 * c34 + kL4 * k4 * k4) / (kL3 * s34);
    const S k4_x = -(kL2 * c23 + kL3 * k3 * k3 + kL4 * k4 * k4 * c34) / (kL4 * s34);
    // slender rods: crank about its pivot, coupler by its centre, rocker about its pivot
    mass = kM2 * kL2 * kL2 / 3 + kM3 * (kL2 * kL2 + kL2 * kL3 * k3 * c23 + kL3 * kL3 / 3 * k3 * k3) + kM4 * kL4 * kL4 / 3 * k4 * k4;
    mass_x = kM3 * (kL2 * kL3 * (k3_x * c23 + k3 * (1.0 - k3) * s23) + 2 * kL3 * kL3 / 3 * k3 * k3_x) + 2 * kM4 * kL4 * kL4 / 3 * k4 * k4_x;
    height = kGravity * ((kM2 / 2 + kM3) * kL2 * u2.y + kM3 * kL3 / 2 * u3.y - kM4 * kL4 / 2 * u4.y);
    height_x = kGravity * ((kM2 / 2 + kM3) * kL2 * u2.x + kM3 * kL3 / 2 * k3 * u3.x - kM4 * kL4 / 2 * k4 * u4.x);
    s = sqrt((kD1 * kD1 + kL2 * kL2 / 4) + kD1 * kL2 * u2.x);
    s_x = -kD1 * kL2 * u2.y / (2.0 * s);
  }
};

double square(double x) { return x * x; }

struct Problem {
  CircuitReference circuit = paper_circuit(std::sqrt(3.0) - 1, 2 - std::sqrt(3.0), std::sqrt(3.0));  // (73): c1 + c2 = 1 m, l = 1 m
  double friction, pulse;
  int phase = 0;  // of the torque: ramp, constant, nothing; changes between steps only

  Problem(double friction_, double pulse_) : friction(friction_), pulse(pulse_) {}

  /// (8): without the factor tanh(4) that the friction paper has.
  template <class S>
  S seal(const S& v) const {
    constexpr double kCoulomb = 210, kStatic = 830, kStribeck = 1.25e-2, kViscous = 330;
    const BrownMcPheeReference law{friction * kCoulomb, friction * kStatic, kStribeck, friction * kViscous / std::tanh(4.0)};
    return law(v);
  }

  double torque(double t) const { return pulse * (phase == 0 ? kPulse * t / kRampEnd : phase == 1 ? kPulse : 0); }

  template <class S>
  void operator()(double t, const S* y, S* f) const {
    const Linkage<S> m(y[kAngle]);
    const S sdot = m.s_x * y[kRate];
    const S force = circuit.area_a * y[kP2] - circuit.area_b * y[kP3] - seal(sdot);
    f[kAngle] = y[kRate];
    f[kRate] = (m.s_x * force - m.height_x - 0.5 * m.mass_x * y[kRate] * y[kRate] + torque(t)) / m.mass;
    circuit.rates(y[kSpool], y + kP1, m.s, sdot, f + kP1);
    f[kSpool] = -y[kSpool] / kSpoolTime;
    f[kWork] = force * sdot + torque(t) * y[kRate];
  }
};

Eigen::VectorXd start_state(const CircuitReference& circuit) {
  const Linkage<double> m(kStartAngle);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(kStates);
  y[kAngle] = kStartAngle;
  y[kP3] = kStartRodSide;
  y[kP1] = y[kP2] = (m.height_x / m.s_x + circuit.area_b * kStartRodSide) / circuit.area_a;
  return y;
}

/// (83), the sign of its last term changed; all angles in the paper's meaning.
double printed_pressure(const CircuitReference& circuit) {
  const Linkage<double> m(kStartAngle);
  const auto angle = [](const Vector2<double>& u) { return std::atan2(u.y, u.x); };
  const double phi2 = kStartAngle, phi32 = angle(m.u3) - phi2, phi43 = angle(m.u4) - angle(m.u3);
  const double alpha = std::atan2(std::sin(phi2), std::cos(phi2) + 2 * kD1 / kL2);
  const double scale = kGravity / (2 * circuit.area_a * std::sin(alpha - phi2) * std::sin(phi43));
  return circuit.area_b / circuit.area_a * kStartRodSide -
         scale * ((kM2 + kM3) * std::sin(phi2 - phi43) + (kM3 + kM4) * std::sin(phi2 + 2 * phi32 + phi43)) +
         scale * (kM2 + 2 * kM3 + kM4) * std::sin(phi2 + phi43);
}

/// Roots of l^3 + c[2] l^2 + c[1] l + c[0] by the Durand-Kerner iteration.
std::array<std::complex<long double>, 3> cubic_roots(const std::array<long double, 3>& c) {
  using Complex = std::complex<long double>;
  const long double size = 1 + std::max({std::abs(c[2]), std::sqrt(std::abs(c[1])), std::cbrt(std::abs(c[0]))});
  std::array<Complex, 3> root{Complex(-size, 0), Complex(-0.4L * size, 0.9L * size), Complex(-0.4L * size, -0.9L * size)};
  for (int iteration = 0; iteration < 500; ++iteration)
    for (std::size_t i = 0; i < 3; ++i) {
      const Complex l = root[i];
      root[i] -= (((l + c[2]) * l + c[1]) * l + c[0]) / ((l - root[(i + 1) % 3]) * (l - root[(i + 2) % 3]));
    }
  return root;
}

std::array<std::complex<double>, 6> eigenvalues_of(const Eigen::Matrix<double, 6, 6>& J) {
  const long double a = J(1, 1), k = J(1, 0) + static_cast<long double>(J(1, 4)) * J(4, 1), c = -J(2, 2), d = J(3, 2),
                    f = static_cast<long double>(J(1, 3)) * J(3, 1);
  auto roots = cubic_roots({-k * (c + d) - f * c, -k - a * (c + d) - f, c + d - a});
  const auto largest = [](const auto& x, const auto& y) { return std::abs(x) < std::abs(y); };
  std::iter_swap(std::max_element(roots.begin(), roots.end(), largest), roots.begin() + 2);  // the stiff real one
  std::array<std::complex<double>, 6> all{0, 0, J(5, 5)};
  for (std::size_t i = 0; i < 3; ++i) {
    long double re = roots[i].real(), im = roots[i].imag();
    if (std::abs(im) < 1e-12L * std::abs(re)) im = 0;
    all[i + 3] = {static_cast<double>(re), static_cast<double>(im)};
  }
  if (all[3].imag() != 0) all[4] = std::conj(all[3]);
  std::sort(all.begin(), all.end(),
            [](const auto& x, const auto& y) { return x.real() != y.real() ? x.real() > y.real() : x.imag() > y.imag(); });
  return all;
}

FourBarLinearSample sample(const Problem& problem, double t, const Eigen::VectorXd& y) {
  const Linkage<double> m(y[kAngle]);
  const double sdot = m.s_x * y[kRate];
  return {t,
          y[kAngle],
          y[kRate],
          y[kP1],
          y[kP2],
          y[kP3],
          m.s,
          sdot,
          problem.seal(sdot),
          0.5 * m.mass * square(y[kRate]),
          m.height - Linkage<double>(kStartAngle).height,
          y[kWork]};
}

}  // namespace

FourBarLinear four_bar_linear_reference(double friction) {
  const Problem problem(friction, 0);
  const Eigen::VectorXd start = start_state(problem.circuit);
  FourBarLinear out;
  out.p2 = start[kP2];
  out.p2_printed = printed_pressure(problem.circuit);
  std::array<double, kStates> rate;
  problem(0, start.data(), rate.data());
  for (int i = 0; i < 6; ++i) out.rates[i] = rate[static_cast<std::size_t>(i)];
  constexpr double kStep = 1e-100;
  for (int j = 0; j < 6; ++j) {
    std::array<std::complex<double>, kStates> y, f;
    for (int i = 0; i < kStates; ++i) y[static_cast<std::size_t>(i)] = start[i];
    y[static_cast<std::size_t>(j)] += std::complex<double>(0, kStep);
    problem(0, y.data(), f.data());
    for (int i = 0; i < 6; ++i) out.jacobian(i, j) = f[static_cast<std::size_t>(i)].imag() / kStep;
  }
  out.eigenvalues = eigenvalues_of(out.jacobian);
  return out;
}

std::vector<FourBarLinearSample> four_bar_linear_motion(double friction, double pulse, double t_end, double output_step, double tolerance) {
  Problem problem(friction, pulse);
  OdeSystem ode = make_ode(problem, kStates);
  ode.absolute_tolerance << 1e-13, 1e-15, 1e-6, 1e-6, 1e-6, 1e-12, 1e-10;
  ode.absolute_tolerance *= tolerance;
  ode.relative_tolerance = 1e-11 * tolerance;
  ode.corners = [](const Eigen::VectorXd& y, std::vector<double>& out) {
    out.clear();
    orifice_corners(y[kP1] - y[kP2], out);
  };
  RadauIIA radau(std::move(ode), 0, start_state(problem.circuit), 1e-4);
  std::vector<FourBarLinearSample> samples{sample(problem, 0, radau.state())};
  const long count = std::lround(t_end / output_step), ramp = std::lround(kRampEnd / output_step),
             end = std::lround(kPulseEnd / output_step);
  if (std::abs(static_cast<double>(ramp) * output_step - kRampEnd) > 1e-12 ||
      std::abs(static_cast<double>(end) * output_step - kPulseEnd) > 1e-12)
    throw std::invalid_argument("four_bar_linear_motion: the output step must divide 0.5 s");
  for (long k = 1; k <= count; ++k) {
    problem.phase = k <= ramp ? 0 : k <= end ? 1 : 2;
    const double t = static_cast<double>(k) / std::round(1 / output_step);
    radau.advance_to(t);
    samples.push_back(sample(problem, t, radau.state()));
  }
  return samples;
}

}  // namespace trunnion::problems
