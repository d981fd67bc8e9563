// Derivative of a step: changes at its start, the discrete equations at its end.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/step_map.h"

#include <fmt/format.h>

#include <cmath>

#include "base/diagnostic.h"
#include "description/integrators.h"
#include "linearise/step_columns.h"
#include "linearise/step_derivative.h"
#include "linearise/variables.h"
#include "machine/friction_load.h"

namespace trunnion {

namespace {

[[noreturn]] void refuse(const char* what, const char* instead) {
  throw Error(fmt::format("{} has no derivative of its step: {}", what, instead));
}

/// Throws Error for steps without a derivative.
void require_step(const CompiledModel& model) {
  const SolverDescription& solver = model.description.solver;
  refuse_friction_loads(
      model, "friction that follows the load of its joint has no derivative of its step: it remembers the load of the step before",
      "linear models hold the load");
  if (solver.coupling != CouplingKind::monolithic) refuse("solver.coupling: a co-simulation", "use `monolithic`");
  if (!integrator_of(solver).has_fixed_step())
    refuse(fmt::format("solver.integrator: {}", integrator_of(solver).word).c_str(),
           "its steps are not of fixed length; use a fixed-step integrator");
}

/// Whether the equations of the steps are differentiated here; otherwise by linearise/step_columns.h.
bool by_equations(const CompiledModel& model) {
  const SolverDescription& solver = model.description.solver;
  if (!model.description.control.empty()) return false;
  if (solver.integrator == IntegratorKind::trapezoidal) return solver.constraints != ConstraintKind::baumgarte || model.layout.rows == 0;
  return !integrator_of(solver).is_implicit();
}

/// The model, if its steps have a derivative.
const std::shared_ptr<const CompiledModel>& with_step_derivative(const std::shared_ptr<const CompiledModel>& model) {
  require_step(*model);
  if (!by_equations(*model) && step_columns_factory() == nullptr)
    refuse(
        "the core library: a machine with control blocks, an implicit integrator other than trapezoidal, or baumgarte with the trapezoidal "
        "rule",
        "the whole library has it");
  return model;
}

/// By numbers with derivatives; inputs are those of the model.
class DerivativeByColumns final : public StepDerivative {
 public:
  explicit DerivativeByColumns(const CompiledModel& model) : columns_(step_columns_factory()(model, {})) {
    for (int i = 0; i < model.signals.inputs(); ++i) inputs_.push_back({LinearInput::Kind::value, model.signals.first_input() + i});
  }
  void evaluate(const MinimalState& coordinates, const StateVector& before, const StateVector& after, double h, const StepOutcome&,
                Eigen::MatrixXd& F, Eigen::MatrixXd& G) override {
    columns_->by_states({coordinates, before, after, h}, F);
    columns_->by_inputs({coordinates, before, after, h}, G);
  }
  const std::vector<LinearInput>& inputs() const override { return inputs_; }

 private:
  std::unique_ptr<StepColumns> columns_;
  std::vector<LinearInput> inputs_;
};

/// By the equations of the step.
std::unique_ptr<StepDerivative> make_step_derivative(const std::shared_ptr<const CompiledModel>& model) {
  const SolverDescription& solver = model->description.solver;
  if (!integrator_of(solver).is_implicit()) return make_explicit_derivative(model);
  return solver.constraints == ConstraintKind::double_step ? make_double_step_derivative(model) : make_all_coordinates_derivative(model);
}

}  // namespace

TransitionMap::TransitionMap(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference)
    : model_(with_step_derivative(model)), coordinates_(model, reference) {
  by_equations_ = by_equations(*model);
  if (by_equations_)
    work_ = make_step_derivative(model);
  else
    work_ = std::make_unique<DerivativeByColumns>(*model);
  signals_ = work_->inputs();
  if (by_equations_) add_composite_inputs(*model, signals_);
  inputs_ = input_variables(*model, reference, signals_, Side::right);
}

TransitionMap::~TransitionMap() = default;

void TransitionMap::evaluate(const StateVector& before, const StateVector& after, double h, const StepOutcome& report) {
  if (!(before.layout() == model_->layout) || !(after.layout() == model_->layout)) throw Error("the state belongs to another model");
  if (!(h > 0) || !(std::abs(after.time - before.time - h) <= 1e-9 * h + 1e-12 * std::abs(after.time)))
    throw Error(fmt::format("a step of {} s does not lead from t = {} s to {} s", h, before.time, after.time));
  if (report.status != StepStatus::converged)
    throw Error(fmt::format("the step to t = {} s did not converge: it has no derivative", after.time));
  if (report.parts > 1 || report.resolved || report.oil_rule.implicit_euler)
    throw Error(
        fmt::format("the step to t = {} s was subdivided (pressures jumped, or Newton's method did not converge at once): "
                    "chain the derivatives of its parts",
                    after.time));
  if (report.switched)
    throw Error(
        fmt::format("the step to t = {} s begins or ends where the mode of a control block changes, at a time that follows from the state: "
                    "it has no derivative at a fixed length; derivatives of a run (sensitivities, gradients) include that of the time",
                    after.time));
  work_->evaluate(coordinates_, before, after, h, report, F_, by_equations_ ? alone_ : G_);
  if (by_equations_) {  // signals depend on inputs at the start and at the end of the step
    G_.setZero(alone_.rows(), static_cast<Eigen::Index>(signals_.size()));
    add_columns_of_inputs(*model_, before, signals_, Side::right, alone_, 0.5, G_);
    add_columns_of_inputs(*model_, after, signals_, Side::left, alone_, 0.5, G_);
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    inputs_[i].reference = input_value(signals_at(*model_, before), signals_[i], before.time, Side::right);
}

}  // namespace trunnion
