// Selects the stepper for the solver settings.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/make_stepper.h"

#include "cosimulation/cosimulation.h"
#include "solve/make_monolithic_stepper.h"

namespace trunnion {

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const CompiledModel> model) {
  if (model->description.solver.coupling == CouplingKind::cosimulation) return make_cosimulation(model);
  return make_monolithic_stepper(std::move(model));
}

}  // namespace trunnion
