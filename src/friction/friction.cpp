// Friction laws behind one interface: construction, response, states.
// SPDX-License-Identifier: BSD-3-Clause
#include "friction/friction.h"

#include <cmath>
#include <string>

#include "base/diagnostic.h"

namespace trunnion {
namespace {

constexpr FrictionStateInfo kStateInfo[] = {{"bristle", "m"}, {"film", "-"}};
constexpr FrictionStateInfo kElementInfo[kMaxFrictionStates] = {{"bristle_1", "m"}, {"bristle_2", "m"}, {"bristle_3", "m"},
                                                                {"bristle_4", "m"}, {"bristle_5", "m"}, {"bristle_6", "m"},
                                                                {"bristle_7", "m"}, {"bristle_8", "m"}};

/// Throws unless `holds`, which is false for NaN.
void require(bool holds, const char* key, double value, const char* expected) {
  if (!holds) throw Error(std::string("friction: ") + key + " is " + std::to_string(value) + "; expected " + expected);
}
void require_positive(const char* key, double value) { require(value > 0 && std::isfinite(value), key, value, "a number greater than 0"); }
void require_not_negative(const char* key, double value) {
  require(value >= 0 && std::isfinite(value), key, value, "a number not less than 0");
}

void check_sliding(const FrictionDescription& d) {
  require_not_negative("coulomb", d.coulomb);
  require_positive("stribeck_velocity", d.stribeck_velocity);
  require_not_negative("viscous", d.viscous);
}
void check_stribeck(const FrictionDescription& d) {
  check_sliding(d);
  require(d.static_force >= d.coulomb && std::isfinite(d.static_force), "static", d.static_force, "a number not less than coulomb");
}
LuGre make_lugre(const FrictionDescription& d) {
  check_stribeck(d);
  require_positive("coulomb", d.coulomb);
  require_positive("exponent", d.exponent);
  require_positive("bristle_stiffness", d.bristle_stiffness);
  require_not_negative("bristle_damping", d.bristle_damping);
  if (d.bristle_damping_velocity) require_positive("bristle_damping_velocity", *d.bristle_damping_velocity);
  return {d.coulomb, d.static_force,      d.stribeck_velocity, d.exponent,
          d.viscous, d.bristle_stiffness, d.bristle_damping,   d.bristle_damping_velocity};
}
/// Dahl's law with the exponent 1, q_dot = v - sigma0 |v| q / F_c, F = sigma0 q + sigma2 v: LuGre without stiction and bristle damping.
LuGre make_dahl(FrictionDescription d) {
  d.static_force = d.coulomb;
  d.bristle_damping = 0;
  return make_lugre(d);
}
ModifiedLuGre make_modified_lugre(const FrictionDescription& d) {
  require_positive("film_velocity", d.film_velocity);
  require_positive("film_time_up", d.film_time_up);
  require_positive("film_time_down", d.film_time_down);
  require_positive("film_time_dwell", d.film_time_dwell);
  return {make_lugre(d), d.film_velocity, d.film_time_up, d.film_time_down, d.film_time_dwell};
}

/// One viscoelastic element with all of the force and stiffness, or several with the shares given.
MaxwellSlip make_maxwell_slip(const FrictionDescription& d) {
  MaxwellSlip law;
  law.bristle = make_lugre(d);
  require_positive("bristle_damping", d.bristle_damping);
  if (d.model == FrictionKind::set_valued) {
    law.shares[0] = law.parts[0] = 1;
    return law;
  }
  const std::size_t n = d.element_forces.size();
  if (n < 1 || n > law.shares.size()) throw Error("friction: element_forces has " + std::to_string(n) + " entries; expected 1 to 8");
  if (d.element_stiffnesses.size() != n)
    throw Error("friction: element_stiffnesses has " + std::to_string(d.element_stiffnesses.size()) + " entries; expected " +
                std::to_string(n) + ", one for each element");
  const auto share = [](const char* key, const std::vector<double>& weights, std::array<double, MaxwellSlip::kStates>& shares) {
    double sum = 0;
    for (const double w : weights) require_positive(key, w), sum += w;
    require_positive(key, sum);
    for (std::size_t i = 0; i < weights.size(); ++i) shares[i] = weights[i] / sum;
  };
  share("element_forces", d.element_forces, law.shares);
  share("element_stiffnesses", d.element_stiffnesses, law.parts);
  law.elements = static_cast<int>(n);
  return law;
}

/// Copies the states of `Law` from a plain array.
template <class Law>
std::array<double, Law::kStates> state_array(const Law& law, [[maybe_unused]] const double* x) {
  std::array<double, Law::kStates> states{};
  for (int i = 0; i < states_of(law); ++i) states[i] = x[i];
  return states;
}

}  // namespace

FrictionLaw make_friction(const FrictionDescription& d) {
  switch (d.model) {
    case FrictionKind::none:
      return NoFriction{};
    case FrictionKind::coulomb_viscous:
      check_sliding(d);
      return CoulombViscous{d.coulomb, d.stribeck_velocity, d.viscous};
    case FrictionKind::bengisu_akay:
      check_stribeck(d);
      require_not_negative("decay", d.decay);
      return BengisuAkay{d.coulomb, d.static_force, d.stribeck_velocity, d.decay, d.viscous, d.viscous_below_stribeck};
    case FrictionKind::brown_mcphee:
      check_stribeck(d);
      require_not_negative("viscous_factor", d.viscous_factor);
      return BrownMcPhee{d.coulomb, d.static_force, d.stribeck_velocity, d.viscous, d.viscous_factor};
    case FrictionKind::lugre:
      return make_lugre(d);
    case FrictionKind::modified_lugre:
      return make_modified_lugre(d);
    case FrictionKind::dahl:
      return make_dahl(d);
    case FrictionKind::set_valued:
    case FrictionKind::maxwell_slip:
      return make_maxwell_slip(d);
  }
  throw Error("friction: unknown model");
}

void respond(const MaxwellSlip& law, double v, const double* x, FrictionResponse& out) {
  using S = Dual<1>;
  const S speed = S::variable(v, 0), g = law.bristle.slip_force(speed);
  std::array<S, MaxwellSlip::kStates> states{}, rates{};
  for (int i = 0; i < law.elements; ++i) states[i] = x[i];
  const S force = law.evaluate(speed, states, rates);
  out.force = force.value;
  out.force_v = force.d[0];
  for (int i = 0; i < law.elements; ++i) {
    const double k = law.stiffness(i), b = law.damping(i);
    const auto slips = law.slips(i, k * x[i] + b * v, g.value);
    out.force_x[i] = select(slips, 0, k);
    out.rate[i] = rates[i].value;
    out.rate_v[i] = rates[i].d[0];
    for (int j = 0; j < law.elements; ++j) out.rate_x[i][j] = 0;
    out.rate_x[i][i] = select(slips, -k / b, 0);
  }
}

int friction_states(const FrictionLaw& law) {
  return std::visit([](const auto& l) { return states_of(l); }, law);
}

std::span<const FrictionStateInfo> friction_state_info(const FrictionLaw& law) {
  const auto n = static_cast<std::size_t>(friction_states(law));
  return {n > 1 && std::holds_alternative<MaxwellSlip>(law) ? kElementInfo : kStateInfo, n};
}

double friction_stored_energy(const FrictionLaw& law, const double* x) {
  return std::visit(
      [&](const auto& l) -> double {
        if constexpr (std::decay_t<decltype(l)>::kStates == 0)
          return 0;
        else
          return l.stored_energy(state_array(l, x));
      },
      law);
}

double friction_dissipated_power(const FrictionLaw& law, double v, const double* x) {
  double rate[kMaxFrictionStates] = {};
  const double force = force_and_rates(law, v, x, rate);
  const double stored_rate = std::visit(
      [&](const auto& l) -> double {
        if constexpr (std::decay_t<decltype(l)>::kStates == 0) {
          return 0;
        } else {
          using S = Dual<1>;
          std::array<S, std::decay_t<decltype(l)>::kStates> states{};  // the direction of motion
          for (int i = 0; i < states_of(l); ++i) {
            states[i] = x[i];
            states[i].d[0] = rate[i];
          }
          return l.stored_energy(states).d[0];
        }
      },
      law);
  return force * v - stored_rate;
}

FrictionStateValues friction_steady_states(const FrictionLaw& law, double v) {
  FrictionStateValues states{};
  std::visit(
      [&](const auto& l) {
        if constexpr (std::decay_t<decltype(l)>::kStates > 0) {
          const auto steady = l.steady_state(v);
          for (std::size_t i = 0; i < steady.size(); ++i) states[i] = steady[i];
        }
      },
      law);
  return states;
}

double friction_steady_force(const FrictionLaw& law, double v) {
  const FrictionStateValues states = friction_steady_states(law, v);
  FrictionStateValues rate;
  return force_and_rates(law, v, states.data(), rate.data());
}

}  // namespace trunnion
