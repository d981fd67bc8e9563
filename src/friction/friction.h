// Seal friction of a cylinder: slip speed (and friction states) -> force (and state rates), one of nine laws.
// Sign: the force is positive with positive slip speed; it opposes the motion.
// Two treatments of the states x of a law: as unknowns of the system (respond), or solved for at the end of a step and eliminated
// (respond_local, static condensation); both give the same solution. Only errors of make_friction allocate.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 3.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/dual.h"
#include "description/description.h"
#include "friction/bengisu_akay.h"
#include "friction/brown_mcphee.h"
#include "friction/coulomb_viscous.h"
#include "friction/lugre.h"
#include "friction/maxwell_slip.h"
#include "friction/modified_lugre.h"
#include "friction/none.h"

namespace trunnion {

using FrictionLaw = std::variant<NoFriction, CoulombViscous, BengisuAkay, BrownMcPhee, LuGre, ModifiedLuGre, MaxwellSlip>;

/// Maximum number of states of a law.
inline constexpr int kMaxFrictionStates = MaxwellSlip::kStates;
using FrictionStateValues = std::array<double, kMaxFrictionStates>;

/// One state of a law, for channels and messages.
struct FrictionStateInfo {
  std::string_view name;  // "bristle", "film", "bristle_1" ...
  std::string_view unit;  // "m", "-"
};

/// Force and state rates of a law with their exact local derivatives. Entries of states the law does not have are not set.
struct FrictionResponse {
  double force = 0;                                            // [N]
  double force_v = 0;                                          // [N s/m] dF/dv
  FrictionStateValues force_x;                                 //         dF/dx_j
  FrictionStateValues rate;                                    //         x_i_dot
  FrictionStateValues rate_v;                                  //         dx_i_dot/dv
  std::array<FrictionStateValues, kMaxFrictionStates> rate_x;  //        dx_i_dot/dx_j, [i][j]
};

/// The law of a description. Throws Error naming the first parameter out of range.
FrictionLaw make_friction(const FrictionDescription& description);
/// Number of states of one law: fixed, or that of its elements.
template <class Law>
constexpr int states_of(const Law& law) {
  if constexpr (requires { law.states(); })
    return law.states();
  else
    return Law::kStates;
}
/// Number of states of a law: 0, 1 (bristle), 2 (bristle, film), or one per element.
int friction_states(const FrictionLaw& law);
/// Names and units of the states, in the order of x.
std::span<const FrictionStateInfo> friction_state_info(const FrictionLaw& law);
/// Energy stored in the bristles [J]; x has friction_states(law) entries.
double friction_stored_energy(const FrictionLaw& law, const double* x);
/// Power turned into heat [W]: force times speed less the rate of the stored energy.
double friction_dissipated_power(const FrictionLaw& law, double v, const double* x);
/// States of steady sliding at v; zero at rest and for laws without states.
FrictionStateValues friction_steady_states(const FrictionLaw& law, double v);
/// Force [N] of steady sliding at v, the Stribeck curve of every law; 0 at rest.
double friction_steady_force(const FrictionLaw& law, double v);

/// Force [N] of one law; writes the state rates. x and rate have states_of(law) entries. Any scalar.
template <class Law, class S>
requires(!std::is_same_v<Law, FrictionLaw>) S force_and_rates(const Law& law, const S& v, const S* x, S* rate) {
  std::array<S, Law::kStates> states{}, rates{};
  for (int i = 0; i < states_of(law); ++i) states[i] = x[i];
  const S force = law.evaluate(v, states, rates);
  for (int i = 0; i < states_of(law); ++i) rate[i] = rates[i];
  return force;
}
template <class S>
S force_and_rates(const FrictionLaw& law, const S& v, const S* x, S* rate) {
  return std::visit([&](const auto& l) { return force_and_rates(l, v, x, rate); }, law);
}

/// Force and rates with all local derivatives, for states that are unknowns of the system.
template <class Law>
void respond(const Law& law, double v, const double* x, FrictionResponse& out) {
  constexpr int n = Law::kStates;
  using S = Dual<1 + n>;
  std::array<S, n> states{}, rates{};
  for (int i = 0; i < n; ++i) states[i] = S::variable(x[i], 1 + i);
  const S force = law.evaluate(S::variable(v, 0), states, rates);
  out.force = force.value;
  out.force_v = force.d[0];
  for (int i = 0; i < n; ++i) {
    out.force_x[i] = force.d[1 + i];
    out.rate[i] = rates[i].value;
    out.rate_v[i] = rates[i].d[0];
    for (int j = 0; j < n; ++j) out.rate_x[i][j] = rates[i].d[1 + j];
  }
}
/// Modified LuGre by hand: only the slip speed enters through functions, so one derivative is propagated and those in q and h follow
/// from g_h = -F_s exp(-(|v| / v_s)^n). Same numbers as the template to rounding, half its time.
inline void respond(const ModifiedLuGre& law, double v, const double* x, FrictionResponse& out) {
  using S = Dual<1>;
  const S speed = S::variable(v, 0);
  const S h_ss = law.steady_film(speed);
  const double film = law.film_rate(v, x[1], h_ss.value);
  const S fall = law.bristle.stribeck_decay(speed);
  const S g = law.slip_force(S(x[1]), fall);
  const double g_h = law.slip_force_h(x[1], fall.value);
  const S slip = law.bristle.slip_rate(speed, g);
  const double slip_h = -slip.value * g_h / g.value;
  const S q_dot = speed - slip * x[0];
  const S force = law.bristle.force(speed, S(x[0]), q_dot);
  const double force_q_dot = law.bristle.damping_at(v);
  out.force = force.value;
  out.force_v = force.d[0];
  const auto set = [](FrictionStateValues& row, double first, double second) {
    row[0] = first;
    row[1] = second;
  };
  set(out.force_x, law.bristle.stiffness - force_q_dot * slip.value, -force_q_dot * slip_h * x[0]);
  set(out.rate, q_dot.value, film * (h_ss.value - x[1]));
  set(out.rate_v, q_dot.d[0], film * h_ss.d[0]);
  set(out.rate_x[0], -slip.value, -slip_h * x[0]);
  set(out.rate_x[1], 0, -film);
}
/// Maxwell slip by hand: an element's force and rate depend on its own deflection only, by its stiffness while it holds.
void respond(const MaxwellSlip& law, double v, const double* x, FrictionResponse& out);
inline void respond(const FrictionLaw& law, double v, const double* x, FrictionResponse& out) {
  std::visit([&](const auto& l) { respond(l, v, x, out); }, law);
}

/// The states at the end of a step, x = x_n + share (offset + rate(v, x)), solved exactly for given end speed v [m/s] and eliminated; of
/// the trapezoidal rule share is h/2 [s] and offset rate_n. Writes x and out: force, force_v = dF/dv with dx/dv included, rate and rate_v
/// likewise at the solution; force_x and rate_x are not set. x_n, offset and x have friction_states(law) entries; x may be x_n.
template <class Law>
void respond_local(const Law& law, double v, double share, const double* x_n, const double* offset, double* x, FrictionResponse& out) {
  constexpr int n = Law::kStates;
  using S = Dual<1>;
  std::array<S, n> states{}, rates{};
  S force;
  if constexpr (n == 0) {
    force = law.evaluate(S::variable(v, 0), states, rates);
  } else {
    std::array<double, n> base{};
    for (int i = 0; i < states_of(law); ++i) base[i] = x_n[i] + share * offset[i];
    force = law.evaluate_step(S::variable(v, 0), share, base, states, rates);
  }
  out.force = force.value;
  out.force_v = force.d[0];
  for (int i = 0; i < states_of(law); ++i) {
    x[i] = states[i].value;
    out.rate[i] = rates[i].value;
    out.rate_v[i] = rates[i].d[0];
  }
}
inline void respond_local(const FrictionLaw& law, double v, double share, const double* x_n, const double* offset, double* x,
                          FrictionResponse& out) {
  std::visit([&](const auto& l) { respond_local(l, v, share, x_n, offset, x, out); }, law);
}

}  // namespace trunnion
