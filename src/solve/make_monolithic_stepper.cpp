// Selects the monolithic stepper for the solver settings.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/make_monolithic_stepper.h"

#include "base/diagnostic.h"
#include "description/integrators.h"
#include "solve/baumgarte.h"
#include "solve/double_step.h"
#include "solve/explicit_step.h"
#include "solve/implicit_stepper.h"
#include "solve/penalty.h"
#include "solve/variable_step.h"

namespace trunnion {

namespace {

[[noreturn]] void refuse_multistep(const Description& description) {
  const std::string path = "solver.integrator";
  throw InputError(
      {{span_of(description, path), path, std::string("`") + integrator_of(description.solver).word + "` is not in the core library", "",
        "it comes with the whole library; or choose a fixed-step integrator such as trapezoidal"}});
}

template <int D>
std::unique_ptr<Stepper> make_stepper_in(std::shared_ptr<const CompiledModel> model) {
  const SolverDescription& solver = model->description.solver;
  switch (integrator_of(solver).kind) {
    case IntegratorClass::implicit:
      if (solver.constraints == ConstraintKind::double_step) return std::make_unique<ImplicitStepper<D, DoubleStep>>(std::move(model));
      if (solver.constraints == ConstraintKind::baumgarte) return std::make_unique<ImplicitStepper<D, Baumgarte>>(std::move(model));
      return std::make_unique<ImplicitStepper<D, Penalty>>(std::move(model));
    case IntegratorClass::explicit_step:
      return std::make_unique<ExplicitStep<D>>(std::move(model));
    default:
      if (multistep_factory() == nullptr) refuse_multistep(model->description);
      return std::make_unique<VariableStep<D>>(std::move(model));
  }
}

}  // namespace

std::unique_ptr<Stepper> make_monolithic_stepper(std::shared_ptr<const CompiledModel> model) {
  return model->planar ? make_stepper_in<2>(std::move(model)) : make_stepper_in<3>(std::move(model));
}

}  // namespace trunnion
