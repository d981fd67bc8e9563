// The linearised four-bar in one coordinate: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/four_bar_linear_reference.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "problems/radau_iia.h"

namespace trunnion::problems {
namespace {

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

/// Quantities of the mechanism that depend on the crank angle.
template <class S>
struct Linkage {
  Vector2<S> u2, u3, u4;  // along crank, coupler, rocker
  S mass, mass_x;         // m, m'
  S height, height_x;     // V, V'
  S s, s_x;               // cylinder length and its derivative

  template <class P>
  Linkage(const FourBarLinearMachine<P>& k, const S& x) {
    using std::cos, std::sin, std::sqrt;
    const P &L2 = k.crank_end, &L3 = k.coupler_end, &L4 = k.rocker_end;
    u2 = {cos(x), sin(x)};
    // the coupler's end is on circles about the crank's tip and about the rocker's pivot, above the line between them
    const Vector2<S> r{k.ground_end - L2 * u2.x, -L2 * u2.y};
    const S d2 = dot(r, r), along = ((L3 * L3 - L4 * L4) + d2) / (2.0 * d2), across = sqrt(L3 * L3 / d2 - along * along);
    u3 = {(along * r.x - across * r.y) / L3, (along * r.y + across * r.x) / L3};
    u4 = {(r.x - L3 * u3.x) / L4, (r.y - L3 * u3.y) / L4};
    // angular velocities per rate of the crank, and their derivatives, from the loop along rocker and coupler
    const S c23 = dot(u2, u3), s23 = cross(u2, u3), c34 = dot(u3, u4), s34 = cross(u3, u4);
    const S k3 = -L2 * cross(u2, u4) / (L3 * s34), k4 = L2 * s23 / (L4 * s34);
    const S k3_x = (L2 * dot(u2, u4) + L3 * k3 * k3 * c34 + L4 * k4 * k4) / (L3 * s34);
    const S k4_x = -(L2 * c23 + L3 * k3 * k3 + L4 * k4 * k4 * c34) / (L4 * s34);
    // slender rods: crank about its pivot, coupler by its centre, rocker about its pivot on the ground, at `arm` from its centre
    const P arm = L4 - k.rocker_rod / 2, crank = k.crank_mass * k.crank_rod * k.crank_rod / 3,
            coupler = k.coupler_mass * k.coupler_rod * k.coupler_rod / 3, mixed = k.coupler_mass * L2 * k.coupler_rod,
            rocker = k.rocker_mass * (k.rocker_rod * k.rocker_rod / 12 + arm * arm);
    mass = (crank + k.coupler_mass * L2 * L2) + mixed * k3 * c23 + coupler * k3 * k3 + rocker * k4 * k4;
    mass_x = mixed * (k3_x * c23 + k3 * (1.0 - k3) * s23) + 2 * coupler * k3 * k3_x + 2 * rocker * k4 * k4_x;
    const P moment_2 = k.crank_mass * k.crank_rod / 2 + k.coupler_mass * L2, moment_3 = k.coupler_mass * k.coupler_rod / 2,
            moment_4 = k.rocker_mass * arm;
    height = -k.gravity * (moment_2 * u2.y + moment_3 * u3.y - moment_4 * u4.y);
    height_x = -k.gravity * (moment_2 * u2.x + moment_3 * k3 * u3.x - moment_4 * k4 * u4.x);
    const P &b = k.cylinder_base, &e = k.cylinder_end;
    s = sqrt((b * b + e * e) - 2 * b * e * u2.x);
    s_x = b * e * u2.y / s;
  }
};
double square(double x) { return x * x; }

template <class P>
struct Problem {
  FourBarLinearMachine<P> machine;
  CircuitReferenceOf<P> circuit = machine.oil.with(machine.chamber_a, machine.chamber_b, Linkage<P>(machine, machine.angle).s);
  double pulse = 0;
  int phase = 0;  // of the torque: ramp, constant, zero; changes between steps only

  /// (8): without the factor tanh(4) of the friction paper.
  template <class S>
  S seal(const S& v) const {
    return BrownMcPheeReferenceOf<P>{machine.coulomb, machine.static_force, machine.stribeck, machine.viscous / std::tanh(4.0)}(v);
  }

  double torque(double t) const { return pulse * (phase == 0 ? kPulse * t / kRampEnd : phase == 1 ? kPulse : 0); }

  template <class S>
  void operator()(double t, const S* y, S* f) const {
    const Linkage<S> m(machine, y[kAngle]);
    const S sdot = m.s_x * y[kRate];
    const S force = circuit.area_a * y[kP2] - circuit.area_b * y[kP3] - seal(sdot);
    const S spring = machine.spring * (machine.spring_rest - y[kAngle]);
    f[kAngle] = y[kRate];
    f[kRate] = (m.s_x * force - m.height_x - 0.5 * m.mass_x * y[kRate] * y[kRate] + spring + torque(t)) / m.mass;
    circuit.rates(y[kSpool], y + kP1, m.s, sdot, f + kP1);
    f[kSpool] = (machine.spool - y[kSpool]) / machine.spool_time;
    f[kWork] = force * sdot + torque(t) * y[kRate];
  }
};

/// The reference, at rest.
template <class P>
std::array<P, kStates> rest(const Problem<P>& problem, FourBarReference reference) {
  using S = SlopeOf<P>;
  const FourBarLinearMachine<P>& k = problem.machine;
  const CircuitReferenceOf<P>& oil = problem.circuit;
  std::array<P, kStates> y{};
  y[kAngle] = k.angle;
  y[kP1] = k.p1, y[kP2] = k.p2, y[kP3] = k.p3;
  y[kSpool] = k.spool;
  if (reference == FourBarReference::locked) {
    const Linkage<P> m(k, k.angle);
    y[kP1] = y[kP2] = ((m.height_x - k.spring * (k.spring_rest - k.angle)) / m.s_x + oil.area_b * k.p3) / oil.area_a;
  } else if (reference == FourBarReference::free) {
    for (int i = 0; i < 30; ++i) {  // the last ones only for the slopes
      const S x(y[kAngle], 1);
      const Linkage<S> m(k, x);
      const S torque = m.s_x * (oil.area_a * k.p2 - oil.area_b * k.p3) - m.height_x + k.spring * (k.spring_rest - x);
      y[kAngle] = y[kAngle] - torque.value / torque.slope;
    }
  }
  return y;
}

Eigen::VectorXd start_state(const Problem<double>& problem) {
  const auto y = rest(problem, FourBarReference::locked);
  return Eigen::Map<const Eigen::VectorXd>(y.data(), kStates);
}

/// (83), the sign of its last term changed; all angles in the paper's meaning.
double printed_pressure(const Problem<double>& problem) {
  const FourBarLinearMachine<double>& k = problem.machine;
  const Linkage<double> m(k, k.angle);
  const auto angle = [](const Vector2<double>& u) { return std::atan2(u.y, u.x); };
  const double phi2 = k.angle, phi32 = angle(m.u3) - phi2, phi43 = angle(m.u4) - angle(m.u3);
  const double alpha = std::atan2(std::sin(phi2), std::cos(phi2) - 2 * k.cylinder_base / k.crank_end);
  const double m2 = k.crank_mass, m3 = k.coupler_mass, m4 = k.rocker_mass, area_a = problem.circuit.area_a;
  const double scale = -k.gravity / (2 * area_a * std::sin(alpha - phi2) * std::sin(phi43));
  return problem.circuit.area_b / area_a * k.p3 -
         scale * ((m2 + m3) * std::sin(phi2 - phi43) + (m3 + m4) * std::sin(phi2 + 2 * phi32 + phi43)) +
         scale * (m2 + 2 * m3 + m4) * std::sin(phi2 + phi43);
}

using Complex = std::complex<long double>;
using Polynomial = std::vector<Parameter>;  // ascending powers

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  return product;
}
Polynomial operator-(Polynomial a, const Polynomial& b) {
  a.resize(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < b.size(); ++i) a[i] -= b[i];
  return a;
}

/// Roots of a polynomial by the Durand-Kerner iteration, eventually exact to rounding.
std::vector<Complex> roots_of(const Polynomial& polynomial) {
  const std::size_t n = polynomial.size() - 1;
  std::vector<long double> c;
  for (const Parameter& p : polynomial) c.push_back(p.value / polynomial.back().value);
  long double size = 0;
  for (std::size_t k = 0; k < n; ++k) size = std::max(size, std::pow(std::abs(c[k]), 1.0L / static_cast<long double>(n - k)));
  std::vector<Complex> root(n);
  for (std::size_t i = 0; i < n; ++i) root[i] = size * std::pow(Complex(-0.4L, 0.9L), static_cast<long double>(i));
  for (int iteration = 0; iteration < 500; ++iteration)
    for (std::size_t i = 0; i < n; ++i) {
      Complex value = 1, others = 1;
      for (std::size_t k = n; k-- > 0;) value = value * root[i] + c[k];
      for (std::size_t j = 0; j < n; ++j)
        if (j != i) others *= root[i] - root[j];
      root[i] -= value / others;
    }
  return root;
}

/// l_p = -P_p(l) / P_l(l) of a simple root.
Complex derivative_of(const Polynomial& polynomial, const Complex& root) {
  Complex along_p = 0, along_l = 0;
  for (std::size_t k = polynomial.size(); k-- > 0;) {
    along_p = along_p * root + polynomial[k].slope;
    if (k > 0) along_l = along_l * root + static_cast<long double>(k) * polynomial[k].value;
  }
  return -along_p / along_l;
}

/// Characteristic polynomial of all but the spool, without the null eigenvalues that exist for all parameters.
Polynomial characteristic(const std::array<std::array<Parameter, 6>, 6>& J) {
  const Polynomial l_11{-J[2][2], 1}, l_33{-J[4][4], 1};
  const Polynomial oil = l_11 * Polynomial{-J[3][3], 1} - Polynomial{J[2][3] * J[3][2]};
  Polynomial p = (Polynomial{-J[1][0], -J[1][1], 1} * oil - Polynomial{J[1][3]} * Polynomial{J[3][0], J[3][1]} * l_11) * l_33 -
                 Polynomial{J[1][4]} * Polynomial{J[4][0], J[4][1]} * oil;
  while (p.front().value == 0 && p.front().slope == 0) p.erase(p.begin());
  return p;
}

void find_eigenvalues(const std::array<std::array<Parameter, 6>, 6>& J, FourBarLinear& out) {
  const Polynomial p = characteristic(J);
  using Entry = std::array<std::complex<double>, 2>;  // eigenvalue and derivative
  std::vector<Entry> all(7 - p.size(), Entry{});      // null ones
  all[6 - p.size()] = {static_cast<double>(J[5][5].value), static_cast<double>(J[5][5].slope)};
  for (Complex root : roots_of(p)) {
    const bool real = std::abs(root.imag()) < 1e-12L * std::abs(root.real());
    if (real) root = root.real();
    if (!real && root.imag() < 0) continue;
    const Complex change = derivative_of(p, root);
    all.push_back({std::complex<double>(root), std::complex<double>(change)});
    if (!real) all.push_back({std::conj(all.back()[0]), std::conj(all.back()[1])});
  }
  if (all.size() != 6) throw std::logic_error("four_bar_linear_reference: the roots are not in pairs");
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    return a[0].real() != b[0].real() ? a[0].real() > b[0].real() : a[0].imag() > b[0].imag();
  });
  for (std::size_t i = 0; i < 6; ++i) out.eigenvalues[i] = all[i][0], out.derivatives[i] = all[i][1];
}

FourBarLinearSample sample(const Problem<double>& problem, double t, const Eigen::VectorXd& y) {
  const FourBarLinearMachine<double>& k = problem.machine;
  const Linkage<double> m(k, y[kAngle]);
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
          m.height - Linkage<double>(k, k.angle).height,
          y[kWork]};
}

}  // namespace

FourBarLinear four_bar_linear_reference(const FourBarLinearMachine<Parameter>& machine, FourBarReference reference) {
  using S = SlopeOf<Parameter>;
  const Problem<Parameter> problem{machine};
  const std::array<Parameter, kStates> at = rest(problem, reference);
  FourBarLinear out;
  out.angle = value_of(at[kAngle]);
  out.p2 = value_of(at[kP2]);
  std::array<std::array<Parameter, 6>, 6> J;
  for (std::size_t j = 0; j < 6; ++j) {
    std::array<S, kStates> y, f;
    std::copy(at.begin(), at.end(), y.begin());
    y[j].slope = 1;
    problem(0, y.data(), f.data());
    for (std::size_t i = 0; i < 6; ++i) {
      J[i][j] = f[i].slope;
      out.jacobian(static_cast<int>(i), static_cast<int>(j)) = value_of(f[i].slope);
      out.rates[static_cast<int>(i)] = value_of(f[i]);
    }
  }
  find_eigenvalues(J, out);
  return out;
}

FourBarLinear four_bar_linear_reference(double friction) {
  FourBarLinear out = four_bar_linear_reference(four_bar_linear_machine<Parameter>(friction), FourBarReference::locked);
  out.p2_printed = printed_pressure(Problem<double>{four_bar_linear_machine<double>(friction)});
  return out;
}

std::vector<FourBarLinearSample> four_bar_linear_motion(double friction, double pulse, double t_end, double output_step, double tolerance) {
  Problem<double> problem{four_bar_linear_machine<double>(friction)};
  problem.pulse = pulse;
  OdeSystem ode = make_ode(problem, kStates);
  ode.absolute_tolerance << 1e-13, 1e-15, 1e-6, 1e-6, 1e-6, 1e-12, 1e-10;
  ode.absolute_tolerance *= tolerance;
  ode.relative_tolerance = 1e-11 * tolerance;
  ode.corners = [](const Eigen::VectorXd& y, std::vector<double>& out) {
    out.clear();
    orifice_corners(y[kP1] - y[kP2], out);
  };
  RadauIIA radau(std::move(ode), 0, start_state(problem), 1e-4);
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
