// Creates the time rule of an implicit integrator.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/motion_rule.h"

namespace trunnion {

std::unique_ptr<MotionRule> make_motion_rule(const SolverDescription& /*solver*/) { return std::make_unique<TrapezoidalRule>(); }

}  // namespace trunnion
