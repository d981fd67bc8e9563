// Creates the time rule of an implicit integrator.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/motion_rule.h"

#include "description/integrators.h"
#include "solve/alpha_rule.h"
#include "solve/esdirk_rule.h"
#include "solve/generalized_alpha.h"

namespace trunnion {

std::unique_ptr<MotionRule> make_motion_rule(const SolverDescription& solver, int nv) {
  switch (solver.integrator) {
    case IntegratorKind::bdf2:
      return std::make_unique<AlphaRule>(0);
    case IntegratorKind::generalized_alpha:
      return std::make_unique<GeneralizedAlphaRule>(GeneralizedAlphaRule::chung_hulbert(solver.generalized_alpha.rho));
    case IntegratorKind::hht:
      return std::make_unique<GeneralizedAlphaRule>(GeneralizedAlphaRule::hilber_hughes_taylor(solver.generalized_alpha.rho));
    case IntegratorKind::esdirk3:
      return std::make_unique<EsdirkRule>(nv);
    default:
      return std::make_unique<AlphaRule>(1);
  }
}

std::optional<ImpulseRule> impulse_rule_of(const Description& description) {
  const SolverDescription& solver = description.solver;
  if (solver.coupling == CouplingKind::cosimulation && mechanism_steps_of(description) > 1) return std::nullopt;
  if (integrator_of(solver).is_implicit()) { return make_motion_rule(solver, 0)->impulse_rule(); }
  const bool from_start = solver.integrator == IntegratorKind::euler || solver.integrator == IntegratorKind::semi_implicit_euler;
  return from_start ? std::optional(ImpulseRule{.share_end = 0, .share_begin = 1}) : std::nullopt;
}

}  // namespace trunnion
