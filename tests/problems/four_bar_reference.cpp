// The four-bar of the friction comparison in one coordinate: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/four_bar_reference.h"

#include <cmath>

#include "problems/hydraulics_reference.h"
#include "problems/radau_iia.h"

namespace trunnion::problems {
namespace {

// mechanism: slender rods
constexpr double kGravity = 9.81;
constexpr double kL1 = 2, kL2 = 8, kL3 = 5, kM1 = 16, kM2 = 64, kM3 = 40, kGround = 10;
const double kStartAngle = std::acos(-1.0) / 3;
// oil
constexpr double kStartRodSide = 3.5e6;
constexpr double kSpoolTime = 4.547284088339867e-3;
// seals
constexpr double kCoulomb = 210, kStatic = 830, kStribeck = 1.25e-2, kViscous = 330, kDecay = 80;
constexpr double kBristleStiffness = 5.77e6, kBristleDamping = 2.28e4;
constexpr double kFilmVelocity = 0.032, kFilmUp = 0.05, kFilmDown = 0.2, kFilmDwell = 20;
constexpr double kDwellVelocity = 1e-9;  // [m/s] at rest below

// states: angle, rate, p1, p2, p3, bristle, film, works of pressure and friction
enum { kAngle, kRate, kP1, kP2, kP3, kBristle, kFilm, kPressureWork, kFrictionWork, kStates };

/// Quantities of the mechanism that depend on the crank angle.
template <class S>
struct Mechanism {
  S phi2, phi3;        // absolute angles of coupler and rocker
  S k2, k3;            // their derivatives with respect to the crank angle
  S mass, mass_x;      // m, m'
  S height, height_x;  // V, V'
  S s, s_x;            // cylinder length and derivative

  explicit Mechanism(const S& x) {
    using std::acos, std::atan2, std::cos, std::sin, std::sqrt;
    // triangle crank tip - rocker tip - E: law of cosines at the crank tip, coupler above the diagonal
    const S dx = kGround - kL1 * cos(x), dy = -kL1 * sin(x), d2 = dx * dx + dy * dy;
    const S opening = acos((d2 + (kL2 * kL2 - kL3 * kL3)) / (2 * kL2 * sqrt(d2)));
    phi2 = atan2(dy, dx) + opening;
    phi3 = atan2(dy - kL2 * sin(phi2), dx - kL2 * cos(phi2));
    // first and second derivative of the loop, projected on the normals of rocker and coupler
    k2 = -kL1 * sin(x - phi3) / (kL2 * sin(phi2 - phi3));
    k3 = -kL1 * sin(x - phi2) / (kL3 * sin(phi3 - phi2));
    const S c23 = cos(phi2 - phi3), s23 = sin(phi2 - phi3);
    const S k2_x = -(kL1 * cos(x - phi3) + kL2 * k2 * k2 * c23 + kL3 * k3 * k3) / (kL2 * s23);
    const S k3_x = (kL1 * cos(x - phi2) + kL2 * k2 * k2 + kL3 * k3 * k3 * c23) / (kL3 * s23);
    // crank about O, coupler by the velocity of its centre, rocker about E
    const S c12 = cos(x - phi2), s12 = sin(x - phi2);
    mass = kM1 * kL1 * kL1 / 3 + kM2 * (kL1 * kL1 + kL1 * kL2 * k2 * c12 + kL2 * kL2 / 3 * k2 * k2) + kM3 * kL3 * kL3 / 3 * k3 * k3;
    mass_x = kM2 * (kL1 * kL2 * (k2_x * c12 - k2 * s12 * (1 - k2)) + 2 * kL2 * kL2 / 3 * k2 * k2_x) + 2 * kM3 * kL3 * kL3 / 3 * k3 * k3_x;
    height = kGravity * ((kM1 / 2 + kM2) * kL1 * sin(x) + kM2 * kL2 / 2 * sin(phi2) - kM3 * kL3 / 2 * sin(phi3));
    height_x = kGravity * ((kM1 / 2 + kM2) * kL1 * cos(x) + kM2 * kL2 / 2 * cos(phi2) * k2 - kM3 * kL3 / 2 * cos(phi3) * k3);
    s = 2.0 * cos(0.5 * x);
    s_x = -sin(0.5 * x);
  }
};

struct Problem {
  FrictionName friction;
  CircuitReference circuit = paper_circuit(std::sqrt(3.0) - 1, 2 - std::sqrt(3.0), std::sqrt(3.0));
  LaggedSignal spool{{{0, 0}, {1, 0}, {1, 10}, {2.5, 10}, {2.5, 0}, {5, 0}, {5, -10}, {8, -10}, {8, 0}}, kSpoolTime};
  bool dwell = true;  // modified LuGre at rest; changes between steps only

  /// Friction force and the rates of bristle and film.
  template <class S>
  S seal(const S& v, const S& bristle, const S& film, S& bristle_rate, S& film_rate) const {
    using std::exp;
    const double sign = value_of(v) < 0 ? -1 : 1;
    const S speed = sign * v;
    bristle_rate = film_rate = S(0.0);
    switch (friction) {
      case FrictionName::bengisu_akay:  // viscous term in both branches
        if (value_of(speed) < kStribeck) {
          const S x = speed / S(kStribeck) - S(1.0);
          return sign * kStatic * (1 - x * x) + kViscous * v;
        }
        return sign * (kCoulomb + (kStatic - kCoulomb) * exp(-kDecay * (speed - kStribeck))) + kViscous * v;
      case FrictionName::brown_mcphee:
        return BrownMcPheeReference{kCoulomb, kStatic, kStribeck, kViscous}(v);
      case FrictionName::lugre:
      case FrictionName::modified_lugre:
        break;
    }
    const S x = v / S(kStribeck);
    S level = kStatic;
    if (friction == FrictionName::modified_lugre) {
      level = (1 - film) * kStatic;
      const S steady = film_steady(speed);
      film_rate = (steady - film) / S(dwell ? kFilmDwell : value_of(film) <= value_of(steady) ? kFilmUp : kFilmDown);
    }
    const S g = kCoulomb + (level - kCoulomb) * exp(-x * x);
    bristle_rate = v - kBristleStiffness * speed / g * bristle;
    return kBristleStiffness * bristle + kBristleDamping * bristle_rate + kViscous * v;
  }

  /// (1 - F_c/F_s) (|v|/v_b)^(2/3), constant above v_b.
  static double film_steady(double speed) {
    return (1 - kCoulomb / kStatic) * std::pow(std::min(speed, kFilmVelocity) / kFilmVelocity, 2.0 / 3);
  }
  /// Its slope is bounded near rest; this affects the iteration matrix only.
  static Slope film_steady(const Slope& speed) {
    const double bounded = std::max(speed.value, 1e-6);
    return {film_steady(speed.value), speed.value > kFilmVelocity ? 0 : 2.0 / 3 * film_steady(bounded) / bounded * speed.slope};
  }

  template <class S>
  void operator()(double t, const S* y, S* f) const {
    const Mechanism<S> m(y[kAngle]);
    const S sdot = m.s_x * y[kRate];
    const S seal_force = seal(sdot, y[kBristle], y[kFilm], f[kBristle], f[kFilm]);
    const S oil_force = circuit.area_a * y[kP2] - circuit.area_b * y[kP3];
    f[kAngle] = y[kRate];
    f[kRate] = (-0.5 * m.mass_x * y[kRate] * y[kRate] - m.height_x + m.s_x * (oil_force - seal_force)) / m.mass;
    circuit.rates(spool(t), y + kP1, m.s, sdot, f + kP1);
    f[kPressureWork] = oil_force * sdot;
    f[kFrictionWork] = seal_force * sdot;
  }
};

Eigen::VectorXd start_state(const CircuitReference& circuit) {
  const Mechanism<double> m(kStartAngle);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(kStates);
  y[kAngle] = kStartAngle;
  y[kP3] = kStartRodSide;
  y[kP1] = y[kP2] = (m.height_x / m.s_x + circuit.area_b * kStartRodSide) / circuit.area_a;  // virtual work at rest
  return y;
}

OdeSystem four_bar_system(Problem& problem, double tolerance) {
  OdeSystem ode = make_ode(problem, kStates);
  ode.absolute_tolerance << 1e-12, 1e-15, 1e-5, 1e-5, 1e-5, 1e-17, 1e-12, 1e-9, 1e-9;
  ode.absolute_tolerance *= tolerance;
  ode.relative_tolerance = 1e-11 * tolerance;
  ode.corners = [&problem](const Eigen::VectorXd& y, std::vector<double>& out) {
    out.clear();
    problem.circuit.corners(y.data() + kP1, out);
    if (problem.friction == FrictionName::brown_mcphee) return;
    const double v = Mechanism<double>(y[kAngle]).s_x * y[kRate];
    out.push_back(v);
    if (problem.friction == FrictionName::bengisu_akay) out.push_back(std::abs(v) - kStribeck);
    if (problem.friction != FrictionName::modified_lugre) return;
    out.push_back(std::abs(v) - kFilmVelocity);
    out.push_back(y[kFilm] - Problem::film_steady(std::abs(v)));
  };
  if (problem.friction == FrictionName::modified_lugre) {
    ode.jumps = [](const Eigen::VectorXd& y, std::vector<double>& out) {
      const double v = Mechanism<double>(y[kAngle]).s_x * y[kRate];
      out = {v - kDwellVelocity, v + kDwellVelocity};
    };
    ode.at_jump = [&problem](const Eigen::VectorXd& y) {
      const double v = Mechanism<double>(y[kAngle]).s_x * y[kRate];
      problem.dwell = v - kDwellVelocity <= 0 && v + kDwellVelocity > 0;  // by the signs of the two values above
    };
  }
  return ode;
}

FourBarSample sample(const Problem& problem, double t, const Eigen::VectorXd& y) {
  const Mechanism<double> m(y[kAngle]);
  FourBarSample out{};
  out.t = t;
  out.z1 = y[kAngle];
  out.z2 = m.phi2 - y[kAngle];
  out.z3 = m.phi3 - m.phi2;
  out.rate1 = y[kRate];
  out.rate2 = (m.k2 - 1) * y[kRate];
  out.rate3 = (m.k3 - m.k2) * y[kRate];
  out.p1 = y[kP1];
  out.p2 = y[kP2];
  out.p3 = y[kP3];
  out.spool = problem.spool(t);
  out.s = m.s;
  out.sdot = m.s_x * y[kRate];
  double bristle_rate, film_rate;
  out.friction = problem.seal(out.sdot, y[kBristle], y[kFilm], bristle_rate, film_rate);
  out.force = problem.circuit.area_a * y[kP2] - problem.circuit.area_b * y[kP3] - out.friction;
  out.bristle = y[kBristle];
  out.film = y[kFilm];
  out.kinetic = 0.5 * m.mass * y[kRate] * y[kRate];
  out.potential = m.height - Mechanism<double>(kStartAngle).height;
  out.pressure_work = y[kPressureWork];
  out.friction_work = y[kFrictionWork];
  return out;
}

}  // namespace

const char* name_of(FrictionName friction) {
  switch (friction) {
    case FrictionName::bengisu_akay:
      return "bengisu_akay";
    case FrictionName::brown_mcphee:
      return "brown_mcphee";
    case FrictionName::lugre:
      return "lugre";
    case FrictionName::modified_lugre:
      return "modified_lugre";
  }
  return "";
}

std::vector<FourBarSample> four_bar_reference(FrictionName friction, double t_end, double output_step, double tolerance) {
  Problem problem{friction};
  RadauIIA radau(four_bar_system(problem, tolerance), 0, start_state(problem.circuit), 1e-4);
  std::vector<FourBarSample> samples;
  // signal jumps coincide with output times if these divide 0.5 s
  radau.record_to(t_end, output_step, [&](double t) { samples.push_back(sample(problem, t, radau.state())); });
  return samples;
}

}  // namespace trunnion::problems
