// Selects the stepper for the solver settings.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/make_stepper.h"

#include "base/diagnostic.h"
#include "cosimulation/cosimulation.h"
#include "run/compiled_step.h"
#include "solve/make_monolithic_stepper.h"

namespace trunnion {

namespace {

[[noreturn]] void refuse_compiled(const Description& description) {
  const std::string path = "solver.compiled";
  throw InputError({{span_of(description, path), path, "the core library does not compile steps", "",
                     "the whole library does; or `off`, the general step; or the code of `trunnion generate`, which needs no library"}});
}

}  // namespace

std::unique_ptr<Stepper> make_stepper(const std::shared_ptr<const CompiledModel>& model) {
  const SolverDescription& solver = model->description.solver;
  if (solver.coupling == CouplingKind::cosimulation) return make_cosimulation(model);
  std::unique_ptr<Stepper> general = make_monolithic_stepper(model);
  if (solver.compiled == CompiledKind::off) return general;
  const MakeCompiledStep make = compiled_step_factory();
  if (make != nullptr) return make(model, std::move(general));
  if (solver.compiled == CompiledKind::on) refuse_compiled(model->description);
  return general;
}

}  // namespace trunnion
