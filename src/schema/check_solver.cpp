// Checks of solver choices: which treatments, integrators and couplings go together.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "description/integrators.h"
#include "schema/check.h"
#include "schema/table.h"

namespace trunnion {

namespace {

using Combination = std::array<std::size_t, 3>;  // constraints, integrator, coupling; any coordinates are possible

/// Whether a treatment and an integrator make a monolithic stepper.
constexpr bool fit(ConstraintKind constraints, IntegratorClass integrator) {
  switch (constraints) {
    case ConstraintKind::penalty:
      return integrator == IntegratorClass::implicit;
    case ConstraintKind::double_step:
      return integrator != IntegratorClass::variable_index1;
    case ConstraintKind::baumgarte:
      return integrator != IntegratorClass::variable_ode;
    case ConstraintKind::ali1:
      return integrator == IntegratorClass::explicit_step || integrator == IntegratorClass::variable_ode;
  }
  return false;
}

/// All of them are available for the mechanism of a co-simulation, except the variable-step integrators.
std::vector<Combination> combinations() {
  std::vector<Combination> all;
  for (const CouplingKind coupling : {CouplingKind::monolithic, CouplingKind::cosimulation})
    for (const ConstraintKind constraints :
         {ConstraintKind::penalty, ConstraintKind::double_step, ConstraintKind::baumgarte, ConstraintKind::ali1})
      for (std::size_t i = 0; i < kIntegrators.size(); ++i)
        if (fit(constraints, kIntegrators[i].kind) && (coupling == CouplingKind::monolithic || kIntegrators[i].has_fixed_step()))
          all.push_back({std::size_t(constraints), i, std::size_t(coupling)});
  return all;
}

struct ChoiceName {
  const char* key;
  const std::vector<const char*>& words;
};

std::array<ChoiceName, 3> choice_names() {
  return {{{"constraints", constraint_words()}, {"integrator", integrator_words()}, {"coupling", coupling_words()}}};
}

std::string reason(const SolverDescription& s, std::size_t first_difference) {
  const IntegratorClass kind = integrator_of(s).kind;
  if (s.constraints == ConstraintKind::penalty && kind != IntegratorClass::implicit)
    return "the index-3 penalty formulation solves for positions at the end of a step and provides no accelerations for other integrators";
  if (s.constraints == ConstraintKind::double_step && kind == IntegratorClass::variable_index1)
    return "`ida` integrates differential-algebraic equations of index 1, and `double_step` yields ordinary differential equations";
  if (s.constraints == ConstraintKind::baumgarte && kind == IntegratorClass::variable_ode)
    return "`cvode` integrates ordinary differential equations, and `baumgarte` yields index-1 equations with multipliers";
  if (s.coupling == CouplingKind::cosimulation && !integrator_of(s).has_fixed_step())
    return "co-simulation requires a fixed step of the mechanism, and `cvode` and `ida` use variable steps";
  if (s.constraints == ConstraintKind::ali1)
    return std::string(
        "`ali1` iterates multipliers for given positions and velocities and requires an explicit integrator "
        "(`semi_implicit_euler`, `rk4`, `euler`) or `cvode`; for the same equations with the multipliers as unknowns use "
        "constraints: baumgarte, baumgarte: [xi omega, omega]");
  const ChoiceName name = choice_names()[first_difference];
  const Combination now{std::size_t(s.constraints), std::size_t(s.integrator), std::size_t(s.coupling)};
  return std::string("`") + name.words[now[first_difference]] + "` is not available in this combination";
}

}  // namespace

[[gnu::cold]] void check_solver(const Description& d, Findings& out) {
  const SolverDescription& s = d.solver;
  if (!(s.step > 0)) add_finding(d, out, "solver.step", "the step is not greater than 0");
  if (!(s.duration > 0)) add_finding(d, out, "solver.duration", "the duration is not greater than 0");
  if (s.integrator == IntegratorKind::hht && s.generalized_alpha.rho < 0.5)
    add_finding(d, out, "solver.generalized_alpha.rho", "`hht` is not stable at this spectral radius",
                "0.5 ... 1, or integrator: generalized_alpha");
  if (s.multipliers == MultiplierIteration::plain && s.constraints != ConstraintKind::penalty)
    add_finding(d, out, "solver.multipliers",
                std::string("`") + constraint_words()[std::size_t(s.constraints)] + "` does not iterate multipliers with a penalty",
                "refined, or constraints: penalty");
  if (s.integrator == IntegratorKind::esdirk3 && s.oil_rule != OilRuleKind::automatic)
    add_finding(d, out, "solver.oil_rule", "the hydraulics of `esdirk3` are integrated by its own stages", "auto");
  const Combination asked{std::size_t(s.constraints), std::size_t(s.integrator), std::size_t(s.coupling)};
  constexpr std::size_t kIntegrator = 1;
  const auto agreement = [&](const Combination& c) {  // of two equally near ones the one with the requested integrator
    std::ptrdiff_t same = c[kIntegrator] == asked[kIntegrator] ? 1 : 0;
    for (std::size_t i = 0; i < c.size(); ++i) same += c[i] == asked[i] ? 2 : 0;
    return same;
  };
  const std::vector<Combination> known = combinations();
  const Combination nearest = *std::max_element(known.begin(), known.end(),
                                                [&](const Combination& a, const Combination& b) { return agreement(a) < agreement(b); });
  if (nearest == asked) return;
  std::string found, better;
  std::size_t first = asked.size();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const ChoiceName name = choice_names()[i];
    if (asked[i] != nearest[i]) first = std::min(first, i);
    found += (i == 0 ? "`" : ", `") + std::string(name.words[asked[i]]) + "`";
    better += (i == 0 ? "" : ", ") + std::string(name.key) + ": " + name.words[nearest[i]];
  }
  add_finding(d, out, std::string("solver.") + choice_names()[first].key,
              "the combination " + found + " is not supported: " + reason(s, first), "", "nearest supported combination: {" + better + "}");
}

}  // namespace trunnion
