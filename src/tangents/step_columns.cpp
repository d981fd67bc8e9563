// Derivatives of a step by numbers that have derivatives.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/step_columns.h"

#include <algorithm>
#include <stdexcept>

#include "base/diagnostic.h"
#include "schema/compact.h"
#include "tangents/tangent_step.h"

namespace trunnion {

namespace {

using tangents::TangentStep;

/// Errors of the core with other numbers are those of the core.
template <class F>
auto translated(F&& f) try {
  return f();
} catch (const Error&) { throw; } catch (const std::runtime_error& error) {
  throw Error(error.what());
}

class TangentColumns final : public StepColumns {
 public:
  TangentColumns(const CompiledModel& model, const std::vector<std::string>& parameters)
      : inputs_(model.signals.inputs()), parameters_(parameters.size()) {
    Description description = model.description;
    description.solver.compiled = CompiledKind::off;
    compact_ = compact_text(description);
    for (auto first = parameters.begin(); first != parameters.end();) {
      const auto last = first + std::min<std::ptrdiff_t>(tangents::kVariables, parameters.end() - first);
      by_parameters_.push_back(made({first, last}));
      first = last;
    }
  }

  void by_states(const StepEnds& step, Eigen::MatrixXd& F) override { fill(step, F, step.coordinates.size(), TangentStep::Kind::state); }
  void by_inputs(const StepEnds& step, Eigen::MatrixXd& G) override { fill(step, G, inputs_, TangentStep::Kind::input); }
  void by_parameters(const StepEnds& step, Eigen::MatrixXd& P) override {
    P.resize(step.coordinates.size(), static_cast<Eigen::Index>(parameters_));
    Eigen::Index j = 0;
    for (const auto& of : by_parameters_) take(translated([&] { return of->by_parameters(numbers(step)); }), P, j);
  }

 private:
  std::unique_ptr<TangentStep> made(const std::vector<std::string>& parameters) const {
    return translated([&] { return std::make_unique<TangentStep>(compact_, parameters); });
  }
  static tangents::StepNumbers numbers(const StepEnds& step) {
    const StateVector& reference = step.coordinates.reference();
    return {{reference.values(), reference.time}, {step.before.values(), step.before.time}, {step.after.values(), step.after.time}, step.h};
  }
  template <class Found>
  static void take(const Found& columns, Eigen::MatrixXd& to, Eigen::Index& j) {
    for (const std::vector<double>& column : columns) to.col(j++) = Eigen::Map<const Eigen::VectorXd>(column.data(), to.rows());
  }
  void fill(const StepEnds& step, Eigen::MatrixXd& to, int count, TangentStep::Kind kind) {
    to.resize(step.coordinates.size(), count);
    if (!alone_) alone_ = made({});
    Eigen::Index j = 0;
    for (int first = 0; first < count; first += tangents::kVariables)
      take(translated([&] { return alone_->columns(numbers(step), kind, first, std::min(count - first, tangents::kVariables)); }), to, j);
  }

  int inputs_;
  std::size_t parameters_;
  std::string compact_;
  std::unique_ptr<TangentStep> alone_;  // without parameters
  std::vector<std::unique_ptr<TangentStep>> by_parameters_;
};

}  // namespace

MakeStepColumns step_columns_factory() {
  return [](const CompiledModel& model, const std::vector<std::string>& parameters) -> std::unique_ptr<StepColumns> {
    return std::make_unique<TangentColumns>(model, parameters);
  };
}

}  // namespace trunnion
