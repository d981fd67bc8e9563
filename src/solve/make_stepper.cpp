// SPDX-License-Identifier: BSD-3-Clause
#include "solve/double_step_trapezoidal.h"
#include "solve/penalty_trapezoidal.h"

namespace trunnion {

namespace {

template <int D>
std::unique_ptr<Stepper> make_stepper_in(std::shared_ptr<const Model> model) {
  if (model->description.solver.constraints == ConstraintKind::double_step)
    return std::make_unique<DoubleStepTrapezoidal<D>>(std::move(model));
  return std::make_unique<PenaltyTrapezoidal<D>>(std::move(model));
}

}  // namespace

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const Model> model) {
  return model->planar ? make_stepper_in<2>(std::move(model)) : make_stepper_in<3>(std::move(model));
}

}  // namespace trunnion
