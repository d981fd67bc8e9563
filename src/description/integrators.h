// The time integrators and what the modules need to know about each: a new one is a value of IntegratorKind, its row here and its rule
// (solve/motion_rule.h for implicit ones).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "description/description.h"

namespace trunnion {

enum class IntegratorClass {
  implicit,         // positions at the end of a step are the unknowns
  explicit_step,    // accelerations at given positions and velocities; fixed steps
  variable_ode,     // own steps, ordinary differential equations
  variable_index1,  // own steps, equations of index 1 with multipliers
};

struct Integrator {
  const char* word;  // in files
  IntegratorClass kind;
  int order;     // of fixed steps; 0: own steps
  int lags = 0;  // numbers per velocity kept from step to step (solve/motion_rule.h)
  bool is_implicit() const { return kind == IntegratorClass::implicit; }
  bool has_fixed_step() const { return is_implicit() || kind == IntegratorClass::explicit_step; }
};

/// In the order of IntegratorKind.
inline constexpr std::array<Integrator, 10> kIntegrators{{
    {"trapezoidal", IntegratorClass::implicit, 2},
    {"rk4", IntegratorClass::explicit_step, 4},
    {"semi_implicit_euler", IntegratorClass::explicit_step, 1},
    {"euler", IntegratorClass::explicit_step, 1},
    {"cvode", IntegratorClass::variable_ode, 0},
    {"ida", IntegratorClass::variable_index1, 0},
    {"bdf2", IntegratorClass::implicit, 2, 2},
    {"generalized_alpha", IntegratorClass::implicit, 2, 1},
    {"hht", IntegratorClass::implicit, 2, 1},
    {"esdirk3", IntegratorClass::implicit, 3},
}};

constexpr const Integrator& integrator_of(IntegratorKind kind) { return kIntegrators[static_cast<std::size_t>(kind)]; }
constexpr const Integrator& integrator_of(const SolverDescription& solver) { return integrator_of(solver.integrator); }
/// Size of StateVector::motion_memory() for nv velocities.
constexpr int motion_memory_size(const SolverDescription& solver, int nv) {
  const int lags = integrator_of(solver).lags;
  return lags > 0 ? 1 + lags * nv : 0;
}

}  // namespace trunnion
