// Original quasistatic relations by nested bracketing: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/quasistatic_reference.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>
#include <stdexcept>

namespace trunnion::problems {
namespace {

using Real = long double;

/// The x with g(x) in N_[lo, hi](x) of a decreasing g: an end if g does not change sign, otherwise the zero to the last digits.
/// Chandrupatla's method: inverse quadratic interpolation where it is safe, bisection elsewhere.
template <class G>
Real complementary(const G& g, Real lo, Real hi) {
  if (!(hi > lo)) return lo;
  const Real at_lo = g(lo);
  if (at_lo <= 0) return lo;
  const Real at_hi = g(hi);
  if (at_hi >= 0) return hi;
  constexpr Real kDigits = 2 * std::numeric_limits<Real>::epsilon();
  const Real nothing = hi * 1e-60L;
  constexpr int kMost = 1000;  // bisections to zero are 200
  Real a = hi, b = lo, c = hi, fa = at_hi, fb = at_lo, fc = at_hi, t = 0.5L;
  for (int i = 0; i < kMost; ++i) {
    const Real x = a + t * (b - a), fx = g(x);
    if ((fx > 0) == (fa > 0)) {
      c = a, fc = fa;
    } else {
      c = b, fc = fb, b = a, fb = fa;
    }
    a = x, fa = fx;
    const bool a_is_best = std::abs(fa) < std::abs(fb);
    const Real best = a_is_best ? a : b;
    if (fa == 0) return a;
    const Real closest = (kDigits * std::abs(best) + nothing) / std::abs(b - a);
    if (closest > 0.5L) return best;
    const Real xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    t = 0.5L;
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
      t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
    t = std::min(std::max(t, closest), 1 - closest);
  }
  throw std::runtime_error("the quasistatic reference did not close a bracket");
}

Real root_of_positive(Real x) { return x > 0 ? std::sqrt(x) : Real(0); }

/// An actuator as a chamber that the pump may feed and one that may drain, and the piston's speed towards the latter,
/// w = speed + compliance (A_s P_s - A_d P_d).
struct Circuit {
  Real A_s, limit_s, inlet;   // supplied chamber, conductance from the pump
  Real A_d, limit_d, outlet;  // drained chamber, conductance to the tank
  Real link;                  // conductance of the check valve from the drained to the supplied chamber
  bool extends;               // the supplied chamber is the head's
  Real speed, compliance;

  Real w(Real P_s, Real P_d) const { return speed + compliance * (A_s * P_s - A_d * P_d); }
};

/// With velocity v + compliance f.
Circuit circuit_of(const ActuatorReference& k, Real v, Real compliance) {
  for (double c : {k.ph, k.tr, k.pr, k.th, k.a})
    if (!(c >= 0)) throw std::invalid_argument("conductances are not negative");
  const bool out = k.ph > 0 || k.tr > 0, in = k.pr > 0 || k.th > 0;
  if (out && in) throw std::invalid_argument("valves for both directions are open");
  if (k.a > 0 && !out) throw std::invalid_argument("the regeneration valve is open without a valve for extending");
  if (in) return {k.A_r, k.P_rM, k.pr, k.A_h, k.P_hM, k.th, 0, false, -v, compliance};
  return {k.A_h, k.P_hM, k.ph, k.A_r, k.P_rM, k.tr, k.a, true, v, compliance};
}

struct Drained {
  Real P, Q_link;
};

/// The drained chamber for a pressure of the supplied one. Above that pressure the unknown is y = sqrt(P - P_s), below z = sqrt(P).
Drained drained_chamber(const Circuit& k, Real P_s) {
  const auto surplus = [&](Real P, Real root_P, Real y) { return k.A_d * k.w(P_s, P) - k.outlet * root_P - k.link * y; };
  if (P_s < k.limit_d && surplus(P_s, std::sqrt(P_s), 0) > 0) {
    const auto g = [&](Real y) { return surplus(P_s + y * y, std::sqrt(P_s + y * y), y); };
    const Real y = complementary(g, 0, std::sqrt(k.limit_d - P_s));
    return {P_s + y * y, k.link * y};
  }
  const Real z = complementary([&](Real r) { return surplus(r * r, r, 0); }, 0, std::sqrt(k.limit_d));
  return {z * z, 0};
}

struct Supply {
  Real P, Q_p;
};

/// A pump that feeds one valve with the pressure P_s behind it.
struct PumpSupply {
  const PumpReference& pump;
  Supply operator()(Real inlet, Real P_s) const {
    const Real Q = pump.Q, P_M = pump.P_M, bleed = pump.bleed;
    const auto surplus = [&](Real root_P, Real y) { return Q - bleed * root_P - inlet * y; };
    if (P_s < P_M && surplus(std::sqrt(P_s), 0) > 0) {
      const auto g = [&](Real y) { return surplus(std::sqrt(P_s + y * y), y); };
      const Real y = complementary(g, 0, std::sqrt(P_M - P_s));
      return {P_s + y * y, inlet * y};
    }
    const Real z = complementary([&](Real r) { return surplus(r, 0); }, 0, std::sqrt(P_M));
    return {z * z, 0};
  }
};

struct HeldPressure {
  Real P;
  Supply operator()(Real inlet, Real P_s) const { return {P, inlet * root_of_positive(P - P_s)}; }
};

struct Solution {
  Real v, f, P, P_h, P_r, Q_p, Q_a;
  QuasistaticState rounded() const { return {double(v), double(f), double(P), double(P_h), double(P_r), double(Q_p), double(Q_a)}; }
};

template <class S>
Solution solve(const Circuit& k, const S& supply) {
  const auto surplus = [&](Real P_s) {
    const Drained d = drained_chamber(k, P_s);
    return supply(k.inlet, P_s).Q_p + d.Q_link - k.A_s * k.w(P_s, d.P);
  };
  const Real P_s = complementary(surplus, 0, k.limit_s);
  const Drained d = drained_chamber(k, P_s);
  const Supply u = supply(k.inlet, P_s);
  const Real w = k.w(P_s, d.P);
  // Between the chamber's limits its balance gives the inflow, within the orifice flow at these pressures up to their last digits.
  Real Q_p = u.Q_p;
  if (P_s > 0 && P_s < k.limit_s) {
    const Real drop = u.P - P_s, digit = 4 * std::numeric_limits<Real>::epsilon() * std::max(u.P, P_s);
    Q_p = std::clamp(k.A_s * w - d.Q_link, k.inlet * root_of_positive(drop - digit), k.inlet * root_of_positive(drop + digit));
  }
  const Real F_s = k.A_s * P_s, F_d = k.A_d * d.P;
  return {k.extends ? w : -w, k.extends ? F_s - F_d : F_d - F_s, u.P, k.extends ? P_s : d.P, k.extends ? d.P : P_s, Q_p, d.Q_link};
}

constexpr Real kStill = 1e-22L;  // [m/s]; pressure drops at this speed are below the last digit of any pressure

template <class S>
GammaReference gamma(const ActuatorReference& actuator, const S& supply, double v, double slack) {
  const Real step = v != 0 ? std::abs(Real(v)) * slack : kStill;
  const Solution right = solve(circuit_of(actuator, v + step, 0), supply);
  const Solution left = solve(circuit_of(actuator, v - step, 0), supply);
  return {double(right.f), double(left.f), right.rounded(), left.rounded()};
}

Circuit relaxed(const ActuatorReference& actuator, double beta, double fbar) {
  if (!(beta > 0)) throw std::invalid_argument("beta is positive");
  return circuit_of(actuator, -Real(fbar) / beta, 1 / Real(beta));
}

/// The pump's pressure with several circuits: root of P as unknown.
Real shared_pressure(const std::vector<Circuit>& circuits, const PumpReference& pump, Real Q) {
  const auto surplus = [&](Real z) {
    Real rest = Q - pump.bleed * z;
    for (const Circuit& k : circuits) rest -= solve(k, HeldPressure{z * z}).Q_p;
    return rest;
  };
  const Real z_M = std::sqrt(Real(pump.P_M)), z = complementary(surplus, 0, z_M);
  return z < z_M ? z * z : Real(pump.P_M);
}

}  // namespace

double paper_conductance() { return 0.6 * 1e-4 * std::sqrt(2 / 850.0); }

ActuatorReference paper_actuator(double command, double regeneration) {
  const double c = paper_conductance(), out = c * std::max(command, 0.0), in = c * std::max(-command, 0.0);
  return {0.024, 0.012, 42e6, 40e6, out, out, in, in, c * regeneration};
}

PumpReference paper_pump(double bleed) { return {500 / 60000.0, 36e6, paper_conductance() * bleed}; }

GammaReference reference_gamma(const ActuatorReference& actuator, const PumpReference& pump, double v, double slack) {
  return gamma(actuator, PumpSupply{pump}, v, slack);
}

GammaReference reference_gamma_at_pressure(const ActuatorReference& actuator, double P, double v, double slack) {
  return gamma(actuator, HeldPressure{P}, v, slack);
}

Interval reference_pressure(const std::vector<ActuatorReference>& actuators, const PumpReference& pump, const std::vector<double>& v,
                            double slack) {
  std::vector<Circuit> circuits;
  for (std::size_t i = 0; i < actuators.size(); ++i) circuits.push_back(circuit_of(actuators[i], v[i], 0));
  const Real Q = pump.Q;
  return {double(shared_pressure(circuits, pump, Q * (1 - slack))), double(shared_pressure(circuits, pump, Q * (1 + slack)))};
}

QuasistaticState reference_lambda(const ActuatorReference& actuator, const PumpReference& pump, double beta, double fbar) {
  return solve(relaxed(actuator, beta, fbar), PumpSupply{pump}).rounded();
}

std::vector<QuasistaticState> reference_lambda(const std::vector<ActuatorReference>& actuators, const PumpReference& pump,
                                               const std::vector<double>& beta, const std::vector<double>& fbar) {
  std::vector<Circuit> circuits;
  for (std::size_t i = 0; i < actuators.size(); ++i) circuits.push_back(relaxed(actuators[i], beta[i], fbar[i]));
  const Real P = shared_pressure(circuits, pump, pump.Q);
  std::vector<QuasistaticState> states;
  for (const Circuit& k : circuits) states.push_back(solve(k, HeldPressure{P}).rounded());
  return states;
}

// ---------------------------------------------------------------- random cases

namespace {

class QuasistaticDraw {
 public:
  explicit QuasistaticDraw(unsigned seed) : bits_(seed * 2654435761u + 1) {}

  double uniform(double lo, double hi) { return lo + (hi - lo) * (double(bits_() >> 11) * 0x1p-53); }
  double spread(double centre, double factor) { return centre * std::pow(factor, uniform(-1, 1)); }
  bool chance(double p) { return uniform(0, 1) < p; }
  /// Index drawn with these weights.
  std::size_t among(std::initializer_list<double> weights) {
    double sum = 0;
    for (double w : weights) sum += w;
    double rest = uniform(0, sum);
    std::size_t i = 0;
    for (double w : weights) {
      if (rest < w) return i;
      rest -= w, ++i;
    }
    return weights.size() - 1;
  }
  /// Conductance of a valve: closed, fully open, nearly closed, or between.
  double valve(double closed) {
    if (chance(closed)) return 0;
    const double c = spread(paper_conductance(), 1.5);
    switch (among({0.35, 0.04, 0.65})) {
      case 0:
        return c;
      case 1:
        return c * spread(1e-7, 10);
      default:
        return c * std::pow(10, uniform(-2.5, 0));
    }
  }

 private:
  std::mt19937_64 bits_;
};

ActuatorReference random_actuator(QuasistaticDraw& draw) {
  ActuatorReference k;
  k.A_h = draw.spread(0.024, 3);
  switch (draw.among({0.45, 0.3, 0.1, 0.15})) {
    case 0:  // an asymmetric cylinder
      k.A_r = k.A_h * draw.uniform(0.3, 0.95);
      break;
    case 1:
      k.A_r = k.A_h * draw.uniform(1.05, 2.5);
      break;
    case 2:
      k.A_r = k.A_h;
      break;
    default:
      k.A_r = draw.spread(0.012, 4);
  }
  k.P_hM = draw.spread(42e6, 2);
  k.P_rM = draw.chance(0.1) ? k.P_hM : draw.spread(40e6, 2);
  constexpr double kShutOpening = 0.3;
  switch (draw.among({0.15, 0.5, 0.35})) {
    case 0:
      break;
    case 1:
      while (k.ph == 0 && k.tr == 0) k.ph = draw.valve(kShutOpening), k.tr = draw.valve(kShutOpening);
      k.a = draw.valve(0.4);
      break;
    default:
      while (k.pr == 0 && k.th == 0) k.pr = draw.valve(kShutOpening), k.th = draw.valve(kShutOpening);
  }
  return k;
}

double random_velocity(QuasistaticDraw& draw, const ActuatorReference& k, const PumpReference& pump) {
  const double full = pump.Q / (k.pr > 0 || k.th > 0 ? k.A_r : k.A_h), sign = k.pr > 0 || k.th > 0 ? -1 : 1;
  switch (draw.among({0.12, pump.bleed == 0 ? 0.3 : 0.05, 0.08, 0.4, 0.3})) {
    case 0:
      return 0;
    case 1:
      return sign * full;
    case 2:
      return (draw.chance(0.5) ? 1 : -1) * full * std::pow(10, draw.uniform(-18, -4));
    case 3:  // where the pump feeds the actuator
      return sign * full * draw.uniform(0, 1.5);
    default:
      return (draw.chance(0.5) ? 1 : -1) * full * std::pow(10, draw.uniform(-3, 1));
  }
}

double random_relaxed_force(QuasistaticDraw& draw, const ActuatorReference& k, double beta, double v) {
  const double F_hM = k.A_h * k.P_hM, F_rM = k.A_r * k.P_rM, f = draw.uniform(-F_rM, F_hM);
  switch (draw.among({0.05, 0.05, 0.05, 0.4, 0.45})) {
    case 0:
      return 0;
    case 1:
      return F_hM;
    case 2:
      return -F_rM;
    case 3:
      return 1.5 * f;
    default:  // the velocity is about v
      return f - beta * v;
  }
}

}  // namespace

QuasistaticCase random_case(unsigned seed) {
  QuasistaticDraw draw(seed);
  QuasistaticCase c;
  const std::size_t actuators = 1 + draw.among({0.5, 0.3, 0.2});
  for (std::size_t i = 0; i < actuators; ++i) c.actuators.push_back(random_actuator(draw));
  c.pump.Q = draw.spread(500 / 60000.0, 5);
  c.pump.P_M = draw.chance(0.1) ? c.actuators[0].P_hM : draw.spread(36e6, 2.5);
  c.pump.bleed = draw.valve(0.25);
  for (const ActuatorReference& k : c.actuators) {
    c.v.push_back(random_velocity(draw, k, c.pump));
    c.beta.push_back(draw.spread(2.55e6, 300));
    c.fbar.push_back(random_relaxed_force(draw, k, c.beta.back(), c.v.back()));
  }
  return c;
}

}  // namespace trunnion::problems
